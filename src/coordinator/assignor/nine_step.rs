//! The "consumer rebalancing algorithm" of Kafka's old documentation in nine steps: a topic's partitions sorted by
//! broker, so that those of one broker lie together; N = size(P) / size(C); consumer i takes i·N to (i + 1)·N − 1.
//! The text does not say what becomes of a remainder. N is rounded up here: rounded down, the last partitions
//! would have no owner. So the last consumers can get less, or nothing.

use super::legacy::{takers, threads};
use super::{Input, Owner, TopicPartition};

pub(super) fn assign(input: &Input) -> Vec<Owner> {
    let mut out = threads(input);
    for (topic, t) in input.topics().iter().enumerate() {
        let takers = takers(input, &out, topic);
        if takers.is_empty() {
            continue;
        }
        let mut order: Vec<usize> = (0..t.partitions.len()).collect();
        order.sort_by_key(|&p| (t.partitions[p].leader, p));
        let n = order.len().div_ceil(takers.len()).max(1);
        for (&taker, slice) in takers.iter().zip(order.chunks(n)) {
            out[taker].partitions.extend(slice.iter().map(|&partition| TopicPartition { topic, partition }));
        }
    }
    out.iter_mut().for_each(|owner| owner.partitions.sort_unstable());
    out
}
