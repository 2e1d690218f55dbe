//! What `run` shows at its end: a table on standard output, notes and the folder on standard error.

use std::path::Path;

use serde::Serialize;

use crate::coordinator::TooLarge;
use crate::metrics::{LaneOutcome, RunOutcome};
use crate::report::files::{CauseRow, Keys, OutcomeRow, StepRow, Written, header};
use crate::report::table::{MatrixRow, cause_screen, matrix_screen, run_screen, steps_screen};
use crate::report::words::thousands;
use crate::scenario::Loaded;

use super::run::{By, RunArgs};
use super::{Console, Failure, Format, results};

/// What is shown of all scenarios of a command together: the matrix, and rows that are not a table.
#[derive(Default)]
pub(super) struct Together {
    pub(super) matrix: Vec<MatrixRow>,
    /// As JSON; CSV goes out as it comes, below one header.
    objects: Vec<String>,
    has_header: bool,
}

impl Together {
    fn rows<R: Serialize + Default>(
        &mut self,
        rows: &[R],
        format: Format,
        console: &mut Console<'_>,
    ) -> Result<(), Failure> {
        if format == Format::Json {
            for row in rows {
                let object = serde_json::to_string_pretty(row).map_err(|e| Failure::Machine(e.to_string()))?;
                self.objects.push(object.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n"));
            }
            return Ok(());
        }
        let header = if std::mem::replace(&mut self.has_header, true) { String::new() } else { header::<R>() };
        console.rows(rows, format, &header)
    }

    /// After the last scenario.
    pub(super) fn close(&self, args: &RunArgs, console: &mut Console<'_>) -> Result<(), Failure> {
        if args.matrix {
            console.data(&matrix_screen(&self.matrix, console.screen()))
        } else if args.format == Format::Json {
            console.data(&format!("[\n{}\n]\n", self.objects.join(",\n")))
        } else {
            Ok(())
        }
    }
}

/// Prints the table that was asked for.
pub(super) fn print(
    args: &RunArgs,
    loaded: &Loaded,
    runs: &[RunOutcome],
    together: &mut Together,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    let scenario = &loaded.scenario;
    let keys = |run: &RunOutcome, strategy| Keys { scenario: &scenario.name, point: "", run: run.run, strategy };
    match (args.format, args.by) {
        (Format::Table, None) => {
            let result = results::result_name(&args.out, &scenario.name);
            console.data(&run_screen(scenario, runs, &result, console.screen()))
        }
        (Format::Table, Some(By::Cause)) => console.data(&cause_screen(runs, console.screen())),
        (Format::Table, Some(By::Step)) => {
            runs.first().map_or(Ok(()), |run| console.data(&steps_screen(run, console.screen())))
        }
        (format, None) => {
            let mut rows = Vec::new();
            for run in runs {
                rows.extend(run.lanes.iter().map(|l| OutcomeRow::new(keys(run, &l.strategy), l, &run.history_id)));
            }
            together.rows(&rows, format, console)
        }
        (format, Some(By::Step)) => {
            let mut rows = Vec::new();
            for run in runs {
                rows.extend(run.lanes.iter().flat_map(|lane| StepRow::all(keys(run, &lane.strategy), run, lane)));
            }
            together.rows(&rows, format, console)
        }
        (format, Some(By::Cause)) => {
            let mut rows = Vec::new();
            for run in runs {
                for lane in &run.lanes {
                    rows.extend(lane.causes.iter().map(|c| CauseRow::new(keys(run, &lane.strategy), run, c)));
                }
            }
            together.rows(&rows, format, console)
        }
    }
}

/// Notes, and where the results are.
pub(super) fn say(
    args: &RunArgs,
    loaded: &Loaded,
    runs: &[RunOutcome],
    written: &Written,
    target: &Path,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    if loaded.has_sweep {
        console.say("note: `run` takes the scenario's own values; its sweep: is not made")?;
    }
    if !args.strategies.is_empty() {
        console.say("note: expect: is not held against other strategies than the scenario's own list")?;
    }
    for warning in &loaded.warnings {
        console.say(&format!("note: {warning}"))?;
    }
    let many = runs.len() > 1;
    for run in runs {
        for note in &run.notes {
            let at = if many { format!("run {}: ", run.run) } else { String::new() };
            console.say(&format!("note: {at}{note}"))?;
        }
    }
    for note in &written.notes {
        console.say(&format!("note: {note}"))?;
    }
    console.say(&format!("Written to {}/", target.display()))
}

/// What Kafka would have refused to write; the figures of such a strategy go on as if it had not.
pub(super) fn too_large(run: &RunOutcome) -> Vec<String> {
    let said = |lane: &LaneOutcome| {
        let TooLarge { group, record, batch_bytes, limit, times } = lane.too_large?;
        Some(format!(
            "{}: group {} would write a {} record of {} bytes with its batch, and message.max.bytes is {}: Kafka \
             refuses it as too large, and the heartbeat fails ({}; the figures go on as if it were written)",
            lane.strategy,
            run.groups[group.index()],
            record.name(),
            thousands(batch_bytes),
            thousands(limit),
            if times == 1 { "1 such batch".to_owned() } else { format!("{} such batches", thousands(times)) },
        ))
    };
    run.lanes.iter().filter_map(said).collect()
}
