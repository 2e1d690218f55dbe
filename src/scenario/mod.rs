//! What people write, and what it means: the scenario language. A scenario file may be wrong; a
//! [`Scenario`] cannot be, as far as the file alone tells.

mod assign;
mod client;
mod diagnostics;
mod entry;
mod expect;
mod happened;
mod import;
mod meant;
mod read;
mod schema;
mod similar;
mod strategies;
mod template;
mod words;
mod yaml;

#[cfg(test)]
mod tests;

pub use assign::{AssignFile, AssignMember, AssignPlace, AssignTopic};
pub use client::{ClientRack, ClientSwitches, OfflineRack, PatternRejoin, Snapshot, StaticLeader, Watches};
pub use diagnostics::{Diagnostics, Problem, Source};
pub use entry::{Entry, Grow, Moves, Pick, Place, RollOrder, ShardPick, StartHow, Verb, When, Within, Word};
pub use expect::{Expectation, Held, HeldColumn, METRICS, MetricRef, Tolerance};
pub use happened::{HappenedFile, LogWindow, Since};
pub use import::{ImportOptions, Imported, import};
pub use meant::{
    Broker, Cluster, Coordinators, Group, GroupSpec, IsrDeltas, LoadTime, Member, Members, Phase, Scenario, Span,
    Start, Topic, TopicPick,
};
pub use read::{
    Axis, Loaded, default_strategies, load, load_assign, load_assign_text, load_over, load_text, strategy_by_word,
};
pub use schema::schema;
pub(crate) use similar::hint;
pub use strategies::{
    Cache, FlagReading, HashKind, Order, REFRESH_INTERVAL, RackReading, Rehash, ShareRules, StrategyKind, StrategySpec,
    Switches, Trigger, Unregistered,
};
pub use template::template;
pub use words::glob_matches;
