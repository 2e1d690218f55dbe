//! Bytes that the coordinator's objects take in a Java heap (model: E and K.6): JDK 17, 64 bits, compressed
//! pointers, objects aligned to 8. Shallow sizes were measured on Kafka's real classes. A table is priced at
//! its present number of entries, as if built with them: what a map that has shrunk keeps is left out.

/// A `TimelineLong`, `TimelineInteger` or `TimelineObject`.
pub const TIMELINE_VALUE: u64 = 24;
/// `TopicMetadata` with id, name, count and racks, or with a hash instead.
pub const TOPIC_METADATA: u64 = 32;
/// `TopicMetadata` with id, name and count only.
pub const TOPIC_METADATA_PLAIN: u64 = 24;
/// An entry of a `TimelineHashMap`.
pub const TIMELINE_ENTRY: u64 = 32;
/// A `HashMap` object, without its table.
const HASH_MAP: u64 = 48;
/// One of its nodes.
const NODE: u64 = 32;
/// A `HashSet`, an unmodifiable wrapper, a cached key set view, an `Integer`: a header and a field each.
const SMALL: u64 = 16;
/// A `Long`.
const LONG: u64 = 24;
/// What [`RackSets::Retained`] has around each partition's set that [`RackSets::Bare`] has not.
pub const RACK_SET_WRAPPERS: u64 = 2 * SMALL;
/// Integers below this come from Java's own cache and take nothing.
const CACHED_INTEGERS: u64 = 128;

/// Rounds up to a whole object.
#[must_use]
pub const fn align8(bytes: u64) -> u64 {
    bytes.next_multiple_of(8)
}

/// An `Object[]`.
#[must_use]
pub const fn object_array(slots: u64) -> u64 {
    align8(16 + 4 * slots)
}

/// A `String` with its bytes: one each for Latin-1, else two for each UTF-16 code unit.
#[must_use]
pub fn string(text: &str) -> u64 {
    let latin_1 = text.chars().all(|c| u32::from(c) <= 0xff);
    let bytes = if latin_1 { text.chars().count() } else { 2 * text.encode_utf16().count() };
    24 + align8(16 + bytes as u64)
}

/// A `java.util.HashMap`'s table: none if empty, at least 16 slots, doubled when more than three quarters full.
#[must_use]
pub const fn hash_map_table(entries: u64) -> u64 {
    if entries == 0 {
        return 0;
    }
    let mut slots = 16;
    while 4 * entries > 3 * slots {
        slots *= 2;
    }
    object_array(slots)
}

/// A shard's cache of topic hashes: a `HashMap<String, Long>`, names shared with the image.
#[must_use]
pub const fn hash_cache(topics: u64) -> u64 {
    HASH_MAP + hash_map_table(topics) + topics * (NODE + LONG)
}

/// How a partition's rack set is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RackSets {
    /// As the 3.9 branch does after a replay and a comparison: wrapped unmodifiable, with the key set view that
    /// iterating it leaves behind. The 654,400 bytes published for 2,000 partitions are this with 3 racks.
    Retained,
    /// The bare `HashSet`, as a recomputation builds it; garbage unless it is kept. The same 654,400 bytes fit
    /// this with 4 racks.
    Bare,
}

/// A topic's `partitionRacks`: a `HashMap<Integer, Set<String>>`, the rack names themselves shared. `racks`: how
/// many racks each partition has, by number; a partition without one has no entry.
pub fn partition_racks(racks: impl IntoIterator<Item = u64>, sets: RackSets) -> u64 {
    let around = match sets {
        RackSets::Retained => RACK_SET_WRAPPERS,
        RackSets::Bare => 0,
    };
    let (mut entries, mut bytes) = (0, HASH_MAP);
    for (partition, racks) in (0u64..).zip(racks) {
        if racks > 0 {
            let set = SMALL + HASH_MAP + hash_map_table(racks) + NODE * racks;
            let key = if partition < CACHED_INTEGERS { 0 } else { SMALL };
            entries += 1;
            bytes += NODE + key + around + set;
        }
    }
    bytes + hash_map_table(entries)
}

/// A `TimelineHashMap` and its entries, without what they refer to, by its keys' hash codes.
pub fn timeline_map(hashes: impl ExactSizeIterator<Item = i32>) -> u64 {
    TIMELINE_ENTRY * hashes.len() as u64 + timeline_table(hashes)
}

/// A `TimelineHashSet` and its entries, without the elements, by their hash codes.
pub fn timeline_set(hashes: impl ExactSizeIterator<Item = i32>) -> u64 {
    const ENTRY: u64 = 24;
    ENTRY * hashes.len() as u64 + timeline_table(hashes)
}

