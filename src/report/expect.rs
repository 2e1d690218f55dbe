//! `expect:` held against a run: the columns of outcomes.csv, and what is left of them behind a filter.

use std::collections::BTreeMap;

use crate::metrics::{Assigned, Bump, BumpVerdict, Counts, MissedChange, Outcome, RunOutcome};
use crate::scenario::{Expectation, Held, MetricRef, Scenario};

use super::files::origin_text;

/// What is broken in a run, a line each.
#[must_use]
pub fn broken(scenario: &Scenario, expectations: &[Expectation], run: &RunOutcome) -> Vec<String> {
    let families: BTreeMap<&str, Option<&str>> =
        scenario.groups.iter().map(|g| (g.name.as_str(), g.family.as_deref())).collect();
    let lookup = |metric: &MetricRef| value(run, &families, metric).map(i128::from);
    let mut lines = Vec::new();
    for expectation in expectations {
        let of = |strategy: Option<String>| strategy.map_or(String::new(), |s| format!("{s}: "));
        let why = match expectation.evaluate(&lookup) {
            Held::Held => continue,
            Held::Broken { strategy, left, right } => {
                format!("{}{left} on the left, {right} on the right", of(strategy))
            }
            Held::Undefined { strategy, why } => format!("{}{why}", of(strategy)),
        };
        lines.push(format!("expected in run {}: {}; {why}", run.run, expectation.text));
    }
    lines
}

/// A metric's value; `None`: the cell is empty, or there is no such strategy.
fn value(run: &RunOutcome, families: &BTreeMap<&str, Option<&str>>, metric: &MetricRef) -> Option<u64> {
    let lane = run.lanes.iter().find(|lane| Some(&lane.strategy) == metric.strategy.as_ref())?;
    if metric.is_whole() {
        return whole(&lane.outcome, &metric.metric);
    }
    assert!(lane.bumps_complete, "a filter needs every single rebalance of {}", lane.strategy);
    let group = |name: &str| metric.takes_group(name, families.get(name).copied().flatten());
    let named = |wanted: &Option<String>, found: &str| wanted.as_deref().is_none_or(|w| w == found);
    let bumps = lane.bumps.iter().filter(|b| {
        metric.takes_time(b.at)
            && group(&run.groups[b.group.index()])
            && named(&metric.cause, origin_text(run, b.cause))
            && named(&metric.trigger, origin_text(run, b.trigger))
    });
    let missed = lane.missed.iter().filter(|m| {
        metric.takes_time(m.opened)
            && group(&run.groups[m.group.index()])
            && named(&metric.cause, origin_text(run, m.cause))
            && named(&metric.trigger, origin_text(run, m.trigger))
    });
    whole(&counted(bumps, missed), &metric.metric)
}

/// What the books would say of these alone; other columns stay empty, and no filter holds for them.
fn counted<'a>(bumps: impl Iterator<Item = &'a Bump>, missed: impl Iterator<Item = &'a MissedChange>) -> Outcome {
    let mut counts = Counts { missed: missed.count() as u64, ..Counts::default() };
    let mut per_group: BTreeMap<u32, u64> = BTreeMap::new();
    let mut per_second: BTreeMap<u64, u64> = BTreeMap::new();
    let mut delays = Vec::new();
    for bump in bumps {
        counts.add(bump.verdict);
        *per_group.entry(bump.group.0).or_default() += 1;
        *per_second.entry(bump.at.0 / 1000).or_default() += 1;
        if matches!(bump.verdict, BumpVerdict::Needed | BumpVerdict::Late) {
            delays.extend(bump.delay.map(|d| d.0));
        }
    }
    delays.sort_unstable();
    // nearest rank: the smallest value that p of 100 are not above
    let rank = |p: usize| delays.get((delays.len() * p).div_ceil(100).saturating_sub(1)).copied();
    Outcome {
        counts,
        groups_hit: per_group.len() as u64,
        max_per_group: per_group.values().copied().max().unwrap_or(0),
        peak_per_s: per_second.values().copied().max().unwrap_or(0),
        delay_ms_p50: rank(50),
        delay_ms_p99: rank(99),
        delay_ms_max: delays.last().copied(),
        ..Outcome::default()
    }
}

