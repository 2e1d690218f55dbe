//! Tests only: what the strategies do with the events of the model's tables (A.8, B.3, B.4, K.4).

use crate::kafka::{BrokerId, MetadataImage, NameTable, RackId, Registration, TopicId, TopicImage, Uuid};
use crate::scenario::{HashKind, RackReading, StrategyKind, StrategySpec, Unregistered};

use super::fixture::{Bench, GROUP, touched, with};
use super::registry::make;
use super::{ChangedTopic, GroupView, Stored, StoredMap, View, Why};

/// Brokers 0:r0 1:r1 2:r2 3:r0; a on 0 and 1, b on 0 and 2, as in the model's B.4.
pub(super) const RACKS: [u32; 4] = [0, 1, 2, 0];
pub(super) const TOPICS: [&[&[u32]]; 2] = [&[&[0, 1]], &[&[0, 2]]];

pub(super) fn plain(kind: StrategyKind) -> StrategySpec {
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
    assert_eq!((verdict.value, verdict.epoch_extra), (Some(Stored::Hash(0)), 0));
}

#[test]
fn the_published_hashes_come_out_of_an_image() {
    // T1 of the vectors: name foo, id (1, 2), racks [rack0, rack1] and [rack1, rack2]
    let names = NameTable::new(&["foo".to_owned()], &["rack0", "rack1", "rack2"].map(String::from));
    let partitions = [[1, 0], [2, 1]].map(|replicas| replicas.into_iter().map(BrokerId).collect()).to_vec();
    let id = Uuid { msb: 1, lsb: 2 };
    let brokers = (0..3).map(|rack| Some(Registration { rack: Some(RackId(rack)) })).collect();
    let image = MetadataImage { topics: vec![Some(TopicImage { id, partitions })], brokers };
    let view = View { image: &image, image_no: 0, names: &names, values: None };
    let group = GroupView { group: GROUP, topics: &[TopicId(0)] };
    let fresh = |hash| make(&with(StrategyKind::GroupHash, |switches| switches.hash = hash)).fresh(&group, &view);
    assert_eq!(fresh(HashKind::Xxh3), Stored::Hash((-4_362_481_169_458_002_491i64).cast_unsigned()));
    assert_eq!(fresh(HashKind::Murmur3), Stored::Hash(1_116_153_573_773_234_873));
    let spec = with(StrategyKind::TopicHash, |switches| switches.hash = HashKind::KipDraft);
    let hash = (-5_663_832_403_181_018_381i64).cast_unsigned();
    let map = Stored::Map(Box::new([StoredMap::Hash { topic: TopicId(0), hash }]));
    assert_eq!(make(&spec).fresh(&group, &view), map);
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
fn what_kafka_4_0_left_differs_by_racks_and_hashes_only() {
    let differs = |kind, racked: bool| {
        let mut bench = Bench::standing(&plain(kind), &RACKS, &TOPICS);
        if !racked {
            bench.image.brokers.iter_mut().for_each(|b| b.as_mut().unwrap().rack = None);
            bench.delta(&[touched(0), touched(1)]);
        }
        let view = View { image: &bench.image, image_no: 0, names: &bench.names, values: None };
        let group = GroupView { group: GROUP, topics: &bench.topics };
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
