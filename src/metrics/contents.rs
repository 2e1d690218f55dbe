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
            if level + 1 == self.levels.len() {
                self.levels.push(Vec::new());
                changed = (0..self.levels[level].len()).collect();
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
