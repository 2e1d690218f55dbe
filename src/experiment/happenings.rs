//! What the history's events do to a lane.

use crate::coordinator::Operation;
use crate::kafka::GroupId;
use crate::sim::Ms;
use crate::world::{Event, Happening, Origin};

use super::lane::Lane;
use super::wakes::Place;

impl Lane<'_> {
    /// One event of the history.
    pub(super) fn happen(&mut self, event: &Event, place: Place) {
        let at = event.at;
        match event.what {
            Happening::Delta(index) => {
                self.settle_before_delta(index, place);
                self.assign_all_until(place);
                self.delta(index, at);
                self.assign_image(index, at);
            }
            Happening::ShardDown(shard) => {
                let of_shard = |g: &&GroupId| self.coordinator.shard_of(**g) == shard;
                let failing: Vec<GroupId> = self.failing.keys().filter(of_shard).copied().collect();
                failing.into_iter().for_each(|group| self.settle_failing(group, place));
                self.coordinator.on_shard_down(shard);
                self.judge.on_shard_down(shard);
            }
            Happening::ShardUp { shard, load } => {
                if at >= self.options.warmup {
                    self.tally.load_ms_max = self.tally.load_ms_max.max(load.0);
                }
                let by = event.entry.map_or(Origin::Start, Origin::Entry);
                self.coordinator.on_shard_up(shard, by, at, &mut self.due);
                self.judge.on_shard_up(shard, at);
                self.rearm_leaves(shard, at);
                self.schedule_due(at);
            }
            Happening::Join(member) => {
                self.judge.member_in(member, at);
                let subscription = self.stage.history.members[member.index()].subscription;
                self.member_operation(member, Operation::Join(subscription), event);
            }
            Happening::Subscribe(member, to) => {
                self.judge.resubscribe(member, to, at);
                self.settle_member(member, place);
                let joins = self.pending.remove(&member).is_some_and(|(op, _)| matches!(op, Operation::Join(_)));
                let operation = if joins { Operation::Join(to) } else { Operation::Subscribe(to) };
                self.member_operation(member, operation, event);
            }
            Happening::Leave(member) | Happening::Expire(member) => {
                self.judge.member_out(member, at);
                self.settle_member(member, place);
                self.pending.remove(&member);
                self.member_operation(member, Operation::Leave, event);
            }
            Happening::Back(member) => self.member_operation(member, Operation::Back, event),
            Happening::Away(member) => self.assign_away(member, place),
            Happening::Silent(_) => {}
            Happening::GroupGone(group) => {
                self.coordinator.on_group_gone(group);
                self.assign_gone(group);
                self.note_appended(at);
            }
        }
    }

    fn delta(&mut self, index: u32, at: Ms) {
        let history = self.stage.history;
        let facts = &self.stage.readings.deltas[index as usize];
        let delta = &history.deltas[index as usize].delta;
        if at >= self.options.warmup {
            self.tally.invalidations += self.coordinator.watched(&facts.changed);
        }
        self.timer.start();
        self.coordinator.on_delta(delta, &facts.changed, &facts.entries, facts.creates, &mut self.due);
        self.timer.stop(0);
        self.judge.on_image(at);
        self.catch_up.on_image(self.coordinator.image_no);
        self.note_appended(at);
        self.schedule_due(at);
    }

    fn schedule_due(&mut self, at: Ms) {
        let mut due = std::mem::take(&mut self.due);
        // in order of groups, as they lie in memory
        due.sort_unstable();
        due.dedup();
        due.drain(..).for_each(|group| self.reschedule(group, at, None));
        self.due = due;
    }
}
