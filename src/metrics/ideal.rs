//! The ideal (model: K.5): the rebalances of a lane that compares truths at every accepted heartbeat,
//! membership apart. The same in every lane, so it is counted once for a history.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::coordinator::Subscribers;
use crate::kafka::{GroupId, MemberId};
use crate::sim::Ms;
use crate::world::{Happening, Heartbeats, History, Rounds, Step};

use super::value_lines::{Span, ValueLines};
use super::{ImageNo, Reading, Readings, Told, Touched};

/// Counts the ideal rebalances at or after `warmup`: group by group where nobody comes, goes or subscribes to something
/// else, and in order of time the others.
#[must_use]
pub fn ideal(history: &History, heartbeats: &Heartbeats<'_>, readings: &Readings, warmup: Ms) -> u64 {
    let mut moves = vec![false; history.groups.len()];
    for event in &history.events {
        if let Some(member) = moved(event.what) {
            moves[history.members[member.index()].group.index()] = true;
        }
    }
    let mut alone = Alone::new(history, heartbeats, readings, warmup);
    let still = (0..moves.len()).filter(|group| !moves[*group]).map(|group| alone.count(GroupId::at(group)));
    let still: u64 = still.sum();
    if !moves.contains(&true) {
        return still;
    }
    still + in_order(history, heartbeats, readings, warmup, &|group| moves[group.index()])
}

/// The same of all groups in order of time, which [`ideal`] must agree with.
#[must_use]
pub fn ideal_in_order(history: &History, heartbeats: &Heartbeats<'_>, readings: &Readings, warmup: Ms) -> u64 {
    in_order(history, heartbeats, readings, warmup, &|_| true)
}

/// Who comes, goes, or changes what the group subscribes to.
const fn moved(what: Happening) -> Option<MemberId> {
    match what {
        Happening::Join(m)
        | Happening::Leave(m)
        | Happening::Expire(m)
        | Happening::Back(m)
        | Happening::Subscribe(m, _) => Some(m),
        Happening::Delta(_)
        | Happening::ShardDown(_)
        | Happening::ShardUp { .. }
        | Happening::Silent(_)
        | Happening::Away(_)
        | Happening::GroupGone(_) => None,
    }
}

/// Groups one after the other: of each only its topics' values and its heartbeats matter. Whatever its shard misses
/// while it is down it has caught up with at the next heartbeat that it accepts.
struct Alone<'a> {
    history: &'a History,
    heartbeats: &'a Heartbeats<'a>,
    with_racks: &'a ValueLines,
    without_racks: &'a ValueLines,
    warmup: Ms,
    topics: Vec<Followed<'a>>,
}

/// A topic of the group that is being counted.
struct Followed<'a> {
    told: u32,
    now: u32,
    /// Its values to come.
    rest: &'a [Span],
}

impl<'a> Alone<'a> {
    fn new(history: &'a History, heartbeats: &'a Heartbeats<'a>, readings: &'a Readings, warmup: Ms) -> Alone<'a> {
        Alone {
            history,
            heartbeats,
            with_racks: readings.lines(Reading::TRUTH),
            without_racks: readings.lines(Reading::TRUTH_WITHOUT_RACKS),
            warmup,
            topics: Vec::new(),
        }
    }

    fn count(&mut self, group: GroupId) -> u64 {
        let history = self.history;
        let spec = &history.groups[group.index()];
        let lines = if spec.rack_aware { self.with_racks } else { self.without_racks };
        let mut subscribers = Subscribers::default();
        let first = spec.first_member.index();
        let members = (first..first + spec.members as usize).map(|member| &history.members[member]);
        members.filter(|m| m.standing).for_each(|m| subscribers.add(m.subscription));
        self.topics.clear();
        for topic in subscribers.topics(&history.subscriptions, &history.patterns) {
            let (start, rest) = lines.line(topic).split_first().expect("a line begins at image 0");
            self.topics.push(Followed { told: start.value, now: start.value, rest });
        }
        let (mut count, mut rounds) = (0, Rounds::of(self.heartbeats, group));
        while let Some(image) = self.topics.iter().filter_map(|t| t.rest.first()).map(|span| span.from).min() {
            let Some(at) = rounds.next(arrival(history, image)) else { break };
            self.catch_up(at);
            if self.topics.iter().any(|t| t.now != t.told) {
                self.topics.iter_mut().for_each(|t| t.told = t.now);
                count += u64::from(at >= self.warmup);
            }
        }
        count
    }

    /// Every topic has the value of an instant.
    fn catch_up(&mut self, at: Ms) {
        let history = self.history;
        for topic in &mut self.topics {
            while let Some((span, rest)) = topic.rest.split_first() {
                if arrival(history, span.from) > at {
                    break;
                }
                (topic.now, topic.rest) = (span.value, rest);
            }
        }
    }
}

