//! The end of a sweep, as it is told: the table, the best point, where the files are, what failed.

use std::io::Write as _;
use std::path::Path;

use crate::experiment::sweep::Plan;
use crate::report::files::{FileRows, FolderError, header, write_beside};
use crate::report::sweep::{SummaryRow, Wanted, Written, best, sweep_screen};

use super::super::{Console, Failure, Format};

/// Failed points that a message names.
const NAMED: usize = 10;

/// How the end of a sweep is told.
#[derive(Clone, Copy, Debug)]
pub(in crate::cli) struct Output<'a> {
    pub(in crate::cli) column: &'a str,
    /// By what the best point is named; by nothing: none is.
    pub(in crate::cli) best: &'a [Wanted],
    pub(in crate::cli) format: Format,
    pub(in crate::cli) quiet: bool,
    /// Is there a table to show? Of a part there is none.
    pub(in crate::cli) table: bool,
}

/// The table, where the files are, and what failed.
pub(in crate::cli) fn finish(
    plan: &Plan,
    written: &Written,
    folder: &Path,
    output: Output<'_>,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    match output.format {
        _ if !output.table => {}
        Format::Table => console.data(&sweep_screen(plan, written, output.column, console.screen()))?,
        format => {
            let rows: Vec<&SummaryRow<'_>> = written.shown.iter().filter(|row| row.column == output.column).collect();
            console.rows(&rows, format, &header::<SummaryRow<'_>>())?;
        }
    }
    if output.table && !output.best.is_empty() {
        let named = best(plan, written, output.best);
        // rows stay rows
        if output.format == Format::Table {
            console.data(&named)?;
        } else if !output.quiet {
            console.say(named.trim_end())?;
        }
    }
    if !output.quiet {
        console.say(&format!("Written to {}/", folder.display()))?;
    }
    if written.failed.is_empty() {
        return Ok(());
    }
    let mut lines = written.failed.iter().take(NAMED).cloned().collect::<Vec<_>>();
    if written.failed.len() > NAMED {
        lines.push(format!("and {} more: points.csv", written.failed.len() - NAMED));
    }
    Err(Failure::Broken(lines.join("\n       ")))
}

pub(in crate::cli) fn file_rows(written: &Written) -> Vec<FileRows> {
    written.files.iter().map(|(name, rows)| FileRows { name: (*name).to_owned(), rows: *rows }).collect()
}

pub(in crate::cli) fn put(folder: &Path, name: &str, text: &str) -> Result<(), FolderError> {
    write_beside(&folder.join(name), |out| out.write_all(text.as_bytes()))
}
