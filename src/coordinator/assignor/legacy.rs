//! The assignors of the ZooKeeper era. They deal to threads (`num.streams`), ordered by the *string*
//! `consumer-thread`: C1-10 comes before C1-2.

use crate::kafka::java::string_hash;

use super::server_range::slices;
use super::{AssignError, Input, Owner, TopicPartition};

/// The threads of the group in order of their ids, each with nothing.
pub(super) fn threads(input: &Input) -> Vec<Owner> {
    let mut named: Vec<(String, Owner)> = Vec::new();
    for (member, m) in input.members().iter().enumerate() {
        let most = input.subscribed(member).iter().map(|&topic| input.threads(member, topic)).max();
        for thread in 0..most.unwrap_or(m.threads) {
            named.push((format!("{}-{thread}", m.id), Owner { member, thread: Some(thread), partitions: Vec::new() }));
        }
    }
    named.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.member.cmp(&b.1.member)));
    named.into_iter().map(|(_, owner)| owner).collect()
}

/// Which of the threads read the topic.
pub(super) fn takers(input: &Input, threads: &[Owner], topic: usize) -> Vec<usize> {
    let reads = |i: &usize| {
        let Owner { member, thread, .. } = threads[*i];
        input.subscribed(member).binary_search(&topic).is_ok()
            && thread.is_none_or(|thread| thread < input.threads(member, topic))
    };
    (0..threads.len()).filter(reads).collect()
}

/// Per topic, contiguous slices over the threads.
pub(super) fn range(input: &Input) -> Vec<Owner> {
    let mut out = threads(input);
    for topic in 0..input.topics().len() {
        let takers = takers(input, &out, topic);
        for (&taker, slice) in takers.iter().zip(slices(input.topics()[topic].partitions.len(), takers.len())) {
            out[taker].partitions.extend(slice.map(|partition| TopicPartition { topic, partition }));
        }
    }
    out
}

/// All partitions by Java's hash of `[topic,partition]`, dealt around the threads.
pub(super) fn round_robin(input: &Input) -> Result<Vec<Owner>, AssignError> {
    input.demand_equal("legacy-round-robin")?;
    input.demand_equal_threads("legacy-round-robin")?;
    let mut out = threads(input);
    let hash = |tp: TopicPartition| string_hash(&format!("[{},{}]", input.topics()[tp.topic].name, tp.partition));
    let mut dealt: Vec<(i32, TopicPartition)> = input.partitions().map(|tp| (hash(tp), tp)).collect();
    dealt.sort_unstable();
    let ring = out.len();
    for (i, (_, tp)) in dealt.into_iter().enumerate() {
        out[i % ring].partitions.push(tp);
    }
    out.iter_mut().for_each(|owner| owner.partitions.sort_unstable());
    Ok(out)
}
