//! What a lane tells its groups with an assignor: heartbeats, epochs, members, deltas. Nothing comes back.

use std::collections::BTreeSet;

use crate::coordinator::{Operation, Reconciliation};
use crate::kafka::record;
use crate::kafka::{GroupId, MemberId};
use crate::metrics::{Bump, Reading};
use crate::sim::Ms;

use super::assigning::{Waiting, by_topic};
use super::lane::Lane;
use super::wakes::{Place, WakeStep};

impl Lane<'_> {
    /// Everything of this group before `place` is walked. The plain walk has come past it already.
    pub(super) fn assign_until(&mut self, group: GroupId, place: Place) {
        if self.options.exhaustive {
            return;
        }
        if let Some(assigning) = &mut self.assigning
            && assigning.unsettled.contains(&group)
        {
            let carries = |member| self.pending.contains_key(&member);
            assigning.walk(group, place, &self.coordinator, &carries, self.timer);
        }
    }

    /// The same of all groups.
    pub(super) fn assign_all_until(&mut self, place: Place) {
        let Some(assigning) = &self.assigning else { return };
        let open: Vec<GroupId> = assigning.unsettled.iter().copied().collect();
        open.into_iter().for_each(|group| self.assign_until(group, place));
    }

    /// A heartbeat that succeeded.
    pub(super) fn assign_beat(&mut self, group: GroupId, member: MemberId, at: Ms) {
        if let Some(assigning) = &mut self.assigning {
            assigning.beat(group, member, at, &self.coordinator, self.timer);
        }
    }

    /// A heartbeat failed, and so do those behind it until one succeeds.
    pub(super) fn assign_fails(&mut self, group: GroupId) {
        if let Some(group) = self.assigning.as_mut().and_then(|all| all.groups.get_mut(&group)) {
            group.failing = true;
        }
    }

    /// The group's epoch has moved; `spurious`: for nothing.
    pub(super) fn assign_bump(&mut self, bump: &Bump, spurious: bool) {
        let Some(assigning) = &mut self.assigning else { return };
        let Some(group) = assigning.groups.get_mut(&bump.group) else { return };
        group.epoch = bump.epoch;
        let waiting = &mut group.waiting;
        waiting.counted += u64::from(assigning.books.counts_at(bump.at));
        // the target is put down to the first that was for something, else to the first
        if waiting.by.is_none() || (!spurious && !waiting.earnest) {
            waiting.by = Some((bump.cause, bump.trigger));
        }
        waiting.earnest |= !spurious;
        assigning.note(bump.group);
    }

    /// A member's operation succeeded at `place`.
    pub(super) fn assign_operation(&mut self, member: MemberId, operation: Operation, place: Place) {
        let id = self.stage.history.members[member.index()].group;
        let at = place.0;
        let Some(assigning) = &mut self.assigning else { return };
        let Some(group) = assigning.groups.get_mut(&id) else { return };
        group.failing = false;
        group.cursor = (at, None);
        group.beats.clear();
        group.ownership.pass(at, &mut assigning.books);
        match operation {
            Operation::Join(_) if !group.reconciliation.members().contains_key(&member) => {
                if group.reconciliation.members().is_empty() {
                    group.holds_until = at.after(assigning.initial_delay);
                }
                group.reconciliation.join(member);
            }
            Operation::Leave => {
                group.reconciliation.leave(member);
                group.ownership.set(member, None, None, &self.coordinator.image);
            }
            Operation::Back => {
                // the new incarnation takes over the old one's target and assignment under its own id
                let target = group.reconciliation.target().get(&member).map_or(&[][..], Vec::as_slice);
                let target = record::target_assignment_member(&by_topic(target));
                group.reconciliation.away(member);
                group.reconciliation.back(member);
                let own = group.reconciliation.members().get(&member);
                let own = own.map_or_else(Vec::new, |own| by_topic(&own.assigned));
                assigning.appends(id, at, target);
                assigning.appends(id, at, record::current_member_assignment(&own, &[]));
            }
            Operation::Join(_) | Operation::Subscribe(_) => {}
        }
        assigning.want(id, &self.coordinator);
        if operation != Operation::Leave {
            assigning.beat(id, member, at, &self.coordinator, self.timer);
            let group = assigning.groups.get_mut(&id).expect("it was there");
            // one that is no plain heartbeat comes before those of its instant
            if place.1 < WakeStep::Heartbeat as u8 {
                group.cursor = (at, None);
            }
        }
        assigning.note(id);
    }

    /// A static member goes away for a while.
    pub(super) fn assign_away(&mut self, member: MemberId, place: Place) {
        let id = self.stage.history.members[member.index()].group;
        self.assign_until(id, place);
        let Some(assigning) = &mut self.assigning else { return };
        let Some(group) = assigning.groups.get_mut(&id) else { return };
        group.beats.clear();
        if group.reconciliation.members().contains_key(&member) {
            group.reconciliation.away(member);
            let own = by_topic(&group.reconciliation.members()[&member].assigned);
            assigning.appends(id, place.0, record::current_member_assignment(&own, &[]));
        }
    }

    /// A pattern's result is in; heartbeats of its instant have been before it.
    pub(super) fn assign_patterns(&mut self, id: GroupId, at: Ms) {
        let Some(assigning) = &mut self.assigning else { return };
        let Some(group) = assigning.groups.get_mut(&id) else { return };
        group.failing = false;
        group.cursor = (at.after(Ms(1)), None);
        group.ownership.pass(at, &mut assigning.books);
        assigning.want(id, &self.coordinator);
    }

    /// A delta has arrived.
    pub(super) fn assign_image(&mut self, index: u32, at: Ms) {
        let Some(assigning) = &mut self.assigning else { return };
        let lines = self.stage.readings.lines(Reading::TRUTH);
        let changed = self.stage.readings.deltas[index as usize].changed.iter();
        let changed = changed.map(|c| c.topic).filter(|topic| lines.changes_at(*topic, index + 1));
        let touched: BTreeSet<GroupId> = changed.flat_map(|topic| self.coordinator.watchers(topic)).collect();
        for id in touched {
            if let Some(group) = assigning.groups.get_mut(&id) {
                group.ownership.pass(at, &mut assigning.books);
                assigning.recount(id, &self.coordinator);
            }
        }
    }

    /// The coordinator has forgotten an empty group.
    pub(super) fn assign_gone(&mut self, id: GroupId) {
        let Some(assigning) = &mut self.assigning else { return };
        let Some(group) = assigning.groups.get_mut(&id).filter(|_| !self.coordinator.group(id).exists) else { return };
        (group.epoch, group.reconciliation, group.computed) = (0, Reconciliation::default(), None);
        group.waiting = Waiting::default();
        assigning.unsettled.remove(&id);
    }

    /// The run is over.
    pub(super) fn assign_finish(&mut self) {
        self.assign_all_until((self.stage.history.duration, 0, GroupId(0), MemberId(0)));
        if let Some(mut assigning) = self.assigning.take() {
            self.watch.dealt = std::mem::take(&mut assigning.dealt);
            self.assigned = Some(assigning.finish());
        }
    }
}
