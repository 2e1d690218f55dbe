//! The seams between the verbs and the rooms below: each is one call.

use std::io::Write;

use crate::experiment::{self, RunError, RunOptions};
use crate::metrics::{Meter, RunOutcome};
use crate::report::explained;
use crate::report::files::Provenance;
use crate::report::table::Screen;
use crate::scenario::{self, Loaded, Scenario, StrategySpec};
use crate::world::{self, WorldError};

use super::Failure;
use super::explain::Question;

/// How a run is made.
pub(super) struct Options<'a> {
    /// Which, from 1.
    pub(super) run: u32,
    /// Walk every heartbeat.
    pub(super) exhaustive: bool,
    /// Rebalances kept one by one in each lane, at most.
    pub(super) keep_bumps: u64,
    /// The machine's meters.
    pub(super) meter: &'a dyn Meter,
    /// Asked now and then: is it time to stop?
    pub(super) stop: &'a (dyn Fn() -> bool + Sync),
}

/// Makes one run; `None`: it was asked to stop.
pub(super) fn simulate(loaded: &Loaded, options: &Options<'_>) -> Result<Option<RunOutcome>, Failure> {
    let go_on = || !(options.stop)();
    let how = RunOptions {
        exhaustive: options.exhaustive,
        keep_bumps: usize::try_from(options.keep_bumps).unwrap_or(usize::MAX),
        rounds: 1,
        meter: options.meter,
        go_on: &go_on,
    };
    match experiment::run_one(&loaded.scenario, options.run, how) {
        Ok(outcome) => Ok(Some(outcome)),
        Err(RunError::Interrupted) => Ok(None),
        Err(RunError::World(error)) => Err(cannot_happen(loaded, &error)),
    }
}

/// A scenario that cannot happen, pointing at the entry that cannot.
fn cannot_happen(loaded: &Loaded, error: &WorldError) -> Failure {
    let message = error.to_string();
    Failure::Input(match error.entry {
        Some(entry) => loaded.entry_error(entry, &message).to_string(),
        None => message,
    })
}

/// Explains results: makes the history again and replays the strategies asked for.
pub(super) fn explain(
    provenance: &Provenance,
    question: &Question<'_>,
    markdown: bool,
    screen: Screen,
) -> Result<String, Failure> {
    let name = &provenance.scenario;
    let read = scenario::load_text(name, &provenance.resolved, &[])
        .map_err(|problems| Failure::Input(format!("the scenario in provenance.yaml cannot be read:\n{problems}")))?;
    let scenario = &read.scenario;
    let history = world::make(scenario, 1).map_err(|error| cannot_happen(&read, &error))?;
    let known = provenance.histories.first();
    if known != Some(&history.id) {
        return Err(Failure::Input(format!(
            "these results have history {}, and this version makes {} of their scenario: run it again",
            known.map_or("none", String::as_str),
            history.id
        )));
    }
    let told = match question {
        Question::Group { group, strategy: name } => {
            let spec = name.map(|name| strategy(scenario, name)).transpose()?;
            explained::group(scenario, &history, spec, *group, screen).map_err(Failure::Input)?
        }
        Question::Parting(a, b) => {
            explained::parting(scenario, &history, strategy(scenario, a)?, strategy(scenario, b)?, screen)
        }
    };
    Ok(if markdown { told.markdown() } else { told.screen() })
}

fn strategy<'a>(scenario: &'a Scenario, name: &str) -> Result<&'a StrategySpec, Failure> {
    let names: Vec<&str> = scenario.strategies.iter().map(|s| s.name.as_str()).collect();
    let found = scenario.strategies.iter().find(|s| s.name == name);
    found.ok_or_else(|| Failure::Input(format!("no strategy {name} in these results; there are {}", names.join(", "))))
}

/// Writes a run's history as JSON Lines.
pub(super) fn history(_loaded: &Loaded, _run: u32, _out: &mut dyn Write) -> Result<(), Failure> {
    Err(Failure::Machine("histories cannot be written yet".to_owned()))
}
