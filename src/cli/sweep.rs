//! `sweep FILE`: every point of a scenario's `sweep:`, every run of each, on all cores. What is finished is kept
//! at once, so that nothing is lost when the process ends, however it ends.

use std::any::Any;
use std::ffi::OsString;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use crate::experiment::sweep::{Plan, Unit, id_of, keep_bumps, point_sets};
use crate::report::expect;
use crate::report::files::{
    FileRows, FolderError, Keys, OutcomeRow, PROVENANCE, Provenance, Source, header, lines, write_beside,
};
use crate::report::sweep::{
    Done, Kept, PART_FILE, PLAN_FILE, PartNote, Status, SummaryRow, Wanted, Written, best, manifest, sweep_screen,
    write,
};
use crate::report::words::{about, plural};
use crate::scenario::{Loaded, METRICS, load};

use super::budget::{self, Budget};
use super::engine::{self, Options};
use super::{Console, Failure, Format, Host, interrupt, part, results};

/// Failed points that a message names.
const NAMED: usize = 10;

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

/// How the end of a sweep is told.
#[derive(Clone, Copy, Debug)]
pub(super) struct Output<'a> {
    pub(super) column: &'a str,
    /// By what the best point is named; by nothing: none is.
    pub(super) best: &'a [Wanted],
    pub(super) format: Format,
    pub(super) quiet: bool,
    /// Is there a table to show? Of a part there is none.
    pub(super) table: bool,
}

/// The table, where the files are, and what failed.
pub(super) fn finish(
    plan: &Plan,
    written: &Written,
    folder: &Path,
    output: Output<'_>,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    match output.format {
        _ if !output.table => {}
        Format::Table => console.data(&sweep_screen(plan, written, output.column, console.screen()))?,
        format => {
            let rows: Vec<&SummaryRow<'_>> = written.shown.iter().filter(|row| row.column == output.column).collect();
            console.rows(&rows, format, &header::<SummaryRow<'_>>())?;
        }
    }
    if output.table && !output.best.is_empty() {
        let named = best(plan, written, output.best);
        // rows stay rows
        if output.format == Format::Table {
            console.data(&named)?;
        } else if !output.quiet {
            console.say(named.trim_end())?;
        }
    }
    if !output.quiet {
        console.say(&format!("Written to {}/", folder.display()))?;
    }
    if written.failed.is_empty() {
        return Ok(());
    }
    let mut lines = written.failed.iter().take(NAMED).cloned().collect::<Vec<_>>();
    if written.failed.len() > NAMED {
        lines.push(format!("and {} more: points.csv", written.failed.len() - NAMED));
    }
    Err(Failure::Broken(lines.join("\n       ")))
}

pub(super) fn file_rows(written: &Written) -> Vec<FileRows> {
    written.files.iter().map(|(name, rows)| FileRows { name: (*name).to_owned(), rows: *rows }).collect()
}

pub(super) fn put(folder: &Path, name: &str, text: &str) -> Result<(), FolderError> {
    write_beside(&folder.join(name), |out| out.write_all(text.as_bytes()))
}

/// Which program makes the rows: a digest of its file, so that a changed strategy takes nothing for its own.
fn build() -> String {
    let bytes = std::env::current_exe().and_then(std::fs::read);
    bytes.map_or_else(|_| results::VERSION.to_owned(), |bytes| format!("{:016x}", xxh3_64(&bytes)))
}

/// The runs that are to be made, and what they need.
struct Work<'a> {
    args: &'a SweepArgs,
    sets: &'a [String],
    base: &'a Loaded,
    plan: &'a Plan,
    kept: &'a Kept,
    host: &'a Host<'a>,
    stop: AtomicBool,
}

