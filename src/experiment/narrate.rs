//! A history in words: what a delta did to a topic or a broker, as people who run Kafka say it.

use crate::kafka::{BrokerEvent, BrokerId, MetadataDelta, PartitionChange, RackId, Replicas, TopicEvent, TopicId};
use crate::metrics::ImageNo;
use crate::sim::Ms;
use crate::world::History;

/// Tells what happened.
pub struct Narrator<'a> {
    history: &'a History,
}

impl<'a> Narrator<'a> {
    /// Of this history.
    #[must_use]
    pub fn new(history: &'a History) -> Narrator<'a> {
        Narrator { history }
    }

    /// When an image arrived (0 for the one at time 0).
    #[must_use]
    pub fn arrived(&self, image: ImageNo) -> Ms {
        (image as usize).checked_sub(1).map_or(Ms::ZERO, |index| self.history.deltas[index].at)
    }

    /// The last image at or before `at`.
    #[must_use]
    pub fn image_at(&self, at: Ms) -> ImageNo {
        let images = self.history.deltas.partition_point(|d| d.at <= at);
        ImageNo::try_from(images).expect("deltas fit 32 bits")
    }

    /// What an image changed that these topics stand on: the brokers first, then the topics.
    #[must_use]
    pub fn change(&self, image: ImageNo, topics: &[TopicId]) -> String {
        let Some(index) = (image as usize).checked_sub(1) else { return "start".into() };
        let delta = &self.history.deltas[index].delta;
        let mut parts = self.brokers(delta, index);
        if parts.is_empty() {
            parts = self.topics(index, topics);
        }
        if parts.is_empty() { "nothing of its topics".into() } else { listed(&parts, 2) }
    }

    /// What an image changed of these topics: `ISR expand t-4 (delta 812, leader 9)`.
    #[must_use]
    pub fn visible(&self, image: ImageNo, topics: &[TopicId]) -> String {
        let Some(index) = (image as usize).checked_sub(1) else { return "start".into() };
        let mut parts = self.topics(index, topics);
        if parts.is_empty() {
            parts = self.brokers(&self.history.deltas[index].delta, index);
        }
        let leader = self.leader(index, topics).map_or(String::new(), |b| format!(", leader {}", b.0));
        format!("{} (delta {image}{leader})", listed(&parts, 2))
    }

    fn brokers(&self, delta: &MetadataDelta, index: usize) -> Vec<String> {
        let rack = |r: Option<RackId>| r.map_or("no rack", |r| &self.history.names.racks[r.index()]).to_owned();
        let word = |change: &crate::kafka::BrokerChange| match change.event {
            BrokerEvent::Registered { rack: new, .. } => match self.rack_before(change.broker, index) {
                None => Some(format!("broker {} is added, {}", change.broker.0, rack(new))),
                Some(old) if old == new => None,
                Some(old) => Some(format!("broker {} returns, {} → {}", change.broker.0, rack(old), rack(new))),
            },
            BrokerEvent::Unregistered => Some(format!("broker {} is unregistered", change.broker.0)),
            BrokerEvent::Fenced | BrokerEvent::Unfenced => None,
        };
        delta.brokers.iter().filter_map(word).collect()
    }

    /// The rack that a broker had before a delta; none if it was not registered.
    fn rack_before(&self, broker: BrokerId, index: usize) -> Option<Option<RackId>> {
        let earlier = self.history.deltas[..index].iter().rev().flat_map(|d| d.delta.brokers.iter().rev());
        for change in earlier.filter(|c| c.broker == broker) {
            match change.event {
                BrokerEvent::Registered { rack, .. } => return Some(rack),
                BrokerEvent::Unregistered => return None,
                BrokerEvent::Fenced | BrokerEvent::Unfenced => {}
            }
        }
        self.history.start.registration(broker).map(|r| r.rack)
    }

    fn topics(&self, index: usize, topics: &[TopicId]) -> Vec<String> {
        let delta = &self.history.deltas[index].delta;
        let ours = delta.topics.iter().filter(|c| topics.contains(&c.topic));
        ours.map(|c| format!("{} {}", self.deed(index, c.topic, &c.event), self.name(c.topic))).collect()
    }

    fn name(&self, topic: TopicId) -> &str {
        &self.history.names.topics[topic.index()]
    }

    fn deed(&self, index: usize, topic: TopicId, event: &TopicEvent) -> &'static str {
        let partitions = match event {
            TopicEvent::Deleted => return "deletion of",
            TopicEvent::Created { .. } => return "creation of",
            TopicEvent::Changed { partitions } => partitions,
        };
        let mut deed = "change of";
        for partition in partitions {
            let Some(before) = self.before(index, topic, partition.partition) else { return "new partitions of" };
            if before.replicas != partition.replicas {
                let starts = !partition.adding.is_empty() || !partition.removing.is_empty();
                return if starts { "reassignment starts of" } else { "reassignment of" };
            }
            deed = match partition.isr.len().cmp(&before.isr.len()) {
                std::cmp::Ordering::Greater => "ISR expand",
                std::cmp::Ordering::Less => "ISR shrink",
                std::cmp::Ordering::Equal if partition.leader != before.leader => "new leader of",
                std::cmp::Ordering::Equal => deed,
            };
        }
        deed
    }

    /// A partition's registration before a delta; none if it did not exist.
    fn before(&self, index: usize, topic: TopicId, partition: u32) -> Option<PartitionChange> {
        for arrival in self.history.deltas[..index].iter().rev() {
            let Ok(place) = arrival.delta.topics.binary_search_by_key(&topic, |c| c.topic) else { continue };
            match &arrival.delta.topics[place].event {
                TopicEvent::Deleted => return None,
                TopicEvent::Created { partitions, .. } => return partitions.get(partition as usize).cloned(),
                TopicEvent::Changed { partitions } => {
                    if let Some(found) = partitions.iter().find(|p| p.partition == partition) {
                        return Some(found.clone());
                    }
                }
            }
        }
        let replicas = self.history.start.topic(topic)?.partitions.get(partition as usize)?.clone();
        let leader = replicas.first().copied();
        let none = Replicas::new;
        Some(PartitionChange { partition, isr: replicas.clone(), replicas, leader, adding: none(), removing: none() })
    }

    /// The leader of the first touched partition of these topics.
    fn leader(&self, index: usize, topics: &[TopicId]) -> Option<BrokerId> {
        let ours = self.history.deltas[index].delta.topics.iter().find(|c| topics.contains(&c.topic))?;
        match &ours.event {
            TopicEvent::Changed { partitions } => partitions.first()?.leader,
            TopicEvent::Deleted | TopicEvent::Created { .. } => None,
        }
    }
}

/// The first few, and how many more.
fn listed(parts: &[String], most: usize) -> String {
    let shown = parts.iter().take(most).cloned().collect::<Vec<_>>().join("; ");
    match parts.len().saturating_sub(most) {
        0 => shown,
        more => format!("{shown}; {more} more"),
    }
}
