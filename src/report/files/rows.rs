//! The row of outcomes.csv, and what all rows share. A struct's fields are the file's header, in this
//! order; new columns go to the end. The same structs read the files back.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::metrics::{Assigned, LaneOutcome, Origin, RunOutcome};

/// Text that is borrowed when written and owned when read.
pub type Text<'a> = Cow<'a, str>;

/// What stands in front of every row.
#[derive(Clone, Copy, Debug)]
pub struct Keys<'a> {
    /// The scenario's name.
    pub scenario: &'a str,
    /// The point of a sweep; empty for a plain run.
    pub point: &'a str,
    /// The run, from 1.
    pub run: u32,
    /// The strategy's own name.
    pub strategy: &'a str,
}

/// A row of outcomes.csv.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "docs/files.md says what each column is")]
pub struct OutcomeRow<'a> {
    pub scenario: Text<'a>,
    pub point: Text<'a>,
    pub run: u32,
    pub strategy: Text<'a>,
    pub groups: u64,
    pub members: u64,
    pub heartbeats: u64,
    pub refreshes: u64,
    pub rebalances: u64,
    pub membership: u64,
    pub needed: u64,
    pub late: u64,
    pub spurious: u64,
    pub repeat: u64,
    pub missed: u64,
    pub ideal: u64,
    pub stale_group_ms: u64,
    pub groups_hit: u64,
    pub max_per_group: u64,
    pub peak_per_s: u64,
    pub delay_ms_p50: Option<u64>,
    pub delay_ms_p99: Option<u64>,
    pub delay_ms_max: Option<u64>,
    pub topics_hashed: u64,
    pub bytes_hashed: u64,
    pub cache_hits: u64,
    pub cache_misses: u64,
    pub entries_compared: u64,
    pub cpu_model_ns: u64,
    pub heap_bytes_final: u64,
    pub heap_bytes_peak: u64,
    pub offsets_log_records: u64,
    pub offsets_log_bytes: u64,
    pub offsets_batch_bytes: u64,
    pub heartbeats_refused: u64,
    pub failures: u64,
    pub invalidations: u64,
    pub pattern_refreshes: u64,
    pub pattern_matches: u64,
    pub load_ms_max: u64,
    pub groups_end: u64,
    pub groups_empty_end: u64,
    pub history_id: Text<'a>,
    pub assignments: Option<u64>,
    pub unchanged: Option<u64>,
    pub moves: Option<u64>,
    pub moves_wasted: Option<u64>,
    pub unassigned_end: Option<u64>,
    pub unassigned_partition_ms: Option<u64>,
    pub members_disturbed: Option<u64>,
    pub local_share_pct: Option<Text<'a>>,
    pub remote_partition_ms: Option<u64>,
    pub assign_log_bytes: Option<u64>,
    #[serde(default)]
    pub initialised: u64,
}

impl<'a> OutcomeRow<'a> {
    /// One lane's totals.
    #[must_use]
    pub fn new(keys: Keys<'a>, lane: &LaneOutcome, history_id: &'a str) -> OutcomeRow<'a> {
        let (o, c) = (&lane.outcome, &lane.outcome.counts);
        let assigned = |column: fn(&Assigned) -> u64| o.assigned.as_ref().map(column);
        OutcomeRow {
            scenario: keys.scenario.into(),
            point: keys.point.into(),
            run: keys.run,
            strategy: keys.strategy.into(),
            groups: o.groups,
            members: o.members,
            heartbeats: o.heartbeats,
            refreshes: o.refreshes,
            rebalances: c.rebalances(),
            membership: c.membership,
            needed: c.needed,
            late: c.late,
            spurious: c.spurious,
            repeat: c.repeat,
            missed: c.missed,
            ideal: o.ideal,
            stale_group_ms: o.stale_group_ms,
            groups_hit: o.groups_hit,
            max_per_group: o.max_per_group,
            peak_per_s: o.peak_per_s,
            delay_ms_p50: o.delay_ms_p50,
            delay_ms_p99: o.delay_ms_p99,
            delay_ms_max: o.delay_ms_max,
            topics_hashed: o.topics_hashed,
            bytes_hashed: o.bytes_hashed,
            cache_hits: o.cache_hits,
            cache_misses: o.cache_misses,
            entries_compared: o.entries_compared,
            cpu_model_ns: o.cpu_model_ns,
            heap_bytes_final: o.heap_bytes_final,
            heap_bytes_peak: o.heap_bytes_peak,
            offsets_log_records: o.offsets_log_records,
            offsets_log_bytes: o.offsets_log_bytes,
            offsets_batch_bytes: o.offsets_batch_bytes,
            heartbeats_refused: o.heartbeats_refused,
            failures: o.failures,
            invalidations: o.invalidations,
            pattern_refreshes: o.pattern_refreshes,
            pattern_matches: o.pattern_matches,
            load_ms_max: o.load_ms_max,
            groups_end: o.groups_end,
            groups_empty_end: o.groups_empty_end,
            history_id: history_id.into(),
            assignments: assigned(|a| a.assignments),
            unchanged: assigned(|a| a.unchanged),
            moves: assigned(|a| a.moves),
            moves_wasted: assigned(|a| a.moves_wasted),
            unassigned_end: assigned(|a| a.unassigned_end),
            unassigned_partition_ms: assigned(|a| a.unassigned_partition_ms),
            members_disturbed: assigned(|a| a.members_disturbed),
            local_share_pct: o.assigned.as_ref().and_then(Assigned::local_share_pct).map(Text::from),
            remote_partition_ms: assigned(|a| a.remote_partition_ms),
            assign_log_bytes: assigned(|a| a.assign_log_bytes),
            initialised: o.initialised,
        }
    }
}

/// An origin as it is written: an entry's name, a group's, or a fixed word.
#[must_use]
pub fn origin_text(run: &RunOutcome, origin: Origin) -> &str {
    match origin {
        Origin::Entry(entry) => &run.entries[entry as usize],
        Origin::Group(group) => &run.groups[group.index()],
        Origin::PatternRefresh => "pattern-refresh",
        Origin::RefreshInterval => "refresh-interval",
        Origin::Start => "start",
    }
}
