//! The rows of causes.csv, groups.csv, timeline.csv and bumps.csv. A struct's fields are the
//! file's header, in this order; new columns go to the end.

use serde::{Deserialize, Serialize};

use crate::metrics::{Bucket, Bump, CauseCounts, GroupOutcome, RunOutcome};
use crate::sim::Ms;

use super::rows::{Keys, Text, origin_text};

/// A row of causes.csv.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "docs/files.md says what each column is")]
pub struct CauseRow<'a> {
    pub scenario: Text<'a>,
    pub point: Text<'a>,
    pub run: u32,
    pub strategy: Text<'a>,
    pub cause: Text<'a>,
    pub trigger: Text<'a>,
    pub rebalances: u64,
    pub needed: u64,
    pub late: u64,
    pub spurious: u64,
    pub repeat: u64,
    pub missed: u64,
    pub groups_hit: u64,
}

impl<'a> CauseRow<'a> {
    /// One pair of cause and trigger.
    #[must_use]
    pub fn new(keys: Keys<'a>, run: &'a RunOutcome, of: &CauseCounts) -> CauseRow<'a> {
        CauseRow {
            scenario: keys.scenario.into(),
            point: keys.point.into(),
            run: keys.run,
            strategy: keys.strategy.into(),
            cause: origin_text(run, of.cause).into(),
            trigger: origin_text(run, of.trigger).into(),
            rebalances: of.counts.rebalances(),
            needed: of.counts.needed,
            late: of.counts.late,
            spurious: of.counts.spurious,
            repeat: of.counts.repeat,
            missed: of.counts.missed,
            groups_hit: of.groups_hit,
        }
    }
}

/// A row of groups.csv.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "docs/files.md says what each column is")]
pub struct GroupRow<'a> {
    pub scenario: Text<'a>,
    pub point: Text<'a>,
    pub run: u32,
    pub strategy: Text<'a>,
    pub group: Text<'a>,
    pub shard: u32,
    pub members: u32,
    pub topics: u32,
    pub epoch: u32,
    pub rebalances: u64,
    pub membership: u64,
    pub needed: u64,
    pub late: u64,
    pub spurious: u64,
    pub repeat: u64,
    pub missed: u64,
    pub first_ms: Option<u64>,
    pub last_ms: Option<u64>,
    pub main_cause: Option<Text<'a>>,
    #[serde(default)]
    pub protocol: Text<'a>,
}

impl<'a> GroupRow<'a> {
    /// One group in one lane.
    #[must_use]
    pub fn new(keys: Keys<'a>, run: &'a RunOutcome, of: &GroupOutcome) -> GroupRow<'a> {
        GroupRow {
            scenario: keys.scenario.into(),
            point: keys.point.into(),
            run: keys.run,
            strategy: keys.strategy.into(),
            group: run.groups[of.group.index()].as_str().into(),
            shard: of.shard,
            members: of.members,
            topics: of.topics,
            epoch: of.epoch,
            rebalances: of.counts.rebalances(),
            membership: of.counts.membership,
            needed: of.counts.needed,
            late: of.counts.late,
            spurious: of.counts.spurious,
            repeat: of.counts.repeat,
            missed: of.counts.missed,
            first_ms: of.first.map(|Ms(ms)| ms),
            last_ms: of.last.map(|Ms(ms)| ms),
            main_cause: of.main_cause.map(|cause| origin_text(run, cause).into()),
            protocol: of.kind.name().into(),
        }
    }
}

/// A row of timeline.csv.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "docs/files.md says what each column is")]
pub struct TimelineRow<'a> {
    pub scenario: Text<'a>,
    pub point: Text<'a>,
    pub run: u32,
    pub strategy: Text<'a>,
    pub bucket_start_ms: u64,
    pub heartbeats: u64,
    pub refreshes: u64,
    pub rebalances: u64,
    pub spurious: u64,
    pub stale_groups: u64,
    pub bytes_hashed: u64,
    pub offsets_log_bytes: u64,
}

impl<'a> TimelineRow<'a> {
    /// One bucket of one lane.
    #[must_use]
    pub fn new(keys: Keys<'a>, of: &Bucket) -> TimelineRow<'a> {
        TimelineRow {
            scenario: keys.scenario.into(),
            point: keys.point.into(),
            run: keys.run,
            strategy: keys.strategy.into(),
            bucket_start_ms: of.start.0,
            heartbeats: of.heartbeats,
            refreshes: of.refreshes,
            rebalances: of.rebalances,
            spurious: of.spurious,
            stale_groups: of.stale_groups,
            bytes_hashed: of.bytes_hashed,
            offsets_log_bytes: of.offsets_log_bytes,
        }
    }
}

/// A row of bumps.csv. The absent ones are absent only in the notice that ends a file cut off at its limit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "docs/files.md says what each column is")]
pub struct BumpRow<'a> {
    pub scenario: Text<'a>,
    pub point: Text<'a>,
    pub run: u32,
    pub strategy: Text<'a>,
    pub at_ms: Option<u64>,
    pub group: Text<'a>,
    pub epoch: Option<u32>,
    pub verdict: Text<'a>,
    pub cause: Text<'a>,
    pub trigger: Text<'a>,
    pub delay_ms: Option<u64>,
}

impl<'a> BumpRow<'a> {
    /// One rebalance.
    #[must_use]
    pub fn new(keys: Keys<'a>, run: &'a RunOutcome, of: &Bump) -> BumpRow<'a> {
        BumpRow {
            scenario: keys.scenario.into(),
            point: keys.point.into(),
            run: keys.run,
            strategy: keys.strategy.into(),
            at_ms: Some(of.at.0),
            group: run.groups[of.group.index()].as_str().into(),
            epoch: Some(of.epoch),
            verdict: of.verdict.name().into(),
            cause: origin_text(run, of.cause).into(),
            trigger: origin_text(run, of.trigger).into(),
            delay_ms: of.delay.map(|Ms(ms)| ms),
        }
    }

    /// The notice in place of the rows that were left out.
    #[must_use]
    pub fn cut_off(keys: Keys<'a>, written: u64, total: u64) -> BumpRow<'a> {
        BumpRow {
            scenario: keys.scenario.into(),
            point: keys.point.into(),
            run: keys.run,
            strategy: keys.strategy.into(),
            at_ms: None,
            group: Text::Borrowed(""),
            epoch: None,
            verdict: "cut-off".into(),
            cause: format!("only {written} of {total} rebalances are written").into(),
            trigger: Text::Borrowed(""),
            delay_ms: None,
        }
    }
}
