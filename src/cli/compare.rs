//! `compare A B`: two results, what changed for each strategy, absolute and relative.

use clap::ValueEnum;

use crate::report::compare::{CompareRow, FailOn, compare, told};
use crate::report::files::{Cells, header, result_folder};
use crate::report::table::{Cell, Column, Grid};
use crate::report::words::{plural, thousands};

use super::{Console, Failure, Format};

#[derive(Debug, clap::Args)]
pub(super) struct CompareArgs {
    /// A results folder, or the name of a scenario in results/
    a: String,
    /// The other one
    b: String,
    /// Only these columns of outcomes.csv
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    columns: Vec<String>,
    /// Also what is the same in both
    #[arg(long)]
    all: bool,
    /// End with 1 where a column changed (rebalances), grew by more than so many (missed>0) or so much (heap_bytes_peak>5%)
    #[arg(long, value_name = "COLUMN[>N]", value_delimiter = ',')]
    fail_on: Vec<FailOn>,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Form,
    /// No words on standard error
    #[arg(long, short)]
    quiet: bool,
}

/// How a comparison is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Form {
    /// For people
    #[default]
    Table,
    /// Columns point, run, strategy, column, a, b, change, percent
    Csv,
    /// A list of objects with these columns
    Json,
    /// For a ticket
    Markdown,
}

pub(super) fn run(args: &CompareArgs, console: &mut Console<'_>) -> Result<(), Failure> {
    let read =
        |name: &String| -> Result<Cells, Failure> { Ok(Cells::read(&result_folder(name)?.join("outcomes.csv"))?) };
    let (a, b) = (read(&args.a)?, read(&args.b)?);
    let known = |name: &str| a.column(name).is_some() || b.column(name).is_some();
    let asked = args.columns.iter().map(String::as_str).chain(args.fail_on.iter().map(FailOn::column));
    if let Some(unknown) = asked.into_iter().find(|name| !known(name)) {
        return Err(Failure::Input(format!("there is no column {unknown} in these results; docs/files.md lists them")));
    }
    let cells = compare(&a, &b);
    let wanted = |row: &&CompareRow| {
        (args.all || !row.is_equal()) && (args.columns.is_empty() || args.columns.contains(&row.column))
    };
    let rows: Vec<&CompareRow> = cells.iter().filter(wanted).collect();
    match args.format {
        Form::Csv => console.rows(&rows, Format::Csv, &header::<CompareRow>())?,
        Form::Json => console.rows(&rows, Format::Json, "")?,
        Form::Table | Form::Markdown if rows.is_empty() => {}
        Form::Table => console.data(&table(&rows, console))?,
        Form::Markdown => console.data(&markdown(&args.a, &args.b, &rows))?,
    }
    if !args.quiet {
        let equal = cells.iter().filter(|row| row.is_equal()).count() as u64;
        console.say(&format!("{} equal, {} not", plural(equal, "cell"), thousands(cells.len() as u64 - equal)))?;
        let ids = |cells: &Cells| cells.rows.iter().map(|r| cells.cell(r, "history_id").to_owned()).collect::<Vec<_>>();
        if ids(&a) != ids(&b) {
            console.say("note: the histories are not the same: what happened differs, not only what was made of it")?;
        }
    }
    let beyond: Vec<String> = cells
        .iter()
        .filter(|row| args.fail_on.iter().any(|limit| limit.takes(row)))
        .map(|row| format!("{}  {} {}", name(row), row.column, told(row)))
        .collect();
    if beyond.is_empty() { Ok(()) } else { Err(Failure::Broken(beyond.join("\n       "))) }
}

fn name(row: &CompareRow) -> String {
    let point = if row.point.is_empty() { String::new() } else { format!(" point {}", row.point) };
    format!("{}{point} run {}", row.strategy, row.run)
}

fn figures(row: &CompareRow) -> [String; 4] {
    let value = |v: Option<u64>| v.map_or("–".to_owned(), thousands);
    let change = row.change.map_or("–".to_owned(), |change| {
        let size = thousands(u64::try_from(change.unsigned_abs()).unwrap_or(u64::MAX));
        format!("{}{size}", if change < 0 { "−" } else { "+" })
    });
    let percent = row.percent.as_ref().map_or("–".to_owned(), |p| format!("{} %", p.replace('-', "−")));
    [value(row.a), value(row.b), change, percent]
}

fn table(rows: &[&CompareRow], console: &Console<'_>) -> String {
    let mut grid = Grid::new(vec![
        Column::text("strategy"),
        Column::text("column"),
        Column::figure("A"),
        Column::figure("B"),
        Column::figure("change"),
        Column::figure(""),
    ]);
    let mut last = String::new();
    for row in rows {
        // a strategy is named once
        let own = name(row);
        let shown = if own == last { String::new() } else { own.clone() };
        last = own;
        let cells = [shown, row.column.clone()].into_iter().chain(figures(row));
        grid.row(cells.map(|text| Cell::faint_if(row.is_equal(), text)).collect());
    }
    grid.render(console.screen())
}

fn markdown(a: &str, b: &str, rows: &[&CompareRow]) -> String {
    let bar = |text: &str| text.replace('|', "\\|");
    let mut out =
        format!("| strategy | column | {} | {} | change | |\n|---|---|---:|---:|---:|---:|\n", bar(a), bar(b));
    for row in rows {
        out.push_str(&format!("| {} | {} | {} |\n", bar(&name(row)), row.column, figures(row).join(" | ")));
    }
    out
}
