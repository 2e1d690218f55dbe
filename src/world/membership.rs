//! What members do: join, leave, go away and come back, change their subscription, die. Whatever meets a shard
//! that does not answer is refused; but for a leave, the member's next heartbeat carries it (model: K.4).

use crate::kafka::{EntryIndex, MemberId, SubscriptionId};
use crate::sim::Ms;

use super::groups::{Act, Groups, Next};
use super::history::{Happening, Presence, RefusedOperation, Step};
use super::roster::Doing;

/// Records that each operation puts in a shard's log, as the history alone counts them for `load_time: auto`:
/// the member's own record (or its three tombstones) and the group's epoch.
const JOIN_RECORDS: u64 = 2;
const LEAVE_RECORDS: u64 = 4;
const SUBSCRIBE_RECORDS: u64 = 2;
const AWAY_RECORDS: u64 = 1;

impl Groups<'_> {
    /// A slot's application starts: it joins under a new id.
    pub(super) fn join(&mut self, at: Ms, slot: u32, step: Step, entry: Option<EntryIndex>) {
        self.begin(slot, Doing::Joining);
        self.roster.new_record(slot);
        self.try_to_join(at, slot, step, entry);
    }

    fn try_to_join(&mut self, at: Ms, slot: u32, step: Step, entry: Option<EntryIndex>) {
        let state = &self.roster.slots[slot as usize];
        let (group, number) = (state.group, state.record.expect("it has an id"));
        let id = MemberId(number);
        let shard = self.roster.groups[group.index()].shard;
        if !self.shards.is_up(shard) {
            return self.refuse(at, slot, entry);
        }
        self.shards.write(shard, JOIN_RECORDS);
        self.roster.slots[slot as usize].doing = Doing::Heartbeating;
        let record = &mut self.roster.records[number as usize];
        record.inside = true;
        self.heard(at, slot);
        let group = &mut self.roster.groups[group.index()];
        group.members += 1;
        group.empty_since = None;
        self.tell(at, step, entry, Happening::Join(id));
    }

    /// An operation that is a heartbeat of its own meets a shard that does not answer: the next one, an interval
    /// later, carries it.
    fn refuse(&mut self, at: Ms, slot: u32, entry: Option<EntryIndex>) {
        let state = &self.roster.slots[slot as usize];
        let member = MemberId(state.record.expect("it has an id"));
        self.refused.push(RefusedOperation { at, member, heartbeat: true });
        let next = at.after(self.roster.groups[state.group.index()].heartbeat);
        let act = Act::GoOn { slot, turn: state.turn, what: Next::Carry(state.carried), entry };
        self.plan_for(next, Step::Heartbeat, entry, act);
    }

    /// An accepted heartbeat that is none of the plain ones; these follow at every interval from it.
    fn heard(&mut self, at: Ms, slot: u32) {
        let state = &self.roster.slots[slot as usize];
        let interval = self.roster.groups[state.group.index()].heartbeat;
        let record = &mut self.roster.records[state.record.expect("it has an id") as usize];
        (record.heard, record.first) = (at, at.after(interval));
    }

    /// A slot begins to do something else: what it had planned is void.
    pub(super) fn begin(&mut self, slot: u32, doing: Doing) {
        let state = &mut self.roster.slots[slot as usize];
        state.doing = doing;
        state.turn += 1;
        state.pending = None;
    }

    /// Plain heartbeats end here.
    fn end_presence(&mut self, at: Ms, record: u32) {
        let first = self.roster.records[record as usize].first;
        if first < at {
            self.presences.push(Presence { member: MemberId(record), first, until: at });
        }
    }

    /// A slot goes on with what it had planned.
    pub(super) fn go_on(&mut self, at: Ms, step: Step, slot: u32, turn: u32, what: Next, entry: Option<EntryIndex>) {
        let state = &self.roster.slots[slot as usize];
        // whatever its application did meanwhile, in the end it leaves
        if state.turn != turn && what != Next::Leave {
            return;
        }
        match (what, state.doing) {
            (Next::Leave, Doing::Heartbeating) => self.leave(at, slot, entry),
            // it gives up
            (Next::Leave, Doing::Joining | Doing::Returning | Doing::Away | Doing::Nothing) => {
                self.begin(slot, Doing::Nothing);
            }
            (Next::Rejoin, _) => self.join(at, slot, step, entry),
            (Next::ComeBack, _) | (Next::Carry(_), Doing::Returning) => self.come_back(at, slot, step, entry),
            (Next::Carry(_), Doing::Joining) => self.try_to_join(at, slot, step, entry),
            (Next::Carry(number), Doing::Heartbeating) => self.carry_subscription(at, slot, number, entry),
            (Next::Carry(_), Doing::Away | Doing::Nothing) => {}
        }
    }

    /// A member leaves. If nobody answers, the leave is lost, and the member expires.
    pub(super) fn leave(&mut self, at: Ms, slot: u32, entry: Option<EntryIndex>) {
        let state = &self.roster.slots[slot as usize];
        let (group, number) = (state.group, state.record.expect("it has an id"));
        let shard = self.roster.groups[group.index()].shard;
        self.begin(slot, Doing::Nothing);
        if !self.shards.is_up(shard) {
            self.refused.push(RefusedOperation { at, member: MemberId(number), heartbeat: false });
            return self.fall_silent(at, number, entry, true);
        }
        self.end_presence(at, number);
        self.tell(at, Step::Member, entry, Happening::Leave(MemberId(number)));
        self.gone(at, number);
    }

    /// A member is no longer in its group.
    pub(super) fn gone(&mut self, at: Ms, number: u32) {
        let record = &mut self.roster.records[number as usize];
        (record.inside, record.silent) = (false, false);
        let group = self.roster.slots[record.slot as usize].group;
        self.shards.write(self.roster.groups[group.index()].shard, LEAVE_RECORDS);
        let state = &mut self.roster.groups[group.index()];
        state.members -= 1;
        if state.members == 0 {
            state.empty_since = Some(at);
            self.plan_look_at_empty(at, group);
        }
    }

    /// A member dies.
    pub(super) fn kill(&mut self, at: Ms, slot: u32, entry: Option<EntryIndex>) {
        let number = self.roster.slots[slot as usize].record.expect("it has an id");
        self.begin(slot, Doing::Nothing);
        self.fall_silent(at, number, entry, true);
    }

    /// A member in its group sends no heartbeats from here on. `dead`: it does not even say that it is away.
    fn fall_silent(&mut self, at: Ms, number: u32, entry: Option<EntryIndex>, dead: bool) {
        self.end_presence(at, number);
        if dead {
            self.tell(at, Step::Member, entry, Happening::Silent(MemberId(number)));
        }
        self.count_down(at, number, entry);
    }

    /// A static member goes away, to come back later. If nobody answers it is silent just the same.
    pub(super) fn go_away(&mut self, at: Ms, slot: u32, back: Ms, entry: Option<EntryIndex>) {
        let state = &self.roster.slots[slot as usize];
        let (group, number) = (state.group, state.record.expect("it has an id"));
        let shard = self.roster.groups[group.index()].shard;
        self.begin(slot, Doing::Away);
        if self.shards.is_up(shard) {
            self.shards.write(shard, AWAY_RECORDS);
            self.fall_silent(at, number, entry, false);
            self.tell(at, Step::Member, entry, Happening::Away(MemberId(number)));
        } else {
            self.refused.push(RefusedOperation { at, member: MemberId(number), heartbeat: false });
            self.fall_silent(at, number, entry, true);
        }
        self.plan_next(back, slot, Next::ComeBack, entry);
    }

    /// A dynamic member restarts: it leaves, and joins later under a new id.
    pub(super) fn restart_dynamic(&mut self, at: Ms, slot: u32, back: Ms, entry: Option<EntryIndex>) {
        self.leave(at, slot, entry);
        self.plan_next(back, slot, Next::Rejoin, entry);
    }

    /// Plans what a slot does next, unless it begins something else before.
    pub(super) fn plan_next(&mut self, at: Ms, slot: u32, what: Next, entry: Option<EntryIndex>) {
        let turn = self.roster.slots[slot as usize].turn;
        self.plan_for(at, Step::Member, entry, Act::GoOn { slot, turn, what, entry });
    }

    /// A static member is back under its instance id; after its expiry that is a join.
    fn come_back(&mut self, at: Ms, slot: u32, step: Step, entry: Option<EntryIndex>) {
        let state = &self.roster.slots[slot as usize];
        let (group, number) = (state.group, state.record.expect("it has an id"));
        if !self.roster.records[number as usize].inside {
            return self.join(at, slot, step, entry);
        }
        if state.doing == Doing::Away {
            self.begin(slot, Doing::Returning);
        }
        let shard = self.roster.groups[group.index()].shard;
        if !self.shards.is_up(shard) {
            return self.refuse(at, slot, entry);
        }
        self.shards.write(shard, AWAY_RECORDS);
        self.roster.slots[slot as usize].doing = Doing::Heartbeating;
        self.roster.records[number as usize].silent = false;
        self.heard(at, slot);
        self.tell(at, step, entry, Happening::Back(MemberId(number)));
    }

    /// A member changes its subscription: a heartbeat of its own, which moves none of the others. If nobody
    /// answers, the member's next heartbeat carries the change.
    pub(super) fn subscribe(&mut self, at: Ms, slot: u32, subscription: u32, entry: Option<EntryIndex>) {
        let state = &mut self.roster.slots[slot as usize];
        let (group, number) = (state.group, state.record.expect("it has an id"));
        let GroupTimes { shard, interval } = self.times(group);
        if self.shards.is_up(shard) {
            self.subscribed(at, slot, subscription, Step::Member, entry);
            self.roster.records[number as usize].heard = at;
            return;
        }
        self.refused.push(RefusedOperation { at, member: MemberId(number), heartbeat: true });
        let first = self.roster.records[number as usize].first;
        let behind = at.since(first).0.div_ceil(interval.0);
        let next = Ms(first.0 + behind * interval.0);
        let state = &mut self.roster.slots[slot as usize];
        // a change that waited is replaced by this one
        (state.pending, state.carried) = (Some(subscription), state.carried + 1);
        let act = Act::GoOn { slot, turn: state.turn, what: Next::Carry(state.carried), entry };
        self.plan_for(next, Step::Heartbeat, entry, act);
    }

    fn subscribed(&mut self, at: Ms, slot: u32, subscription: u32, step: Step, entry: Option<EntryIndex>) {
        let state = &mut self.roster.slots[slot as usize];
        (state.subscription, state.pending) = (subscription, None);
        let (group, member) = (state.group, MemberId(state.record.expect("it has an id")));
        self.shards.write(self.roster.groups[group.index()].shard, SUBSCRIBE_RECORDS);
        self.tell(at, step, entry, Happening::Subscribe(member, SubscriptionId(subscription)));
    }

    /// A heartbeat that carries a change of subscription: if it is accepted it is no plain one.
    fn carry_subscription(&mut self, at: Ms, slot: u32, carried: u32, entry: Option<EntryIndex>) {
        let state = &self.roster.slots[slot as usize];
        let Some(subscription) = state.pending.filter(|_| state.carried == carried) else {
            return;
        };
        let (group, turn, number) = (state.group, state.turn, state.record.expect("it has an id"));
        let GroupTimes { shard, interval } = self.times(group);
        if !self.shards.is_up(shard) {
            let act = Act::GoOn { slot, turn, what: Next::Carry(carried), entry };
            return self.plan_for(at.after(interval), Step::Heartbeat, entry, act);
        }
        self.end_presence(at, number);
        self.heard(at, slot);
        self.subscribed(at, slot, subscription, Step::Heartbeat, entry);
    }

    fn times(&self, group: crate::kafka::GroupId) -> GroupTimes {
        let state = &self.roster.groups[group.index()];
        GroupTimes { shard: state.shard, interval: state.heartbeat }
    }

    /// The run is over: whoever heartbeats does so to the end.
    pub(super) fn end(&mut self) {
        let end = self.scenario.duration;
        for number in 0..super::draws::count32(self.roster.records.len()) {
            let record = &self.roster.records[number as usize];
            if record.inside && !record.silent {
                self.end_presence(end, number);
            }
        }
    }
}

struct GroupTimes {
    shard: crate::kafka::ShardId,
    interval: Ms,
}