/// `groupsByTopics`: a timeline map from a topic's name to a timeline set of groups. For each topic that somebody
/// watches, the set's bytes ([`timeline_set`] over its groups) come on top of this.
pub fn topic_index(topics: impl ExactSizeIterator<Item = i32>, sets: impl IntoIterator<Item = u64>) -> u64 {
    timeline_map(topics) + sets.into_iter().sum::<u64>()
}

/// The object, its table, and an array for each slot that more than one entry falls to.
fn timeline_table(hashes: impl ExactSizeIterator<Item = i32>) -> u64 {
    const OBJECT: u64 = 24;
    let slots = timeline_slots(hashes.len() as u64);
    let bits = slots.trailing_zeros();
    let mut taken: Vec<u64> = hashes.map(|hash| slot(hash, bits)).collect();
    taken.sort_unstable();
    let shared = taken.chunk_by(|a, b| a == b).map(|slot| slot.len() as u64).filter(|&entries| entries > 1);
    OBJECT + object_array(slots) + shared.map(object_array).sum::<u64>()
}

/// Starts at 2 and doubles before an insertion that would leave more than four thirds of an entry a slot.
const fn timeline_slots(entries: u64) -> u64 {
    let mut slots = 2;
    while 3 * entries > 4 * slots {
        slots *= 2;
    }
    slots
}

/// Fibonacci hashing of the sign-extended hash code.
const fn slot(hash: i32, bits: u32) -> u64 {
    let spread = (hash as i64).cast_unsigned().wrapping_mul(0x9E37_79B9_7F4A_7C15);
    spread >> (64 - bits)
}

#[cfg(test)]
mod tests {
    use super::super::java::string_hash;
    use super::*;

    fn codes(kind: &str, count: u64) -> Vec<i32> {
        (0..count).map(|i| string_hash(&format!("{kind}-{i}"))).collect()
    }

    fn map_of(topics: u64) -> u64 {
        timeline_map(codes("topic", topics).into_iter())
    }

    #[test]
    fn timeline_maps_collide_as_measured() {
        for (n, slots, collisions) in [(10, 8, 120), (100, 128, 440), (1000, 1024, 6_880), (2000, 2048, 12_320)] {
            assert_eq!(map_of(n), 24 + align8(16 + 4 * slots) + 32 * n + collisions, "{n}");
        }
    }

    #[test]
    fn the_table_doubles_when_an_insertion_would_overfill_it() {
        // the rule of the class, insertion by insertion: before one, double if 0.75 · (size + 1) > slots
        let mut slots = 2u64;
        for size in 0..5_000u64 {
            assert_eq!(timeline_slots(size), slots, "{size}");
            if 3 * (size + 1) > 4 * slots {
                slots *= 2;
            }
        }
    }

    #[test]
    fn the_index_of_watchers_takes_what_was_measured() {
        let index = |topics, groups| {
            let set = timeline_set(codes("group", groups).into_iter());
            topic_index(codes("topic", topics).into_iter(), (0..topics).map(|_| set))
        };
        assert_eq!(index(1, 1), 152);
        assert_eq!(index(1, 100), 3_392);
        assert_eq!(index(1000, 10), 427_016);
    }

    #[test]
    fn two_thousand_partitions_hold_654_400_bytes_of_racks_in_two_layouts() {
        assert_eq!(partition_racks([3; 2000], RackSets::Retained), 654_400);
        assert_eq!(partition_racks([4; 2000], RackSets::Bare), 654_400);
        assert_eq!(20 * partition_racks([3; 100], RackSets::Retained), 629_760);
        // by the model's formula, with a table of 4,096 slots
        assert_eq!(48 + align8(16 + 4 * 4096) + 16 * (2000 - 128) + 2000 * (208 + 32 * 3), 654_400);
    }

    #[test]
    fn partitions_without_racks_have_no_entry() {
        assert_eq!(partition_racks([0; 2000], RackSets::Retained), 48);
        // the one racked partition is number 200: its Integer is no shared one
        let racks = (0..300).map(|p| u64::from(p == 200));
        assert_eq!(partition_racks(racks, RackSets::Retained), 48 + 80 + 16 + 208 + 32);
    }

    #[test]
    fn the_cache_of_a_thousand_topics_holds_64_256_bytes() {
        assert_eq!(hash_cache(1000), 64_256);
        assert_eq!(hash_cache(0), 48);
    }

    #[test]
    fn strings_take_a_byte_a_character_while_they_are_latin() {
        assert_eq!(string("us-east-1a"), 56);
        assert_eq!(string("café"), 24 + 24);
        assert_eq!(string("ラック"), 24 + 24);
        assert_eq!(string("ラック1"), 24 + 24);
        assert_eq!(string("ラック12"), 24 + 32);
    }
}
