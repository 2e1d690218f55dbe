//! The event calendar: what is to happen, taken out in order of its key, and in the order put in among equal
//! keys. It knows no clock: whoever takes from it decides what "now" is.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// What is to happen, by key.
#[derive(Clone, Debug)]
pub struct Calendar<K, T> {
    heap: BinaryHeap<Slot<K, T>>,
    put: u64,
}

#[derive(Clone, Debug)]
struct Slot<K, T> {
    key: K,
    place: u64,
    item: T,
}

impl<K: Ord + Copy, T> Calendar<K, T> {
    /// Nothing is to happen.
    #[must_use]
    pub fn new() -> Calendar<K, T> {
        Calendar { heap: BinaryHeap::new(), put: 0 }
    }

    /// Puts something in.
    pub fn put(&mut self, key: K, item: T) {
        self.heap.push(Slot { key, place: self.put, item });
        self.put += 1;
    }

    /// The smallest key.
    #[must_use]
    pub fn next_key(&self) -> Option<K> {
        self.heap.peek().map(|slot| slot.key)
    }

    /// Takes out what has the smallest key; of several, what was put in first.
    pub fn take(&mut self) -> Option<(K, T)> {
        self.heap.pop().map(|slot| (slot.key, slot.item))
    }

    /// How many things were ever put in.
    #[must_use]
    pub fn ever(&self) -> u64 {
        self.put
    }
}

impl<K: Ord + Copy, T> Default for Calendar<K, T> {
    fn default() -> Self {
        Calendar::new()
    }
}

/// Reversed, since the standard heap gives the largest first.
impl<K: Ord, T> Ord for Slot<K, T> {
    fn cmp(&self, other: &Self) -> Ordering {
        other.key.cmp(&self.key).then_with(|| other.place.cmp(&self.place))
    }
}

impl<K: Ord, T> PartialOrd for Slot<K, T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<K: Ord, T> PartialEq for Slot<K, T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<K: Ord, T> Eq for Slot<K, T> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_keys_come_out_in_the_order_they_went_in_also_after_takes() {
        let mut calendar = Calendar::new();
        let mut expected = Vec::new();
        for round in 0..50u32 {
            for key in [3, 1, 2, 1] {
                calendar.put(key, (key, round, 0));
                calendar.put(key, (key, round, 1));
            }
        }
        for key in 1..=3u32 {
            for round in 0..50u32 {
                let times = if key == 1 { 2 } else { 1 };
                (0..times).for_each(|_| expected.extend([(key, round, 0), (key, round, 1)]));
            }
        }
        let (_, first) = calendar.take().unwrap();
        assert_eq!(first, expected[0]);
        calendar.put(1, (1, 50, 0));
        expected.insert(200, (1, 50, 0));
        let rest: Vec<_> = std::iter::from_fn(|| calendar.take().map(|(_, item)| item)).collect();
        assert_eq!(rest, expected[1..]);
        assert_eq!(calendar.ever(), 401);
    }
}
