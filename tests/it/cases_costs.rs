//! Public reports of storms and of what they cost, as inputs with right answers.

use rebalance_sim::coordinator::{Holders, RecordType};
use rebalance_sim::metrics::{HeapMoment, RunOutcome};

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

/// Bytes of a strategy's holder at a moment.
fn held(run: &RunOutcome, strategy: &str, moment: HeapMoment) -> Holders {
    lane(run, strategy).heap.iter().find(|(m, _)| *m == moment).map(|(_, held)| *held).unwrap()
}

#[test]
fn c29_heap_is_told_by_holder_and_a_failover_brings_its_strings() {
    for (topics, partitions, racks, strings) in [(1, 2000, 654_400, 336_000), (20, 100, 629_760, 336_000)] {
        let run = run(&format!(
            "cluster: {{coordinators: apart, offsets_partitions: 1, racks: [us-east-1a, us-east-1b, us-east-1c]}}
duration: 1m
brokers: 6
topics: {{t: {{count: {topics}, partitions: {partitions}}}}}
groups: {{g: {{members: 500, topics: all}}}}
strategies: [full-metadata, partition-count, topic-hash, group-hash]
"
        ));
        for moment in [HeapMoment::Start, HeapMoment::Peak, HeapMoment::Final, HeapMoment::AfterFailover] {
            assert_eq!(held(&run, "full-metadata", moment).racks, racks);
            for strategy in ["partition-count", "topic-hash", "group-hash"] {
                assert_eq!(held(&run, strategy, moment).racks, 0, "{strategy}");
            }
        }
        // model E: three racks of 56 bytes a partition; measured 656,464 and 992,464 with what is around the racks
        let (before, after) =
            (held(&run, "full-metadata", HeapMoment::Final), held(&run, "full-metadata", HeapMoment::AfterFailover));
        assert_eq!((before.strings, after.strings), (0, strings));
        assert_eq!(after.total() - before.total(), strings);
        for lane in &run.lanes {
            let total = |moment| held(&run, &lane.strategy, moment).total();
            assert_eq!(total(HeapMoment::Final), lane.outcome.heap_bytes_final);
            assert_eq!(total(HeapMoment::Peak), lane.outcome.heap_bytes_peak);
            assert!(total(HeapMoment::Transient) >= total(HeapMoment::Peak));
        }
    }
}

