//! Tests only: when two images are the same to a strategy. Each is held, over random images, against a plain
//! statement of what it looks at (model: A.8, B.1, C.1), made from the image without any code of a strategy.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::fixture::{Bench, touched, with};
use crate::kafka::hash::kip_draft::uuid_hash_code;
use crate::kafka::{TopicId, TopicImage};
use crate::scenario::{HashKind, RackReading, StrategyKind, StrategySpec};

/// Topics by the replicas of their partitions, racks by broker.
type World = (Vec<Option<Vec<Vec<u32>>>>, Vec<u32>);

fn worlds() -> impl Strategy<Value = [World; 2]> {
    let replicas = prop::collection::vec(0u32..4, 1..4);
    let topic = prop::option::weighted(0.9, prop::collection::vec(replicas, 1..3));
    let world = (prop::collection::vec(topic, 2), prop::collection::vec(0u32..3, 4));
    // often only a little differs, or replicas change their order, or racks of brokers their places
    (world.clone(), world, any::<[bool; 4]>()).prop_map(|(a, b, keep)| {
        let mut second = b;
        if keep[0] {
            second.0[0].clone_from(&a.0[0]);
        }
        if keep[1] {
            second.0[1].clone_from(&a.0[1]);
        }
        if keep[2] {
            second.1.clone_from(&a.1);
        }
        if keep[3] {
            second = a.clone();
            second.0.iter_mut().flatten().flatten().for_each(|replicas| replicas.reverse());
            second.0.iter_mut().flatten().for_each(|partitions| partitions.reverse());
        }
        [a, second]
    })
}

/// The group stands in the first world; does the strategy find a difference in the second, all topics having had
/// a delta?
fn differs(spec: &StrategySpec, worlds: &[World; 2]) -> bool {
    let borrowed: Vec<Vec<&[u32]>> = vec![vec![&[0]]; 2];
    let borrowed: Vec<&[&[u32]]> = borrowed.iter().map(Vec::as_slice).collect();
    let mut bench = Bench::standing(spec, &worlds[0].1, &borrowed);
    let mut found = worlds.iter().map(|(topics, racks)| {
        for (topic, partitions) in topics.iter().enumerate() {
            match partitions {
                None => bench.image.topics[topic] = None,
                Some(partitions) => {
                    let partitions: Vec<&[u32]> = partitions.iter().map(Vec::as_slice).collect();
                    bench.create(TopicId::at(topic), 1 + topic as u64, &partitions);
                }
            }
        }
        racks.iter().enumerate().for_each(|(broker, &rack)| bench.rack(broker, rack));
        bench.delta(&[touched(0), touched(1)]);
        bench.heartbeat()
    });
    found.next();
    found.next() == Some(true)
}

/// What the plain statements see of a world.
fn seen<T: PartialEq>(worlds: &[World; 2], of: impl Fn(&[Vec<u32>]) -> T) -> bool {
    let value = |(topics, racks): &World| -> Vec<Option<T>> {
        let racks_of = |replicas: &Vec<u32>| replicas.iter().map(|&b| racks[b as usize]).collect();
        topics.iter().map(|t| t.as_ref().map(|t| of(&t.iter().map(racks_of).collect::<Vec<Vec<u32>>>()))).collect()
    };
    value(&worlds[0]) != value(&worlds[1])
}

fn sets(partitions: &[Vec<u32>]) -> Vec<BTreeSet<u32>> {
    partitions.iter().map(|racks| racks.iter().copied().collect()).collect()
}

fn multisets(partitions: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut all = partitions.to_vec();
    all.iter_mut().for_each(|racks| racks.sort_unstable());
    all
}

/// Draft 000's class: the count, and how many partitions have each rack.
fn per_rack(partitions: &[Vec<u32>]) -> (usize, BTreeMap<u32, u32>) {
    let mut counts = BTreeMap::new();
    for rack in sets(partitions).into_iter().flatten() {
        *counts.entry(rack).or_default() += 1;
    }
    (partitions.len(), counts)
}

proptest! {
    #[test]
    fn every_strategy_looks_at_what_it_says_and_at_nothing_else(worlds in worlds()) {
        use StrategyKind::{FullMetadata, GroupHash, GroupHashUncached, PartitionCount, TopicHash};
        for kind in [FullMetadata, TopicHash, GroupHash, GroupHashUncached] {
            let reads = |racks| with(kind, |switches| switches.racks = racks);
            prop_assert_eq!(differs(&reads(RackReading::Set), &worlds), seen(&worlds, sets), "{:?}", kind);
            prop_assert_eq!(differs(&reads(RackReading::Multiset), &worlds), seen(&worlds, multisets), "{:?}", kind);
            prop_assert_eq!(differs(&reads(RackReading::Ignored), &worlds), seen(&worlds, <[_]>::len), "{:?}", kind);
        }
        let count = with(PartitionCount, |_| {});
        prop_assert_eq!(differs(&count, &worlds), seen(&worlds, <[_]>::len));
        for kind in [TopicHash, GroupHash, GroupHashUncached] {
            let draft = with(kind, |switches| (switches.hash, switches.racks) = (HashKind::KipDraft, RackReading::Set));
            prop_assert_eq!(differs(&draft, &worlds), seen(&worlds, per_rack), "{:?}", kind);
        }
    }
}

#[test]
fn draft_000_takes_two_ids_of_one_hash_code_for_the_same() {
    let spec = with(StrategyKind::TopicHash, |switches| switches.hash = HashKind::KipDraft);
    let mut bench = Bench::standing(&spec, &[0, 1], &[&[&[0, 1]]]);
    let TopicImage { id, .. } = bench.image.topics[0].clone().unwrap();
    for (twin, bumps) in [((id.lsb, id.msb), false), ((id.msb, id.lsb ^ 1), true)] {
        let image = bench.image.topics[0].as_mut().unwrap();
        (image.id.msb, image.id.lsb) = twin;
        assert_eq!(uuid_hash_code(image.id) != uuid_hash_code(id), bumps);
        bench.delta(&[touched(0)]);
        assert_eq!(bench.heartbeat(), bumps);
    }
}
