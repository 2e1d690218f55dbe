//! `rack-first`: locality before balance, as the test assignor of KAFKA-17747. Each partition goes to the least
//! loaded subscriber in a rack of its replicas; where there is none, to the least loaded of all.

use super::{Input, TopicPartition};

pub(super) fn assign(input: &Input) -> Vec<Vec<TopicPartition>> {
    let mut out: Vec<Vec<TopicPartition>> = vec![Vec::new(); input.members().len()];
    // members by rack and topic are looked through by load: a set ordered by it for each set of takers
    for topic in 0..input.topics().len() {
        let takers = input.subscribers(topic);
        let mut by_rack: std::collections::BTreeMap<Option<&str>, std::collections::BTreeSet<(usize, usize)>> =
            std::collections::BTreeMap::new();
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
