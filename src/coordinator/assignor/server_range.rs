//! The server's `range`: per topic, contiguous slices over the members, static ones first. Not sticky.

use super::{Input, TopicPartition};

pub(super) fn assign(input: &Input) -> Vec<Vec<TopicPartition>> {
    let mut out = vec![Vec::new(); input.members().len()];
    let rank = rank(input);
    for topic in 0..input.topics().len() {
        let mut takers = input.subscribers(topic).to_vec();
        takers.sort_by_key(|&m| rank[m]);
        for (&member, slice) in takers.iter().zip(slices(input.topics()[topic].partitions.len(), takers.len())) {
            out[member].extend(slice.map(|partition| TopicPartition { topic, partition }));
        }
    }
    out
}

/// The place of each member in Kafka's order.
pub(super) fn rank(input: &Input) -> Vec<usize> {
    let mut rank = vec![0; input.members().len()];
    for (place, &member) in input.ranked().iter().enumerate() {
        rank[member] = place;
    }
    rank
}

/// `0..partitions` in as many contiguous slices as there are takers; the first ones get one more.
pub(super) fn slices(partitions: usize, takers: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
    let (quota, extra) = (partitions / takers.max(1), partitions % takers.max(1));
    (0..takers).map(move |i| {
        let start = quota * i + i.min(extra);
        start..start + quota + usize::from(i < extra)
    })
}
