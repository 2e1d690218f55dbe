//! What the promises are held with: a scenario's text in, a run's outcome out.

use rebalance_sim::experiment::{RunOptions, Way, run_one};
use rebalance_sim::metrics::{Counts, LaneOutcome, NoMeter, Outcome, RunOutcome};
use rebalance_sim::scenario::{Loaded, load_text};

/// Every strategy that a case means where it names none.
pub(crate) const FOUR: [&str; 4] = ["full-metadata", "topic-hash", "group-hash", "group-hash-uncached"];

/// Reads a scenario that must be right.
pub(crate) fn load(yaml: &str) -> Loaded {
    load_text("case", yaml, &[]).unwrap_or_else(|problems| panic!("{problems}"))
}

/// Runs it once.
pub(crate) fn run(yaml: &str) -> RunOutcome {
    run_as(&load(yaml), 1, false)
}

/// Runs it once, as the plain walk or not.
pub(crate) fn run_as(loaded: &Loaded, run: u32, exhaustive: bool) -> RunOutcome {
    let way = if exhaustive { Way::Exhaustive } else { Way::Measured };
    let options = RunOptions { way, keep_bumps: 1_000_000, rounds: 1, meter: &NoMeter, go_on: &|_| true };
    run_one(&loaded.scenario, run, options).unwrap_or_else(|error| panic!("{error}"))
}

/// What the scenario's text says is wrong.
pub(crate) fn problems(yaml: &str) -> String {
    match load_text("case", yaml, &[]) {
        Ok(_) => panic!("this was read without a word:\n{yaml}"),
        Err(problems) => problems.to_string(),
    }
}

pub(crate) fn lane<'a>(run: &'a RunOutcome, strategy: &str) -> &'a LaneOutcome {
    run.lanes.iter().find(|lane| lane.strategy == strategy).unwrap_or_else(|| panic!("no lane {strategy}"))
}

pub(crate) fn outcome<'a>(run: &'a RunOutcome, strategy: &str) -> &'a Outcome {
    &lane(run, strategy).outcome
}

pub(crate) fn counts(run: &RunOutcome, strategy: &str) -> Counts {
    outcome(run, strategy).counts
}

/// (rebalances, spurious, missed) of a strategy.
pub(crate) fn verdict(run: &RunOutcome, strategy: &str) -> (u64, u64, u64) {
    let counts = counts(run, strategy);
    (counts.rebalances(), counts.spurious, counts.missed)
}

/// When a strategy rebalanced, in milliseconds.
pub(crate) fn times(run: &RunOutcome, strategy: &str) -> Vec<u64> {
    lane(run, strategy).bumps.iter().map(|bump| bump.at.0).collect()
}