/// When an image but the first is there.
fn arrival(history: &History, image: ImageNo) -> Ms {
    history.deltas[image as usize - 1].at
}

/// Those groups that `counts` says, in order of time.
fn in_order(
    history: &History,
    heartbeats: &Heartbeats<'_>,
    readings: &Readings,
    warmup: Ms,
    counts: &dyn Fn(GroupId) -> bool,
) -> u64 {
    let told = Told::new(history, readings);
    let mut lane = Ideal { history, heartbeats, told, due: BinaryHeap::new(), count: 0, warmup, counts };
    let mut touched = Vec::new();
    for event in &history.events {
        lane.run_until(event.at, event.step == Step::Heartbeat);
        lane.happen(event.what, event.at, &mut touched);
    }
    lane.run_until(history.duration, false);
    lane.count
}

struct Ideal<'a> {
    history: &'a History,
    heartbeats: &'a Heartbeats<'a>,
    told: Told<'a>,
    /// The first accepted heartbeat of a group that is stale.
    due: BinaryHeap<Reverse<(Ms, GroupId)>>,
    count: u64,
    warmup: Ms,
    counts: &'a dyn Fn(GroupId) -> bool,
}

impl Ideal<'_> {
    /// Plain heartbeats before `at` (and at it, if `through`) find their groups stale and tell them.
    fn run_until(&mut self, at: Ms, through: bool) {
        while let Some(&Reverse((due, group))) = self.due.peek() {
            if due > at || (due == at && !through) {
                return;
            }
            self.due.pop();
            self.tell(group, due, true);
        }
    }

    fn happen(&mut self, what: Happening, at: Ms, touched: &mut Vec<Touched>) {
        match what {
            Happening::Delta(_) => self.told.on_image(touched),
            Happening::ShardDown(shard) => self.told.on_shard_down(shard),
            Happening::ShardUp { shard, .. } => self.told.on_shard_up(shard, touched),
            Happening::Join(member) => {
                let group = self.history.members[member.index()].group;
                self.told.member_in(member);
                self.joined(group, member, at);
            }
            Happening::Subscribe(member, to) => {
                let group = self.history.members[member.index()].group;
                self.told.resubscribe(member, to);
                self.tell(group, at, false);
            }
            Happening::Leave(member) | Happening::Expire(member) => {
                let group = self.history.members[member.index()].group;
                self.told.member_out(member);
                self.tell(group, at, false);
            }
            Happening::Back(member) => self.tell(self.history.members[member.index()].group, at, true),
            Happening::Silent(_) | Happening::Away(_) | Happening::GroupGone(_) => {}
        }
        for t in touched.drain(..) {
            if (self.counts)(t.group)
                && self.told.is_stale(t.group)
                && let Some(beat) = self.heartbeats.next_plain(t.group, at, None)
            {
                self.due.push(Reverse((beat.at, t.group)));
            }
        }
    }

    /// A join rebalances (membership) if it brings names; one that brings only a pattern is a heartbeat like any other.
    fn joined(&mut self, group: GroupId, member: MemberId, at: Ms) {
        let subscription = &self.history.subscriptions[self.history.members[member.index()].subscription.index()];
        self.tell(group, at, subscription.names.is_empty());
    }

    fn tell(&mut self, group: GroupId, at: Ms, counted: bool) {
        if counted && self.told.is_stale(group) && at >= self.warmup && (self.counts)(group) {
            self.count += 1;
        }
        self.told.tell(group);
    }
}
