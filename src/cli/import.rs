//! `import FILE…`: a scenario from what Kafka's own tools print of a cluster.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use crate::kafka::GroupKind;
use crate::scenario::{ImportOptions, Source, import, load_text};

use super::{Console, Failure};

/// Larger files are refused; a cluster of a million partitions prints less.
const MAX_FILE: u64 = 512 << 20;

#[derive(Debug, clap::Args)]
#[command(after_help = TOOLS)]
pub(super) struct ImportArgs {
    /// What the tools printed, in any order (`-` is the standard input)
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Give topics, groups and racks other names of the same length
    #[arg(long)]
    anonymise: bool,
    /// Keep groups of these types only
    #[arg(long, value_enum, value_delimiter = ',', value_name = "TYPE")]
    only: Vec<Kind>,
    /// Write the topics' ids (no count depends on them)
    #[arg(long, conflicts_with = "anonymise")]
    topic_ids: bool,
    /// Say nothing where all is well
    #[arg(long, short)]
    quiet: bool,
}

const TOOLS: &str = "\
As in: rebalance-sim import cluster/*.txt > prod.yaml

What these print is read, of Kafka 3.9 to 4.3:
  kafka-topics.sh --describe
  kafka-consumer-groups.sh --all-groups --describe [--members --verbose | --state]
  kafka-consumer-groups.sh --list --state --type, kafka-groups.sh --list
  kafka-share-groups.sh, kafka-streams-groups.sh --all-groups --describe [...]
  kafka-broker-api-versions.sh, kafka-cluster.sh list-endpoints
  kafka-features.sh describe
  kcat -L -J";

/// A group's type, as an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    Consumer,
    Classic,
    Share,
    Streams,
}

pub(super) fn run(args: &ImportArgs, console: &mut Console<'_>) -> Result<(), Failure> {
    let sources = read_all(&args.files)?;
    let only = args.only.iter().map(|kind| match kind {
        Kind::Consumer => GroupKind::Consumer,
        Kind::Classic => GroupKind::Classic,
        Kind::Share => GroupKind::Share,
        Kind::Streams => GroupKind::Streams,
    });
    let options = ImportOptions { anonymise: args.anonymise, only: only.collect(), topic_ids: args.topic_ids };
    let imported = import(sources, &options).map_err(|problems| Failure::Diagnosed(Box::new(problems)))?;
    // nobody should meet a scenario of ours that cannot be read
    load_text("imported.yaml", &imported.yaml, &[]).map_err(|problems| {
        Failure::Machine(format!("what was imported makes no scenario, which is a defect of `import`:\n{problems}"))
    })?;
    console.data(&imported.yaml)?;
    if !args.quiet {
        console.say(&format!("Imported {}", imported.sizes))?;
        for note in &imported.notes {
            console.say(&format!("note: {note}"))?;
        }
    }
    Ok(())
}

/// The texts of all files, or everything that is wrong with reading them.
fn read_all(files: &[PathBuf]) -> Result<Vec<Source>, Failure> {
    let (mut sources, mut wrong) = (Vec::new(), Vec::new());
    for file in files {
        match read(file) {
            Ok(text) => sources.push(Source { name: file.display().to_string(), text }),
            Err(why) => wrong.push(format!("cannot read {}: {why}", file.display())),
        }
    }
    if wrong.is_empty() { Ok(sources) } else { Err(Failure::Input(wrong.join("\nerror: "))) }
}

fn read(file: &Path) -> Result<String, String> {
    let mut bytes = Vec::new();
    let limit = MAX_FILE + 1;
    let read = if file == Path::new("-") {
        io::stdin().lock().take(limit).read_to_end(&mut bytes)
    } else {
        fs::File::open(file).and_then(|file| file.take(limit).read_to_end(&mut bytes))
    };
    read.map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(format!("it has more than {MAX_FILE} bytes"));
    }
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err("it is UTF-16, as PowerShell's `>` writes: save it as UTF-8 (Out-File -Encoding utf8)".to_owned());
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..valid].iter().filter(|byte| **byte == b'\n').count() + 1;
        format!("it is not UTF-8 in line {line}")
    })
}