/// A column of outcomes.csv.
fn whole(o: &Outcome, metric: &str) -> Option<u64> {
    let c = &o.counts;
    Some(match metric {
        "groups" => o.groups,
        "members" => o.members,
        "heartbeats" => o.heartbeats,
        "refreshes" => o.refreshes,
        "rebalances" => c.rebalances(),
        "membership" => c.membership,
        "needed" => c.needed,
        "late" => c.late,
        "spurious" => c.spurious,
        "repeat" => c.repeat,
        "missed" => c.missed,
        "ideal" => o.ideal,
        "stale_group_ms" => o.stale_group_ms,
        "groups_hit" => o.groups_hit,
        "max_per_group" => o.max_per_group,
        "peak_per_s" => o.peak_per_s,
        "delay_ms_p50" => return o.delay_ms_p50,
        "delay_ms_p99" => return o.delay_ms_p99,
        "delay_ms_max" => return o.delay_ms_max,
        "topics_hashed" => o.topics_hashed,
        "bytes_hashed" => o.bytes_hashed,
        "cache_hits" => o.cache_hits,
        "cache_misses" => o.cache_misses,
        "entries_compared" => o.entries_compared,
        "cpu_model_ns" => o.cpu_model_ns,
        "heap_bytes_final" => o.heap_bytes_final,
        "heap_bytes_peak" => o.heap_bytes_peak,
        "offsets_log_records" => o.offsets_log_records,
        "offsets_log_bytes" => o.offsets_log_bytes,
        "offsets_batch_bytes" => o.offsets_batch_bytes,
        "heartbeats_refused" => o.heartbeats_refused,
        "failures" => o.failures,
        "invalidations" => o.invalidations,
        "pattern_refreshes" => o.pattern_refreshes,
        "pattern_matches" => o.pattern_matches,
        "load_ms_max" => o.load_ms_max,
        "groups_end" => o.groups_end,
        "groups_empty_end" => o.groups_empty_end,
        "initialised" => o.initialised,
        _ => return o.assigned.as_ref().and_then(|a| of_assignments(a, metric)),
    })
}

fn of_assignments(a: &Assigned, metric: &str) -> Option<u64> {
    Some(match metric {
        "assignments" => a.assignments,
        "unchanged" => a.unchanged,
        "moves" => a.moves,
        "moves_wasted" => a.moves_wasted,
        "unassigned_end" => a.unassigned_end,
        "unassigned_partition_ms" => a.unassigned_partition_ms,
        "members_disturbed" => a.members_disturbed,
        "remote_partition_ms" => a.remote_partition_ms,
        "assign_log_bytes" => a.assign_log_bytes,
        _ => return None,
    })
}

/// Do all of these lanes keep what a filter needs?
#[must_use]
pub fn needs_bumps(expectations: &[Expectation]) -> bool {
    expectations.iter().any(Expectation::is_filtered)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::files::{OutcomeRow, header};
    use crate::report::sample;
    use crate::scenario::{METRICS, load_text};

    fn check(lines: &[&str]) -> Vec<String> {
        let items: String = lines.iter().map(|line| format!("  - \"{line}\"\n")).collect();
        let text = format!(
            "topics: {{t: {{}}}}\ngroups: {{g: {{count: 12, topics: [t]}}}}\nhistory:\n  - touch: {{at: 10m, topic: t, as: saturday}}\n  - touch: {{at: 20m, topic: t, as: ghost}}\nstrategies: [full-metadata, group-hash]\nexpect:\n{items}"
        );
        let loaded = load_text("sample", &text, &[]).unwrap_or_else(|e| panic!("{}", e.short()));
        assert!(needs_bumps(&loaded.expectations));
        broken(&loaded.scenario, &loaded.expectations, &sample::run(1))
    }

    #[test]
    fn every_column_that_can_be_expected_has_a_value() {
        let columns = header::<OutcomeRow<'_>>();
        for metric in METRICS {
            assert!(columns.trim_end().split(',').any(|column| column == metric), "{metric}");
            // empty where nobody was told, or where no group has an assignor
            let empty = whole(&Outcome::default(), metric).is_none();
            let filled = Outcome { assigned: Some(Assigned::default()), delay_ms_p50: Some(0), ..Outcome::default() };
            assert_eq!(empty, metric.starts_with("delay") || of_assignments(&Assigned::default(), metric).is_some());
            assert!(whole(&filled, metric).is_some() || metric.starts_with("delay"), "{metric}");
        }
    }

    #[test]
    fn filters_count_what_they_let_through() {
        let fine = check(&[
            "rebalances[group-hash, cause=saturday] == 6",
            "repeat[group-hash, group=g-1] == 1",
            "max_per_group[group-hash, group=g] == 2",
            "groups_hit[group-hash, 14m..16m] == 6",
            "peak_per_s[full-metadata, cause=ghost] == 10",
            "delay_ms_p99[full-metadata, cause=ghost] == 500000",
            "late == 12",
        ]);
        assert_eq!(fine, Vec::<String>::new());
    }

    #[test]
    fn what_is_broken_is_said_with_both_sides() {
        let lines = check(&[
            "rebalances == 12",
            "delay_ms_max[group-hash, cause=saturday] > 0",
            "late[full-metadata] / repeat[full-metadata] > 1",
        ]);
        assert_eq!(
            lines,
            [
                "expected in run 1: rebalances == 12; group-hash: 18 on the left, 12 on the right",
                "expected in run 1: delay_ms_max[group-hash, cause=saturday] > 0; delay_ms_max[group-hash, cause=saturday] is an empty cell",
                "expected in run 1: late[full-metadata] / repeat[full-metadata] > 1; 12 is divided by zero",
            ]
        );
    }
}
