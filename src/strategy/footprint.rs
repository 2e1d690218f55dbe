//! What a group's stored value takes in a Java heap, by who holds it (model: E). Names and ids that the
//! metadata image holds anyway are left out; so is what every group has alike.
//!
//! Where the model leaves a choice: draft 000's map holds `TopicMetadata` objects with the hash in them (the
//! dearer of its two readings), a rack that stands several times (`racks: multiset`) is priced as several
//! entries, and the flag of draft 001 at the 8 bytes that it takes where it does not fit into padding.

use crate::kafka::heap::{self, RackSets};
use crate::kafka::{NameTable, TopicId};

use super::{Stored, StoredMap};

/// Bytes by holder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    /// full-metadata's racks by partition.
    pub racks: u64,
    /// Maps by topic name, and what they say of each topic besides racks and hashes.
    pub maps: u64,
    /// Hashes: of the group, or objects that hold a topic's.
    pub hashes: u64,
    /// delta-flag's booleans.
    pub flags: u64,
    /// Rack names, where the value was read from the log: every partition's are strings of their own then, while
    /// those of a value made here are shared with the image. In no total until added: whether the value was
    /// loaded is the shard's to know.
    pub strings: u64,
}

impl Footprint {
    /// All together; `loaded`: with the strings.
    #[must_use]
    pub const fn total(&self, loaded: bool) -> u64 {
        let strings = if loaded { self.strings } else { 0 };
        self.racks + self.maps + self.hashes + self.flags + strings
    }
}

/// A group of a strategy that keeps maps. No map is an empty one.
pub(super) fn of_map(stored: &Stored, names: &NameTable) -> Footprint {
    let map: &[StoredMap] = match stored {
        Stored::Map(map) => map,
        Stored::Absent | Stored::Hash(_) => &[],
    };
    let mut sum = Footprint {
        maps: heap::timeline_map(map.iter().map(|entry| names.topic(topic_of(entry)).hash_code)),
        ..Footprint::default()
    };
    for entry in map {
        match entry {
            StoredMap::Full { racks, .. } => {
                sum.maps += heap::TOPIC_METADATA;
                sum.racks += heap::partition_racks(racks.iter().map(|r| r.len() as u64), RackSets::Retained);
                let text = |rack: &crate::kafka::RackId| heap::string(&names.rack(*rack).text);
                sum.strings += racks.iter().flatten().map(text).sum::<u64>();
            }
            StoredMap::Count { .. } => sum.maps += heap::TOPIC_METADATA_PLAIN,
            StoredMap::Hash { .. } => sum.hashes += heap::TOPIC_METADATA,
        }
    }
    sum
}

/// A group of a strategy that keeps one hash; a map that another release left stays until its first look.
pub(super) fn of_hash(stored: &Stored, names: &NameTable) -> Footprint {
    let left = match stored {
        Stored::Map(_) => of_map(stored, names),
        Stored::Absent | Stored::Hash(_) => Footprint::default(),
    };
    Footprint { hashes: left.hashes + heap::TIMELINE_VALUE, ..left }
}

fn topic_of(entry: &StoredMap) -> TopicId {
    match entry {
        StoredMap::Full { topic, .. } | StoredMap::Count { topic, .. } | StoredMap::Hash { topic, .. } => *topic,
    }
}

#[cfg(test)]
mod tests {
    use smallvec::smallvec;

    use super::*;
    use crate::kafka::{RackId, Uuid};

    fn names(topics: usize) -> NameTable {
        let topics: Vec<String> = (0..topics).map(|i| format!("topic-{i}")).collect();
        NameTable::new(&topics, &["us-east-1a", "us-east-1b", "us-east-1c"].map(String::from))
    }

    fn map_of(topics: u32, entry: impl Fn(TopicId) -> StoredMap) -> Stored {
        Stored::Map((0..topics).map(|t| entry(TopicId(t))).collect())
    }

    fn full(topics: u32, partitions: usize) -> Stored {
        let racks = vec![smallvec![RackId(0), RackId(1), RackId(2)]; partitions].into_boxed_slice();
        map_of(topics, |topic| StoredMap::Full { topic, id: Uuid::default(), racks: racks.clone() })
    }

    #[test]
    fn the_published_racks_come_out_and_a_load_adds_its_strings() {
        let one = of_map(&full(1, 2000), &names(1));
        // F(1) is 24, a table of two slots and an entry
        assert_eq!((one.racks, one.maps), (654_400, 24 + 24 + 32 + 32));
        assert_eq!(one.total(true) - one.total(false), 336_000);
        assert_eq!(of_map(&full(20, 100), &names(20)).racks, 629_760);
    }

    #[test]
    fn each_strategy_pays_for_what_it_keeps() {
        // F(10) with its measured collisions
        let f = 24 + 48 + 320 + 120;
        let names = names(10);
        let count = map_of(10, |topic| StoredMap::Count { topic, id: Uuid::default(), partitions: 6 });
        assert_eq!(of_map(&count, &names), Footprint { maps: f + 240, ..Footprint::default() });
        let hash = map_of(10, |topic| StoredMap::Hash { topic, hash: 1 });
        assert_eq!(of_map(&hash, &names), Footprint { maps: f, hashes: 320, ..Footprint::default() });
        assert_eq!(of_hash(&Stored::Hash(1), &names), Footprint { hashes: 24, ..Footprint::default() });
        assert_eq!(of_hash(&count, &names).total(false), f + 240 + 24);
        assert_eq!(of_map(&Stored::Absent, &names).total(false), 48);
    }
}
