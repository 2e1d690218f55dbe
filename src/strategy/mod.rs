//! When to rebalance: the seam between the coordinator and its trigger. A strategy answers "does what
//! this group stands on differ now?" and says which records storing it would write. It gets no clock, no
//! chance and no meter, and never sees `world`.

mod api;

pub use api::{
    ChangedTopic, GroupView, Mark, Records, Stored, StoredMap, Strategy, TopicIndex, UnregisteredReplica, Verdict,
    View, Why, Work,
};
