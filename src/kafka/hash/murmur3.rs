//! Our reading of draft 002's hash, which the draft does not fix (model: C.2, K.2): the first 64 bits of
//! MurmurHash3 x64 128, seed 0, over the same bytes that Kafka 4.1 hashes.

use crate::kafka::NameTable;

use super::{Hashed, Stream, TopicContent};

/// A topic's hash.
pub fn topic(content: &TopicContent<'_>, names: &NameTable, stream: &mut Stream) -> Hashed {
    once(stream.topic(content, names))
}

/// A group's hash over its topics' hashes in the order given; none: 0, and nothing is hashed.
pub fn group(hashes: &[u64], stream: &mut Stream) -> Hashed {
    if hashes.is_empty() { Hashed::default() } else { once(stream.group(hashes)) }
}

fn once(bytes: &[u8]) -> Hashed {
    let mut reader = bytes;
    let both = ::murmur3::murmur3_x64_128(&mut reader, 0).expect("a slice can always be read");
    #[expect(clippy::cast_possible_truncation, reason = "the first half is the low one")]
    let hash = both as u64;
    Hashed { hash, bytes: bytes.len() as u64, calls: 1 }
}
