//! Public reports of storms and of what they cost, as inputs with right answers.

use crate::support::{FOUR, counts, lane, outcome, run, times, verdict};

#[test]
fn c29_the_racks_of_kafka_17578_take_what_the_issue_says() {
    let racks = |topics: u32, partitions: u32| {
        let scenario = |strategy: &str| {
            format!(
                "cluster: {{coordinators: apart, offsets_partitions: 1}}
duration: 1m
brokers: 6
topics: {{t: {{count: {topics}, partitions: {partitions}}}}}
groups: {{g: {{members: 500, topics: all}}}}
strategies: [{strategy}]
"
            )
        };
        let heap = |s: &str| {
            let run = run(&scenario(s));
            run.lanes[0].outcome.heap_bytes_final
        };
        // a map with racks has 8 bytes a topic more than one without, beside the racks
        heap("full-metadata") - heap("partition-count") - 8 * u64::from(topics)
    };
    assert_eq!(racks(1, 2000), 654_400);
    assert_eq!(racks(20, 100), 629_760);
}

#[test]
fn c29_totals_fall_from_full_metadata_over_topic_hashes_to_one_hash() {
    let run = run("cluster: {coordinators: apart, offsets_partitions: 1}
duration: 1m
brokers: 6
topics: {t: {count: 20, partitions: 100}}
groups: {g: {members: 500, topics: all}}
");
    let heap = |s: &str| outcome(&run, s).heap_bytes_final;
    assert!(heap("full-metadata") > heap("topic-hash") && heap("topic-hash") > heap("group-hash"));
}

#[test]
fn c30_one_changed_topic_rewrites_the_whole_map() {
    // topic names of 10 bytes, racks of 6; a partition more each minute
    let run = run("cluster: {coordinators: apart, racks: [rack-a, rack-b, rack-c]}
brokers: 6
topics: {topic: {count: 1000, partitions: 10}}
groups: {g: {members: 1, topics: all}}
history:
  - add-partitions: {every: 60s, times: 100, topic: topic-7, by: 1}
");
    let bytes = |strategy: &str| outcome(&run, strategy).offsets_log_bytes as f64;
    for strategy in FOUR {
        assert_eq!(verdict(&run, strategy), (100, 0, 0), "{strategy}");
    }
    let (full, hashes, hash) = (bytes("full-metadata"), bytes("topic-hash"), bytes("group-hash"));
    assert!((6.0..12.0).contains(&(full / hashes)), "{full} / {hashes}");
    assert!(hashes / hash > 500.0, "{hashes} / {hash}");
}

#[test]
fn c33_a_burst_of_creations_gives_a_handful_of_rebalances() {
    let run = run("cluster: {coordinators: apart}
brokers: 6
duration: 150s
topics: {old: {count: 10000, partitions: 1, rf: 1}}
groups: {g: {members: 1, pattern: \"new-.*\", start: empty, phase: 0s}}
history:
  - create-topic: {at: 60s, name: new, count: 300, over: 60s, partitions: 1, rf: 1}
");
    for strategy in FOUR {
        let told = counts(&run, strategy).needed + counts(&run, strategy).late;
        assert!((1..=7).contains(&told), "{strategy}: {told}");
        assert_eq!(counts(&run, strategy).missed, 0, "{strategy}");
        assert_eq!(lane(&run, strategy).groups[0].topics, 300, "{strategy}");
        assert!(times(&run, strategy).iter().all(|at| *at <= 130_000), "{strategy}");
        let o = outcome(&run, strategy);
        assert!(o.pattern_matches >= o.pattern_refreshes * 10_000, "{strategy}: every topic is matched");
    }
}

#[test]
fn c37_a_shared_cache_hashes_once_what_5000_groups_stand_on() {
    for shards in [1u64, 50] {
        let run = run(&format!(
            "cluster: {{coordinators: apart, offsets_partitions: {shards}}}
brokers: 6
topics: {{t: {{count: 50, partitions: 10}}}}
groups: {{g: {{count: 5000, topics: all, members: 1}}}}
history:
  - add-partitions: {{at: 100s, topic: t-7, by: 1}}
"
        ));
        for strategy in FOUR {
            assert_eq!(verdict(&run, strategy), (5000, 0, 0), "{strategy}");
            assert!(outcome(&run, strategy).delay_ms_max.unwrap() <= 5000, "{strategy}");
        }
        assert_eq!(outcome(&run, "topic-hash").topics_hashed, shards);
        assert_eq!(outcome(&run, "group-hash").topics_hashed, shards);
        assert_eq!(outcome(&run, "group-hash-uncached").topics_hashed, 250_000);
        assert_eq!(outcome(&run, "full-metadata").topics_hashed, 0);
        assert_eq!(outcome(&run, "full-metadata").refreshes, 5000);
    }
}

#[test]
fn c38_every_one_of_20000_leaves_moves_an_epoch() {
    let run = run("cluster: {coordinators: apart}
brokers: 6
topics: {t: {count: 4, partitions: 5000}}
groups: {g: {count: 5, members: 4000, topics: all}}
history:
  - leave: {at: 300s, group: all, member: all, over: 1s}
strategies: [partition-count, topic-hash, group-hash]
");
    for strategy in ["partition-count", "topic-hash", "group-hash"] {
        assert_eq!(counts(&run, strategy).membership, 20_000, "{strategy}");
        assert_eq!(outcome(&run, strategy).groups_empty_end, 5, "{strategy}");
    }
}

#[test]
fn c40_one_created_topic_is_one_rebalance_for_a_hundred_pattern_members() {
    let run = run("cluster: {coordinators: apart}
brokers: 6
duration: 1100s
groups: {g: {members: 100, pattern: \"t.*\"}}
topics: {t-old: {}}
history:
  - create-topic: {at: 1000s, topic: t-new}
");
    for strategy in FOUR {
        assert_eq!(verdict(&run, strategy), (1, 0, 0), "{strategy}");
    }
}

#[test]
fn c41_a_stable_hash_survives_a_failover_of_one_coordinator_in_three() {
    let run = run("cluster: {coordinators: apart, offsets_partitions: 3}
brokers: 6
topics: {t: {count: 20}}
groups: {g: {count: 1000, topics: 3 of t}}
history:
  - move-coordinator: {at: 100s, shard: 1}
");
    for strategy in FOUR {
        assert_eq!(verdict(&run, strategy), (0, 0, 0), "{strategy}");
        let owned = lane(&run, strategy).groups.iter().filter(|g| g.shard == 1).count() as u64;
        assert!((250..420).contains(&owned));
        assert_eq!(outcome(&run, strategy).refreshes, owned, "{strategy}: its groups look, once");
    }
}
