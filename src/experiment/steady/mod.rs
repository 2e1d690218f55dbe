//! Counted lanes over groups in which nobody comes or goes, one group after the other instead of in order of time: each is
//! walked once for all strategies, while what it needs is near. What order there is between groups is made of what they
//! leave behind: who fills a cache ([`fills`]), what is held when ([`heap`]), what is told of first (the books). Gives the
//! same as [`super::lane::Lane`], which does everything else and is what this is tested against.

mod at_work;
mod beside;
mod calendar;
mod courses;
mod fills;
mod heap;
mod kin;
mod lane;
mod outcome;
mod path;
mod peaks;
mod pending;
mod prices;
mod shards;
mod stand;
#[cfg(test)]
mod tests;
mod unregistered;

use std::sync::Arc;

use crate::kafka::GroupKind;
use crate::metrics::{LaneOutcome, Reading};
use crate::scenario::{Cache, HashKind, Order, RackReading, Rehash, StrategyKind, StrategySpec, Unregistered};
use crate::sim::Ms;

use super::lane::{GoOn, LaneOptions, Stage};
pub(super) use at_work::{Done, work};
use calendar::{Calendar, EventNo};
use courses::{Courses, Marking, Row};
use fills::{Fills, Key, ShardOf, look_key};
use kin::{Kin, Looks, kins};
use lane::{Ground, SteadyLane};
use path::{Look, Path, Turning, Visitor, Walker};
use peaks::Peaks;
use shards::{Shard, shards};

/// What came of it.
pub(super) enum Steady {
    /// The history or all of the strategies are for the lane that goes in order of time.
    No,
    /// Somebody stopped it.
    Interrupted,
    /// By strategy; `None`: it is for the other lane.
    Done(Vec<Option<LaneOutcome>>),
}

/// Can the strategy's lane be taken apart by groups?
fn fits(spec: &StrategySpec, duration: Ms) -> bool {
    let switches = &spec.switches;
    let hashes = switches.rehash == Rehash::Invalidated
        && switches.hash != HashKind::KipDraft
        && switches.cache != Cache::NeverEvicted;
    let looks_once = switches.refresh_interval >= duration;
    match spec.kind {
        StrategyKind::FullMetadata | StrategyKind::PartitionCount => looks_once,
        StrategyKind::TopicHash => looks_once && hashes,
        StrategyKind::GroupHash | StrategyKind::GroupHashUncached => {
            looks_once && hashes && switches.order == Order::Name
        }
        StrategyKind::DeltaFlag => true,
        StrategyKind::AsDeployed | StrategyKind::ClassicClient => false,
    }
}

/// Replays a history to those of the strategies that fit. `go_on` is asked now and then, at an instant that stands for how
/// far it is.
pub(super) fn replay(stage: Stage<'_>, specs: &[StrategySpec], options: LaneOptions, go_on: GoOn<'_>) -> Steady {
    let history = stage.history;
    let of_groups =
        |group: &crate::world::GroupHistory| group.kind == GroupKind::Consumer && group.stands && group.stored;
    let steady = !options.in_order
        && !options.exhaustive
        && stage.assigning.is_none()
        && history.patterns.is_empty()
        && history.duration.0 < 1 << 32
        && history.groups.iter().all(of_groups);
    let fails = |spec: &StrategySpec| {
        let reads = Reading::of(spec).is_some_and(|reading| reading.racks != RackReading::Ignored);
        reads && spec.switches.unregistered == Unregistered::Fail
    };
    let failing = steady && specs.iter().any(fails) && unregistered::anywhere(history);
    let goes = |spec: &StrategySpec| steady && fits(spec, history.duration) && !(failing && fails(spec));
    let chosen: Vec<&StrategySpec> = specs.iter().filter(|spec| goes(spec)).collect();
    if chosen.is_empty() {
        return Steady::No;
    }
    let Some(calendar) = Calendar::new(history) else { return Steady::No };
    let readings = chosen.iter().filter_map(|spec| Reading::of(spec)).collect();
    let courses = Courses::new(history.names.topics.len(), stage.readings, &calendar, readings);
    let mut markings: Vec<Marking> = Vec::new();
    for spec in &chosen {
        let marking = Marking::of(spec);
        if !markings.contains(&marking) {
            markings.push(marking);
        }
    }
    let ground = Ground { stage, courses: &courses, calendar: &calendar, options };
    let mut run = Run {
        ground,
        shards: shards(stage),
        lanes: Lanes {
            kins: kins(ground, &chosen, &markings),
            fills: Vec::new(),
            first_looks: vec![vec![Key::MAX; calendar.events() + 1]; markings.len()],
            ground,
            looks: vec![Looks::default(); markings.len()],
            refreshes: vec![vec![0; ground.buckets()]; markings.len()],
        },
        cache_steps: vec![Vec::new(); markings.len()],
        markings,
    };
    if !run.walk(go_on) {
        return Steady::Interrupted;
    }
    let Some(outcomes) = run.outcomes(go_on) else { return Steady::Interrupted };
    let mut outcomes = outcomes.into_iter();
    let outcome = |spec: &StrategySpec| if goes(spec) { outcomes.next().flatten() } else { None };
    Steady::Done(specs.iter().map(outcome).collect())
}

