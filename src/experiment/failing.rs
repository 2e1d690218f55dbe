//! Operations that fail and are tried again (`unregistered: fail`, model: K.3), in closed form: where
//! nothing else changes, every further try fails alike and costs the same. So the first try is made for
//! real (what it hashed is cached from then on), and the rest are counted when something changes: at a
//! delta of the group's topics, a registration, an operation of the group, a failover, the end.
//! The plain walk makes every try.

use std::collections::BTreeMap;

use crate::coordinator::{Operation, Recomputed};
use crate::kafka::{GroupId, MemberId};
use crate::sim::Ms;
use crate::world::{Beat, Origin};

use super::lane::{Lane, RETRY};
use super::wakes::{Place, Wake, WakeStep};

/// What fails in one group, and since when.
#[derive(Debug, Default)]
pub(super) struct Failing {
    /// Every plain heartbeat behind this one.
    plain: Option<Beat>,
    /// Every heartbeat of these members after this: it carries an operation.
    carried: BTreeMap<MemberId, Ms>,
    /// A leave or expiry, tried again every [`RETRY`] after this.
    leaving: BTreeMap<MemberId, Ms>,
}

impl Failing {
    /// Do all plain heartbeats fail?
    pub(super) fn is_plain(&self) -> bool {
        self.plain.is_some()
    }

    /// Do all heartbeats of this member fail?
    pub(super) fn carries(&self, member: MemberId) -> bool {
        self.carried.contains_key(&member)
    }
}

