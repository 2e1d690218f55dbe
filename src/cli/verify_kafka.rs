//! `verify-kafka RELEASE`: histories played to the release's own coordinator, bump by bump beside our lane.

use std::path::PathBuf;

use crate::conformance::{
    Answer, Compared, Fact, Release, compare, ours, random_scenario, random_scenario_of_all_kinds,
};
use crate::kafka::GroupKind;
use crate::report::side_by_side;
use crate::report::words::plural;
use crate::scenario::{Loaded, load_text};
use crate::world::{self, History};

use super::jars::{self, Jars};
use super::{Console, Failure, engine, interrupt, results, verify_assignors};

/// Histories handed to one process of Java at a time.
const BATCH: usize = 100;

#[derive(Debug, clap::Args)]
pub(super) struct VerifyArgs {
    /// kafka-3.9, kafka-4.0, kafka-4.1, kafka-4.2, kafka-4.3 or kafka-4.4
    release: String,
    /// Scenarios; their first run is played
    files: Vec<PathBuf>,
    /// Hold what targets and assignments write against Kafka's, too, where every group has `assignor: uniform`
    #[arg(long)]
    assignments: bool,
    /// Play so many random small scenarios instead
    #[arg(long, value_name = "N", conflicts_with = "files")]
    random: Option<u32>,
    /// Have so many random groups of each kind dealt by the release's assignors instead
    #[arg(long, value_name = "N", conflicts_with_all = ["files", "random", "assignments"])]
    assignors: Option<u32>,
    /// With share and streams groups in each of them
    #[arg(long, conflicts_with = "files")]
    kinds: bool,
    /// The first of them
    #[arg(long, value_name = "NUMBER", default_value_t = 1, requires = "random")]
    from: u32,
    /// Random scenarios that are known to differ (docs/conformance.md lists why): these must, and all others must not
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', requires = "random")]
    listed: Vec<u32>,
    /// Print the random scenario instead of playing it
    #[arg(long, value_name = "NUMBER", conflicts_with_all = ["files", "random"])]
    print: Option<u32>,
    /// Print the two columns as a Markdown table, for a ticket
    #[arg(long)]
    markdown: bool,
    /// Write what Kafka did, one line for each scenario, for a test without Java
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Where the driver's Maven project is
    #[arg(long, value_name = "FOLDER")]
    driver: Option<PathBuf>,
    /// Say only what differs
    #[arg(long)]
    quiet: bool,
}

/// A scenario by its name, with its history.
struct Case {
    name: String,
    loaded: Loaded,
}

pub(super) fn run(args: &VerifyArgs, console: &mut Console<'_>) -> Result<(), Failure> {
    let release = jars::release(&args.release)?;
    if let Some(number) = args.print {
        return console.data(&random_text(release, number, args.kinds));
    }
    if let Some(count) = args.assignors {
        let jars = Jars::build(args.driver.as_deref(), release)?;
        return verify_assignors::run(release, &jars, count, args.record.as_deref(), console);
    }
    if args.files.is_empty() && args.random.is_none() {
        return Err(Failure::Input("name scenarios, or say how many random ones: `--random 100`".into()));
    }
    if args.kinds && !release.has_all_kinds() {
        let name = release.name();
        return Err(Failure::Input(format!(
            "{name} has no share and streams groups to be asked about: 4.1 is the first"
        )));
    }
    let jars = Jars::build(args.driver.as_deref(), release)?;
    let mut total = Total::default();
    let mut record = String::new();
    match args.random {
        None => {
            let loaded = results::load_all(&args.files, &[], console)?;
            let cases: Vec<Case> =
                loaded.into_iter().map(|loaded| Case { name: loaded.scenario.name.clone(), loaded }).collect();
            for batch in cases.chunks(BATCH) {
                play(args, release, &jars, batch, &mut total, &mut record, console)?;
            }
        }
        Some(count) => {
            let numbers: Vec<u32> = (args.from..args.from.saturating_add(count)).collect();
            for numbers in numbers.chunks(BATCH) {
                let batch: Vec<Case> =
                    numbers.iter().map(|n| random(release, *n, args.kinds)).collect::<Result<_, _>>()?;
                play(args, release, &jars, &batch, &mut total, &mut record, console)?;
            }
        }
    }
    if let Some(path) = &args.record {
        write(path, &record)?;
    }
    console.progress("")?;
    console.say(&total.words(release))?;
    judge(args, release, &total)
}

/// Is it as it should be: nothing differs, or exactly what is listed?
fn judge(args: &VerifyArgs, release: Release, total: &Total) -> Result<(), Failure> {
    let last = args.from.saturating_add(args.random.unwrap_or(0));
    let played = args.listed.iter().filter(|number| (args.from..last).contains(number));
    let listed: Vec<String> = played.map(|number| random_name(*number, args.kinds)).collect();
    let differing = total.differing.iter().filter(|name| !listed.contains(name)).count();
    if differing > 0 {
        let what = plural(differing as u64, if listed.is_empty() { "scenario" } else { "unlisted scenario" });
        return Err(Failure::Broken(format!("{what} not as {} has it", release.name())));
    }
    match listed.iter().find(|name| !total.differing.contains(name)) {
        None => Ok(()),
        Some(name) => {
            Err(Failure::Broken(format!("{name} is listed as another than {}'s, and is the same", release.name())))
        }
    }
}

