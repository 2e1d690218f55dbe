//! The rows of marks.csv, delays.csv and strips.csv: the shape of a run in time, small enough to be kept whatever its
//! size. The charts are drawn from them.

use serde::{Deserialize, Serialize};

use crate::metrics::{Cell, RunOutcome};
use crate::sim::Ms;

use super::rows::{Keys, Text};

/// A row of marks.csv: when a history's entry did something.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "docs/files.md says what each column is")]
pub struct MarkRow<'a> {
    pub scenario: Text<'a>,
    pub point: Text<'a>,
    pub run: u32,
    pub at_ms: u64,
    pub entry: Text<'a>,
}

/// A row of delays.csv.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "docs/files.md says what each column is")]
pub struct DelayRow<'a> {
    pub scenario: Text<'a>,
    pub point: Text<'a>,
    pub run: u32,
    pub strategy: Text<'a>,
    pub upto_ms: u64,
    pub rebalances: u64,
}

impl<'a> DelayRow<'a> {
    /// One bin: its upper end and what is in it.
    #[must_use]
    pub fn new(keys: Keys<'a>, (upto_ms, rebalances): (u64, u64)) -> DelayRow<'a> {
        DelayRow {
            scenario: keys.scenario.into(),
            point: keys.point.into(),
            run: keys.run,
            strategy: keys.strategy.into(),
            upto_ms,
            rebalances,
        }
    }
}

/// A row of strips.csv.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "docs/files.md says what each column is")]
pub struct StripRow<'a> {
    pub scenario: Text<'a>,
    pub point: Text<'a>,
    pub run: u32,
    pub strategy: Text<'a>,
    pub first: u64,
    pub first_group: Text<'a>,
    pub groups: u64,
    pub from_ms: u64,
    pub until_ms: u64,
    pub rebalances: u64,
    pub spurious: u64,
}

impl<'a> StripRow<'a> {
    /// One cell.
    #[must_use]
    pub fn new(keys: Keys<'a>, run: &'a RunOutcome, cell: &Cell) -> StripRow<'a> {
        let (Ms(from_ms), Ms(until_ms)) = (cell.from, cell.until);
        StripRow {
            scenario: keys.scenario.into(),
            point: keys.point.into(),
            run: keys.run,
            strategy: keys.strategy.into(),
            first: cell.first as u64 + 1,
            first_group: run.groups[cell.first].as_str().into(),
            groups: cell.groups as u64,
            from_ms,
            until_ms,
            rebalances: cell.rebalances,
            spurious: cell.spurious,
        }
    }
}
