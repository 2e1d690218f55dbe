//! What of Java's own arithmetic the coordinator's behaviour rests on: a string's hash code, and the shard
//! that a group's name falls to.

use super::ShardId;

/// `String.hashCode()`: over UTF-16 code units, wrapping.
#[must_use]
pub fn string_hash(text: &str) -> i32 {
    text.encode_utf16().fold(0i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)))
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
