//! Tests only: what each switch changes (model: K.1), and the work that is counted (K.6).

use crate::kafka::TopicId;
use crate::scenario::{Cache, FlagReading, Order, Rehash, StrategyKind, Trigger};

use super::behaviour::{RACKS, TOPICS, plain};
use super::fixture::{Bench, GROUP, touched, with};
use super::{ChangedTopic, Why, Work};

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
    // what a member causes stores a value, too, whether or not it differs
    bench.work = Work::default();
    bench.look(Why::MemberGone).unwrap();
    assert_eq!((bench.work.topics_hashed, bench.work.cache_hits, bench.work.cache_misses), (2, 2, 0));
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
        assert_eq!(bench.look(Why::Heartbeat).unwrap().value, Some(original));
        bench.rack(0, 5);
        bench.stored = bench.fresh(&spec);
        let verdict = bench.look(Why::Heartbeat).unwrap();
        assert!(verdict.differs && verdict.fresh_equal, "{kind:?}");
        assert_eq!(verdict.value.as_ref(), Some(&bench.stored));
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
fn a_cached_hash_remembers_the_image_that_it_was_taken_from() {
    let spec = plain(StrategyKind::GroupHash);
    let mut bench = Bench::standing(&spec, &RACKS, &TOPICS);
    let from = |bench: &Bench| [0, 1].map(|topic| bench.strategy.read_from(TopicId(topic), bench.image_no));
    assert_eq!(from(&bench), [0, 0]);
    bench.delta(&[touched(0)]);
    // dropped, and taken from the newest if it is asked for
    assert_eq!(from(&bench), [1, 0]);
    bench.heartbeat();
    bench.delta(&[]);
    assert_eq!((bench.image_no, from(&bench)), (3, [2, 0]));
    let full = Bench::standing(&plain(StrategyKind::FullMetadata), &RACKS, &TOPICS);
    assert_eq!(full.strategy.read_from(TopicId(0), 9), 9);
}
