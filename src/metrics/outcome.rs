//! What a lane's books hold at the end of a run, as numbers with names: the rows of every result file
//! come from these. Words: model K.5.

use crate::kafka::GroupId;
use crate::sim::Ms;
pub use crate::world::Origin;

/// The verdict on one rebalance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "model K.5 defines them")]
pub enum BumpVerdict {
    Membership,
    Needed,
    Late,
    /// Spurious, and no repeat.
    Spurious,
    /// Spurious, and a repeat.
    Repeat,
}

impl BumpVerdict {
    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            BumpVerdict::Membership => "membership",
            BumpVerdict::Needed => "needed",
            BumpVerdict::Late => "late",
            BumpVerdict::Spurious => "spurious",
            BumpVerdict::Repeat => "repeat",
        }
    }
}

/// Rebalances by verdict, and missed changes. rebalances = membership + needed + late + spurious.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "model K.5 defines them")]
pub struct Counts {
    pub membership: u64,
    pub needed: u64,
    pub late: u64,
    /// Repeats included.
    pub spurious: u64,
    pub repeat: u64,
    pub missed: u64,
}

impl Counts {
    /// All of them.
    #[must_use]
    pub const fn rebalances(&self) -> u64 {
        self.membership + self.needed + self.late + self.spurious
    }

    /// Books one rebalance.
    pub fn add(&mut self, verdict: BumpVerdict) {
        match verdict {
            BumpVerdict::Membership => self.membership += 1,
            BumpVerdict::Needed => self.needed += 1,
            BumpVerdict::Late => self.late += 1,
            BumpVerdict::Spurious => self.spurious += 1,
            BumpVerdict::Repeat => {
                self.spurious += 1;
                self.repeat += 1;
            }
        }
    }
}

/// One rebalance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bump {
    /// When.
    pub at: Ms,
    /// Whose.
    pub group: GroupId,
    /// The epoch it made.
    pub epoch: u32,
    /// The verdict.
    pub verdict: BumpVerdict,
    /// What changed.
    pub cause: Origin,
    /// What made it visible.
    pub trigger: Origin,
    /// Needed and late: since the oldest open change opened.
    pub delay: Option<Ms>,
    /// The hash stored with it, by a strategy that stores one.
    pub hash: Option<u64>,
}

/// A change that nobody was told of in time and that then closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MissedChange {
    /// When it opened.
    pub opened: Ms,
    /// Whose.
    pub group: GroupId,
    /// What changed.
    pub cause: Origin,
    /// The trigger of the membership bump that closed it; else its own cause.
    pub trigger: Origin,
}

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

/// One row of costs.csv, less its keys and the machine's name: a lane measured once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "named as the columns; docs/files.md says what each is")]
pub struct CostRound {
    pub round: u32,
    pub cpu_ns: u64,
    pub calls: u64,
    pub alloc_bytes: u64,
    pub alloc_count: u64,
    pub heap_bytes_real: u64,
    pub build_ns: u64,
    pub replay_ns: u64,
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
    /// By group, in order of id.
    pub groups: Vec<GroupOutcome>,
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
    /// Lanes in declared order.
    pub lanes: Vec<LaneOutcome>,
    /// What the history left out, counted.
    pub notes: Vec<String>,
}
