//! Assignors written as plainly as can be, by looking through everybody for each partition: what the fast ones are held
//! against.

use std::collections::{BTreeMap, BTreeSet};

use super::{Input, Owner, TopicPartition};

/// Everybody's nearest first, the least loaded of them.
pub(super) fn rack_first(input: &Input) -> Vec<Vec<TopicPartition>> {
    let mut out: Vec<Vec<TopicPartition>> = vec![Vec::new(); input.members().len()];
    // members by rack and topic are looked through by load: a set ordered by it for each set of takers
    for topic in 0..input.topics().len() {
        let takers = input.subscribers(topic);
        let mut by_rack: BTreeMap<Option<&str>, BTreeSet<(usize, usize)>> = BTreeMap::new();
        for &m in takers {
            by_rack.entry(input.members()[m].rack.as_deref()).or_default().insert((out[m].len(), m));
        }
        for (partition, place) in input.topics()[topic].partitions.iter().enumerate() {
            let least = |rack: Option<&str>| by_rack.get(&rack).and_then(|set| set.first().copied());
            let local = place.racks.iter().filter_map(|rack| least(Some(rack.as_str()))).min();
            let any = || by_rack.values().filter_map(|set| set.first().copied()).min();
            let Some((load, member)) = local.or_else(any) else { continue };
            out[member].push(TopicPartition { topic, partition });
            if let Some(set) = by_rack.get_mut(&input.members()[member].rack.as_deref()) {
                set.remove(&(load, member));
                set.insert((load + 1, member));
            }
        }
    }
    out
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
