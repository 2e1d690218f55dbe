//! What a lane's books hold at the end of a run, as numbers with names: the rows of every result file
//! come from these. Words: model K.5.

use crate::coordinator::{ByType, Holders, TooLarge};
use crate::kafka::GroupId;
use crate::sim::Ms;
pub use crate::world::Origin;

use super::rolls::Roll;
use super::steps::StepCounts;
use super::strips::Strips;

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
    /// Absent where no group has an assignor.
    pub assigned: Option<Assigned>,
}

/// What rebalances cost the groups that have an assignor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "named as the columns; docs/files.md says what each is")]
pub struct Assigned {
    pub assignments: u64,
    pub unchanged: u64,
    pub moves: u64,
    pub moves_wasted: u64,
    pub unassigned_end: u64,
    pub unassigned_partition_ms: u64,
    pub members_disturbed: u64,
    pub local_partition_ms: u64,
    pub remote_partition_ms: u64,
    pub assign_log_bytes: u64,
}

impl Assigned {
    /// How much of the time that partitions were owned by members with a rack they had a replica there, in per cent
    /// with one decimal, rounded half up; `None`: no such time.
    #[must_use]
    pub fn local_share_pct(&self) -> Option<String> {
        per_cent(self.local_partition_ms, self.local_partition_ms + self.remote_partition_ms)
    }
}

/// `part` of `whole` in per cent with one decimal, rounded half up; `None`: of nothing.
#[must_use]
pub fn per_cent(part: u64, whole: u64) -> Option<String> {
    let (part, whole) = (u128::from(part), u128::from(whole));
    let tenths = (part * 2_000 + whole).checked_div(2 * whole)?;
    Some(format!("{}.{}", tenths / 10, tenths % 10))
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

impl CostRound {
    /// The median of each column; of an even number of rounds the mean of the middle two, rounded down.
    #[must_use]
    pub fn median(rounds: &[CostRound]) -> CostRound {
        let of = |column: fn(&CostRound) -> u64| {
            let mut all: Vec<u64> = rounds.iter().map(column).collect();
            all.sort_unstable();
            let (low, high) = (all.len().saturating_sub(1) / 2, all.len() / 2);
            match (all.get(low), all.get(high)) {
                (Some(low), Some(high)) => low.midpoint(*high),
                _ => 0,
            }
        };
        CostRound {
            round: 0,
            cpu_ns: of(|r| r.cpu_ns),
            calls: of(|r| r.calls),
            alloc_bytes: of(|r| r.alloc_bytes),
            alloc_count: of(|r| r.alloc_count),
            heap_bytes_real: of(|r| r.heap_bytes_real),
            build_ns: of(|r| r.build_ns),
            replay_ns: of(|r| r.replay_ns),
        }
    }
}

/// When a lane's heap by model is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeapMoment {
    /// Time 0.
    Start,
    /// The end of the run.
    Final,
    /// The most between two operations.
    Peak,
    /// The most within one: the value that is being built, or the one that is being replaced, stands beside the
    /// stored one.
    Transient,
    /// As at the end, had every shard just been loaded from the log and every group looked once.
    AfterFailover,
    /// The most while every shard is loaded from the log as it is at the end.
    Load,
    /// The same before KAFKA-19716, which made snapshots during a load.
    LoadWithoutSnapshots,
}

impl HeapMoment {
    /// All, in the order in which they are written.
    pub const ALL: [HeapMoment; 7] = [
        HeapMoment::Start,
        HeapMoment::Final,
        HeapMoment::Peak,
        HeapMoment::Transient,
        HeapMoment::AfterFailover,
        HeapMoment::Load,
        HeapMoment::LoadWithoutSnapshots,
    ];

    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            HeapMoment::Start => "start",
            HeapMoment::Final => "final",
            HeapMoment::Peak => "peak",
            HeapMoment::Transient => "transient",
            HeapMoment::AfterFailover => "after-failover",
            HeapMoment::Load => "load",
            HeapMoment::LoadWithoutSnapshots => "load-without-snapshots",
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_is_taken_column_by_column() {
        let round = |cpu_ns, alloc_bytes| CostRound { cpu_ns, alloc_bytes, ..CostRound::default() };
        let odd = CostRound::median(&[round(9, 1), round(2, 3), round(5, 2)]);
        assert_eq!((odd.cpu_ns, odd.alloc_bytes), (5, 2));
        let even = CostRound::median(&[round(9, 1), round(2, 3), round(5, 2), round(100, 2)]);
        assert_eq!((even.cpu_ns, even.alloc_bytes), (7, 2));
        assert_eq!(CostRound::median(&[]), CostRound::default());
        assert_eq!(CostRound::median(&[round(u64::MAX, 0), round(u64::MAX, 0)]).cpu_ns, u64::MAX);
    }
}
