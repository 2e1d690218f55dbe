//! From a strategy as meant to the thing that decides.

use crate::scenario::{StrategyKind, StrategySpec};

use super::Strategy;
use super::delta_flag::DeltaFlag;
use super::full_metadata::FullMetadata;
use super::group_hash::GroupHash;
use super::group_hash_uncached::group_hash_uncached;
use super::partition_count::PartitionCount;
use super::topic_hash::TopicHash;

/// A new value for one shard: caches empty, flags down.
#[must_use]
pub fn make(spec: &StrategySpec) -> Box<dyn Strategy> {
    let switches = &spec.switches;
    match spec.kind {
        StrategyKind::FullMetadata => Box::new(FullMetadata::new(switches)),
        StrategyKind::PartitionCount => Box::new(PartitionCount::new(switches)),
        StrategyKind::TopicHash => Box::new(TopicHash::new(switches)),
        StrategyKind::GroupHash => Box::new(GroupHash::new(switches)),
        StrategyKind::GroupHashUncached => Box::new(group_hash_uncached(switches)),
        StrategyKind::DeltaFlag => Box::new(DeltaFlag::new(switches)),
        StrategyKind::AsDeployed => unreachable!("a shard runs one release: StrategySpec::by_release"),
        StrategyKind::ClassicClient => unreachable!("no coordinator decides in a classic group"),
    }
}
