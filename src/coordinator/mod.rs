//! The group coordinator of one lane: shards, groups, refreshes, patterns, and the log that they write.
//! It follows `GroupMetadataManager` (model: A.3 to A.6) and knows neither meters nor verdicts.

mod arrivals;
pub mod assignor;
mod core;
mod deployed;
mod due;
mod group;
mod heap;
mod holders;
mod live;
mod log;
mod member_record;
mod operations;
mod patterns;
mod reconcile;
mod record_type;
mod refresh;
mod share;
mod share_reason;
mod streams;
mod subscribed;
mod subscribers;

pub use core::{Coordinator, Setting};
pub use deployed::Deployed;
pub use due::Due;
pub use group::Group;
pub use heap::Heap;
pub use holders::{HOLDERS, Holders};
pub use log::{ByType, Log, TooLarge, Written};
pub use member_record::{MEMBER_ID, member_record};
pub use operations::{Operation, Outcome};
pub use reconcile::{MemberAssignment, OwnedPartition, Progress, Reconciliation, Target};
pub use record_type::RecordType;
pub use refresh::{Look, Recomputed, Renewal};
pub use subscribers::Subscribers;
