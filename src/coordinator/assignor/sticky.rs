//! The client's `sticky` and `cooperative-sticky`; here Kafka's algorithm for members that all subscribe to the same, and
//! what the cooperative one holds back.

use std::collections::{BTreeMap, VecDeque};

use super::uniform::java_order;
use super::{Input, TopicPartition, sticky_unequal};

/// What happens to a partition that another member still owns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rebalance {
    /// It goes to its new owner at once.
    Eager,
    /// It is nobody's until a second rebalance.
    Cooperative,
}

pub(super) fn assign(input: &Input, rebalance: Rebalance) -> Vec<Vec<TopicPartition>> {
    let equal = input.unequal().is_none();
    let mut out = if equal { constrained(input) } else { sticky_unequal::assign(input) };
    match rebalance {
        Rebalance::Eager => {}
        Rebalance::Cooperative if equal => hold_back_owned(input, &mut out),
        Rebalance::Cooperative => hold_back_claimed(input, &mut out),
    }
    out
}

/// Takes out what another owned, and what two claim: both have to give it up first.
fn hold_back_owned(input: &Input, out: &mut [Vec<TopicPartition>]) {
    let mut before: BTreeMap<TopicPartition, usize> = BTreeMap::new();
    for member in 0..input.members().len() {
        before.extend(input.owned(member).iter().map(|&tp| (tp, member)));
    }
    for (member, own) in out.iter_mut().enumerate() {
        own.retain(|tp| before.get(tp).is_none_or(|&owner| owner == member) && !input.is_disputed(*tp));
    }
}

/// Takes out what others say they own, however old their word, and the new owner does not.
fn hold_back_claimed(input: &Input, out: &mut [Vec<TopicPartition>]) {
    let mut claimed: BTreeMap<TopicPartition, Vec<usize>> = BTreeMap::new();
    input.claims().for_each(|(member, tp)| claimed.entry(tp).or_default().push(member));
    for (member, own) in out.iter_mut().enumerate() {
        own.retain(|tp| claimed.get(tp).is_none_or(|who| who.contains(&member)));
    }
}

/// Members that may get more, by id.
struct Unfilled {
    /// Below the lesser quota.
    below: Vec<usize>,
    /// At the lesser quota, and may get one more.
    at_min: VecDeque<usize>,
    /// Members above it, and how many there may be.
    above: usize,
    most_above: usize,
    min: usize,
    max: usize,
}

fn constrained(input: &Input) -> Vec<Vec<TopicPartition>> {
    let members = input.members().len();
    let mut out: Vec<Vec<TopicPartition>> = vec![Vec::new(); members];
    if members == 0 {
        return out;
    }
    let total = input.partitions().count();
    let (min, max, most_above) = (total / members, total.div_ceil(members), total % members);
    let everybody: Vec<usize> = (0..members).collect();
    let racks = input.racks_matter(input.subscribed(0), &input.racks_of(&everybody));
    let far = |m: usize, tp: TopicPartition| racks && input.members()[m].rack.is_some() && !input.local(m, tp);
    let mut taken: Vec<Vec<bool>> = input.topics().iter().map(|t| vec![false; t.partitions.len()]).collect();
    let mut open = Unfilled { below: Vec::new(), at_min: VecDeque::new(), above: 0, most_above, min, max };
    for member in java_order(input) {
        let mut own: Vec<TopicPartition> = input.owned(member).iter().copied().filter(|&tp| !far(member, tp)).collect();
        own.sort_by_key(|tp| (tp.partition, tp.topic));
        own.truncate(open.keeps(member, own.len()));
        own.iter().for_each(|tp| taken[tp.topic][tp.partition] = true);
        out[member] = own;
    }
    open.below.sort_unstable();
    open.at_min.make_contiguous().sort_unstable();
    let mut rest: Vec<TopicPartition> = input.partitions().filter(|tp| !taken[tp.topic][tp.partition]).collect();
    if input.members().iter().any(|m| m.rack.is_some()) {
        // fewest takers first, whether or not racks matter
        let near = |tp: &TopicPartition| (0..members).filter(|&m| input.local(m, *tp)).count();
        rest.sort_by_cached_key(near);
    }
    if racks {
        let mut next = 0;
        rest.retain(|&tp| match open.near(&mut next, &out, |m| input.local(m, tp)) {
            Some(member) => {
                out[member].push(tp);
                false
            }
            None => true,
        });
    }
    let mut next = 0;
    for tp in rest {
        if let Some(member) = open.in_turn(&mut next, &out) {
            out[member].push(tp);
        }
    }
    out
}

impl Unfilled {
    /// How many of its own a member keeps, and where it goes.
    fn keeps(&mut self, member: usize, own: usize) -> usize {
        if own < self.min {
            self.below.push(member);
            own
        } else if own >= self.max && self.above < self.most_above {
            self.above += 1;
            if self.above == self.most_above {
                self.at_min.clear();
            }
            self.max
        } else {
            if self.above < self.most_above {
                self.at_min.push_back(member);
            }
            self.min
        }
    }

    /// Who gets one more of those for whom it is near: the next one below in turn, else the first at the quota.
    fn near(
        &mut self,
        next: &mut usize,
        out: &[Vec<TopicPartition>],
        is_near: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let count = self.below.len();
        let found = (0..count).map(|i| (*next + i) % count).find(|&place| is_near(self.below[place]));
        if let Some(place) = found {
            let member = self.below[place];
            let mut after = place + 1;
            if out[member].len() + 1 >= self.min {
                self.below.remove(place);
                after = place;
                if out[member].len() + 1 < self.max {
                    self.at_min.push_back(member);
                }
            }
            *next = if self.below.is_empty() { 0 } else { after % self.below.len() };
            return Some(member);
        }
        if self.above >= self.most_above {
            return None;
        }
        let place = self.at_min.iter().position(|&m| is_near(m))?;
        self.above += 1;
        self.at_min.remove(place)
    }

    /// Who gets one more: those below around and around, then those at the quota.
    fn in_turn(&mut self, next: &mut usize, out: &[Vec<TopicPartition>]) -> Option<usize> {
        if self.below.is_empty() {
            return self.at_min.pop_front();
        }
        let place = if *next < self.below.len() { *next } else { 0 };
        let member = self.below[place];
        *next = place + 1;
        if out[member].len() + 1 == self.min {
            self.below.remove(place);
            self.at_min.push_back(member);
            *next = place;
        }
        Some(member)
    }
}
