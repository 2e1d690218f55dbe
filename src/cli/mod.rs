//! The command line: one file for each verb. Data goes to standard output, words for people to standard
//! error; every failure says what to change and has its exit code.

mod assign;
mod budget;
mod chart;
mod check;
mod compare;
mod completions;
mod console;
mod differ;
mod engine;
mod explain;
mod failure;
mod groups;
mod hash;
mod history;
mod import;
mod interrupt;
mod jars;
mod list;
mod machine;
mod merge;
mod new;
mod part;
mod reached;
mod replay;
mod report;
mod results;
mod run;
mod runs;
mod schema;
mod show;
mod sweep;
mod table;
mod topic_id;
mod validate;
mod verify_assignors;
mod verify_kafka;

use std::ffi::OsString;
use std::io::{self, Write};

use clap::{Parser, Subcommand, ValueEnum};

pub use console::Console;
pub use failure::Failure;
pub use machine::Host;

/// A deterministic simulator of what makes Kafka's group coordinator rebalance.
///
/// From a scenario and a seed it makes the history of a cluster once, replays it to every strategy, and says for each
/// how often groups rebalanced, which of those rebalances were needed, and what they cost.
#[derive(Debug, Parser)]
#[command(name = "rebalance-sim", version, after_help = EXIT_CODES, propagate_version = false)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

const EXIT_CODES: &str = "\
Exit codes: 0 fine · 1 a regression, a broken expectation or a failed sweep point · 2 the input is wrong · 3 the machine could not ·
4 no baseline · 130 interrupted";

#[derive(Debug, Subcommand)]
enum Verb {
    /// Simulate scenarios and write results/NAME/
    Run(run::RunArgs),
    /// Run a scenario at every point of its sweep
    Sweep(sweep::SweepArgs),
    /// Join the parts of a sweep that several machines made
    Merge(merge::MergeArgs),
    /// Hold scenarios against their baselines
    Check(check::CheckArgs),
    /// Show what differs between two results
    Compare(compare::CompareArgs),
    /// Say why a group rebalanced, or where two strategies first part
    Explain(explain::ExplainArgs),
    /// Show the groups that rebalanced most
    Groups(groups::GroupsArgs),
    /// Draw the charts of results again, or several results together
    Chart(chart::ChartArgs),
    /// Print a published table with our own figures
    Table(table::TableArgs),
    /// Write a results folder as one page for a browser
    Report(report::ReportArgs),
    /// Check scenarios and name every problem
    Validate(validate::ValidateArgs),
    /// List the scenarios in a folder
    List(list::ListArgs),
    /// Write a commented scenario to start from
    New(new::NewArgs),
    /// Make a scenario of what Kafka's own tools print of a cluster
    Import(import::ImportArgs),
    /// Run every strategy over what really happened to a cluster: its metadata log
    Replay(replay::ReplayArgs),
    /// Print the JSON Schema of scenarios, for editors
    Schema(schema::SchemaArgs),
    /// Print a scenario's history as JSON Lines
    History(history::HistoryArgs),
    /// Deal a group's partitions with several assignors side by side, no time passing
    Assign(assign::AssignArgs),
    /// Hash a topic or a group with all three algorithms
    Hash(hash::HashArgs),
    /// Hold our coordinators against Apache Kafka's own classes
    VerifyKafka(verify_kafka::VerifyArgs),
    /// Find the smallest history on which two strategies part
    Differ(differ::DifferArgs),
    /// Print a completion script for a shell
    Completions(completions::CompletionsArgs),
}

/// How data is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    #[default]
    Table,
    /// As the CSV files have it
    Csv,
    /// A list of objects with the CSV files' columns
    Json,
}

/// Runs a command line; the exit code.
pub fn run(args: impl IntoIterator<Item = OsString>, host: &Host<'_>) -> u8 {
    let args: Vec<OsString> = args.into_iter().collect();
    let (mut out, mut err) = (io::stdout(), io::stderr());
    let mut console = Console::of_process(&mut out, &mut err);
    run_in(&args, host, &mut console)
}

/// Runs a command line with output of one's own.
pub fn run_in(args: &[OsString], host: &Host<'_>, console: &mut Console<'_>) -> u8 {
    let result = match Args::try_parse_from(args) {
        Ok(parsed) => dispatch(parsed, args, host, console),
        Err(usage) => return print_usage(&usage, console),
    };
    let result = result.and_then(|()| console.out.flush().map_err(Failure::from));
    match result {
        Ok(()) => 0,
        Err(failure) => {
            let _ = console.progress("");
            if let Some(text) = failure.text(console.colour_err) {
                // whoever does not listen does not hear of it either
                let _ = writeln!(console.err, "{}", text.trim_end());
            }
            failure.code()
        }
    }
}

fn dispatch(args: Args, line: &[OsString], host: &Host<'_>, console: &mut Console<'_>) -> Result<(), Failure> {
    match args.verb {
        Verb::Run(args) => run::run(&args, line, host, console),
        Verb::Sweep(args) => sweep::run(&args, line, host, console),
        Verb::Merge(args) => merge::run(&args, line, host, console),
        Verb::Check(args) => check::run(&args, host, console),
        Verb::Compare(args) => compare::run(&args, console),
        Verb::Explain(args) => explain::run(&args, console),
        Verb::Groups(args) => groups::run(&args, console),
        Verb::Chart(args) => chart::run(&args, console),
        Verb::Table(args) => table::run(&args, host, console),
        Verb::Report(args) => report::run(&args, console),
        Verb::Validate(args) => validate::run(&args, console),
        Verb::List(args) => list::run(&args, console),
        Verb::New(args) => new::run(&args, console),
        Verb::Import(args) => import::run(&args, console),
        Verb::Replay(args) => replay::run(&args, line, host, console),
        Verb::Schema(args) => schema::run(&args, console),
        Verb::History(args) => history::run(&args, console),
        Verb::Assign(args) => assign::run(&args, console),
        Verb::Hash(args) => hash::run(&args, console),
        Verb::Differ(args) => differ::run(&args, console),
        Verb::VerifyKafka(args) => verify_kafka::run(&args, console),
        Verb::Completions(args) => completions::run(&args, console),
    }
}

/// Help and version are data; a wrong command line is an error of input.
fn print_usage(usage: &clap::Error, console: &mut Console<'_>) -> u8 {
    let text = usage.render();
    let text = if console.colour { text.ansi().to_string() } else { text.to_string() };
    let (to, code): (&mut dyn Write, u8) = if usage.use_stderr() { (console.err, 2) } else { (console.out, 0) };
    let _ = to.write_all(text.as_bytes()).and_then(|()| to.flush());
    code
}