impl Lane<'_> {
    /// A heartbeat failed: so will those behind it.
    pub(super) fn heartbeat_fails(&mut self, group: GroupId, beat: Beat) {
        if !self.options.exhaustive {
            self.failing.entry(group).or_default().plain = Some(beat);
        }
    }

    /// An operation failed and will be tried again.
    pub(super) fn operation_fails(&mut self, member: MemberId, operation: Operation, by: Origin, at: Ms) {
        let group = self.stage.history.members[member.index()].group;
        let leaves = match operation {
            Operation::Join(_) | Operation::Subscribe(_) => {
                self.pending.insert(member, (operation, by));
                false
            }
            Operation::Leave => {
                self.leaving.insert(member, by);
                true
            }
            // a returning member is in the group already: its next heartbeat is like any other
            Operation::Back => return,
        };
        if self.options.exhaustive {
            if leaves {
                self.retry_at(member, at.after(RETRY));
            }
            return;
        }
        let failing = self.failing.entry(group).or_default();
        let list = if leaves { &mut failing.leaving } else { &mut failing.carried };
        list.insert(member, at);
    }

    /// Tries a leave again at `at`.
    pub(super) fn retry_at(&mut self, member: MemberId, at: Ms) {
        let group = self.stage.history.members[member.index()].group;
        if at < self.stage.history.duration {
            self.wakes.push(Wake { at, step: WakeStep::Retry, group, member, presence: u32::MAX });
        }
    }

    /// Something changes at `place` that may end this group's failures: books every try before it. What comes
    /// then is tried for real.
    pub(super) fn settle_failing(&mut self, group: GroupId, place: Place) {
        let Some(failing) = self.failing.remove(&group) else { return };
        for (member, since) in &failing.leaving {
            self.settle_leave(group, *member, *since, place);
        }
        for (member, since) in &failing.carried {
            let Some(&(operation, by)) = self.pending.get(member) else { continue };
            let from = since.after(Ms(1));
            let until = self.until(place, *member);
            let heartbeats = self.stage.heartbeats;
            self.book_tries(
                from,
                until,
                |a, b| heartbeats.count_member(*member, a, b),
                |lane| lane.coordinator.operate(*member, operation, by, place.0).recomputed,
            );
        }
        if let Some(beat) = failing.plain {
            let heartbeats = self.stage.heartbeats;
            let carried: Vec<(MemberId, Ms)> = failing.carried.iter().map(|(m, since)| (*m, *since)).collect();
            let count = |a: Ms, b: Ms| {
                let all = heartbeats.count_plain(group, a, b).0;
                let theirs = carried.iter().map(|(m, since)| heartbeats.count_member(*m, a.max(since.after(Ms(1))), b));
                all - theirs.sum::<u64>()
            };
            let sample = |lane: &mut Lane<'_>| {
                let look = lane.coordinator.look(group, beat.member, place.0);
                Some(lane.coordinator.settle(look).0)
            };
            // those of the same instant, then the instants between, then those of the last one
            let first = self.beats_at(group, beat.at, Some(beat.member), place, &failing);
            self.book_tries(beat.at, beat.at.after(Ms(1)), |_, _| first, sample);
            self.book_tries(beat.at.after(Ms(1)), place.0, count, sample);
            if place.0 > beat.at {
                let last = self.beats_at(group, place.0, None, place, &failing);
                self.book_tries(place.0, place.0.after(Ms(1)), |_, _| last, sample);
            }
        }
    }

    /// Every failing group whose outcome this delta may change.
    pub(super) fn settle_before_delta(&mut self, index: u32, place: Place) {
        if self.failing.is_empty() {
            return;
        }
        let facts = &self.stage.readings.deltas[index as usize];
        let touched = |group: &GroupId| {
            let topics = &self.coordinator.group(*group).topics;
            topics.iter().any(|t| facts.changed.binary_search_by_key(t, |c| c.topic).is_ok())
        };
        // a carried operation may stand on topics that the group does not have yet
        let carries = |group: &GroupId| self.failing.get(group).is_some_and(|f| !f.carried.is_empty());
        let groups = self.failing.keys().filter(|g| facts.registers || touched(g) || carries(g));
        let groups: Vec<GroupId> = groups.copied().collect();
        self.settle_all(&groups, place);
    }

    /// Books the failures of these groups and makes their next tries real.
    pub(super) fn settle_all(&mut self, groups: &[GroupId], place: Place) {
        for group in groups {
            self.settle_failing(*group, place);
            self.due.push(*group);
        }
    }

    /// Heartbeats of one member before `place`: to which instant they count.
    fn until(&self, place: Place, member: MemberId) -> Ms {
        let behind = place.1 == WakeStep::Heartbeat as u8 && place.3 > member || place.1 > WakeStep::Heartbeat as u8;
        if behind { place.0.after(Ms(1)) } else { place.0 }
    }

    /// Plain heartbeats of a group at one instant, behind `after` and before `place`, that carry nothing.
    fn beats_at(&self, group: GroupId, at: Ms, after: Option<MemberId>, place: Place, failing: &Failing) -> u64 {
        let mut count = 0;
        let mut after = after;
        while let Some(beat) = self.stage.heartbeats.next_plain(group, at, after).filter(|beat| beat.at == at) {
            if (at, WakeStep::Heartbeat as u8, group, beat.member) >= place {
                break;
            }
            count += u64::from(!failing.carries(beat.member));
            after = Some(beat.member);
        }
        count
    }

    fn settle_leave(&mut self, group: GroupId, member: MemberId, since: Ms, place: Place) {
        let Some(&by) = self.leaving.get(&member) else { return };
        let tried = (WakeStep::Retry as u8, group, member) < (place.1, place.2, place.3);
        let until = if tried { place.0.after(Ms(1)) } else { place.0 };
        let count = |a: Ms, b: Ms| {
            // tries at since + k · RETRY, k ≥ 1, before t
            let before = |t: Ms| t.0.saturating_sub(since.0 + 1) / RETRY.0;
            before(b) - before(a)
        };
        self.book_tries(since.after(Ms(1)), until, count, |lane| {
            lane.coordinator.operate(member, Operation::Leave, by, place.0).recomputed
        });
        let next = since.0 + (until.0 - since.0).div_ceil(RETRY.0).max(1) * RETRY.0;
        self.retry_at(member, Ms(next));
    }

    /// Books the tries of `[from, until)` bucket by bucket; `sample` makes one, which must fail.
    fn book_tries(
        &mut self,
        from: Ms,
        until: Ms,
        count: impl Fn(Ms, Ms) -> u64,
        sample: impl Fn(&mut Self) -> Option<Recomputed>,
    ) {
        let until = until.min(self.stage.history.duration);
        if from >= until || count(from, until) == 0 {
            return;
        }
        let Some(Recomputed { due, failed, work }) = sample(self) else { return };
        assert!(failed, "a try that is counted in closed form fails");
        let width = self.options.bucket.0;
        let mut start = from;
        while start < until {
            let bucket_end = Ms((start.0 / width + 1) * width);
            let warm = if start < self.options.warmup { self.options.warmup } else { Ms::NEVER };
            let end = until.min(bucket_end).min(warm);
            let times = count(start, end);
            if times > 0 {
                self.judge.books.recomputed(start, times, due, true, &work);
            }
            start = end;
        }
    }
}
