//! The client's `range` with KIP-881: where racks matter a first pass takes what is near, topics of equal size and
//! equal subscribers together (a partition goes only where it is near in all of them); then plain ranges for the rest. The
//! counts are those of plain range. Held against Kafka's own on random groups (docs/conformance.md).

use std::collections::BTreeMap;

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

    /// To each in turn what it has room for, of what `fits`.
    fn ranges(&mut self, fits: impl Fn(usize, usize) -> bool) {
        let mut open: Vec<usize> = (0..self.owner.len()).filter(|&p| self.owner[p].is_none()).collect();
        for taker in 0..self.takers.len() {
            let mut room = self.room(taker);
            let member = self.takers[taker];
            let mut given = Vec::new();
            open.retain(|&p| {
                let takes = room > 0 && fits(member, p);
                if takes {
                    room -= 1;
                    given.push(p);
                }
                !takes
            });
            given.into_iter().for_each(|p| self.give(p, taker));
            if open.is_empty() {
                break;
            }
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
    // one topic for which racks matter is enough to look at those of all
    let by_rack = alike.iter().any(|((takers, _), topics)| {
        let own = input.racks_of(takers);
        topics.iter().any(|&t| input.racks_matter(&[t], &own))
    });
    for ((takers, size), topics) in alike {
        let fresh = || Dealt {
            got: vec![0; takers.len()],
            quota: size / takers.len(),
            extras: size % takers.len(),
            owner: vec![None; size],
            takers: takers.clone(),
        };
        let mut dealt: Vec<Dealt> = topics.iter().map(|_| fresh()).collect();
        // to a member without a rack everything is near
        let near = |topic: usize, member: usize, partition: usize| {
            input.members()[member].rack.is_none() || input.local(member, TopicPartition { topic, partition })
        };
        let racked = takers.iter().any(|&m| input.members()[m].rack.is_some());
        if by_rack && racked && topics.len() > 1 {
            for partition in 0..size {
                let fits = |i: &usize| {
                    dealt.iter().all(|d| d.room(*i) > 0) && topics.iter().all(|&t| near(t, takers[*i], partition))
                };
                if let Some(taker) = (0..takers.len()).find(fits) {
                    dealt.iter_mut().for_each(|d| d.give(partition, taker));
                }
            }
        }
        for (d, &topic) in dealt.iter_mut().zip(&topics) {
            if topics.len() == 1 && input.racks_matter(&[topic], &input.racks_of(&takers)) {
                d.ranges(|member, partition| near(topic, member, partition));
            }
            d.ranges(|_, _| true);
            for (partition, owner) in d.owner.iter().enumerate() {
                if let Some(taker) = *owner {
                    out[takers[taker]].push(TopicPartition { topic, partition });
                }
            }
        }
    }
    out
}
