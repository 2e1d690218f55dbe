//! The heap formulas against objects of Kafka's own classes, measured in a JVM by JOL (`conformance/measure.sh`).

use rebalance_sim::kafka::heap::{RackSets, hash_cache, partition_racks, timeline_map, timeline_set, topic_index};
use rebalance_sim::kafka::java::string_hash;

const MEASURED: &str = include_str!("../vectors/heap-sizes.txt");

fn codes(kind: &str, count: u64) -> Vec<i32> {
    (0..count).map(|i| string_hash(&format!("{kind}-{i}"))).collect()
}

fn by_formula(kind: &str, n: u64, m: u64) -> u64 {
    let racks = |sets| partition_racks((0..n).map(|_| m), sets);
    match kind {
        "timeline-map" => timeline_map(codes("topic", n).into_iter()),
        "hash-cache" => hash_cache(n),
        "topic-index" => {
            let set = timeline_set(codes("group", m).into_iter());
            topic_index(codes("topic", n).into_iter(), (0..n).map(|_| set))
        }
        "racks-retained" => racks(RackSets::Retained),
        "racks-bare" => racks(RackSets::Bare),
        other => panic!("no formula for {other}"),
    }
}

#[test]
fn formulas_give_what_kafka_s_objects_take_at_six_sizes_of_each_kind() {
    let mut of_kind = std::collections::BTreeMap::new();
    for line in MEASURED.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |i: usize| words[i].parse::<u64>().unwrap();
        assert_eq!(by_formula(words[0], number(1), number(2)), number(3), "{line}");
        *of_kind.entry(words[0]).or_insert(0) += 1;
    }
    assert_eq!(of_kind.values().copied().collect::<Vec<i32>>(), [6; 5]);
}
