//! A metadata delta: what one published image changes (`MetadataDelta`, `TopicsDelta`, `ClusterDelta`).
//! One per instant at which something reaches the coordinators; each part remembers the `history:`
//! entry it belongs to, so that causes and triggers can be told apart.

use crate::sim::Ms;

use super::{BrokerId, RackId, Replicas, TopicId, Uuid, Version};

/// A `history:` entry by its place in the scenario's list.
pub type EntryIndex = u32;

/// All that changes in one image. Topics and brokers each stand at most once, in order of id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MetadataDelta {
    /// The TopicsDelta.
    pub topics: Vec<TopicChange>,
    /// The ClusterDelta, in the order in which it happened (a broker may stand more than once).
    pub brokers: Vec<BrokerChange>,
}

impl MetadataDelta {
    /// Does it change nothing?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.topics.is_empty() && self.brokers.is_empty()
    }
}

/// A changed topic of a TopicsDelta.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicChange {
    /// Which.
    pub topic: TopicId,
    /// The entry that did it; of several in one delta the first in the scenario's order.
    pub entry: EntryIndex,
    /// What happened to it.
    pub event: TopicEvent,
}

/// What happens to a topic in one delta.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TopicEvent {
    /// It is gone; only for a topic that the base image had.
    Deleted,
    /// It is new, has a new id, or was replayed from a snapshot: the base image of this topic is empty and
    /// every partition is here (0 ..).
    Created {
        /// Its id.
        id: Uuid,
        /// All partitions, in order.
        partitions: Vec<PartitionChange>,
    },
    /// Partitions were touched or added (those beyond the base image's are new), in order of number.
    Changed {
        /// The touched ones, each with its full new registration.
        partitions: Vec<PartitionChange>,
    },
}

/// A partition's full new registration (`PartitionRegistration`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartitionChange {
    /// Its number.
    pub partition: u32,
    /// Replica list, adding ones included.
    pub replicas: Replicas,
    /// In-sync replicas, in the order of the replica list.
    pub isr: Replicas,
    /// The leader; `None`: nobody leads.
    pub leader: Option<BrokerId>,
    /// Replicas being added by a running reassignment.
    pub adding: Replicas,
    /// Replicas being removed by a running reassignment.
    pub removing: Replicas,
}

/// A broker's part of a ClusterDelta.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrokerChange {
    /// Which.
    pub broker: BrokerId,
    /// The entry that did it.
    pub entry: EntryIndex,
    /// What happened to it.
    pub event: BrokerEvent,
}

/// What happens to a broker in one delta.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BrokerEvent {
    /// RegisterBrokerRecord: new, or anew after a restart; fenced until unfenced.
    Registered {
        /// `broker.rack`.
        rack: Option<RackId>,
        /// Its release.
        version: Version,
        /// From here until it is in sync: its `unfence` and `catch_up` (the judge's patience grows by it); 0 for a
        /// broker that brings no replicas.
        in_sync_after: Ms,
    },
    /// UnregisterBrokerRecord.
    Unregistered,
    /// Fenced: stopped or lost.
    Fenced,
    /// Unfenced: serving again.
    Unfenced,
}
