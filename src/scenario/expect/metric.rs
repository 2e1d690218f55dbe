//! A metric as an expectation names it: a column, of which strategy, and which part of it.

use super::super::Word;
use super::super::words::glob_matches;
use crate::sim::Ms;

/// The numeric columns of outcomes.csv.
pub const METRICS: [&str; 48] = [
    "groups",
    "members",
    "heartbeats",
    "refreshes",
    "rebalances",
    "membership",
    "needed",
    "late",
    "spurious",
    "repeat",
    "missed",
    "ideal",
    "stale_group_ms",
    "groups_hit",
    "max_per_group",
    "peak_per_s",
    "delay_ms_p50",
    "delay_ms_p99",
    "delay_ms_max",
    "topics_hashed",
    "bytes_hashed",
    "cache_hits",
    "cache_misses",
    "entries_compared",
    "cpu_model_ns",
    "heap_bytes_final",
    "heap_bytes_peak",
    "offsets_log_records",
    "offsets_log_bytes",
    "offsets_batch_bytes",
    "heartbeats_refused",
    "failures",
    "invalidations",
    "pattern_refreshes",
    "pattern_matches",
    "load_ms_max",
    "groups_end",
    "groups_empty_end",
    "assignments",
    "unchanged",
    "moves",
    "moves_wasted",
    "unassigned_end",
    "unassigned_partition_ms",
    "members_disturbed",
    "remote_partition_ms",
    "assign_log_bytes",
    "initialised",
];

/// Those that a filter can cut: counts of bumps and changes, and what is made of them.
pub(crate) const FILTERED: [&str; 13] = [
    "rebalances",
    "membership",
    "needed",
    "late",
    "spurious",
    "repeat",
    "missed",
    "groups_hit",
    "max_per_group",
    "peak_per_s",
    "delay_ms_p50",
    "delay_ms_p99",
    "delay_ms_max",
];

/// A metric of one strategy, whole or filtered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetricRef {
    /// The column.
    pub metric: String,
    /// Which strategy; when an expectation is evaluated, always one.
    pub strategy: Option<String>,
    /// Only of these groups.
    pub group: Option<Word>,
    /// Only with this cause.
    pub cause: Option<String>,
    /// Only with this trigger.
    pub trigger: Option<String>,
    /// Only from here to before there: bumps by their time, missed by their opening.
    pub window: Option<(Ms, Ms)>,
}

impl MetricRef {
    /// Is there nothing to filter?
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.group.is_none() && self.cause.is_none() && self.trigger.is_none() && self.window.is_none()
    }

    /// Does the group pass the filter?
    #[must_use]
    pub fn takes_group(&self, name: &str, family: Option<&str>) -> bool {
        match &self.group {
            None => true,
            Some(Word::Name(own)) => own == name,
            Some(Word::Family(own)) => family == Some(own),
            Some(Word::Glob(glob)) => glob_matches(glob, name),
        }
    }

    /// Does the instant pass the filter?
    #[must_use]
    pub fn takes_time(&self, at: Ms) -> bool {
        self.window.is_none_or(|(from, until)| (from..until).contains(&at))
    }
}

/// As it is written.
impl std::fmt::Display for MetricRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut inside: Vec<String> = self.strategy.iter().cloned().collect();
        if let Some(Word::Name(text) | Word::Family(text) | Word::Glob(text)) = &self.group {
            inside.push(format!("group={text}"));
        }
        inside.extend(self.cause.iter().map(|cause| format!("cause={cause}")));
        inside.extend(self.trigger.iter().map(|trigger| format!("trigger={trigger}")));
        inside.extend(self.window.iter().map(|(from, until)| format!("{from}..{until}")));
        f.write_str(&self.metric)?;
        if inside.is_empty() { Ok(()) } else { write!(f, "[{}]", inside.join(", ")) }
    }
}
