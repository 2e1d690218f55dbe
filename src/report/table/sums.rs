//! One strategy over all runs, as the screen and the charts show it: counts summed, worst ones the largest.

use crate::metrics::{Counts, LaneOutcome, RunOutcome};

/// A lane over all runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaneSum {
    /// The strategy's own name.
    pub strategy: String,
    /// Rebalances by verdict, and missed changes.
    pub counts: Counts,
    /// Accepted heartbeats.
    pub heartbeats: u64,
    /// Groups, each as often as there are runs.
    pub groups: u64,
    /// Time that groups were stale.
    pub stale_group_ms: u64,
    /// Groups with at least one rebalance, summed.
    pub groups_hit: u64,
    /// The largest of any run.
    pub max_per_group: u64,
    /// The largest of any run.
    pub peak_per_s: u64,
    /// Measured processor time: of each run the round that took least; absent if any run was not measured.
    pub cpu_ns: Option<u64>,
    /// By the cost model.
    pub cpu_model_ns: u64,
    /// The largest of any run.
    pub heap_bytes_peak: u64,
    /// Of the membership rebalances, those of share groups' newly initialised partitions.
    pub initialised: u64,
    /// Bytes appended.
    pub offsets_log_bytes: u64,
    /// Rebalances after which the target assignment is the same; absent where no group has an assignor.
    pub unchanged: Option<u64>,
    /// Bytes appended for targets and what members have of them; likewise.
    pub assign_log_bytes: Option<u64>,
}

impl LaneSum {
    /// How long a group was stale, on average over all groups.
    #[must_use]
    pub fn stale_ms_per_group(&self) -> Option<u64> {
        (self.stale_group_ms + self.groups / 2).checked_div(self.groups)
    }

    fn add(&mut self, lane: &LaneOutcome) {
        let (o, c) = (&lane.outcome, &lane.outcome.counts);
        self.counts.membership += c.membership;
        self.counts.needed += c.needed;
        self.counts.late += c.late;
        self.counts.spurious += c.spurious;
        self.counts.repeat += c.repeat;
        self.counts.missed += c.missed;
        self.heartbeats += o.heartbeats;
        self.groups += o.groups;
        self.stale_group_ms += o.stale_group_ms;
        self.groups_hit += o.groups_hit;
        self.max_per_group = self.max_per_group.max(o.max_per_group);
        self.peak_per_s = self.peak_per_s.max(o.peak_per_s);
        let measured = lane.costs.iter().map(|round| round.cpu_ns).min();
        self.cpu_ns = self.cpu_ns.zip(measured).map(|(sum, run)| sum + run);
        self.cpu_model_ns += o.cpu_model_ns;
        self.heap_bytes_peak = self.heap_bytes_peak.max(o.heap_bytes_peak);
        self.initialised += o.initialised;
        self.offsets_log_bytes += o.offsets_log_bytes;
        if let Some(assigned) = &o.assigned {
            *self.unchanged.get_or_insert(0) += assigned.unchanged;
            *self.assign_log_bytes.get_or_insert(0) += assigned.assign_log_bytes;
        }
    }
}

/// The lanes of all runs, in declared order.
#[must_use]
pub fn sums(runs: &[RunOutcome]) -> Vec<LaneSum> {
    let Some(first) = runs.first() else {
        return Vec::new();
    };
    let mut sums: Vec<LaneSum> = first
        .lanes
        .iter()
        .map(|lane| LaneSum { strategy: lane.strategy.clone(), cpu_ns: Some(0), ..LaneSum::default() })
        .collect();
    for run in runs {
        assert_eq!(run.lanes.len(), sums.len(), "every run has the same lanes");
        for (sum, lane) in sums.iter_mut().zip(&run.lanes) {
            assert_eq!(sum.strategy, lane.strategy, "every run has the same lanes");
            sum.add(lane);
        }
    }
    sums
}
