//! The client's `sticky` and `cooperative-sticky`. With equal subscriptions exactly Kafka's constrained algorithm.
//! With unequal ones owned partitions stay, the rest goes to the least loaded, and it is evened out topic by topic:
//! Kafka's general algorithm has the same aims and can choose other partitions.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

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

pub(super) fn constrained(input: &Input) -> Vec<Vec<TopicPartition>> {
    let members = input.members().len();
    let mut out: Vec<Vec<TopicPartition>> = vec![Vec::new(); members];
    if members == 0 {
        return out;
    }
    let total = input.partitions().count();
    let (min, most_above) = (total / members, total % members);
    let max = total.div_ceil(members);
    let everybody: Vec<usize> = (0..members).collect();
    let racks = input.racks_matter(input.subscribed(0), &input.racks_of(&everybody));
    let mut taken: Vec<Vec<bool>> = input.topics().iter().map(|t| vec![false; t.partitions.len()]).collect();
    let (mut below, mut at_min, mut above) = (Line::of(input), Line::of(input), 0);
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
        let mut in_rack: BTreeMap<&str, usize> = BTreeMap::new();
        input.members().iter().filter_map(|m| m.rack.as_deref()).for_each(|r| *in_rack.entry(r).or_default() += 1);
        let near = |tp: &TopicPartition| -> usize {
            let racks: BTreeSet<&str> = input.place(*tp).racks.iter().map(String::as_str).collect();
            racks.into_iter().filter_map(|rack| in_rack.get(rack)).sum()
        };
        rest.sort_by_cached_key(near);
        rest.retain(|&tp| {
            if let Some(member) = below.pop_near(tp) {
                out[member].push(tp);
                let to = if out[member].len() < min { &mut below } else { &mut at_min };
                to.push_back(member);
                return false;
            }
            if above < most_above
                && let Some(member) = at_min.pop_near(tp)
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

/// Members that wait in a line, which can also be asked for the first in one of a partition's racks.
struct Line<'a> {
    input: &'a Input,
    /// By rack: the place in the line, and who.
    by_rack: BTreeMap<Option<&'a str>, VecDeque<(usize, usize)>>,
    next: usize,
}

impl<'a> Line<'a> {
    fn of(input: &'a Input) -> Line<'a> {
        Line { input, by_rack: BTreeMap::new(), next: 0 }
    }

    fn push_back(&mut self, member: usize) {
        let rack = self.input.members()[member].rack.as_deref();
        self.by_rack.entry(rack).or_default().push_back((self.next, member));
        self.next += 1;
    }

    fn pop_front(&mut self) -> Option<usize> {
        let fronts = self.by_rack.values_mut().filter(|line| !line.is_empty());
        fronts.min_by_key(|line| line[0])?.pop_front().map(|(_, member)| member)
    }

    fn pop_near(&mut self, tp: TopicPartition) -> Option<usize> {
        let racks = self.input.place(tp).racks.iter();
        let fronts = racks.filter_map(|rack| Some((*self.by_rack.get(&Some(rack.as_str()))?.front()?, rack)));
        let (_, rack) = fronts.min()?;
        self.by_rack.get_mut(&Some(rack.as_str()))?.pop_front().map(|(_, member)| member)
    }
}
