//! The client's `range` with KIP-881: where racks matter a first pass takes what is local, topics of equal size and
//! equal subscribers together; then plain ranges for the rest. The counts are those of plain range.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::server_range::rank;
use super::{Input, TopicPartition};

/// A topic being dealt.
struct Dealt {
    takers: Vec<usize>,
    got: Vec<usize>,
    quota: usize,
    extras: usize,
    owner: Vec<Option<usize>>,
}

impl Dealt {
    fn room(&self, taker: usize) -> usize {
        (self.quota + usize::from(self.extras > 0)).saturating_sub(self.got[taker])
    }

    fn give(&mut self, partition: usize, taker: usize) {
        self.owner[partition] = Some(taker);
        self.got[taker] += 1;
        if self.got[taker] > self.quota {
            self.extras -= 1;
        }
    }

    /// To each in turn the first that it has room for.
    fn ranges(&mut self) {
        let open: Vec<usize> = (0..self.owner.len()).filter(|&p| self.owner[p].is_none()).collect();
        let mut open = open.into_iter();
        for taker in 0..self.takers.len() {
            for partition in open.by_ref().take(self.room(taker)).collect::<Vec<_>>() {
                self.give(partition, taker);
            }
            if open.len() == 0 {
                break;
            }
        }
    }

    /// To each in turn the first in its own rack that it has room for.
    fn local_ranges(&mut self, input: &Input, topic: usize) {
        let places = &input.topics()[topic].partitions;
        let mut open: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
        for partition in (0..self.owner.len()).filter(|&p| self.owner[p].is_none()) {
            places[partition].racks.iter().for_each(|rack| {
                open.entry(rack).or_default().insert(partition);
            });
        }
        for taker in 0..self.takers.len() {
            let Some(rack) = input.members()[self.takers[taker]].rack.as_deref() else { continue };
            for _ in 0..self.room(taker) {
                let Some(&partition) = open.get(rack).and_then(BTreeSet::first) else { break };
                places[partition].racks.iter().for_each(|rack| {
                    if let Some(set) = open.get_mut(rack.as_str()) {
                        set.remove(&partition);
                    }
                });
                self.give(partition, taker);
            }
        }
    }
}

/// What is in one rack in all of the topics goes to the first taker there that has room in all of them.
fn together(input: &Input, topics: &[usize], takers: &[usize], dealt: &mut [Dealt]) {
    let mut by_rack: BTreeMap<&str, VecDeque<usize>> = BTreeMap::new();
    for (place, &taker) in takers.iter().enumerate() {
        if let Some(rack) = &input.members()[taker].rack {
            by_rack.entry(rack).or_default().push_back(place);
        }
    }
    for partition in 0..dealt.first().map_or(0, |d| d.owner.len()) {
        let in_all = |rack: &&str| {
            topics.iter().all(|&t| input.topics()[t].partitions[partition].racks.iter().any(|other| other == rack))
        };
        let mut first: Option<usize> = None;
        for rack in by_rack.keys().copied().filter(in_all).collect::<Vec<_>>() {
            let Some(line) = by_rack.get_mut(rack) else { continue };
            // room never comes back
            while line.front().is_some_and(|&place| dealt.iter().any(|d| d.room(place) == 0)) {
                line.pop_front();
            }
            first = [first, line.front().copied()].into_iter().flatten().min();
        }
        if let Some(taker) = first {
            dealt.iter_mut().for_each(|d| d.give(partition, taker));
        }
    }
}

pub(super) fn assign(input: &Input) -> Vec<Vec<TopicPartition>> {
    let rank = rank(input);
    let mut alike: BTreeMap<(Vec<usize>, usize), Vec<usize>> = BTreeMap::new();
    for (topic, t) in input.topics().iter().enumerate().filter(|(t, _)| !input.subscribers(*t).is_empty()) {
        let mut takers = input.subscribers(topic).to_vec();
        takers.sort_by_key(|&m| rank[m]);
        alike.entry((takers, t.partitions.len())).or_default().push(topic);
    }
    let mut out = vec![Vec::new(); input.members().len()];
    for ((takers, size), topics) in alike {
        let fresh = || Dealt {
            got: vec![0; takers.len()],
            quota: size / takers.len(),
            extras: size % takers.len(),
            owner: vec![None; size],
            takers: takers.clone(),
        };
        let mut dealt: Vec<Dealt> = topics.iter().map(|_| fresh()).collect();
        let own = input.racks_of(&takers);
        let racked: Vec<bool> = topics.iter().map(|&t| input.racks_matter(&[t], &own)).collect();
        if topics.len() > 1 && racked.contains(&true) {
            together(input, &topics, &takers, &mut dealt);
        }
        for ((d, &topic), racked) in dealt.iter_mut().zip(&topics).zip(racked) {
            if racked {
                d.local_ranges(input, topic);
            }
            d.ranges();
            for (partition, owner) in d.owner.iter().enumerate() {
                if let Some(taker) = *owner {
                    out[takers[taker]].push(TopicPartition { topic, partition });
                }
            }
        }
    }
    out
}
