//! The metadata image as a coordinator reads it: which topics exist with which replicas, and which
//! brokers are registered with which rack. Leaders and in-sync replicas are not in it: no trigger reads
//! them (model: B.1, racks come from `PartitionRegistration.replicas`).

use smallvec::SmallVec;

use super::{BrokerChange, BrokerEvent, BrokerId, MetadataDelta, PartitionChange, RackId, TopicEvent, TopicId, Uuid};

/// A partition's replica list, in Kafka's order (the first is the preferred leader).
pub type Replicas = SmallVec<[BrokerId; 4]>;

/// A topic that exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicImage {
    /// Its id.
    pub id: Uuid,
    /// The replica list of each partition, adding replicas included while a reassignment runs.
    pub partitions: Vec<Replicas>,
}

/// A registered broker, fenced or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registration {
    /// `broker.rack`, if it has one.
    pub rack: Option<RackId>,
}

/// The image: topics by [`TopicId`] and registrations by [`BrokerId`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MetadataImage {
    /// By [`TopicId`]; `None`: does not exist.
    pub topics: Vec<Option<TopicImage>>,
    /// By [`BrokerId`]; `None`: not registered.
    pub brokers: Vec<Option<Registration>>,
}

impl MetadataImage {
    /// The topic, if it exists.
    #[must_use]
    pub fn topic(&self, topic: TopicId) -> Option<&TopicImage> {
        self.topics.get(topic.index()).and_then(Option::as_ref)
    }

    /// The broker's registration, if it is registered.
    #[must_use]
    pub fn registration(&self, broker: BrokerId) -> Option<Registration> {
        self.brokers.get(broker.index()).copied().flatten()
    }

    /// Applies a delta, as `MetadataDelta.apply` does: topics and registrations.
    pub fn apply(&mut self, delta: &MetadataDelta) {
        for change in &delta.brokers {
            self.apply_broker(change);
        }
        for change in &delta.topics {
            let index = change.topic.index();
            if index >= self.topics.len() {
                self.topics.resize(index + 1, None);
            }
            let slot = &mut self.topics[index];
            match &change.event {
                TopicEvent::Deleted => *slot = None,
                TopicEvent::Created { id, partitions } => {
                    let partitions = partitions.iter().map(|p| p.replicas.clone()).collect();
                    *slot = Some(TopicImage { id: *id, partitions });
                }
                TopicEvent::Changed { partitions } => {
                    let topic = slot.as_mut().expect("only a topic that exists changes");
                    partitions.iter().for_each(|p| topic.set(p));
                }
            }
        }
    }

    fn apply_broker(&mut self, change: &BrokerChange) {
        let index = change.broker.index();
        if index >= self.brokers.len() {
            self.brokers.resize(index + 1, None);
        }
        match change.event {
            BrokerEvent::Registered { rack, .. } => self.brokers[index] = Some(Registration { rack }),
            BrokerEvent::Unregistered => self.brokers[index] = None,
            BrokerEvent::Fenced | BrokerEvent::Unfenced => {}
        }
    }
}

impl TopicImage {
    fn set(&mut self, change: &PartitionChange) {
        let index = change.partition as usize;
        if index == self.partitions.len() {
            self.partitions.push(change.replicas.clone());
        } else {
            self.partitions[index].clone_from(&change.replicas);
        }
    }
}
