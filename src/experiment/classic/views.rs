//! What clients see of topics: the same content has the same number, so that a snapshot is a list of numbers. A
//! client sees brokers that are up; of a replica whose broker is down it knows no more than the id.

use rustc_hash::FxHashMap;

use crate::kafka::{BrokerEvent, EntryIndex, MetadataDelta, MetadataImage, RackId, TopicId};
use crate::metrics::ImageNo;
use crate::scenario::OfflineRack;
use crate::world::History;

/// The number of a topic that is not there.
pub(super) const GONE: u32 = 0;

/// Every topic as clients see it, at any image, with and without racks.
pub(super) struct Views {
    plain: Lines,
    racked: Lines,
    /// By image, from 1: topics that look another way than before (with racks or without), and the entry behind it.
    changed: Vec<Vec<(TopicId, EntryIndex)>>,
}

/// By topic: from which image on it has which number.
struct Lines {
    by_topic: Vec<Vec<(ImageNo, u32)>>,
    known: Vec<FxHashMap<Vec<u32>, u32>>,
}

/// Which brokers are up, and the rack that each was last seen with.
struct Seen {
    up: Vec<bool>,
    rack: Vec<Option<RackId>>,
}

impl Views {
    /// Walks the deltas once.
    pub(super) fn new(history: &History, offline: OfflineRack) -> Views {
        let topics = history.names.topics.len();
        let mut image = history.start.clone();
        let rack = |b: &Option<crate::kafka::Registration>| b.and_then(|b| b.rack);
        let mut seen = Seen {
            up: image.brokers.iter().map(Option::is_some).collect(),
            rack: image.brokers.iter().map(rack).collect(),
        };
        let mut views = Views { plain: Lines::new(topics), racked: Lines::new(topics), changed: Vec::new() };
        for topic in (0..topics).map(TopicId::at) {
            views.look(topic, 0, &image, &seen, offline);
        }
        for (index, arrival) in history.deltas.iter().enumerate() {
            let number = ImageNo::try_from(index + 1).expect("deltas fit 32 bits");
            image.apply(&arrival.delta);
            seen.apply(&arrival.delta, &image);
            let mut changed = Vec::new();
            for (topic, entry) in touched(&arrival.delta, &image) {
                if views.look(topic, number, &image, &seen, offline) {
                    changed.push((topic, entry));
                }
            }
            views.changed.push(changed);
        }
        views
    }

    /// The topic's number in an image; [`GONE`] if it is not there.
    pub(super) fn at(&self, topic: TopicId, image: ImageNo, racks: bool) -> u32 {
        let lines = if racks { &self.racked } else { &self.plain };
        lines.at(topic, image)
    }

    /// Topics that an image (from 1) shows in another way than the one before.
    pub(super) fn changed(&self, image: ImageNo) -> &[(TopicId, EntryIndex)] {
        &self.changed[image as usize - 1]
    }

    /// Looks at a topic; does it look another way?
    fn look(
        &mut self,
        topic: TopicId,
        number: ImageNo,
        image: &MetadataImage,
        seen: &Seen,
        offline: OfflineRack,
    ) -> bool {
        let Some(content) = image.topic(topic) else {
            return self.plain.put(topic, number, None) | self.racked.put(topic, number, None);
        };
        let count = u32::try_from(content.partitions.len()).expect("partitions fit 32 bits");
        let mut racked = vec![count];
        for replicas in &content.partitions {
            let mut racks: Vec<u32> = replicas.iter().map(|b| seen.rack_of(b.index(), offline)).collect();
            racks.sort_unstable();
            racks.dedup();
            racked.push(u32::try_from(racks.len()).expect("few racks"));
            racked.extend(racks);
        }
        self.plain.put(topic, number, Some(vec![count])) | self.racked.put(topic, number, Some(racked))
    }
}

