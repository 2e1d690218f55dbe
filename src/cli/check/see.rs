//! What a scenario comes to now: by running it, or from what `run` wrote.

use std::collections::BTreeMap;
use std::path::Path;

use crate::experiment::Way;
use crate::report::check::{Baseline, Seen, TrailRow, checkpoints, first_difference, parting, trail};
use crate::report::expect;
use crate::report::files::{BumpRow, Cells, Keys, OutcomeRow, header, lines};
use crate::scenario::Loaded;

use super::super::engine::{self, Options};
use super::super::{Failure, Host};
use super::CheckArgs;

/// Runs a scenario.
pub(super) fn simulate(
    args: &CheckArgs,
    host: &Host<'_>,
    loaded: &Loaded,
    baseline: Option<&Baseline>,
) -> Result<Seen, Failure> {
    let scenario = &loaded.scenario;
    let options = Options { way: Way::Counted, keep_bumps: u64::MAX, rounds: 1, meter: host.meter, reached: &|_| () };
    let mut seen = Seen { outcomes: header::<OutcomeRow<'_>>(), ..Seen::default() };
    for run in 1..=scenario.runs {
        let outcome = engine::simulate(loaded, run, options)?.outcome;
        if args.twice {
            // the other time measuring, so that both ways are held against each other
            let measuring = Options { way: Way::Measured, ..options };
            let again = engine::simulate(loaded, run, measuring)?.outcome;
            if let Some(what) = first_difference(&checkpoints(&outcome), &checkpoints(&again)) {
                seen.broken.push(format!("run {run} made twice: {what}"));
            }
        }
        let keys = |strategy| Keys { scenario: &scenario.name, point: "", run, strategy };
        for lane in &outcome.lanes {
            seen.outcomes.push_str(&lines(&[OutcomeRow::new(keys(&lane.strategy), lane, &outcome.history_id)]));
            let bumps = || lane.bumps.iter().map(|bump| BumpRow::new(keys(&lane.strategy), &outcome, bump));
            seen.look(baseline, run, &lane.strategy, bumps);
        }
        seen.broken.extend(expect::broken(scenario, &loaded.expectations, &outcome));
    }
    Ok(seen)
}

impl Seen {
    /// Keeps a strategy's rebalances in little room, and where they part from the baseline's.
    fn look<'b, I>(&mut self, baseline: Option<&Baseline>, run: u32, strategy: &str, bumps: impl Fn() -> I)
    where
        I: Iterator<Item = BumpRow<'b>>,
    {
        self.trail.extend(trail(bumps()));
        let own = |row: &&TrailRow<'_>| row.run == run && row.strategy == strategy;
        let then: Option<Vec<_>> = baseline.map(|baseline| baseline.trail.iter().filter(own).collect());
        if let Some(parting) = then.and_then(|then| parting(&then, bumps())) {
            self.partings.push((run, strategy.to_owned(), parting));
        }
    }
}

/// What `run` wrote.
pub(super) fn read_results(folder: &Path, baseline: Option<&Baseline>) -> Result<Seen, Failure> {
    let path = folder.join("outcomes.csv");
    let outcomes = std::fs::read_to_string(&path)
        .map_err(|e| Failure::Input(format!("cannot read {}: {e}; `rebalance-sim run` writes it", path.display())))?;
    let cells = Cells::parse(&outcomes).map_err(|why| Failure::Input(format!("{}: {why}", path.display())))?;
    let mut seen = Seen { outcomes, ..Seen::default() };
    // left out where there are many: then the cells are held, and no first rebalance is named
    let path = folder.join("bumps.csv");
    let Ok(mut reader) = csv::Reader::from_path(&path) else { return Ok(seen) };
    let mut of: BTreeMap<(u32, String), Vec<BumpRow<'static>>> = BTreeMap::new();
    for row in reader.deserialize() {
        let row: BumpRow<'static> = row.map_err(|e| Failure::Input(format!("{}: {e}", path.display())))?;
        if row.verdict == "cut-off" {
            return Ok(seen);
        }
        of.entry((row.run, row.strategy.to_string())).or_default().push(row);
    }
    for row in &cells.rows {
        let (run, strategy) = (cells.cell(row, "run").parse().unwrap_or(0), cells.cell(row, "strategy"));
        let bumps = of.remove(&(run, strategy.to_owned())).unwrap_or_default();
        seen.look(baseline, run, strategy, || bumps.iter().cloned());
    }
    Ok(seen)
}
