//! What topics consist of, as numbers: every list of racks has one, sixteen of them in turn have one, sixteen of those,
//! and so on up to one for the whole topic. Topics with as many partitions are alike exactly where that number is the
//! same. Nothing is hashed to compare it, so it is exact; and where one of thousands of partitions changes, only the few
//! numbers above it are looked up again.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// How many numbers in turn have one of their own.
const WIDE: usize = 16;

/// A partition's racks, as its reader takes them.
pub(super) type Racks = SmallVec<[u32; 4]>;

/// The numbers that have been given out, from 1.
#[derive(Default)]
pub(super) struct Numbers {
    lists: FxHashMap<Racks, u32>,
    /// Lists by number.
    listed: Vec<Racks>,
    several: FxHashMap<[u32; WIDE], u32>,
}

impl Numbers {
    fn of_list(&mut self, list: &Racks) -> u32 {
        if let Some(number) = self.lists.get(list) {
            return *number;
        }
        self.listed.push(list.clone());
        let number = u32::try_from(self.listed.len()).expect("lists of racks fit 32 bits");
        self.lists.insert(list.clone(), number);
        number
    }

    fn of_several(&mut self, numbers: &[u32]) -> u32 {
        let mut key = [0; WIDE];
        key[..numbers.len()].copy_from_slice(numbers);
        let next = u32::try_from(self.several.len() + 1).expect("a history's values fit 32 bits");
        *self.several.entry(key).or_insert(next)
    }
}

/// One topic's numbers.
#[derive(Default)]
pub(super) struct Contents {
    /// Of its partitions, of each sixteen of them, and so on up to the only one.
    levels: Vec<Vec<u32>>,
}

impl Contents {
    /// There are so many partitions. What was known of others of them is forgotten.
    pub(super) fn resize(&mut self, partitions: usize) {
        if self.levels.first().is_some_and(|all| all.len() > partitions) {
            self.levels.clear();
        }
        if self.levels.is_empty() {
            self.levels.push(Vec::new());
        }
        self.levels[0].resize(partitions, 0);
    }

    /// A partition has these racks; `changed` gets it if it had others.
    pub(super) fn put(&mut self, numbers: &mut Numbers, partition: usize, racks: &Racks, changed: &mut Vec<usize>) {
        let number = numbers.of_list(racks);
        if std::mem::replace(&mut self.levels[0][partition], number) != number {
            changed.push(partition);
        }
    }

    /// The number of the whole, after these have changed (in order).
    pub(super) fn whole(&mut self, numbers: &mut Numbers, mut changed: Vec<usize>) -> u32 {
        let mut level = 0;
        while self.levels[level].len() > 1 {
            // a new level has one number at first, above the second one below it, which is new, too
            if level + 1 == self.levels.len() {
                self.levels.push(Vec::new());
            }
            let (below, above) = self.levels.split_at_mut(level + 1);
            let (below, above) = (&below[level], &mut above[0]);
            above.resize(below.len().div_ceil(WIDE), 0);
            changed.iter_mut().for_each(|place| *place /= WIDE);
            changed.dedup();
            for &place in &changed {
                let until = below.len().min((place + 1) * WIDE);
                above[place] = numbers.of_several(&below[place * WIDE..until]);
            }
            level += 1;
        }
        self.levels[level].first().copied().unwrap_or(0)
    }

    /// The number of how many partitions have which rack, whichever they are (model: C.1's class).
    pub(super) fn tally(&self, numbers: &mut Numbers) -> u32 {
        let mut per_list: BTreeMap<u32, u32> = BTreeMap::new();
        self.levels[0].iter().for_each(|number| *per_list.entry(*number).or_default() += 1);
        let mut per_rack: BTreeMap<u32, u32> = BTreeMap::new();
        for (number, partitions) in per_list {
            let racks = &numbers.listed[number as usize - 1];
            racks.iter().for_each(|rack| *per_rack.entry(*rack).or_default() += partitions);
        }
        let list: Racks = per_rack.into_iter().flat_map(|(rack, partitions)| [rack, partitions]).collect();
        numbers.of_list(&list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    /// Few racks, so that many topics are alike; sizes around those at which there is a level more.
    fn topic() -> impl Strategy<Value = Vec<u8>> {
        let sizes = prop::sample::select(vec![0, 1, 2, 15, 16, 17, 18, 32, 255, 256, 257, 258, 300]);
        (sizes, vec((0_usize..300, 0_u8..2), 0..3)).prop_map(|(partitions, others)| {
            let mut racks = vec![0; partitions];
            let others = others.into_iter().filter(|(partition, _)| *partition < partitions);
            others.for_each(|(partition, rack)| racks[partition] = rack);
            racks
        })
    }

    proptest! {
        #[test]
        fn topics_have_one_number_exactly_where_they_are_alike(topics in vec(topic(), 1..40)) {
            let (mut numbers, mut contents) = (Numbers::default(), Contents::default());
            let mut known: FxHashMap<Vec<u8>, (u32, u32)> = FxHashMap::default();
            let mut told: FxHashMap<(usize, u32), Vec<u8>> = FxHashMap::default();
            let mut tallies: FxHashMap<u32, [usize; 2]> = FxHashMap::default();
            // one topic that is in turn each of them
            for topic in topics {
                contents.resize(topic.len());
                let mut changed = Vec::new();
                for (partition, rack) in topic.iter().enumerate() {
                    contents.put(&mut numbers, partition, &Racks::from_slice(&[u32::from(*rack)]), &mut changed);
                }
                let (whole, tally) = (contents.whole(&mut numbers, changed), contents.tally(&mut numbers));
                prop_assert_eq!(*known.entry(topic.clone()).or_insert((whole, tally)), (whole, tally));
                let of_each = [0, 1].map(|rack| topic.iter().filter(|r| **r == rack).count());
                prop_assert_eq!(*tallies.entry(tally).or_insert(of_each), of_each);
                prop_assert_eq!(told.entry((topic.len(), whole)).or_insert_with(|| topic.clone()), &topic);
            }
        }
    }
}
