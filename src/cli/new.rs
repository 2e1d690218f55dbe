//! `new NAME`: a commented scenario to start from.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

use crate::scenario::template;

use super::{Console, Failure};

#[derive(Debug, clap::Args)]
pub(super) struct NewArgs {
    /// The scenario's name, without `.yaml`
    name: String,
    /// Where to write it
    #[arg(long, default_value = "scenarios", value_name = "DIR")]
    dir: PathBuf,
}

pub(super) fn run(args: &NewArgs, console: &mut Console<'_>) -> Result<(), Failure> {
    let name = args.name.strip_suffix(".yaml").unwrap_or(&args.name);
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || name.starts_with('.') || !name.chars().all(fits) {
        return Err(Failure::Input(format!(
            "`{}` is no name for a scenario: use letters, digits, `-`, `_` and `.`, as in weekend-roll",
            args.name
        )));
    }
    fs::create_dir_all(&args.dir)
        .map_err(|e| Failure::Machine(format!("cannot make the folder {}: {e}", args.dir.display())))?;
    let path = args.dir.join(format!("{name}.yaml"));
    let mut file = File::options().write(true).create_new(true).open(&path).map_err(|e| match e.kind() {
        ErrorKind::AlreadyExists => {
            Failure::Input(format!("{} is there already and is not overwritten; choose another name", path.display()))
        }
        _ => Failure::Machine(format!("cannot write {}: {e}", path.display())),
    })?;
    file.write_all(template(name).as_bytes())
        .map_err(|e| Failure::Machine(format!("cannot write {}: {e}", path.display())))?;
    console.say(&format!("Wrote {0}. Edit it, then: rebalance-sim run {0}", path.display()))
}
