//! Counted lanes over groups in which nobody comes or goes, one group after the other instead of in order of time: each is
//! walked once for all strategies, while what it needs is near. What order there is between groups is made of what they
//! leave behind: who fills a cache ([`fills`]), what is held when ([`heap`]), what is told of first (the books). Gives the
//! same as [`super::lane::Lane`], which does everything else and is what this is tested against.

mod beside;
mod calendar;
mod courses;
mod fills;
mod heap;
mod lane;
mod outcome;
mod path;
mod peaks;
mod prices;
mod shards;
mod stand;
#[cfg(test)]
mod tests;

use crate::kafka::GroupKind;
use crate::metrics::{LaneOutcome, Reading};
use crate::scenario::{Cache, HashKind, Order, Rehash, StrategyKind, StrategySpec};
use crate::sim::Ms;

use super::lane::{GoOn, LaneOptions, Stage};
use calendar::{Calendar, EventNo};
use courses::{Courses, Marking};
use fills::{Fills, Key, ShardOf, look_key};
use lane::{Ground, SteadyLane};
use path::{Look, Path, Turning, Visitor, Walker};
use peaks::Peaks;
use prices::Prices;
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
    let steady = options.counted
        && !options.exhaustive
        && stage.assigning.is_none()
        && history.patterns.is_empty()
        && history.duration.0 < 1 << 32
        && history.groups.iter().all(of_groups);
    let chosen: Vec<&StrategySpec> = specs.iter().filter(|spec| steady && fits(spec, history.duration)).collect();
    if chosen.is_empty() {
        return Steady::No;
    }
    let Some(calendar) = Calendar::new(history) else { return Steady::No };
    let readings = chosen.iter().filter_map(|spec| Reading::of(spec)).collect();
    let courses = Courses::new(history.names.topics.len(), stage.readings, readings);
    let Some(prices) = Prices::all(stage, &courses, &chosen) else { return Steady::No };
    let mut markings: Vec<Marking> = Vec::new();
    for spec in &chosen {
        let marking = Marking::of(spec);
        if !markings.contains(&marking) {
            markings.push(marking);
        }
    }
    let ground = Ground { stage, courses: &courses, calendar: &calendar, options };
    let place_of = |spec: &StrategySpec| markings.iter().position(|m| *m == Marking::of(spec)).expect("all are in");
    let lanes = chosen.iter().zip(prices).map(|(spec, prices)| SteadyLane::new(ground, spec, place_of(spec), prices));
    let mut run = Run {
        ground,
        shards: shards(stage, &mut Walker::new(stage, &courses, &calendar, &[])),
        lanes: Lanes {
            lanes: lanes.collect(),
            fills: Vec::new(),
            first_looks: vec![vec![Key::MAX; calendar.events() + 1]; markings.len()],
        },
        cache_steps: vec![Vec::new(); markings.len()],
        markings,
    };
    if !run.walk(go_on) {
        return Steady::Interrupted;
    }
    if run.lanes.lanes.iter().any(|lane| lane.too_large) {
        return Steady::No;
    }
    let Some(mut outcomes) = run.outcomes(go_on).map(Vec::into_iter) else { return Steady::Interrupted };
    let fits = |spec: &StrategySpec| fits(spec, history.duration);
    Steady::Done(specs.iter().map(|spec| if fits(spec) { outcomes.next() } else { None }).collect())
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
    lanes: Vec<SteadyLane<'a>>,
    /// Of the present shard, for the markings that need them.
    fills: Vec<Option<Fills>>,
    /// By marking, then event: the first look after it and before the next. Before the first event nobody looks.
    first_looks: Vec<Vec<Key>>,
}

impl Visitor for Lanes<'_> {
    const TURNS: bool = true;

    fn turn(&mut self, path: &Path, turn: &Turning) {
        self.lanes.iter_mut().for_each(|lane| lane.turn(path, turn));
    }

    fn loaded(&mut self, _path: &Path, event: EventNo) {
        self.lanes.iter_mut().for_each(|lane| lane.loaded(event));
    }

    fn look(&mut self, path: &Path, marking: usize, look: &Look<'_>) {
        let first = &mut self.first_looks[marking][look.event as usize];
        *first = (*first).min(look_key(look.at, path.group));
        for lane in self.lanes.iter_mut().filter(|lane| lane.marking == marking) {
            lane.look(path, look, self.fills[marking].as_ref().filter(|_| lane.caches));
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
        let cached = |marking: usize| self.lanes.lanes.iter().any(|lane| lane.caches && lane.marking == marking);
        let fills = (0..self.markings.len()).map(|m| cached(m).then(|| Fills::new(m, rows, topics)));
        self.lanes.fills = fills.collect();
        let mut done = 0;
        for place in 0..self.shards.len() {
            self.fill(place, &mut walker, &mut path);
            let shard = &self.shards[place];
            for (marking, fills) in self.lanes.fills.iter().enumerate() {
                let Some(fills) = fills else { continue };
                let of = ShardOf {
                    shard: place,
                    courses: self.ground.courses,
                    calendar: self.ground.calendar,
                    values: self.ground.courses.values(Reading::TRUTH),
                    marking: self.markings[marking],
                    watched: &shard.watched,
                };
                let start = fills.bytes(&of, &mut self.cache_steps[marking]);
                let cached = |lane: &&mut SteadyLane<'_>| lane.caches && lane.marking == marking;
                self.lanes.lanes.iter_mut().filter(cached).for_each(|lane| lane.heap.stands_shard(start, 0));
            }
            self.lanes.lanes.iter_mut().for_each(|lane| lane.heap.stands_shard(0, shard.index));
            for &group in &shard.groups {
                if done % 256 == 0 && !go_on(Ms(history.duration.0 * done / history.groups.len() as u64)) {
                    return false;
                }
                done += 1;
                walker.stand(&mut path, group);
                self.lanes.lanes.iter_mut().for_each(|lane| lane.stand(&path));
                walker.walk(&mut path, &mut self.lanes);
                self.lanes.lanes.iter_mut().for_each(|lane| lane.close(&path));
            }
        }
        true
    }

    /// Who fills the caches of a shard.
    fn fill(&mut self, shard: usize, walker: &mut Walker<'a>, path: &mut Path) {
        let loads = self.ground.calendar.failovers(shard).iter().filter(|failover| failover.up.is_some()).count();
        for fills in self.lanes.fills.iter_mut().flatten() {
            fills.clear(loads);
            for &group in &self.shards[shard].groups {
                walker.stand(path, group);
                walker.walk(path, fills);
            }
        }
    }

    /// All groups are over.
    fn outcomes(&mut self, go_on: GoOn<'_>) -> Option<Vec<LaneOutcome>> {
        self.cache_steps.iter_mut().for_each(|steps| steps.sort_unstable_by_key(|(key, _)| *key));
        let mut peaks = Vec::new();
        for lane in &mut self.lanes.lanes {
            let steps = if lane.caches { self.cache_steps[lane.marking].as_slice() } else { &[] };
            lane.heap.settle(self.ground.calendar, &self.lanes.first_looks[lane.marking]);
            peaks.push(Peaks::new(&mut lane.heap, self.ground.calendar, steps));
        }
        self.beside(&mut peaks, go_on)?;
        let (shared, members) = (self.shared(), self.members());
        let lanes = std::mem::take(&mut self.lanes.lanes);
        let outcome = |(lane, peaks): (SteadyLane<'a>, Peaks)| self.outcome(lane, &peaks, &shared, &members);
        Some(lanes.into_iter().zip(peaks).map(outcome).collect())
    }
}
