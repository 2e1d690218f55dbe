//! The files as a whole: headers, order of rows, empty cells, the fate of bumps.csv.

use std::fs;
use std::path::Path;

use super::*;
use crate::report::sample;

fn write(folder: &Path, runs: &[crate::metrics::RunOutcome], bumps_asked: bool) -> Written {
    let machine = Machine { os: "linux x86_64".into(), cpu: "a cpu".into(), date: String::new() };
    let mut files = Files::begin(folder, "sample", &machine, bumps_asked).unwrap();
    for run in runs {
        files.append(run).unwrap();
        files.mark(run, &[(crate::sim::Ms::secs(600), 0)]).unwrap();
    }
    files.finish().unwrap()
}

fn read(folder: &Path, name: &str) -> Vec<String> {
    fs::read_to_string(folder.join(name)).unwrap().lines().map(str::to_owned).collect()
}

/// The columns that the project promises, in their order.
const PROMISED: [(&str, &str); 11] = [
    (
        "outcomes.csv",
        "scenario, point, run, strategy, groups, members, heartbeats, refreshes, rebalances, membership, needed, late, spurious, repeat, missed, ideal, stale_group_ms, groups_hit, max_per_group, peak_per_s, delay_ms_p50, delay_ms_p99, delay_ms_max, topics_hashed, bytes_hashed, cache_hits, cache_misses, entries_compared, cpu_model_ns, heap_bytes_final, heap_bytes_peak, offsets_log_records, offsets_log_bytes, offsets_batch_bytes, heartbeats_refused, failures, invalidations, pattern_refreshes, pattern_matches, load_ms_max, groups_end, groups_empty_end, history_id, assignments, unchanged, moves, moves_wasted, unassigned_end, unassigned_partition_ms, members_disturbed, local_share_pct, remote_partition_ms, assign_log_bytes, initialised",
    ),
    (
        "causes.csv",
        "scenario, point, run, strategy, cause, trigger, rebalances, needed, late, spurious, repeat, missed, groups_hit",
    ),
    (
        "groups.csv",
        "scenario, point, run, strategy, group, shard, members, topics, epoch, rebalances, membership, needed, late, spurious, repeat, missed, first_ms, last_ms, main_cause, protocol",
    ),
    (
        "timeline.csv",
        "scenario, point, run, strategy, bucket_start_ms, heartbeats, refreshes, rebalances, spurious, stale_groups, bytes_hashed, offsets_log_bytes",
    ),
    ("heap.csv", "scenario, point, run, strategy, moment, holder, bytes"),
    (
        "log.csv",
        "scenario, point, run, strategy, record, record_type, appended_records, appended_tombstones, appended_bytes, appended_framed_bytes, live_records, live_bytes, live_framed_bytes",
    ),
    ("delays.csv", "scenario, point, run, strategy, upto_ms, rebalances"),
    (
        "strips.csv",
        "scenario, point, run, strategy, first, first_group, groups, from_ms, until_ms, rebalances, spurious",
    ),
    ("marks.csv", "scenario, point, run, at_ms, entry"),
    ("bumps.csv", "scenario, point, run, strategy, at_ms, group, epoch, verdict, cause, trigger, delay_ms"),
    (
        "costs.csv",
        "scenario, point, run, strategy, round, cpu_ns, calls, alloc_bytes, alloc_count, heap_bytes_real, build_ns, replay_ns, os, cpu, assign_cpu_ns, assign_calls, assign_alloc_bytes",
    ),
];

#[test]
fn every_file_has_the_promised_columns_also_without_rows() {
    let home = tempfile::tempdir().unwrap();
    write(home.path(), &[], false);
    for (name, columns) in PROMISED {
        assert_eq!(read(home.path(), name), [columns.replace(", ", ",")], "{name}");
    }
}

