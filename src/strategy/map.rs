//! Stored maps: how a new one is held against what is stored, in whatever form another release left it
//! (model: K.4, versions), and what writing one costs.

use crate::kafka::record::PartitionMetadata;
use crate::kafka::{NameTable, TopicId};

use super::{GroupView, Stored, StoredMap, View};

/// Does the new map differ from what is stored? `ids`: do topic ids count?
pub(super) fn differs(new: &[StoredMap], stored: &Stored, ids: bool) -> bool {
    match stored {
        Stored::Map(old) => new.len() != old.len() || new.iter().zip(old).any(|(new, old)| !same(new, old, ids)),
        Stored::Hash(_) => !new.is_empty(),
        Stored::Absent => new.iter().any(|new| !without_racks(new)),
    }
}

/// Is the new map what is stored, to the last entry and in the same form? Then it does not differ.
pub(super) fn is(stored: &Stored, new: &[StoredMap]) -> bool {
    matches!(stored, Stored::Map(old) if **old == *new)
}

/// Is the new entry what a map without racks of the same topics would have? A hash is not.
fn without_racks(new: &StoredMap) -> bool {
    match new {
        StoredMap::Full { racks, .. } => racks.runs().all(|(racks, _)| racks.is_empty()),
        StoredMap::Count { .. } => true,
        StoredMap::Hash { .. } => false,
    }
}

fn same(new: &StoredMap, old: &StoredMap, ids: bool) -> bool {
    match (new, old) {
        (StoredMap::Hash { topic, hash }, StoredMap::Hash { topic: old_topic, hash: old_hash }) => {
            topic == old_topic && hash == old_hash
        }
        (StoredMap::Hash { .. }, StoredMap::Full { .. } | StoredMap::Count { .. })
        | (StoredMap::Full { .. } | StoredMap::Count { .. }, StoredMap::Hash { .. }) => false,
        (StoredMap::Full { topic, id, racks }, StoredMap::Full { topic: old_topic, id: old_id, racks: old_racks }) => {
            topic == old_topic && (!ids || id == old_id) && racks == old_racks
        }
        (StoredMap::Full { topic, id, racks }, StoredMap::Count { topic: old_topic, id: old_id, partitions }) => {
            topic == old_topic && (!ids || id == old_id) && racks.partitions() == *partitions && without_racks(new)
        }
        (StoredMap::Count { topic, id, partitions }, StoredMap::Full { topic: old_topic, id: old_id, racks }) => {
            topic == old_topic && (!ids || id == old_id) && racks.partitions() == *partitions
        }
        (
            StoredMap::Count { topic, id, partitions },
            StoredMap::Count { topic: old_topic, id: old_id, partitions: old_partitions },
        ) => topic == old_topic && (!ids || id == old_id) && partitions == old_partitions,
    }
}

/// Bytes of the ConsumerGroupPartitionMetadata value that holds the map.
#[must_use]
pub fn metadata_value(map: &[StoredMap], names: &NameTable) -> u64 {
    written(map, names).value()
}

/// What of it is written, topic by topic.
pub(super) fn written(map: &[StoredMap], names: &NameTable) -> PartitionMetadata {
    let mut size = PartitionMetadata::default();
    for entry in map {
        match entry {
            StoredMap::Full { topic, racks, .. } => {
                let lengths = |&rack| names.rack(rack).text.len() as u64;
                size.racked(names.topic(*topic).text.len() as u64, racks.iter().map(|r| r.iter().map(lengths)));
            }
            StoredMap::Count { topic, .. } => size.plain(names.topic(*topic).text.len() as u64),
            StoredMap::Hash { topic, .. } => size.hashed(names.topic(*topic).text.len() as u64),
        }
    }
    size
}

/// The map of Kafka 4.0: ids and counts of the group's topics that exist.
pub(super) fn counts(group: &GroupView<'_>, view: &View<'_>) -> Box<[StoredMap]> {
    let existing = |&topic: &TopicId| view.image.topic(topic).map(|image| (topic, image));
    group
        .topics
        .iter()
        .filter_map(existing)
        .map(|(topic, image)| {
            let partitions = u32::try_from(image.partitions.len()).expect("fewer than 2^32 partitions in a topic");
            StoredMap::Count { topic, id: image.id, partitions }
        })
        .collect()
}

/// What a map strategy finds where Kafka 4.0 was before: a map without racks.
pub(super) fn as_kafka_4_0_left_it(group: &GroupView<'_>, view: &View<'_>) -> Stored {
    Stored::Map(counts(group, view))
}
