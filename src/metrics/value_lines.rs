//! The value of every topic over time as one reader reads it: a version number for each image, the same number for
//! the same content. Given out from the history alone and never by hashing.

use rustc_hash::FxHashMap;

use crate::kafka::{MetadataImage, PartitionChange, Replicas, TopicId, TopicImage};
use crate::scenario::RackReading;
use crate::strategy::Versions;
use crate::world::History;

use super::contents::{Contents, Numbers, Racks};
use super::reading::{ImageNo, Reading};

/// The values of every topic over a history, in one reading.
pub struct ValueLines {
    /// Of each topic in turn: from which image on it has which value (0: it does not exist), the first at image 0.
    spans: Vec<Span>,
    /// Where each topic's spans begin, and where the last one's end.
    starts: Vec<u32>,
}

/// A topic's value, from an image on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The image at which the topic took it.
    pub from: ImageNo,
    /// The value; 0: the topic does not exist.
    pub value: u32,
}

impl ValueLines {
    fn new(lines: Vec<Vec<Span>>) -> ValueLines {
        let mut starts = vec![0];
        for line in &lines {
            let before = *starts.last().expect("it begins with one");
            starts.push(before + u32::try_from(line.len()).expect("a history's values fit 32 bits"));
        }
        ValueLines { spans: lines.into_iter().flatten().collect(), starts }
    }

    /// A topic's values in turn, the first at image 0.
    pub(super) fn line(&self, topic: TopicId) -> &[Span] {
        &self.spans[self.starts[topic.index()] as usize..self.starts[topic.index() + 1] as usize]
    }

    /// The value that a topic has in an image, and since when.
    #[must_use]
    pub fn span(&self, topic: TopicId, image: ImageNo) -> Span {
        let line = self.line(topic);
        line[line.partition_point(|span| span.from <= image) - 1]
    }

    /// A topic's value in an image.
    #[must_use]
    pub fn at(&self, topic: TopicId, image: ImageNo) -> u32 {
        self.span(topic, image).value
    }

    /// The same in an image not after one whose span is known: mostly the same span.
    #[must_use]
    pub fn at_or_before(&self, topic: TopicId, image: ImageNo, known: Span) -> u32 {
        if image >= known.from { known.value } else { self.at(topic, image) }
    }

    /// Does the value change with this image?
    #[must_use]
    pub fn changes_at(&self, topic: TopicId, image: ImageNo) -> bool {
        image > 0 && self.span(topic, image).from == image
    }
}

impl Versions for ValueLines {
    fn version(&self, topic: TopicId, image: u32) -> u32 {
        self.at(topic, image)
    }
}

/// What of a topic may be another.
#[derive(Clone, Copy)]
pub(super) enum Extent<'d> {
    /// All of it.
    Whole,
    /// These partitions, and nothing else.
    Partitions(&'d [PartitionChange]),
}

/// Gives out version numbers in one reading.
pub(super) struct LineMaker {
    reading: Reading,
    lines: Vec<Vec<Span>>,
    numbers: Numbers,
    /// Of each topic, what it consists of, and the contents that have a version number.
    contents: Vec<Contents>,
    known: Vec<FxHashMap<Key, u32>>,
}

/// A topic's content in one reading, equal exactly where the reader sees the same: its id (as far as it is read), how many
/// partitions it has, and the number of what they consist of.
type Key = (u128, usize, u32);

impl LineMaker {
    pub(super) fn new(reading: Reading, history: &History) -> LineMaker {
        let topics = history.names.topics.len();
        let mut maker = LineMaker {
            reading,
            lines: vec![Vec::new(); topics],
            numbers: Numbers::default(),
            contents: Vec::new(),
            known: Vec::new(),
        };
        maker.contents.resize_with(topics, Contents::default);
        maker.known.resize_with(topics, FxHashMap::default);
        for topic in (0..topics).map(TopicId::at) {
            maker.look(topic, Extent::Whole, 0, &history.start);
        }
        maker
    }

    /// All has been looked at.
    pub(super) fn finish(self) -> (Reading, ValueLines) {
        (self.reading, ValueLines::new(self.lines))
    }

    /// So much of a topic may have another content from this image on.
    pub(super) fn look(&mut self, topic: TopicId, extent: Extent<'_>, number: ImageNo, image: &MetadataImage) {
        let value = image.topic(topic).map_or(0, |content| {
            let key = (self.id(content), content.partitions.len(), self.content(topic, content, extent, image));
            let known = &mut self.known[topic.index()];
            let next = u32::try_from(known.len() + 1).expect("versions fit 32 bits");
            *known.entry(key).or_insert(next)
        });
        let line = &mut self.lines[topic.index()];
        if line.last().is_none_or(|last| last.value != value) {
            line.push(Span { from: number, value });
        }
    }

    fn id(&self, topic: &TopicImage) -> u128 {
        match (self.reading.ids, self.reading.kip_class) {
            (false, _) => 0,
            (true, false) => topic.id.as_u128(),
            (true, true) => {
                // Uuid.hashCode (model: C.1)
                let x = topic.id.msb ^ topic.id.lsb;
                u128::from((x >> 32) ^ (x & 0xFFFF_FFFF))
            }
        }
    }

