//! What each delta changes, and who reads topics in which way. With the [`ValueLines`] of each reading "does the
//! truth differ from what the group was told?" and "has anything changed since the last bump, in this lane's own
//! reading?" are comparisons of integers.

use rustc_hash::FxHashMap;

use crate::kafka::{BrokerEvent, EntryIndex, MetadataDelta, MetadataImage, Replicas, TopicEvent, TopicId, TopicImage};
use crate::sim::Ms;
use crate::strategy::ChangedTopic;
use crate::world::History;

use super::broker_topics::BrokerTopics;
use super::reading::{ImageNo, Reading};
use super::value_lines::{Extent, LineMaker, ValueLines};

/// A delta as lanes and the judge need it, worked out once for all of them.
pub struct DeltaFacts {
    /// Changed topics, in order of id; those that only `trigger: cluster-delta` sees among them.
    pub changed: Vec<ChangedTopic>,
    /// For each of `changed`, the entry behind it.
    pub entries: Vec<EntryIndex>,
    /// Does it register or unregister a broker?
    pub registers: bool,
    /// The first entry that creates topics in it, if one does (`lastMetadataImageWithNewTopics`).
    pub creates: Option<EntryIndex>,
    /// Topics with a replica on a broker registered here, with the longest time until such a broker is in sync.
    pub settling: Vec<(TopicId, Ms)>,
}

/// Everything derived from a history's deltas.
pub struct Readings {
    lines: Vec<(Reading, ValueLines)>,
    /// By delta.
    pub deltas: Vec<DeltaFacts>,
}

impl Readings {
    /// Walks the deltas once, for all readings at a time.
    #[must_use]
    pub fn new(history: &History, mut readings: Vec<Reading>) -> Readings {
        readings.extend([Reading::TRUTH, Reading::TRUTH_WITHOUT_RACKS]);
        readings.sort_unstable();
        readings.dedup();
        let mut makers: Vec<LineMaker> = readings.into_iter().map(|r| LineMaker::new(r, history)).collect();
        let mut image = history.start.clone();
        let mut brokers = BrokerTopics::new(&image, history.names.topics.len());
        let mut deltas = Vec::with_capacity(history.deltas.len());
        for (index, arrival) in history.deltas.iter().enumerate() {
            let number = ImageNo::try_from(index + 1).expect("deltas fit 32 bits");
            let (facts, moved) = facts(&arrival.delta, &image, &brokers);
            brokers.follow(&arrival.delta, &image);
            image.apply(&arrival.delta);
            for (topic, extent) in moved {
                makers.iter_mut().for_each(|maker| maker.look(topic, extent, number, &image));
            }
            deltas.push(facts);
        }
        let lines = makers.into_iter().map(LineMaker::finish).collect();
        Readings { lines, deltas }
    }

    /// The lines of one reading.
    ///
    /// # Panics
    /// If it was not among those asked for.
    #[must_use]
    pub fn lines(&self, reading: Reading) -> &ValueLines {
        let found = self.lines.iter().find(|(r, _)| *r == reading);
        &found.expect("every lane's reading was asked for").1
    }
}

