//! Assignors written as plainly as can be, by looking through everybody for each partition: what the fast ones are held
//! against.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::server_range::rank;
use super::{Input, Owner, TopicPartition};

/// Sticky with equal subscriptions.
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

pub(super) fn client_range(input: &Input) -> Vec<Vec<TopicPartition>> {
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
        let racked: Vec<bool> = topics.iter().map(|&t| input.racks_matter(&[t], &input.racks_of(&takers))).collect();
        let local =
            |topic: usize, member: usize, partition: usize| input.local(member, TopicPartition { topic, partition });
        if topics.len() > 1 && racked.contains(&true) {
            for partition in 0..size {
                let fits = |i: &usize| {
                    dealt.iter().all(|d| d.room(*i) > 0) && topics.iter().all(|&t| local(t, takers[*i], partition))
                };
                if let Some(taker) = (0..takers.len()).find(fits) {
                    dealt.iter_mut().for_each(|d| d.give(partition, taker));
                }
            }
        }
        for ((d, &topic), racked) in dealt.iter_mut().zip(&topics).zip(racked) {
            if racked {
                d.ranges(|member, partition| local(topic, member, partition));
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
