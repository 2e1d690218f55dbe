//! What `sweep` and `merge` show at their end: a row for each point, the mean of one column for each strategy.

use crate::experiment::sweep::Plan;
use crate::report::table::{Cell, Column, Grid, Screen};
use crate::report::words::thousands;

use super::files::Written;
use super::summary::SummaryRow;

/// Rows that a screen shows.
const ROWS: usize = 60;

/// Means of a column, `±` half the width of their 95 % interval where there are several runs.
#[must_use]
pub fn sweep_screen(plan: &Plan, written: &Written, column: &str, screen: Screen) -> String {
    let mut strategies: Vec<&str> = Vec::new();
    for row in written.shown.iter().filter(|row| row.column == column) {
        if !strategies.contains(&row.strategy.as_ref()) {
            strategies.push(&row.strategy);
        }
    }
    let mut columns: Vec<Column> = plan.axes.iter().map(Column::text).collect();
    if columns.is_empty() {
        columns.push(Column::text("point"));
    }
    columns.extend(strategies.iter().map(|name| Column::figure(*name)));
    let mut grid = Grid::new(columns);
    for point in plan.points.iter().take(ROWS) {
        let mut cells: Vec<Cell> = point.values.iter().map(Cell::plain).collect();
        if cells.is_empty() {
            cells.push(Cell::plain(point.id.as_str()));
        }
        for strategy in &strategies {
            let is_its =
                |row: &&SummaryRow<'_>| row.column == column && row.point == point.id && row.strategy == *strategy;
            let row = written.shown.iter().find(is_its);
            cells.push(row.map_or_else(
                || Cell::warn_unless(point.wrong.is_none(), if point.wrong.is_some() { "error" } else { "–" }),
                |row| Cell::faint_if(row.min == 0 && row.max == 0, figure(&row.mean, &row.high)),
            ));
        }
        grid.row(cells);
    }
    let mut text = format!("{} · {column}, mean of a run\n{}", plan.name, grid.render(screen));
    if plan.points.len() > ROWS {
        text.push_str(&format!("… and {} more points: summary.csv\n", thousands((plan.points.len() - ROWS) as u64)));
    }
    text
}

/// `1,234`, or `1,234.5 ±6.7`.
pub(super) fn figure(mean: &str, high: &str) -> String {
    let (Ok(value), high) = (mean.parse::<f64>(), high.parse::<f64>()) else { return mean.to_owned() };
    match high {
        Ok(high) => format!("{} ±{}", tenths(value), tenths(high - value)),
        Err(_) => tenths(value),
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a figure for a screen")]
fn tenths(value: f64) -> String {
    let tenths = (value.abs() * 10.0).round() as u64;
    let sign = if value < 0.0 && tenths > 0 { "−" } else { "" };
    if tenths.is_multiple_of(10) {
        format!("{sign}{}", thousands(tenths / 10))
    } else {
        format!("{sign}{}.{}", thousands(tenths / 10), tenths % 10)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_tenths_only_where_there_are_some() {
        assert_eq!(figure("1234.0000", ""), "1,234");
        assert_eq!(figure("1234.5000", "1241.2000"), "1,234.5 ±6.7");
        assert_eq!(figure("7.0000", "7.0000"), "7 ±0");
    }
}
