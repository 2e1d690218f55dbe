//! The seams between the verbs and the rooms below: each is one call.

use std::io::Write;
use std::path::Path;

use crate::metrics::{Meter, RunOutcome};
use crate::report::files::{Provenance, Source};
use crate::report::table::Screen;
use crate::scenario::Scenario;

use super::Failure;
use super::explain::Question;

/// A scenario with all that provenance.yaml keeps of it.
#[derive(Clone, Debug)]
pub(super) struct Loaded {
    /// As meant.
    pub(super) scenario: Scenario,
    /// The files that it was read from, the one given first.
    pub(super) sources: Vec<Source>,
    /// With every default filled in.
    pub(super) resolved: String,
    /// What a person should know, such as a `sweep:` that `run` does not make.
    pub(super) notes: Vec<String>,
}

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

/// Reads a scenario; the text of an error has all its problems.
pub(super) fn load(_path: &Path, _set: &[String], _colour: bool) -> Result<Loaded, String> {
    Err("error: scenarios cannot be read yet".to_owned())
}

/// Makes one run; `None`: it was asked to stop.
pub(super) fn simulate(_scenario: &Scenario, _options: &Options<'_>) -> Result<Option<RunOutcome>, Failure> {
    Err(Failure::Machine("scenarios cannot be run yet".to_owned()))
}

/// Explains results.
pub(super) fn explain(
    _provenance: &Provenance,
    _question: &Question<'_>,
    _markdown: bool,
    _screen: Screen,
) -> Result<String, Failure> {
    Err(Failure::Machine("results cannot be explained yet".to_owned()))
}

/// The JSON Schema of scenario files.
pub(super) fn schema() -> Result<String, Failure> {
    Err(Failure::Machine("there is no schema yet".to_owned()))
}

/// Writes a run's history as JSON Lines.
pub(super) fn history(_scenario: &Scenario, _run: u32, _out: &mut dyn Write) -> Result<(), Failure> {
    Err(Failure::Machine("histories cannot be written yet".to_owned()))
}
