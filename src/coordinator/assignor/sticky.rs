//! The client's `sticky` and `cooperative-sticky`. With equal subscriptions exactly Kafka's constrained algorithm.
//! With unequal ones owned partitions stay, the rest goes to the least loaded, and it is evened out topic by topic:
//! Kafka's general algorithm has the same aims and can choose other partitions.

use std::collections::{BTreeMap, VecDeque};

use super::balance::fill_and_even;
use super::{Input, TopicPartition};

/// What happens to a partition that another member still owns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rebalance {
    /// It goes to its new owner at once.
    Eager,
    /// It is nobody's until a second rebalance.
    Cooperative,
}

pub(super) fn assign(input: &Input, rebalance: Rebalance) -> Vec<Vec<TopicPartition>> {
    let mut out = if input.unequal().is_some() { general(input) } else { constrained(input) };
    if rebalance == Rebalance::Cooperative {
        let mut before: BTreeMap<TopicPartition, usize> = BTreeMap::new();
        for member in 0..input.members().len() {
            before.extend(input.owned(member).iter().map(|&tp| (tp, member)));
        }
        for (member, own) in out.iter_mut().enumerate() {
            own.retain(|tp| before.get(tp).is_none_or(|&owner| owner == member));
        }
    }
    out
}

fn general(input: &Input) -> Vec<Vec<TopicPartition>> {
    let mut out: Vec<Vec<TopicPartition>> = (0..input.members().len()).map(|m| input.owned(m).to_vec()).collect();
    fill_and_even(input, &mut out);
    out
}

fn constrained(input: &Input) -> Vec<Vec<TopicPartition>> {
    let members = input.members().len();
    let mut out: Vec<Vec<TopicPartition>> = vec![Vec::new(); members];
    if members == 0 {
        return out;
    }
    let total = input.partitions().count();
    let (min, most_above) = (total / members, total % members);
    let max = total.div_ceil(members);
    let everybody: Vec<usize> = (0..members).collect();
    let racks = input.racks_matter(input.subscribed(0), &everybody);
    let mut taken: Vec<Vec<bool>> = input.topics().iter().map(|t| vec![false; t.partitions.len()]).collect();
    let (mut below, mut at_min, mut above) = (VecDeque::new(), VecDeque::new(), 0);
    for (member, kept) in out.iter_mut().enumerate() {
        let mut own: Vec<TopicPartition> =
            input.owned(member).iter().copied().filter(|&tp| !racks || input.local(member, tp)).collect();
        own.sort_by_key(|tp| (tp.partition, tp.topic));
        if own.len() < min {
            below.push_back(member);
        } else if own.len() >= max && above < most_above {
            own.truncate(max);
            above += 1;
        } else {
            own.truncate(min);
            at_min.push_back(member);
        }
        own.iter().for_each(|tp| taken[tp.topic][tp.partition] = true);
        *kept = own;
    }
    let mut rest: Vec<TopicPartition> = input.partitions().filter(|tp| !taken[tp.topic][tp.partition]).collect();
    if racks {
        let near = |tp: &TopicPartition| (0..members).filter(|&m| input.local(m, *tp)).count();
        rest.sort_by_cached_key(near);
        rest.retain(|&tp| {
            let find = |list: &VecDeque<usize>| list.iter().position(|&m| input.local(m, tp));
            if let Some(member) = find(&below).and_then(|place| below.remove(place)) {
                out[member].push(tp);
                let to = if out[member].len() < min { &mut below } else { &mut at_min };
                to.push_back(member);
                return false;
            }
            if above < most_above
                && let Some(member) = find(&at_min).and_then(|place| at_min.remove(place))
            {
                out[member].push(tp);
                above += 1;
                return false;
            }
            true
        });
    }
    for tp in rest {
        if let Some(member) = below.pop_front() {
            out[member].push(tp);
            let to = if out[member].len() < min { &mut below } else { &mut at_min };
            to.push_back(member);
        } else if let Some(member) = at_min.pop_front() {
            out[member].push(tp);
        }
    }
    out
}