#[test]
fn rows_come_in_order_of_run_lane_and_group_with_g_2_before_g_10() {
    let home = tempfile::tempdir().unwrap();
    write(home.path(), &[sample::run(1), sample::run(2)], false);
    let keys: Vec<String> = read(home.path(), "groups.csv")[1..]
        .iter()
        .map(|line| line.split(',').skip(2).take(3).collect::<Vec<_>>().join(" "))
        .collect();
    let mut expected = Vec::new();
    for run in 1..=2 {
        for strategy in ["full-metadata", "group-hash"] {
            expected.extend((1..=12).map(|g| format!("{run} {strategy} g-{g}")));
        }
    }
    assert_eq!(keys, expected);
}

#[test]
fn rows_say_what_the_books_hold() {
    let home = tempfile::tempdir().unwrap();
    let written = write(home.path(), &[sample::run(1)], false);
    assert_eq!(
        written.files,
        [
            ("outcomes.csv", 2),
            ("causes.csv", 3),
            ("groups.csv", 24),
            ("timeline.csv", 20),
            ("heap.csv", 16),
            ("log.csv", 14),
            ("delays.csv", 2),
            ("strips.csv", 30),
            ("marks.csv", 1),
            ("costs.csv", 4),
            ("steps.csv", 6),
            ("bumps.csv", 30)
        ]
    );
    let line = |name: &str, at: usize| read(home.path(), name).swap_remove(at);
    assert_eq!(
        line("outcomes.csv", 2),
        "sample,,1,group-hash,12,60,86400,240,18,0,0,12,6,6,0,12,6000000,12,2,10,500000,500000,500000,0,0,0,0,0,30000,8000,8140,40,3912,7000,0,0,0,0,0,0,12,0,5f2c91e0aa00bb01,,,,,,,,,,,0"
    );
    assert_eq!(line("causes.csv", 2), "sample,,1,group-hash,saturday,saturday,6,0,0,6,6,0,6");
    assert_eq!(
        line("groups.csv", 13),
        "sample,,1,group-hash,g-1,0,5,1,3,2,0,0,1,1,1,0,601000,900000,saturday,consumer"
    );
    assert_eq!(line("timeline.csv", 1), "sample,,1,full-metadata,0,8640,24,12,0,12,100,1000");
    assert_eq!(line("bumps.csv", 30), "sample,,1,group-hash,900005,g-6,3,repeat,saturday,saturday,");
    assert_eq!(line("costs.csv", 1), "sample,,1,full-metadata,1,280000,240,0,0,0,0,0,linux x86_64,a cpu,0,0,0");
    assert_eq!(line("costs.csv", 4), "sample,,1,group-hash,median,70000,240,0,0,0,0,0,linux x86_64,a cpu,0,0,0");
    assert_eq!(line("heap.csv", 1), "sample,,1,full-metadata,peak,racks,4000");
    assert_eq!(line("delays.csv", 1), "sample,,1,full-metadata,507904,12");
    assert_eq!(line("strips.csv", 30), "sample,,1,group-hash,12,g-12,1,0,720000,1,0");
    assert_eq!(line("marks.csv", 1), "sample,,1,600000,saturday");
    assert_eq!(
        read(home.path(), "steps.csv")[0],
        "scenario,point,run,strategy,roll,step,from_ms,until_ms,broker,shards_moved,rebalances,needed,late,spurious,repeat,missed,groups_hit,groups_needed,groups_late,groups_spurious,groups_repeat,peak_per_s,members_disturbed,worst"
    );
    assert_eq!(
        line("steps.csv", 5),
        "sample,,1,group-hash,saturday,2,880000,1200000,1,33,6,0,0,6,6,0,6,0,0,6,6,6,30,g-1;g-2;g-3;g-4;g-5"
    );
}

#[test]
fn what_assignments_cost_is_in_two_files_that_other_runs_have_not() {
    let home = tempfile::tempdir().unwrap();
    let written = write(home.path(), &[sample::assigned_run(1)], false);
    let rows: Vec<_> = written.files.iter().filter(|(name, _)| ["moves.csv", "ownership.csv"].contains(name)).collect();
    assert_eq!(rows, [&("moves.csv", 3), &("ownership.csv", 20)]);
    let file = |name: &str| read(home.path(), name);
    assert_eq!(
        file("moves.csv")[..2],
        [
            "scenario,point,run,strategy,cause,trigger,assignments,same,moves,moves_wasted,members_disturbed",
            "sample,,1,full-metadata,ghost,saturday,12,2,40,0,24"
        ]
    );
    assert_eq!(
        file("ownership.csv")[..2],
        [
            "scenario,point,run,strategy,bucket_start_ms,assignments,moves,unassigned_partition_ms,local_partition_ms,remote_partition_ms,imbalance_max",
            "sample,,1,full-metadata,0,12,40,5000,51840000,0,1"
        ]
    );
    let plain = tempfile::tempdir().unwrap();
    write(plain.path(), &[sample::run(1)], false);
    assert!(!plain.path().join("moves.csv").exists() && !plain.path().join("ownership.csv").exists());
}

