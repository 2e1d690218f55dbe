//! Which topics have a replica on which broker, as deltas come.

use crate::kafka::{BrokerId, MetadataDelta, MetadataImage, Replicas, TopicEvent, TopicId};

/// By broker its topics, by topic its brokers.
pub(super) struct BrokerTopics {
    /// By broker, in order of id.
    topics: Vec<Vec<TopicId>>,
    /// By topic: brokers, in order of id, with how many of its replicas each has.
    replicas: Vec<Vec<(BrokerId, u32)>>,
}

impl BrokerTopics {
    /// As an image has it, of so many topics.
    pub(super) fn new(image: &MetadataImage, topics: usize) -> BrokerTopics {
        let mut all = BrokerTopics { topics: Vec::new(), replicas: vec![Vec::new(); topics] };
        for topic in (0..topics).map(TopicId::at) {
            image.topic(topic).iter().flat_map(|t| &t.partitions).for_each(|replicas| all.put(topic, replicas));
        }
        all
    }

    /// Topics with a replica on a broker, in order of id.
    pub(super) fn on(&self, broker: BrokerId) -> &[TopicId] {
        self.topics.get(broker.index()).map_or(&[], Vec::as_slice)
    }

    /// A delta comes over an image. Takes as long as what it touches is large.
    pub(super) fn follow(&mut self, delta: &MetadataDelta, before: &MetadataImage) {
        for change in &delta.topics {
            let topic = change.topic;
            let base = before.topic(topic).map_or(&[][..], |base| &base.partitions);
            let (gone, come) = match &change.event {
                TopicEvent::Deleted => (base, &[][..]),
                TopicEvent::Created { partitions, .. } => (base, partitions.as_slice()),
                TopicEvent::Changed { partitions } => (&[][..], partitions.as_slice()),
            };
            let changes = matches!(change.event, TopicEvent::Changed { .. });
            // what comes first: a broker that has others of the topic stays in its place
            for partition in come {
                self.put(topic, &partition.replicas);
                if let Some(old) = base.get(partition.partition as usize).filter(|_| changes) {
                    self.take(topic, old);
                }
            }
            gone.iter().for_each(|replicas| self.take(topic, replicas));
        }
    }

    fn put(&mut self, topic: TopicId, replicas: &Replicas) {
        for &broker in replicas {
            let brokers = &mut self.replicas[topic.index()];
            match brokers.binary_search_by_key(&broker, |(b, _)| *b) {
                Ok(place) => brokers[place].1 += 1,
                Err(place) => {
                    brokers.insert(place, (broker, 1));
                    if broker.index() >= self.topics.len() {
                        self.topics.resize(broker.index() + 1, Vec::new());
                    }
                    let topics = &mut self.topics[broker.index()];
                    let place = topics.binary_search(&topic).expect_err("it was not there");
                    topics.insert(place, topic);
                }
            }
        }
    }

    fn take(&mut self, topic: TopicId, replicas: &Replicas) {
        for &broker in replicas {
            let brokers = &mut self.replicas[topic.index()];
            let place = brokers.binary_search_by_key(&broker, |(b, _)| *b).expect("it was there");
            brokers[place].1 -= 1;
            if brokers[place].1 == 0 {
                brokers.remove(place);
                let topics = &mut self.topics[broker.index()];
                let place = topics.binary_search(&topic).expect("it was there");
                topics.remove(place);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::load_text;
    use crate::world;

    #[test]
    fn what_follows_deltas_is_what_the_image_has() {
        let text = "
duration: 2h
brokers: 6
topics: {t: {count: 5, partitions: 7, rf: 2}, u: {partitions: 3}}
groups: {g: {members: 3, topics: [t-*, u]}}
history:
  - roll: {at: 1m, gap: 1m, down: 20s}
  - add-partitions: {every: 7m, times: 9, topic: u, by: 2}
  - reassign: {at: 20m, topic: t-2, replicas: {0: [3, 4], 1: [5, 0], 2: [0, 1]}}
  - delete-topic: {at: 40m, topic: t-3}
  - create-topic: {at: 50m, topic: t-3, partitions: 4}
  - recreate-topic: {at: 60m, topic: t-4, gap: 1m}
strategies: [group-hash]
";
        let scenario = load_text("s", text, &[]).unwrap_or_else(|problems| panic!("{problems}")).scenario;
        let history = world::make(&scenario, 1).expect("it can happen");
        let topics = history.names.topics.len();
        let mut image = history.start.clone();
        let mut followed = BrokerTopics::new(&image, topics);
        assert!(history.deltas.len() > 30, "{}", history.deltas.len());
        for arrival in &history.deltas {
            followed.follow(&arrival.delta, &image);
            image.apply(&arrival.delta);
            let anew = BrokerTopics::new(&image, topics);
            assert_eq!(followed.replicas, anew.replicas);
            for broker in 0..followed.topics.len() {
                assert_eq!(followed.on(BrokerId::at(broker)), anew.on(BrokerId::at(broker)));
            }
        }
    }
}
