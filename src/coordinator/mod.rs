//! The group coordinator of one lane: shards, groups, refreshes, patterns, and the log that they write.

mod subscribers;

pub use subscribers::Subscribers;