    /// The number of what its partitions consist of.
    fn content(&mut self, topic: TopicId, content: &TopicImage, extent: Extent<'_>, image: &MetadataImage) -> u32 {
        if self.reading.racks == RackReading::Ignored {
            return 0;
        }
        let (contents, numbers) = (&mut self.contents[topic.index()], &mut self.numbers);
        contents.resize(content.partitions.len());
        let mut changed = Vec::new();
        let mut put = |partition: usize| {
            let racks = racks(self.reading.racks, &content.partitions[partition], image);
            contents.put(numbers, partition, &racks, &mut changed);
        };
        match extent {
            Extent::Whole => (0..content.partitions.len()).for_each(put),
            Extent::Partitions(partitions) => partitions.iter().for_each(|p| put(p.partition as usize)),
        }
        if self.reading.kip_class { contents.tally(numbers) } else { contents.whole(numbers, changed) }
    }
}

/// The racks of a partition, as they are read, in order.
fn racks(reading: RackReading, replicas: &Replicas, image: &MetadataImage) -> Racks {
    let mut racks: Racks = replicas.iter().filter_map(|broker| Some(image.registration(*broker)?.rack?.0)).collect();
    racks.sort_unstable();
    if reading == RackReading::Set {
        racks.dedup();
    }
    racks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kafka::{BrokerEvent, MetadataDelta, TopicEvent};
    use crate::metrics::Readings;
    use crate::scenario::load_text;
    use crate::world;

    /// A topic's content as words that are equal exactly where the reader sees the same: the plain way.
    fn plain(reading: Reading, topic: &TopicImage, image: &MetadataImage) -> Vec<u64> {
        let mut words = vec![topic.partitions.len() as u64];
        match (reading.ids, reading.kip_class) {
            (false, _) => {}
            (true, false) => words.extend([topic.id.msb, topic.id.lsb]),
            (true, true) => {
                let x = topic.id.msb ^ topic.id.lsb;
                words.push((x >> 32) ^ (x & 0xFFFF_FFFF));
            }
        }
        let mut per_rack = std::collections::BTreeMap::new();
        for replicas in &topic.partitions {
            let racks = racks(reading.racks, replicas, image);
            if reading.racks == RackReading::Ignored {
                continue;
            }
            if reading.kip_class {
                racks.iter().for_each(|rack| *per_rack.entry(*rack).or_insert(0_u64) += 1);
            } else {
                words.push(racks.len() as u64);
                words.extend(racks.iter().map(|rack| u64::from(*rack)));
            }
        }
        words.extend(per_rack.into_iter().flat_map(|(rack, partitions)| [u64::from(rack), partitions]));
        words
    }

    #[test]
    fn topics_have_one_value_exactly_where_they_are_read_alike() {
        let text = "
duration: 4h
brokers: 7
topics:
  small: {count: 3, partitions: 3, rf: 2}
  large: {partitions: 250}
  grows: {partitions: 14}
groups: {g: {members: 3, topics: [small-*, large, grows]}}
history:
  - roll: {at: 1m, gap: 1m, down: 20s, racks: {a: b, b: c}}
  - roll: {as: again, at: 1h, gap: 1m, down: 20s, racks: {a: b}}
  - add-partitions: {as: at-once, at: 160s, topic: large, by: 1}
  - add-partitions: {every: 3m, times: 70, topic: grows, by: 4}
  - reassign: {at: 20m, topic: large, replicas: {0: [3, 4], 1: [5, 0], 2: [0, 1]}}
  - delete-topic: {at: 40m, topic: small-1}
  - create-topic: {at: 50m, topic: small-1, partitions: 2}
  - recreate-topic: {at: 60m, topic: small-2, gap: 1m}
  - recreate-topic: {as: shrinks, at: 220m, topic: grows, partitions: 20, gap: 1m}
strategies: [group-hash]
";
        let scenario = load_text("s", text, &[]).unwrap_or_else(|problems| panic!("{problems}")).scenario;
        let history = world::make(&scenario, 1).expect("it can happen");
        let both = |delta: &MetadataDelta| {
            let registers = delta.brokers.iter().any(|b| matches!(b.event, BrokerEvent::Registered { .. }));
            let grows = |p: &PartitionChange| p.partition == 250;
            let large =
                |e: &TopicEvent| matches!(e, TopicEvent::Changed { partitions } if partitions.iter().any(grows));
            registers && delta.topics.iter().any(|change| large(&change.event))
        };
        assert!(history.deltas.iter().any(|arrival| both(&arrival.delta)), "a topic grows as a rack changes");
        let readings: Vec<Reading> = [RackReading::Set, RackReading::Multiset, RackReading::Ignored]
            .into_iter()
            .flat_map(|racks| [true, false].map(|ids| (racks, ids)))
            .flat_map(|(racks, ids)| [true, false].map(|kip_class| Reading { racks, ids, kip_class }))
            .collect();
        let made = Readings::new(&history, readings.clone());
        for reading in readings {
            let lines = made.lines(reading);
            let mut image = history.start.clone();
            let mut known = vec![FxHashMap::default(); history.names.topics.len()];
            let first = [MetadataDelta::default()];
            for (number, delta) in first.iter().chain(history.deltas.iter().map(|a| &a.delta)).enumerate() {
                image.apply(delta);
                for topic in (0..known.len()).map(TopicId::at) {
                    let known: &mut FxHashMap<Vec<u64>, u32> = &mut known[topic.index()];
                    let next = u32::try_from(known.len() + 1).unwrap();
                    let value =
                        image.topic(topic).map_or(0, |t| *known.entry(plain(reading, t, &image)).or_insert(next));
                    assert_eq!(lines.at(topic, ImageNo::try_from(number).unwrap()), value, "{reading:?} {topic:?}");
                }
            }
        }
    }
}
