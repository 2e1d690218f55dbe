//! Members' operations in a lane, the first time and again after a failure.

use crate::coordinator::{Operation, Outcome};
use crate::kafka::{MemberId, ShardId};
use crate::sim::Ms;
use crate::world::{Event, Origin, Step};

use super::deeds::Deed;
use super::lane::Lane;
use super::wakes::{Place, Wake, WakeStep, place_of};

impl Lane<'_> {
    pub(super) fn member_operation(&mut self, member: MemberId, operation: Operation, event: &Event) {
        let group = self.stage.history.members[member.index()].group;
        let by = event.entry.map_or(Origin::Group(group), Origin::Entry);
        let after = (event.step == Step::Heartbeat).then_some(member);
        self.operate(member, operation, by, place_of(event, self.stage.history), after);
    }

    pub(super) fn operate(
        &mut self,
        member: MemberId,
        operation: Operation,
        by: Origin,
        place: Place,
        after: Option<MemberId>,
    ) {
        let at = place.0;
        let history = self.stage.history;
        let group = history.members[member.index()].group;
        if let Operation::Join(to) | Operation::Subscribe(to) = operation
            && history.subscriptions[to.index()].pattern.is_some()
        {
            self.brought.insert(group, by);
        }
        let due = self.coordinator.due(group);
        self.assign_until(group, place);
        self.timer.start();
        let Outcome { recomputed, renewal } = self.coordinator.operate(member, operation, by, at);
        self.timer.stop(u64::from(recomputed.is_some()));
        self.book(Deed { group, at, member: Some(member), due, recomputed, renewal });
        match recomputed.filter(|r| r.failed) {
            Some(failed) => self.operation_fails(member, operation, by, at, failed),
            None => {
                self.settle_failing(group, place);
                self.assign_operation(member, operation, place);
            }
        }
        self.after_heartbeat(group, member, at);
        let is_heartbeat = operation != Operation::Leave;
        if is_heartbeat && self.coordinator.asks_patterns(group, at) {
            self.wakes.push(Wake { at, step: WakeStep::Patterns, group, member, presence: u32::MAX });
        }
        self.coordinator.operation_over(group);
        self.reschedule(group, at, after);
    }

    pub(super) fn retry_leave(&mut self, wake: Wake) {
        let shard = self.coordinator.shard_of(wake.group);
        if self.stage.heartbeats.down_until(shard, wake.at).is_some() {
            return;
        }
        // a try that was to come before the shard moved does not come any more
        if self.leaving.get(&wake.member).is_none_or(|(_, from)| wake.at < *from) {
            return;
        }
        if let Some((by, _)) = self.leaving.remove(&wake.member) {
            self.operate(wake.member, Operation::Leave, by, wake.place(), None);
        }
    }

    /// A loaded shard gives every member a full session; those that should have gone expire after it.
    pub(super) fn rearm_leaves(&mut self, shard: ShardId, at: Ms) {
        let history = self.stage.history;
        let of_shard = |m: &MemberId| history.groups[history.members[m.index()].group.index()].shard == shard;
        let again: Vec<MemberId> = self.leaving.keys().filter(|m| of_shard(m)).copied().collect();
        for member in again {
            let session = history.groups[history.members[member.index()].group.index()].session;
            let from = at.after(session);
            if let Some(leaving) = self.leaving.get_mut(&member) {
                leaving.1 = from;
            }
            self.retry_at(member, from);
        }
    }
}
