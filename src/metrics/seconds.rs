//! How often something happened in each second of the clock, whatever the order in which it is counted.

use crate::sim::Ms;

/// Seconds in a page: most of a long run has none, and a page is cleared before it is used.
const PAGE: usize = 64;

/// Counts by second.
#[derive(Clone, Debug, Default)]
pub(super) struct Seconds {
    pages: Vec<Option<Box<[u32; PAGE]>>>,
    most: u32,
}

impl Seconds {
    /// Once more at this instant.
    pub(super) fn add(&mut self, at: Ms) {
        let second = usize::try_from(at.0 / 1000).expect("a run's seconds fit memory");
        let (page, place) = (second / PAGE, second % PAGE);
        if page >= self.pages.len() {
            self.pages.resize_with(page + 1, || None);
        }
        let count = &mut self.pages[page].get_or_insert_with(|| Box::new([0; PAGE]))[place];
        *count += 1;
        self.most = self.most.max(*count);
    }

    /// The most within one second.
    pub(super) fn most(&self) -> u64 {
        u64::from(self.most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_in_which_seconds_are_counted_does_not_matter() {
        let at = [999u64, 1000, 5_000_000, 1999, 0, 1500, 5_000_999];
        for order in [at.to_vec(), at.iter().rev().copied().collect()] {
            let mut seconds = Seconds::default();
            order.iter().for_each(|at| seconds.add(Ms(*at)));
            assert_eq!(seconds.most(), 3);
        }
        assert_eq!(Seconds::default().most(), 0);
        // each second of several pages has a place of its own
        let mut seconds = Seconds::default();
        (0..300).for_each(|second| seconds.add(Ms(second * 1000)));
        assert_eq!(seconds.most(), 1);
    }
}
