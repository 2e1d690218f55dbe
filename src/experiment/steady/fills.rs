//! A shard's caches of topic hashes, without a walk in order of time: what a delta or a load has evicted is hashed again by
//! the first of the topic's groups to look, and all of them are to look. So it is the least heartbeat among them.

use crate::kafka::{GroupId, TopicId, heap};
use crate::sim::Ms;

use super::calendar::{Calendar, EventNo};
use super::courses::{Courses, GONE, Marking, Row, Values};
use super::path::{Look, Path, Visitor};

/// A place in the order of a lane: by instant, events of the history before looks, looks by group.
pub(super) type Key = u64;

/// The place of a look.
pub(super) fn look_key(at: Ms, group: GroupId) -> Key {
    event_key(at) + u64::from(group.0) + 1
}

/// The place of events at this instant.
pub(super) fn event_key(at: Ms) -> Key {
    at.0 << 32
}

/// A topic's hash gets into the cache.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fill {
    /// By this look.
    pub(super) key: Key,
    /// As the topic is then.
    pub(super) row: Row,
}

const NEVER: Fill = Fill { key: Key::MAX, row: 0 };

/// All fills in one shard, for one marking.
pub(super) struct Fills {
    marking: usize,
    topics: usize,
    /// By the row that evicts.
    by_row: Vec<Fill>,
    /// By load, then topic.
    by_load: Vec<Fill>,
}

impl Fills {
    pub(super) fn new(marking: usize, rows: usize, topics: usize) -> Fills {
        Fills { marking, topics, by_row: vec![NEVER; rows], by_load: Vec::new() }
    }

    /// The next shard, with so many loads.
    pub(super) fn clear(&mut self, loads: usize) {
        self.by_row.fill(NEVER);
        self.by_load.clear();
        self.by_load.resize(loads * self.topics, NEVER);
    }

    /// What a look takes the hash of one of its topics from; `None`: from what it took it before.
    pub(super) fn taken(&self, path: &Path, place: u32, look: &Look<'_>) -> Option<Fill> {
        self.place_of(path, place, look).map(|(of_load, at)| if of_load { self.by_load[at] } else { self.by_row[at] })
    }

    /// Which fill it is: of a load's, or of a row's.
    fn place_of(&self, path: &Path, place: u32, look: &Look<'_>) -> Option<(bool, usize)> {
        if let Some(row) = look.source(place) {
            return Some((false, row as usize));
        }
        look.load.map(|load| (true, load as usize * self.topics + path.topics[place as usize].index()))
    }

    fn note(&mut self, path: &Path, place: u32, look: &Look<'_>, key: Key) {
        let Some((of_load, at)) = self.place_of(path, place, look) else { return };
        let fill = if of_load { &mut self.by_load[at] } else { &mut self.by_row[at] };
        if key < fill.key {
            *fill = Fill { key, row: path.rows[place as usize] };
        }
    }

    /// How the cache's bytes change in this shard: `steps` gets every change. The bytes at time 0.
    pub(super) fn bytes(&self, shard: &ShardOf<'_>, steps: &mut Vec<(Key, i64)>) -> u64 {
        let failovers = shard.calendar.failovers(shard.shard);
        let mut evicted: Vec<(EventNo, i64)> = Vec::new();
        let mut filled: Vec<Key> = Vec::new();
        let mut start = 0;
        for &topic in shard.watched {
            self.course(topic, shard, &mut start, &mut evicted, &mut filled);
        }
        evicted.extend(failovers.iter().map(|failover| (failover.event, 0)));
        evicted.sort_unstable();
        filled.sort_unstable();
        let (mut topics, mut active, mut filled) = (start, true, filled.into_iter().peekable());
        let first = heap::hash_cache(start);
        let mut bytes = first;
        let mut step = |key: Key, topics: u64, active: bool| {
            let next = if active { heap::hash_cache(topics) } else { 0 };
            let change = next.cast_signed() - bytes.cast_signed();
            if change != 0 {
                steps.push((key, change));
                bytes = next;
            }
        };
        let mut failovers = failovers.iter().peekable();
        for of_event in evicted.chunk_by(|a, b| a.0 == b.0) {
            let event = of_event[0].0;
            let key = event_key(shard.calendar.at(event));
            while let Some(at) = filled.next_if(|at| *at < key) {
                topics += 1;
                step(at, topics, active);
            }
            if let Some(failover) = failovers.next_if(|failover| failover.event == event) {
                (topics, active) = (0, failover.up.is_some());
            }
            topics -= of_event.iter().map(|(_, gone)| gone.unsigned_abs()).sum::<u64>();
            step(key, topics, active);
        }
        for at in filled {
            topics += 1;
            step(at, topics, active);
        }
        first
    }

    /// One topic's way in and out of the cache.
    fn course(
        &self,
        topic: TopicId,
        shard: &ShardOf<'_>,
        start: &mut u64,
        evicted: &mut Vec<(EventNo, i64)>,
        filled: &mut Vec<Key>,
    ) {
        let ShardOf { courses, calendar, values, marking, .. } = shard;
        let (first, end) = courses.of(topic);
        let mut cached = values.at(first) != GONE;
        *start += u64::from(cached);
        let mut fill = |fill: Fill| {
            let fills = fill.key != Key::MAX && values.at(fill.row) != GONE;
            if fills {
                filled.push(fill.key);
            }
            fills
        };
        let mut failovers = calendar.failovers(shard.shard).iter().peekable();
        let (mut loads, mut active) = (0, true);
        for row in first + 1..=end {
            let event = if row == end { EventNo::MAX } else { calendar.delta(courses.row(row).image) };
            while let Some(failover) = failovers.next_if(|failover| failover.event < event) {
                active = failover.up.is_some();
                cached = active && fill(self.by_load[loads * self.topics + topic.index()]);
                loads += usize::from(active);
            }
            if row < end && active && courses.row(row).marks(*marking) {
                if cached {
                    evicted.push((event, -1));
                }
                cached = fill(self.by_row[row as usize]);
            }
        }
    }
}

/// A shard as its cache needs it.
pub(super) struct ShardOf<'a> {
    pub(super) shard: usize,
    pub(super) courses: &'a Courses,
    pub(super) calendar: &'a Calendar,
    /// Any values: only whether a topic exists is asked.
    pub(super) values: &'a Values,
    pub(super) marking: Marking,
    /// Topics that its groups subscribe to.
    pub(super) watched: &'a [TopicId],
}

impl Visitor for Fills {
    fn look(&mut self, path: &Path, marking: usize, look: &Look<'_>) {
        if marking != self.marking {
            return;
        }
        let key = look_key(look.at, path.group);
        if look.load.is_some() {
            (0..u32::try_from(path.topics.len()).expect("topics fit 32 bits"))
                .for_each(|place| self.note(path, place, look, key));
        } else {
            look.marked.iter().for_each(|place| self.note(path, *place, look, key));
        }
    }
}
