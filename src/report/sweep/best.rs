//! Which point of a sweep is best: the one with the least of a column in a strategy; where several have the least,
//! the next column decides. Said with what it does not say: which points are as good, and which may be.

use crate::experiment::sweep::Plan;
use crate::report::words::plural;
use crate::scenario::{METRICS, hint};

use super::files::Written;
use super::screen::figure;
use super::summary::SummaryRow;

/// Points that are named where several are equally good.
const NAMED: usize = 5;

/// A column of one strategy, as `--best` has it: `rebalances[as-deployed]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The column of outcomes.csv.
    pub column: String,
    /// The strategy's own name; `None`: the only one.
    pub strategy: Option<String>,
}

impl std::str::FromStr for Wanted {
    type Err = String;

    fn from_str(text: &str) -> Result<Wanted, String> {
        let (column, strategy) = match text.split_once('[') {
            None => (text, None),
            Some((column, rest)) => {
                let strategy = rest.strip_suffix(']').filter(|s| !s.is_empty() && !s.contains(['[', ']']));
                (column, Some(strategy.ok_or("write COLUMN[STRATEGY], as in rebalances[kafka-4.1]")?.to_owned()))
            }
        };
        if !METRICS.contains(&column) {
            return Err(format!("there is no column `{column}`; {}", hint(column, &METRICS)));
        }
        Ok(Wanted { column: column.to_owned(), strategy })
    }
}

impl Wanted {
    fn is_of(&self, row: &SummaryRow<'_>) -> bool {
        row.column == self.column && self.strategy.as_ref().is_none_or(|name| row.strategy == *name)
    }

    fn text(&self) -> String {
        match &self.strategy {
            Some(strategy) => format!("{}[{strategy}]", self.column),
            None => self.column.clone(),
        }
    }

    /// Is it said which strategy is meant, and is it there?
    ///
    /// # Errors
    /// What to write instead.
    pub fn check(&self, strategies: &[&str]) -> Result<(), String> {
        match &self.strategy {
            None if strategies.len() > 1 => Err(format!(
                "--best {}: there are several strategies; write {}[{}], or another of {}",
                self.column,
                self.column,
                strategies[0],
                strategies.join(", ")
            )),
            Some(name) if !strategies.contains(&name.as_str()) => {
                Err(format!("--best {}: there is no strategy {name}; there are {}", self.text(), strategies.join(", ")))
            }
            _ => Ok(()),
        }
    }
}

/// A point with its figures, one for each column that is wanted.
struct Candidate<'a> {
    point: usize,
    rows: Vec<&'a SummaryRow<'static>>,
    means: Vec<f64>,
}

