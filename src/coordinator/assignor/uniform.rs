//! The server's `uniform`: balance before stickiness, racks unread.

use crate::kafka::java::string_hash;

use super::balance::fill_and_even;
use super::{Input, TopicPartition};

pub(super) fn assign(input: &Input) -> Vec<Vec<TopicPartition>> {
    if input.unequal().is_some() { heterogeneous(input) } else { homogeneous(input) }
}

fn heterogeneous(input: &Input) -> Vec<Vec<TopicPartition>> {
    let mut out: Vec<Vec<TopicPartition>> = (0..input.members().len()).map(|m| input.owned(m).to_vec()).collect();
    fill_and_even(input, &mut out);
    out
}

fn homogeneous(input: &Input) -> Vec<Vec<TopicPartition>> {
    let members = input.members().len();
    let mut out: Vec<Vec<TopicPartition>> = vec![Vec::new(); members];
    if members == 0 {
        return out;
    }
    let mut taken: Vec<Vec<bool>> = input.topics().iter().map(|t| vec![false; t.partitions.len()]).collect();
    (0..members).flat_map(|m| input.owned(m)).for_each(|tp| taken[tp.topic][tp.partition] = true);
    let mut unassigned: Vec<TopicPartition> = input.partitions().filter(|tp| !taken[tp.topic][tp.partition]).collect();
    let total = input.partitions().count();
    let (least, mut extras) = (total / members, total % members);
    let mut unfilled: Vec<(usize, usize)> = Vec::new();
    for (done, member) in java_order(input).into_iter().enumerate() {
        let mut quota = least + usize::from(extras > 0);
        let own = input.owned(member);
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

/// Members as a Java `HashMap` by member id is walked: by bucket, and by id within one.
fn java_order(input: &Input) -> Vec<usize> {
    let members = input.members();
    let mut buckets: u32 = 16;
    while u64::from(buckets) * 3 < members.len() as u64 * 4 {
        buckets *= 2;
    }
    let bucket = |m: usize| {
        let hash = string_hash(&members[m].id).cast_unsigned();
        (hash ^ (hash >> 16)) & (buckets - 1)
    };
    let mut order: Vec<usize> = (0..members.len()).collect();
    order.sort_by_cached_key(|&m| (bucket(m), m));
    order
}
