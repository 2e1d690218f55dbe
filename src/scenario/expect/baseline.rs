//! `baseline:`: the columns that `check` holds a run to, exactly or within a tolerance that is written down.

use std::fmt;

use super::super::diagnostics::Problems;
use super::super::similar::hint;
use super::super::yaml::{Kind, Node};
use super::METRICS;

/// A column that is held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldColumn {
    /// Its name in outcomes.csv.
    pub name: String,
    /// How far it may be off.
    pub tolerance: Tolerance,
}

/// How far a value may be from its baseline, both ends included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tolerance {
    /// Not at all.
    #[default]
    Exact,
    /// By so many, up or down.
    Within(u64),
    /// By so many hundredths of the baseline, up or down.
    Percent(u64),
}

impl Tolerance {
    /// Is `now` near enough to `then`?
    #[must_use]
    pub fn allows(self, then: u64, now: u64) -> bool {
        let apart = u128::from(then.abs_diff(now));
        match self {
            Tolerance::Exact => apart == 0,
            Tolerance::Within(most) => apart <= u128::from(most),
            Tolerance::Percent(most) => apart * 100 <= u128::from(then) * u128::from(most),
        }
    }
}

/// As it is written.
impl fmt::Display for Tolerance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Tolerance::Exact => f.write_str("0"),
            Tolerance::Within(most) => write!(f, "{most}"),
            Tolerance::Percent(most) => write!(f, "{most}%"),
        }
    }
}

/// Reads `baseline:`.
pub(crate) fn baseline(node: &Node, problems: &mut Problems) -> Option<Vec<HeldColumn>> {
    let Kind::List(items) = &node.kind else {
        let label = "write `[rebalances, missed]`";
        problems.add(node.at, format!("baseline is a list of columns, not {}", node.what()), label);
        return None;
    };
    Some(items.iter().filter_map(|item| column(item, problems)).collect())
}

fn column(item: &Node, problems: &mut Problems) -> Option<HeldColumn> {
    let (at, text, tolerance) = match &item.kind {
        Kind::Map(entries) => match entries.as_slice() {
            [(key, value)] => (key.at, key.text.as_str(), tolerance(value, problems)?),
            _ => {
                problems.add(item.at, "a column and its tolerance are meant here", "write `{stale_group_ms: 5%}`");
                return None;
            }
        },
        Kind::Scalar { text, .. } => (item.at, text.as_str(), Tolerance::Exact),
        Kind::List(_) => (item.at, "", Tolerance::Exact),
    };
    if !METRICS.contains(&text) {
        problems.add(at, format!("there is no column `{text}`"), hint(text, &METRICS));
        return None;
    }
    Some(HeldColumn { name: text.to_owned(), tolerance })
}

fn tolerance(node: &Node, problems: &mut Problems) -> Option<Tolerance> {
    let text = node.text().unwrap_or("").trim();
    let digits = |t: &str| t.bytes().all(|b| b.is_ascii_digit()).then(|| t.parse::<u64>().ok()).flatten();
    let read = match text.strip_suffix('%') {
        Some(number) => digits(number.trim_end()).map(Tolerance::Percent),
        None => digits(text).map(Tolerance::Within),
    };
    if read.is_none() {
        problems.add(node.at, format!("`{text}` is no tolerance"), "write a whole number, `10`, or a share, `5%`");
    }
    read
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tolerance_holds_at_its_edge_and_not_beyond() {
        assert!(Tolerance::Exact.allows(5, 5) && !Tolerance::Exact.allows(5, 6));
        assert!(Tolerance::Within(2).allows(5, 3) && !Tolerance::Within(2).allows(5, 8));
        assert!(Tolerance::Percent(5).allows(200, 210) && !Tolerance::Percent(5).allows(200, 211));
        assert!(!Tolerance::Percent(5).allows(0, 1), "nothing is 5 % of nothing");
        assert!(Tolerance::Percent(100).allows(u64::MAX, 0));
    }
}