/// The best point in words: a line, and further ones where it is not the only one.
#[must_use]
pub fn best(plan: &Plan, written: &Written, wanted: &[Wanted]) -> String {
    let mut candidates: Vec<Candidate<'_>> = Vec::new();
    for (place, point) in plan.points.iter().enumerate().filter(|(place, _)| !written.failed_points.contains(place)) {
        let row = |of: &Wanted| written.shown.iter().find(|row| row.point == point.id && of.is_of(row));
        let rows: Option<Vec<&SummaryRow<'_>>> = wanted.iter().map(row).collect();
        let Some(rows) = rows else { continue };
        let means = rows.iter().map(|row| row.mean.parse().unwrap_or(f64::INFINITY)).collect();
        candidates.push(Candidate { point: place, rows, means });
    }
    let by = wanted.iter().map(Wanted::text).collect::<Vec<_>>().join(", then ");
    let compare = |a: &Candidate<'_>, b: &Candidate<'_>| {
        let mut pairs = a.means.iter().zip(&b.means).map(|(x, y)| x.total_cmp(y));
        pairs.find(|o| o.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
    };
    let Some(first) = candidates.iter().min_by(|a, b| compare(a, b).then(a.point.cmp(&b.point))) else {
        return format!("No point is best by {by}: none has a value and ended well.\n");
    };
    let figures = first.rows.iter().map(|row| figure(&row.mean, &row.high)).collect::<Vec<_>>().join(", then ");
    let mut text = format!("Least {by}: {}: {figures}\n", plan.called(first.point));
    let equal: Vec<usize> =
        candidates.iter().filter(|c| c.point != first.point && compare(c, first).is_eq()).map(|c| c.point).collect();
    for point in equal.iter().take(NAMED) {
        text.push_str(&format!("  as good: {}\n", plan.called(*point)));
    }
    if equal.len() > NAMED {
        text.push_str(&format!("  and {} more\n", plural((equal.len() - NAMED) as u64, "point")));
    }
    // intervals say of the first column what may be chance
    let overlaps = |c: &&Candidate<'_>| {
        let (low, high) = (c.rows[0].low.parse::<f64>(), first.rows[0].high.parse::<f64>());
        matches!((low, high), (Ok(low), Ok(high)) if low <= high) && c.means[0] > first.means[0]
    };
    match candidates.iter().filter(overlaps).count() {
        0 => {}
        n => text.push_str(&format!(
            "  {} more whose 95 % intervals of {} reach this one's: more runs would tell them apart\n",
            plural(n as u64, "point"),
            wanted[0].text()
        )),
    }
    match written.failed_points.len() {
        0 => {}
        n => text.push_str(&format!("  {} left out: broken or in error\n", plural(n as u64, "point"))),
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::sweep::Point;

    fn plan(points: &[&str]) -> Plan {
        let point = |id: &&str| Point {
            values: vec![(*id).to_owned()],
            id: (*id).to_owned(),
            seed: 1,
            runs: 3,
            wrong: None,
            bytes: 0,
            cpu_ns: 0,
        };
        Plan { name: "s".into(), axes: vec!["gap".into()], points: points.iter().map(point).collect() }
    }

    fn row(point: &str, strategy: &str, column: &str, mean: i32, half: i32) -> SummaryRow<'static> {
        SummaryRow {
            point: point.to_owned().into(),
            strategy: strategy.to_owned().into(),
            column: column.to_owned().into(),
            mean: format!("{mean}.0000"),
            low: format!("{}.0000", mean - half),
            high: format!("{}.0000", mean + half),
            ..SummaryRow::default()
        }
    }

    #[test]
    fn the_least_is_found_ties_go_to_the_next_column_and_what_may_be_chance_is_said() {
        let plan = plan(&["1m", "2m", "5m", "10m"]);
        let mut written = Written::default();
        for (point, rebalances, half, peak) in [("1m", 50, 1, 9), ("2m", 40, 2, 9), ("5m", 40, 2, 7), ("10m", 43, 3, 1)]
        {
            written.shown.push(row(point, "a", "rebalances", rebalances, half));
            written.shown.push(row(point, "a", "peak_per_s", peak, 0));
            written.shown.push(row(point, "b", "rebalances", 1, 0));
        }
        let wanted = |text: &str| text.parse::<Wanted>().unwrap();
        let one = [wanted("rebalances[a]")];
        let text = best(&plan, &written, &one);
        assert!(text.starts_with("Least rebalances[a]: "), "{text}");
        assert!(
            text.contains(": 40 ±2\n  as good: ") && text.contains("  1 point more whose 95 % intervals"),
            "{text}"
        );
        let text = best(&plan, &written, &[wanted("rebalances[a]"), wanted("peak_per_s[a]")]);
        assert!(text.contains("5m") && text.contains(": 40 ±2, then 7 ±0\n") && !text.contains("as good"), "{text}");
        written.failed_points.extend([1, 2]);
        let text = best(&plan, &written, &one);
        assert!(text.contains("10m") && text.ends_with("  2 points left out: broken or in error\n"), "{text}");
        written.failed_points.extend([0, 3]);
        assert_eq!(
            best(&plan, &written, &one),
            "No point is best by rebalances[a]: none has a value and ended well.\n"
        );
    }

    #[test]
    fn what_is_wanted_is_read_and_refused_with_what_to_write() {
        let wanted = "rebalances".parse::<Wanted>().unwrap();
        assert_eq!(wanted.check(&["a"]), Ok(()));
        assert!(wanted.check(&["a", "b"]).unwrap_err().contains("write rebalances[a], or another of a, b"));
        let wanted = "peak_per_s[c]".parse::<Wanted>().unwrap();
        assert!(wanted.check(&["a", "b"]).unwrap_err().contains("there is no strategy c; there are a, b"));
        assert!("rebalance".parse::<Wanted>().unwrap_err().contains("rebalances"));
        assert!("rebalances[a".parse::<Wanted>().unwrap_err().contains("COLUMN[STRATEGY]"));
    }
}
