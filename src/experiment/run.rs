//! One run: the history is made once, then every strategy replays it, one lane after the other.

use crate::kafka::NameTable;
use crate::metrics::{CostRound, LaneOutcome, Meter, Reading, Readings, Roll, RunOutcome, ideal, rolls};
use crate::scenario::{Scenario, StrategyKind, StrategySpec};
use crate::sim::Ms;
use crate::strategy::{Nothing, registry};
use crate::world::{self, Heartbeats, History, WorldError};

use super::assigning::AssignPlan;
use super::classic::ClassicLane;
use super::costs::{BatchTimer, without};
use super::lane::{GoOn, Lane, LaneOptions, Make, Stage};
use super::steady::{self, Steady};

/// How runs are carried out.
#[derive(Clone, Copy)]
pub struct RunOptions<'a> {
    /// Walk every heartbeat.
    pub exhaustive: bool,
    /// Counted mode: no value is built or hashed twice, and nothing is measured.
    pub counted: bool,
    /// Bumps kept one by one for each lane, at most.
    pub keep_bumps: usize,
    /// Measured rounds: every lane is replayed so often, in rotating order (at least once).
    pub rounds: u32,
    /// The machine's meters.
    pub meter: &'a dyn Meter,
    /// Told now and then how far it is; false stops the work.
    pub go_on: &'a (dyn Fn(Reached) -> bool + Sync),
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    /// How many replays are over: one a strategy (and round), and where times are measured that of the one which does
    /// nothing.
    pub replays: u32,
    /// How many there are.
    pub of: u32,
    /// Where the present one is.
    pub at: Ms,
}

impl RunOptions<'_> {
    /// Replays of a run with so many strategies.
    fn replays(&self, strategies: usize) -> u32 {
        let strategies = u32::try_from(strategies).expect("strategies fit 32 bits");
        if self.counted { strategies } else { (strategies + 1).saturating_mul(self.rounds.max(1)) }
    }
}

/// Why a run has no outcome.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The scenario cannot happen.
    #[error("{}", .0.message)]
    World(WorldError),
    /// Somebody stopped it.
    #[error("interrupted")]
    Interrupted,
}

/// Makes the history of one run (from 1) and replays it to every strategy.
///
/// # Errors
/// If the scenario cannot happen, or `go_on` says no.
pub fn run_one(scenario: &Scenario, run: u32, options: RunOptions<'_>) -> Result<RunOutcome, RunError> {
    let began = options.meter.cpu_ns();
    let history = world::make(scenario, run).map_err(RunError::World)?;
    let build_ns = options.meter.cpu_ns().saturating_sub(began);
    replay(scenario, &history, run, build_ns, options)
}

/// Replays a history that is there already.
///
/// # Errors
/// If `go_on` says no.
pub fn replay(
    scenario: &Scenario,
    history: &History,
    run: u32,
    build_ns: u64,
    options: RunOptions<'_>,
) -> Result<RunOutcome, RunError> {
    let heartbeats = Heartbeats::new(history);
    let readings = Readings::new(history, scenario.strategies.iter().flat_map(readings_of).collect());
    let names = NameTable::new(&history.names.topics, &history.names.racks);
    let rolls = rolls(scenario, history);
    let plan = AssignPlan::of(scenario, history);
    let stage = Stage {
        history,
        heartbeats: &heartbeats,
        readings: &readings,
        names: &names,
        rolls: &rolls,
        assigning: plan.as_ref(),
    };
    let ideal = ideal(history, &heartbeats, &readings, scenario.warmup);
    let specs = &scenario.strategies;
    let mut replays = Replays { scenario, build_ns, options, over: 0 };
    if options.counted {
        let mut lanes = Vec::with_capacity(specs.len());
        for (spec, done) in specs.iter().zip(replays.steady(stage)?) {
            lanes.push(match done {
                Some(lane) => lane,
                None => replays.one(stage, spec, &registry::make, 1)?.0,
            });
        }
        return Ok(outcome(scenario, &heartbeats, run, lanes, ideal, rolls));
    }
    let nothing = StrategySpec::bare(StrategyKind::FullMetadata);
    let mut lanes: Vec<LaneOutcome> = specs.iter().map(|_| LaneOutcome::default()).collect();
    for round in 1..=options.rounds.max(1) {
        let make: Make<'_> = &|_| Box::new(Nothing);
        let bare = Stage { assigning: None, ..stage };
        let (_, base) = replays.one(bare, &nothing, make, round)?;
        // rotating order: no lane always runs on what another left in the machine's caches
        for turn in 0..specs.len() {
            let place = (turn + round as usize - 1) % specs.len();
            let (outcome, row) = replays.one(stage, &specs[place], &registry::make, round)?;
            if round == 1 {
                lanes[place] = outcome;
            }
            lanes[place].costs.push(without(row, &base));
        }
    }
    Ok(outcome(scenario, &heartbeats, run, lanes, ideal, rolls))
}

