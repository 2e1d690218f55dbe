//! Tests only: what the strategies do with the events of the model's tables (B.3, B.4, K.1).

use crate::kafka::TopicId;
use crate::scenario::{Cache, FlagReading, HashKind, Order, RackReading, Rehash, StrategyKind, Trigger, Unregistered};

use super::fixture::{Bench, GROUP, touched, with};
use super::{ChangedTopic, Stored, StoredMap, Why, Work};

/// Brokers 0:r0 1:r1 2:r2 3:r0; a on 0 and 1, b on 0 and 2, as in the model's B.4.
const RACKS: [u32; 4] = [0, 1, 2, 0];
const TOPICS: [&[&[u32]]; 2] = [&[&[0, 1]], &[&[0, 2]]];

fn plain(kind: StrategyKind) -> crate::scenario::StrategySpec {
    with(kind, |_| {})
}

#[test]
fn kafka_4_1_answers_as_its_own_classes_did() {
    let spec = plain(StrategyKind::GroupHash);
    let mut bench = Bench::standing(&spec, &RACKS, &TOPICS);
    let original = bench.stored.clone();
    // fencing, or shrinking the ISR: a may have a delta, its replicas are the same
    bench.delta(&[touched(0)]);
    assert!(!bench.heartbeat());
    // broker 0 registers anew with another rack: no topic delta, so the cached hash hides it
    bench.rack(0, 5);
    assert!(!bench.heartbeat());
    assert_ne!(bench.fresh(&spec), bench.stored);
    // the ISR expansions come topic by topic, and each bumps
    bench.delta(&[touched(0)]);
    assert!(bench.heartbeat());
    assert_ne!(bench.fresh(&spec), bench.stored);
    bench.delta(&[touched(1)]);
    assert!(bench.heartbeat());
    assert_eq!(bench.fresh(&spec), bench.stored);
    bench.rack(0, 0);
    bench.delta(&[touched(0), touched(1)]);
    assert!(bench.heartbeat());
    assert_eq!(bench.stored, original);
    // within a rack: the multiset grows and shrinks again
    bench.reassign(0, 0, &[0, 1, 3]);
    bench.delta(&[touched(0)]);
    assert!(bench.heartbeat());
    bench.reassign(0, 0, &[1, 3]);
    bench.delta(&[touched(0)]);
    assert!(bench.heartbeat());
    assert_eq!(bench.stored, original);
    // an unregistered broker is not seen before the topic's next delta
    bench.image.brokers[3] = None;
    assert!(!bench.heartbeat());
    assert_ne!(bench.fresh(&spec), bench.stored);
    // another id
    bench.create(TopicId(0), 99, &[&[0, 1]]);
    bench.delta(&[touched(0)]);
    assert!(bench.heartbeat());
    // no topic left: 0, and no tagged field
    bench.image.topics = vec![None, None];
    bench.delta(&[touched(0), touched(1)]);
    let verdict = bench.look(Why::Heartbeat).unwrap();
    assert!(verdict.differs);
    assert_eq!((verdict.value, verdict.epoch_extra), (Stored::Hash(0), 0));
}

#[test]
fn replica_order_is_no_change_to_anybody() {
    for kind in StrategyKind::ALL {
        let mut bench = Bench::standing(&plain(kind), &RACKS, &TOPICS);
        bench.reassign(0, 0, &[1, 0]);
        bench.delta(&[touched(0)]);
        assert!(!bench.heartbeat(), "{kind:?}");
    }
}

#[test]
fn sets_do_not_see_what_moves_inside_a_rack_and_counts_see_no_rack_at_all() {
    // a replica from broker 0 to broker 3 of the same rack, with both at once in between; then out of the rack
    let bumps = |spec| {
        let mut bench = Bench::standing(&spec, &RACKS, &TOPICS);
        [[0, 1, 3].as_slice(), &[1, 3], &[1, 2]].map(|replicas| {
            bench.reassign(0, 0, replicas);
            bench.delta(&[touched(0)]);
            bench.heartbeat()
        })
    };
    let multiset = |kind| with(kind, |s| s.racks = RackReading::Multiset);
    let ignored = |kind| with(kind, |s| s.racks = RackReading::Ignored);
    for kind in [StrategyKind::FullMetadata, StrategyKind::TopicHash, StrategyKind::GroupHashUncached] {
        assert_eq!(bumps(plain(kind)), [false, false, true], "{kind:?}");
        assert_eq!(bumps(multiset(kind)), [true, true, true], "{kind:?}");
        assert_eq!(bumps(ignored(kind)), [false; 3], "{kind:?}");
    }
    assert_eq!(bumps(plain(StrategyKind::PartitionCount)), [false; 3]);
}

