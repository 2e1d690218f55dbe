//! The processes that make history, and the history they make. The only place that draws.

mod apply;
mod arrivals;
mod beat_timeline;
mod brokers;
mod cluster;
mod controller;
mod dictionary;
mod draws;
mod error;
mod fingerprint;
mod finish;
mod group_beats;
mod groups;
mod heartbeats;
mod history;
mod instant;
mod insync;
pub mod jsonl;
mod make;
mod member_entries;
mod members;
mod membership;
mod notes;
mod origin;
mod partition;
mod picks;
mod placement;
mod presences;
mod reassign;
mod recorded;
mod rolling;
mod roster;
mod rounds;
mod sessions;
mod sharding;
#[cfg(test)]
pub(crate) mod sketch;
mod starting;
mod subscriptions;
mod targets;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod topics;
mod whens;

pub use error::WorldError;
pub use heartbeats::{Beat, Heartbeats};
pub use history::{
    Arrival, Event, GroupHistory, Happening, History, MemberHistory, Names, Presence, RefusedOperation, ShardLine, Step,
};
pub use make::{MakeError, make, make_recorded};
pub use members::{MemberNames, Members};
pub use origin::Origin;
pub use presences::Presences;
pub use recorded::{Recorded, RecordedError};
pub use rounds::Rounds;
