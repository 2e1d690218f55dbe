//! A rebalance with its verdict, a missed change, and how many there are of each. Words: model K.5.

use crate::kafka::GroupId;
use crate::sim::Ms;
use crate::world::Origin;

/// The verdict on one rebalance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "model K.5 defines them")]
pub enum BumpVerdict {
    Membership,
    Needed,
    Late,
    /// Spurious, and no repeat.
    Spurious,
    /// Spurious, and a repeat.
    Repeat,
}

impl BumpVerdict {
    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            BumpVerdict::Membership => "membership",
            BumpVerdict::Needed => "needed",
            BumpVerdict::Late => "late",
            BumpVerdict::Spurious => "spurious",
            BumpVerdict::Repeat => "repeat",
        }
    }
}

/// Rebalances by verdict, and missed changes. rebalances = membership + needed + late + spurious.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "model K.5 defines them")]
pub struct Counts {
    pub membership: u64,
    pub needed: u64,
    pub late: u64,
    /// Repeats included.
    pub spurious: u64,
    pub repeat: u64,
    pub missed: u64,
}

impl Counts {
    /// All of them.
    #[must_use]
    pub const fn rebalances(&self) -> u64 {
        self.membership + self.needed + self.late + self.spurious
    }

    /// Books one rebalance.
    pub fn add(&mut self, verdict: BumpVerdict) {
        match verdict {
            BumpVerdict::Membership => self.membership += 1,
            BumpVerdict::Needed => self.needed += 1,
            BumpVerdict::Late => self.late += 1,
            BumpVerdict::Spurious => self.spurious += 1,
            BumpVerdict::Repeat => {
                self.spurious += 1;
                self.repeat += 1;
            }
        }
    }
}

/// One rebalance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bump {
    /// When.
    pub at: Ms,
    /// Whose.
    pub group: GroupId,
    /// The epoch it made.
    pub epoch: u32,
    /// The verdict.
    pub verdict: BumpVerdict,
    /// What changed.
    pub cause: Origin,
    /// What made it visible.
    pub trigger: Origin,
    /// Needed and late: since the oldest open change opened.
    pub delay: Option<Ms>,
    /// The hash stored with it, by a strategy that stores one.
    pub hash: Option<u64>,
}

/// A change that nobody was told of in time and that then closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MissedChange {
    /// When it opened.
    pub opened: Ms,
    /// Whose.
    pub group: GroupId,
    /// What changed.
    pub cause: Origin,
    /// The trigger of the membership bump that closed it; else its own cause.
    pub trigger: Origin,
}
