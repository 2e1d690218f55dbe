//! `groups RESULT`: the groups that suffered most, from groups.csv.

use crate::report::files::{GroupRow, header, read_rows, result_folder};
use crate::report::table::{groups_screen, worst_groups};
use crate::report::words::{plural, thousands};

use super::{Console, Failure, Format};

#[derive(Debug, clap::Args)]
pub(super) struct GroupsArgs {
    /// A results folder, or the name of a scenario in results/
    result: String,
    /// Only this strategy's
    #[arg(long)]
    strategy: Option<String>,
    /// How many to show; 0: all
    #[arg(long, default_value_t = 20)]
    top: usize,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// No words on standard error
    #[arg(long, short)]
    quiet: bool,
}

pub(super) fn run(args: &GroupsArgs, console: &mut Console<'_>) -> Result<(), Failure> {
    let folder = result_folder(&args.result)?;
    let mut rows: Vec<GroupRow<'static>> = read_rows(&folder, "groups.csv")?;
    if let Some(wanted) = &args.strategy {
        let mut there: Vec<String> = Vec::new();
        for row in &rows {
            if !there.iter().any(|s| *s == row.strategy) {
                there.push(row.strategy.to_string());
            }
        }
        if !there.contains(wanted) {
            return Err(Failure::Input(format!(
                "{} has no strategy {wanted}; it has {}",
                folder.display(),
                there.join(", ")
            )));
        }
        rows.retain(|row| row.strategy == wanted.as_str());
    }
    let mut worst = worst_groups(rows);
    let all = worst.len();
    if args.top > 0 {
        worst.truncate(args.top);
    }
    match args.format {
        Format::Table => console.data(&groups_screen(&worst, console.screen()))?,
        Format::Csv | Format::Json => console.rows(&worst, args.format, &header::<GroupRow<'_>>())?,
    }
    if worst.len() < all && !args.quiet {
        let rest = thousands((all - worst.len()) as u64);
        console.say(&format!("{rest} more of {}: --top N, --strategy NAME", plural(all as u64, "row")))?;
    }
    Ok(())
}