/// A run in which groups come one after the other.
struct Run<'a> {
    ground: Ground<'a>,
    markings: Vec<Marking>,
    shards: Vec<Shard>,
    lanes: Lanes<'a>,
    /// By marking: how the bytes of all caches change.
    cache_steps: Vec<Vec<(Key, i64)>>,
}

/// All lanes, side by side over one group.
struct Lanes<'a> {
    kins: Vec<Kin<'a>>,
    /// Of the present shard, for the markings that need them.
    fills: Vec<Option<Fills>>,
    /// By marking, then event: the first look after it and before the next. Before the first event nobody looks.
    first_looks: Vec<Vec<Key>>,
    ground: Ground<'a>,
    /// By marking: the present group's looks; and by marking, then bucket, all that count.
    looks: Vec<Looks>,
    refreshes: Vec<Vec<u64>>,
}

impl Visitor for Lanes<'_> {
    const TURNS: bool = true;

    fn turn(&mut self, path: &Path, turn: &Turning) {
        self.kins.iter_mut().for_each(|kin| kin.turn(path, turn));
    }

    fn loaded(&mut self, _path: &Path, event: EventNo) {
        self.kins.iter_mut().for_each(|kin| kin.loaded(event));
    }

    fn look(&mut self, path: &Path, marking: usize, look: &Look<'_>) {
        let first = &mut self.first_looks[marking][look.event as usize];
        *first = (*first).min(look_key(look.at, path.group));
        let bucket = self.ground.bucket_of(look.at);
        if let Some(bucket) = bucket {
            self.refreshes[marking][bucket] += 1;
        }
        let nth = self.looks[marking].next(bucket);
        for kin in self.kins.iter_mut().filter(|kin| kin.marking == marking) {
            kin.look(path, look, nth, self.fills[marking].as_ref().filter(|_| kin.caches));
        }
    }
}

