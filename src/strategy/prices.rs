//! What a refresh does and what a value takes, taken apart: the part of each topic's content, which is the same for
//! every group, and the part of the group. Together they are what [`Strategy::recompute`] counts and
//! [`Strategy::footprint`] says; for lanes that work a content out once and add up.

use crate::kafka::record::PartitionMetadata;
use crate::kafka::{GroupId, TopicId, heap};
use crate::scenario::{StrategyKind, StrategySpec};

use super::full_metadata::FullMetadata;
use super::hashes::{Take, TopicHashes};
use super::{Footprint, GroupView, Stored, UnregisteredReplica, View, Work, footprint, map};

/// A topic's part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TopicPrice {
    /// What taking it from the image takes.
    pub work: Work,
    /// Its hash, by a strategy that hashes.
    pub hash: u64,
    /// Its part of the map that is written, by a strategy that writes one.
    pub written: PartitionMetadata,
    /// Its part of what is held.
    pub held: Footprint,
}

/// Takes one strategy's refreshes apart.
pub struct Pricer {
    kind: StrategyKind,
    full: FullMetadata,
    hashes: TopicHashes,
}

impl Pricer {
    /// Of this strategy, one of those with a coordinator's shard to themselves.
    #[must_use]
    pub fn new(spec: &StrategySpec) -> Pricer {
        let switches = &spec.switches;
        Pricer { kind: spec.kind, full: FullMetadata::new(switches), hashes: TopicHashes::new(switches) }
    }

    /// A topic's part, if it exists.
    ///
    /// # Errors
    /// As [`Strategy::recompute`].
    pub fn topic(&mut self, topic: TopicId, view: &View<'_>) -> Result<Option<TopicPrice>, UnregisteredReplica> {
        let group = GroupView { group: GroupId(0), topics: &[topic] };
        let mut work = Work::default();
        let price = match self.kind {
            StrategyKind::FullMetadata => {
                let map: Box<[_]> = self.full.build(&group, view, &mut work)?.into();
                if map.is_empty() {
                    return Ok(None);
                }
                work.entries_compared = 1 + work.partitions_read;
                let written = map::written(&map, view.names);
                let held = footprint::of_full_metadata(&Stored::Map(map), view.names);
                TopicPrice { work, written, held: Footprint { maps: heap::TOPIC_METADATA, ..held }, hash: 0 }
            }
            StrategyKind::PartitionCount => {
                let map = map::counts(&group, view);
                if map.is_empty() {
                    return Ok(None);
                }
                work.entries_compared = 1;
                let held = Footprint { maps: heap::TOPIC_METADATA_PLAIN, ..Footprint::default() };
                TopicPrice { work, written: map::written(&map, view.names), held, hash: 0 }
            }
            StrategyKind::TopicHash | StrategyKind::GroupHash | StrategyKind::GroupHashUncached => {
                let mut found = Vec::new();
                self.hashes.of_group(&group, view, Take::Fresh, &mut work, &mut found)?;
                let Some(&(_, hash)) = found.first() else { return Ok(None) };
                let (mut written, mut held) = (PartitionMetadata::default(), Footprint::default());
                if self.kind == StrategyKind::TopicHash {
                    written.hashed(view.names.topic(topic).text.len() as u64);
                    held.hashes = heap::TOPIC_METADATA;
                }
                TopicPrice { work, hash, written, held }
            }
            StrategyKind::DeltaFlag | StrategyKind::AsDeployed | StrategyKind::ClassicClient => {
                return Ok(view.image.topic(topic).map(|_| TopicPrice::default()));
            }
        };
        Ok(Some(price))
    }

    /// What a refresh does besides, of a group with so many topics that exist.
    #[must_use]
    pub fn group_work(&mut self, topics: usize) -> Work {
        let mut work = Work::default();
        match self.kind {
            StrategyKind::TopicHash => work.entries_compared = topics as u64,
            StrategyKind::GroupHash | StrategyKind::GroupHashUncached => {
                self.hashes.combine(&vec![1; topics], &mut work);
                work.entries_compared = 1;
            }
            StrategyKind::FullMetadata
            | StrategyKind::PartitionCount
            | StrategyKind::DeltaFlag
            | StrategyKind::AsDeployed
            | StrategyKind::ClassicClient => {}
        }
        work
    }

    /// The hash that is stored for a group of topics with these, by a strategy that stores one.
    pub fn group_hash(&mut self, hashes: &[u64]) -> Option<u64> {
        match self.kind {
            StrategyKind::GroupHash | StrategyKind::GroupHashUncached => {
                Some(self.hashes.combine(hashes, &mut Work::default()))
            }
            _ => None,
        }
    }

    /// What a group holds besides, by the hash codes of the names of its topics that exist.
    #[must_use]
    pub fn group_held(&self, names: impl ExactSizeIterator<Item = i32>) -> Footprint {
        let none = Footprint::default();
        match self.kind {
            StrategyKind::FullMetadata | StrategyKind::PartitionCount | StrategyKind::TopicHash => {
                Footprint { maps: heap::timeline_map(names), ..none }
            }
            StrategyKind::GroupHash | StrategyKind::GroupHashUncached => footprint::of_group_hash(&Stored::Hash(1)),
            StrategyKind::DeltaFlag => Footprint { flags: footprint::FLAG, ..none },
            StrategyKind::AsDeployed | StrategyKind::ClassicClient => none,
        }
    }
}
