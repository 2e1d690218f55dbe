//! What people write, and what it means: the scenario language. A scenario file may be wrong; a
//! [`Scenario`] cannot be, as far as the file alone tells.

mod entry;
mod meant;
mod strategies;

pub use entry::{Entry, Grow, Moves, Pick, Place, RollOrder, ShardPick, StartHow, Verb, When, Within, Word};
pub use meant::{
    Broker, Cluster, Coordinators, Group, IsrDeltas, LoadTime, Member, Members, Phase, Scenario, Span, Start, Topic,
    TopicPick,
};
pub use strategies::{
    Cache, FlagReading, HashKind, Order, REFRESH_INTERVAL, RackReading, Rehash, StrategyKind, StrategySpec, Switches,
    Trigger, Unregistered,
};
