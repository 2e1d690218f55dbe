//! The value of every topic over time as one reader reads it: a version number for each image, the same number for
//! the same content. Given out from the history alone and never by hashing.

use rustc_hash::FxHashMap;

use crate::kafka::{MetadataImage, RackId, TopicId, TopicImage};
use crate::scenario::RackReading;
use crate::strategy::Versions;
use crate::world::History;

use super::readings::{ImageNo, Reading};

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

/// Gives out version numbers in one reading.
pub(super) struct LineMaker {
    reading: Reading,
    lines: Vec<Vec<Span>>,
    /// Of each topic, the contents that have a number.
    known: Vec<FxHashMap<Box<[u32]>, u32>>,
}

impl LineMaker {
    pub(super) fn new(reading: Reading, history: &History) -> LineMaker {
        let topics = history.names.topics.len();
        let mut maker = LineMaker { reading, lines: vec![Vec::new(); topics], known: Vec::new() };
        maker.known.resize_with(topics, FxHashMap::default);
        for topic in (0..topics).map(TopicId::at) {
            maker.look(topic, 0, &history.start);
        }
        maker
    }

    /// All has been looked at.
    pub(super) fn finish(self) -> (Reading, ValueLines) {
        (self.reading, ValueLines::new(self.lines))
    }

    /// The topic may have another content from this image on.
    pub(super) fn look(&mut self, topic: TopicId, number: ImageNo, image: &MetadataImage) {
        let value = match image.topic(topic) {
            None => 0,
            Some(content) => {
                let key = content_key(self.reading, content, image);
                let known = &mut self.known[topic.index()];
                let next = u32::try_from(known.len() + 1).expect("versions fit 32 bits");
                *known.entry(key).or_insert(next)
            }
        };
        let line = &mut self.lines[topic.index()];
        if line.last().is_none_or(|last| last.value != value) {
            line.push(Span { from: number, value });
        }
    }
}

/// A topic's content in one reading, as words that are equal exactly where the reader sees the same.
fn content_key(reading: Reading, topic: &TopicImage, image: &MetadataImage) -> Box<[u32]> {
    let mut key: Vec<u32> = Vec::with_capacity(5 + topic.partitions.len() * 4);
    if reading.ids {
        push_id(&mut key, topic, reading.kip_class);
    }
    key.push(u32::try_from(topic.partitions.len()).expect("partitions fit 32 bits"));
    if reading.racks == RackReading::Ignored {
        return key.into();
    }
    let mut per_rack: FxHashMap<u32, u32> = FxHashMap::default();
    for replicas in &topic.partitions {
        let mut racks: smallvec::SmallVec<[RackId; 8]> =
            replicas.iter().filter_map(|broker| image.registration(*broker)?.rack).collect();
        racks.sort_unstable();
        if reading.racks == RackReading::Set {
            racks.dedup();
        }
        if reading.kip_class {
            racks.iter().for_each(|rack| *per_rack.entry(rack.0).or_insert(0) += 1);
        } else {
            key.push(u32::try_from(racks.len()).expect("replicas fit 32 bits"));
            key.extend(racks.iter().map(|rack| rack.0));
        }
    }
    let mut counts: Vec<(u32, u32)> = per_rack.into_iter().collect();
    counts.sort_unstable();
    key.extend(counts.into_iter().flat_map(|(rack, partitions)| [rack, partitions]));
    key.into()
}

#[expect(clippy::cast_possible_truncation, reason = "the id is cut into its 32-bit words")]
fn push_id(key: &mut Vec<u32>, topic: &TopicImage, folded: bool) {
    if folded {
        // Uuid.hashCode (model: C.1)
        let x = topic.id.msb ^ topic.id.lsb;
        key.push((x >> 32) as u32 ^ x as u32);
    } else {
        let id = topic.id.as_u128();
        key.extend((0..4).map(|word| (id >> (32 * word)) as u32));
    }
}