impl Work<'_> {
    /// Makes runs and keeps each as it is finished. An interruption ends it early and is no failure.
    fn make(&self, units: &[Unit], threads: usize, console: &mut Console<'_>) -> Result<(), Failure> {
        if units.is_empty() {
            return Ok(());
        }
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|e| Failure::Machine(format!("cannot start {threads} threads: {e}")))?;
        let failure: Mutex<Option<Failure>> = Mutex::new(None);
        let (sender, receiver) = mpsc::channel();
        std::thread::scope(|scope| -> Result<(), Failure> {
            let failure = &failure;
            let pool = &pool;
            scope.spawn(move || {
                let one = |sender: &mut Sender<()>, unit: &Unit| {
                    if self.stop.load(Ordering::Relaxed) || interrupt::asked() {
                        return;
                    }
                    match self.one(*unit) {
                        Ok(()) => drop(sender.send(())),
                        Err(Failure::Interrupted) => {}
                        Err(other) => {
                            self.stop.store(true, Ordering::Relaxed);
                            failure.lock().expect("nobody panics with it").get_or_insert(other);
                        }
                    }
                };
                pool.install(|| units.par_iter().with_max_len(1).for_each_with(sender, one));
            });
            let told = self.tell(units.len(), &receiver, console);
            if told.is_err() {
                self.stop.store(true, Ordering::Relaxed);
            }
            told
        })?;
        console.progress("")?;
        match failure.into_inner().expect("nobody panics with it") {
            Some(failure) => Err(failure),
            None => Ok(()),
        }
    }

    /// Says how far it is until all workers are gone.
    fn tell(&self, all: usize, done: &mpsc::Receiver<()>, console: &mut Console<'_>) -> Result<(), Failure> {
        let began = self.host.meter.wall_ns();
        let mut count = 0_u64;
        loop {
            match done.recv_timeout(Duration::from_millis(200)) {
                Ok(()) => count += 1 + done.try_iter().count() as u64,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            if self.args.quiet || !console.live {
                continue;
            }
            let ms = (self.host.meter.wall_ns().saturating_sub(began) / 1_000_000).max(1);
            let rest = (all as u64).saturating_sub(count);
            let pace = if count == 0 {
                String::new()
            } else {
                let tenths = count * 10_000 / ms;
                format!(" · {}.{} runs/s · {} left", tenths / 10, tenths % 10, about(ms * rest / count / 1000 * 1000))
            };
            console.progress(&format!("{}: {count} of {all} runs{pace}", self.plan.name))?;
        }
    }

    fn one(&self, unit: Unit) -> Result<(), Failure> {
        // a defect in one point must not cost the others
        let done = catch_unwind(AssertUnwindSafe(|| self.simulate(unit)))
            .unwrap_or_else(|panic| Ok(error(format!("the program failed: {}; please report it", words(&*panic)))))?;
        Ok(self.kept.put(&self.plan.points[unit.point].id, unit.run, &done)?)
    }

    fn simulate(&self, unit: Unit) -> Result<Done, Failure> {
        let point = &self.plan.points[unit.point];
        if let Some(why) = &point.wrong {
            return Ok(error(why.clone()));
        }
        let sets = point_sets(self.sets, &self.base.sweep, &point.values);
        let changed = || Failure::Input(format!("{} was changed while its sweep was made", self.args.file.display()));
        let loaded = load(&self.args.file, &sets).map_err(|_| changed())?;
        if id_of(&loaded) != point.id {
            return Err(changed());
        }
        let options = Options { exhaustive: false, keep_bumps: keep_bumps(&loaded), rounds: 1, meter: self.host.meter };
        let outcome = match engine::simulate(&loaded, unit.run, options) {
            Ok(simulated) => simulated.outcome,
            Err(Failure::Diagnosed(problems)) => return Ok(error(problems.reason())),
            Err(Failure::Input(text)) => return Ok(error(text)),
            Err(other) => return Err(other),
        };
        let keys = |strategy| Keys { scenario: &self.plan.name, point: &point.id, run: unit.run, strategy };
        let rows: Vec<OutcomeRow<'_>> =
            outcome.lanes.iter().map(|l| OutcomeRow::new(keys(&l.strategy), l, &outcome.history_id)).collect();
        let broken = expect::broken(&loaded.scenario, &loaded.expectations, &outcome);
        let status = if broken.is_empty() { Status::Ok } else { Status::Broken };
        Ok(Done { status, reason: broken.join(" · "), rows: lines(&rows) })
    }
}

fn error(reason: String) -> Done {
    Done { status: Status::Error, reason, rows: String::new() }
}

fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("without a word").split_whitespace().collect::<Vec<_>>().join(" ")
}
