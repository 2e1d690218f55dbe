//! A shard's caches of topic hashes, without a walk in order of time: what a delta or a load has evicted is hashed again by
//! the first of the topic's groups to look, and all of them are to look. So it is the least heartbeat among them.

use crate::kafka::{GroupId, TopicId, heap};
use crate::metrics::Reading;
use crate::sim::Ms;
use crate::world::Rounds;

use super::calendar::{EventNo, Failover};
use super::courses::{GONE, Marking, Row, Values};
use super::lane::Ground;
use super::path::{Look, Path};
use super::shards::Shard;

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

/// All fills in one shard, for one marking: the row that a topic is of when its hash gets into the cache again.
pub(super) struct Fills {
    topics: usize,
    /// By the row that evicts.
    by_row: Vec<Row>,
    /// By load, then topic.
    by_load: Vec<Row>,
}

/// A shard as its cache needs it.
#[derive(Clone, Copy)]
pub(super) struct ShardOf<'a> {
    pub(super) ground: Ground<'a>,
    pub(super) place: usize,
    pub(super) shard: &'a Shard,
    pub(super) marking: Marking,
}

/// How a shard's cache changes.
#[derive(Default)]
struct Changes {
    /// Topics in it at time 0.
    start: u64,
    /// By event: topics that it evicts.
    evicted: Vec<u32>,
    /// When one is hashed again.
    filled: Vec<Key>,
}

/// Which fill it is.
#[derive(Clone, Copy)]
enum After {
    Row(Row),
    /// By place in [`Fills::by_load`].
    Load(usize),
}

impl Fills {
    pub(super) fn new(rows: usize, topics: usize) -> Fills {
        Fills { topics, by_row: vec![0; rows], by_load: Vec::new() }
    }

    /// The row that a look takes the hash of one of its topics of; `None`: the one that it took before.
    pub(super) fn taken(&self, path: &Path, place: u32, look: &Look<'_>) -> Option<Row> {
        if let Some(row) = look.source(place) {
            return Some(self.by_row[row as usize]);
        }
        look.load.map(|load| self.by_load[load as usize * self.topics + path.topics[place as usize].index()])
    }

    /// Works out who fills a shard's cache. `steps` gets every change of the bytes that it takes; `missed` is told when a
    /// topic is hashed, at which row. Returned are the bytes at time 0.
    pub(super) fn of_shard(
        &mut self,
        of: ShardOf<'_>,
        steps: &mut Vec<(Key, i64)>,
        mut missed: impl FnMut(Ms, Row),
    ) -> u64 {
        let failovers = of.ground.calendar.failovers(of.place);
        self.by_load.clear();
        self.by_load.resize(failovers.iter().filter(|failover| failover.up.is_some()).count() * self.topics, 0);
        let mut changes = Changes { evicted: vec![0; of.ground.calendar.events()], ..Changes::default() };
        let exists = of.ground.courses.values(Reading::TRUTH);
        for (topic, groups) in of.shard.subscribed() {
            let missed = &mut missed;
            let rounds = |group: &GroupId| (*group, Rounds::of(of.ground.stage.heartbeats, *group));
            let groups = groups.iter().map(rounds).collect();
            Course { of, topic, groups, exists, cached: false, empty: None, missed }.go(self, &mut changes);
        }
        changes.bytes(of, steps)
    }
}

/// One topic's way in and out of a shard's cache: whoever of its groups heartbeats first once it has been evicted fills it,
/// if that comes before it is evicted again and before the shard stops.
struct Course<'a, F> {
    of: ShardOf<'a>,
    topic: TopicId,
    /// The heartbeats of those that subscribe to it.
    groups: Vec<(GroupId, Rounds<'a>)>,
    /// Any values: only whether the topic exists is asked.
    exists: &'a Values,
    cached: bool,
    /// Out of an active shard's cache: since when, and after what.
    empty: Option<(Ms, After)>,
    /// Told when it is hashed, at which row.
    missed: &'a mut F,
}

