//! `run FILE…`: simulate, write results, show the table.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::ValueEnum;

use crate::experiment::Way;
use crate::metrics::RunOutcome;
use crate::report::charts::{Data, Kinds, SWEEP_METRIC, charts, write_charts};
use crate::report::expect;
use crate::report::files::{
    BUMPS_IF_FEWER, BUMPS_LIMIT, FileRows, Files, FolderError, PROVENANCE, Provenance, Source, Staging,
};
use crate::report::table::{COLUMNS, MatrixRow};
use crate::scenario::{Loaded, Scenario, StrategySpec};

use super::budget::{self, Budget};
use super::engine::{self, Options, Simulated};
use super::reached::Progress;
use super::show::Together;
use super::{Console, Failure, Format, Host, interrupt, results, runs, show};

#[derive(Debug, clap::Args)]
#[command(after_long_help = COLUMNS)]
pub(super) struct RunArgs {
    /// Scenarios
    #[arg(required = true, value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
    #[command(flatten)]
    overrides: results::Overrides,
    /// Write to DIR/NAME/
    #[arg(long, value_name = "DIR", default_value = "results")]
    pub(super) out: PathBuf,
    /// These strategies instead of the scenario's: own names of the scenario, strategies or labels
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(super) strategies: Vec<String>,
    /// Another table: who caused it
    #[arg(long, value_enum)]
    pub(super) by: Option<By>,
    /// One table for all scenarios: what each strategy makes of each
    #[arg(long, conflicts_with = "by")]
    pub(super) matrix: bool,
    /// Write bumps.csv also where there are many rebalances (up to a million)
    #[arg(long)]
    bumps: bool,
    /// Walk every heartbeat; slow, and the same to the byte
    #[arg(long)]
    exhaustive: bool,
    /// All groups' events in order of time, as where members come and go; slower, and the same to the byte
    #[arg(long, conflicts_with_all = ["exhaustive", "counted"])]
    in_order: bool,
    /// Count only: every topic's value is worked out once and shared, nothing is measured. The same files but for
    /// costs.csv, for fleets that would not fit otherwise
    #[arg(long, conflicts_with_all = ["exhaustive", "rounds"])]
    counted: bool,
    /// Print the scenario with every default filled in, and run nothing
    #[arg(long)]
    print_scenario: bool,
    /// How to print the table
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
    /// No words on standard error
    #[arg(long, short)]
    pub(super) quiet: bool,
    /// Runs made at the same time; the results are the same
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
    /// Measure every strategy so often; costs.csv has each round, the table the cheapest
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    #[command(flatten)]
    budget: Budget,
}

impl RunArgs {
    fn way(&self) -> Way {
        let ways = [(self.counted, Way::Counted), (self.exhaustive, Way::Exhaustive), (self.in_order, Way::InOrder)];
        ways.into_iter().find(|(asked, _)| *asked).map_or(Way::Measured, |(_, way)| way)
    }
}

/// Rows of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum By {
    /// What changed, and what made it visible
    Cause,
    /// The brokers of a roll, one after the other
    Step,
}

pub(super) fn run(
    args: &RunArgs,
    line: &[OsString],
    host: &Host<'_>,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    go(args, load(args, &results::load_all, console)?, line, host, console)
}

/// Reads what the verb's files stand for, with values replaced.
pub(super) type Read<'r> = dyn Fn(&[PathBuf], &[String], &mut Console<'_>) -> Result<Vec<Loaded>, Failure> + 'r;

/// Runs what was read.
pub(super) fn go(
    args: &RunArgs,
    loaded: Vec<Loaded>,
    line: &[OsString],
    host: &Host<'_>,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    if args.print_scenario {
        return loaded.iter().try_for_each(|one| console.data(&one.resolved));
    }
    for one in &loaded {
        let kept = keep_bumps(args, one);
        budget::check(&one.scenario, args.way(), kept, u64::from(args.threads), args.budget)?;
    }
    // all folders before any work: an unwritable one must not cost an hour
    let mut folders = Vec::new();
    for (i, one) in loaded.iter().enumerate() {
        let name = &one.scenario.name;
        if loaded[..i].iter().any(|earlier| earlier.scenario.name == *name) {
            return Err(Failure::Input(format!(
                "two scenarios are called {name} and would write the same folder {}; run one after the other with another --out",
                args.out.join(name).display()
            )));
        }
        folders.push(Staging::begin(&args.out, name)?);
    }
    interrupt::listen();
    let mut broken = Vec::new();
    let mut together = Together::default();
    for (one, staging) in loaded.iter().zip(folders) {
        interrupt::unfinished(staging.path());
        let lines = run_one(args, line, host, one, staging, &mut together, console)?;
        broken.extend(lines.into_iter().map(|line| format!("{}: {line}", one.scenario.name)));
    }
    together.close(args, console)?;
    if broken.is_empty() { Ok(()) } else { Err(Failure::Broken(broken.join("\n       "))) }
}

/// Reads all files, with other strategies where they are asked for.
pub(super) fn load(args: &RunArgs, read: &Read<'_>, console: &mut Console<'_>) -> Result<Vec<Loaded>, Failure> {
    let set = args.overrides.sets();
    let mut loaded = read(&args.files, &set, console)?;
    if args.strategies.is_empty() {
        return Ok(loaded);
    }
    for (one, file) in loaded.iter_mut().zip(&args.files) {
        let own = |name: &String| one.scenario.strategies.iter().find(|s| s.name == *name).cloned();
        match args.strategies.iter().map(own).collect::<Option<Vec<StrategySpec>>>() {
            Some(own) => {
                one.scenario.strategies = own;
                // it may speak of those that are left out
                one.expectations.clear();
            }
            None => {
                let mut set = set.clone();
                set.push(format!("strategies=[{}]", args.strategies.join(", ")));
                if !one.expectations.is_empty() {
                    set.push("expect=null".to_owned());
                }
                let mut again = read(std::slice::from_ref(file), &set, console)?;
                one.clone_from(&again.swap_remove(0));
            }
        }
    }
    Ok(loaded)
}