#[test]
fn a_run_without_a_roll_has_no_steps() {
    let home = tempfile::tempdir().unwrap();
    let mut run = sample::run(1);
    run.rolls.clear();
    let written = write(home.path(), &[run], false);
    assert!(written.files.iter().all(|(name, _)| *name != "steps.csv"));
    assert!(!home.path().join("steps.csv").exists());
}

#[test]
fn what_is_undefined_is_an_empty_cell() {
    let home = tempfile::tempdir().unwrap();
    let mut run = sample::run(1);
    run.lanes.truncate(1);
    let lane = &mut run.lanes[0];
    lane.outcome = crate::metrics::Outcome::default();
    let groups = std::sync::Arc::make_mut(&mut lane.groups);
    groups.truncate(1);
    (groups[0].first, groups[0].last, groups[0].main_cause) = (None, None, None);
    write(home.path(), &[run], false);
    let outcomes = read(home.path(), "outcomes.csv");
    assert!(
        outcomes[1].starts_with("sample,,1,full-metadata,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,,,,0,"),
        "{}",
        outcomes[1]
    );
    assert!(read(home.path(), "groups.csv")[1].ends_with(",,,consumer"));
}

#[test]
fn origins_are_written_as_words() {
    use crate::kafka::GroupId;
    use crate::metrics::Origin;
    let run = sample::run(1);
    let all =
        [Origin::Entry(1), Origin::Group(GroupId(1)), Origin::PatternRefresh, Origin::RefreshInterval, Origin::Start];
    let words = all.map(|origin| origin_text(&run, origin));
    assert_eq!(words, ["ghost", "g-2", "pattern-refresh", "refresh-interval", "start"]);
}

#[test]
fn many_rebalances_are_written_only_when_asked_for() {
    let mut run = sample::run(1);
    let lane = &mut run.lanes[0];
    lane.bumps_complete = false;
    lane.outcome.counts.needed = BUMPS_IF_FEWER;
    let (unasked, asked) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let written = write(unasked.path(), std::slice::from_ref(&run), false);
    assert!(!unasked.path().join("bumps.csv").exists());
    assert_eq!(
        read(unasked.path(), "bumps.txt"),
        ["bumps.csv is left out: 100,030 rebalances, and it is written below 100,000 of them or with --bumps"]
    );
    assert_eq!(written.notes.len(), 1);
    let written = write(asked.path(), &[run], true);
    let last = read(asked.path(), "bumps.csv").pop().unwrap();
    assert_eq!(last, "sample,,1,,,,,cut-off,only 30 of 100030 rebalances are written,,");
    assert_eq!(written.files.last(), Some(&("bumps.csv", 31)));
}

#[test]
fn names_with_commas_and_quotes_come_back() {
    let home = tempfile::tempdir().unwrap();
    let mut run = sample::run(1);
    run.groups[0] = "a,\"b\"\nc".to_owned();
    write(home.path(), &[run], false);
    let mut csv = csv::Reader::from_path(home.path().join("groups.csv")).unwrap();
    let first: GroupRow<'static> = csv.deserialize().next().unwrap().unwrap();
    assert_eq!(first.group, "a,\"b\"\nc");
}

#[test]
fn every_column_is_documented() {
    let docs = include_str!("../../../docs/files.md");
    for (name, columns) in PROMISED {
        assert!(docs.contains(&format!("## {name}")), "{name}");
        for column in columns.split(", ") {
            assert!(docs.contains(&format!("`{column}`")), "{column} of {name}");
        }
    }
}