impl<F: FnMut(Ms, Row)> Course<'_, F> {
    fn go(mut self, fills: &mut Fills, changes: &mut Changes) {
        let Ground { courses, calendar, .. } = self.of.ground;
        let (first, end) = courses.of(self.topic);
        self.cached = self.exists.at(first) != GONE;
        changes.start += u64::from(self.cached);
        let mut failovers: std::iter::Peekable<std::slice::Iter<'_, Failover>> =
            calendar.failovers(self.of.place).iter().peekable();
        let (mut loads, mut active) = (0, true);
        for row in first + 1..=end {
            let event = if row < end { courses.row(row).event } else { EventNo::MAX };
            while let Some(failover) = failovers.next_if(|failover| failover.event < event) {
                let at = calendar.at(failover.event);
                self.fill_until(at, row - 1, fills, changes);
                active = failover.up.is_some();
                self.cached = false;
                self.empty = active.then_some((at, After::Load(loads * fills.topics + self.topic.index())));
                loads += usize::from(active);
            }
            if row == end {
                self.fill_until(Ms::NEVER, end - 1, fills, changes);
            } else if active && courses.row(row).marks(self.of.marking) {
                let at = calendar.at(event);
                self.fill_until(at, row - 1, fills, changes);
                if std::mem::take(&mut self.cached) {
                    changes.evicted[event as usize] += 1;
                }
                self.empty = Some((at, After::Row(row)));
            }
        }
    }

    /// Fills it, if it is empty and somebody looks before `until`; the newest row by then is this one.
    fn fill_until(&mut self, until: Ms, mut row: Row, fills: &mut Fills, changes: &mut Changes) {
        let Ground { courses, calendar, .. } = self.of.ground;
        let Some((since, after)) = self.empty.take() else { return };
        let looks = self.groups.iter_mut().filter_map(|(group, rounds)| Some((rounds.next(since)?, *group)));
        let Some((at, group)) = looks.min().filter(|(at, _)| *at < until) else { return };
        while courses.row(row).image > 0 && calendar.at(courses.row(row).event) > at {
            row -= 1;
        }
        match after {
            After::Row(evicts) => fills.by_row[evicts as usize] = row,
            After::Load(place) => fills.by_load[place] = row,
        }
        if self.exists.at(row) != GONE {
            self.cached = true;
            changes.filled.push(look_key(at, group));
            (self.missed)(at, row);
        }
    }
}

impl Changes {
    /// Every change of the bytes, into `steps`; those at time 0.
    fn bytes(mut self, of: ShardOf<'_>, steps: &mut Vec<(Key, i64)>) -> u64 {
        let calendar = of.ground.calendar;
        self.filled.sort_unstable();
        let mut failovers = calendar.failovers(of.place).iter().peekable();
        let mut filled = self.filled.into_iter().peekable();
        let (mut topics, mut active) = (self.start, true);
        let first = heap::hash_cache(topics);
        let mut bytes = first;
        let mut step = |key: Key, topics: u64, active: bool| {
            let next = if active { heap::hash_cache(topics) } else { 0 };
            let change = next.cast_signed() - bytes.cast_signed();
            if change != 0 {
                steps.push((key, change));
                bytes = next;
            }
        };
        for (event, evicted) in (0..).zip(self.evicted) {
            let failover = failovers.next_if(|failover| failover.event == event);
            if failover.is_none() && evicted == 0 {
                continue;
            }
            let key = event_key(calendar.at(event));
            while let Some(at) = filled.next_if(|at| *at < key) {
                topics += 1;
                step(at, topics, active);
            }
            if let Some(failover) = failover {
                (topics, active) = (0, failover.up.is_some());
            }
            topics -= u64::from(evicted);
            step(key, topics, active);
        }
        for at in filled {
            topics += 1;
            step(at, topics, active);
        }
        first
    }
}
