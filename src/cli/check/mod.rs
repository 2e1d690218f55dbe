//! `check [FILE…]`: runs scenarios and holds them against their baselines; `--accept` makes what they come to the
//! new one.

mod see;
mod tell;

use std::path::{Path, PathBuf};

use crate::experiment::Way;
use crate::report::check::{About, Baseline, Checked, Finding, Seen, State, hold};
use crate::report::files::Cells;
use crate::report::words::plural;
use crate::scenario::load;
use crate::sim::natural_cmp;

use self::see::{read_results, simulate};
use self::tell::{Tally, tell};
use super::budget::{self, Budget};
use super::{Console, Failure, Format, Host, engine, interrupt, results};

#[derive(Debug, clap::Args)]
#[command(after_long_help = HELP)]
pub(super) struct CheckArgs {
    /// Scenarios; without any, all that have a baseline
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Where the baselines are
    #[arg(long, value_name = "DIR", default_value = "results/baseline")]
    baseline: PathBuf,
    /// Make what the scenarios come to now their baselines
    #[arg(long, conflicts_with_all = ["results", "twice"])]
    accept: bool,
    /// Run nothing: hold what `run` wrote to DIR/NAME/; given again, another place to look in
    #[arg(long, value_name = "DIR", conflicts_with = "twice")]
    results: Vec<PathBuf>,
    /// Make every run a second time, and say from which simulated time on it differs
    #[arg(long)]
    twice: bool,
    /// Write the result as JUnit's XML too
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Print annotations for GitHub and write the job's summary
    #[arg(long)]
    github: bool,
    /// How to print what is not as it was
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// No words on standard error
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    budget: Budget,
}

const HELP: &str = "\
What is held: the columns of the scenario's `baseline:` (or the counts of rebalances), exactly, or within the tolerance
written there, as in `baseline: [rebalances, {stale_group_ms: 5%}]`. Other columns may change; new ones are ignored.

  FAIL  a cell is not what it was, or an expectation is broken       exit code 1
  GONE  a strategy, a run or a scenario of the baseline is not there            1
  HIST  what happens to the cluster is not what it was                          1
  NEW   a strategy or a scenario beside others that have a baseline             4
  NONE  there are no baselines                                                  4";

pub(super) fn run(args: &CheckArgs, host: &Host<'_>, console: &mut Console<'_>) -> Result<(), Failure> {
    let known = Baseline::names(&args.baseline);
    if known.is_empty() && !args.accept {
        return Err(Failure::NoBaseline(format!(
            "baseline not found: {}; `rebalance-sim check --accept FILE…` makes one",
            args.baseline.display()
        )));
    }
    let (files, orphans) = files(args, &known)?;
    let loaded = results::load_all(&files, &[], console)?;
    for (i, one) in loaded.iter().enumerate() {
        let name = &one.scenario.name;
        if loaded[..i].iter().any(|earlier| earlier.scenario.name == *name) {
            return Err(Failure::Input(format!("two scenarios are called {name} and would have the same baseline")));
        }
    }
    if args.results.is_empty() {
        loaded.iter().try_for_each(|one| budget::check(&one.scenario, Way::Counted, u64::MAX, 1, args.budget))?;
    }
    interrupt::listen();
    let mut all: Vec<Checked> = Vec::new();
    let mut tally = Tally::default();
    let mut taken: Vec<String> = Vec::new();
    for (one, file) in loaded.iter().zip(&files) {
        if !args.quiet {
            console.progress(&format!("{}: {} of {}", one.scenario.name, all.len() + 1, files.len()))?;
        }
        let name = &one.scenario.name;
        let own = Baseline::read(&args.baseline, name)?;
        let there = |folder: &&PathBuf| folder.join(name).join("outcomes.csv").exists();
        let see = |baseline: Option<&Baseline>| match args.results.iter().find(there).or(args.results.first()) {
            Some(folder) => read_results(&folder.join(name), baseline),
            None => simulate(args, host, one, baseline),
        };
        let (baseline, seen) = match own {
            Some(own) => {
                let seen = see(Some(&own))?;
                (Some(own), seen)
            }
            None => {
                let seen = see(None)?;
                match renamed(args, &known, &seen)? {
                    // once more, now that it is known where to look for the first rebalance that differs
                    Some(old) if !old.trail.is_empty() => {
                        let seen = see(Some(&old))?;
                        (Some(old), seen)
                    }
                    other => (other, seen),
                }
            }
        };
        let shown = file.display().to_string();
        if args.accept {
            let about = About { file: shown.clone(), version: results::VERSION.to_owned() };
            let done = Baseline::accept(&args.baseline, name, &about, &seen.outcomes, &seen.trail)?;
            tally.note(done, name, baseline.as_ref());
            if let Some(old) = baseline.as_ref().filter(|old| old.name != *name) {
                Baseline::remove(&args.baseline, &old.name)?;
            }
        }
        if let Some(old) = &baseline {
            taken.push(old.name.clone());
        }
        all.push(hold(name, &shown, one.baseline.as_deref(), baseline.as_ref(), &seen, known.is_empty()));
    }
    console.progress("")?;
    for name in orphans.iter().filter(|name| !taken.contains(name)) {
        if args.accept {
            Baseline::remove(&args.baseline, name)?;
            tally.removed.push(name.clone());
        } else {
            all.push(orphan(&args.baseline, name)?);
        }
    }
    if args.accept {
        return tally.tell(&all, args, console);
    }
    tell(args, &all, console)?;
    judge(&all)
}

