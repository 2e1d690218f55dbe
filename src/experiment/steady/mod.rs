//! Counted lanes over groups in which nobody comes or goes, one group after the other instead of in order of time: each is
//! walked once for all strategies, while what it needs is near. What order there is between groups is made of what they
//! leave behind: who fills a cache ([`fills`]), what is held when ([`heap`]), what is told of first (the books). Gives the
//! same as [`super::lane::Lane`], which does everything else and is what this is tested against.

mod calendar;
mod courses;
mod fills;
mod heap;
mod lane;
mod path;
mod peaks;
mod prices;
mod shards;
mod stand;
#[cfg(test)]
mod tests;

use crate::coordinator::{ByType, Holders, RecordType, member_record};
use crate::kafka::{GroupKind, MemberId, TopicId, heap as java_heap};
use crate::metrics::{HeapMoment, LaneLog, LaneOutcome, Outcome, Reading};
use crate::scenario::{Cache, HashKind, Order, Rehash, StrategyKind, StrategySpec};
use crate::sim::Ms;
use crate::strategy::cpu_model_ns;
use crate::world::Happening;

use super::finish::{SNAPSHOT_INTERVAL, close};
use super::lane::{GoOn, LaneOptions, Stage};
use calendar::{Calendar, EventNo};
use courses::{Courses, GONE, Marking};
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

    /// Looks again at the groups that may have the moment at which most is held.
    fn beside(&mut self, peaks: &mut [Peaks], go_on: GoOn<'_>) -> Option<()> {
        let likely: Vec<Vec<usize>> = peaks.iter().map(Peaks::likely).collect();
        let (mut walker, mut path) = (self.walker(), Path::default());
        for first in [true, false] {
            for shard in 0..self.shards.len() {
                if !go_on(self.ground.stage.history.duration) {
                    return None;
                }
                let wanted = |lane: usize, group: usize, peaks: &[Peaks]| {
                    peaks[lane].is_candidate(group) && likely[lane].contains(&group) == first
                };
                let groups = &self.shards[shard].groups;
                let any = |lane: usize| groups.iter().any(|group| wanted(lane, group.index(), peaks));
                let lanes: Vec<usize> = (0..peaks.len()).filter(|lane| any(*lane)).collect();
                if lanes.iter().any(|lane| self.lanes.lanes[*lane].caches) {
                    self.fill(shard, &mut walker, &mut path);
                }
                for place in 0..self.shards[shard].groups.len() {
                    let group = self.shards[shard].groups[place];
                    let lanes = lanes.iter().copied();
                    let lanes: Vec<usize> = lanes.filter(|lane| wanted(*lane, group.index(), peaks)).collect();
                    if !lanes.is_empty() {
                        walker.stand(&mut path, group);
                        let names = self.ground.stage.names;
                        for &lane in &lanes {
                            let lane = &mut self.lanes.lanes[lane];
                            lane.stand.start(&path, &lane.prices, names);
                        }
                        walker.walk(&mut path, &mut Beside { lanes: &mut self.lanes, chosen: &lanes, peaks, names });
                    }
                }
            }
        }
        Some(())
    }

    /// What all lanes have alike.
    fn shared(&self) -> Outcome {
        let Ground { stage: Stage { history, heartbeats, readings, .. }, options, .. } = self.ground;
        let (accepted, refused) = heartbeats.count(options.warmup, history.duration);
        let mut watched = vec![false; history.names.topics.len()];
        self.shards.iter().flat_map(|shard| &shard.watched).for_each(|topic| watched[topic.index()] = true);
        let counted = history.deltas.iter().zip(&readings.deltas).filter(|(arrival, _)| arrival.at >= options.warmup);
        let changed = counted.flat_map(|(_, facts)| &facts.changed);
        let loads =
            history.events.iter().filter(|event| event.at >= options.warmup).filter_map(|event| match event.what {
                Happening::ShardUp { load, .. } => Some(load.0),
                _ => None,
            });
        Outcome {
            groups: history.groups.len() as u64,
            members: history.members.len() as u64,
            heartbeats: accepted,
            heartbeats_refused: refused,
            invalidations: changed.filter(|c| !c.cluster_only && watched[c.topic.index()]).count() as u64,
            load_ms_max: loads.max().unwrap_or(0),
            groups_end: history.groups.len() as u64,
            groups_empty_end: history.groups.iter().filter(|group| group.members == 0).count() as u64,
            ..Outcome::default()
        }
    }

    /// Members' records, all live; and how many there are by shard.
    fn members(&self) -> (ByType, Vec<u64>) {
        let history = self.ground.stage.history;
        let (mut live, mut by_shard) = (ByType::default(), vec![0; history.shards.len()]);
        for (place, member) in history.members.iter().enumerate().filter(|(_, member)| member.standing) {
            by_shard[history.groups[member.group.index()].shard.index()] += 1;
            live.put(RecordType::MemberMetadata, member_record(history, MemberId::at(place), member.subscription), 0);
        }
        (live, by_shard)
    }

    fn outcome(
        &self,
        mut lane: SteadyLane<'a>,
        peaks: &Peaks,
        shared: &Outcome,
        members: &(ByType, Vec<u64>),
    ) -> LaneOutcome {
        lane.close_log();
        let steps = if lane.caches { self.cache_steps[lane.marking].as_slice() } else { &[] };
        let mut outcome =
            Outcome { heap_bytes_final: peaks.last.total(), heap_bytes_peak: peaks.peak.total(), ..shared.clone() };
        lane.books.fill(&mut outcome);
        outcome.cpu_model_ns = cpu_model_ns(lane.books.work(), outcome.refreshes);
        let after_failover = Holders {
            index: peaks.last.index,
            cache: if lane.caches { self.caches_after_failover() } else { 0 },
            ..lane.after_failover
        };
        let during_load = |interval: u64| {
            let records = lane.records.iter().zip(&members.1).map(|(own, members)| (own + members).min(interval));
            let snapshot = java_heap::TIMELINE_ENTRY * records.sum::<u64>();
            Holders { cache: 0, snapshot, ..after_failover }
        };
        let heap = vec![
            (HeapMoment::Start, *lane.heap.start()),
            (HeapMoment::Final, peaks.last),
            (HeapMoment::Peak, peaks.peak),
            (HeapMoment::Transient, peaks.transient(&lane.heap, steps)),
            (HeapMoment::AfterFailover, after_failover),
            (HeapMoment::Load, during_load(SNAPSHOT_INTERVAL)),
            (HeapMoment::LoadWithoutSnapshots, during_load(u64::MAX)),
        ];
        let mut live = lane.live;
        live.add(&members.0);
        let log = LaneLog { appended: lane.books.log().by_type, live };
        // groups came shard by shard
        lane.groups.sort_unstable_by_key(|group| group.group);
        let own = LaneOutcome { outcome, groups: lane.groups, heap, log, ..LaneOutcome::default() };
        close(lane.books, self.ground.stage.history.duration, own)
    }

    /// What the caches hold once every group has looked after a load.
    fn caches_after_failover(&self) -> u64 {
        let courses = self.ground.courses;
        let truth = courses.values(Reading::TRUTH);
        let exists = |topic: &&TopicId| truth.at(courses.of(**topic).1 - 1) != GONE;
        let of_shard = |shard: &Shard| java_heap::hash_cache(shard.watched.iter().filter(exists).count() as u64);
        self.shards.iter().map(of_shard).sum()
    }
}

/// Walks a group again for what stands beside what is held.
struct Beside<'w, 'a> {
    lanes: &'w mut Lanes<'a>,
    chosen: &'w [usize],
    peaks: &'w mut [Peaks],
    names: &'w crate::kafka::NameTable,
}

impl Visitor for Beside<'_, '_> {
    fn loaded(&mut self, _path: &Path, _event: EventNo) {
        self.chosen.iter().for_each(|lane| self.lanes.lanes[*lane].stand.loaded = true);
    }

    fn look(&mut self, path: &Path, marking: usize, look: &Look<'_>) {
        for &place in self.chosen {
            let lane = &mut self.lanes.lanes[place];
            if lane.marking != marking {
                continue;
            }
            let fills = self.lanes.fills[marking].as_ref().filter(|_| lane.caches);
            let built = lane.stand.built();
            let key = look_key(look.at, path.group);
            let found = lane.stand.look(path, look, &mut lane.prices, fills);
            self.peaks[place].look(key, look.event, &built);
            if found.differs {
                lane.stand.store(path, &lane.prices, self.names);
                self.peaks[place].look(key, look.event, &lane.stand.holds());
            }
        }
    }
}
