//! The server's `uniform`: balance before stickiness, racks unread.

use crate::kafka::java::{hash_map_order, string_hash, uuid_hash};

use super::{Input, TopicPartition, uniform_unequal};

pub(super) fn assign(input: &Input) -> Vec<Vec<TopicPartition>> {
    if input.unequal().is_some() { uniform_unequal::assign(input) } else { homogeneous(input) }
}

fn homogeneous(input: &Input) -> Vec<Vec<TopicPartition>> {
    let members = input.members().len();
    let mut out: Vec<Vec<TopicPartition>> = vec![Vec::new(); members];
    if members == 0 {
        return out;
    }
    let mut taken: Vec<Vec<bool>> = input.topics().iter().map(|t| vec![false; t.partitions.len()]).collect();
    (0..members).flat_map(|m| input.owned(m)).for_each(|tp| taken[tp.topic][tp.partition] = true);
    let total = input.partitions().count();
    let free = |topic: usize| {
        let open = taken[topic].iter().enumerate().filter(|(_, taken)| !**taken);
        open.map(move |(partition, _)| TopicPartition { topic, partition }).collect::<Vec<_>>()
    };
    let mut unassigned: Vec<TopicPartition> =
        topic_order(input, input.subscribed(0)).into_iter().flat_map(free).collect();
    let (least, mut extras) = (total / members, total % members);
    let mut unfilled: Vec<(usize, usize)> = Vec::new();
    for (done, member) in java_order(input).into_iter().enumerate() {
        let mut quota = least + usize::from(extras > 0);
        let own = walked(input, member);
        let kept = own.len().min(quota);
        out[member].extend(&own[..kept]);
        unassigned.extend(&own[kept..]);
        // an extra that would have to be fetched is left to those who may have one already (KAFKA-18688)
        if kept < quota && quota > least && members - done > extras {
            quota -= 1;
        }
        if quota > least {
            extras -= 1;
        }
        if kept < quota {
            unfilled.push((member, quota - kept));
        }
    }
    let mut rest = unassigned.into_iter();
    for (member, wants) in unfilled {
        out[member].extend(rest.by_ref().take(wants));
    }
    debug_assert!(rest.next().is_none(), "the quotas add up to all partitions");
    out
}

/// Members as the coordinator's `HashMap` by member id is walked.
pub(super) fn java_order(input: &Input) -> Vec<usize> {
    let hashes: Vec<i32> = input.members().iter().map(|m| string_hash(&m.id)).collect();
    hash_map_order(&hashes)
}

/// Topics as a `HashMap` by topic id is walked.
fn topic_order(input: &Input, topics: &[usize]) -> Vec<usize> {
    let hashes: Vec<i32> = topics.iter().map(|&t| uuid_hash(input.topics()[t].id)).collect();
    hash_map_order(&hashes).into_iter().map(|place| topics[place]).collect()
}

/// What a member owned, topic by topic in that order.
fn walked(input: &Input, member: usize) -> Vec<TopicPartition> {
    let own = input.owned(member);
    let mut topics: Vec<usize> = own.iter().map(|tp| tp.topic).collect();
    topics.dedup();
    let order = topic_order(input, &topics);
    order.into_iter().flat_map(|topic| own.iter().copied().filter(move |tp| tp.topic == topic)).collect()
}
