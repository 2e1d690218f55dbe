//! `report.html`: one file with everything of a results folder, for somebody who has only a browser. No network, no
//! frameworks: tables that a small script sorts and filters, the charts as they are.

use serde::Serialize;

use crate::report::charts::{Chart, DrawError, Picture};
use crate::report::files::Provenance;
use crate::report::words::thousands;

const TEMPLATE: &str = include_str!("html/report.html.jinja");
const STYLE: &str = include_str!("html/report.css");
const SCRIPT: &str = include_str!("html/report.js");

/// Rows of a table that are shown; the file has all.
const MOST_ROWS: usize = 500;

/// Why a report could not be made.
#[derive(Debug, thiserror::Error)]
pub enum HtmlError {
    /// A chart could not be drawn.
    #[error("{0}")]
    Draw(#[from] DrawError),
    /// The template.
    #[error("cannot fill in the report: {0}")]
    Template(#[from] minijinja::Error),
    /// A row.
    #[error("cannot read the rows of {0}")]
    Rows(&'static str),
}

/// A table of the page.
#[derive(Clone, Debug, Serialize)]
pub struct Table {
    /// The file that it is from, its anchor.
    file: &'static str,
    /// What it tells.
    title: &'static str,
    heads: Vec<String>,
    rows: Vec<Vec<Cell>>,
    /// How many rows the file has, where not all are shown.
    of: Option<String>,
}

/// A cell: how it is shown, and what it sorts by.
#[derive(Clone, Debug, Serialize)]
struct Cell {
    shown: String,
    number: Option<f64>,
}

impl Table {
    /// From rows of a CSV file, in its columns but for some that say the same in every row.
    ///
    /// # Errors
    /// If a row is no row.
    pub fn new<R: Serialize>(
        file: &'static str,
        title: &'static str,
        rows: &[R],
        all: usize,
    ) -> Result<Table, HtmlError> {
        let mut csv = csv::Writer::from_writer(Vec::new());
        rows.iter().take(MOST_ROWS).try_for_each(|row| csv.serialize(row)).map_err(|_| HtmlError::Rows(file))?;
        let bytes = csv.into_inner().map_err(|_| HtmlError::Rows(file))?;
        let mut read = csv::Reader::from_reader(bytes.as_slice());
        let heads: Vec<String> = read.headers().map_err(|_| HtmlError::Rows(file))?.iter().map(str::to_owned).collect();
        let lines: Vec<csv::StringRecord> = read.records().flatten().collect();
        let tells = |column: usize| {
            let same = lines.windows(2).all(|pair| pair[0].get(column) == pair[1].get(column));
            !(same && ["scenario", "point", "run", "os", "cpu", "history_id"].contains(&heads[column].as_str()))
        };
        let kept: Vec<usize> = (0..heads.len()).filter(|column| tells(*column)).collect();
        let cell = |text: &str| {
            let number = text.parse::<u64>().ok();
            Cell { shown: number.map_or_else(|| text.to_owned(), thousands), number: number.map(float) }
        };
        let line = |record: &csv::StringRecord| kept.iter().map(|c| cell(record.get(*c).unwrap_or(""))).collect();
        Ok(Table {
            file,
            title,
            rows: lines.iter().map(line).collect(),
            of: (all > lines.len()).then(|| thousands(all as u64)),
            heads: kept.iter().map(|c| heads[*c].clone()).collect(),
        })
    }
}

#[expect(clippy::cast_precision_loss, reason = "only to sort by")]
fn float(n: u64) -> f64 {
    n as f64
}

/// A strategy's rebalances of one cause, the first few.
#[derive(Clone, Debug, Serialize)]
pub struct Because {
    /// What changed.
    pub cause: String,
    /// What made it visible.
    pub trigger: String,
    /// How many, in words.
    pub counted: String,
    /// The first few: when, who, which verdict.
    pub first: Vec<String>,
}

/// A strategy's rebalances explained.
#[derive(Clone, Debug, Serialize)]
pub struct Explained {
    /// Its own name.
    pub strategy: String,
    /// By cause and trigger.
    pub because: Vec<Because>,
    /// Its worst group, one by one, in words; or why there is nothing to tell.
    pub worst: Option<String>,
}

#[derive(Serialize)]
struct Figure<'a> {
    name: &'a str,
    svg: Option<String>,
    nothing: Option<&'a str>,
}

#[derive(Serialize)]
struct File<'a> {
    name: &'a str,
    text: &'a str,
}

/// The page.
///
/// # Errors
/// If a chart cannot be drawn.
pub fn page(
    provenance: &Provenance,
    tables: &[Table],
    charts: &[Chart],
    explained: &[Explained],
    problems: &[String],
) -> Result<String, HtmlError> {
    let mut figures = Vec::new();
    for chart in charts {
        figures.push(match &chart.picture {
            Picture::Drawn(drawing) => Figure { name: &chart.name, svg: Some(drawing.svg()?), nothing: None },
            Picture::Nothing(why) => Figure { name: &chart.name, svg: None, nothing: Some(why) },
        });
    }
    let files: Vec<File<'_>> = provenance.sources.iter().map(|s| File { name: &s.file, text: &s.text }).collect();
    let made: Vec<(&str, String)> = vec![
        ("command", provenance.command.clone()),
        ("version", provenance.version.clone()),
        ("date", provenance.date.clone()),
        ("machine", format!("{}, {}", provenance.os, provenance.cpu)),
        ("seed", provenance.seed.to_string()),
        ("runs", provenance.runs.to_string()),
        ("histories", provenance.histories.join(", ")),
        ("changed", provenance.set.join(", ")),
    ];
    let mut environment = minijinja::Environment::new();
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::Html);
    environment.add_template("report.html", TEMPLATE)?;
    Ok(environment.get_template("report.html")?.render(minijinja::context! {
        name => provenance.scenario,
        style => STYLE,
        script => SCRIPT,
        made,
        tables,
        figures,
        explained,
        files,
        problems,
    })?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Row {
        scenario: &'static str,
        strategy: &'static str,
        rebalances: u64,
    }

    #[test]
    fn what_a_scenario_is_called_is_text_and_what_is_the_same_everywhere_is_left_out() {
        let row = |strategy, rebalances| Row { scenario: "s", strategy, rebalances };
        let rows = [row("<script>alert(1)</script>", 12_345), row("b", 7)];
        let table = Table::new("outcomes.csv", "Outcomes", &rows, 2).unwrap();
        assert_eq!(table.heads, ["strategy", "rebalances"]);
        let provenance = Provenance { scenario: "<x>".into(), ..Provenance::default() };
        let html = page(&provenance, &[table], &[], &[], &[]).unwrap();
        assert!(!html.contains("<script>alert") && html.contains("&lt;script&gt;alert"), "{html}");
        assert!(html.contains("<title>&lt;x&gt;") && html.contains("12,345"), "{html}");
        for outside in ["http://", "https://", "src=", "@import", "url("] {
            assert!(!html.contains(outside), "{outside} would need a network");
        }
    }
}
