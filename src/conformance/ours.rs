//! What our lane did with a history, in the form in which Kafka's is told.

use crate::experiment::{RunError, RunOptions, Way, replay};
use crate::metrics::NoMeter;
use crate::scenario::{Scenario, StrategySpec};
use crate::sim::Ms;
use crate::world::History;

/// A bump of our lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OurBump {
    /// When.
    pub at: Ms,
    /// Whose.
    pub group: String,
    /// The epoch it made.
    pub epoch: u64,
    /// The hash stored with it, by a strategy that stores one.
    pub hash: Option<u64>,
    /// The judge's word.
    pub verdict: &'static str,
}

/// All of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ours {
    /// In order of time.
    pub bumps: Vec<OurBump>,
    /// Records of types 3, 4, 5 and 16 and tombstones of every type.
    pub log_records: u64,
    /// Their keys and values.
    pub log_bytes: u64,
    /// Keys and values of records of types 6, 7 and 8, if every group has the assignor that the driver's groups have.
    pub assign_log_bytes: Option<u64>,
    /// Operations that failed.
    pub failures: u64,
    /// Accepted heartbeats.
    pub heartbeats: u64,
}

/// Replays the strategy over the history, everything counted from time 0.
///
/// # Errors
/// If it was interrupted.
pub fn ours(
    scenario: &Scenario,
    history: &History,
    spec: &StrategySpec,
    go_on: &(dyn Fn() -> bool + Sync),
) -> Result<Ours, RunError> {
    let scenario = Scenario { strategies: vec![spec.clone()], warmup: Ms::ZERO, ..scenario.clone() };
    let options =
        RunOptions { way: Way::InOrder, keep_bumps: usize::MAX, rounds: 1, meter: &NoMeter, go_on: &|_| go_on() };
    let run = replay(&scenario, history, 1, 0, options)?;
    let lane = &run.lanes[0];
    let bumps = lane.bumps.iter().map(|bump| OurBump {
        at: bump.at,
        group: history.names.groups[bump.group.index()].clone(),
        epoch: u64::from(bump.epoch),
        hash: bump.hash,
        verdict: bump.verdict.name(),
    });
    let outcome = &lane.outcome;
    let as_driver = scenario.groups.iter().all(|group| group.assignor.as_deref() == Some("uniform"));
    Ok(Ours {
        bumps: bumps.collect(),
        log_records: outcome.offsets_log_records,
        log_bytes: outcome.offsets_log_bytes,
        assign_log_bytes: outcome.assigned.filter(|_| as_driver).map(|a| a.assign_log_bytes),
        failures: outcome.failures,
        heartbeats: outcome.heartbeats,
    })
}
