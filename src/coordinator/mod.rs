//! The group coordinator of one lane: shards, groups, refreshes, patterns, and the log that they write.
//! It follows `GroupMetadataManager` (model: A.3 to A.6) and knows neither meters nor verdicts.

pub mod assignor;
mod core;
mod group;
mod heap;
mod log;
mod operations;
mod patterns;
mod refresh;
mod subscribers;

pub use core::{Coordinator, Due, Setting};
pub use group::Group;
pub use heap::Heap;
pub use log::Log;
pub use operations::{Operation, Outcome};
pub use refresh::{Look, Recomputed, Renewal};
pub use subscribers::Subscribers;