/// Topics that may look another way after this delta (image: with it), each once, with the entry behind it.
fn touched(delta: &MetadataDelta, image: &MetadataImage) -> Vec<(TopicId, EntryIndex)> {
    let mut touched: Vec<(TopicId, EntryIndex)> = delta.topics.iter().map(|t| (t.topic, t.entry)).collect();
    if !delta.brokers.is_empty() {
        for (index, topic) in image.topics.iter().enumerate() {
            let Some(topic) = topic else { continue };
            let holds = |broker| topic.partitions.iter().any(|replicas| replicas.contains(&broker));
            let of = delta.brokers.iter().filter(|b| holds(b.broker)).map(|b| (TopicId::at(index), b.entry));
            touched.extend(of.take(1));
        }
    }
    // a topic's own change comes first
    touched.sort_by_key(|(topic, _)| *topic);
    touched.dedup_by_key(|(topic, _)| *topic);
    touched
}

impl Seen {
    fn apply(&mut self, delta: &MetadataDelta, image: &MetadataImage) {
        self.up.resize(image.brokers.len(), false);
        self.rack.resize(image.brokers.len(), None);
        for change in &delta.brokers {
            let index = change.broker.index();
            match change.event {
                // fenced until it is unfenced, and no client sees it before
                BrokerEvent::Registered { .. } | BrokerEvent::Unregistered | BrokerEvent::Fenced => {
                    self.up[index] = false;
                }
                BrokerEvent::Unfenced => self.up[index] = true,
            }
        }
        for (index, up) in self.up.iter().enumerate().filter(|(_, up)| **up) {
            debug_assert!(*up);
            self.rack[index] = image.brokers[index].and_then(|b| b.rack);
        }
    }

    /// A rack as a number; 0: none, or none known.
    fn rack_of(&self, broker: usize, offline: OfflineRack) -> u32 {
        let up = self.up.get(broker).copied().unwrap_or(false);
        let known = up || offline == OfflineRack::Known;
        let rack = self.rack.get(broker).copied().flatten().filter(|_| known);
        rack.map_or(0, |rack| u32::try_from(rack.index() + 1).expect("racks fit 32 bits"))
    }
}

impl Lines {
    fn new(topics: usize) -> Lines {
        Lines { by_topic: vec![Vec::new(); topics], known: vec![FxHashMap::default(); topics] }
    }

    fn put(&mut self, topic: TopicId, image: ImageNo, content: Option<Vec<u32>>) -> bool {
        let known = &mut self.known[topic.index()];
        let next = u32::try_from(known.len() + 1).expect("contents fit 32 bits");
        let number = content.map_or(GONE, |content| *known.entry(content).or_insert(next));
        let line = &mut self.by_topic[topic.index()];
        let differs = line.last().is_none_or(|(_, last)| *last != number);
        if differs {
            line.push((image, number));
        }
        differs
    }

    fn at(&self, topic: TopicId, image: ImageNo) -> u32 {
        let line = &self.by_topic[topic.index()];
        let place = line.partition_point(|(from, _)| *from <= image);
        place.checked_sub(1).map_or(GONE, |place| line[place].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::sketch::{Sketch, changed};

    /// One topic on brokers 0 and 1 of three; broker 1 stops and comes back, at last with another rack.
    fn history() -> History {
        let sketch = Sketch::new(600_000, &["a", "b", "c"], &[("t", &[&[0, 1]])])
            .group("g", &[0], &[1_000])
            .delta(1_000, 0, vec![(0, changed(&[(0, &[0, 1])]))], vec![(1, BrokerEvent::Fenced)])
            .delta(2_000, 0, vec![], vec![(1, BrokerEvent::Unfenced)]);
        sketch.0
    }

    #[test]
    fn a_replica_that_is_down_has_no_rack_or_the_one_it_had() {
        let at = |offline| {
            let views = Views::new(&history(), offline);
            let of = |racks| [0, 1, 2].map(|image| views.at(TopicId(0), image, racks));
            (of(true), of(false), [1, 2].map(|image| views.changed(image).len()))
        };
        assert_eq!(at(OfflineRack::None), ([1, 2, 1], [1, 1, 1], [1, 1]));
        assert_eq!(at(OfflineRack::Known), ([1, 1, 1], [1, 1, 1], [0, 0]));
    }
}
