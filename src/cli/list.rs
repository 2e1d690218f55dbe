//! `list`: the scenarios in a folder, each with the question it asks and its size.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::coordinator::assignor::Assignor;
use crate::report::table::{Cell, Column, Grid};
use crate::report::words::{exactly, thousands};
use crate::scenario;
use crate::sim::natural_cmp;

use super::{Console, Failure, Format};

#[derive(Debug, clap::Args)]
pub(super) struct ListArgs {
    /// The folder
    #[arg(default_value = "scenarios")]
    dir: PathBuf,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// A scenario in the list.
#[derive(Debug, Default, Serialize)]
struct ListRow {
    name: String,
    question: String,
    brokers: Option<u64>,
    topics: Option<u64>,
    groups: Option<u64>,
    duration_ms: Option<u64>,
    problem: String,
}

pub(super) fn run(args: &ListArgs, console: &mut Console<'_>) -> Result<(), Failure> {
    let mut paths = Vec::new();
    find(&args.dir, &mut paths)?;
    if paths.is_empty() {
        return Err(Failure::Input(format!(
            "there is no scenario in {}; `rebalance-sim new NAME` writes one",
            args.dir.display()
        )));
    }
    paths.sort_by(|a, b| natural_cmp(&a.to_string_lossy(), &b.to_string_lossy()));
    let rows: Vec<ListRow> = paths.iter().map(|path| row(&args.dir, path)).collect();
    match args.format {
        Format::Table => console.data(&table(&rows, console))?,
        Format::Csv | Format::Json => {
            console.rows(&rows, args.format, &crate::report::files::header::<ListRow>())?;
        }
    }
    Ok(())
}

/// All `*.yaml` of a folder and of those in it.
fn find(dir: &Path, paths: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let entries = fs::read_dir(dir).map_err(|e| Failure::Input(format!("cannot read {}: {e}", dir.display())))?;
    for entry in entries {
        let entry = entry.map_err(|e| Failure::Input(format!("cannot read {}: {e}", dir.display())))?;
        let (path, kind) = (entry.path(), entry.file_type().ok());
        if kind.is_some_and(|k| k.is_dir()) {
            find(&path, paths)?;
        } else if path.extension().is_some_and(|e| e == "yaml" || e == "yml") {
            paths.push(path);
        }
    }
    Ok(())
}

fn row(dir: &Path, path: &Path) -> ListRow {
    let name = path.strip_prefix(dir).unwrap_or(path).with_extension("").display().to_string();
    let text = fs::read_to_string(path).unwrap_or_default();
    let question = text.lines().find_map(|line| line.strip_prefix('#')).map(str::trim).unwrap_or_default();
    let row = ListRow { name, question: question.to_owned(), ..ListRow::default() };
    match scenario::load(path, &[]) {
        Ok(loaded) => {
            let s = &loaded.scenario;
            ListRow {
                brokers: Some(s.brokers.len() as u64),
                topics: Some(s.topics.len() as u64),
                groups: Some(s.groups.len() as u64),
                duration_ms: Some(s.duration.0),
                ..row
            }
        }
        // a group to deal to, for `assign`
        Err(_) => match scenario::load_assign(path, &Assignor::ALL.map(Assignor::name)) {
            Ok(file) => ListRow { topics: Some(file.topics.len() as u64), ..row },
            Err(_) => ListRow { problem: format!("wrong; see: rebalance-sim validate {}", path.display()), ..row },
        },
    }
}

fn table(rows: &[ListRow], console: &Console<'_>) -> String {
    let mut grid = Grid::new(vec![
        Column::text("scenario"),
        Column::figure("brokers"),
        Column::figure("topics"),
        Column::figure("groups"),
        Column::figure("duration"),
        Column::text("question"),
    ]);
    for row in rows {
        let number = |n: Option<u64>| Cell::faint_if(n.is_none(), n.map_or("–".to_owned(), thousands));
        grid.row(vec![
            Cell::plain(row.name.as_str()),
            number(row.brokers),
            number(row.topics),
            number(row.groups),
            Cell::faint_if(row.duration_ms.is_none(), row.duration_ms.map_or("–".to_owned(), exactly)),
            if row.problem.is_empty() {
                Cell::plain(row.question.as_str())
            } else {
                Cell::warn_unless(false, row.problem.as_str())
            },
        ]);
    }
    grid.render(console.screen())
}
