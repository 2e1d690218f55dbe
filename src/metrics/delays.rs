//! Delays in bins that are narrow where delays are short: each bin is at most a sixteenth of its upper end wide,
//! so a distribution takes a few hundred rows, whatever a run's length.

use std::collections::BTreeMap;

/// Values with five significant binary digits are upper ends.
const DIGITS: u32 = 5;

/// The upper end of the bin that a delay falls into, itself included; delays of up to 32 ms are exact.
#[must_use]
pub const fn upper_end(delay_ms: u64) -> u64 {
    let bits = 64 - delay_ms.leading_zeros();
    if bits <= DIGITS {
        return delay_ms;
    }
    let width = 1u64 << (bits - DIGITS);
    match delay_ms.checked_next_multiple_of(width) {
        Some(end) => end,
        None => u64::MAX,
    }
}

/// Delays below this are counted in a table: nearly all are a heartbeat interval at most.
const SHORT: u64 = 1 << 16;

/// Exact delays, and how many had each.
#[derive(Clone, Debug, Default)]
pub struct Delays {
    short: Vec<u64>,
    long: BTreeMap<u64, u64>,
}

impl Delays {
    /// One more.
    pub(super) fn add(&mut self, delay_ms: u64) {
        if delay_ms >= SHORT {
            *self.long.entry(delay_ms).or_insert(0) += 1;
            return;
        }
        let place = usize::try_from(delay_ms).expect("it is short");
        if place >= self.short.len() {
            self.short.resize(place + 1, 0);
        }
        self.short[place] += 1;
    }

    /// In order.
    fn iter(&self) -> impl DoubleEndedIterator<Item = (u64, u64)> {
        let short = self.short.iter().enumerate().filter(|(_, count)| **count > 0);
        let long = self.long.iter().map(|(delay, count)| (*delay, *count));
        short.map(|(delay, count)| (delay as u64, *count)).chain(long)
    }

    /// The longest.
    pub(super) fn max(&self) -> Option<u64> {
        self.iter().next_back().map(|(delay, _)| delay)
    }

    /// By nearest rank.
    pub(super) fn percentile(&self, percent: u64) -> Option<u64> {
        let total: u64 = self.iter().map(|(_, count)| count).sum();
        let rank = (total * percent).div_ceil(100).max(1);
        let mut seen = 0;
        let found = self.iter().find(|(_, count)| {
            seen += count;
            seen >= rank
        });
        found.map(|(delay, _)| delay)
    }

    /// Put into bins: the upper end of each, and how many fell into it.
    #[must_use]
    pub fn binned(&self) -> Vec<(u64, u64)> {
        let mut bins: Vec<(u64, u64)> = Vec::new();
        for (delay, count) in self.iter() {
            let end = upper_end(delay);
            match bins.last_mut() {
                Some(last) if last.0 == end => last.1 += count,
                _ => bins.push((end, count)),
            }
        }
        bins
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_narrow_ordered_and_hold_what_falls_into_them() {
        let mut last = 0;
        for delay in (0..200_000).chain([u64::MAX - 1, u64::MAX]) {
            let end = upper_end(delay);
            assert!(end >= delay && end >= last, "{delay}");
            assert!(end - delay <= delay / 16, "{delay} in the bin to {end}");
            assert_eq!(upper_end(end), end, "an upper end is in its own bin");
            last = end;
        }
        assert!((0..=32).all(|d| upper_end(d) == d));
    }

    #[test]
    fn nothing_is_lost_in_binning() {
        let mut delays = Delays::default();
        let all: Vec<u64> = (0..5_000).flat_map(|d| [d * 21, d * 21 + 7, d * 21 + 7]).collect();
        all.iter().for_each(|delay| delays.add(*delay));
        let bins = delays.binned();
        assert_eq!(bins.iter().map(|b| b.1).sum::<u64>(), all.len() as u64);
        assert_eq!((delays.max(), delays.percentile(100)), (all.last().copied(), all.last().copied()));
        assert_eq!(delays.percentile(50), Some(all[(all.len() * 50).div_ceil(100) - 1]));
        assert!(bins.is_sorted_by(|a, b| a.0 < b.0) && bins.len() < 250, "{}", bins.len());
    }
}