/// `--set` and what other options stand for, in this order.
fn run_one(
    args: &RunArgs,
    line: &[OsString],
    host: &Host<'_>,
    loaded: &Loaded,
    staging: Staging,
    together: &mut Together,
    console: &mut Console<'_>,
) -> Result<Vec<String>, Failure> {
    let scenario = &loaded.scenario;
    let machine = host.describe();
    let mut files = Files::begin(staging.path(), &scenario.name, &machine, args.bumps)?;
    let mut runs: Vec<RunOutcome> = Vec::new();
    let mut broken = Vec::new();
    let take = |(Simulated { outcome, landmarks }, lines): (Simulated, Vec<String>)| {
        files.append(&outcome)?;
        files.mark(&outcome, &landmarks.marks)?;
        broken.extend(lines);
        if runs.is_empty() {
            broken.extend(show::too_large(&outcome));
        }
        runs.push(if runs.is_empty() { outcome } else { slim(outcome) });
        Ok(())
    };
    simulate(args, host, loaded, take, console)?;
    let written = files.finish()?;
    let set = {
        let mut set = args.overrides.sets();
        if !args.strategies.is_empty() {
            set.push(format!("--strategies {}", args.strategies.join(",")));
        }
        set
    };
    let provenance = Provenance {
        command: results::command(line),
        version: results::VERSION.to_owned(),
        date: machine.date.clone(),
        os: machine.os.clone(),
        cpu: machine.cpu.clone(),
        scenario: scenario.name.clone(),
        seed: scenario.seed,
        runs: scenario.runs,
        set,
        histories: runs.iter().map(|run| run.history_id.clone()).collect(),
        files: written.files.iter().map(|(name, rows)| FileRows { name: (*name).to_owned(), rows: *rows }).collect(),
        sources: loaded.files().map(|s| Source::new(&s.name, &s.text)).collect(),
        resolved: loaded.resolved.clone(),
    };
    let path = staging.path().join(PROVENANCE);
    std::fs::write(&path, provenance.to_yaml())
        .map_err(|e| Failure::Machine(format!("cannot write {}: {e}", path.display())))?;
    draw(loaded, &provenance, &staging)?;
    if interrupt::asked() {
        return Err(Failure::Interrupted);
    }
    let target = staging.commit()?;
    if args.matrix {
        together.matrix.push(MatrixRow::new(&scenario.name, &runs));
    } else {
        show::print(args, loaded, &runs, together, console)?;
    }
    if !args.quiet && !args.matrix {
        show::say(args, loaded, &runs, &written, &target, console)?;
    }
    Ok(broken)
}

/// Rebalances kept one by one in each lane, at most.
fn keep_bumps(args: &RunArgs, loaded: &Loaded) -> u64 {
    if expect::needs_bumps(&loaded.expectations) {
        u64::MAX
    } else if args.bumps {
        BUMPS_LIMIT
    } else {
        BUMPS_IF_FEWER
    }
}

/// All runs, in order: what came of each, and what it does not do that is expected of it. How far they are is said where
/// somebody watches.
fn simulate(
    args: &RunArgs,
    host: &Host<'_>,
    loaded: &Loaded,
    mut take: impl FnMut((Simulated, Vec<String>)) -> Result<(), Failure>,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    let Scenario { name, runs, duration, .. } = &loaded.scenario;
    let progress = Progress::new(name, *runs, *duration, host.meter);
    let make = |run: u32| -> Result<(Simulated, Vec<String>), Failure> {
        let options = Options {
            way: args.way(),
            keep_bumps: keep_bumps(args, loaded),
            rounds: args.rounds,
            meter: host.meter,
            reached: &|reached| progress.reached(run, reached),
        };
        let made = engine::simulate(loaded, run, options)?;
        let broken = expect::broken(&loaded.scenario, &loaded.expectations, &made.outcome);
        progress.over(run);
        Ok((made, broken))
    };
    let watched = !args.quiet && console.live;
    let wait = || if watched { console.progress(&progress.line()) } else { Ok(()) };
    runs::in_order(*runs, args.threads, make, |made| take(made?), wait)?;
    console.progress("")
}

/// From the files just written, as `chart` draws them again.
fn draw(loaded: &Loaded, provenance: &Provenance, staging: &Staging) -> Result<(), Failure> {
    let data = Data::read(staging.path(), provenance, &loaded.scenario);
    if let Some(problem) = data.problems.first() {
        return Err(Failure::Machine(format!("{problem}; please report it")));
    }
    let folder = staging.path().join("charts");
    std::fs::create_dir(&folder).map_err(|e| FolderError::new(&folder, &e))?;
    Ok(write_charts(&folder, &charts(&data, SWEEP_METRIC), Kinds { svg: true, png: false })?)
}

/// Without what only the files need; several runs would fill the memory.
fn slim(mut run: RunOutcome) -> RunOutcome {
    for lane in &mut run.lanes {
        lane.groups = std::sync::Arc::default();
        lane.bumps = Vec::new();
        lane.missed = Vec::new();
        lane.bumps_complete = false;
    }
    run
}