/// The scenarios to look at, and the baselines whose scenario is not where it was.
fn files(args: &CheckArgs, known: &[String]) -> Result<(Vec<PathBuf>, Vec<String>), Failure> {
    if !args.files.is_empty() {
        return Ok((args.files.clone(), Vec::new()));
    }
    let (mut files, mut orphans, mut folders) = (Vec::new(), Vec::new(), Vec::new());
    for name in known {
        let Some(baseline) = Baseline::read(&args.baseline, name)? else { continue };
        let file = PathBuf::from(&baseline.about.file);
        let folder = file.parent().unwrap_or(Path::new("")).to_owned();
        if baseline.is_orphan() {
            orphans.push((name.clone(), folder));
        } else {
            files.push(file);
            continue;
        }
        if let Some((_, folder)) = orphans.last().filter(|(_, folder)| !folders.contains(folder)) {
            folders.push(folder.clone());
        }
    }
    // a scenario that was renamed lies where it lay: one without a baseline whose history is that of one that is gone
    let mut ids: Vec<(String, String)> = Vec::new();
    for (name, _) in &orphans {
        if let Some(baseline) = Baseline::read(&args.baseline, name)? {
            ids.extend(baseline.histories().first().map(|id| ((*id).to_owned(), name.clone())));
        }
    }
    for folder in folders {
        let here = if folder.as_os_str().is_empty() { Path::new(".") } else { &folder };
        let mut candidates: Vec<PathBuf> =
            std::fs::read_dir(here).into_iter().flatten().flatten().map(|e| folder.join(e.file_name())).collect();
        candidates.retain(|path| path.extension().is_some_and(|e| e == "yaml" || e == "yml") && !files.contains(path));
        candidates.sort_by(|a, b| natural_cmp(&a.to_string_lossy(), &b.to_string_lossy()));
        for path in candidates {
            let Ok(loaded) = load(&path, &[]) else { continue };
            if known.contains(&loaded.scenario.name) {
                continue;
            }
            if let Ok(history) = engine::history(&loaded, 1)
                && ids.iter().any(|(id, _)| *id == history.id)
            {
                files.push(path);
            }
        }
    }
    Ok((files, orphans.into_iter().map(|(name, _)| name).collect()))
}

/// The baseline of a scenario whose file is gone and whose histories these are.
fn renamed(args: &CheckArgs, known: &[String], seen: &Seen) -> Result<Option<Baseline>, Failure> {
    let now = Baseline { outcomes: Cells::parse(&seen.outcomes).map_err(Failure::Machine)?, ..Baseline::default() };
    for name in known {
        if let Some(old) = Baseline::read(&args.baseline, name)?
            && old.is_orphan()
            && old.histories() == now.histories()
        {
            return Ok(Some(old));
        }
    }
    Ok(None)
}

/// A scenario of which only the baseline is left.
fn orphan(folder: &Path, name: &str) -> Result<Checked, Failure> {
    let file = Baseline::read(folder, name)?.map_or(String::new(), |baseline| baseline.about.file);
    let finding = Finding {
        scenario: name.to_owned(),
        file: file.clone(),
        state: State::Gone,
        run: None,
        strategy: String::new(),
        column: String::new(),
        then: String::new(),
        now: String::new(),
        message: format!("there is no {file} any more; --accept removes its baseline"),
    };
    Ok(Checked { scenario: name.to_owned(), file, findings: vec![finding], ..Checked::default() })
}

/// The exit code: a regression before a missing baseline.
fn judge(all: &[Checked]) -> Result<(), Failure> {
    let findings = || all.iter().flat_map(|checked| &checked.findings);
    let count = |code: u8| findings().filter(|f| f.state.code() == code).count() as u64;
    match (count(1), count(4)) {
        (0, 0) => Ok(()),
        (0, new) => Err(Failure::NoBaseline(format!("{} without a baseline", plural(new, "row")))),
        (wrong, _) => {
            let of = all.iter().filter(|checked| !checked.findings.is_empty()).count() as u64;
            Err(Failure::Broken(format!("{} in {}", plural(wrong, "finding"), plural(of, "scenario"))))
        }
    }
}
