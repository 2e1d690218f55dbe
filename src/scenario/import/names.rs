//! Other names, of the same length, since the bytes of records depend on it. A group's new name falls to the same
//! coordinator shard, so that the same step of a roll hits it. Names are dealt in natural order, so that of the old ones
//! nothing shows but their lengths, their order and their shards.

use std::collections::{BTreeMap, BTreeSet};

use super::super::words::no_name;
use super::resolve::{Found, OFFSETS};
use crate::kafka::java;
use crate::sim::natural_cmp;

const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

/// So many names are looked at for one that fits, at most.
const TRIES: u32 = 100_000;

/// Gives new names to all, or to those only that the language cannot have.
pub(super) fn rename(found: &mut Found, all: bool) {
    let wanted = |name: &str| all || no_name(name).is_some();
    let shards = found.shards();

    let racks: BTreeSet<String> = found.brokers.iter().filter_map(|broker| broker.rack.clone()).collect();
    let racks = new_names(&racks, 'r', wanted, |_| 0);
    for broker in &mut found.brokers {
        broker.rack = broker.rack.take().map(|rack| moved(rack, &racks));
    }

    let mut names: BTreeSet<String> = found.topics.keys().cloned().collect();
    names.extend(found.groups.values().flat_map(|group| group.topics.iter().cloned()));
    let topics = new_names(&names, 't', |name| wanted(name) && !is_kafkas_own(name), |_| 0);
    found.topics = std::mem::take(&mut found.topics).into_iter().map(|(n, t)| (moved(n, &topics), t)).collect();

    let names: BTreeSet<String> = found.groups.keys().cloned().collect();
    let shard = |name: &str| java::shard_of(name, shards).0;
    let groups = new_names(&names, 'g', wanted, shard);
    let elsewhere = groups.iter().filter(|(old, new)| shard(old) != shard(new)).count();
    let longer = [&racks, &topics, &groups].into_iter().flatten().filter(|(old, new)| old.len() != new.len()).count();
    found.groups = std::mem::take(&mut found.groups)
        .into_iter()
        .map(|(name, mut group)| {
            group.topics = group.topics.into_iter().map(|topic| moved(topic, &topics)).collect();
            (moved(name, &groups), group)
        })
        .collect();

    if elsewhere > 0 {
        found.notes.push(format!("{elsewhere} of the new names of groups fall to another shard: too short to choose"));
    }
    if longer > 0 {
        found.notes.push(format!("{longer} of the new names are longer or shorter than the old ones: none was left"));
    }
    if !all {
        found.renamed = racks.len() + topics.len() + groups.len();
    }
}

/// Topics that every cluster has under the same name.
fn is_kafkas_own(name: &str) -> bool {
    [OFFSETS, "__transaction_state", "__share_group_state", "__remote_log_metadata"].contains(&name)
}

fn moved(name: String, new: &BTreeMap<String, String>) -> String {
    new.get(&name).cloned().unwrap_or(name)
}

/// The new names of those that want one; `like` has to be the same of both.
fn new_names(
    names: &BTreeSet<String>,
    letter: char,
    wanted: impl Fn(&str) -> bool,
    like: impl Fn(&str) -> u32,
) -> BTreeMap<String, String> {
    let mut order: Vec<&String> = names.iter().filter(|name| wanted(name)).collect();
    order.sort_by(|a, b| natural_cmp(a, b));
    // names that stay are taken
    let taken: BTreeSet<&str> = names.iter().filter(|name| !wanted(name)).map(String::as_str).collect();
    let mut lengths: BTreeMap<usize, Length> = BTreeMap::new();
    let mut new = BTreeMap::new();
    for old in order {
        let mut length = old.len().clamp(1, 249);
        let want = like(old);
        let name = loop {
            let stock = lengths.entry(length).or_insert_with(|| Length::new(letter, length));
            match stock.take(want, &taken, &like) {
                Some(name) => break name,
                None => length += 1,
            }
        };
        new.insert(old.clone(), name);
    }
    new
}

/// Names of one length, made in turn; those that did not fit wait for whom they do.
struct Length {
    letter: char,
    length: usize,
    next: u64,
    waiting: BTreeMap<u32, Vec<String>>,
}

impl Length {
    fn new(letter: char, length: usize) -> Length {
        Length { letter, length, next: 0, waiting: BTreeMap::new() }
    }

    /// A name that is alike, or any if there is none; nothing where all are gone.
    fn take(&mut self, want: u32, taken: &BTreeSet<&str>, like: &impl Fn(&str) -> u32) -> Option<String> {
        if let Some(name) = self.waiting.get_mut(&want).and_then(Vec::pop) {
            return Some(name);
        }
        for _ in 0..TRIES {
            let Some(name) = self.make() else { break };
            if taken.contains(name.as_str()) || no_name(&name).is_some() {
                continue;
            }
            let has = like(&name);
            if has == want {
                return Some(name);
            }
            self.waiting.entry(has).or_default().push(name);
        }
        self.waiting.values_mut().find_map(Vec::pop)
    }

    /// The next name: a letter, and a number of as many digits as fit; of one letter only, the alphabet.
    fn make(&mut self) -> Option<String> {
        let mut number = self.next;
        self.next += 1;
        if self.length == 1 {
            let place = usize::try_from(number).ok().filter(|n| *n < DIGITS.len())?;
            // letters first
            return Some(char::from(DIGITS[(place + 10) % DIGITS.len()]).to_string());
        }
        let mut digits = vec![b'0'; self.length - 1];
        for digit in digits.iter_mut().rev() {
            *digit = DIGITS[usize::try_from(number % 36).unwrap_or(0)];
            number /= 36;
        }
        let text = String::from_utf8(digits).ok().filter(|_| number == 0)?;
        Some(format!("{}{text}", self.letter))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: impl IntoIterator<Item = String>) -> BTreeSet<String> {
        names.into_iter().collect()
    }

    #[test]
    fn new_names_are_distinct_as_long_as_the_old_and_of_the_same_shard() {
        let old = set((0..3000).map(|n| format!("team-{}-service-{n}", n % 7)));
        let shard = |name: &str| java::shard_of(name, 50).0;
        let new = new_names(&old, 'g', |_| true, shard);
        assert_eq!(new.len(), 3000);
        assert_eq!(set(new.values().cloned()).len(), 3000);
        for (old, new) in &new {
            assert_eq!((old.len(), shard(old)), (new.len(), shard(new)), "{old} {new}");
            assert!(!new.contains("team") && !new.contains("service"));
        }
    }

    #[test]
    fn where_no_name_of_a_length_is_left_a_longer_one_is_taken() {
        let old = set((b'!'..=b'~').map(|c| char::from(c).to_string()));
        let new = new_names(&old, 't', |_| true, |_| 0);
        assert_eq!(set(new.values().cloned()).len(), old.len());
        // 36 letters and digits, as many behind one letter, and what is left of 94 behind two
        let count = |length: usize| new.values().filter(|name| name.len() == length).count();
        assert_eq!([1, 2, 3].map(count), [36, 36, 22]);
    }

    #[test]
    fn only_what_cannot_stay_is_renamed_and_nobody_gets_a_name_that_is_taken() {
        let old = set(["all", "t00", "my topic", "fine"].map(str::to_owned));
        let new = new_names(&old, 't', |name| no_name(name).is_some(), |_| 0);
        assert_eq!(new.get("all").map(String::as_str), Some("t01"));
        assert_eq!(new.get("my topic").map(String::as_str), Some("t0000000"));
        assert_eq!(new.len(), 2);
    }
}
