//! What happens to each topic over a history: a row for each image that changes it for somebody, with its value in every
//! reading.

use crate::kafka::{EntryIndex, TopicId};
use crate::metrics::{ImageNo, Reading, Readings};
use crate::scenario::{FlagReading, StrategyKind, StrategySpec, Trigger};
use crate::sim::Ms;
use crate::strategy::ChangedTopic;

use super::calendar::{Calendar, EventNo};

/// A row, among those of all topics.
pub(super) type Row = u32;

/// A topic's value in one reading: another number for another topic or another content.
pub(super) type ValueId = u32;

/// The value of a topic that does not exist.
pub(super) const GONE: ValueId = 0;

/// All topics' rows, topic by topic; the first of each is image 0.
pub(super) struct Courses {
    /// By topic: its first row; and behind the last, the end.
    starts: Vec<Row>,
    rows: Vec<RowFacts>,
    settling: Settling,
    /// Which of the values a reading has: some read alike.
    readings: Vec<(Reading, usize)>,
    values: Vec<Values>,
}

/// Which images bring a broker of a topic on its way into sync, and how long it takes at most.
struct Settling {
    /// By topic, where its part begins; and behind the last, the end.
    starts: Vec<u32>,
    /// In order of images.
    all: Vec<(ImageNo, Ms)>,
    /// By delta: is there any?
    any: Vec<bool>,
}

/// An image that changes a topic.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowFacts {
    pub(super) image: ImageNo,
    /// The delta's; 0 at time 0.
    pub(super) event: EventNo,
    pub(super) entry: EntryIndex,
    /// One bit for each [`Marking`] that looks at it.
    marks: u8,
    /// One bit for each of the [`Values`] in which the topic's is another than before.
    pub(super) moves: u8,
}

/// The values of all rows in one reading.
#[derive(PartialEq, Eq)]
pub(super) struct Values {
    by_row: Vec<ValueId>,
    /// By row: the first of the rows that follow each other with its value.
    since: Vec<Row>,
    /// How many there are, [`GONE`] included.
    pub(super) count: usize,
}

/// Which changes of a topic make its groups look again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Marking {
    /// `trigger: topic-delta`.
    TopicDelta,
    /// `trigger: cluster-delta`.
    ClusterDelta,
    /// delta-flag with `flag: adding-removing`.
    AddingRemoving,
    /// delta-flag with `flag: replicas-differ`.
    ReplicasDiffer,
}

impl Marking {
    const ALL: [Marking; 4] =
        [Marking::TopicDelta, Marking::ClusterDelta, Marking::AddingRemoving, Marking::ReplicasDiffer];

    /// A strategy's.
    pub(super) fn of(spec: &StrategySpec) -> Marking {
        match (spec.kind, spec.switches.flag, spec.switches.trigger) {
            (StrategyKind::DeltaFlag, FlagReading::AddingRemoving, _) => Marking::AddingRemoving,
            (StrategyKind::DeltaFlag, FlagReading::ReplicasDiffer, _) => Marking::ReplicasDiffer,
            (_, _, Trigger::TopicDelta) => Marking::TopicDelta,
            (_, _, Trigger::ClusterDelta) => Marking::ClusterDelta,
        }
    }

    /// Does a load make groups look again?
    pub(super) fn compares(self) -> bool {
        matches!(self, Marking::TopicDelta | Marking::ClusterDelta)
    }

    fn looks_at(self, changed: &ChangedTopic) -> bool {
        let looks_changed = match self {
            Marking::ClusterDelta => return true,
            Marking::TopicDelta => return !changed.cluster_only,
            Marking::AddingRemoving => changed.reassigning,
            Marking::ReplicasDiffer => changed.replicas_differ,
        };
        !changed.cluster_only && (changed.new_partitions || looks_changed)
    }
}

impl RowFacts {
    pub(super) fn marks(&self, marking: Marking) -> bool {
        self.marks >> marking as u8 & 1 == 1
    }
}

impl Courses {
    /// Of so many topics, in these readings.
    pub(super) fn new(topics: usize, facts: &Readings, calendar: &Calendar, mut wanted: Vec<Reading>) -> Courses {
        wanted.extend([Reading::TRUTH, Reading::TRUTH_WITHOUT_RACKS]);
        wanted.sort_unstable();
        wanted.dedup();
        let mut lengths = vec![1; topics];
        for changed in facts.deltas.iter().flat_map(|delta| &delta.changed) {
            lengths[changed.topic.index()] += 1;
        }
        let mut starts: Vec<Row> = vec![0];
        starts.extend(lengths.iter().scan(0, |end, length| {
            *end += length;
            Some(*end)
        }));
        let start = RowFacts { image: 0, event: 0, entry: 0, marks: 0, moves: 0 };
        let mut rows = vec![start; starts[topics] as usize];
        let mut next: Vec<Row> = starts.iter().map(|start| start + 1).collect();
        for (delta, image) in facts.deltas.iter().zip(1..) {
            for (changed, &entry) in delta.changed.iter().zip(&delta.entries) {
                let marks = Marking::ALL.iter().filter(|marking| marking.looks_at(changed));
                let marks = marks.map(|marking| 1 << *marking as u8).sum();
                let place = &mut next[changed.topic.index()];
                rows[*place as usize] = RowFacts { image, event: calendar.delta(image), entry, marks, moves: 0 };
                *place += 1;
            }
        }
        let settling = Settling::new(topics, facts);
        let mut courses = Courses { starts, rows, settling, readings: Vec::new(), values: Vec::new() };
        for reading in wanted {
            let values = courses.values_in(reading, facts);
            let place = courses.values.iter().position(|other| *other == values).unwrap_or(courses.values.len());
            if place == courses.values.len() {
                let moved = values.since.iter().zip(0..).map(|(since, row)| *since == row);
                courses.rows.iter_mut().zip(moved).for_each(|(row, moved)| row.moves |= u8::from(moved) << place);
                courses.values.push(values);
            }
            courses.readings.push((reading, place));
        }
        courses
    }

