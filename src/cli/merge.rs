//! `merge PART…`: the parts of a sweep, in any order, become the bytes that one process would have written.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::report::files::{PROVENANCE, Provenance, read_provenance};
use crate::report::sweep::{merge, write};
use crate::scenario::METRICS;

use super::sweep::{Output, file_rows, finish, put};
use super::{Console, Failure, Format, Host, results};

#[derive(Debug, clap::Args)]
pub(super) struct MergeArgs {
    /// The folders of all parts
    #[arg(required = true, value_name = "PART")]
    parts: Vec<PathBuf>,
    /// Write to DIR/NAME.sweep/
    #[arg(long, value_name = "DIR", default_value = "results")]
    out: PathBuf,
    /// The column that the table shows
    #[arg(long, value_name = "COLUMN", default_value = "rebalances", value_parser = clap::builder::PossibleValuesParser::new(METRICS))]
    column: String,
    /// How to print the table; csv and json are summary.csv's rows of the column
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// No words on standard error
    #[arg(long, short)]
    quiet: bool,
}

pub(super) fn run(
    args: &MergeArgs,
    line: &[OsString],
    host: &Host<'_>,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    let parts = merge(&args.parts).map_err(Failure::Input)?;
    if parts.version != results::VERSION {
        return Err(Failure::Input(format!("the parts were made by {}; merge them with it", parts.version)));
    }
    let folder = args.out.join(format!("{}.sweep", parts.plan.name));
    std::fs::create_dir_all(&folder)
        .map_err(|e| Failure::Machine(format!("cannot write {}: {e}", folder.display())))?;
    let units = parts.plan.units();
    let written = write(&folder, &parts.plan, &units, true, &[&args.column], &mut |unit| parts.get(unit))?;
    let machine = host.describe();
    let first = read_provenance(&args.parts[0])?;
    let provenance = Provenance {
        command: results::command(line),
        date: machine.date,
        os: machine.os,
        cpu: machine.cpu,
        files: file_rows(&written),
        ..first
    };
    put(&folder, PROVENANCE, &provenance.to_yaml())?;
    let output = Output { column: &args.column, best: &[], format: args.format, quiet: args.quiet, table: true };
    finish(&parts.plan, &written, &folder, output, console)
}
