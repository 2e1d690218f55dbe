//! The controller's state: brokers with their registrations, topics with their partitions, and what has
//! changed since the last image it published. Every change goes through here, so that each is published.

use std::collections::{BTreeMap, BTreeSet};

use crate::kafka::{
    BrokerEvent, BrokerId, EntryIndex, MetadataImage, RackId, Registration, TopicId, TopicImage, Uuid, Version,
};
use crate::sim::Ms;

use super::instant::Instant;
use super::partition::{Live, Partition};
use super::placement::Site;
use super::starting::{Planned, Starting};

/// A broker, registered or not.
#[derive(Clone, Debug, Default)]
pub(super) struct BrokerState {
    /// `broker.rack`: of its registration, or of the one it had.
    pub(super) rack: Option<RackId>,
    /// Its release.
    pub(super) version: Version,
    /// Is it registered?
    pub(super) registered: bool,
    /// Does its process run?
    pub(super) running: bool,
    /// Counts its stops and starts: what is planned for one of them is void after the next.
    pub(super) life: u64,
    /// The end of the session of a crashed process, until then.
    pub(super) session_end: Option<Ms>,
    /// A start that waits for that.
    pub(super) waiting: Option<Starting>,
    /// Partitions that it could not catch up with since nobody led them.
    pub(super) waits_for: BTreeSet<Planned>,
    /// The entry of its last start, and how long that takes to catch up.
    pub(super) started_by: EntryIndex,
    /// How long its last start takes to catch up.
    pub(super) catch_up: Ms,
    /// Did anything drawn have a hand in its state?
    pub(super) by_chance: bool,
}

/// A topic's name, existing or not.
#[derive(Clone, Debug, Default)]
pub(super) struct TopicState {
    /// Does it exist?
    pub(super) exists: bool,
    /// Counts its creations.
    pub(super) incarnation: u32,
    /// Its id.
    pub(super) id: Uuid,
    /// Its partitions; of one that does not exist, those it had.
    pub(super) partitions: Vec<Partition>,
    /// Did anything drawn have a hand in its state?
    pub(super) by_chance: bool,
}

/// The cluster as the controller sees it.
pub(super) struct Controller {
    /// Every broker that there ever was.
    pub(super) brokers: BTreeMap<BrokerId, BrokerState>,
    /// Which are live.
    pub(super) live: Live,
    /// By id; the offsets topic comes last.
    pub(super) topics: Vec<TopicState>,
    /// What changed at this instant.
    pub(super) instant: Instant,
}

impl Controller {
    /// An empty cluster with so many topic names.
    pub(super) fn new(topics: usize) -> Controller {
        let mut states = Vec::new();
        states.resize_with(topics + 1, TopicState::default);
        Controller { brokers: BTreeMap::new(), live: Live::default(), topics: states, instant: Instant::default() }
    }

    /// The offsets topic.
    pub(super) fn offsets(&self) -> TopicId {
        TopicId::at(self.topics.len() - 1)
    }

    /// The image as coordinators read it.
    pub(super) fn image(&self) -> MetadataImage {
        let topic = |t: &TopicState| {
            let partitions = t.partitions.iter().map(|p| p.replicas.clone()).collect();
            t.exists.then_some(TopicImage { id: t.id, partitions })
        };
        let topics = self.topics[..self.offsets().index()].iter().map(topic).collect();
        let len = self.brokers.keys().last().map_or(0, |last| last.index() + 1);
        let registration = |i| {
            let state = self.brokers.get(&BrokerId::at(i)).filter(|state| state.registered)?;
            Some(Registration { rack: state.rack })
        };
        MetadataImage { topics, brokers: (0..len).map(registration).collect() }
    }

    /// Where replicas can go.
    pub(super) fn sites(&self) -> Vec<Site> {
        let registered = self.brokers.iter().filter(|(_, state)| state.registered);
        registered.map(|(id, s)| Site { broker: *id, rack: s.rack, serving: self.live.has(*id) }).collect()
    }

    /// Did anything drawn have a hand in which brokers serve?
    pub(super) fn brokers_by_chance(&self) -> bool {
        self.brokers.values().any(|b| b.by_chance)
    }

    /// A partition that an entry is about to change (or touches only): it will be published.
    pub(super) fn change(&mut self, topic: TopicId, partition: u32, entry: EntryIndex) -> &mut Partition {
        let offsets = self.offsets();
        let state = &mut self.topics[topic.index()];
        if topic != offsets {
            self.instant.partition(topic, partition, state.exists, entry);
        }
        &mut state.partitions[partition as usize]
    }

    /// A topic that an entry creates, deletes, or loads anew from a snapshot. `existed`: before that.
    pub(super) fn change_topic(&mut self, topic: TopicId, existed: bool, anew: bool, entry: EntryIndex) {
        self.instant.topic(topic, existed, anew, entry);
    }

    /// Changes every partition for which `change` says that it did, with what it did to leaders noted.
    pub(super) fn change_where(
        &mut self,
        entry: EntryIndex,
        mut change: impl FnMut(TopicId, u32, &mut Partition, &Live) -> bool,
    ) {
        let offsets = self.offsets();
        for (index, topic) in self.topics.iter_mut().enumerate().filter(|(_, t)| t.exists) {
            let id = TopicId::at(index);
            for (number, partition) in (0u32..).zip(&mut topic.partitions) {
                let leader = partition.leader;
                if !change(id, number, partition, &self.live) {
                    continue;
                }
                if id != offsets {
                    self.instant.partition(id, number, true, entry);
                } else if partition.leader != leader {
                    self.instant.shard(number, partition.leader, None, entry);
                }
            }
        }
    }

    /// A broker leaves every ISR (but those where it is alone) and is fenced.
    pub(super) fn fence(&mut self, broker: BrokerId, entry: EntryIndex) {
        self.live.set(broker, false);
        self.change_where(entry, |_, _, partition, live| partition.stop(broker, live));
        self.instant.broker(broker, BrokerEvent::Fenced, entry);
    }

    /// A broker registers; it is fenced until it is unfenced.
    pub(super) fn register(&mut self, broker: BrokerId, start: &Starting) {
        let Starting { rack, version, .. } = *start;
        let state = self.brokers.entry(broker).or_default();
        (state.rack, state.version, state.registered) = (rack, version, true);
        let in_sync_after = start.unfence.after(start.catch_up);
        self.instant.broker(broker, BrokerEvent::Registered { rack, version, in_sync_after }, start.entry);
    }

    /// A broker serves again: what nobody led and what it is in sync with, it leads. Gives those partitions.
    pub(super) fn unfence(&mut self, broker: BrokerId, entry: EntryIndex) -> BTreeSet<(TopicId, u32)> {
        self.live.set(broker, true);
        self.instant.broker(broker, BrokerEvent::Unfenced, entry);
        let mut led = BTreeSet::new();
        self.change_where(entry, |topic, number, partition, live| {
            let leads = partition.leader.is_none() && partition.isr.contains(&broker) && partition.elect(live);
            if leads {
                led.insert((topic, number));
            }
            leads
        });
        led
    }

    /// A broker is no longer registered; replicas that it holds stay in their lists.
    pub(super) fn unregister(&mut self, broker: BrokerId, entry: EntryIndex) {
        if let Some(state) = self.brokers.get_mut(&broker) {
            state.registered = false;
        }
        self.instant.broker(broker, BrokerEvent::Unregistered, entry);
    }
}