#[test]
fn draft_000_misses_a_swap_that_others_see() {
    let swap = |hash| {
        let spec = with(StrategyKind::TopicHash, |s| s.hash = hash);
        let mut bench = Bench::standing(&spec, &RACKS, &[&[&[0, 1], &[0, 2]]]);
        bench.reassign(0, 0, &[0, 2]);
        bench.reassign(0, 1, &[0, 1]);
        bench.delta(&[touched(0)]);
        bench.heartbeat()
    };
    assert_eq!([HashKind::KipDraft, HashKind::Murmur3, HashKind::Xxh3].map(swap), [false, true, true]);
}

#[test]
fn an_unregistered_replica_fails_or_is_left_out() {
    for kind in [StrategyKind::FullMetadata, StrategyKind::TopicHash, StrategyKind::GroupHash] {
        for (unregistered, fails) in [(Unregistered::Fail, true), (Unregistered::Skip, false)] {
            let spec = with(kind, |s| s.unregistered = unregistered);
            let mut bench = Bench::standing(&spec, &RACKS, &TOPICS);
            bench.image.brokers[2] = None;
            bench.delta(&[touched(0), touched(1)]);
            let found = bench.look(Why::Heartbeat);
            assert_eq!(found.is_err(), fails, "{kind:?}");
            // a was done before b failed, and stays done
            assert_eq!(bench.work.partitions_read, if fails { 1 } else { 2 });
            assert_eq!(bench.work.entries_compared > 0, !fails);
            if fails && kind != StrategyKind::FullMetadata {
                assert_eq!((bench.work.topics_hashed, bench.work.cache_misses), (1, 1));
                assert_eq!(bench.strategy.cached_topics(), 1);
                bench.look(Why::Heartbeat).unwrap_err();
                assert_eq!((bench.work.topics_hashed, bench.work.cache_hits), (1, 1));
            }
        }
    }
}

#[test]
fn work_is_counted_by_the_formulas() {
    let work = |kind| {
        let mut bench = Bench::standing(&plain(kind), &RACKS, &[&[&[0, 1], &[1, 2]], &[&[0, 2]]]);
        bench.delta(&[touched(0)]);
        bench.heartbeat();
        bench.work
    };
    let full = work(StrategyKind::FullMetadata);
    assert_eq!(full, Work { entries_compared: 2 + 3, partitions_read: 3, ..Work::default() });
    let count = work(StrategyKind::PartitionCount);
    assert_eq!(count, Work { entries_compared: 2, ..Work::default() });
    // topic a: 1 + 16 + (2 + 4) + 4 + 2 · (4 + 2 · (8 + 4)) bytes; a group: 8 a topic
    let a = 27 + 2 * 28;
    let topic = work(StrategyKind::TopicHash);
    let one = Work { topics_hashed: 1, cache_hits: 1, cache_misses: 1, partitions_read: 2, ..Work::default() };
    assert_eq!(topic, Work { bytes_hashed: a, hash_calls: 1, entries_compared: 2, ..one });
    let group = work(StrategyKind::GroupHash);
    assert_eq!(group, Work { bytes_hashed: a + 16, hash_calls: 2, entries_compared: 1, ..one });
    let uncached = work(StrategyKind::GroupHashUncached);
    let b = 27 + 28;
    let both = Work { topics_hashed: 2, partitions_read: 3, entries_compared: 1, ..Work::default() };
    assert_eq!(uncached, Work { bytes_hashed: a + b + 16, hash_calls: 3, ..both });
    assert_eq!(work(StrategyKind::DeltaFlag), Work::default());
}

#[test]
fn hashing_all_on_a_bump_ends_the_split_of_one_change() {
    let spec = with(StrategyKind::GroupHash, |s| s.rehash = Rehash::AllOnBump);
    let mut bench = Bench::standing(&spec, &RACKS, &TOPICS);
    bench.rack(0, 5);
    bench.delta(&[touched(0)]);
    assert!(bench.heartbeat());
    // a was missed, b was hit; then both again, neither hit nor miss
    assert_eq!((bench.work.topics_hashed, bench.work.cache_hits, bench.work.cache_misses), (3, 1, 1));
    assert_eq!(bench.fresh(&spec), bench.stored);
    bench.delta(&[touched(1)]);
    assert!(!bench.heartbeat());
}

