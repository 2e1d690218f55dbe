//! One run: the history is made once, then every strategy replays it, one lane after the other.

use crate::kafka::NameTable;
use crate::metrics::{CostRound, LaneOutcome, Meter, NoMeter, Reading, Readings, Roll, RunOutcome, ideal, rolls};
use crate::scenario::{Scenario, StrategyKind, StrategySpec};
use crate::sim::Ms;
use crate::strategy::{Nothing, registry};
use crate::world::{self, Heartbeats, History, WorldError};

use super::Way;
use super::assigning::AssignPlan;
use super::classic::ClassicLane;
use super::costs::{BatchTimer, without};
use super::lane::{GoOn, Lane, LaneOptions, Make, Stage};
use super::steady::{self, Done, Steady};

/// How runs are carried out.
#[derive(Clone, Copy)]
pub struct RunOptions<'a> {
    /// In which way.
    pub way: Way,
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
    /// How many replays are over: one a strategy (and round), and where times are measured those of the one which does
    /// nothing, and one for the books of groups that come one after the other.
    pub replays: u32,
    /// How many there are.
    pub of: u32,
    /// Where the present one is.
    pub at: Ms,
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
    // what only counts reads no clock: that is a call of the system, at every batch
    let meter: &dyn Meter = if options.way == Way::Counted { &NoMeter } else { options.meter };
    let options = RunOptions { meter, ..options };
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
    let mut replays = Replays { scenario, stage, build_ns, options, over: 0, of: count(specs.len()) };
    let lanes = if options.way == Way::Counted { replays.counted()? } else { replays.measured()? };
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

fn count(lanes: usize) -> u32 {
    u32::try_from(lanes).expect("strategies fit 32 bits")
}

/// The replays of one run.
struct Replays<'a> {
    scenario: &'a Scenario,
    stage: Stage<'a>,
    build_ns: u64,
    options: RunOptions<'a>,
    /// How many are over, and how many there are.
    over: u32,
    of: u32,
}

