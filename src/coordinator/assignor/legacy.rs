//! The assignors of the ZooKeeper era. They deal to threads (`num.streams`), ordered by the *string*
//! `consumer-thread`: C1-10 comes before C1-2.

use crate::kafka::java::string_hash;

use super::server_range::slices;
use super::{AssignError, Input, Owner, TopicPartition};

/// The threads of the group in order of their ids, each with nothing.
pub(super) fn threads(input: &Input) -> Vec<Owner> {
    let mut named: Vec<(String, Owner)> = Vec::new();
    for (member, m) in input.members().iter().enumerate() {
        // as many as the topic with most of them has
        let of_topic = |topic: &usize| input.threads(member, *topic);
        let most = if m.threads_of.is_empty() { None } else { input.subscribed(member).iter().map(of_topic).max() };
        let most = most.unwrap_or(m.threads);
        for thread in 0..most {
            named.push((format!("{}-{thread}", m.id), Owner { member, thread: Some(thread), partitions: Vec::new() }));
        }
    }
    named.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.member.cmp(&b.1.member)));
    named.into_iter().map(|(_, owner)| owner).collect()
}

/// Which of the threads read the topic.
pub(super) fn takers(input: &Input, threads: &[Owner], topic: usize) -> Vec<usize> {
    let mut streams = vec![0; input.members().len()];
    input.subscribers(topic).iter().for_each(|&m| streams[m] = input.threads(m, topic));
    let reads = |i: &usize| threads[*i].thread.unwrap_or(0) < streams[threads[*i].member];
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
