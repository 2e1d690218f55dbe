//! What each step of a roll cost a lane, counted as its rebalances are booked: exact whatever their number. A
//! rebalance is a roll's if the roll changed what it tells of, or made it visible.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use crate::kafka::{EntryIndex, GroupId};

use super::seconds::Seconds;
use super::{Bump, BumpVerdict, Counts, MissedChange, Origin, Roll};

/// How many of a step's worst groups are kept.
pub(super) const WORST: usize = 5;

/// One step of a roll in one lane.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepCounts {
    /// Rebalances by verdict; missed changes by the step that they opened in.
    pub counts: Counts,
    /// Groups with at least one of them, and with at least one of each verdict (spurious: repeats among them).
    pub groups: StepGroups,
    /// Most of them within one second of the clock.
    pub peak_per_s: u64,
    /// Members of the groups that rebalanced, as they were at each group's first time in this step.
    pub members: u64,
    /// The groups with most rebalances, by id among equals; at most [`WORST`].
    pub worst: Vec<GroupId>,
}

/// Groups by verdict; one with several stands under each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "named as the verdicts")]
pub struct StepGroups {
    pub all: u64,
    pub needed: u64,
    pub late: u64,
    pub spurious: u64,
    pub repeat: u64,
}

/// The rolls of a run, counted for one lane.
#[derive(Clone, Debug, Default)]
pub struct StepBooks {
    rolls: Vec<RollBook>,
    /// Do groups come one after the other, each in order of time? Otherwise all rebalances are in order of time.
    pub(super) by_group: bool,
}

#[derive(Clone, Debug)]
struct RollBook {
    roll: Roll,
    done: Vec<StepCounts>,
    /// By step.
    seconds: Vec<Seconds>,
    /// By step: its worst groups so far.
    worst: Vec<Vec<(Reverse<u64>, GroupId)>>,
    /// What the newest rebalance fell into, and what has come of that group in that step.
    now: (usize, GroupId),
    of_now: OfGroup,
    /// Of groups in order of time: the others that rebalanced in this step, which is not over yet.
    open: FxHashMap<GroupId, OfGroup>,
}

/// One group's rebalances in one step.
#[derive(Clone, Copy, Debug, Default)]
struct OfGroup {
    times: u64,
    seen: Seen,
}

/// Which verdicts a group had.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    needed: bool,
    late: bool,
    spurious: bool,
    repeat: bool,
}

impl StepBooks {
    /// Empty books over these rolls.
    #[must_use]
    pub fn new(rolls: &[Roll]) -> StepBooks {
        let book = |roll: &Roll| RollBook {
            roll: roll.clone(),
            done: vec![StepCounts::default(); roll.steps.len()],
            seconds: vec![Seconds::default(); roll.steps.len()],
            worst: vec![Vec::new(); roll.steps.len()],
            now: (0, GroupId(0)),
            of_now: OfGroup::default(),
            open: FxHashMap::default(),
        };
        StepBooks { rolls: rolls.iter().map(book).collect(), by_group: false }
    }

    /// Is there anything to count?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rolls.is_empty()
    }

    /// A rebalance that counts, of a group that now has so many members.
    pub fn bump(&mut self, bump: &Bump, members: u64) {
        for book in self.rolls.iter_mut().filter(|b| b.is_of(bump.cause, bump.trigger)) {
            book.bump(bump, members, self.by_group);
        }
    }

    /// A missed change that counts.
    pub fn missed(&mut self, change: &MissedChange) {
        for book in self.rolls.iter_mut().filter(|b| b.is_of(change.cause, change.trigger)) {
            let step = book.roll.step_at(change.opened);
            book.done[step].counts.missed += 1;
        }
    }

    /// By roll, then by step.
    #[must_use]
    pub fn finish(mut self) -> Vec<Vec<StepCounts>> {
        self.rolls.iter_mut().for_each(RollBook::finish);
        self.rolls.into_iter().map(|book| book.done).collect()
    }
}

impl RollBook {
    fn entry(&self) -> EntryIndex {
        self.roll.entry
    }

    fn is_of(&self, cause: Origin, trigger: Origin) -> bool {
        let ours = Origin::Entry(self.entry());
        cause == ours || trigger == ours
    }

    fn bump(&mut self, bump: &Bump, members: u64, by_group: bool) {
        let now = (self.roll.step_at(bump.at), bump.group);
        if now != self.now {
            self.turn_to(now, by_group);
        }
        let of = &mut self.done[now.0];
        of.counts.add(bump.verdict);
        let OfGroup { times, seen } = &mut self.of_now;
        of.members += if *times == 0 { members } else { 0 };
        *times += 1;
        match bump.verdict {
            BumpVerdict::Membership => {}
            BumpVerdict::Needed => seen.needed = true,
            BumpVerdict::Late => seen.late = true,
            BumpVerdict::Spurious => seen.spurious = true,
            BumpVerdict::Repeat => (seen.spurious, seen.repeat) = (true, true),
        }
        self.seconds[now.0].add(bump.at);
    }

