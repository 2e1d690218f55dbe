//! Draft 000's hash to the bit (model: C.1): sums and multiples of 63 over Kafka Streams'
//! `Murmur3.hash64`, which comes from Hive and is *not* half of MurmurHash3 x64 128. Since the racks'
//! hashes are only summed, it depends on nothing but the id's 32-bit hash, the name, the partition count
//! and how many partitions have each rack: racks swapped between partitions go unseen.

use crate::kafka::{NameTable, Uuid};

use super::murmur3::finish;
use super::{Hashed, Stream, TopicContent};

const SEED: u64 = 104_729;
const C1: u64 = 0x87c3_7b91_1142_53d5;
const C2: u64 = 0x4cf5_ad43_2745_937f;
const N1: u64 = 0x52dc_e729;

/// A topic's hash. The draft takes racks as sets; with `racks: multiset` each replica's rack is added.
pub fn topic(content: &TopicContent<'_>, names: &NameTable) -> Hashed {
    let mut sum = Hashed::default();
    let mut take = |bytes: &[u8]| {
        sum.bytes += bytes.len() as u64;
        sum.calls += 1;
        hash64(bytes)
    };
    let id = content.id.map_or(0, |id| i64::from(uuid_hash_code(id)).cast_unsigned());
    let head = times_63(id).wrapping_add(take(content.name.text.as_bytes()));
    let head = times_63(head).wrapping_add(take(&content.racks.partitions().to_be_bytes()));
    let mut hash = times_63(head);
    for (partition, racks) in (0u32..).zip(content.racks.iter()) {
        hash = hash.wrapping_add(times_63(take(&partition.to_be_bytes())));
        for &rack in racks {
            hash = hash.wrapping_add(take(names.rack(rack).text.as_bytes()));
        }
    }
    Hashed { hash, ..sum }
}

/// A group's hash: [`hash64`] of its topics' hashes in the order given; none: 0, and nothing is hashed.
pub fn group(hashes: &[u64], stream: &mut Stream) -> Hashed {
    if hashes.is_empty() {
        return Hashed::default();
    }
    let bytes = stream.group(hashes);
    Hashed { hash: hash64(bytes), bytes: bytes.len() as u64, calls: 1 }
}

fn times_63(value: u64) -> u64 {
    value.wrapping_mul(63)
}

/// `Murmur3.hash64(byte[])`. Java's overloads for int and long equal this over big-endian bytes.
#[must_use]
pub fn hash64(bytes: &[u8]) -> u64 {
    seeded(bytes, SEED)
}

fn seeded(bytes: &[u8], seed: u64) -> u64 {
    let scrambled = |block: u64| block.wrapping_mul(C1).rotate_left(31).wrapping_mul(C2);
    let (blocks, tail) = bytes.as_chunks::<8>();
    let mut h = seed;
    for block in blocks {
        h = (h ^ scrambled(u64::from_le_bytes(*block))).rotate_left(27).wrapping_mul(5).wrapping_add(N1);
    }
    if !tail.is_empty() {
        let last = tail.iter().rev().fold(0, |block, &byte| block << 8 | u64::from(byte));
        h ^= scrambled(last);
    }
    finish(h ^ bytes.len() as u64)
}

/// `Uuid.hashCode()`: 32 bits, the same when both halves change places.
#[must_use]
pub const fn uuid_hash_code(id: Uuid) -> i32 {
    let both = id.msb ^ id.lsb;
    #[expect(clippy::cast_possible_truncation, reason = "Java's (int)(x >> 32) ^ (int) x")]
    let folded = (both >> 32) as u32 ^ both as u32;
    folded.cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_seed_gives_the_value_of_kafkas_own_class() {
        assert_eq!(seeded(b"foobar", 123).cast_signed(), -7_243_943_097_944_249_004);
    }
}
