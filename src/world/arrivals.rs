//! When images reach the coordinators: `metadata_lag` after they were published, never overtaking each other;
//! those that arrive together are merged into one (model: K.3).

use std::collections::BTreeMap;

use crate::kafka::{MetadataDelta, PartitionChange, TopicChange, TopicEvent, TopicId};
use crate::scenario::Span;
use crate::sim::{Chance, Ms};

use super::draws;
use super::history::Arrival;
use super::instant::{Published, ShardMove};

/// What arrives within the run.
#[derive(Debug, Default)]
pub(super) struct Arrivals {
    /// Deltas, in order of arrival; at most one for an instant.
    pub(super) deltas: Vec<Arrival>,
    /// Moves of shards, in order of arrival; of several of one shard at an instant only the last.
    pub(super) moves: Vec<(Ms, ShardMove)>,
}

/// Lets images arrive. `exists`: which topics the image at time 0 has.
pub(super) fn arrive(
    published: Vec<Published>,
    lag: Span<Ms>,
    chance: &Chance,
    duration: Ms,
    mut exists: Vec<bool>,
) -> Arrivals {
    let mut arrivals = Arrivals::default();
    let mut batch: Vec<Published> = Vec::new();
    let mut last = Ms::ZERO;
    for image in published {
        let mut stream = chance.stream("metadata-lag", &image.at.0.to_string());
        let at = image.at.after(draws::time(&mut stream, lag)).max(last);
        if at != last {
            arrivals.add(last, std::mem::take(&mut batch), &mut exists);
        }
        last = at;
        if at >= duration {
            return arrivals;
        }
        batch.push(image);
    }
    arrivals.add(last, batch, &mut exists);
    arrivals
}

impl Arrivals {
    fn add(&mut self, at: Ms, batch: Vec<Published>, exists: &mut [bool]) {
        let mut moves = BTreeMap::new();
        let mut topics = BTreeMap::new();
        let mut delta = MetadataDelta::default();
        for image in batch {
            delta.brokers.extend(image.delta.brokers);
            image.delta.topics.into_iter().for_each(|change| merge(&mut topics, change, exists));
            moves.extend(image.shards.into_iter().map(|shard| (shard.shard, shard)));
        }
        delta.topics = topics.into_values().collect();
        for change in &delta.topics {
            exists[change.topic.index()] = change.event != TopicEvent::Deleted;
        }
        if !delta.is_empty() {
            self.deltas.push(Arrival { at, delta });
        }
        self.moves.extend(moves.into_values().map(|shard| (at, shard)));
    }
}

/// A later change of a topic on top of an earlier one.
fn merge(topics: &mut BTreeMap<TopicId, TopicChange>, later: TopicChange, exists: &[bool]) {
    let topic = later.topic;
    let Some(earlier) = topics.remove(&topic) else {
        topics.insert(topic, later);
        return;
    };
    let event = match (earlier.event, later.event) {
        // created and deleted in one delta leaves no trace
        (_, TopicEvent::Deleted) if !exists[topic.index()] => return,
        (TopicEvent::Created { id, partitions }, TopicEvent::Changed { partitions: more }) => {
            TopicEvent::Created { id, partitions: newest(partitions, more) }
        }
        (TopicEvent::Changed { partitions }, TopicEvent::Changed { partitions: more }) => {
            TopicEvent::Changed { partitions: newest(partitions, more) }
        }
        (_, event @ (TopicEvent::Deleted | TopicEvent::Created { .. } | TopicEvent::Changed { .. })) => event,
    };
    topics.insert(topic, TopicChange { topic, entry: earlier.entry.min(later.entry), event });
}

/// Of every partition the newest registration, in order of number.
fn newest(old: Vec<PartitionChange>, new: Vec<PartitionChange>) -> Vec<PartitionChange> {
    let by_number: BTreeMap<u32, PartitionChange> = old.into_iter().chain(new).map(|p| (p.partition, p)).collect();
    by_number.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kafka::{BrokerId, MetadataImage, Replicas, TopicImage, Uuid};

    fn partitions(numbers: &[u32], leader: u32) -> Vec<PartitionChange> {
        let replicas = Replicas::from_slice(&[BrokerId(leader)]);
        let empty = Replicas::new();
        let one = |n: &u32| PartitionChange {
            partition: *n,
            replicas: replicas.clone(),
            isr: replicas.clone(),
            leader: Some(BrokerId(leader)),
            adding: empty.clone(),
            removing: empty.clone(),
        };
        numbers.iter().map(one).collect()
    }

    fn image(at: u64, event: TopicEvent) -> Published {
        let change = TopicChange { topic: TopicId(0), entry: 0, event };
        Published { at: Ms(at), delta: MetadataDelta { topics: vec![change], brokers: vec![] }, shards: vec![] }
    }

    fn created(id: u64) -> TopicEvent {
        TopicEvent::Created { id: Uuid { msb: 0, lsb: id }, partitions: partitions(&[0, 1], 1) }
    }

    /// Every sequence of events that can happen to a topic, merged or not, leaves the same image.
    #[test]
    fn merged_deltas_lead_to_the_image_that_single_ones_lead_to() {
        for exists in [false, true] {
            for code in 0..4u32.pow(4) {
                let mut there = exists;
                let mut images = Vec::new();
                for step in 0..4 {
                    let event = match code / 4u32.pow(step) % 4 {
                        0 if there => TopicEvent::Deleted,
                        1 if there => TopicEvent::Changed { partitions: partitions(&[step % 2], 10 + step) },
                        2 if there => TopicEvent::Changed { partitions: partitions(&[0, 1], 20 + step) },
                        3 if !there => created(u64::from(step)),
                        _ => continue,
                    };
                    there = event != TopicEvent::Deleted;
                    images.push(image(5, event));
                }
                let old = TopicImage { id: Uuid::default(), partitions: vec![Replicas::new(), Replicas::new()] };
                let start = MetadataImage { topics: vec![exists.then_some(old)], brokers: vec![] };
                let mut plain = start.clone();
                images.iter().for_each(|i| plain.apply(&i.delta));
                let lag = Span::just(Ms::ZERO);
                let arrivals = arrive(images, lag, &Chance::new(1, 1), Ms(10), vec![exists]);
                let mut merged = start;
                assert!(arrivals.deltas.len() <= 1);
                for arrival in &arrivals.deltas {
                    assert!(exists || !matches!(arrival.delta.topics[0].event, TopicEvent::Deleted));
                    merged.apply(&arrival.delta);
                }
                assert_eq!(merged, plain);
            }
        }
    }

    #[test]
    fn no_image_overtakes_another_and_none_arrives_after_the_end() {
        let images: Vec<Published> = (0..200)
            .map(|i| image(i * 10, TopicEvent::Changed { partitions: partitions(&[0], u32::try_from(i).unwrap()) }))
            .collect();
        let lag = Span { lo: Ms(0), hi: Ms(500) };
        let arrivals = arrive(images, lag, &Chance::new(1, 1), Ms(1500), vec![true]);
        assert!(arrivals.deltas.is_sorted_by(|a, b| a.at < b.at));
        assert!(arrivals.deltas.last().unwrap().at < Ms(1500));
        assert!(arrivals.deltas.len() < 150, "some were merged: {}", arrivals.deltas.len());
        let TopicEvent::Changed { partitions } = &arrivals.deltas.last().unwrap().delta.topics[0].event else {
            panic!("it only ever changed");
        };
        assert!(partitions[0].leader.unwrap().0 > 100);
    }
}
