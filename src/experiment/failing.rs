//! Operations that fail and are tried again (`unregistered: fail`, model: K.3), in closed form: a try that
//! fails changes nothing, so where nothing else changes the next one fails alike and costs the same. Tries
//! are made for real until one has hashed nothing (what it hashes is cached from then on); the rest are
//! counted when something changes: a delta of the group's topics, a registration, an operation of the group
//! that succeeds, a failover, the end. The plain walk makes every try.

use std::collections::BTreeMap;

use crate::coordinator::{Operation, Recomputed};
use crate::kafka::{GroupId, MemberId};
use crate::sim::Ms;
use crate::world::{Beat, Origin};

use super::lane::{Lane, RETRY};
use super::wakes::{Place, Wake, WakeStep};

/// What fails in one group, since when, and what each try costs.
#[derive(Debug, Default)]
pub(super) struct Failing {
    /// Every plain heartbeat behind this one that carries nothing.
    plain: Option<(Beat, Recomputed)>,
    /// Every heartbeat of these members after this: it carries an operation.
    carried: BTreeMap<MemberId, (Ms, Recomputed)>,
    /// A leave or expiry, tried again every [`RETRY`] after this.
    leaving: BTreeMap<MemberId, (Ms, Recomputed)>,
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
    /// Is every further try known to be like this one?
    fn is_steady(&self, recomputed: &Recomputed) -> bool {
        !self.options.exhaustive && recomputed.work.topics_hashed == 0
    }

    /// A plain heartbeat failed: so will those behind it.
    pub(super) fn heartbeat_fails(&mut self, group: GroupId, beat: Beat, recomputed: Recomputed) {
        if self.is_steady(&recomputed) {
            self.failing.entry(group).or_default().plain = Some((beat, recomputed));
        }
    }

    /// A look found nothing and the group is due all the same (a streams group): so will those behind it find nothing.
    /// Where there is no cache each look costs the same, the first one too.
    pub(super) fn heartbeat_in_vain(&mut self, group: GroupId, beat: Beat, recomputed: Recomputed) {
        let runs = self.coordinator.runs(group);
        let cached = self.caches[runs];
        // a cached hash is the same until a delta of its topic comes, unless another group's rebalance renews it
        let steady =
            if cached { self.is_steady(&recomputed) && !self.rehashes[runs] } else { !self.options.exhaustive };
        if steady {
            self.failing.entry(group).or_default().plain = Some((beat, recomputed));
        }
    }

    /// An operation failed and will be tried again.
    pub(super) fn operation_fails(
        &mut self,
        member: MemberId,
        operation: Operation,
        by: Origin,
        at: Ms,
        recomputed: Recomputed,
    ) {
        let steady = self.is_steady(&recomputed);
        let group = self.stage.history.members[member.index()].group;
        match operation {
            Operation::Join(_) | Operation::Subscribe(_) => {
                self.pending.insert(member, (operation, by));
                if steady {
                    self.failing.entry(group).or_default().carried.insert(member, (at, recomputed));
                }
            }
            Operation::Leave => {
                self.leaving.insert(member, (by, Ms::ZERO));
                if steady {
                    self.failing.entry(group).or_default().leaving.insert(member, (at, recomputed));
                } else {
                    self.retry_at(member, at.after(RETRY));
                }
            }
            // a returning member is in the group already: its next heartbeat is like any other
            Operation::Back => {}
        }
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
        if self.failing.is_empty() {
            return;
        }
        self.settle_plain(group, place);
        let Some(failing) = self.failing.remove(&group) else { return };
        for (member, (since, recomputed)) in failing.leaving {
            self.settle_leave(group, member, since, &recomputed, place);
        }
        for (member, (since, recomputed)) in failing.carried {
            self.settle_carried(member, since, &recomputed, place);
        }
    }

    /// A member does something at `place` that takes the place of the operation it carries.
    pub(super) fn settle_member(&mut self, member: MemberId, place: Place) {
        let group = self.stage.history.members[member.index()].group;
        // which heartbeats are plain changes with it
        self.settle_plain(group, place);
        self.settle_carrier(group, member, place);
    }