/// The lanes, with what is the same in all of them.
fn outcome(
    scenario: &Scenario,
    heartbeats: &Heartbeats<'_>,
    run: u32,
    mut lanes: Vec<LaneOutcome>,
    ideal: u64,
    rolls: Vec<Roll>,
) -> RunOutcome {
    let history = heartbeats.history;
    let by_bucket = heartbeats.by_bucket(scenario.bucket, scenario.warmup);
    for (lane, spec) in lanes.iter_mut().zip(&scenario.strategies) {
        lane.buckets.iter_mut().zip(&by_bucket).for_each(|(bucket, beats)| bucket.heartbeats = *beats);
        lane.strategy.clone_from(&spec.name);
        lane.outcome.ideal = ideal;
    }
    RunOutcome {
        run,
        history_id: history.id.clone(),
        entries: history.names.entries.clone(),
        groups: history.names.groups.clone(),
        rolls,
        lanes,
        notes: history.notes.clone(),
    }
}

/// How a strategy reads topics: as-deployed as each release does.
pub(super) fn readings_of(spec: &StrategySpec) -> Vec<Reading> {
    spec.by_release().iter().filter_map(Reading::of).collect()
}

/// The replays of one run.
struct Replays<'a> {
    scenario: &'a Scenario,
    build_ns: u64,
    options: RunOptions<'a>,
    /// How many are over.
    over: u32,
}

impl Replays<'_> {
    fn lane_options(&self) -> LaneOptions {
        let RunOptions { exhaustive, counted, keep_bumps, .. } = self.options;
        let scenario = self.scenario;
        LaneOptions {
            exhaustive,
            counted,
            warmup: scenario.warmup,
            bucket: scenario.bucket,
            keep_bumps,
            message_max_bytes: scenario.cluster.message_max_bytes,
            share_init: scenario.cluster.share_init,
        }
    }

    /// Lanes that can take one group after the other, all at once; `None` for the others.
    fn steady(&mut self, stage: Stage<'_>) -> Result<Vec<Option<LaneOutcome>>, RunError> {
        let specs = &self.scenario.strategies;
        let of = self.options.replays(specs.len());
        let go_on = self.options.go_on;
        let duration = self.scenario.duration.0.max(1);
        // all replays at once: as if one after the other had come so far
        let go_on: GoOn<'_> = &|at| {
            let replays = u32::try_from(at.0 * u64::from(of) / duration).unwrap_or(of);
            go_on(Reached { replays: replays.min(of), of, at: Ms(at.0 * u64::from(of) % duration) })
        };
        let done = match steady::replay(stage, specs, self.lane_options(), go_on) {
            Steady::No => vec![None; specs.len()],
            Steady::Interrupted => return Err(RunError::Interrupted),
            Steady::Done(lanes) => lanes,
        };
        self.over += u32::try_from(done.iter().flatten().count()).expect("strategies fit 32 bits");
        Ok(done)
    }

    /// One lane, measured.
    fn one(
        &mut self,
        stage: Stage<'_>,
        spec: &StrategySpec,
        make: Make<'_>,
        round: u32,
    ) -> Result<(LaneOutcome, CostRound), RunError> {
        let RunOptions { meter, go_on, .. } = self.options;
        let lane_options = self.lane_options();
        let (replays, of) = (self.over, self.options.replays(self.scenario.strategies.len()));
        let go_on: GoOn<'_> = &|at| go_on(Reached { replays, of, at });
        let began = meter.cpu_ns();
        let mut timer = BatchTimer::new(meter);
        let outcome = if spec.kind == StrategyKind::ClassicClient {
            // nothing of it is a coordinator's cost: the timer stays at nothing
            ClassicLane::new(stage, spec.switches.client, lane_options).replay(go_on)
        } else {
            Lane::new(stage, spec, make, lane_options, &mut timer).replay(go_on)
        };
        let outcome = outcome.ok_or(RunError::Interrupted)?;
        self.over += 1;
        let replay_ns = meter.cpu_ns().saturating_sub(began);
        Ok((outcome, timer.row(round, self.build_ns, replay_ns)))
    }
}
