//! `validate FILE…`: all problems of all files.

use std::path::PathBuf;

use super::{Console, Failure, results};

#[derive(Debug, clap::Args)]
pub(super) struct ValidateArgs {
    /// Scenarios
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Replace a value of the scenarios
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// Say nothing where all is well
    #[arg(long, short)]
    quiet: bool,
}

pub(super) fn run(args: &ValidateArgs, console: &mut Console<'_>) -> Result<(), Failure> {
    let loaded = results::load_all(&args.files, &args.set, console)?;
    if !args.quiet {
        for (file, loaded) in args.files.iter().zip(&loaded) {
            console.say(&format!("{}: fine; {}", file.display(), results::sizes(&loaded.scenario)))?;
        }
    }
    Ok(())
}
