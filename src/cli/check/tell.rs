//! How `check` tells what is not as it was: in words, for machines, and what accepting did.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

use crate::report::check::{Accepted, Baseline, Checked, Finding, State, annotations, junit, step_summary};
use crate::report::files::write_beside;
use crate::report::table::{Tone, toned};
use crate::report::words::plural;

use super::super::{Console, Failure, Format};
use super::CheckArgs;

/// Prints what is not as it was, in every form that was asked for.
pub(super) fn tell(args: &CheckArgs, all: &[Checked], console: &mut Console<'_>) -> Result<(), Failure> {
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

/// What accepting did.
#[derive(Default)]
pub(super) struct Tally {
    kept: usize,
    added: Vec<String>,
    updated: Vec<String>,
    pub(super) removed: Vec<String>,
}

impl Tally {
    pub(super) fn note(&mut self, done: Accepted, name: &str, baseline: Option<&Baseline>) {
        match (done, baseline.filter(|old| old.name != name)) {
            (_, Some(old)) => self.updated.push(format!("{name} (renamed from {})", old.name)),
            (Accepted::Kept, None) => self.kept += 1,
            (Accepted::Added, None) => self.added.push(name.to_owned()),
            (Accepted::Updated, None) => self.updated.push(name.to_owned()),
        }
    }

    /// What changes is printed before anybody forgets what it was; a broken expectation is no matter of baselines.
    pub(super) fn tell(&self, all: &[Checked], args: &CheckArgs, console: &mut Console<'_>) -> Result<(), Failure> {
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
