//! What each delta changes, and the value of every topic over time as somebody reads it. A value is a
//! version number, the same number for the same content: so "does the truth differ from what the group was
//! told?" and "has anything changed since the last bump, in this lane's own reading?" are comparisons of
//! integers, decided from the history alone and never by hashing.

use rustc_hash::FxHashMap;

use crate::kafka::{
    BrokerEvent, BrokerId, EntryIndex, MetadataDelta, MetadataImage, RackId, Replicas, TopicEvent, TopicId, TopicImage,
};
use crate::scenario::{HashKind, RackReading, StrategyKind, StrategySpec};
use crate::sim::Ms;
use crate::strategy::ChangedTopic;
use crate::world::History;

/// Number of deltas applied: 0 is the image at time 0.
pub type ImageNo = u32;

/// What a reader makes of a topic: two contents are one value if it cannot tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reading {
    /// Racks of a partition.
    pub racks: RackReading,
    /// Is the topic id part of it?
    pub ids: bool,
    /// Only model C.1's class: the id's 32-bit hash, the count, and for each rack the number of partitions with it.
    pub kip_class: bool,
}

impl Reading {
    /// The truth for a rack-aware group (model: K.5).
    pub const TRUTH: Reading = Reading { racks: RackReading::Set, ids: true, kip_class: false };
    /// The truth for a group that does not care for racks.
    pub const TRUTH_WITHOUT_RACKS: Reading = Reading { racks: RackReading::Ignored, ids: true, kip_class: false };

    /// A lane's own reading; `None` for a strategy that stores no value.
    #[must_use]
    pub fn of(spec: &StrategySpec) -> Option<Reading> {
        let switches = &spec.switches;
        let plain = Reading { racks: switches.racks, ids: switches.include_topic_id, kip_class: false };
        match spec.kind {
            StrategyKind::FullMetadata => Some(plain),
            StrategyKind::PartitionCount => Some(Reading { racks: RackReading::Ignored, ..plain }),
            StrategyKind::TopicHash | StrategyKind::GroupHash | StrategyKind::GroupHashUncached => {
                Some(Reading { kip_class: switches.hash == HashKind::KipDraft, ..plain })
            }
            // as-deployed: each release has its own
            StrategyKind::DeltaFlag | StrategyKind::AsDeployed => None,
        }
    }
}

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

    fn line(&self, topic: TopicId) -> &[Span] {
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
        let mut holders = Holders::new(&image, history.names.topics.len());
        let mut deltas = Vec::with_capacity(history.deltas.len());
        for (index, arrival) in history.deltas.iter().enumerate() {
            let number = ImageNo::try_from(index + 1).expect("deltas fit 32 bits");
            let (facts, moved) = facts(&arrival.delta, &image, &holders);
            image.apply(&arrival.delta);
            for topic in moved {
                holders.update(topic, image.topic(topic));
                makers.iter_mut().for_each(|maker| maker.look(topic, number, &image));
            }
            deltas.push(facts);
        }
        let lines = makers.into_iter().map(|maker| (maker.reading, ValueLines::new(maker.lines))).collect();
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

/// Facts of one delta, and the topics whose content may have changed with it (in order of id).
fn facts(delta: &MetadataDelta, before: &MetadataImage, holders: &Holders) -> (DeltaFacts, Vec<TopicId>) {
    let mut changed: Vec<(ChangedTopic, EntryIndex)> = Vec::new();
    let mut moved: Vec<TopicId> = Vec::new();
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
        let mut content = false;
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
            moved.push(change.topic);
        }
    }
    let mut settling: Vec<(TopicId, Ms)> = Vec::new();
    for change in &delta.brokers {
        let old = before.registration(change.broker);
        let differs = match change.event {
            BrokerEvent::Registered { rack, in_sync_after, .. } => {
                settling.extend(holders.topics_on(change.broker).iter().map(|t| (*t, in_sync_after)));
                old.is_none_or(|old| old.rack != rack)
            }
            BrokerEvent::Unregistered => old.is_some(),
            BrokerEvent::Fenced | BrokerEvent::Unfenced => false,
        };
        if !differs {
            continue;
        }
        for &topic in holders.topics_on(change.broker) {
            moved.push(topic);
            match changed.iter_mut().find(|(fact, _)| fact.topic == topic) {
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
    moved.sort_unstable();
    moved.dedup();
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

/// Which topics have a replica on which broker.
struct Holders {
    topics: Vec<Vec<TopicId>>,
}

impl Holders {
    fn new(image: &MetadataImage, topics: usize) -> Holders {
        let mut holders = Holders { topics: Vec::new() };
        for topic in (0..topics).map(TopicId::at) {
            holders.update(topic, image.topic(topic));
        }
        holders
    }

    fn topics_on(&self, broker: BrokerId) -> &[TopicId] {
        self.topics.get(broker.index()).map_or(&[], Vec::as_slice)
    }

    fn update(&mut self, topic: TopicId, content: Option<&TopicImage>) {
        let mut brokers: Vec<BrokerId> = Vec::new();
        for replicas in content.iter().flat_map(|t| &t.partitions) {
            brokers.extend(replicas.iter().filter(|b| !brokers.contains(b)).copied().collect::<Replicas>());
        }
        for (index, topics) in self.topics.iter_mut().enumerate() {
            if !brokers.contains(&BrokerId::at(index))
                && let Ok(place) = topics.binary_search(&topic)
            {
                topics.remove(place);
            }
        }
        for broker in brokers {
            if broker.index() >= self.topics.len() {
                self.topics.resize(broker.index() + 1, Vec::new());
            }
            if let Err(place) = self.topics[broker.index()].binary_search(&topic) {
                self.topics[broker.index()].insert(place, topic);
            }
        }
    }
}

/// Gives out version numbers in one reading.
struct LineMaker {
    reading: Reading,
    lines: Vec<Vec<Span>>,
    /// Of each topic, the contents that have a number.
    known: Vec<FxHashMap<Box<[u32]>, u32>>,
}

impl LineMaker {
    fn new(reading: Reading, history: &History) -> LineMaker {
        let topics = history.names.topics.len();
        let mut maker = LineMaker { reading, lines: vec![Vec::new(); topics], known: Vec::new() };
        maker.known.resize_with(topics, FxHashMap::default);
        for topic in (0..topics).map(TopicId::at) {
            maker.look(topic, 0, &history.start);
        }
        maker
    }

    fn look(&mut self, topic: TopicId, number: ImageNo, image: &MetadataImage) {
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