#[test]
fn a_fresh_value_that_equals_the_stored_one_still_bumps() {
    for kind in [StrategyKind::GroupHash, StrategyKind::TopicHash] {
        let mut spec = with(kind, |s| s.cache = Cache::NeverEvicted);
        let mut bench = Bench::standing(&spec, &RACKS, &TOPICS);
        let original = bench.stored.clone();
        // the cache holds the first racks for ever; what is stored is that of the second
        bench.rack(0, 5);
        spec.switches.rehash = Rehash::AllOnBump;
        bench.strategy = super::registry::make(&spec);
        bench.stored = bench.fresh(&spec);
        assert_ne!(bench.stored, original);
        bench.rack(0, 0);
        assert_eq!(bench.look(Why::Heartbeat).unwrap().value, original);
        bench.rack(0, 5);
        bench.stored = bench.fresh(&spec);
        let verdict = bench.look(Why::Heartbeat).unwrap();
        assert!(verdict.differs && verdict.fresh_equal, "{kind:?}");
        assert_eq!(verdict.value, bench.stored);
        assert_eq!(verdict.records.metadata, None);
        assert!(!bench.look(Why::Heartbeat).unwrap().differs);
    }
}

#[test]
fn a_cluster_delta_marks_and_drops_only_where_it_is_asked_for() {
    for (trigger, marks) in [(Trigger::TopicDelta, 0), (Trigger::ClusterDelta, 1)] {
        for kind in [StrategyKind::FullMetadata, StrategyKind::TopicHash, StrategyKind::GroupHash] {
            let mut bench = Bench::standing(&with(kind, |s| s.trigger = trigger), &RACKS, &TOPICS);
            bench.rack(1, 5);
            assert_eq!(bench.delta(&[ChangedTopic { cluster_only: true, ..touched(0) }]), marks);
            let sees = trigger == Trigger::ClusterDelta || kind == StrategyKind::FullMetadata;
            assert_eq!(bench.heartbeat(), sees, "{kind:?} {trigger:?}");
        }
    }
}

#[test]
fn the_flag_is_set_by_what_a_delta_looks_like() {
    let new = ChangedTopic { new_partitions: true, replicas_differ: true, ..touched(0) };
    let adding = ChangedTopic { reassigning: true, ..touched(0) };
    let done = ChangedTopic { replicas_differ: true, ..touched(0) };
    let deleted = ChangedTopic { deleted: true, ..touched(0) };
    let racked = ChangedTopic { cluster_only: true, ..touched(0) };
    let table = [
        (FlagReading::AddingRemoving, [true, true, false, false, false, false]),
        (FlagReading::ReplicasDiffer, [true, false, true, false, false, false]),
    ];
    for (reading, sets) in table {
        let spec = with(StrategyKind::DeltaFlag, |s| s.flag = reading);
        let flagged = [new, adding, done, touched(0), deleted, racked].map(|changed| {
            let mut bench = Bench::standing(&spec, &RACKS, &TOPICS);
            assert_eq!(bench.delta(&[changed]) > 0, { bench.heartbeat() });
            let mut bench = Bench::standing(&spec, &RACKS, &TOPICS);
            bench.delta(&[changed]);
            bench.heartbeat()
        });
        assert_eq!(flagged, sets, "{reading:?}");
    }
}

#[test]
fn a_heartbeat_clears_the_flag_and_a_leave_does_not() {
    let mut bench = Bench::standing(&plain(StrategyKind::DeltaFlag), &RACKS, &TOPICS);
    let new = ChangedTopic { new_partitions: true, ..touched(0) };
    let mut differs = |whys: &[Why]| {
        bench.delta(&[new]);
        whys.iter().map(|&why| bench.look(why).unwrap().differs).collect::<Vec<_>>()
    };
    assert_eq!(
        differs(&[Why::MemberGone, Why::PatternResolved, Why::Heartbeat, Why::Heartbeat]),
        [false, false, true, false]
    );
    assert_eq!(differs(&[Why::MemberChange, Why::Heartbeat]), [true, false]);
    bench.delta(&[new]);
    bench.strategy.forget(GROUP);
    assert!(!bench.heartbeat());
}

#[test]
fn what_kafka_4_0_left_differs_by_racks_and_hashes_only() {
    let differs = |kind, racked: bool| {
        let mut bench = Bench::standing(&plain(kind), &RACKS, &TOPICS);
        if !racked {
            bench.image.brokers.iter_mut().for_each(|b| b.as_mut().unwrap().rack = None);
            bench.delta(&[touched(0), touched(1)]);
        }
        let view = super::View { image: &bench.image, image_no: 0, names: &bench.names };
        let group = super::GroupView { group: GROUP, name_bytes: 7, topics: &bench.topics };
        let left = bench.strategy.absent(&group, &view);
        [left, Stored::Absent].map(|stored| {
            bench.stored = stored;
            bench.look(Why::Heartbeat).unwrap().differs
        })
    };
    assert_eq!(differs(StrategyKind::FullMetadata, true), [true; 2]);
    assert_eq!(differs(StrategyKind::FullMetadata, false), [false; 2]);
    assert_eq!(differs(StrategyKind::PartitionCount, true), [false; 2]);
    for kind in [StrategyKind::TopicHash, StrategyKind::GroupHash, StrategyKind::GroupHashUncached] {
        assert_eq!(differs(kind, false), [true; 2], "{kind:?}");
    }
    assert_eq!(differs(StrategyKind::DeltaFlag, true), [false; 2]);
}

