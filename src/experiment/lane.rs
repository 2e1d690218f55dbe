//! A lane: one strategy's coordinator replaying the history, its rebalances going to the judge. Heartbeats
//! that find nothing to do are never walked, unless `exhaustive` asks for the plain walk; both must agree
//! byte for byte.

use std::collections::BTreeMap;

use crate::coordinator::{Coordinator, Deployed, Look, Operation, Setting};
use crate::kafka::{GroupId, MemberId, NameTable};
use crate::metrics::{AssignedLane, Books, CatchUp, Judge, LaneOutcome, Reading, Readings, Roll, StepBooks};
use crate::scenario::{Cache, Rehash, StrategySpec};
use crate::sim::Ms;
use crate::strategy::{Strategy, Values};
use crate::world::{Heartbeats, History, Origin};

use super::assigning::{AssignPlan, Assigning};
use super::failing::Failing;
use super::sight::{Dealt, Sight, Watch};
use super::timer::Timer;
use super::wakes::{Place, Wake, WakeStep, Wakes, place_of};
use super::walk::Walk;

/// A failed leave or expiry is tried again after so long (model: K.3).
pub(super) const RETRY: Ms = Ms(500);

/// How many due groups a strategy looks at in one go, at most: their new values are held until settled and should
/// stay in the nearest cache, and two readings of a clock should be little beside them.
pub(super) const BATCH: usize = 64;

/// How a lane runs.
#[derive(Clone, Copy, Debug)]
pub struct LaneOptions {
    /// Walk every heartbeat.
    pub exhaustive: bool,
    /// Take events of all groups in order of time, also where one group could come after the other.
    pub in_order: bool,
    /// Work topics' values out once for all groups: the same counts, and nothing that a time could be taken of.
    pub counted: bool,
    /// Counts begin here.
    pub warmup: Ms,
    /// Width of a bucket.
    pub bucket: Ms,
    /// Bumps kept one by one, at most.
    pub keep_bumps: usize,
    /// `message.max.bytes` of `__consumer_offsets`.
    pub message_max_bytes: u64,
    /// How long the initialisation of share partitions takes.
    pub share_init: Ms,
}

/// What a lane is made of, shared between lanes.
#[derive(Clone, Copy)]
pub struct Stage<'a> {
    /// What happens.
    pub history: &'a History,
    /// Its heartbeats.
    pub heartbeats: &'a Heartbeats<'a>,
    /// Its deltas, read.
    pub readings: &'a Readings,
    /// Names by id.
    pub names: &'a NameTable,
    /// Its rolls, to be counted step by step.
    pub rolls: &'a [Roll],
    /// Which groups have an assignor, if any has.
    pub assigning: Option<&'a AssignPlan>,
}

/// Asked now and then, at a simulated instant: false stops the replay.
pub type GoOn<'a> = &'a dyn Fn(Ms) -> bool;

/// Makes what decides, empty.
pub(super) type Make<'a> = &'a dyn Fn(&StrategySpec) -> Box<dyn Strategy>;

/// One strategy's replay.
pub struct Lane<'a> {
    pub(super) stage: Stage<'a>,
    pub(super) options: LaneOptions,
    pub(super) coordinator: Coordinator<'a>,
    pub(super) judge: Judge<'a>,
    pub(super) catch_up: CatchUp<'a>,
    /// Does the strategy read topics from a cache? By what a shard runs.
    pub(super) caches: Vec<bool>,
    /// Does a rebalance of one group hash anew what others read from the cache? By what a shard runs.
    pub(super) rehashes: Vec<bool>,
    pub(super) wakes: Wakes,
    /// With `exhaustive`: every heartbeat that is to come.
    pub(super) walk: Walk,
    pub(super) timer: &'a mut dyn Timer,
    pub(super) looks: Vec<Look>,
    /// Heartbeats that come next, at which the strategy looks.
    pub(super) batch: Vec<Wake>,
    pub(super) due: Vec<GroupId>,
    /// Joins and changed subscriptions that failed: carried by the member's next heartbeat.
    pub(super) pending: BTreeMap<MemberId, (Operation, Origin)>,
    /// Leaves and expiries that failed.
    pub(super) leaving: BTreeMap<MemberId, (Origin, Ms)>,
    /// Groups in which operations fail, counted in closed form.
    pub(super) failing: BTreeMap<GroupId, Failing>,
    /// Who brought a group's newest pattern.
    pub(super) brought: BTreeMap<GroupId, Origin>,
    /// Of what the coordinator has appended, the bytes that are in the books.
    pub(super) appended_bytes: u64,
    pub(super) tally: Tally,
    pub(super) watch: Watch,
    /// Groups with an assignor; none: not a nanosecond is spent.
    pub(super) assigning: Option<Box<Assigning<'a>>>,
    pub(super) assigned: Option<AssignedLane>,
}

/// What the lane counts itself.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) walked: u64,
    pub(super) refused: u64,
    pub(super) invalidations: u64,
    pub(super) pattern_refreshes: u64,
    pub(super) pattern_matches: u64,
    pub(super) load_ms_max: u64,
}

