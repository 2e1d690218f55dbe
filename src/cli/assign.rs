//! `assign FILE…`: who gets which partition, with no time passing; several assignors side by side.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;

use crate::coordinator::assignor::{Assignor, Input, figures};
use crate::report::assigned::{Assigned, ComparedRow, PartitionRow, compared_screen, owners_screen, partition_rows};
use crate::report::files::header;
use crate::scenario::{AssignFile, load_assign};

use super::{Console, Failure, Format};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
A file:
  topics: {t: {partitions: 10}}
  members:
    C1: {topics: [t], threads: 1, owns: {t: 0..4}}
    C2: {topics: [t], threads: 2, rack: a}
What else can stand in it: docs/assign.md; examples: scenarios/assign/")]
pub(super) struct AssignArgs {
    /// Groups to deal to
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Only these assignors, instead of those the file names (or all)
    #[arg(long = "assignor", value_name = "NAME", value_delimiter = ',', value_parser = PossibleValuesParser::new(Assignor::ALL.map(Assignor::name)))]
    assignors: Vec<String>,
    /// Only the comparison, not who owns what
    #[arg(long)]
    summary: bool,
    /// How many owners of each assignor to show; 0: all
    #[arg(long, default_value_t = 40)]
    top: usize,
    /// How to print: csv and json have a row for each partition, with --summary one for each assignor
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// No words on standard error
    #[arg(long, short)]
    quiet: bool,
}

/// The exact assignor takes long with more members than this, so that it has to be asked for.
const MANY_MEMBERS: usize = 300;

pub(super) fn run(args: &AssignArgs, console: &mut Console<'_>) -> Result<(), Failure> {
    let known = Assignor::ALL.map(Assignor::name);
    let mut files: Vec<AssignFile> = Vec::new();
    let mut wrong = false;
    for path in &args.files {
        match load_assign(path, &known) {
            Ok(file) => files.push(file),
            Err(problems) => {
                wrong = true;
                console.say(problems.render(console.colour_err).trim_end())?;
            }
        }
    }
    if wrong {
        return Err(Failure::InputSaid);
    }
    let mut results = Vec::new();
    for file in &files {
        if !args.quiet {
            file.warnings.iter().try_for_each(|warning| console.say(&format!("note: {warning}")))?;
        }
        let input = Input::of(file).map_err(|e| Failure::Input(format!("{}: {e}", file.name)))?;
        let all = assign(file, &input, &args.assignors)?;
        results.push((input, all));
    }
    match args.format {
        Format::Table => {
            for (i, (file, (input, all))) in files.iter().zip(&results).enumerate() {
                if i > 0 {
                    console.data("\n")?;
                }
                console.data(&screen(file, input, all, args, console))?;
            }
            Ok(())
        }
        format => rows(&files, &results, args.summary, format, console),
    }
}

/// What each assignor makes of the group. One that was named and cannot is an error; of all that there are it is left
/// out and said so.
fn assign(file: &AssignFile, input: &Input, asked: &[String]) -> Result<Vec<Assigned>, Failure> {
    let names = if asked.is_empty() { &file.assignors } else { asked };
    let chosen: Vec<Assignor> = if names.is_empty() {
        Assignor::ALL.to_vec()
    } else {
        names.iter().filter_map(|name| Assignor::named(name)).collect()
    };
    let mut all = Vec::new();
    for assignor in chosen {
        let late = assignor == Assignor::RackAwareUniform && input.members().len() > MANY_MEMBERS;
        if names.is_empty() && late {
            let why =
                format!("{} takes long with more than {MANY_MEMBERS} members: ask for it by name", assignor.name());
            all.push(Assigned { assignor, result: Err(why) });
            continue;
        }
        let result = match assignor.assign(input) {
            Ok(owners) => {
                let figures = figures(input, &owners);
                Ok((owners, figures))
            }
            Err(error) if names.is_empty() => Err(error.to_string()),
            Err(error) => {
                let problems = file.refusal(assignor.name(), error.to_string(), &error.members());
                return Err(Failure::Diagnosed(Box::new(problems)));
            }
        };
        all.push(Assigned { assignor, result });
    }
    Ok(all)
}

fn screen(file: &AssignFile, input: &Input, all: &[Assigned], args: &AssignArgs, console: &Console<'_>) -> String {
    use crate::report::words::plural;
    let count = |n: usize, noun: &str| plural(n as u64, noun);
    let partitions = input.topics().iter().map(|t| t.partitions.len()).sum();
    let sizes = [
        file.name.clone(),
        count(input.members().len(), "member"),
        format!("{} {}", count(input.topics().len(), "topic"), count(partitions, "partition")),
    ];
    let rows: Vec<ComparedRow> =
        all.iter().filter(|a| a.result.is_ok()).map(|a| ComparedRow::new(&file.name, a)).collect();
    let mut text = format!("{}\n{}", sizes.join(" · "), compared_screen(&rows, console.screen()));
    for one in all {
        if let Err(why) = &one.result {
            text.push_str(&format!("{why}\n"));
        }
    }
    if !args.summary {
        for one in all.iter().filter(|a| a.result.is_ok()) {
            text.push('\n');
            text.push_str(&owners_screen(input, one, args.top, console.screen()));
        }
    }
    text
}

fn rows(
    files: &[AssignFile],
    results: &[(Input, Vec<Assigned>)],
    summary: bool,
    format: Format,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    if summary {
        let mut rows: Vec<ComparedRow> = Vec::new();
        for (file, (_, all)) in files.iter().zip(results) {
            rows.extend(all.iter().map(|one| ComparedRow::new(&file.name, one)));
        }
        return console.rows(&rows, format, &header::<ComparedRow>());
    }
    let mut rows: Vec<PartitionRow<'_>> = Vec::new();
    for (file, (input, all)) in files.iter().zip(results) {
        for one in all {
            if let Ok((owners, _)) = &one.result {
                rows.extend(partition_rows(&file.name, input, one.assignor, owners));
            }
        }
    }
    console.rows(&rows, format, &header::<PartitionRow<'_>>())
}
