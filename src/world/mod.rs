//! The processes that make history, and the history they make. The only place that draws.

mod heartbeats;
mod history;
mod origin;
#[cfg(test)]
pub(crate) mod sketch;

pub use heartbeats::{Beat, Heartbeats};
pub use history::{
    Arrival, Event, GroupHistory, Happening, History, MemberHistory, Names, Presence, RefusedOperation, ShardLine, Step,
};
pub use origin::Origin;