    /// Books the tries of the operation that a member carries, before `place`; the next is made for real.
    pub(super) fn settle_carrier(&mut self, group: GroupId, member: MemberId, place: Place) {
        let carried = self.failing.get_mut(&group).and_then(|f| f.carried.remove(&member));
        if let Some((since, recomputed)) = carried {
            self.settle_carried(member, since, &recomputed, place);
        }
    }

    /// Books the plain heartbeats before `place`; the next is made for real.
    pub(super) fn settle_plain(&mut self, group: GroupId, place: Place) {
        let Some(failing) = self.failing.get_mut(&group) else { return };
        let Some((beat, recomputed)) = failing.plain.take() else { return };
        let heartbeats = self.stage.heartbeats;
        let carried: Vec<(MemberId, Ms)> = failing.carried.iter().map(|(m, (since, _))| (*m, *since)).collect();
        let count = |a: Ms, b: Ms| {
            let all = heartbeats.count_plain(group, a, b).0;
            let theirs = carried.iter().map(|(m, since)| heartbeats.count_member(*m, a.max(since.after(Ms(1))), b));
            all - theirs.sum::<u64>()
        };
        // those of the same instant, then the instants between, then those of the last one
        let first = self.beats_at(group, beat.at, Some(beat.member), place, &carried);
        self.book_tries(beat.at, beat.at.after(Ms(1)), |_, _| first, &recomputed);
        self.book_tries(beat.at.after(Ms(1)), place.0, count, &recomputed);
        if place.0 > beat.at {
            let last = self.beats_at(group, place.0, None, place, &carried);
            self.book_tries(place.0, place.0.after(Ms(1)), |_, _| last, &recomputed);
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

    /// Plain heartbeats of a group at one instant, behind `after` and before `place`, that carry nothing.
    fn beats_at(
        &self,
        group: GroupId,
        at: Ms,
        after: Option<MemberId>,
        place: Place,
        carried: &[(MemberId, Ms)],
    ) -> u64 {
        let mut count = 0;
        let mut after = after;
        while let Some(beat) = self.stage.heartbeats.next_plain(group, at, after).filter(|beat| beat.at == at) {
            if (at, WakeStep::Heartbeat as u8, group, beat.member) >= place {
                break;
            }
            let carries = carried.iter().any(|(member, since)| *member == beat.member && at > *since);
            count += u64::from(!carries);
            after = Some(beat.member);
        }
        count
    }

    fn settle_carried(&mut self, member: MemberId, since: Ms, recomputed: &Recomputed, place: Place) {
        let behind = (WakeStep::Heartbeat as u8, self.stage.history.members[member.index()].group, member);
        let until = if behind < (place.1, place.2, place.3) { place.0.after(Ms(1)) } else { place.0 };
        let heartbeats = self.stage.heartbeats;
        self.book_tries(since.after(Ms(1)), until, |a, b| heartbeats.count_member(member, a, b), recomputed);
    }

    fn settle_leave(&mut self, group: GroupId, member: MemberId, since: Ms, recomputed: &Recomputed, place: Place) {
        let tried = (WakeStep::Retry as u8, group, member) < (place.1, place.2, place.3);
        let until = if tried { place.0.after(Ms(1)) } else { place.0 };
        // tries at since + k · RETRY, k ≥ 1, before t
        let before = |t: Ms| t.0.saturating_sub(since.0 + 1) / RETRY.0;
        self.book_tries(since.after(Ms(1)), until, |a, b| before(b) - before(a), recomputed);
        let next = since.0 + (until.since(since).0).div_ceil(RETRY.0).max(1) * RETRY.0;
        self.retry_at(member, Ms(next));
    }

    /// Books the tries of `[from, until)`, bucket by bucket.
    fn book_tries(&mut self, from: Ms, until: Ms, count: impl Fn(Ms, Ms) -> u64, recomputed: &Recomputed) {
        let until = until.min(self.stage.history.duration);
        if from >= until || count(from, until) == 0 {
            return;
        }
        let width = self.options.bucket.0;
        let mut start = from;
        while start < until {
            let bucket_end = Ms((start.0 / width + 1) * width);
            let warm = if start < self.options.warmup { self.options.warmup } else { Ms::NEVER };
            let end = until.min(bucket_end).min(warm);
            let times = count(start, end);
            if times > 0 {
                self.judge.books.recomputed(start, times, recomputed.due, recomputed.failed, &recomputed.work);
            }
            start = end;
        }
    }
}
