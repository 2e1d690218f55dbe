//! `validate FILE…`: all problems of all files.

use std::path::PathBuf;

use super::{Console, Failure, engine, results};

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
    // what only shows once the world is made, such as a broker stopped that is down already
    let mut wrong = false;
    for one in &loaded {
        match engine::history(one, 1) {
            Ok(_) => {}
            Err(Failure::Interrupted) => return Err(Failure::Interrupted),
            Err(failure) => {
                wrong = true;
                console.say(failure.text(console.colour_err).unwrap_or_default().trim_end())?;
            }
        }
    }
    if wrong {
        return Err(Failure::InputSaid);
    }
    if !args.quiet {
        for (file, loaded) in args.files.iter().zip(&loaded) {
            console.say(&format!("{}: fine; {}", file.display(), results::sizes(&loaded.scenario)))?;
        }
    }
    Ok(())
}
