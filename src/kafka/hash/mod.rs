//! The three topic hashes, and how each combines topic hashes into a group's (model: C and K.2).
//!
//! All take a topic's [`TopicContent`] as the lane read it: whether racks stand once or as often as
//! replicas have them, and whether the id counts, is decided before. So "set" and "multiset" are no
//! business of a hash here; Kafka 4.1's is [`xxh3`] over multisets, draft 000's [`kip_draft`] over sets.
//! Every function says how many bytes it gave to the hash function and in how many calls.

mod content;
pub mod kip_draft;
pub mod murmur3;
mod stream;
#[cfg(test)]
mod vectors;
pub mod xxh3;

pub use content::{RackLists, TopicContent};
pub use stream::Stream;

/// A hash, and what it took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hashed {
    /// The value, as Java's `long` seen without its sign.
    pub hash: u64,
    /// Bytes given to the hash function.
    pub bytes: u64,
    /// Calls of the hash function.
    pub calls: u64,
}