/// Facts of one delta, and the topics whose content may have changed with it (in order of id), and how much of it.
fn facts<'d>(
    delta: &'d MetadataDelta,
    before: &MetadataImage,
    brokers: &BrokerTopics,
) -> (DeltaFacts, Vec<(TopicId, Extent<'d>)>) {
    let mut changed: Vec<(ChangedTopic, EntryIndex)> = Vec::new();
    let mut moved: Vec<(TopicId, Extent<'d>)> = Vec::new();
    let mut creates: Option<EntryIndex> = None;
    for change in &delta.topics {
        let base = before.topic(change.topic);
        let mut fact = ChangedTopic {
            topic: change.topic,
            cluster_only: false,
            by_cluster: false,
            deleted: false,
            new_partitions: false,
            reassigning: false,
            replicas_differ: false,
        };
        let (mut content, mut extent) = (false, Extent::Whole);
        match &change.event {
            TopicEvent::Deleted => (fact.deleted, content) = (true, true),
            TopicEvent::Created { id, partitions } => {
                // the base image of a created topic is empty, so every partition is new
                (fact.new_partitions, fact.replicas_differ) = (true, true);
                fact.reassigning = partitions.iter().any(|p| !p.adding.is_empty() || !p.removing.is_empty());
                creates = Some(creates.map_or(change.entry, |c| c.min(change.entry)));
                content = base.is_none_or(|b| b.id != *id || !same(b, partitions.iter().map(|p| &p.replicas)));
            }
            TopicEvent::Changed { partitions } => {
                let base = base.expect("only a topic that exists changes");
                extent = Extent::Partitions(partitions);
                for p in partitions {
                    let old = base.partitions.get(p.partition as usize);
                    fact.new_partitions |= old.is_none();
                    fact.reassigning |= !p.adding.is_empty() || !p.removing.is_empty();
                    fact.replicas_differ |= old.is_none_or(|old| !same_set(old, &p.replicas));
                    content |= old != Some(&p.replicas);
                }
            }
        }
        changed.push((fact, change.entry));
        if content {
            moved.push((change.topic, extent));
        }
    }
    let mut places: FxHashMap<TopicId, usize> = FxHashMap::default();
    changed.iter().zip(0..).for_each(|((fact, _), place)| _ = places.entry(fact.topic).or_insert(place));
    let mut settling: Vec<(TopicId, Ms)> = Vec::new();
    for change in &delta.brokers {
        let old = before.registration(change.broker);
        let differs = match change.event {
            BrokerEvent::Registered { rack, in_sync_after, .. } => {
                settling.extend(brokers.on(change.broker).iter().map(|t| (*t, in_sync_after)));
                old.is_none_or(|old| old.rack != rack)
            }
            BrokerEvent::Unregistered => old.is_some(),
            BrokerEvent::Fenced | BrokerEvent::Unfenced => false,
        };
        if !differs {
            continue;
        }
        for &topic in brokers.on(change.broker) {
            moved.push((topic, Extent::Whole));
            let place = *places.entry(topic).or_insert(changed.len());
            match changed.get_mut(place) {
                Some((fact, _)) => fact.by_cluster = true,
                None => changed.push((
                    ChangedTopic {
                        topic,
                        cluster_only: true,
                        by_cluster: true,
                        deleted: false,
                        new_partitions: false,
                        reassigning: false,
                        replicas_differ: false,
                    },
                    change.entry,
                )),
            }
        }
    }
    changed.sort_by_key(|(fact, _)| fact.topic);
    // of a topic that moves both ways, all
    moved.sort_by_key(|(topic, extent)| (*topic, matches!(extent, Extent::Partitions(_))));
    moved.dedup_by_key(|(topic, _)| *topic);
    let registers =
        delta.brokers.iter().any(|b| matches!(b.event, BrokerEvent::Registered { .. } | BrokerEvent::Unregistered));
    settling.sort_unstable_by_key(|(topic, span)| (*topic, std::cmp::Reverse(*span)));
    settling.dedup_by_key(|(topic, _)| *topic);
    let (changed, entries) = changed.into_iter().unzip();
    (DeltaFacts { changed, entries, registers, creates, settling }, moved)
}

fn same<'a>(base: &TopicImage, replicas: impl ExactSizeIterator<Item = &'a Replicas>) -> bool {
    base.partitions.len() == replicas.len() && base.partitions.iter().zip(replicas).all(|(a, b)| a == b)
}

fn same_set(a: &Replicas, b: &Replicas) -> bool {
    a.len() == b.len() && a.iter().all(|broker| b.contains(broker))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kafka::{BrokerChange, BrokerId, PartitionChange, RackId, Registration, TopicChange, Uuid, Version};

    #[test]
    fn a_topic_that_moves_both_ways_is_read_whole() {
        let [one, other] = [BrokerId(0), BrokerId(1)];
        let partitions = vec![Replicas::from_slice(&[one, other]); 2];
        let topic = TopicImage { id: Uuid { msb: 1, lsb: 1 }, partitions };
        let rack = |id| Some(Registration { rack: Some(RackId(id)) });
        let image = MetadataImage { topics: vec![Some(topic)], brokers: vec![rack(0), rack(1)] };
        let none = Replicas::new;
        let replicas = Replicas::from_slice(&[other, one]);
        let swapped =
            PartitionChange { partition: 0, replicas, isr: none(), leader: None, adding: none(), removing: none() };
        let event = TopicEvent::Changed { partitions: vec![swapped] };
        let changed = TopicChange { topic: TopicId(0), entry: 0, event };
        let event =
            BrokerEvent::Registered { rack: Some(RackId(2)), version: Version::default(), in_sync_after: Ms::ZERO };
        let registered = BrokerChange { broker: one, entry: 1, event };
        let mut delta = MetadataDelta { topics: vec![changed], brokers: Vec::new() };
        let moved = |delta: &MetadataDelta| {
            let (_, moved) = facts(delta, &image, &BrokerTopics::new(&image, 1));
            moved.iter().map(|(topic, extent)| (*topic, matches!(extent, Extent::Whole))).collect::<Vec<_>>()
        };
        assert_eq!(moved(&delta), [(TopicId(0), false)]);
        delta.brokers.push(registered);
        assert_eq!(moved(&delta), [(TopicId(0), true)]);
    }
}