    fn values_in(&self, reading: Reading, facts: &Readings) -> Values {
        let lines = facts.lines(reading);
        let mut by_row: Vec<ValueId> = Vec::with_capacity(self.rows.len());
        let mut since: Vec<Row> = Vec::with_capacity(self.rows.len());
        let mut before: ValueId = 0;
        for topic in (0..self.starts.len() - 1).map(TopicId::at) {
            let (first, end) = self.of(topic);
            let mut most = 0;
            for row in first..end {
                let version = lines.at(topic, self.row(row).image);
                most = most.max(version);
                let value = if version == 0 { GONE } else { before + version };
                let stays = row > first && by_row.last() == Some(&value);
                since.push(if stays { since[row as usize - 1] } else { row });
                by_row.push(value);
            }
            before += most;
        }
        Values { by_row, since, count: before as usize + 1 }
    }

    /// A topic's first row, and the end of its rows.
    pub(super) fn of(&self, topic: TopicId) -> (Row, Row) {
        (self.starts[topic.index()], self.starts[topic.index() + 1])
    }

    pub(super) fn row(&self, row: Row) -> &RowFacts {
        &self.rows[row as usize]
    }

    pub(super) fn rows(&self) -> usize {
        self.rows.len()
    }

    /// The longest that a broker of one of these topics that comes with an image in `since + 1 ..= to` takes into sync.
    pub(super) fn settles(&self, topics: &[TopicId], since: ImageNo, to: ImageNo) -> Ms {
        if !self.settling.any[since as usize..to as usize].contains(&true) {
            return Ms::ZERO;
        }
        topics.iter().map(|topic| self.settling.of(*topic, since, to)).max().unwrap_or(Ms::ZERO)
    }

    /// The values in one of the readings asked for.
    pub(super) fn values(&self, reading: Reading) -> &Values {
        &self.values[self.place_of(reading)]
    }

    /// Which of all values these are: the same for readings that cannot tell anything of this history apart which the
    /// other can.
    pub(super) fn place_of(&self, reading: Reading) -> usize {
        let found = self.readings.iter().find(|(r, _)| *r == reading);
        found.expect("every lane's reading was asked for").1
    }
}

impl Settling {
    fn new(topics: usize, facts: &Readings) -> Settling {
        let mut starts = vec![0; topics + 1];
        let all = || facts.deltas.iter().zip(1..).flat_map(|(delta, no)| delta.settling.iter().map(move |s| (no, *s)));
        all().for_each(|(_, (topic, _))| starts[topic.index() + 1] += 1);
        (0..topics).for_each(|topic| starts[topic + 1] += starts[topic]);
        let mut next = starts.clone();
        let mut sorted = vec![(0, Ms::ZERO); starts[topics] as usize];
        for (image, (topic, span)) in all() {
            sorted[next[topic.index()] as usize] = (image, span);
            next[topic.index()] += 1;
        }
        Settling { starts, all: sorted, any: facts.deltas.iter().map(|delta| !delta.settling.is_empty()).collect() }
    }

    fn of(&self, topic: TopicId, since: ImageNo, to: ImageNo) -> Ms {
        let all = &self.all[self.starts[topic.index()] as usize..self.starts[topic.index() + 1] as usize];
        let later = &all[all.partition_point(|(image, _)| *image <= since)..];
        let spans = later.iter().take_while(|(image, _)| *image <= to).map(|(_, span)| *span);
        spans.max().unwrap_or(Ms::ZERO)
    }
}

impl Values {
    pub(super) fn at(&self, row: Row) -> ValueId {
        self.by_row[row as usize]
    }

    /// The first of the rows that follow each other with this row's value.
    pub(super) fn run_of(&self, row: Row) -> Row {
        self.since[row as usize]
    }

    /// The row with which the value of this row came, if it is not the topic's first one.
    pub(super) fn since(&self, row: Row, first: Row) -> Option<Row> {
        Some(self.run_of(row)).filter(|since| *since > first)
    }
}
