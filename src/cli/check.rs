//! `check [FILE…]`: runs scenarios and holds them against their baselines; `--accept` makes what they come to the
//! new one.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::report::check::{
    About, Accepted, Baseline, Checked, Finding, Seen, State, TrailRow, annotations, checkpoints, first_difference,
    hold, junit, parting, step_summary, trail,
};
use crate::report::expect;
use crate::report::files::{BumpRow, Cells, Keys, OutcomeRow, header, lines, write_beside};
use crate::report::table::{Tone, toned};
use crate::report::words::plural;
use crate::scenario::{Loaded, load};
use crate::sim::{Ms, natural_cmp};

use super::budget::{self, Budget, Memory};
use super::engine::{self, Options};
use super::{Console, Failure, Format, Host, interrupt, results};

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
    /// Refuse what would need more memory: 2G, 500M, or a share of what is available
    #[arg(long, value_name = "SIZE", default_value = "80%")]
    max_memory: Memory,
    /// Refuse a scenario that would take more processor time
    #[arg(long, value_name = "TIME", default_value = "12h")]
    max_time: Ms,
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
        let budget = Budget { memory: args.max_memory, time: args.max_time };
        loaded.iter().try_for_each(|one| budget::check(&one.scenario, false, u64::MAX, 1, budget))?;
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

/// Runs a scenario.
fn simulate(args: &CheckArgs, host: &Host<'_>, loaded: &Loaded, baseline: Option<&Baseline>) -> Result<Seen, Failure> {
    let scenario = &loaded.scenario;
    let options = Options { exhaustive: false, keep_bumps: u64::MAX, rounds: 1, meter: host.meter };
    let mut seen = Seen { outcomes: header::<OutcomeRow<'_>>(), ..Seen::default() };
    for run in 1..=scenario.runs {
        let outcome = engine::simulate(loaded, run, options)?.outcome;
        if args.twice {
            let again = engine::simulate(loaded, run, options)?.outcome;
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
fn read_results(folder: &Path, baseline: Option<&Baseline>) -> Result<Seen, Failure> {
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

/// What accepting did.
#[derive(Default)]
struct Tally {
    kept: usize,
    added: Vec<String>,
    updated: Vec<String>,
    removed: Vec<String>,
}

impl Tally {
    fn note(&mut self, done: Accepted, name: &str, baseline: Option<&Baseline>) {
        match (done, baseline.filter(|old| old.name != name)) {
            (_, Some(old)) => self.updated.push(format!("{name} (renamed from {})", old.name)),
            (Accepted::Kept, None) => self.kept += 1,
            (Accepted::Added, None) => self.added.push(name.to_owned()),
            (Accepted::Updated, None) => self.updated.push(name.to_owned()),
        }
    }

    /// What changes is printed before anybody forgets what it was; a broken expectation is no matter of baselines.
    fn tell(&self, all: &[Checked], args: &CheckArgs, console: &mut Console<'_>) -> Result<(), Failure> {
        let changed = |f: &&Finding| f.state != State::NoBaseline && f.state != State::Broken;
        for finding in all.iter().flat_map(|checked| &checked.findings).filter(changed) {
            console.data(&format!("{}\n", finding.line()))?;
        }
        for (word, names) in [("added", &self.added), ("updated", &self.updated), ("removed", &self.removed)] {
            names.iter().try_for_each(|name| console.data(&format!("{word} {name}\n")))?;
        }
        if !args.quiet {
            console.say(&format!(
                "{}: {} kept, {} added, {} updated, {} removed",
                args.baseline.display(),
                self.kept,
                self.added.len(),
                self.updated.len(),
                self.removed.len()
            ))?;
        }
        let broken: Vec<&Finding> =
            all.iter().flat_map(|checked| &checked.findings).filter(|f| f.state == State::Broken).collect();
        if broken.is_empty() {
            return Ok(());
        }
        Err(Failure::Broken(broken.iter().map(|f| f.line()).collect::<Vec<_>>().join("\n       ")))
    }
}

/// Prints what is not as it was, in every form that was asked for.
fn tell(args: &CheckArgs, all: &[Checked], console: &mut Console<'_>) -> Result<(), Failure> {
    let findings: Vec<&Finding> = all.iter().flat_map(|checked| &checked.findings).collect();
    match args.format {
        Format::Table => {
            for checked in all {
                table(checked, console)?;
            }
        }
        Format::Json => {
            let mut text = serde_json::to_string_pretty(&findings).map_err(|e| Failure::Machine(e.to_string()))?;
            text.push('\n');
            console.data(&text)?;
        }
        Format::Csv => {
            console.rows(&findings, Format::Csv, "scenario,file,state,run,strategy,column,then,now,message\n")?;
        }
    }
    if let Some(path) = &args.junit {
        write_beside(path, |out| out.write_all(junit(all).as_bytes()))?;
    }
    if args.github {
        let text = annotations(all);
        // between rows of data they would be in the way; the runner reads both streams
        if args.format == Format::Table {
            console.data(&text)?
        } else {
            console.say(text.trim_end())?
        }
        if let Some(path) = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()) {
            let file = OpenOptions::new().append(true).create(true).open(&path);
            file.and_then(|mut file| file.write_all(step_summary(all).as_bytes()))
                .map_err(|e| Failure::Machine(format!("cannot write {}: {e}", Path::new(&path).display())))?;
        }
    }
    if !args.quiet && args.format == Format::Table {
        let equal: u64 = all.iter().map(|checked| checked.equal).sum();
        let wrong = if findings.is_empty() { String::new() } else { format!(", {} not", findings.len()) };
        console.say(&format!(
            "{}: {} as they were{wrong}",
            plural(all.len() as u64, "scenario"),
            plural(equal, "cell")
        ))?;
        if findings.iter().any(|f| f.state != State::Broken) {
            console.say("If that is meant: rebalance-sim check --accept")?;
        }
    }
    Ok(())
}

/// A scenario's lines: what is wrong with it, or that nothing is.
fn table(checked: &Checked, console: &mut Console<'_>) -> Result<(), Failure> {
    let notes = if checked.notes.is_empty() { String::new() } else { format!("   {}", checked.notes.join("; ")) };
    if checked.findings.is_empty() {
        let line = format!("ok   {}  {} equal{notes}\n", checked.scenario, plural(checked.equal, "cell"));
        return console.data(&line);
    }
    for (i, finding) in checked.findings.iter().enumerate() {
        let line = finding.line();
        let (word, rest) = line.split_at(4);
        let last = if i + 1 == checked.findings.len() && checked.equal > 0 {
            format!("   {} equal{notes}", plural(checked.equal, "other cell"))
        } else if i + 1 == checked.findings.len() {
            notes.clone()
        } else {
            String::new()
        };
        console.data(&format!("{}{rest}{last}\n", toned(word, Tone::Warn, console.colour)))?;
    }
    Ok(())
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
