//! `completions SHELL`.

use clap::CommandFactory;
use clap_complete::Shell;

use super::{Args, Console, Failure};

#[derive(Debug, clap::Args)]
pub(super) struct CompletionsArgs {
    /// Which shell
    shell: Shell,
}

pub(super) fn run(args: &CompletionsArgs, console: &mut Console<'_>) -> Result<(), Failure> {
    // the generator panics on a closed pipe, a vector never closes
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "rebalance-sim", &mut script);
    Ok(console.out.write_all(&script)?)
}
