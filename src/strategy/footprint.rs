//! What a group's stored value takes in a Java heap, by who holds it (model: E). Names and ids that the
//! metadata image holds anyway are left out; so is what every group has alike.
//!
//! Where the model leaves a choice: draft 000's map holds `TopicMetadata` objects with the hash in them (the
//! dearer of its two readings), a rack that stands several times (`racks: multiset`) is priced as several
//! entries, and the flag of draft 001 at the 8 bytes that it takes where it does not fit into padding.

use crate::kafka::hash::RackLists;
use crate::kafka::heap::{self, RackSets};
use crate::kafka::{NameTable, RackId, TopicId};

use super::{Stored, StoredMap};

/// Draft 001's boolean.
pub(super) const FLAG: u64 = 8;

/// Bytes by holder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
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
    /// Of `racks`: the wrappers and views around each partition's set. A map that a refresh has just built lacks them.
    pub wrappers: u64,
}

impl Footprint {
    /// All together; `loaded`: with the strings.
    #[must_use]
    pub const fn total(&self, loaded: bool) -> u64 {
        let strings = if loaded { self.strings } else { 0 };
        self.racks + self.maps + self.hashes + self.flags + strings
    }

    /// With another's.
    pub const fn add(&mut self, other: &Footprint) {
        self.racks += other.racks;
        self.maps += other.maps;
        self.hashes += other.hashes;
        self.flags += other.flags;
        self.strings += other.strings;
        self.wrappers += other.wrappers;
    }

    /// Without another's.
    pub const fn take(&mut self, other: &Footprint) {
        self.racks -= other.racks;
        self.maps -= other.maps;
        self.hashes -= other.hashes;
        self.flags -= other.flags;
        self.strings -= other.strings;
        self.wrappers -= other.wrappers;
    }
}

/// full-metadata: every topic's object has a map of racks, if an empty one.
pub(super) fn of_full_metadata(stored: &Stored, names: &NameTable) -> Footprint {
    let map = map_in(stored);
    let mut sum = Footprint { maps: topic_map(map, names), ..Footprint::default() };
    for entry in map {
        let none = RackLists::default();
        let racks = match entry {
            StoredMap::Full { racks, .. } => racks,
            StoredMap::Count { .. } | StoredMap::Hash { .. } => &none,
        };
        sum.maps += heap::TOPIC_METADATA;
        sum.racks += heap::partition_racks(racks.iter().map(|racks| racks.len() as u64), RackSets::Retained);
        sum.wrappers += heap::RACK_SET_WRAPPERS * racks.iter().filter(|racks| !racks.is_empty()).count() as u64;
        let texts = |racks: &[RackId]| racks.iter().map(|rack| heap::string(&names.rack(*rack).text)).sum::<u64>();
        sum.strings += racks.runs().map(|(racks, partitions)| texts(racks) * u64::from(partitions)).sum::<u64>();
    }
    sum
}

/// partition-count: racks that another release left are not read.
pub(super) fn of_partition_count(stored: &Stored, names: &NameTable) -> Footprint {
    let map = map_in(stored);
    let objects = heap::TOPIC_METADATA_PLAIN * map.len() as u64;
    Footprint { maps: topic_map(map, names) + objects, ..Footprint::default() }
}

/// topic-hash: an object with its hash for each topic.
pub(super) fn of_topic_hash(stored: &Stored, names: &NameTable) -> Footprint {
    let map = map_in(stored);
    let hashes = heap::TOPIC_METADATA * map.len() as u64;
    Footprint { maps: topic_map(map, names), hashes, ..Footprint::default() }
}

/// A group hash; of a map that another release left, 4.1 only remembers that it is there.
pub(super) fn of_group_hash(stored: &Stored) -> Footprint {
    let legacy = match stored {
        Stored::Map(_) => heap::TIMELINE_VALUE,
        Stored::Absent | Stored::Hash(_) => 0,
    };
    Footprint { hashes: heap::TIMELINE_VALUE + legacy, ..Footprint::default() }
}

/// No map is an empty one.
fn map_in(stored: &Stored) -> &[StoredMap] {
    match stored {
        Stored::Map(map) => map,
        Stored::Absent | Stored::Hash(_) => &[],
    }
}

fn topic_map(map: &[StoredMap], names: &NameTable) -> u64 {
    heap::timeline_map(map.iter().map(|entry| names.topic(topic_of(entry)).hash_code))
}

fn topic_of(entry: &StoredMap) -> TopicId {
    match entry {
        StoredMap::Full { topic, .. } | StoredMap::Count { topic, .. } | StoredMap::Hash { topic, .. } => *topic,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kafka::Uuid;
    use crate::strategy::SharedRacks;

    fn names(topics: usize) -> NameTable {
        let topics: Vec<String> = (0..topics).map(|i| format!("topic-{i}")).collect();
        NameTable::new(&topics, &["us-east-1a", "us-east-1b", "us-east-1c"].map(String::from))
    }

    fn map_of(topics: u32, entry: impl Fn(TopicId) -> StoredMap) -> Stored {
        Stored::Map((0..topics).map(|t| entry(TopicId(t))).collect())
    }

    fn full(topics: u32, partitions: usize) -> Stored {
        let mut racks = RackLists::default();
        (0..partitions).for_each(|_| racks.push([RackId(0), RackId(1), RackId(2)]));
        map_of(topics, |topic| StoredMap::Full { topic, id: Uuid::default(), racks: SharedRacks::Own(racks.clone()) })
    }

    #[test]
    fn the_published_racks_come_out_and_a_load_adds_its_strings() {
        let one = of_full_metadata(&full(1, 2000), &names(1));
        // F(1) is 24, a table of two slots and an entry
        assert_eq!((one.racks, one.maps), (654_400, 24 + 24 + 32 + 32));
        assert_eq!(one.total(true) - one.total(false), 336_000);
        assert_eq!(of_full_metadata(&full(20, 100), &names(20)).racks, 629_760);
    }

    #[test]
    fn each_strategy_pays_for_what_it_keeps() {
        // F(10) with its measured collisions
        let f = 24 + 48 + 320 + 120;
        let names = names(10);
        let count = map_of(10, |topic| StoredMap::Count { topic, id: Uuid::default(), partitions: 6 });
        let hash = map_of(10, |topic| StoredMap::Hash { topic, hash: 1 });
        let none = Footprint::default();
        assert_eq!(of_partition_count(&count, &names), Footprint { maps: f + 240, ..none });
        assert_eq!(of_topic_hash(&hash, &names), Footprint { maps: f, hashes: 320, ..none });
        assert_eq!(of_group_hash(&Stored::Hash(1)), Footprint { hashes: 24, ..none });
        assert_eq!(of_topic_hash(&Stored::Absent, &names).total(false), 48);
    }

    #[test]
    fn a_map_of_another_release_is_priced_as_its_reader_holds_it() {
        let names = names(10);
        let count = map_of(10, |topic| StoredMap::Count { topic, id: Uuid::default(), partitions: 6 });
        let (racked, plain) = (full(10, 6), &count);
        assert_eq!(of_partition_count(&racked, &names), of_partition_count(plain, &names));
        // 3.9's object is larger and its map of racks empty
        let found = of_full_metadata(plain, &names).total(true);
        assert_eq!(found, of_partition_count(plain, &names).total(true) + 10 * (8 + 48));
        assert_eq!(of_group_hash(&racked).total(true), 48);
    }
}
