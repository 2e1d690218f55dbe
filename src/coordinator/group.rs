//! A group as its coordinator has it.

use crate::kafka::TopicId;
use crate::scenario::StrategyKind;
use crate::sim::Ms;
use crate::strategy::{Footprint, Stored};

use super::Subscribers;
use super::patterns::Patterns;
use super::share::ShareState;

/// A group's state in one lane.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// Does the coordinator know it?
    pub exists: bool,
    /// Its epoch.
    pub epoch: u32,
    /// Who subscribes to what.
    pub subscribers: Subscribers,
    /// What it is subscribed to, in Java's order of names.
    pub topics: Vec<TopicId>,
    /// What the log keeps of its metadata.
    pub stored: Stored,
    /// Which trigger wrote that (nobody, where a scenario says `stored: absent`).
    pub stored_by: Option<StrategyKind>,
    /// When it must look again in any case.
    pub deadline: Ms,
    /// Its patterns, if it ever had one.
    pub patterns: Option<Box<Patterns>>,
    /// Is its map in the log? (A new group's empty one is not.)
    pub map_logged: bool,
    /// Was its stored value read from the log since it was last written?
    pub loaded: bool,
    /// Has the list of its topics changed since its last rebalance?
    pub topics_changed: bool,
    /// Of a streams group: does its record say that its topology has been seen whole (4.2 and later)?
    pub(super) validated: bool,
    /// Of a share group: which partitions have a state, and who reads them.
    pub(super) share: Option<Box<ShareState>>,
    /// What its stored value takes by the heap model; strings only where it was loaded.
    pub(super) held: Footprint,
}

/// What an operation changes before it is known whether it fails.
pub(super) struct Before {
    exists: bool,
    subscribers: Subscribers,
    patterns: Option<Box<Patterns>>,
}

impl Group {
    pub(super) fn before(&self) -> Before {
        Before { exists: self.exists, subscribers: self.subscribers.clone(), patterns: self.patterns.clone() }
    }

    /// The operation failed: nothing has happened.
    pub(super) fn roll_back(&mut self, before: Before) {
        self.exists = before.exists;
        self.subscribers = before.subscribers;
        self.patterns = before.patterns;
    }
}
