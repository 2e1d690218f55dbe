//! What changes at one instant: gathered while it lasts, and published as one image when it is over
//! (model: A.1, several batches of the controller coalesce into one delta).

use std::collections::{BTreeMap, BTreeSet};

use crate::kafka::{
    BrokerChange, BrokerEvent, BrokerId, EntryIndex, MetadataDelta, PartitionChange, ShardId, TopicChange, TopicEvent,
    TopicId,
};
use crate::sim::Ms;

use super::controller::TopicState;

/// A shard whose partition of the offsets topic has another leader now, or that somebody moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ShardMove {
    /// Which.
    pub(super) shard: ShardId,
    /// Who leads it now.
    pub(super) leader: Option<BrokerId>,
    /// How long it loads, where that was given.
    pub(super) load: Option<Ms>,
    /// The entry behind it.
    pub(super) entry: EntryIndex,
}

/// A published image.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Published {
    /// When.
    pub(super) at: Ms,
    /// What coordinators see of it.
    pub(super) delta: MetadataDelta,
    /// Shards that move with it, in order.
    pub(super) shards: Vec<ShardMove>,
}

/// A topic that changed.
#[derive(Clone, Debug)]
struct Touched {
    entry: EntryIndex,
    existed: bool,
    anew: bool,
    partitions: BTreeSet<u32>,
}

/// What has changed since the last image.
#[derive(Clone, Debug, Default)]
pub(super) struct Instant {
    topics: BTreeMap<TopicId, Touched>,
    brokers: Vec<BrokerChange>,
    shards: BTreeMap<u32, ShardMove>,
}

impl Instant {
    fn touched(&mut self, topic: TopicId, existed: bool, entry: EntryIndex) -> &mut Touched {
        let new = || Touched { entry, existed, anew: false, partitions: BTreeSet::new() };
        let touched = self.topics.entry(topic).or_insert_with(new);
        touched.entry = touched.entry.min(entry);
        touched
    }

    /// A partition changed. `exists`: does its topic?
    pub(super) fn partition(&mut self, topic: TopicId, partition: u32, exists: bool, entry: EntryIndex) {
        self.touched(topic, exists, entry).partitions.insert(partition);
    }

    /// A topic was created, deleted or loaded anew. `existed`: before that.
    pub(super) fn topic(&mut self, topic: TopicId, existed: bool, anew: bool, entry: EntryIndex) {
        self.touched(topic, existed, entry).anew |= anew;
    }

    /// A broker's registration changed.
    pub(super) fn broker(&mut self, broker: BrokerId, event: BrokerEvent, entry: EntryIndex) {
        self.brokers.push(BrokerChange { broker, entry, event });
    }

    /// A shard moves.
    pub(super) fn shard(&mut self, shard: u32, leader: Option<BrokerId>, load: Option<Ms>, entry: EntryIndex) {
        self.shards.insert(shard, ShardMove { shard: ShardId(shard), leader, load, entry });
    }

    /// The image that is published at the end of the instant; `None` if nothing changed.
    pub(super) fn publish(&mut self, at: Ms, topics: &[TopicState]) -> Option<Published> {
        let Instant { topics: touched, brokers, shards } = std::mem::take(self);
        if touched.is_empty() && brokers.is_empty() && shards.is_empty() {
            return None;
        }
        let changes = touched.into_iter().filter_map(|(topic, touched)| {
            let event = touched.event(&topics[topic.index()])?;
            Some(TopicChange { topic, entry: touched.entry, event })
        });
        let delta = MetadataDelta { topics: changes.collect(), brokers };
        Some(Published { at, delta, shards: shards.into_values().collect() })
    }
}

impl Touched {
    /// What the instant did to the topic; `None`: created and deleted leaves no trace.
    fn event(&self, now: &TopicState) -> Option<TopicEvent> {
        let all = || (0u32..).zip(&now.partitions).map(|(number, p)| p.registration(number)).collect();
        if !now.exists {
            return self.existed.then_some(TopicEvent::Deleted);
        }
        if self.anew {
            return Some(TopicEvent::Created { id: now.id, partitions: all() });
        }
        let registration = |number: &u32| -> PartitionChange { now.partitions[*number as usize].registration(*number) };
        Some(TopicEvent::Changed { partitions: self.partitions.iter().map(registration).collect() })
    }
}
