//! What several verbs need: reading scenarios with all their problems, and their sizes in words.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use crate::report::files::{Provenance, read_provenance, result_folder};
use crate::report::words::{exactly, plural};
use crate::scenario::{Diagnostics, Loaded, Scenario, load, load_text};

use super::{Console, Failure};

/// Program and version, as results name them.
pub(super) const VERSION: &str = concat!("rebalance-sim ", env!("CARGO_PKG_VERSION"));

/// Reads all files and prints all problems of all of them.
pub(super) fn load_all(files: &[PathBuf], set: &[String], console: &mut Console<'_>) -> Result<Vec<Loaded>, Failure> {
    let mut loaded = Vec::new();
    let mut wrong = 0;
    for file in files {
        let read = if file == Path::new("-") { from_stdin(set) } else { load(file, set) };
        match read {
            Ok(one) => loaded.push(one),
            Err(problems) => {
                if wrong > 0 {
                    console.say("")?;
                }
                wrong += 1;
                console.say(problems.render(console.colour_err).trim_end())?;
            }
        }
    }
    if wrong == 0 { Ok(loaded) } else { Err(Failure::InputSaid) }
}

/// Reads a scenario from the standard input; it is called `stdin`.
fn from_stdin(set: &[String]) -> Result<Loaded, Diagnostics> {
    let text = io::read_to_string(io::stdin())
        .map_err(|e| Diagnostics::plain(format!("cannot read a scenario from the standard input: {e}"), Vec::new()))?;
    load_text("stdin", &text, set)
}

/// `30 brokers, 500 topics, 2,000 groups, 2 h`.
pub(super) fn sizes(scenario: &Scenario) -> String {
    [
        plural(scenario.brokers.len() as u64, "broker"),
        plural(scenario.topics.len() as u64, "topic"),
        plural(scenario.groups.len() as u64, "group"),
        exactly(scenario.duration.0),
    ]
    .join(", ")
}

/// How `explain` and `groups` find a results folder: by name in `results/`, by path elsewhere.
pub(super) fn result_name(parent: &Path, name: &str) -> String {
    if parent == Path::new("results") { name.to_owned() } else { parent.join(name).display().to_string() }
}

/// What a verb that simulates may change in a scenario, as arguments.
#[derive(Debug, clap::Args)]
pub(super) struct Overrides {
    /// Another seed than the scenario's
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// So many runs instead of the scenario's
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    runs: Option<u32>,
    /// Replace a value of the scenario, as in history.saturday.gap=1m
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
}

impl Overrides {
    /// All of them as `PATH=VALUE`.
    pub(super) fn sets(&self) -> Vec<String> {
        let mut sets = self.set.clone();
        sets.extend(self.seed.map(|seed| format!("seed={seed}")));
        sets.extend(self.runs.map(|runs| format!("runs={runs}")));
        sets
    }
}

/// A results folder, and the scenario that it says it was made from.
pub(super) struct Read {
    pub(super) folder: PathBuf,
    pub(super) provenance: Provenance,
    pub(super) scenario: Scenario,
}

/// Finds a results folder and reads what made it.
pub(super) fn read(result: &str) -> Result<Read, Failure> {
    let folder = result_folder(result)?;
    let provenance = read_provenance(&folder)?;
    let scenario = scenario_of(&provenance).map_err(|e| Failure::Input(format!("{}: {e}", folder.display())))?;
    Ok(Read { folder, provenance, scenario })
}

/// The scenario in provenance.yaml, with every default filled in.
fn scenario_of(provenance: &Provenance) -> Result<Scenario, String> {
    load_text(&format!("{}.yaml", provenance.scenario), &provenance.resolved, &[])
        .map(|loaded| loaded.scenario)
        .map_err(|problems| format!("the scenario in provenance.yaml cannot be read:\n{problems}"))
}

/// The command line as it can be typed again.
pub(super) fn command(line: &[OsString]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
    let words = line.iter().enumerate().map(|(i, word)| {
        let word = word.to_string_lossy();
        if i == 0 {
            return "rebalance-sim".to_owned();
        }
        if !word.is_empty() && word.chars().all(plain) {
            word.into_owned()
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    });
    words.collect::<Vec<_>>().join(" ")
}
