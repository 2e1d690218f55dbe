//! What a reader makes of a topic: the ways in which lanes, and the truth, tell contents apart.

use crate::scenario::{HashKind, RackReading, StrategyKind, StrategySpec};

/// Number of deltas applied: 0 is the image at time 0.
pub type ImageNo = u32;

/// What a reader makes of a topic: two contents are one value if it cannot tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reading {
    /// Racks of a partition.
    pub racks: RackReading,
    /// Is the topic id part of it?
    pub ids: bool,
    /// Only model C.1's class: the id's 32-bit hash, the count, and for each rack the number of partitions with it.
    pub kip_class: bool,
}

impl Reading {
    /// The truth for a rack-aware group (model: K.5).
    pub const TRUTH: Reading = Reading { racks: RackReading::Set, ids: true, kip_class: false };
    /// The truth for a group that does not care for racks.
    pub const TRUTH_WITHOUT_RACKS: Reading = Reading { racks: RackReading::Ignored, ids: true, kip_class: false };

    /// A lane's own reading; `None` for a strategy that stores no value.
    #[must_use]
    pub fn of(spec: &StrategySpec) -> Option<Reading> {
        let switches = &spec.switches;
        let plain = Reading { racks: switches.racks, ids: switches.include_topic_id, kip_class: false };
        match spec.kind {
            StrategyKind::FullMetadata => Some(plain),
            StrategyKind::PartitionCount => Some(Reading { racks: RackReading::Ignored, ..plain }),
            StrategyKind::TopicHash | StrategyKind::GroupHash | StrategyKind::GroupHashUncached => {
                Some(Reading { kip_class: switches.hash == HashKind::KipDraft, ..plain })
            }
            // as-deployed: each release has its own; a classic group's coordinator keeps nothing
            StrategyKind::DeltaFlag | StrategyKind::AsDeployed | StrategyKind::ClassicClient => None,
        }
    }
}
