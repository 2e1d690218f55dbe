//! Heartbeats in a lane: which come next, which have something to do, and the batches in which a strategy
//! looks at them. `exhaustive` walks every presence instead, through the same steps.

use crate::kafka::{GroupId, GroupKind, MemberId};
use crate::sim::Ms;
use crate::world::{Beat, Origin};

use super::deeds::Deed;
use super::failing::Failing;
use super::lane::{BATCH, Lane};
use super::wakes::{Place, Wake, WakeStep};

impl Lane<'_> {
    /// A heartbeat, and all that follow it without anything between: the strategy looks at them in one go.
    pub(super) fn heartbeats(&mut self, first: Wake, place: Option<Place>) {
        let mut batch = std::mem::take(&mut self.batch);
        let mut next = Some(first);
        while let Some(wake) = next {
            self.settle_plain(wake.group, wake.place());
            if self.pending.contains_key(&wake.member) {
                // an operation asks the strategy, too: what came before it must be looked at first
                if batch.is_empty() {
                    self.pending_heartbeat(&wake);
                } else {
                    self.wakes.put_back(wake);
                }
                break;
            }
            if self.heartbeat(&wake) {
                batch.push(wake);
            }
            // a streams or share group may look again before the next event: what others find in the cache must not
            // come before that
            let alone = self.coordinator.kind(wake.group) != GroupKind::Consumer;
            let full = alone || self.options.exhaustive || batch.len() >= BATCH;
            next = if full { None } else { self.wakes.pop_heartbeat_before(place) };
        }
        if batch.is_empty() {
            self.batch = batch;
            return;
        }
        let mut looks = std::mem::take(&mut self.looks);
        self.timer.start();
        looks.extend(batch.drain(..).map(|wake| self.coordinator.look(wake.group, wake.member, wake.at)));
        self.timer.stop(looks.len() as u64);
        self.batch = batch;
        for look in &mut looks {
            let (group, member, at) = (look.group, look.member, look.at);
            let due = self.coordinator.due(group);
            self.assign_until(group, (at, WakeStep::Heartbeat as u8, group, member));
            let (recomputed, renewal) = self.coordinator.settle(look);
            self.book(Deed { group, at, member: Some(member), due, recomputed: Some(recomputed), renewal });
            if recomputed.failed {
                self.heartbeat_fails(group, Beat { at, member }, recomputed);
                self.assign_fails(group);
            } else {
                self.assign_beat(group, member, at);
                self.settle_failing(group, (at, WakeStep::Heartbeat as u8, group, member));
                self.after_heartbeat(group, member, at);
                let streams = self.coordinator.kind(group) == GroupKind::Streams;
                if streams && renewal.is_none() && self.coordinator.is_due(group, at) {
                    self.heartbeat_in_vain(group, Beat { at, member }, recomputed);
                }
            }
            self.reschedule(group, at, Some(member));
        }
        looks.clear();
        self.looks = looks;
    }

    /// One heartbeat before the strategy's part: walks on, asks for patterns.
    /// True if the strategy must look.
    pub(super) fn heartbeat(&mut self, wake: &Wake) -> bool {
        if wake.presence != u32::MAX && !self.step(wake) {
            return false;
        }
        if self.coordinator.asks_patterns(wake.group, wake.at) {
            self.wakes.push(Wake { step: WakeStep::Patterns, ..*wake });
        }
        let due = self.coordinator.is_due(wake.group, wake.at);
        if !due {
            if self.options.exhaustive {
                self.assign_beat(wake.group, wake.member, wake.at);
            }
            self.coordinator.share_heartbeat(wake.group, wake.at);
            self.note_appended(wake.at);
            self.after_heartbeat(wake.group, wake.member, wake.at);
            self.reschedule(wake.group, wake.at, Some(wake.member));
        }
        due
    }

    /// A heartbeat that carries an operation that failed before.
    pub(super) fn pending_heartbeat(&mut self, wake: &Wake) {
        if wake.presence != u32::MAX && !self.step(wake) {
            return;
        }
        // the tries before this one, if they were only to be counted
        self.settle_carrier(wake.group, wake.member, wake.place());
        if let Some((operation, by)) = self.pending.remove(&wake.member) {
            self.operate(wake.member, operation, by, wake.place(), Some(wake.member));
        }
    }

    /// Finds the group's next heartbeat with something to do.
    pub(super) fn reschedule(&mut self, group: GroupId, now: Ms, after: Option<MemberId>) {
        if self.options.exhaustive {
            return;
        }
        let fails = self.failing.get(&group).is_some_and(Failing::is_plain);
        let wakes = if fails { self.coordinator.pattern_wakes(group, now) } else { self.coordinator.wakes(group, now) };
        let beat = wakes
            .filter(|at| *at < self.stage.history.duration)
            .and_then(|at| self.stage.heartbeats.next_plain(group, at, if at == now { after } else { None }));
        let retry = self.next_retry(group, now, after);
        let beat = match (beat, retry) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        self.wakes.set(group, beat);
    }

    /// The next heartbeat of a member of this group that has an operation pending.
    pub(super) fn next_retry(&self, group: GroupId, now: Ms, after: Option<MemberId>) -> Option<Beat> {
        if self.pending.is_empty() {
            return None;
        }
        let spec = &self.stage.history.groups[group.index()];
        let first = spec.first_member;
        let members = first..MemberId(first.0 + spec.members);
        let next = |member: MemberId| {
            let from = if after.is_some_and(|a| member > a) { Ms(now.0.saturating_sub(1)) } else { now };
            self.stage.heartbeats.next_of_member(member, from).map(|at| Beat { at, member })
        };
        let fails = |member: &MemberId| self.failing.get(&group).is_some_and(|f| f.carries(*member));
        let pending = self.pending.range(members).filter(|(member, _)| !fails(member));
        pending.filter_map(|(member, _)| next(*member)).min()
    }

    /// What a heartbeat of a share group has asked for comes when its time is over.
    pub(super) fn after_heartbeat(&mut self, group: GroupId, member: MemberId, at: Ms) {
        if self.coordinator.share_sent.is_empty() {
            return;
        }
        self.coordinator.share_sent.clear();
        let at = at.after(self.options.share_init);
        if at < self.stage.history.duration {
            self.wakes.push(Wake { at, step: WakeStep::Initialised, group, member, presence: u32::MAX });
        }
    }

    /// Partitions of a share group have their state: its next heartbeat rebalances it.
    pub(super) fn initialised(&mut self, wake: Wake) {
        self.coordinator.on_share_initialised(wake.group, wake.at);
        self.note_appended(wake.at);
        self.reschedule(wake.group, wake.at.after(Ms(1)), None);
    }

    pub(super) fn patterns(&mut self, wake: Wake) {
        let by = self.brought.get(&wake.group).copied().unwrap_or(Origin::Group(wake.group));
        self.assign_until(wake.group, wake.place());
        let (recomputed, matches, renewal) = self.coordinator.on_patterns(wake.group, wake.at, by);
        if !recomputed.failed {
            self.assign_patterns(wake.group, wake.at);
        }
        if wake.at >= self.options.warmup {
            self.tally.pattern_refreshes += 1;
            self.tally.pattern_matches += matches;
        }
        let Wake { group, at, .. } = wake;
        if !recomputed.failed {
            self.settle_failing(group, wake.place());
        }
        self.book(Deed { group, at, member: None, due: None, recomputed: Some(recomputed), renewal });
        self.reschedule(wake.group, wake.at.after(Ms(1)), None);
    }
}