impl Replays<'_> {
    /// Every lane's books, and nothing measured.
    fn counted(&mut self) -> Result<Vec<LaneOutcome>, RunError> {
        let specs = &self.scenario.strategies;
        let done = self.steady(self.of)?;
        self.over += count(done.iter().flatten().count());
        let lane = |(spec, done): (_, Option<LaneOutcome>)| match done {
            Some(lane) => Ok(lane),
            None => self.one(self.stage, spec, &registry::make, 1).map(|(lane, _)| lane),
        };
        specs.iter().zip(done).map(lane).collect()
    }

    /// Every lane's books, and what its strategy cost in every round. Where groups can come one after the other, books are
    /// made so, all lanes' at a time, and each strategy does its work apart.
    fn measured(&mut self) -> Result<Vec<LaneOutcome>, RunError> {
        let specs = &self.scenario.strategies;
        let rounds = self.options.rounds.max(1);
        self.of = 1 + (count(specs.len()) + 2).saturating_mul(rounds);
        let mut lanes = self.steady(1)?;
        let apart: Vec<bool> = lanes.iter().map(Option::is_some).collect();
        let (any, all) = (apart.contains(&true), !apart.contains(&false));
        self.over = u32::from(any);
        self.of = self.over + (count(specs.len()) + u32::from(any) + u32::from(!all)).saturating_mul(rounds);
        let bare = Stage { assigning: None, ..self.stage };
        let spec = StrategySpec::bare(StrategyKind::FullMetadata);
        let nothing: Make<'_> = &|_| Box::new(Nothing);
        for round in 1..=rounds {
            let base_apart = if any { Some(self.at_work(&spec, nothing, round)?.1) } else { None };
            let base = if all { None } else { Some(self.one(bare, &spec, nothing, round)?.1) };
            // rotating order: no lane always runs on what another left in the machine's caches
            for turn in 0..specs.len() {
                let place = (turn + round as usize - 1) % specs.len();
                let (row, base) = if apart[place] {
                    let (done, row) = self.at_work(&specs[place], &registry::make, round)?;
                    debug_assert!(
                        lanes[place].as_ref().is_some_and(|lane| done.is_booked(lane)),
                        "{}",
                        specs[place].name
                    );
                    (row, &base_apart)
                } else {
                    let (lane, row) = self.one(self.stage, &specs[place], &registry::make, round)?;
                    lanes[place].get_or_insert(lane);
                    (row, &base)
                };
                let base = base.as_ref().expect("there is one for each way");
                lanes[place].as_mut().expect("it is over").costs.push(without(row, base));
            }
        }
        Ok(lanes.into_iter().flatten().collect())
    }

    fn lane_options(&self) -> LaneOptions {
        let RunOptions { way, keep_bumps, .. } = self.options;
        let scenario = self.scenario;
        LaneOptions {
            exhaustive: way == Way::Exhaustive,
            in_order: matches!(way, Way::InOrder | Way::Exhaustive),
            counted: way == Way::Counted,
            warmup: scenario.warmup,
            bucket: scenario.bucket,
            keep_bumps,
            message_max_bytes: scenario.cluster.message_max_bytes,
            share_init: scenario.cluster.share_init,
        }
    }

    /// Lanes that can take one group after the other, all at once; `None` for the others. They are so many of the replays.
    fn steady(&self, share: u32) -> Result<Vec<Option<LaneOutcome>>, RunError> {
        let specs = &self.scenario.strategies;
        let (go_on, of) = (self.options.go_on, self.of);
        let duration = self.scenario.duration.0.max(1);
        // all of them at once: as if one after the other had come so far
        let go_on: GoOn<'_> = &|at| {
            let replays = u32::try_from(at.0 * u64::from(share) / duration).unwrap_or(share);
            go_on(Reached { replays: replays.min(share), of, at: Ms(at.0 * u64::from(share) % duration) })
        };
        if !go_on(Ms::ZERO) {
            return Err(RunError::Interrupted);
        }
        match steady::replay(self.stage, specs, self.lane_options(), go_on) {
            Steady::No => Ok(vec![None; specs.len()]),
            Steady::Interrupted => Err(RunError::Interrupted),
            Steady::Done(lanes) => Ok(lanes),
        }
    }

    /// One strategy's work, measured.
    fn at_work(&mut self, spec: &StrategySpec, make: Make<'_>, round: u32) -> Result<(Done, CostRound), RunError> {
        let RunOptions { meter, go_on, .. } = self.options;
        let (replays, of) = (self.over, self.of);
        let go_on: GoOn<'_> = &|at| go_on(Reached { replays, of, at });
        let began = meter.cpu_ns();
        let mut timer = BatchTimer::new(meter);
        let done = steady::work(self.stage, &|| make(spec), self.scenario.warmup, &mut timer, go_on);
        let done = done.ok_or(RunError::Interrupted)?;
        self.over += 1;
        let replay_ns = meter.cpu_ns().saturating_sub(began);
        Ok((done, timer.row(round, self.build_ns, replay_ns)))
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
        let (replays, of) = (self.over, self.of);
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::metrics::Allocated;
    use crate::scenario::load_text;

    /// Counts how often it is read.
    #[derive(Default)]
    struct Read(AtomicU64);

    impl Meter for Read {
        fn cpu_ns(&self) -> u64 {
            self.0.fetch_add(1, Ordering::Relaxed)
        }
        fn wall_ns(&self) -> u64 {
            self.0.fetch_add(1, Ordering::Relaxed)
        }
        fn allocated(&self) -> Allocated {
            self.0.fetch_add(1, Ordering::Relaxed);
            Allocated::default()
        }
    }

    #[test]
    fn what_only_counts_reads_no_clock() {
        // somebody leaves, so that its lanes go in order of time
        let text = "topics: {t: {}}\ngroups: {g: {members: 3, topics: [t]}}\nhistory: [{leave: {at: 1m, group: g, member: m-1}}]\n";
        let scenario = load_text("s", text, &[]).unwrap_or_else(|problems| panic!("{problems}")).scenario;
        let history = world::make(&scenario, 1).expect("it can happen");
        let read = |way| {
            let meter = Read::default();
            let options = RunOptions { way, keep_bumps: 0, rounds: 1, meter: &meter, go_on: &|_| true };
            replay(&scenario, &history, 1, 0, options).expect("nobody stops it");
            meter.0.into_inner()
        };
        assert_eq!(read(Way::Counted), 0);
        assert!(read(Way::Measured) > 0);
    }
}
