//! When to rebalance: the seam between the coordinator and its trigger. A strategy answers "does what
//! this group stands on differ now?" and says which records storing it would write. It gets no clock, no
//! chance and no meter, and never sees `world`.

mod api;
#[cfg(test)]
mod behaviour;
mod cache;
mod cost;
mod delta_flag;
#[cfg(test)]
mod equality;
#[cfg(test)]
mod fixture;
mod footprint;
mod full_metadata;
mod group_hash;
mod group_hash_uncached;
mod hashes;
mod map;
mod marks;
mod nothing;
mod partition_count;
mod prices;
mod racks;
pub mod registry;
#[cfg(test)]
mod switches;
mod topic_hash;
mod values;

pub use api::{
    ChangedTopic, GroupView, Records, Stored, StoredMap, Strategy, TopicIndex, UnregisteredReplica, Verdict, View, Why,
    Work,
};
pub use cost::cpu_model_ns;
pub use footprint::Footprint;
pub use map::metadata_value;
pub use nothing::Nothing;
pub use prices::{Pricer, TopicPrice};
pub use values::{SharedRacks, Values, Versions};
