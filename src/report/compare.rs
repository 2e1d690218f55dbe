//! Two results held against each other, cell by cell: absolute and relative.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::report::files::Cells;
use crate::report::words::thousands;

/// Columns that name a row.
const KEYS: [&str; 3] = ["point", "run", "strategy"];

/// Columns that are no figures.
const WORDS: [&str; 2] = ["scenario", "history_id"];

/// A cell of two results. An absent row or value is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "docs/files.md says what each column is")]
pub struct CompareRow {
    pub point: String,
    pub run: String,
    pub strategy: String,
    pub column: String,
    pub a: Option<u64>,
    pub b: Option<u64>,
    pub change: Option<i128>,
    pub percent: Option<String>,
}

impl CompareRow {
    /// Is it the same in both?
    #[must_use]
    pub fn is_equal(&self) -> bool {
        self.a == self.b
    }
}

/// All cells of two tables of outcomes, in the order of the first, then rows that only the second has.
#[must_use]
pub fn compare(a: &Cells, b: &Cells) -> Vec<CompareRow> {
    let key = |cells: &Cells, row: &[String]| KEYS.map(|name| cells.cell(row, name).to_owned());
    let figure = |name: &&String| !KEYS.contains(&name.as_str()) && !WORDS.contains(&name.as_str());
    let columns: Vec<&String> =
        a.columns.iter().chain(b.columns.iter().filter(|name| a.column(name).is_none())).filter(figure).collect();
    let mut rows = Vec::new();
    let mut add = |key: [String; 3], x: Option<&Vec<String>>, y: Option<&Vec<String>>| {
        for column in &columns {
            let value = |cells: &Cells, row: Option<&Vec<String>>| row.and_then(|r| cells.cell(r, column).parse().ok());
            let (x, y): (Option<u64>, Option<u64>) = (value(a, x), value(b, y));
            let [point, run, strategy] = key.clone();
            let change = x.zip(y).map(|(x, y)| i128::from(y) - i128::from(x));
            let percent = x.zip(change).and_then(|(x, change)| percent(x, change));
            rows.push(CompareRow { point, run, strategy, column: (*column).clone(), a: x, b: y, change, percent });
        }
    };
    for row in &a.rows {
        let own = key(a, row);
        let other = b.rows.iter().find(|r| key(b, r) == own);
        add(own, Some(row), other);
    }
    for row in &b.rows {
        let own = key(b, row);
        if !a.rows.iter().any(|r| key(a, r) == own) {
            add(own, None, Some(row));
        }
    }
    rows
}

/// `+12.50`, rounded half away from zero; of nothing there is no share.
fn percent(of: u64, change: i128) -> Option<String> {
    let of = i128::from(of);
    if of == 0 {
        return None;
    }
    let hundredths = (change.abs() * 20_000 + of) / (2 * of);
    let sign = if change < 0 { "-" } else { "+" };
    Some(format!("{sign}{}.{:02}", hundredths / 100, hundredths % 100))
}

/// `1,200 → 1,500 (+25.00 %)`.
#[must_use]
pub fn told(row: &CompareRow) -> String {
    let shown = |value: Option<u64>| value.map_or("nothing".to_owned(), thousands);
    let share = row.percent.as_ref().map_or(String::new(), |percent| format!(" ({percent} %)"));
    format!("{} → {}{share}", shown(row.a), shown(row.b))
}

/// When a comparison fails: `rebalances` (any change), `missed>0` (grows by more), `heap_bytes_peak>5%`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailOn {
    column: String,
    limit: Limit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Limit {
    Any,
    Grows(u64),
    GrowsPercent(u64),
}

impl FailOn {
    /// The column it is about.
    #[must_use]
    pub fn column(&self) -> &str {
        &self.column
    }

    /// Is this cell beyond it? A row or value that only one of both has always is.
    #[must_use]
    pub fn takes(&self, row: &CompareRow) -> bool {
        if row.column != self.column || row.is_equal() {
            return false;
        }
        let (Some(a), Some(change)) = (row.a, row.change) else { return true };
        match self.limit {
            Limit::Any => true,
            Limit::Grows(most) => change > i128::from(most),
            Limit::GrowsPercent(most) => change * 100 > i128::from(a) * i128::from(most),
        }
    }
}

impl FromStr for FailOn {
    type Err = String;

    fn from_str(text: &str) -> Result<FailOn, String> {
        let wrong = || format!("`{text}` is no condition: write rebalances, missed>0 or heap_bytes_peak>5%");
        let (column, limit) = match text.split_once('>') {
            None => (text, Limit::Any),
            Some((column, limit)) => match limit.trim().strip_suffix('%') {
                Some(share) => (column, Limit::GrowsPercent(share.trim().parse().map_err(|_| wrong())?)),
                None => (column, Limit::Grows(limit.trim().parse().map_err(|_| wrong())?)),
            },
        };
        let column = column.trim();
        let word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if column.is_empty() || !column.chars().all(word) {
            return Err(wrong());
        }
        Ok(FailOn { column: column.to_owned(), limit })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(text: &str) -> Cells {
        Cells::parse(text).unwrap()
    }

    #[test]
    fn cells_are_matched_by_key_and_name_and_changes_are_exact() {
        let a = cells("scenario,point,run,strategy,rebalances,missed\ns,,1,x,1200,0\ns,,1,y,7,0\n");
        let b = cells("scenario,point,run,strategy,missed,rebalances,moves\ns,,1,z,0,1,1\ns,,1,x,3,1500,1\n");
        let rows = compare(&a, &b);
        let row =
            |strategy: &str, column: &str| rows.iter().find(|r| r.strategy == strategy && r.column == column).unwrap();
        assert_eq!(told(row("x", "rebalances")), "1,200 → 1,500 (+25.00 %)");
        assert_eq!(told(row("x", "missed")), "0 → 3");
        assert_eq!(told(row("y", "rebalances")), "7 → nothing");
        assert_eq!(told(row("z", "rebalances")), "nothing → 1");
        assert_eq!((row("x", "moves").a, row("x", "moves").b), (None, Some(1)));
        assert_eq!(percent(3, -1).as_deref(), Some("-33.33"));
        assert_eq!(percent(8, 1).as_deref(), Some("+12.50"));
    }

    #[test]
    fn a_condition_fails_beyond_its_limit_and_not_at_it() {
        let row = |a, b| CompareRow {
            column: "missed".into(),
            a: Some(a),
            b: Some(b),
            change: Some(i128::from(b) - i128::from(a)),
            ..CompareRow::default()
        };
        let takes = |text: &str, a, b| text.parse::<FailOn>().unwrap().takes(&row(a, b));
        assert!(takes("missed", 5, 4) && !takes("missed", 5, 5) && !takes("late", 5, 4));
        assert!(takes("missed>2", 5, 8) && !takes("missed>2", 5, 7) && !takes("missed>2", 5, 1));
        assert!(takes("missed > 5%", 100, 106) && !takes("missed>5%", 100, 105) && takes("missed>5%", 0, 1));
        for wrong in ["", ">5", "missed>x", "missed>-1", "a b"] {
            assert!(wrong.parse::<FailOn>().is_err(), "{wrong}");
        }
    }
}
