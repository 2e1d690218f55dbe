//! What rebalances cost groups that have an assignor: public reports about partitions that nobody owns, and about storms.

use rebalance_sim::metrics::{Assigned, Origin, OwnershipBucket, RunOutcome};

use crate::support::{FOUR, counts, lane, outcome, run, verdict};

fn assigned(run: &RunOutcome, strategy: &str) -> Assigned {
    outcome(run, strategy).assigned.unwrap_or_else(|| panic!("{strategy}: a group has an assignor"))
}

#[test]
fn without_an_assignor_there_is_nothing() {
    let run = run("topics: {t: {}}\ngroups: {g: {topics: [t]}}\nhistory: [{touch: {at: 1m, topic: t}}]\n");
    assert!(FOUR.iter().all(|strategy| outcome(&run, strategy).assigned.is_none()));
}

#[test]
fn c18_growth_after_a_static_restart_leaves_nothing_unassigned() {
    let run = run("cluster: {coordinators: apart}
topics: {t: {partitions: 6}}
groups: {g: {members: 1, topics: [t], static: true, assignor: uniform, phase: 0s}}
history:
  - restart-member: {at: 60s, group: g, for: 10s}
  - add-partitions: {at: 122s, topic: t, to: 9}
");
    for strategy in FOUR {
        let all = assigned(&run, strategy);
        assert_eq!(counts(&run, strategy).rebalances(), 1);
        assert_eq!((all.assignments, all.unchanged, all.moves, all.unassigned_end), (1, 0, 0, 0), "{strategy}");
        // three partitions for the three seconds up to the next heartbeat
        assert_eq!(all.unassigned_partition_ms, 9_000, "{strategy}");
        assert_eq!(all.members_disturbed, 1, "{strategy}");
    }
}

#[test]
fn c19_all_four_groups_own_28_partitions_by_105_s() {
    let scenario = "cluster: {coordinators: apart}
duration: 3m
topics: {t: {partitions: 16}}
groups: {g: {count: 4, members: 12, topics: [t], static: true, assignor: uniform}}
history:
  - add-partitions: {at: 100s, topic: t, to: 28}
";
    let run = run(scenario);
    for strategy in FOUR {
        let all = assigned(&run, strategy);
        assert_eq!((all.assignments, all.moves, all.unassigned_end), (4, 0, 0), "{strategy}");
        // twelve new ones in each of four groups; the first heartbeat computes, and each goes to a member's own next one
        assert!(all.unassigned_partition_ms <= 4 * 12 * 10_000, "{strategy}: {}", all.unassigned_partition_ms);
        assert_eq!(all.members_disturbed, 48, "{strategy}: 16/12 to 28/12, everybody gets one more");
    }
}

#[test]
fn c20_the_epoch_moves_by_one_and_all_are_owned() {
    let run = run("cluster: {coordinators: apart}
topics: {t: {partitions: 1}}
groups: {g: {members: 2, topics: [t], epoch: 7, assignor: range}}
history:
  - add-partitions: {at: 30s, topic: t, to: 3}
");
    for strategy in FOUR {
        assert_eq!(lane(&run, strategy).groups[0].epoch, 8, "{strategy}");
        assert_eq!((verdict(&run, strategy).0, assigned(&run, strategy).unassigned_end), (1, 0), "{strategy}");
    }
}

#[test]
fn c21_who_subscribes_to_the_topic_that_grew_gets_it() {
    let run = run("cluster: {coordinators: apart}
topics: {A: {partitions: 2}, B: {partitions: 2}}
groups: {g: {members: {m1: {topics: [A]}, m2: {topics: [B]}}, assignor: uniform}}
history:
  - add-partitions: {at: 40s, topic: B, to: 4}
");
    for strategy in FOUR {
        let all = assigned(&run, strategy);
        assert_eq!((all.assignments, all.moves, all.members_disturbed, all.unassigned_end), (1, 0, 1, 0), "{strategy}");
    }
}

#[test]
fn c22_a_topic_that_comes_later_is_owned_from_the_next_heartbeat_on() {
    for events in [
        "[{create-topic: {at: 30s, topic: orders, partitions: 6}}]",
        "[{create-topic: {at: 31s, topic: orders, partitions: 1}}, {add-partitions: {at: 33s, topic: orders, to: 6}}]",
    ] {
        let run = run(&format!(
            "cluster: {{coordinators: apart}}
topics: {{other: {{}}}}
groups: {{g: {{members: 1, topics: [orders], phase: 0s, assignor: uniform}}}}
history: {events}
"
        ));
        for strategy in FOUR {
            let all = assigned(&run, strategy);
            assert_eq!((all.assignments, all.unassigned_end), (1, 0), "{strategy} {events}");
            let waited = if events.contains("31s") { 4_000 + 5 * 2_000 } else { 0 };
            assert_eq!(all.unassigned_partition_ms, waited, "{strategy} {events}");
        }
    }
}

#[test]
fn c23_three_topics_are_owned_one_after_the_other() {
    let run = run("cluster: {coordinators: apart}
topics: {other: {}}
groups: {g: {members: 1, topics: [a, b, c], phase: 0s, assignor: range}}
history:
  - create-topic: {at: 11s, topic: a, partitions: 2, as: first}
  - create-topic: {at: 42s, topic: b, partitions: 2, as: second}
  - create-topic: {at: 73s, topic: c, partitions: 2, as: third}
");
    for strategy in FOUR {
        let all = assigned(&run, strategy);
        assert_eq!((all.assignments, all.moves, all.unassigned_end), (3, 0, 0), "{strategy}");
        assert_eq!(all.unassigned_partition_ms, 2 * (4_000 + 3_000 + 2_000), "{strategy}");
    }
}

/// C38, a tenth of it: five groups of 400 members on four topics of 500 partitions, all gone within a second.
fn exodus(interval: &str) -> RunOutcome {
    run(&format!(
        "cluster: {{coordinators: apart, assignment_interval: {interval}}}
duration: 6m
topics: {{t: {{count: 4, partitions: 500, rf: 1}}}}
groups: {{g: {{count: 5, members: 400, topics: all, assignor: uniform}}}}
history:
  - leave: {{at: 300s, group: all, member: all, over: 1s}}
strategies: [group-hash]
"
    ))
}

#[test]
fn c38_every_leave_is_a_bump_and_targets_are_computed_at_heartbeats_only() {
    for (interval, most) in [("0s", 2_000), ("1s", 10)] {
        let run = exodus(interval);
        let all = assigned(&run, "group-hash");
        assert_eq!(counts(&run, "group-hash").membership, 2_000, "{interval}");
        assert!(all.assignments > 0 && all.assignments <= most, "{interval}: {}", all.assignments);
        let end = outcome(&run, "group-hash");
        assert_eq!((end.groups_empty_end, all.unassigned_end), (5, 0), "{interval}");
    }
}

#[test]
fn c39_a_wave_of_joins_is_one_target_a_second_with_an_interval() {
    let wave = |interval: &str, delay: &str| {
        let run = run(&format!(
            "cluster: {{coordinators: apart, assignment_interval: {interval}, initial_delay: {delay}}}
duration: 5m
topics: {{t: {{partitions: 200}}}}
groups: {{g: {{members: 0, topics: [t], start: empty, assignor: uniform}}}}
history:
  - join: {{at: 10s, group: g, members: 100, over: 2s}}
strategies: [group-hash]
"
        ));
        assert_eq!(counts(&run, "group-hash").membership, 100);
        let all = assigned(&run, "group-hash");
        assert_eq!(all.unassigned_end, 0, "{interval}");
        all
    };
    let (plain, second, quarter) = (wave("0s", "0s"), wave("1s", "0s"), wave("15s", "0s"));
    assert_eq!((plain.assignments, second.assignments), (100, 3));
    assert!(quarter.assignments <= 2);
    assert!(plain.moves > second.moves && second.moves >= quarter.moves, "{plain:?} {second:?} {quarter:?}");
    assert!(plain.assign_log_bytes > second.assign_log_bytes);
    // the first target waits until everybody is there: two partitions each, and nobody gives any back
    for interval in ["0s", "1s", "15s"] {
        let late = wave(interval, "3s");
        assert_eq!((late.assignments, late.moves, late.members_disturbed), (1, 0, 100), "{interval}");
        assert_eq!(late.unassigned_end, 0, "{interval}");
    }
}

#[test]
fn a_first_target_that_waits_outlives_members_that_leave_meanwhile_and_waits_anew_in_an_empty_group() {
    let run = run("cluster: {coordinators: apart, initial_delay: 30s}
duration: 5m
topics: {t: {partitions: 4, rf: 1}}
groups: {g: {members: {m1: {join: 10s}, m2: {join: 15s}, m3: {join: 100s}}, topics: [t], start: empty, phase: 0s, assignor: uniform}}
history:
  - leave: {at: 20s, group: g, member: m1, as: first}
  - leave: {at: 60s, group: g, member: m2, as: second}
strategies: [group-hash]
");
    let all = assigned(&run, "group-hash");
    // m2's at 40 s, m3's at 130 s: what was m2's moves
    assert_eq!((all.assignments, all.moves, all.unassigned_end), (2, 4, 0));
    assert_eq!(all.unassigned_partition_ms, 4 * (30_000 + 30_000));
}

#[test]
fn what_moved_stands_under_its_cause_and_in_its_time_and_sums_up() {
    let run = run("cluster: {coordinators: apart}
duration: 10m
bucket: 1m
brokers: 3
topics: {t: {replicas: [[0], [1], [2]]}}
groups: {g: {members: {m1: {rack: a}, m2: {rack: b}, m3: {rack: c}}, topics: [t], phase: 0s, assignor: rack-first}}
history:
  - reassign: {at: 5m, topic: t, replicas: {0: [1], 1: [0]}, takes: 0s, as: swap}
  - leave: {at: 7m, group: g, member: m3, as: away}
strategies: [full-metadata, partition-count]
");
    let told = &lane(&run, "full-metadata").assigned;
    let rows: Vec<(Origin, u64, u64)> =
        told.by.iter().map(|((cause, _), of)| (*cause, of.assignments, of.moves)).collect();
    // the swap moves two; m3 takes none with it: its own partition goes to another, which is a move of the leave
    assert_eq!(rows, [(Origin::Entry(0), 1, 2), (Origin::Entry(1), 1, 1)]);
    assert_eq!(told.by.iter().map(|(_, of)| of.moves).sum::<u64>(), told.totals.moves);
    let moved: Vec<(u64, u64)> =
        told.buckets.iter().filter(|b| b.moves > 0).map(|b| (b.start.0 / 60_000, b.moves)).collect();
    assert_eq!(moved, [(5, 2), (7, 1)]);
    let sum = |of: fn(&OwnershipBucket) -> u64| told.buckets.iter().map(of).sum::<u64>();
    assert_eq!(sum(|b| b.remote_partition_ms), told.totals.remote_partition_ms);
    assert_eq!(sum(|b| b.unassigned_partition_ms), told.totals.unassigned_partition_ms);
    // one each; then two members have three
    assert_eq!(told.buckets.iter().map(|b| b.imbalance_max).collect::<Vec<_>>()[..4], [0, 0, 0, 0]);
    assert_eq!(told.buckets.last().unwrap().imbalance_max, 1);
    // nobody tells partition-count's group of the swap: two of three are read across racks from then on
    let missed = &lane(&run, "partition-count").assigned.buckets[6];
    assert_eq!((missed.local_partition_ms, missed.remote_partition_ms), (60_000, 120_000));
}

#[test]
fn a_member_that_joins_takes_over_in_three_heartbeats() {
    // m1 at 0, 5, … s has all four; m2 joins at 62 s and gets two: computed at once, m1 is told at 65 s, says that it
    // gave back at 70 s, and m2 gets them at 72 s
    let run = run("cluster: {coordinators: apart}
duration: 2m
topics: {t: {partitions: 4, rf: 1}}
groups: {g: {members: {m1: {}, m2: {join: 62s}}, topics: [t], phase: 0s, assignor: uniform}}
strategies: [group-hash]
");
    let all = assigned(&run, "group-hash");
    assert_eq!((all.assignments, all.moves, all.moves_wasted, all.members_disturbed), (1, 2, 0, 2));
    assert_eq!(all.unassigned_partition_ms, 2 * 7_000);
    // group `g`, ids of 22 bytes. The target: its epoch and two members. Then m2 waits (at 67 s its previous epoch
    // moves up), m1 gives back, m1 is done, m2 has
    // its two.
    let key = 6 + 1 + 22;
    let lists = |assigned: u64, pending: u64| {
        let list = |n: u64| if n == 0 { 1 } else { 1 + 16 + 1 + 4 * n + 1 };
        key + 2 + 4 + 4 + 1 + list(assigned) + list(pending) + 1
    };
    let target = (4 + 1 + 7) + 2 * (key + 2 + 1 + 16 + 1 + 4 * 2 + 1 + 1);
    assert_eq!(all.assign_log_bytes, target + 2 * lists(0, 0) + lists(2, 2) + lists(2, 0) + lists(2, 0));
}

#[test]
fn racks_that_move_away_make_reading_remote_and_stock_assignors_do_not_care() {
    let of = |assignor: &str| {
        run(&format!(
            "cluster: {{coordinators: apart}}
duration: 10m
brokers: 3
topics: {{t: {{replicas: [[0], [1], [2]]}}}}
groups: {{g: {{members: {{m1: {{rack: a}}, m2: {{rack: b}}, m3: {{rack: c}}}}, topics: [t], phase: 0s, assignor: {assignor}}}}}
history:
  - reassign: {{at: 5m, topic: t, replicas: {{0: [1], 1: [0]}}, takes: 0s}}
strategies: [full-metadata, partition-count]
"
        ))
    };
    let blind = of("range");
    let all = assigned(&blind, "full-metadata");
    assert_eq!((all.assignments, all.unchanged, all.moves), (1, 1, 0), "range reads no racks");
    assert_eq!(all.remote_partition_ms, 2 * 300_000);
    assert_eq!(all.local_share_pct().unwrap(), "66.7");
    let aware = of("rack-first");
    let all = assigned(&aware, "full-metadata");
    assert_eq!((all.assignments, all.unchanged, all.moves), (1, 0, 2));
    // nobody tells the group: it goes on reading across racks
    let missed = assigned(&aware, "partition-count");
    assert_eq!((missed.assignments, missed.remote_partition_ms), (0, 2 * 300_000));
    assert!(all.remote_partition_ms < 2 * 300_000);
}

#[test]
fn a_needless_rebalance_of_an_unstable_assignor_wastes_its_moves() {
    // rack-first keeps nothing of what was; a move within the rack of a multiset reader is needless
    let run = run("cluster: {coordinators: apart}
brokers: 6
topics: {t: {replicas: [[0, 1], [1, 2], [2, 0]]}}
groups: {g: {members: 3, topics: [t], assignor: uniform}}
history:
  - reassign: {at: 1m, topic: t, replicas: {0: [3, 1]}, takes: 30s}
strategies: [kafka-4.1]
");
    let all = assigned(&run, "kafka-4.1");
    assert_eq!(verdict(&run, "kafka-4.1"), (2, 2, 0));
    assert_eq!((all.assignments, all.unchanged, all.moves, all.moves_wasted), (2, 2, 0, 0));
    assert!(all.assign_log_bytes > 0, "three members write their new epoch, twice");
}

/// Scenarios whose assignments leave nothing to the order of member ids, and the bytes of types 6, 7 and 8 that the group
/// coordinators of Kafka 3.9, 4.1 and 4.2 wrote for them (`verify-kafka --assignments`).
#[test]
fn what_is_written_for_assignments_is_what_kafka_s_own_coordinator_wrote() {
    let twelve = "topics: {t: {count: 3, partitions: 12}, u: {partitions: 8}}\ngroups:";
    let fixed = format!(
        "{twelve}\n  g: {{count: 1, members: 4, topics: [t-1], static: true, assignor: uniform}}
  h: {{count: 1, members: 2, topics: [t-1, u], assignor: uniform}}"
    );
    for (scenario, rebalances, bytes) in [
        (
            format!(
                "{twelve} {{g: {{count: 1, members: 3, topics: [t-1], assignor: uniform}}}}
history: [{{join: {{at: 1m, group: g-1, members: 1, topics: [t-1]}}}}]"
            )
            .replace(", u: {partitions: 8}", ""),
            1,
            955,
        ),
        (format!("{fixed}\nhistory: [{{restart-member: {{at: 1m, group: g-1, member: any, for: 20s}}}}]"), 0, 290),
        (format!("{fixed}\nhistory: [{{restart-member: {{at: 1m, group: g-1, member: any, for: 90s}}}}]"), 2, 1488),
        (
            format!(
                "{fixed}\nhistory: [{{delete-topic: {{at: 3m, topic: u}}}}, {{create-topic: {{at: 4m, topic: u, partitions: 6}}}}]"
            ),
            2,
            1117,
        ),
        (
            "topics: {t: {partitions: 60}}
groups: {g: {count: 5, members: 3, topics: [t], assignor: uniform}}
history:
  - join: {at: 1m, group: g-*, members: 2, topics: [t]}
  - leave: {at: 3m, group: g-*, member: any}
  - kill: {at: 5m, group: g-*, member: any}"
                .to_owned(),
            20,
            20_015,
        ),
        (
            "topics: {t: {partitions: 6}}
groups: {g: {count: 5, members: 4, topics: [t], assignor: uniform}}
history: [{add-partitions: {at: 1m, topic: t, to: 13}}]"
                .to_owned(),
            5,
            2_910,
        ),
    ] {
        let run = run(&format!("{scenario}\nstrategies: [kafka-4.1]\n"));
        assert_eq!(counts(&run, "kafka-4.1").rebalances(), rebalances, "{scenario}");
        assert_eq!(assigned(&run, "kafka-4.1").assign_log_bytes, bytes, "{scenario}");
    }
}

#[test]
fn c50_owners_follow_growth_and_reassignment_in_a_run() {
    let run = run("cluster: {coordinators: apart}
duration: 5m
bucket: 1m
brokers: 3
topics: {t: {replicas: [[0]]}}
groups: {g: {members: {m1: {rack: a}, m2: {rack: b}, m3: {rack: c}}, topics: [t], heartbeat: 1s, assignor: rack-first}}
history:
  - add-partitions: {at: 1m, topic: t, by: 2, replicas: [[1], [1]], as: two-more}
  - add-partitions: {at: 2m, topic: t, by: 3, replicas: [[2], [2], [2]], as: three-more}
  - reassign: {at: 3m, topic: t, replicas: {0: [2], 3: [0], 4: [0], 5: [0]}, takes: 0s}
strategies: [full-metadata]
");
    assert_eq!(verdict(&run, "full-metadata"), (3, 0, 0));
    let all = assigned(&run, "full-metadata");
    // growth moves nothing; then one goes to m3 and three to m1
    assert_eq!((all.assignments, all.unchanged, all.moves, all.unassigned_end), (3, 0, 4, 0));
    let buckets = &lane(&run, "full-metadata").assigned.buckets;
    let remote: Vec<bool> = buckets.iter().map(|b| b.remote_partition_ms > 0).collect();
    assert_eq!(remote, [false, false, false, true, false], "only while four of them go over");
    // 1/0/0, 1/2/0, 1/2/3, then 3/2/1
    assert_eq!(buckets[0].local_partition_ms, 60_000);
    assert_eq!(buckets[4].local_partition_ms, 6 * 60_000);
    assert_eq!([buckets[0].imbalance_max, buckets[4].imbalance_max], [1, 2]);
}

/// m1 and m2 share four partitions; a rack that `range` does not read changes, and m2 goes.
const SHARED: &str = "cluster: {coordinators: apart}
duration: 10m
brokers: 3
topics: {t: {replicas: [[0], [1], [2], [0]]}}
groups: {g: {members: {m1: {}, m2: {}}, topics: [t], phase: 0s, assignor: range}}
history:
  - reassign: {at: 2m, topic: t, replicas: {0: [1], 1: [0]}, takes: 0s, as: swap}
  - leave: {at: 5m, group: g, member: m2, as: farewell}
strategies: [full-metadata]
";

#[test]
fn a_run_draws_what_assignments_cost_and_explains_what_each_rebalance_moved() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("s.yaml"), SHARED).unwrap();
    let sim = |args: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_rebalance-sim"));
        let output = command.current_dir(home.path()).args(args).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    sim(&["run", "s.yaml", "-q"]);
    let there = |name: &str| home.path().join("results/s").join(name).exists();
    for name in ["moves.csv", "ownership.csv", "charts/moves.svg"] {
        assert!(there(name), "{name}");
    }
    // they always have as much as each other
    assert!(there("charts/local-share.svg") && there("charts/imbalance.txt"));
    let costs = std::fs::read_to_string(home.path().join("results/s/costs.csv")).unwrap();
    let targets = |row: &str| row.split(',').rev().nth(1).map(str::to_owned);
    assert_eq!(costs.lines().map(targets).collect::<Option<Vec<_>>>().unwrap()[..2], ["assign_calls", "2"], "{costs}");
    let told = sim(&["explain", "s"]);
    for words in [
        "assignment",
        "unchanged",
        "2 partitions move › m1",
        "2 target assignments, 1 of them unchanged; 2 partitions moved",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
}
