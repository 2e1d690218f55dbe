//! The rows of moves.csv and ownership.csv: what rebalances cost groups with an assignor, by what was behind them and
//! over time. There are no such files where no group has an assignor.

use serde::{Deserialize, Serialize};

use crate::metrics::{LaneOutcome, RunOutcome};

use super::rows::{Keys, Text, origin_text};

/// A row of moves.csv.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "docs/files.md says what each column is")]
pub struct MovesRow<'a> {
    pub scenario: Text<'a>,
    pub point: Text<'a>,
    pub run: u32,
    pub strategy: Text<'a>,
    pub cause: Text<'a>,
    pub trigger: Text<'a>,
    pub assignments: u64,
    pub same: u64,
    pub moves: u64,
    pub moves_wasted: u64,
    pub members_disturbed: u64,
}

impl<'a> MovesRow<'a> {
    /// Every pair of cause and trigger in one lane that a target followed.
    pub fn all(keys: Keys<'a>, run: &'a RunOutcome, lane: &LaneOutcome) -> impl Iterator<Item = MovesRow<'a>> {
        lane.assigned.by.iter().map(move |((cause, trigger), of)| MovesRow {
            scenario: keys.scenario.into(),
            point: keys.point.into(),
            run: keys.run,
            strategy: keys.strategy.into(),
            cause: origin_text(run, *cause).into(),
            trigger: origin_text(run, *trigger).into(),
            assignments: of.assignments,
            same: of.same,
            moves: of.moves,
            moves_wasted: of.moves_wasted,
            members_disturbed: of.members_disturbed,
        })
    }
}

/// A row of ownership.csv.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "docs/files.md says what each column is")]
pub struct OwnershipRow<'a> {
    pub scenario: Text<'a>,
    pub point: Text<'a>,
    pub run: u32,
    pub strategy: Text<'a>,
    pub bucket_start_ms: u64,
    pub assignments: u64,
    pub moves: u64,
    pub unassigned_partition_ms: u64,
    pub local_partition_ms: u64,
    pub remote_partition_ms: u64,
    pub imbalance_max: u64,
}

impl<'a> OwnershipRow<'a> {
    /// Every bucket of one lane.
    pub fn all(keys: Keys<'a>, lane: &LaneOutcome) -> impl Iterator<Item = OwnershipRow<'a>> {
        lane.assigned.buckets.iter().map(move |of| OwnershipRow {
            scenario: keys.scenario.into(),
            point: keys.point.into(),
            run: keys.run,
            strategy: keys.strategy.into(),
            bucket_start_ms: of.start.0,
            assignments: of.assignments,
            moves: of.moves,
            unassigned_partition_ms: of.unassigned_partition_ms,
            local_partition_ms: of.local_partition_ms,
            remote_partition_ms: of.remote_partition_ms,
            imbalance_max: of.imbalance_max,
        })
    }
}
