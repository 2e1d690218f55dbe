//! The client's `round-robin`: all partitions by topic and number, dealt around the ring of members; who does not
//! subscribe is passed over.

use super::{Input, TopicPartition};

pub(super) fn assign(input: &Input) -> Vec<Vec<TopicPartition>> {
    let mut out = vec![Vec::new(); input.members().len()];
    let ring = input.ranked();
    let mut next = 0;
    for tp in input.partitions() {
        // ends: `partitions` gives only topics that somebody subscribes to
        while input.subscribed(ring[next]).binary_search(&tp.topic).is_err() {
            next = (next + 1) % ring.len();
        }
        out[ring[next]].push(tp);
        next = (next + 1) % ring.len();
    }
    out
}
