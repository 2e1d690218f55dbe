//! Sessions of members that are in their group in silence, and groups that are empty: what runs out, and when
//! (model: K.4, K.7). Whoever heartbeats never expires, so only the silent are counted down.

use crate::kafka::{EntryIndex, GroupId, GroupKind, MemberId, ShardId};
use crate::sim::Ms;

use super::groups::{Act, Groups};
use super::history::{Happening, Step};

/// How often a coordinator looks for groups that have been empty for long.
const LOOK_EVERY: Ms = Ms::secs(600);

impl Groups<'_> {
    /// A member falls silent: its session counts from its last accepted heartbeat, or from the end of the last
    /// load if that came later. While its shard does not answer it does not count: see [`Self::restart_sessions`].
    pub(super) fn count_down(&mut self, at: Ms, number: u32, entry: Option<EntryIndex>) {
        let record = &self.roster.records[number as usize];
        let group = &self.roster.groups[self.roster.slots[record.slot as usize].group.index()];
        let (shard, session) = (group.shard, group.session);
        let up_since = self.shards.up_since(shard);
        let heard = last_plain(record.first, group.heartbeat, up_since, at).unwrap_or(Ms::ZERO).max(record.heard);
        // a member whose session is shorter than its heartbeat interval expires as soon as it is silent
        let deadline = heard.max(up_since).after(session).max(at.after(Ms(1)));
        let record = &mut self.roster.records[number as usize];
        (record.silent, record.silenced_by, record.deadline) = (true, entry, deadline);
        self.silent[shard.index()].push(number);
        if self.shards.is_up(shard) {
            self.plan(deadline, Step::Expiry, 0, Act::Expire { record: number });
        }
    }

    /// A load has ended: nobody expires before a full session timeout.
    pub(super) fn restart_sessions(&mut self, at: Ms, shard: ShardId) {
        let mut silent = std::mem::take(&mut self.silent[shard.index()]);
        silent.retain(|number| self.roster.records[*number as usize].silent);
        silent.sort_unstable();
        silent.dedup();
        for number in &silent {
            let record = &mut self.roster.records[*number as usize];
            let group = self.roster.slots[record.slot as usize].group;
            record.deadline = at.after(self.roster.groups[group.index()].session);
            let deadline = record.deadline;
            self.plan(deadline, Step::Expiry, 0, Act::Expire { record: *number });
        }
        self.silent[shard.index()] = silent;
    }

    /// A session may have run out.
    pub(super) fn expire(&mut self, at: Ms, number: u32) {
        let record = &self.roster.records[number as usize];
        let group = self.roster.slots[record.slot as usize].group;
        let shard = self.roster.groups[group.index()].shard;
        if !record.inside || !record.silent || record.deadline != at || !self.shards.is_up(shard) {
            return;
        }
        let entry = record.silenced_by;
        self.tell(at, Step::Expiry, entry, Happening::Expire(MemberId(number)));
        self.gone(at, number);
    }

    /// The first look at which a group that is empty since `at` has been so for its retention.
    pub(super) fn plan_look_at_empty(&mut self, at: Ms, group: GroupId) {
        // a share group never expires
        if self.scenario.groups[group.index()].kind == GroupKind::Share {
            return;
        }
        let due = at.after(self.scenario.cluster.retention);
        let next_look = (at.0 / LOOK_EVERY.0 + 1) * LOOK_EVERY.0;
        let look = Ms(due.0.div_ceil(LOOK_EVERY.0).saturating_mul(LOOK_EVERY.0).max(next_look));
        self.plan(look, Step::Expiry, 0, Act::LookAtEmpty { group, since: at });
    }

    /// Looks whether a group is still empty. A shard that does not answer looks the next time.
    pub(super) fn look_at_empty(&mut self, at: Ms, group: GroupId, since: Ms) {
        let state = &mut self.roster.groups[group.index()];
        if state.empty_since != Some(since) || state.members > 0 {
            return;
        }
        if !self.shards.is_up(state.shard) {
            return self.plan(at.after(LOOK_EVERY), Step::Expiry, 0, Act::LookAtEmpty { group, since });
        }
        state.empty_since = None;
        self.shards.write(state.shard, 1);
        self.tell(at, Step::Expiry, None, Happening::GroupGone(group));
    }
}

/// The last heartbeat at `first + k · interval` before `until` and not before `from`.
fn last_plain(first: Ms, interval: Ms, from: Ms, until: Ms) -> Option<Ms> {
    let last = until.0.checked_sub(1)?;
    let k = last.checked_sub(first.0)? / interval.0;
    Some(Ms(first.0 + k * interval.0)).filter(|at| *at >= from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_heartbeat_before_a_death_is_found_as_by_walking() {
        for first in 0..12 {
            for (from, until) in (0..20).flat_map(|from| (0..25).map(move |until| (from, until))) {
                let walked = (0..10).map(|k| first + k * 5).filter(|at| *at >= from && *at < until).max();
                assert_eq!(last_plain(Ms(first), Ms(5), Ms(from), Ms(until)), walked.map(Ms));
            }
        }
    }
}
