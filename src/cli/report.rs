//! `report RESULT`: all of a results folder as one page for a browser.

use std::borrow::Cow;
use std::io::Write;
use std::path::PathBuf;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::report::charts::{Data, SWEEP_METRIC, charts};
use crate::report::files::{
    BumpRow, CauseRow, CostRow, FolderError, GroupRow, HeapRow, LogRow, OutcomeRow, ReadError, read_rows,
};
use crate::report::html::{Because, Explained, HtmlError, Table, page};
use crate::report::table::{Screen, worst_groups};
use crate::report::words::{about, plural, thousands};
use crate::sim::Ms;

use super::explain::Question;
use super::results::{self, Read};
use super::{Console, Failure, engine};

/// Of the rebalances of one cause so many are shown.
const FIRST_FEW: usize = 5;

#[derive(Debug, clap::Args)]
pub(super) struct ReportArgs {
    /// A results folder, or the name of a scenario in results/
    result: String,
    /// Write this file (default: report.html in the results folder)
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Leave out the explanations, which make the history again
    #[arg(long)]
    quick: bool,
    /// No words on standard error
    #[arg(long, short)]
    quiet: bool,
}

pub(super) fn run(args: &ReportArgs, console: &mut Console<'_>) -> Result<(), Failure> {
    let read = results::read(&args.result)?;
    let data = Data::read(&read.folder, &read.provenance, &read.scenario);
    let mut problems = data.problems.clone();
    let mut tables = Vec::new();
    let outcomes: Vec<OutcomeRow<'static>> = rows(&read, "outcomes.csv", &mut problems);
    tables.extend(table("outcomes.csv", "What each strategy did", &outcomes)?);
    let causes: Vec<CauseRow<'static>> = rows(&read, "causes.csv", &mut problems);
    tables.extend(table("causes.csv", "Who caused it", &causes)?);
    let groups: Vec<GroupRow<'static>> = rows(&read, "groups.csv", &mut problems);
    tables.extend(table("groups.csv", "Groups, the worst first", &worst_groups(groups))?);
    let costs: Vec<CostRow<'static>> = rows(&read, "costs.csv", &mut problems);
    tables.extend(table("costs.csv", "Measured costs", &costs)?);
    let heap: Vec<HeapRow<'static>> = rows(&read, "heap.csv", &mut problems);
    let held: Vec<HeapRow<'static>> = heap.into_iter().filter(|row| row.bytes > 0).collect();
    tables.extend(table("heap.csv", "Who holds the memory", &held)?);
    let log: Vec<LogRow<'static>> = rows(&read, "log.csv", &mut problems);
    tables.extend(table("log.csv", "The offsets log by type of record", &log)?);
    // left out by a run with many rebalances: no problem then
    let there = read.folder.join("bumps.csv").exists();
    let bumps: Vec<BumpRow<'static>> = if there { rows(&read, "bumps.csv", &mut problems) } else { Vec::new() };
    let mut explained = Vec::new();
    for row in outcomes.iter().filter(|row| row.run == 1 && row.point.is_empty()) {
        explained.push(explain(args, &read, row, &causes, &bumps));
    }
    let said: Vec<String> = distinct(&problems);
    let html = page(&read.provenance, &tables, &charts(&data, SWEEP_METRIC), &explained, &said).map_err(broken)?;
    let target = args.out.clone().unwrap_or_else(|| read.folder.join("report.html"));
    write(&target, &html)?;
    if !args.quiet {
        console.say(&format!("Written to {}", target.display()))?;
    }
    if said.is_empty() { Ok(()) } else { Err(Failure::Input(said.join("\nerror: "))) }
}

fn rows<R: DeserializeOwned + Serialize + Default>(read: &Read, name: &str, problems: &mut Vec<ReadError>) -> Vec<R> {
    // a sweep has outcomes and points; the other files are a single run's
    if read.folder.join("points.csv").exists() && !read.folder.join(name).exists() {
        return Vec::new();
    }
    read_rows(&read.folder, name).unwrap_or_else(|problem| {
        problems.push(problem);
        Vec::new()
    })
}

/// None where there are no rows.
fn table<R: Serialize>(file: &'static str, title: &'static str, rows: &[R]) -> Result<Option<Table>, Failure> {
    if rows.is_empty() {
        return Ok(None);
    }
    Table::new(file, title, rows, rows.len()).map(Some).map_err(broken)
}

fn broken(error: HtmlError) -> Failure {
    Failure::Machine(format!("{error}; please report it"))
}

/// A file that two parts of the page need is complained of once.
fn distinct(problems: &[ReadError]) -> Vec<String> {
    let mut said: Vec<String> = problems.iter().map(ToString::to_string).collect();
    said.sort();
    said.dedup();
    said
}

fn explain(
    args: &ReportArgs,
    read: &Read,
    row: &OutcomeRow<'_>,
    causes: &[CauseRow<'_>],
    bumps: &[BumpRow<'_>],
) -> Explained {
    let own = causes.iter().filter(|cause| cause.run == row.run && cause.strategy == row.strategy);
    let because = own.map(|cause| {
        let of = bumps.iter().filter(|bump| {
            (bump.run, &bump.strategy, &bump.cause, &bump.trigger)
                == (cause.run, &cause.strategy, &cause.cause, &cause.trigger)
        });
        Because {
            cause: cause.cause.to_string(),
            trigger: cause.trigger.to_string(),
            counted: counted(cause),
            first: of.take(FIRST_FEW).map(told).collect(),
        }
    });
    let question = Question::Group { group: None, strategy: Some(&row.strategy) };
    let asks = !args.quick && row.rebalances > 0;
    let worst =
        asks.then(|| engine::explain(&read.provenance, 1, &question, false, Screen { width: 110, colour: false }));
    let worst = worst.map(|told| told.unwrap_or_else(|why| why.text(false).unwrap_or_default()));
    Explained { strategy: row.strategy.to_string(), because: because.collect(), worst }
}

fn counted(cause: &CauseRow<'_>) -> String {
    let parts = [
        (cause.needed, "needed"),
        (cause.late, "late"),
        (cause.spurious - cause.repeat, "spurious"),
        (cause.repeat, "repeats"),
    ];
    let parts: Vec<String> =
        parts.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{} {word}", thousands(*n))).collect();
    let mut text = plural(cause.rebalances, "rebalance");
    if !parts.is_empty() {
        text = format!("{text} ({}) of {}", parts.join(", "), plural(cause.groups_hit, "group"));
    }
    if cause.missed > 0 {
        text = format!("{text}; {} missed", plural(cause.missed, "change"));
    }
    text
}

fn told(bump: &BumpRow<'_>) -> String {
    let at = bump.at_ms.map_or(String::new(), |ms| Ms(ms).clock());
    let delay = bump.delay_ms.map_or(Cow::Borrowed(""), |ms| format!(", {} after the change", about(ms)).into());
    format!("{at} {}: {}{delay}", bump.group, bump.verdict)
}

/// Beside, then renamed.
fn write(target: &std::path::Path, html: &str) -> Result<(), FolderError> {
    let failed = |e: std::io::Error| FolderError::new(target, &e);
    let parent = target.parent().filter(|p| !p.as_os_str().is_empty());
    let parent = parent.unwrap_or_else(|| std::path::Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".unfinished-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(parent).map_err(failed)?;
    file.write_all(html.as_bytes()).map_err(failed)?;
    file.persist(target).map_err(|e| failed(e.error))?;
    Ok(())
}