#[test]
fn c29_a_real_failover_holds_what_the_column_after_a_failover_says() {
    let run = run("cluster: {coordinators: apart, offsets_partitions: 1}
duration: 5m
brokers: 6
topics: {t: {count: 20, partitions: 10}}
groups: {g: {count: 10, members: 3, topics: 5 of t}}
history: [{move-coordinator: {at: 60s, shard: all}}]
");
    for strategy in FOUR {
        let final_one = held(&run, strategy, HeapMoment::Final);
        assert_eq!(final_one, held(&run, strategy, HeapMoment::AfterFailover), "{strategy}");
    }
}

#[test]
fn c29_a_refresh_that_finds_nothing_builds_the_racks_once_more() {
    let run = run("cluster: {coordinators: apart, offsets_partitions: 1}
duration: 5m
brokers: 6
topics: {t: {partitions: 2000}}
groups: {g: {members: 1, topics: [t]}}
history: [{touch: {at: 60s, topic: t, partition: 0}}]
strategies: [full-metadata]
");
    let (peak, most) =
        (held(&run, "full-metadata", HeapMoment::Peak), held(&run, "full-metadata", HeapMoment::Transient));
    // without the wrappers of a stored one: 2,000 times 32 bytes less
    assert_eq!(most.racks - peak.racks, 654_400 - 64_000);
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
    // the map is what makes the difference: a hundred of them, and one that is live
    for (strategy, records) in [("full-metadata", 100), ("topic-hash", 100), ("group-hash", 0)] {
        let log = &lane(&run, strategy).log;
        assert_eq!(log.appended.of(RecordType::PartitionMetadata).records, records, "{strategy}");
        assert_eq!(log.live.of(RecordType::PartitionMetadata).records, records.min(1), "{strategy}");
        assert_eq!(log.appended.of(RecordType::GroupMetadata).records, 100, "{strategy}");
        let appended: u64 = RecordType::ALL.iter().map(|kind| log.appended.of(*kind).framed_bytes).sum();
        assert_eq!(appended + 100 * 61, outcome(&run, strategy).offsets_batch_bytes, "{strategy}");
    }
}

#[test]
fn c32_a_map_that_does_not_fit_into_a_record_is_named_with_its_size_and_limit() {
    let topic = |n: usize| format!("t23456789012345678901234-{n}");
    let yaml = format!(
        "cluster: {{coordinators: apart, offsets_partitions: 1, racks: [rack-a, rack-b, rack-c]}}
duration: 1m
brokers: 6
topics: {{{}: {{count: 2000, partitions: 20}}}}
groups: {{g: {{members: 500, topics: all}}}}
strategies: [full-metadata, topic-hash, group-hash]
",
        topic(0).trim_end_matches("-0")
    );
    let run = run(&yaml);
    // by the model's formula: names of "…-1" to "…-2000"
    let names: u64 = (1..=2000).map(|n| topic(n).len() as u64).sum();
    let value = 2 + 2 + 2000 * (16 + 1 + 4 + 1 + 1 + 20 * (4 + 1 + 3 * 7 + 1)) + names + 1;
    let map = lane(&run, "full-metadata").log.live.of(RecordType::PartitionMetadata);
    assert_eq!(map.bytes, 4 + 1 + value);
    let refused = lane(&run, "full-metadata").too_large.unwrap();
    assert_eq!((refused.record, refused.limit, refused.times), (RecordType::PartitionMetadata, 1_048_588, 1));
    assert!(refused.batch_bytes > map.framed_bytes && refused.batch_bytes < map.framed_bytes + 150);
    let hashes = lane(&run, "topic-hash").log.live.of(RecordType::PartitionMetadata).bytes;
    assert_eq!(hashes, 4 + 1 + 2 + 2 + 2000 * (16 + 1 + 4 + 1 + 11) + names + 1);
    let member = lane(&run, "group-hash").log.live.of(RecordType::MemberMetadata);
    assert!((50_000..70_000).contains(&(member.bytes / 500)), "{}", member.bytes / 500);
    for strategy in ["topic-hash", "group-hash"] {
        assert_eq!(lane(&run, strategy).too_large, None, "{strategy}");
    }
}

/// A hundred groups, one rebalance each a minute, for so many minutes.
fn minutes(minutes: u64) -> RunOutcome {
    run(&format!(
        "cluster: {{coordinators: apart}}
duration: {}s
brokers: 6
topics: {{t: {{count: 10, partitions: 6}}}}
groups: {{g: {{count: 100, members: 2, topics: all}}}}
history: [{{recreate-topic: {{every: 60s, times: {minutes}, topic: t-1}}}}]
strategies: [full-metadata, topic-hash, group-hash]
",
        minutes * 60 + 30
    ))
}

#[test]
fn c34_appended_bytes_grow_with_time_and_live_ones_with_keys() {
    let (short, long) = (minutes(20), minutes(60));
    let mut before: Option<(u64, u64)> = None;
    for strategy in ["full-metadata", "topic-hash", "group-hash"] {
        let appended = |run| outcome(run, strategy).offsets_log_bytes;
        let live = |run: &RunOutcome| {
            let log = &lane(run, strategy).log.live;
            RecordType::ALL.iter().map(|kind| log.of(*kind).bytes).sum::<u64>()
        };
        assert_eq!(outcome(&long, strategy).counts.rebalances(), 6_000, "{strategy}");
        assert_eq!(appended(&long), 3 * appended(&short), "{strategy}: linear in time");
        assert_eq!(live(&long), live(&short), "{strategy}: a matter of keys");
        if let Some(before) = before {
            assert!(appended(&long) < before.0 && live(&long) < before.1, "{strategy} takes less");
        }
        before = Some((appended(&long), live(&long)));
    }
}

#[test]
fn c35_groups_that_nobody_uses_any_more_go_with_their_retention() {
    // a new group every ten seconds for an hour, each living one minute
    let with = |retention: &str| {
        run(&format!(
            "cluster: {{coordinators: apart, retention: {retention}}}
duration: 1h
brokers: 6
topics: {{t: {{}}}}
groups: {{u: {{count: 360, members: 0, topics: [t]}}}}
history:
  - join: {{at: 0s, group: u-*, over: 1h, for: 60s}}
  - add-partitions: {{at: 3300s, topic: t, by: 1}}
strategies: [full-metadata, group-hash]
"
        ))
    };
    let (week, short) = (with("7d"), with("10m"));
    for strategy in ["full-metadata", "group-hash"] {
        let (o, s) = (outcome(&week, strategy), outcome(&short, strategy));
        assert_eq!((o.groups_end, o.groups_empty_end), (360, 354), "{strategy}");
        // ten minutes of groups, and up to ten more until somebody looks
        assert!((60..=126).contains(&s.groups_end), "{strategy}: {}", s.groups_end);
        assert!(s.heap_bytes_final < o.heap_bytes_final, "{strategy}");
        let keys = |run| lane(run, strategy).log.live.of(RecordType::GroupMetadata).records;
        assert_eq!((keys(&week), keys(&short)), (o.groups_end, s.groups_end), "{strategy}");
        // the change concerns those that live just then
        let told = o.counts.needed + o.counts.late;
        assert!((5..=7).contains(&told), "{strategy}: {told}");
    }
}

#[test]
fn c36_a_load_holds_what_is_live_and_one_interval_of_replaced_entries() {
    let run = run("cluster: {coordinators: apart, offsets_partitions: 1, load_time: auto}
brokers: 6
topics: {t: {count: 4, partitions: 6}}
groups: {g: {count: 200, members: 1, topics: all}}
history:
  - recreate-topic: {every: 10s, times: 120, topic: t-1}
  - move-coordinator: {at: 30m, shard: all}
duration: 31m
strategies: [full-metadata, group-hash]
");
    for (strategy, a_bump) in [("full-metadata", 2), ("group-hash", 1)] {
        let after = held(&run, strategy, HeapMoment::AfterFailover);
        let load = held(&run, strategy, HeapMoment::Load);
        let without = held(&run, strategy, HeapMoment::LoadWithoutSnapshots);
        // of each group an epoch, a member and perhaps a map; then its bumps
        let records = 200 * (1 + a_bump) + 200 * 120 * a_bump;
        assert_eq!(outcome(&run, strategy).counts.rebalances(), 24_000, "{strategy}");
        assert_eq!(without.snapshot, 32 * records, "{strategy}: as many as there are records");
        assert_eq!(load.snapshot, 32 * 16_384, "{strategy}: one interval");
        assert_eq!(load.total() - load.snapshot, after.total() - after.cache, "{strategy}: the rest is live");
        assert_eq!(verdict(&run, strategy), (24_000, 0, 0), "{strategy}: the load itself rebalances nobody");
    }
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
