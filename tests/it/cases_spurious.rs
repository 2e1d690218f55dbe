//! Public reports of rebalances that nobody needed, as inputs with right answers.

use crate::support::{FOUR, counts, outcome, run, verdict};

const SIX: &str = "cluster: {coordinators: apart}\nbrokers: 6\n";

/// Six brokers over three racks, three partitions of two replicas each (KIP-881's fixture).
const FIXTURE: &str = "cluster: {coordinators: apart}
brokers: 6
topics:
  topic1: {replicas: [[0, 1], [1, 2], [2, 0]]}
groups:
  g: {members: 1, topics: [topic1], phase: 0s}
";

#[test]
fn c01_a_rolling_restart_rebalances_nobody() {
    for coordinators in ["apart", "brokers"] {
        let run = run(&format!(
            "cluster: {{coordinators: {coordinators}}}
brokers: 6
topics: {{loadgen: {{partitions: 32}}}}
groups: {{g1: {{members: 6, topics: [loadgen]}}}}
history:
  - roll: {{at: 60s, down: 60s, gap: 2m}}
strategies: [kafka-3.9, kafka-4.0, kafka-4.1, kip-1101-v1, kip-1101-v2, kip-1101-v3, group-hash-uncached, redpanda]
"
        ));
        for lane in &run.lanes {
            assert_eq!(verdict(&run, &lane.strategy), (0, 0, 0), "{coordinators}, {}", lane.strategy);
        }
        assert!(outcome(&run, "kafka-4.1").refreshes >= 12, "groups did look, and found nothing");
    }
}

#[test]
fn c02_a_replica_that_bounces_hashes_again_to_the_same_value() {
    let run = run(&format!("{FIXTURE}history:\n  - restart: {{at: 30s, broker: 1, down: 60s}}\n"));
    for strategy in FOUR {
        assert_eq!(verdict(&run, strategy), (0, 0, 0), "{strategy}");
    }
    assert!(outcome(&run, "group-hash").topics_hashed > 0);
}

