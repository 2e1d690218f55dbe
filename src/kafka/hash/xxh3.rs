//! Kafka 4.1's hashes to the bit (model: C.3, C.4): XXH3-64, seed 0, over the bytes of [`Stream`].

use xxhash_rust::xxh3::xxh3_64;

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
    Hashed { hash: xxh3_64(bytes), bytes: bytes.len() as u64, calls: 1 }
}
