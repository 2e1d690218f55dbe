//! Public reports of changes that nobody was told of, as inputs with right answers.

use crate::support::{FOUR, counts, lane, outcome, problems, run, times, verdict};

#[test]
fn c14_the_flag_misses_racks_and_fires_at_moves_within_one() {
    let fixture = "cluster: {coordinators: apart}
brokers: 6
topics: {t: {replicas: [[0, 1], [1, 2], [2, 0]]}}
groups: {g: {members: 1, topics: [t], phase: 0s}}
strategies: [delta-flag, full-metadata, topic-hash, group-hash, partition-count]
history:
";
    let first = run(&format!("{fixture}  - restart: {{at: 30s, broker: 2, rack: d}}\n"));
    assert_eq!(verdict(&first, "delta-flag"), (0, 0, 1));
    assert_eq!(verdict(&first, "partition-count"), (0, 0, 1));
    for strategy in ["full-metadata", "topic-hash", "group-hash"] {
        assert_eq!(verdict(&first, strategy), (1, 0, 0), "{strategy}: one topic, so one rebalance");
    }
    let second =
        run(&format!("{fixture}  - reassign: {{at: 30100ms, topic: t, replicas: {{0: [3, 1]}}, takes: 30s}}\n"));
    let flag = counts(&second, "delta-flag");
    assert!(flag.rebalances() >= 1 && flag.spurious == flag.rebalances());
    assert_eq!(verdict(&second, "full-metadata"), (0, 0, 0));
    assert_eq!(verdict(&second, "topic-hash"), (0, 0, 0));
    assert_eq!(verdict(&second, "group-hash"), (2, 2, 0));
}