#[test]
fn a_map_of_one_release_is_read_by_another() {
    let standing = |kind| Bench::standing(&plain(kind), &RACKS, &TOPICS);
    let (mut full, mut count, mut hash) = (
        standing(StrategyKind::FullMetadata),
        standing(StrategyKind::PartitionCount),
        standing(StrategyKind::GroupHash),
    );
    let with_racks = std::mem::replace(&mut full.stored, count.stored.clone());
    // 3.9 finds 4.0's map and misses the racks; 4.0 finds 3.9's and ignores them
    assert!(full.heartbeat());
    count.stored = with_racks.clone();
    assert!(!count.heartbeat());
    count.create(TopicId(1), 2, &[&[0, 2], &[0, 2]]);
    assert!(count.heartbeat());
    // a hash is no map, and a map no hash
    full.stored = hash.stored.clone();
    assert!(full.heartbeat());
    hash.stored = with_racks;
    assert!(hash.heartbeat());
}

#[test]
fn a_topic_without_its_id_is_the_same_when_recreated() {
    for kind in StrategyKind::ALL.into_iter().filter(|kind| *kind != StrategyKind::DeltaFlag) {
        for include in [true, false] {
            let mut bench = Bench::standing(&with(kind, |s| s.include_topic_id = include), &RACKS, &TOPICS);
            bench.create(TopicId(0), 99, TOPICS[0]);
            bench.delta(&[touched(0)]);
            assert_eq!(bench.heartbeat(), include, "{kind:?}");
        }
    }
}

#[test]
fn a_group_hash_by_id_takes_its_topics_in_another_order() {
    let by = |order| with(StrategyKind::GroupHash, |s| s.order = order);
    let mut bench = Bench::standing(&by(Order::Name), &RACKS, &TOPICS);
    assert_eq!(bench.fresh(&by(Order::Id)), bench.stored);
    // a's id is now the greater one
    bench.create(TopicId(0), 99, TOPICS[0]);
    assert_ne!(bench.fresh(&by(Order::Id)), bench.fresh(&by(Order::Name)));
}

#[test]
fn only_the_records_of_a_difference_are_written() {
    let size = |kind| {
        let mut bench = Bench::standing(&plain(kind), &RACKS, &TOPICS);
        assert_eq!(bench.look(Why::MemberChange).unwrap().records.metadata, None);
        bench.stored = Stored::Map(Box::default());
        let verdict = bench.look(Why::MemberChange).unwrap();
        (verdict.records.metadata, verdict.epoch_extra)
    };
    // prefix 2, array 1, per topic 16 + 2 + 4 and its racks, tags 1
    assert_eq!(size(StrategyKind::FullMetadata), (Some(2 + 1 + 2 * (22 + 1 + (4 + 1 + 2 * 3 + 1) + 1) + 1), 0));
    assert_eq!(size(StrategyKind::PartitionCount), (Some(2 + 1 + 2 * (22 + 1 + 1) + 1), 0));
    assert_eq!(size(StrategyKind::TopicHash), (Some(2 + 1 + 2 * (22 + 1 + 11) + 1), 0));
    assert_eq!(size(StrategyKind::GroupHash), (None, 10));
    assert_eq!(size(StrategyKind::DeltaFlag), (None, 0));
}

#[test]
fn topics_that_do_not_exist_are_left_out() {
    for kind in StrategyKind::ALL {
        let mut bench = Bench::standing(&plain(kind), &RACKS, &[TOPICS[0], TOPICS[1], TOPICS[0]]);
        bench.image.topics[1] = None;
        bench.delta(&[ChangedTopic { deleted: true, ..touched(1) }]);
        assert_eq!(bench.heartbeat(), kind != StrategyKind::DeltaFlag, "{kind:?}");
        if let Stored::Map(map) = &bench.stored {
            let topics = map.iter().map(|entry| match entry {
                StoredMap::Full { topic, .. } | StoredMap::Count { topic, .. } | StoredMap::Hash { topic, .. } => {
                    topic.0
                }
            });
            assert!(topics.eq([0, 2]), "{kind:?}");
        }
    }
}
