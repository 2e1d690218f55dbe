//! One run: the history is made once, then every strategy replays it, one lane after the other.

use crate::kafka::NameTable;
use crate::metrics::{CostRound, LaneOutcome, Meter, Reading, Readings, RunOutcome, ideal, rolls};
use crate::scenario::{Scenario, StrategyKind, StrategySpec};
use crate::strategy::{Nothing, registry};
use crate::world::{self, Heartbeats, History, WorldError};

use super::assigning::AssignPlan;
use super::classic::ClassicLane;
use super::costs::{BatchTimer, without};
use super::lane::{Lane, LaneOptions, Make, Stage};

/// How runs are carried out.
#[derive(Clone, Copy)]
pub struct RunOptions<'a> {
    /// Walk every heartbeat.
    pub exhaustive: bool,
    /// Bumps kept one by one for each lane, at most.
    pub keep_bumps: usize,
    /// Measured rounds: every lane is replayed so often, in rotating order (at least once).
    pub rounds: u32,
    /// The machine's meters.
    pub meter: &'a dyn Meter,
    /// Asked now and then; false stops the work.
    pub go_on: &'a (dyn Fn() -> bool + Sync),
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
    let nothing = StrategySpec::bare(StrategyKind::FullMetadata);
    let mut lanes: Vec<LaneOutcome> = specs.iter().map(|_| LaneOutcome::default()).collect();
    for round in 1..=options.rounds.max(1) {
        let make: Make<'_> = &|_| Box::new(Nothing);
        let bare = Stage { assigning: None, ..stage };
        let (_, base) = measured(bare, scenario, &nothing, make, round, build_ns, options)?;
        // rotating order: no lane always runs on what another left in the machine's caches
        for turn in 0..specs.len() {
            let place = (turn + round as usize - 1) % specs.len();
            let (outcome, row) = measured(stage, scenario, &specs[place], &registry::make, round, build_ns, options)?;
            if round == 1 {
                lanes[place] = outcome;
            }
            lanes[place].costs.push(without(row, &base));
        }
    }
    for (lane, spec) in lanes.iter_mut().zip(specs) {
        lane.strategy.clone_from(&spec.name);
        lane.outcome.ideal = ideal;
    }
    Ok(RunOutcome {
        run,
        history_id: history.id.clone(),
        entries: history.names.entries.clone(),
        groups: history.names.groups.clone(),
        rolls,
        lanes,
        notes: history.notes.clone(),
    })
}

/// How a strategy reads topics: as-deployed as each release does.
pub(super) fn readings_of(spec: &StrategySpec) -> Vec<Reading> {
    spec.by_release().iter().filter_map(Reading::of).collect()
}

/// One lane, measured.
fn measured(
    stage: Stage<'_>,
    scenario: &Scenario,
    spec: &StrategySpec,
    make: Make<'_>,
    round: u32,
    build_ns: u64,
    options: RunOptions<'_>,
) -> Result<(LaneOutcome, CostRound), RunError> {
    let lane_options = LaneOptions {
        exhaustive: options.exhaustive,
        warmup: scenario.warmup,
        bucket: scenario.bucket,
        keep_bumps: options.keep_bumps,
        message_max_bytes: scenario.cluster.message_max_bytes,
        share_init: scenario.cluster.share_init,
    };
    let began = options.meter.cpu_ns();
    let mut timer = BatchTimer::new(options.meter);
    let outcome = if spec.kind == StrategyKind::ClassicClient {
        // nothing of it is a coordinator's cost: the timer stays at nothing
        ClassicLane::new(stage, spec.switches.client, lane_options).replay(options.go_on)
    } else {
        Lane::new(stage, spec, make, lane_options, &mut timer).replay(options.go_on)
    };
    let outcome = outcome.ok_or(RunError::Interrupted)?;
    let replay_ns = options.meter.cpu_ns().saturating_sub(began);
    Ok((outcome, timer.row(round, build_ns, replay_ns)))
}
