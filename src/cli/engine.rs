//! From a scenario that was read to the outcome of a run: the one place where the verbs meet the conductor.

use crate::experiment::{Landmarks, Reached, RunError, RunOptions, Way, replay};
use crate::metrics::{Meter, RunOutcome};
use crate::report::explained;
use crate::report::files::Provenance;
use crate::report::table::Screen;
use crate::scenario::{self, HappenedFile, Loaded, LogWindow, Scenario, StrategySpec};
use crate::world::{self, History, MakeError, Recorded, RecordedError, WorldError};

use super::explain::Question;
use super::{Failure, interrupt};

/// How a run is made.
#[derive(Clone, Copy)]
pub(super) struct Options<'a> {
    /// In which way.
    pub(super) way: Way,
    /// Rebalances kept one by one in each lane, at most.
    pub(super) keep_bumps: u64,
    /// How often every strategy is measured.
    pub(super) rounds: u32,
    /// The machine's meters.
    pub(super) meter: &'a dyn Meter,
    /// Told how far it is.
    pub(super) reached: &'a (dyn Fn(Reached) + Sync),
}

/// A run, and what stood out in its history.
#[derive(Clone, Debug)]
pub(super) struct Simulated {
    pub(super) outcome: RunOutcome,
    pub(super) landmarks: Landmarks,
}

/// Makes one run (from 1).
pub(super) fn simulate(loaded: &Loaded, run: u32, options: Options<'_>) -> Result<Simulated, Failure> {
    let began = options.meter.cpu_ns();
    let history = history(loaded, run)?;
    let build_ns = options.meter.cpu_ns().saturating_sub(began);
    let run_options = RunOptions {
        way: options.way,
        keep_bumps: usize::try_from(options.keep_bumps).unwrap_or(usize::MAX),
        rounds: options.rounds,
        meter: options.meter,
        go_on: &|reached| {
            (options.reached)(reached);
            !interrupt::asked()
        },
    };
    let outcome = replay(&loaded.scenario, &history, run, build_ns, run_options).map_err(|e| match e {
        RunError::World(error) => impossible(loaded, &error),
        RunError::Interrupted => Failure::Interrupted,
    })?;
    Ok(Simulated { outcome, landmarks: Landmarks::of(&loaded.scenario, &history) })
}

/// Makes the history of one run (from 1), or reads it where the scenario says `history: {from: FILE}`.
pub(super) fn history(loaded: &Loaded, run: u32) -> Result<History, Failure> {
    if let Some(HappenedFile { path, log }) = &loaded.history_from {
        let file = path.display();
        let text = std::fs::read_to_string(path).map_err(|e| Failure::Input(format!("cannot read {file}: {e}")))?;
        let damaged = |e: &RecordedError| Failure::Input(format!("{file}:{}: {}", e.line, e.message));
        if Recorded::is_dump(&text) {
            let recorded = Recorded::read(&text).map_err(|e| damaged(&e))?;
            return world::make_recorded(&loaded.scenario, run, &recorded, *log).map_err(|error| match error {
                MakeError::Log(error) => damaged(&error),
                MakeError::World(error) => impossible(loaded, &error),
            });
        }
        if *log != LogWindow::default() || !loaded.scenario.history.is_empty() {
            return Err(Failure::Input(format!(
                "{file} is a whole history, members and all; `since`, `gap` and `also` are for a metadata log"
            )));
        }
        return world::jsonl::read(&text).map_err(|e| Failure::Input(format!("{file}:{}: {}", e.line, e.message)));
    }
    let history = world::make(&loaded.scenario, run).map_err(|error| impossible(loaded, &error))?;
    if interrupt::asked() { Err(Failure::Interrupted) } else { Ok(history) }
}

/// What the scenario asks for cannot happen, and where it stands.
fn impossible(loaded: &Loaded, error: &WorldError) -> Failure {
    match error.entry {
        Some(entry) => Failure::Diagnosed(Box::new(loaded.entry_error(entry, &error.message))),
        None => Failure::Input(error.message.clone()),
    }
}

/// Explains results: makes the history again and replays the strategies asked for.
pub(super) fn explain(
    provenance: &Provenance,
    run: u32,
    question: &Question<'_>,
    markdown: bool,
    screen: Screen,
) -> Result<String, Failure> {
    let name = &provenance.scenario;
    let read = scenario::load_text(&format!("{name}.yaml"), &provenance.resolved, &[])
        .map_err(|problems| Failure::Input(format!("the scenario in provenance.yaml cannot be read:\n{problems}")))?;
    let scenario = &read.scenario;
    let runs = provenance.histories.len();
    let Some(known) = provenance.histories.get(run as usize - 1) else {
        return Err(Failure::Input(format!("there is no run {run} in these results; there {}", are(runs))));
    };
    let history = history(&read, run)?;
    if *known != history.id {
        return Err(Failure::Input(format!(
            "these results have history {}, and this version makes {} of their scenario: run it again",
            known, history.id
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

fn are(runs: usize) -> String {
    if runs == 1 { "is one".to_owned() } else { format!("are {runs}") }
}

fn strategy<'a>(scenario: &'a Scenario, name: &str) -> Result<&'a StrategySpec, Failure> {
    let names: Vec<&str> = scenario.strategies.iter().map(|s| s.name.as_str()).collect();
    let found = scenario.strategies.iter().find(|s| s.name == name);
    found.ok_or_else(|| Failure::Input(format!("no strategy {name} in these results; there are {}", names.join(", "))))
}
