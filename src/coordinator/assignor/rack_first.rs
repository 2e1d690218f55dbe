//! `rack-first`: locality before balance, as the test assignor of KAFKA-17747. Each partition goes to the least
//! loaded subscriber in a rack of its replicas; where there is none, to the least loaded of all.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::{Input, TopicPartition};

/// Least loaded first, of equal ones the first.
type ByLoad = BinaryHeap<Reverse<(usize, usize)>>;

pub(super) fn assign(input: &Input) -> Vec<Vec<TopicPartition>> {
    let mut out: Vec<Vec<TopicPartition>> = vec![Vec::new(); input.members().len()];
    // racks by number, the last of those without one
    let mut numbers: BTreeMap<&str, usize> =
        input.members().iter().filter_map(|m| Some((m.rack.as_deref()?, 0))).collect();
    numbers.values_mut().zip(0..).for_each(|(number, n)| *number = n);
    let rackless = numbers.len();
    let rack_of = |rack: Option<&str>| rack.map_or(Some(rackless), |rack| numbers.get(rack).copied());
    let racks: Vec<usize> = input.members().iter().map(|m| rack_of(m.rack.as_deref()).unwrap_or(rackless)).collect();
    for topic in 0..input.topics().len() {
        let mut loads: Vec<Vec<Reverse<(usize, usize)>>> = vec![Vec::new(); rackless + 1];
        input.subscribers(topic).iter().for_each(|&m| loads[racks[m]].push(Reverse((out[m].len(), m))));
        let mut by_rack: Vec<ByLoad> = loads.into_iter().map(BinaryHeap::from).collect();
        for (partition, place) in input.topics()[topic].partitions.iter().enumerate() {
            let least = |rack: usize| by_rack[rack].peek().map(|Reverse(least)| (*least, rack));
            let local = place.racks.iter().filter_map(|rack| least(rack_of(Some(rack.as_str()))?)).min();
            let any = || (0..=rackless).filter_map(least).min();
            let Some(((load, member), rack)) = local.or_else(any) else { continue };
            out[member].push(TopicPartition { topic, partition });
            by_rack[rack].pop();
            by_rack[rack].push(Reverse((load + 1, member)));
        }
    }
    out
}
