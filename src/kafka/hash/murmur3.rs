//! Our reading of draft 002's hash, which the draft does not fix (model: C.2, K.2): the first 64 bits of
//! MurmurHash3 x64 128, seed 0, over the same bytes that Kafka 4.1 hashes.
//!
//! The algorithm (Austin Appleby's, public domain) is written out here over a slice: the crate of that name reads
//! its input through a `Read`, block by block, and takes three times as long. It is the yardstick in the tests.

use crate::kafka::NameTable;

use super::{Hashed, Stream, TopicContent};

const C1: u64 = 0x87c3_7b91_1142_53d5;
const C2: u64 = 0x4cf5_ad43_2745_937f;

/// A topic's hash.
pub fn topic(content: &TopicContent<'_>, names: &NameTable, stream: &mut Stream) -> Hashed {
    once(stream.topic(content, names))
}

/// A group's hash over its topics' hashes in the order given; none: 0, and nothing is hashed.
pub fn group(hashes: &[u64], stream: &mut Stream) -> Hashed {
    if hashes.is_empty() { Hashed::default() } else { once(stream.group(hashes)) }
}

fn once(bytes: &[u8]) -> Hashed {
    Hashed { hash: first_half(bytes), bytes: bytes.len() as u64, calls: 1 }
}

/// The first 64 bits of MurmurHash3 x64 128 with seed 0.
fn first_half(bytes: &[u8]) -> u64 {
    let (blocks, tail) = bytes.as_chunks::<16>();
    let (mut h1, mut h2) = (0u64, 0u64);
    for block in blocks {
        let (k1, k2) = halves(block);
        h1 = (h1 ^ mixed_1(k1)).rotate_left(27).wrapping_add(h2).wrapping_mul(5).wrapping_add(0x52dc_e729);
        h2 = (h2 ^ mixed_2(k2)).rotate_left(31).wrapping_add(h1).wrapping_mul(5).wrapping_add(0x3849_5ab5);
    }
    let mut last = [0; 16];
    last[..tail.len()].copy_from_slice(tail);
    // a half without bytes is 0 and mixes to 0
    let (k1, k2) = halves(&last);
    let length = bytes.len() as u64;
    (h1, h2) = (h1 ^ mixed_1(k1) ^ length, h2 ^ mixed_2(k2) ^ length);
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    finish(h1).wrapping_add(finish(h2))
}

fn halves(block: &[u8; 16]) -> (u64, u64) {
    let both = u128::from_le_bytes(*block);
    #[expect(clippy::cast_possible_truncation, reason = "the block is cut into its two halves")]
    let halves = (both as u64, (both >> 64) as u64);
    halves
}

fn mixed_1(k: u64) -> u64 {
    k.wrapping_mul(C1).rotate_left(31).wrapping_mul(C2)
}

fn mixed_2(k: u64) -> u64 {
    k.wrapping_mul(C2).rotate_left(33).wrapping_mul(C1)
}

/// MurmurHash3's `fmix64`.
pub(super) fn finish(mut h: u64) -> u64 {
    h = (h ^ h >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    h = (h ^ h >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    h ^ h >> 33
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_bytes_hash_as_the_crate_hashes_them(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut reader = bytes.as_slice();
            let both = ::murmur3::murmur3_x64_128(&mut reader, 0).unwrap();
            prop_assert_eq!(u128::from(first_half(&bytes)), both & u128::from(u64::MAX));
        }
    }
}