fn random_name(number: u32, kinds: bool) -> String {
    format!("{} {number}", if kinds { "kinds" } else { "random" })
}

/// Writes what Kafka did: beside, then renamed.
pub(super) fn write(path: &std::path::Path, record: &str) -> Result<(), Failure> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(std::path::Path::new("."));
    let written = tempfile::NamedTempFile::new_in(folder)
        .and_then(|file| std::fs::write(file.path(), record).map(|()| file))
        .and_then(|file| file.persist(path).map_err(|e| e.error));
    written.map(|_| ()).map_err(|e| Failure::Machine(format!("cannot write {}: {e}", path.display())))
}

fn random_text(release: Release, number: u32, kinds: bool) -> String {
    if kinds { random_scenario_of_all_kinds(release, number) } else { random_scenario(release, number) }
}

fn random(release: Release, number: u32, kinds: bool) -> Result<Case, Failure> {
    let text = random_text(release, number, kinds);
    let loaded = load_text("random", &text, &[])
        .map_err(|problems| Failure::Machine(format!("random scenario {number} cannot be read: {problems}")))?;
    Ok(Case { name: random_name(number, kinds), loaded })
}

#[derive(Default)]
struct Total {
    scenarios: u64,
    impossible: u64,
    bumps: u64,
    heartbeats: u64,
    /// By name.
    differing: Vec<String>,
    left_out: u64,
    failures: u64,
    /// Scenarios with share or streams groups, of a release that has none.
    without_kinds: u64,
}

impl Total {
    fn words(&self, release: Release) -> String {
        let mut text = format!(
            "{}: {}, {}, {} · {}",
            release.name(),
            plural(self.scenarios, "scenario"),
            plural(self.heartbeats, "heartbeat"),
            plural(self.bumps, "rebalance"),
            if self.differing.is_empty() {
                "all the same".to_owned()
            } else {
                format!("{} differ", self.differing.len())
            }
        );
        if self.failures > 0 {
            text += &format!(" · {} with operations that fail in both", self.failures);
        }
        if self.left_out > 0 {
            text += &format!(" · {} left out, the release resolves no patterns", plural(self.left_out, "group"));
        }
        if self.without_kinds > 0 {
            let left_out = plural(self.without_kinds, "scenario");
            text += &format!(" · {left_out} left out, the release has no such share and streams groups");
        }
        if self.impossible > 0 {
            text += &format!(" · {} could not happen", self.impossible);
        }
        text
    }
}

/// A kind of group that came with 4.1 as it is now.
fn is_new_kind(kind: GroupKind) -> bool {
    matches!(kind, GroupKind::Share | GroupKind::Streams)
}

fn play(
    args: &VerifyArgs,
    release: Release,
    jars: &Jars,
    cases: &[Case],
    total: &mut Total,
    record: &mut String,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    let mut possible: Vec<&Case> = Vec::new();
    let mut histories: Vec<History> = Vec::new();
    for case in cases {
        if !release.has_all_kinds() && case.loaded.scenario.groups.iter().any(|group| is_new_kind(group.kind)) {
            total.without_kinds += 1;
            continue;
        }
        match world::make(&case.loaded.scenario, 1) {
            Err(_) if args.random.is_some() => total.impossible += 1,
            _ => {
                histories.push(engine::history(&case.loaded, 1)?);
                possible.push(case);
            }
        }
    }
    let spec = release.strategy();
    let show_all = args.random.is_none() && !args.quiet;
    jars.ask(&histories, &mut |index, answer| {
        let (case, history) = (possible[index], &histories[index]);
        let kafka: Answer = answer.map_err(|e| Failure::Machine(format!("{}: {e}", case.name)))?;
        if kafka.history != history.id {
            return Err(Failure::Machine(format!("{}: the answer is about another history", case.name)));
        }
        let mut lane =
            ours(&case.loaded.scenario, history, &spec, &|| !interrupt::asked()).map_err(|_| Failure::Interrupted)?;
        let compared = compare(history, release, &lane, &kafka);
        if !args.assignments {
            lane.assign_log_bytes = None;
        }
        total.scenarios += 1;
        total.bumps += compared.rows.iter().filter(|row| row.kafka.is_some()).count() as u64;
        total.heartbeats += kafka.heartbeats;
        total.left_out += compared.left_out as u64;
        total.failures += u64::from(lane.failures > 0);
        if args.record.is_some() {
            record.push_str(&Fact::of(&case.name, &kafka).line());
        }
        if !compared.differences.is_empty() {
            total.differing.push(case.name.clone());
        }
        if show_all || !compared.differences.is_empty() {
            show(args, release, &case.name, &compared, console)?;
        }
        console.progress(&format!("{} scenarios", total.scenarios))
    })
}

fn show(
    args: &VerifyArgs,
    release: Release,
    name: &str,
    compared: &Compared,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    console.progress("")?;
    let text = if args.markdown {
        side_by_side::markdown(name, release, compared)
    } else {
        side_by_side::screen(name, release, compared)
    };
    console.data(&text)
}
