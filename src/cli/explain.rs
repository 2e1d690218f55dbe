//! `explain RESULT`: why a group rebalanced as it did, or where two strategies first part. Replays the
//! scenario that made the results.

use crate::report::files::{read_provenance, result_folder};

use super::{Console, Failure};

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
    /// As Markdown, for a ticket
    #[arg(long)]
    markdown: bool,
}

pub(super) fn run(args: &ExplainArgs, _console: &mut Console<'_>) -> Result<(), Failure> {
    let folder = result_folder(&args.result)?;
    let _provenance = read_provenance(&folder)?;
    Err(Failure::Machine("results cannot be explained yet".to_owned()))
}
