//! What a lane's books hold at the end of a run, as numbers with names: the rows of every result file
//! come from these. Words: model K.5.

use std::sync::Arc;

use crate::coordinator::{ByType, Holders, TooLarge};
use crate::kafka::{GroupId, GroupKind};
use crate::sim::Ms;
pub use crate::world::Origin;

use super::assign_books::AssignedLane;
use super::assigned::Assigned;
use super::cost_round::CostRound;
use super::heap_moment::HeapMoment;
use super::rolls::Roll;
use super::steps::StepCounts;
use super::strips::Strips;
use super::verdict::{Bump, Counts, MissedChange};

/// One row of outcomes.csv, less its keys. Percentiles: nearest rank over needed and late, absent if none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "named as the columns; docs/files.md says what each is")]
pub struct Outcome {
    pub groups: u64,
    pub members: u64,
    pub heartbeats: u64,
    pub refreshes: u64,
    pub counts: Counts,
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
    /// Absent where no group has an assignor.
    pub assigned: Option<Assigned>,
    pub initialised: u64,
}

/// One row of causes.csv, less its keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CauseCounts {
    /// What changed.
    pub cause: Origin,
    /// What made it visible.
    pub trigger: Origin,
    /// How often. `missed` stands under (cause, its closer).
    pub counts: Counts,
    /// Groups with at least one rebalance of this pair.
    pub groups_hit: u64,
}

/// One row of groups.csv, less its keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupOutcome {
    /// Which.
    pub group: GroupId,
    /// Its shard.
    pub shard: u32,
    /// Members at the end.
    pub members: u32,
    /// Topics subscribed to at the end (names that exist).
    pub topics: u32,
    /// Epoch at the end.
    pub epoch: u32,
    /// How often.
    pub counts: Counts,
    /// First and last rebalance.
    pub first: Option<Ms>,
    /// Last rebalance.
    pub last: Option<Ms>,
    /// The cause of most of them (the first in order of origins among equals).
    pub main_cause: Option<Origin>,
    /// The protocol that it is of.
    pub kind: GroupKind,
}

/// One row of timeline.csv, less its keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "named as the columns; docs/files.md says what each is")]
pub struct Bucket {
    pub start: Ms,
    pub heartbeats: u64,
    pub refreshes: u64,
    pub rebalances: u64,
    pub spurious: u64,
    /// Groups that are stale at the bucket's end.
    pub stale_groups: u64,
    pub bytes_hashed: u64,
    pub offsets_log_bytes: u64,
}

/// The offsets log of a lane by type of record: all that was appended after the warm-up, and what is live at the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "said above")]
pub struct LaneLog {
    pub appended: ByType,
    pub live: ByType,
}

/// One lane at the end of a run.
#[derive(Clone, Debug, Default)]
pub struct LaneOutcome {
    /// The strategy's own name.
    pub strategy: String,
    /// Totals.
    pub outcome: Outcome,
    /// By cause and trigger, in order of origins.
    pub causes: Vec<CauseCounts>,
    /// By group, in order of id; lanes that decide alike have them together.
    pub groups: Arc<Vec<GroupOutcome>>,
    /// By bucket.
    pub buckets: Vec<Bucket>,
    /// Rebalances in order of time, as many as were kept.
    pub bumps: Vec<Bump>,
    /// Whether all rebalances are in `bumps`.
    pub bumps_complete: bool,
    /// Missed changes, kept like `bumps`.
    pub missed: Vec<MissedChange>,
    /// Measured costs.
    pub costs: Vec<CostRound>,
    /// The offsets log by type of record.
    pub log: LaneLog,
    /// Delays of needed and late rebalances: the upper end of a bin, and how many fell into it.
    pub delays: Vec<(u64, u64)>,
    /// Rebalances by groups and time.
    pub strips: Strips,
    /// What each step of each roll cost, as in [`RunOutcome::rolls`].
    pub steps: Vec<Vec<StepCounts>>,
    /// The first batch that Kafka would not have taken, if there was one.
    pub too_large: Option<TooLarge>,
    /// Heap by model and holder, by moment.
    pub heap: Vec<(HeapMoment, Holders)>,
    /// What rebalances cost groups with an assignor, by what was behind them and over time; empty where none has.
    pub assigned: AssignedLane,
}

/// A whole run: one history, every lane.
#[derive(Clone, Debug)]
pub struct RunOutcome {
    /// From 1.
    pub run: u32,
    /// The history's id.
    pub history_id: String,
    /// Entry names by index (causes, triggers).
    pub entries: Vec<String>,
    /// Group names by id.
    pub groups: Vec<String>,
    /// The rolls of its history, in the order of entries.
    pub rolls: Vec<Roll>,
    /// Lanes in declared order.
    pub lanes: Vec<LaneOutcome>,
    /// What the history left out, counted.
    pub notes: Vec<String>,
}