impl<'a> Lane<'a> {
    /// A lane at time 0.
    pub fn new(
        stage: Stage<'a>,
        spec: &StrategySpec,
        make: Make<'a>,
        options: LaneOptions,
        timer: &'a mut dyn Timer,
    ) -> Lane<'a> {
        let history = stage.history;
        let releases = spec.by_release();
        let deployed = |spec: &StrategySpec| {
            let own = spec.clone();
            let lines = Reading::of(spec).filter(|_| options.counted).map(|reading| stage.readings.lines(reading));
            Deployed {
                kind: spec.kind,
                streams_validates: spec.streams_validates(),
                streams_forgets: spec.streams_forgets(),
                awaits_first_pattern: spec.awaits_first_pattern(),
                share: spec.share_rules(),
                make: Box::new(move || make(&own)),
                refresh_interval: spec.switches.refresh_interval,
                regex_refresh: spec.switches.regex_refresh,
                values: lines.map(|lines| Values::new(lines)),
            }
        };
        let setting = Setting {
            history,
            names: stage.names,
            deployed: releases.iter().map(deployed).collect(),
            message_max_bytes: options.message_max_bytes,
            share_init: options.share_init,
        };
        let mut books =
            Books::new(history.groups.len(), history.duration, options.warmup, options.bucket, options.keep_bumps);
        books.steps = StepBooks::new(stage.rolls);
        let lines = releases.iter().map(|spec| Reading::of(spec).map(|reading| stage.readings.lines(reading)));
        let coordinator = Coordinator::new(setting);
        let assigning =
            stage.assigning.map(|plan| Box::new(Assigning::new(stage, plan, &releases, options, &coordinator)));
        Lane {
            stage,
            options,
            coordinator,
            judge: Judge::new(history, stage.heartbeats, stage.readings, books),
            catch_up: CatchUp::new(history, stage.readings, lines.collect()),
            caches: releases.iter().map(|spec| spec.switches.cache != Cache::None).collect(),
            rehashes: releases.iter().map(|spec| spec.switches.rehash == Rehash::AllOnBump).collect(),
            wakes: Wakes::new(history.groups.len()),
            walk: Walk::default(),
            timer,
            looks: Vec::new(),
            batch: Vec::new(),
            due: Vec::new(),
            pending: BTreeMap::new(),
            leaving: BTreeMap::new(),
            failing: BTreeMap::new(),
            brought: BTreeMap::new(),
            appended_bytes: 0,
            tally: Tally::default(),
            watch: Watch::default(),
            assigning,
            assigned: None,
        }
    }

    /// Replays the whole history, watching one group.
    pub fn watch(mut self, group: GroupId, go_on: GoOn<'_>) -> Option<(LaneOutcome, Vec<Sight>, Vec<Dealt>)> {
        self.watch.group = Some(group);
        if let Some(assigning) = &mut self.assigning {
            assigning.watched = Some(group);
        }
        self.run(go_on)?;
        let Watch { sights, dealt, .. } = std::mem::take(&mut self.watch);
        Some((self.outcome(), sights, dealt))
    }

    /// Replays the whole history. `go_on` is asked now and then; `None` if it said no.
    pub fn replay(mut self, go_on: GoOn<'_>) -> Option<LaneOutcome> {
        self.run(go_on)?;
        Some(self.outcome())
    }

    fn run(&mut self, go_on: GoOn<'_>) -> Option<()> {
        let history = self.stage.history;
        if self.options.exhaustive {
            self.begin_walk();
        } else {
            (0..history.groups.len()).for_each(|g| self.reschedule(GroupId::at(g), Ms::ZERO, None));
        }
        for (index, event) in history.events.iter().enumerate() {
            if index % 64 == 0 && !go_on(event.at) {
                return None;
            }
            let place = place_of(event, history);
            self.work_until(Some(place), go_on)?;
            self.happen(event, place);
        }
        self.work_until(None, go_on)?;
        let failing: Vec<GroupId> = self.failing.keys().copied().collect();
        self.settle_all(&failing, (history.duration, 0, GroupId(0), MemberId(0)));
        self.judge.books.appended_in_all(&std::mem::take(&mut self.coordinator.appended));
        self.judge.finish();
        self.assign_finish();
        self.timer.finish();
        Some(())
    }

    /// Everything that waits before `place`.
    fn work_until(&mut self, place: Option<Place>, go_on: GoOn<'_>) -> Option<()> {
        let mut steps = 0_u32;
        loop {
            if self.options.exhaustive
                && let Some(wake) = self.walk_before(place, go_on)?
            {
                self.heartbeats(wake, place);
                continue;
            }
            let Some(wake) = self.wakes.pop_before(place) else { return Some(()) };
            steps = steps.wrapping_add(1);
            if steps.is_multiple_of(4096) && !go_on(wake.at) {
                return None;
            }
            match wake.step {
                WakeStep::Heartbeat => self.heartbeats(wake, place),
                WakeStep::Patterns => self.patterns(wake),
                WakeStep::Retry => self.retry_leave(wake),
                WakeStep::Initialised => self.initialised(wake),
            }
        }
    }
}
