//! `sweep FILE`: every point of a scenario's `sweep:`, every run of each, on all cores. What is finished is kept
//! at once, so that nothing is lost when the process ends, however it ends.

mod told;
mod work;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use xxhash_rust::xxh3::xxh3_64;

use crate::experiment::sweep::{Plan, Unit};
use crate::report::files::{FolderError, PROVENANCE, Provenance, Source};
use crate::report::sweep::{Kept, PART_FILE, PLAN_FILE, PartNote, Wanted, manifest, write};
use crate::report::words::plural;
use crate::scenario::{Loaded, METRICS};

use super::budget::{self, Budget};
use super::{Console, Failure, Format, Host, interrupt, part, results};

pub(super) use told::{Output, file_rows, finish, put};
use work::Work;

#[derive(Debug, clap::Args)]
#[command(after_long_help = HELP)]
pub(super) struct SweepArgs {
    /// A scenario with a `sweep:`
    file: PathBuf,
    #[command(flatten)]
    overrides: results::Overrides,
    /// Write to DIR/NAME.sweep/
    #[arg(long, value_name = "DIR", default_value = "results")]
    out: PathBuf,
    /// Make one part of several and write DIR/NAME.part-I-of-N/; `auto` (or `auto/N`): what the cluster says
    #[arg(long, value_name = "I/N")]
    part: Option<String>,
    /// Print every point and run as CSV, and run nothing
    #[arg(long)]
    plan: bool,
    /// The column that the table shows
    #[arg(long, value_name = "COLUMN", default_value = "rebalances", value_parser = clap::builder::PossibleValuesParser::new(METRICS))]
    pub(super) column: String,
    /// Name the point with the least of this column in this strategy; given again, it decides between equals
    #[arg(long, value_name = "COLUMN[STRATEGY]")]
    best: Vec<Wanted>,
    /// How to print the table; csv and json are summary.csv's rows of the column
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// No words on standard error
    #[arg(long, short)]
    quiet: bool,
    /// Runs made at the same time (all cores); the results are the same
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    #[command(flatten)]
    budget: Budget,
}

const HELP: &str = "\
What is finished is kept in DIR/NAME.sweep/kept/. Interrupted, killed or run again, the same command makes only what is
missing. A point is known by a digest of its resolved scenario and seed, so an edited one is made again, and so is
everything that another build of the program has kept.

--part auto takes the part from SLURM_ARRAY_TASK_ID and SLURM_ARRAY_TASK_COUNT, or from JOB_COMPLETION_INDEX with
--part auto/N. Join the parts with: rebalance-sim merge DIR/NAME.part-*";

pub(super) fn run(
    args: &SweepArgs,
    line: &[OsString],
    host: &Host<'_>,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    let part = args.part.as_deref().map(part::parse).transpose()?;
    let sets = args.overrides.sets();
    let base = results::load_all(std::slice::from_ref(&args.file), &sets, console)?.swap_remove(0);
    let plan = Plan::new(&args.file, &sets, &base).map_err(Failure::Input)?;
    wanted(&args.best, &base, &plan).map_err(Failure::Input)?;
    let all = plan.units();
    let own = part.map_or_else(|| all.clone(), |part| part.own(&all));
    if args.plan {
        return console.data(&manifest(&plan, &own));
    }
    let threads = args.threads.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from);
    let side_by_side = threads.min(own.len()).max(1);
    budget::check_sweep(&plan, side_by_side, part, args.budget)?;
    let folder = args.out.join(part.map_or_else(
        || format!("{}.sweep", plan.name),
        |part| format!("{}.part-{}-of-{}", plan.name, part.index, part.of),
    ));
    let kept = Kept::open(&folder, &build())?;
    let missing: Vec<Unit> =
        own.iter().copied().filter(|u| kept.get(&plan.points[u.point].id, u.run).is_none()).collect();
    if !args.quiet && missing.len() < own.len() {
        let had = plural((own.len() - missing.len()) as u64, "run");
        console.say(&format!("{had} of {} are there already", own.len()))?;
    }
    if !missing.is_empty() {
        // a folder with it is whole
        let path = folder.join(PROVENANCE);
        std::fs::remove_file(&path).or_else(|e| match e.kind() {
            std::io::ErrorKind::NotFound => Ok(()),
            _ => Err(FolderError::new(&path, &e)),
        })?;
    }
    interrupt::listen();
    let work = Work { args, sets: &sets, base: &base, plan: &plan, kept: &kept, host, stop: AtomicBool::new(false) };
    work.make(&missing, side_by_side, console)?;
    let mut get = |unit: Unit| kept.get(&plan.points[unit.point].id, unit.run);
    let mut columns = vec![args.column.as_str()];
    columns.extend(args.best.iter().map(|wanted| wanted.column.as_str()));
    let written = write(&folder, &plan, &own, part.is_none(), &columns, &mut get)?;
    if written.missing > 0 {
        return Err(Failure::InterruptedKept(format!(
            "{} of {} runs are finished and kept in {}/; the same command makes the rest",
            written.finished,
            own.len(),
            folder.display()
        )));
    }
    if let Some(part) = part {
        let note = PartNote {
            scenario: plan.name.clone(),
            version: results::VERSION.to_owned(),
            part: part.index,
            of: part.of,
        };
        put(&folder, PLAN_FILE, &manifest(&plan, &all))?;
        put(&folder, PART_FILE, &note.to_yaml())?;
    }
    let machine = host.describe();
    let provenance = Provenance {
        command: results::command(line),
        version: results::VERSION.to_owned(),
        date: machine.date,
        os: machine.os,
        cpu: machine.cpu,
        scenario: plan.name.clone(),
        seed: base.scenario.seed,
        runs: base.scenario.runs,
        set: sets.clone(),
        histories: Vec::new(),
        files: file_rows(&written),
        sources: base.files().map(|s| Source::new(&s.name, &s.text)).collect(),
        resolved: base.resolved.clone(),
    };
    put(&folder, PROVENANCE, &provenance.to_yaml())?;
    if !args.quiet {
        base.warnings.iter().try_for_each(|warning| console.say(&format!("note: {warning}")))?;
    }
    let output = Output {
        column: &args.column,
        best: &args.best,
        format: args.format,
        quiet: args.quiet,
        table: part.is_none(),
    };
    finish(&plan, &written, &folder, output, console)
}

/// Are the best point's columns those of strategies that are there? A sweep over strategies says so at its end.
fn wanted(best: &[Wanted], base: &Loaded, plan: &Plan) -> Result<(), String> {
    if plan.axes.iter().any(|axis| axis.starts_with("strategies")) {
        return Ok(());
    }
    let names: Vec<&str> = base.scenario.strategies.iter().map(|s| s.name.as_str()).collect();
    best.iter().try_for_each(|wanted| wanted.check(&names))
}

/// Which program makes the rows: a digest of its file, so that a changed strategy takes nothing for its own.
fn build() -> String {
    let bytes = std::env::current_exe().and_then(std::fs::read);
    bytes.map_or_else(|_| results::VERSION.to_owned(), |bytes| format!("{:016x}", xxh3_64(&bytes)))
}
