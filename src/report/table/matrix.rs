//! `run FILE… --matrix`: event × strategy, a row for each scenario and a word for what each strategy made of
//! it. Over `scenarios/trigger-table/` it is the trigger table of the model (B.3).

use crate::metrics::{Counts, RunOutcome};

use super::grid::{Cell, Column, Grid};
use super::line::Screen;

/// A scenario's row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatrixRow {
    /// The scenario's name.
    pub event: String,
    /// Strategy and cell.
    pub cells: Vec<(String, String)>,
}

impl MatrixRow {
    /// All runs of a scenario, summed.
    #[must_use]
    pub fn new(event: &str, runs: &[RunOutcome]) -> MatrixRow {
        let mut cells: Vec<(String, Counts, u64)> = Vec::new();
        for lane in runs.iter().flat_map(|run| &run.lanes) {
            let place = cells.iter().position(|(name, ..)| *name == lane.strategy).unwrap_or_else(|| {
                cells.push((lane.strategy.clone(), Counts::default(), 0));
                cells.len() - 1
            });
            let (_, sum, failures) = &mut cells[place];
            let counts = &lane.outcome.counts;
            sum.needed += counts.needed;
            sum.late += counts.late;
            sum.spurious += counts.spurious;
            sum.repeat += counts.repeat;
            sum.missed += counts.missed;
            *failures += lane.outcome.failures;
        }
        let cells = cells.into_iter().map(|(name, counts, failures)| (name, cell(&counts, failures)));
        MatrixRow { event: event.to_owned(), cells: cells.collect() }
    }
}

/// `✔→2`: so many rebalances, needed or late; `SP→1`: spurious, repeats marked; `MISS`; `fails`; `–`: nothing.
fn cell(counts: &Counts, failures: u64) -> String {
    let mut parts = Vec::new();
    match counts.needed + counts.late {
        0 => {}
        told => parts.push(format!("✔→{told}")),
    }
    match (counts.spurious, counts.repeat) {
        (0, _) => {}
        (spurious, 0) => parts.push(format!("SP→{spurious}")),
        (spurious, repeat) if spurious == repeat => parts.push(format!("repeat→{repeat}")),
        (spurious, repeat) => parts.push(format!("SP→{spurious} ({repeat} repeat)")),
    }
    if counts.missed > 0 {
        parts.push("MISS".to_owned());
    }
    if failures > 0 {
        parts.push("fails".to_owned());
    }
    if parts.is_empty() { "–".to_owned() } else { parts.join(" ") }
}

/// The whole screen: strategies in the order in which they first stand in a row.
#[must_use]
pub fn matrix_screen(rows: &[MatrixRow], screen: Screen) -> String {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in rows.iter().flat_map(|row| &row.cells) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let columns = std::iter::once("event").chain(names.iter().copied()).map(Column::text);
    let mut grid = Grid::new(columns.collect());
    for row in rows {
        let of = |name: &str| row.cells.iter().find(|(n, _)| n == name).map_or("", |(_, cell)| cell.as_str());
        let cells = std::iter::once(row.event.as_str()).chain(names.iter().map(|name| of(name)));
        grid.row(cells.map(Cell::plain).collect());
    }
    format!("{}✔ needed or late, SP spurious, repeat: spurious and seen before, – nothing\n", grid.render(screen))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_says_what_the_model_says() {
        let counts = Counts { needed: 1, late: 1, spurious: 2, repeat: 2, missed: 1, membership: 7 };
        assert_eq!(cell(&counts, 3), "✔→2 repeat→2 MISS fails");
        assert_eq!(cell(&Counts::default(), 0), "–");
        assert_eq!(cell(&Counts { spurious: 3, repeat: 1, ..Counts::default() }, 0), "SP→3 (1 repeat)");
    }

    #[test]
    fn a_strategy_that_a_scenario_lacks_has_an_empty_cell() {
        let row = |event: &str, names: &[&str]| MatrixRow {
            event: event.into(),
            cells: names.iter().map(|n| ((*n).to_owned(), "–".to_owned())).collect(),
        };
        let text = matrix_screen(&[row("one", &["a", "b"]), row("two", &["b"])], Screen::PAPER);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0].split_whitespace().collect::<Vec<_>>(), ["event", "a", "b"]);
        assert_eq!(lines[2].split_whitespace().collect::<Vec<_>>(), ["two", "–"]);
    }
}
