//! The ideal (model: K.5): the rebalances of a lane that compares truths at every accepted heartbeat,
//! membership apart. The same in every lane, so it is counted once for a history.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::kafka::GroupId;
use crate::sim::Ms;
use crate::world::{Happening, Heartbeats, History, Step};

use super::{Readings, Told, Touched};

/// Counts the ideal rebalances at or after `warmup`.
#[must_use]
pub fn ideal(history: &History, heartbeats: &Heartbeats<'_>, readings: &Readings, warmup: Ms) -> u64 {
    let mut lane =
        Ideal { history, heartbeats, told: Told::new(history, readings), due: BinaryHeap::new(), count: 0, warmup };
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
            if self.told.is_stale(t.group)
                && let Some(beat) = self.heartbeats.next_plain(t.group, at, None)
            {
                self.due.push(Reverse((beat.at, t.group)));
            }
        }
    }

    /// A join rebalances (membership) if it brings names; one that brings only a pattern is a heartbeat like any other.
    fn joined(&mut self, group: GroupId, member: crate::kafka::MemberId, at: Ms) {
        let subscription = &self.history.subscriptions[self.history.members[member.index()].subscription.index()];
        self.tell(group, at, subscription.names.is_empty());
    }

    fn tell(&mut self, group: GroupId, at: Ms, counted: bool) {
        if counted && self.told.is_stale(group) && at >= self.warmup {
            self.count += 1;
        }
        self.told.tell(group);
    }
}
