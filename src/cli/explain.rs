//! `explain RESULT`: why a group rebalanced as it did, or where two strategies first part. Replays the
//! scenario that made the results.

use crate::report::files::{read_provenance, result_folder};

use super::{Console, Failure, engine};

#[derive(Debug, clap::Args)]
pub(super) struct ExplainArgs {
    /// A results folder, or the name of a scenario in results/
    result: String,
    /// Two strategies: where they first part
    #[arg(value_name = "STRATEGY", num_args = 2, conflicts_with_all = ["group", "strategy"])]
    strategies: Vec<String>,
    /// A group's rebalances, one by one
    #[arg(long)]
    group: Option<String>,
    /// In this strategy (default: the one with most rebalances); without --group: its worst group
    #[arg(long)]
    strategy: Option<String>,
    /// Which of its runs
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    run: u32,
    /// As Markdown, for a ticket
    #[arg(long)]
    markdown: bool,
}

/// What to explain.
pub(super) enum Question<'a> {
    /// A group's rebalances; absent: the worst.
    Group { group: Option<&'a str>, strategy: Option<&'a str> },
    /// Where two strategies first part.
    Parting(&'a str, &'a str),
}

pub(super) fn run(args: &ExplainArgs, console: &mut Console<'_>) -> Result<(), Failure> {
    let folder = result_folder(&args.result)?;
    let provenance = read_provenance(&folder)?;
    let question = match args.strategies.as_slice() {
        [a, b] => Question::Parting(a, b),
        _ => Question::Group { group: args.group.as_deref(), strategy: args.strategy.as_deref() },
    };
    let text = engine::explain(&provenance, args.run, &question, args.markdown, console.screen())?;
    console.data(&text)
}