    /// Another group's turn, or another step's.
    fn turn_to(&mut self, now: (usize, GroupId), by_group: bool) {
        let ((step, group), of_group) = (self.now, std::mem::take(&mut self.of_now));
        self.now = now;
        if by_group || step != now.0 {
            // each group has its steps one after the other: this one will not come again
            self.close(step, group, of_group);
        } else if of_group.times > 0 {
            self.open.insert(group, of_group);
        }
        if step != now.0 {
            for (group, of_group) in std::mem::take(&mut self.open) {
                self.close(step, group, of_group);
            }
        } else if let Some(before) = self.open.remove(&now.1) {
            self.of_now = before;
        }
    }

    /// What has come of a group in a step is over.
    fn close(&mut self, step: usize, group: GroupId, OfGroup { times, seen }: OfGroup) {
        if times == 0 {
            return;
        }
        let of = &mut self.done[step].groups;
        of.all += 1;
        of.needed += u64::from(seen.needed);
        of.late += u64::from(seen.late);
        of.spurious += u64::from(seen.spurious);
        of.repeat += u64::from(seen.repeat);
        let (worst, next) = (&mut self.worst[step], (Reverse(times), group));
        if worst.len() < WORST || worst.last().is_some_and(|last| next < *last) {
            worst.insert(worst.partition_point(|other| *other < next), next);
            worst.truncate(WORST);
        }
    }

    fn finish(&mut self) {
        let (step, _) = self.now;
        self.turn_to((step + 1, GroupId(0)), true);
        for (step, of) in self.done.iter_mut().enumerate() {
            of.worst = self.worst[step].iter().map(|(_, group)| *group).collect();
            of.peak_per_s = self.seconds[step].most();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kafka::BrokerId;
    use crate::metrics::Step;
    use crate::sim::Ms;

    fn bump(at: u64, group: u32, verdict: BumpVerdict, cause: u32, trigger: u32) -> Bump {
        let (cause, trigger) = (Origin::Entry(cause), Origin::Entry(trigger));
        Bump { at: Ms(at), group: GroupId(group), epoch: 2, verdict, cause, trigger, delay: None, hash: None }
    }

    fn roll() -> Roll {
        let step = |broker, from, until| Step { broker: BrokerId(broker), from, until, shards_moved: 0 };
        let steps = vec![step(7, Ms::secs(10), Ms::secs(20)), step(8, Ms::secs(20), Ms::secs(60))];
        Roll { entry: 1, to: None, steps }
    }

    #[test]
    fn a_step_has_what_its_roll_changed_or_showed_in_its_time() {
        let bumps = [
            bump(10_000, 4, BumpVerdict::Needed, 1, 1),
            bump(10_900, 2, BumpVerdict::Late, 0, 1),
            bump(10_999, 9, BumpVerdict::Late, 0, 2),
            bump(11_000, 4, BumpVerdict::Repeat, 1, 1),
            bump(19_999, 4, BumpVerdict::Spurious, 1, 2),
            bump(20_000, 4, BumpVerdict::Spurious, 1, 1),
        ];
        let missed = |opened, cause| MissedChange {
            opened: Ms(opened),
            group: GroupId(0),
            cause: Origin::Entry(cause),
            trigger: Origin::Entry(cause),
        };
        let missed = [missed(19_999, 1), missed(30_000, 1), missed(30_000, 0)];
        let count = |bumps: &[Bump], by_group| {
            let mut books = StepBooks { by_group, ..StepBooks::new(&[roll()]) };
            bumps.iter().for_each(|b| books.bump(b, 3));
            missed.iter().for_each(|m| books.missed(m));
            books.finish()
        };
        let found = count(&bumps, false);
        let mut one_by_one = bumps.to_vec();
        one_by_one.sort_by_key(|b| b.group);
        assert_eq!(found, count(&one_by_one, true), "the order does not matter");
        let [steps] = &found[..] else { panic!() };
        let [first, second] = &steps[..] else { panic!() };
        let counts = Counts { membership: 0, needed: 1, late: 1, spurious: 2, repeat: 1, missed: 1 };
        assert_eq!(first.counts, counts);
        assert_eq!(first.groups, StepGroups { all: 2, needed: 1, late: 1, spurious: 1, repeat: 1 });
        assert_eq!((first.peak_per_s, first.members), (2, 6));
        assert_eq!(first.worst, [GroupId(4), GroupId(2)]);
        assert_eq!((second.counts.spurious, second.counts.missed, second.groups.all, second.members), (1, 1, 1, 3));
        assert_eq!(second.worst, [GroupId(4)]);
    }
}
