//! The seams between the verbs and the rooms below: each is one call.

use std::io::Write;

use crate::metrics::{Meter, RunOutcome};
use crate::report::files::Provenance;
use crate::report::table::Screen;
use crate::scenario::Scenario;

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

/// Writes a run's history as JSON Lines.
pub(super) fn history(_scenario: &Scenario, _run: u32, _out: &mut dyn Write) -> Result<(), Failure> {
    Err(Failure::Machine("histories cannot be written yet".to_owned()))
}