#[test]
fn c05_a_move_that_keeps_the_rack_set_fools_the_multiset_alone() {
    let run = run("cluster: {coordinators: apart}
brokers:
  0: {rack: a}
  1: {rack: b}
  2: {rack: b}
  3: {rack: a}
topics: {t: {replicas: [[0, 1, 2]]}}
groups: {g: {count: 20, topics: [t]}}
history:
  - reassign: {at: 30s, topic: t, replicas: {0: [0, 3, 1]}, takes: 0s}
strategies:
  - {as: set, like: group-hash, racks: set}
  - {as: multiset, like: group-hash, racks: multiset}
");
    assert_eq!(verdict(&run, "set"), (0, 0, 0));
    assert_eq!(verdict(&run, "multiset"), (20, 20, 0));
}

#[test]
fn c06_the_truth_table_of_metadata_changes_holds_row_by_row() {
    let reassign =
        |replicas: &str| format!("  - reassign: {{at: 30s, topic: topic1, replicas: {replicas}, takes: 0s}}\n");
    let rows = [
        (reassign("{0: [0, 2]}"), [1, 1]),
        (reassign("{0: [0, 1, 2]}"), [1, 1]),
        (reassign("{2: [2]}"), [1, 1]),
        ("  - add-partitions: {at: 30s, topic: topic1, by: 1, replicas: [[0, 1]]}\n".to_owned(), [1, 1]),
        (String::new(), [0, 0]),
        (reassign("{0: [3, 4], 1: [4, 5], 2: [5, 3]}"), [0, 0]),
        (reassign("{0: [0, 1, 3], 1: [1, 2, 5], 2: [2, 0, 3]}"), [0, 1]),
    ];
    let strategies = "strategies:
  - {as: set, like: group-hash, racks: set}
  - {as: multiset, like: group-hash, racks: multiset}
";
    for (number, (history, expected)) in rows.iter().enumerate() {
        let history =
            if history.is_empty() { "history: []\nduration: 5m\n".into() } else { format!("history:\n{history}") };
        let run = run(&format!("{FIXTURE}{history}{strategies}"));
        let found = ["set", "multiset"].map(|s| counts(&run, s).rebalances());
        assert_eq!(found, *expected, "row {}", number + 1);
        assert_eq!(counts(&run, "set").spurious, 0, "row {}", number + 1);
    }
    // row 8: as row 1, for members that do not care for racks
    let run = run(&format!(
        "{}history:\n{}strategies: [full-metadata, group-hash, partition-count]\n",
        FIXTURE.replace("phase: 0s", "phase: 0s, rack_aware: false"),
        reassign("{0: [0, 2]}")
    ));
    assert_eq!(verdict(&run, "full-metadata"), (1, 1, 0));
    assert_eq!(verdict(&run, "group-hash"), (1, 1, 0));
    assert_eq!(verdict(&run, "partition-count"), (0, 0, 0));
}

#[test]
fn c08_c09_a_subscription_switch_is_one_rebalance_and_refreshes_add_none() {
    let run = run(&format!(
        "{SIX}duration: 5m
topics:
  t1: {{partitions: 2}}
  t2: {{partitions: 2}}
groups:
  switch: {{members: 1, topics: [t1], phase: 0s}}
  idle: {{members: 8, topics: [t1, t2]}}
history:
  - subscribe: {{at: 20s, group: switch, topics: [t2]}}
  - touch: {{at: 20100ms, topic: all, as: refresh}}
  - touch: {{every: 10s, from: 30s, until: 90s, topic: all, as: refreshes}}
"
    ));
    for strategy in FOUR {
        assert_eq!(counts(&run, strategy).membership, 1, "{strategy}");
        assert_eq!(verdict(&run, strategy), (1, 0, 0), "{strategy}");
    }
}

#[test]
fn c11_isr_flapping_is_wasted_work_and_no_reason_to_rebalance() {
    for (coordinators, topic) in [("apart", "t"), ("brokers", "t"), ("brokers", "__consumer_offsets")] {
        let run = run(&format!(
            "cluster: {{coordinators: {coordinators}}}
duration: 3h
brokers: 6
topics: {{t: {{replicas: [[0, 1, 2], [0, 1, 2], [0, 1, 2], [0, 1, 2], [0, 1, 2], [0, 1, 2]]}}}}
groups: {{g: {{members: 6, topics: [t]}}}}
history:
  - isr-shrink: {{every: 30s, from: 0s, until: 3h, topic: {topic}, partition: 0, broker: {}}}
  - isr-expand: {{every: 30s, from: 15s, until: 3h, topic: {topic}, partition: 0, broker: {}}}
",
            if topic == "t" { "1" } else { "any" },
            if topic == "t" { "1" } else { "all" },
        ));
        for strategy in FOUR {
            let o = outcome(&run, strategy);
            assert_eq!(verdict(&run, strategy), (0, 0, 0), "{strategy} on {topic}");
            assert_eq!(o.invalidations, if topic == "t" { 720 } else { 0 }, "{strategy}");
            let hashes = topic == "t" && strategy != "full-metadata";
            assert_eq!(o.topics_hashed > 0, hashes, "{strategy} on {topic}");
        }
    }
}

#[test]
fn c12_a_slow_coordinator_load_expires_nobody() {
    for load in [20, 120] {
        let run = run(&format!(
            "cluster: {{coordinators: apart}}
brokers: 4
topics: {{t: {{count: 10}}}}
groups: {{g: {{count: 200, members: 5, topics: 2 of t}}}}
history:
  - move-coordinator: {{at: 100s, shard: all, load: {load}s}}
"
        ));
        for strategy in FOUR {
            assert_eq!(verdict(&run, strategy), (0, 0, 0), "{strategy}, {load} s");
            assert_eq!(outcome(&run, strategy).heartbeats_refused, 1000 * load / 5, "{strategy}, {load} s");
            assert_eq!(outcome(&run, strategy).load_ms_max, load * 1000);
        }
    }
}

#[test]
fn c13_state_survives_any_number_of_leadership_transfers() {
    let scenario = |strategies: &str| {
        format!(
            "cluster: {{coordinators: apart, offsets_partitions: 1}}
brokers: 4
topics: {{t: {{}}}}
groups: {{g: {{count: 50, topics: [t]}}}}
history:
  - move-coordinator: {{every: 60s, times: 10, shard: all}}
{strategies}"
        )
    };
    let run = run(&scenario(""));
    for strategy in FOUR {
        assert_eq!(verdict(&run, strategy), (0, 0, 0), "{strategy}");
        assert_eq!(outcome(&run, strategy).refreshes, 500, "each transfer, everybody looks once");
    }
}

#[test]
fn the_more_deltas_bring_a_broker_back_into_sync_the_more_repeats_a_rack_change_has() {
    let repeats = |deltas: &str| {
        let run = run(&format!(
            "cluster: {{coordinators: apart, start: {{isr_deltas: {deltas}}}}}
brokers: 6
topics: {{t: {{count: 20, partitions: 6}}}}
groups: {{g: {{count: 30, members: 3, topics: 10 of t}}}}
history: [{{restart: {{at: 1m, broker: 0, rack: d}}}}]
strategies: [kafka-3.9, kafka-4.1, {{as: rehash-all, like: kafka-4.1, rehash: all-on-bump}}]
"
        ));
        for needs_one in ["kafka-3.9", "rehash-all"] {
            assert_eq!(verdict(&run, needs_one), (30, 0, 0), "{needs_one}");
        }
        counts(&run, "kafka-4.1").repeat
    };
    let by_deltas = ["1", "2", "5", "10"].map(repeats);
    // one delta for all topics is one rebalance; ten cannot be more than ten for each group
    assert_eq!(by_deltas[0], 0);
    assert!(by_deltas.is_sorted_by(|a, b| a < b), "{by_deltas:?}");
    assert!(by_deltas[3] <= 9 * 30, "{by_deltas:?}");
}