impl<'a> Run<'a> {
    fn walker(&self) -> Walker<'a> {
        Walker::new(self.ground.stage, self.ground.courses, self.ground.calendar, &self.markings)
    }

    /// All groups, shard by shard. False if it was stopped.
    fn walk(&mut self, go_on: GoOn<'_>) -> bool {
        let history = self.ground.stage.history;
        let (mut walker, mut path) = (self.walker(), Path::default());
        let (rows, topics) = (self.ground.courses.rows(), history.names.topics.len());
        let cached = |marking: usize| self.lanes.kins.iter().any(|kin| kin.caches && kin.marking == marking);
        self.lanes.fills = (0..self.markings.len()).map(|m| cached(m).then(|| Fills::new(rows, topics))).collect();
        let mut done = 0;
        for place in 0..self.shards.len() {
            let shard = &self.shards[place];
            for (marking, fills) in self.lanes.fills.iter_mut().enumerate() {
                let Some(fills) = fills else { continue };
                let of = ShardOf { ground: self.ground, place, shard, marking: self.markings[marking] };
                let cached = self.lanes.kins.iter_mut().filter(|kin| kin.caches && kin.marking == marking);
                let mut kins: Vec<&mut Kin<'_>> = cached.collect();
                let missed = |at: Ms, row: Row| {
                    if let Some(bucket) = self.ground.bucket_of(at) {
                        kins.iter_mut().for_each(|kin| kin.missed(bucket, row));
                    }
                };
                let start = fills.of_shard(of, &mut self.cache_steps[marking], missed);
                kins.into_iter().flat_map(|kin| &mut kin.lanes).for_each(|lane| lane.heap.stands_shard(start, 0));
            }
            let lanes = self.lanes.kins.iter_mut().flat_map(|kin| &mut kin.lanes);
            lanes.for_each(|lane| lane.heap.stands_shard(0, shard.index));
            for &group in &shard.groups {
                if done % 256 == 0 && !go_on(Ms(history.duration.0 * done / history.groups.len() as u64)) {
                    return false;
                }
                done += 1;
                walker.stand(&mut path, group);
                self.lanes.kins.iter_mut().for_each(|kin| kin.stand(&path));
                self.lanes.looks.fill(Looks::default());
                walker.walk(&mut path, &mut self.lanes);
                let looks = &self.lanes.looks;
                self.lanes.kins.iter_mut().for_each(|kin| kin.close(&path, looks[kin.marking]));
            }
        }
        true
    }

    /// Who fills the caches of a shard, once more.
    fn fill_again(&mut self, place: usize) {
        for (fills, marking) in self.lanes.fills.iter_mut().zip(&self.markings) {
            let of = ShardOf { ground: self.ground, place, shard: &self.shards[place], marking: *marking };
            if let Some(fills) = fills {
                fills.of_shard(of, &mut Vec::new(), |_, _| {});
            }
        }
    }

    /// All groups are over: by lane what came of it, unless it is for the other way.
    fn outcomes(&mut self, go_on: GoOn<'_>) -> Option<Vec<Option<LaneOutcome>>> {
        self.cache_steps.iter_mut().for_each(|steps| steps.sort_unstable_by_key(|(key, _)| *key));
        let mut peaks = Vec::new();
        for kin in &mut self.lanes.kins {
            let steps = if kin.caches { self.cache_steps[kin.marking].as_slice() } else { &[] };
            for lane in &mut kin.lanes {
                lane.heap.settle(self.ground.calendar, &self.lanes.first_looks[kin.marking]);
                peaks.push((lane.place, Peaks::new(&mut lane.heap, self.ground.calendar, steps)));
            }
        }
        peaks.sort_unstable_by_key(|(place, _)| *place);
        let mut peaks: Vec<Peaks> = peaks.into_iter().map(|(_, peaks)| peaks).collect();
        self.beside(&mut peaks, go_on)?;
        let alike = self.alike();
        let mut outcomes: Vec<Option<LaneOutcome>> = peaks.iter().map(|_| None).collect();
        for kin in std::mem::take(&mut self.lanes.kins) {
            let Kin { mut books, mut groups, lanes, marking, .. } = kin;
            // groups came shard by shard
            groups.sort_unstable_by_key(|group| group.group);
            let groups = Arc::new(groups);
            books.put_in_order();
            let lanes: Vec<SteadyLane> = lanes.into_iter().filter(|lane| !lane.too_large).collect();
            // what they have in common is large: the last one takes it
            let books = std::iter::repeat_n(books, lanes.len());
            for (lane, books) in lanes.into_iter().zip(books) {
                let place = lane.place;
                outcomes[place] = Some(self.outcome(marking, books, &groups, lane, &peaks[place], &alike));
            }
        }
        Some(outcomes)
    }
}