#[test]
fn c16_a_rack_that_a_restart_adds_reaches_the_group_with_the_isr_change() {
    // up 30 s after the stop, the broker's topics back in sync 10 s later, as one delta
    let run = run("cluster: {coordinators: apart, start: {unfence: 0s, catch_up: 10s, isr_deltas: 1}}
brokers:
  0: {rack: null}
  1: {rack: null}
  2: {rack: null}
topics: {t: {partitions: 6, rf: 3}}
groups: {g: {members: 1, topics: [t], phase: 0s}}
history:
  - restart: {at: 100s, broker: 0, rack: a, down: 30s, as: first}
  - restart: {at: 220s, broker: 1, rack: b, down: 30s, as: second}
  - restart: {at: 340s, broker: 2, rack: c, down: 30s, as: third}
strategies: [full-metadata, topic-hash, group-hash, group-hash-uncached, partition-count]
");
    for strategy in FOUR {
        assert_eq!(times(&run, strategy), [140_000, 260_000, 380_000], "{strategy}");
        assert_eq!(counts(&run, strategy).missed, 0, "{strategy}");
    }
    assert_eq!(verdict(&run, "partition-count"), (0, 0, 3));
}

#[test]
fn c18_a_static_restart_is_silent_and_growth_after_it_is_told() {
    let run = run("cluster: {coordinators: apart}
brokers: 6
topics: {t: {partitions: 6}}
groups: {g: {members: 1, topics: [t], static: true}}
history:
  - restart-member: {at: 60s, group: g, for: 10s}
  - add-partitions: {at: 120s, topic: t, to: 9}
");
    for strategy in FOUR {
        assert_eq!(verdict(&run, strategy), (1, 0, 0), "{strategy}");
        let at = times(&run, strategy)[0];
        assert!((120_000..=125_000).contains(&at), "{strategy}: {at}");
    }
}

#[test]
fn c19_all_four_groups_hear_of_the_growth_and_bad_timeouts_are_refused() {
    let scenario = |timeouts: &str| {
        format!(
            "cluster: {{coordinators: apart}}
brokers: 6
topics: {{t: {{partitions: 16}}}}
groups: {{g: {{count: 4, members: 12, topics: [t], static: true{timeouts}}}}}
history:
  - add-partitions: {{at: 100s, topic: t, to: 28}}
"
        )
    };
    let said = problems(&scenario(", heartbeat: 15s, session: 3s"));
    for word in ["heartbeat", "15s", "session", "3s"] {
        assert!(said.contains(word), "{word} is missing in\n{said}");
    }
    let run = run(&scenario(""));
    for strategy in FOUR {
        assert_eq!(verdict(&run, strategy), (4, 0, 0), "{strategy}");
        assert!(times(&run, strategy).iter().all(|at| *at <= 105_000), "{strategy}");
    }
}

#[test]
fn c20_growth_moves_the_epoch_by_one() {
    let run = run("cluster: {coordinators: apart}
brokers: 6
topics: {t: {partitions: 1}}
groups: {g: {members: 2, topics: [t], epoch: 7}}
history:
  - add-partitions: {at: 30s, topic: t, to: 3}
");
    for strategy in FOUR {
        assert_eq!(lane(&run, strategy).groups[0].epoch, 8, "{strategy}");
        assert_eq!(verdict(&run, strategy), (1, 0, 0), "{strategy}");
    }
}

#[test]
fn c21_a_group_of_mixed_subscriptions_watches_the_union() {
    let run = run("cluster: {coordinators: apart}
brokers: 6
topics: {A: {partitions: 2}, B: {partitions: 2}}
groups:
  g:
    members:
      m1: {topics: [A]}
      m2: {topics: [B]}
history:
  - add-partitions: {at: 40s, topic: B, to: 4}
");
    for strategy in FOUR {
        assert_eq!(verdict(&run, strategy), (1, 0, 0), "{strategy}");
    }
}

#[test]
fn c22_an_absent_topic_is_told_once_when_it_comes() {
    let created = run("cluster: {coordinators: apart}
brokers: 6
groups: {g: {members: 1, topics: [orders], start: empty, phase: 0s}}
history:
  - create-topic: {at: 30s, topic: orders, partitions: 6}
");
    for strategy in FOUR {
        assert_eq!(times(&created, strategy), [0, 30_000], "{strategy}");
        assert_eq!((counts(&created, strategy).membership, counts(&created, strategy).needed), (1, 1), "{strategy}");
    }
    let grown = run("cluster: {coordinators: apart}
brokers: 6
groups: {g: {members: 1, topics: [orders], start: empty, phase: 0s}}
history:
  - create-topic: {at: 31s, topic: orders, partitions: 1}
  - add-partitions: {at: 33s, topic: orders, to: 6}
");
    for strategy in FOUR {
        assert_eq!(times(&grown, strategy), [0, 35_000], "{strategy}");
    }
}

#[test]
fn c23_three_missing_topics_are_each_told_within_a_heartbeat() {
    let run = run("cluster: {coordinators: apart}
brokers: 6
groups: {g: {members: 1, topics: [a, b, c]}}
history:
  - create-topic: {at: 10s, topic: a, as: first}
  - create-topic: {at: 40s, topic: b, as: second}
  - create-topic: {at: 70s, topic: c, as: third}
");
    for strategy in FOUR {
        assert_eq!(verdict(&run, strategy), (3, 0, 0), "{strategy}");
        assert!(outcome(&run, strategy).delay_ms_max.unwrap() <= 5000, "{strategy}");
    }
}

#[test]
fn c25_a_deleted_topic_reaches_the_group_that_a_pattern_brought_to_it() {
    let run = run("cluster: {coordinators: apart}
brokers: 6
duration: 9m
topics: {ab1: {partitions: 3}, ab2: {partitions: 3}}
groups: {g: {members: 1, pattern: \"ab.*\"}}
history:
  - delete-topic: {at: 50s, topic: ab2}
");
    for strategy in FOUR {
        assert_eq!(verdict(&run, strategy), (1, 0, 0), "{strategy}");
        assert!(times(&run, strategy)[0] <= 55_000, "{strategy}");
        assert_eq!(lane(&run, strategy).groups[0].topics, 1, "{strategy}");
    }
}

#[test]
fn c26_a_member_that_drops_its_pattern_moves_the_epoch() {
    let run = run("cluster: {coordinators: apart}
brokers: 6
topics: {x1: {partitions: 4}}
groups: {g: {members: 2, pattern: \"x.*\"}}
history:
  - subscribe: {at: 20s, group: g, member: m-2, topics: []}
duration: 5m
");
    for strategy in FOUR {
        assert_eq!(counts(&run, strategy).membership, 1, "{strategy}");
        assert_eq!(verdict(&run, strategy), (1, 0, 0), "{strategy}");
    }
}
