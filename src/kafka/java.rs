//! What of Java's own arithmetic the coordinator's behaviour rests on: a string's hash code, and the shard
//! that a group's name falls to.

use super::{ShardId, Uuid};

/// `String.hashCode()`: over UTF-16 code units, wrapping.
#[must_use]
pub fn string_hash(text: &str) -> i32 {
    text.encode_utf16().fold(0i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)))
}

/// The order in which a `HashMap` or `HashSet` that these were put into one by one walks them, as places in the list: by
/// bucket, and as they came within one.
#[must_use]
pub fn hash_map_order(hashes: &[i32]) -> Vec<usize> {
    let mut buckets: u32 = 16;
    while u64::from(buckets) * 3 < hashes.len() as u64 * 4 {
        buckets *= 2;
    }
    let bucket = |place: usize| {
        let hash = hashes[place].cast_unsigned();
        (hash ^ (hash >> 16)) & (buckets - 1)
    };
    let mut order: Vec<usize> = (0..hashes.len()).collect();
    order.sort_by_key(|&place| bucket(place));
    order
}

/// The hash code of Kafka's `Uuid`.
#[must_use]
pub const fn uuid_hash(id: Uuid) -> i32 {
    let both = id.msb ^ id.lsb;
    #[allow(clippy::cast_possible_truncation, reason = "Java takes the low half of each")]
    let hash = (both >> 32) as u32 ^ both as u32;
    hash.cast_signed()
}

/// The shard of a group, of so many: `Utils.abs(groupId.hashCode()) % partitions` (model: A.1). Kafka's own `abs`
/// takes the one number that has no positive twin to 0.
///
/// # Panics
/// If there are no shards.
#[must_use]
pub fn shard_of(group: &str, shards: u32) -> ShardId {
    assert!(shards > 0, "a cluster has at least one coordinator shard");
    let positive = string_hash(group).checked_abs().unwrap_or(0);
    ShardId(positive.unsigned_abs() % shards)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_hash_as_in_java() {
        // the first three stand in Java's own documentation and textbooks; the last has a surrogate pair
        for (text, hash) in [("", 0), ("a", 97), ("hello", 99_162_322), ("\u{1f600}", 55_357 * 31 + 56_832)] {
            assert_eq!(string_hash(text), hash, "{text}");
        }
        // Σ unit · 31^(n−1−i), by the definition
        let text = "group-αβγ-1234567";
        let units: Vec<u16> = text.encode_utf16().collect();
        let sum = units.iter().rev().zip(0u32..).map(|(&u, i)| u64::from(u).wrapping_mul(31u64.wrapping_pow(i)));
        let sum = sum.fold(0u64, u64::wrapping_add);
        assert_eq!(u64::from(string_hash(text).cast_unsigned()), sum & 0xffff_ffff);
    }

    #[test]
    fn a_hash_map_is_walked_by_bucket() {
        // Map.of of one letter each: their codes are their numbers, 97 % 16 = 1 and so on
        let codes = |text: &str| text.chars().map(|c| string_hash(&c.to_string())).collect::<Vec<_>>();
        assert_eq!(hash_map_order(&codes("qab")), [0, 1, 2], "q and a share a bucket, and q came first");
        assert_eq!(hash_map_order(&codes("pcb")), [0, 2, 1]);
        // thirteen need 32 buckets: 0 and 16 are apart
        let many: Vec<i32> = (0..13).map(|i| if i == 0 { 16 } else { i }).collect();
        assert_eq!(hash_map_order(&many).last(), Some(&0));
        assert_eq!(uuid_hash(Uuid { msb: 1 << 32, lsb: 7 }), 6);
    }

    #[test]
    fn the_group_whose_hash_has_no_positive_twin_falls_to_shard_0() {
        let text = "polygenelubricants";
        assert_eq!(string_hash(text), i32::MIN);
        assert_eq!(shard_of(text, 50), ShardId(0));
        // "hello" and a negative one
        assert_eq!(shard_of("hello", 50), ShardId(22));
        assert_eq!(string_hash("consumer-group"), -1_738_392_088);
        assert_eq!(shard_of("consumer-group", 50), ShardId(38));
    }
}
