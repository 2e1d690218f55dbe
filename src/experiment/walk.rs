//! The plain walk of `--exhaustive`: every heartbeat, one after the other. Members with the same interval come round in
//! the same order for ever, so they stand in a ring and nobody is ever put in again; whoever comes later, or goes, waits
//! with everything else in [`Wakes`](super::wakes::Wakes).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use crate::kafka::{GroupId, MemberId};
use crate::sim::Ms;
use crate::world::{History, Presence};

use super::lane::{GoOn, Lane};
use super::wakes::{Place, Wake, WakeStep};

/// So many heartbeats of one ring are walked in one go, at most.
const STRIDE: u32 = 1 << 16;

/// After so many goes somebody is asked whether to go on.
const GOES: u32 = 16;

/// Every heartbeat that is to come.
#[derive(Default)]
pub(super) struct Walk {
    rings: Vec<Ring>,
    /// Which ring comes next.
    next: BinaryHeap<Reverse<(Place, usize)>>,
    /// Presences that do not last from the phase to the end.
    pub(super) others: Vec<Presence>,
}

/// Members that heartbeat with one interval all the time, in the order in which they come round.
struct Ring {
    interval: Ms,
    turns: Vec<Turn>,
    /// When this round began.
    round: Ms,
    /// Whose turn it is.
    turn: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Turn {
    phase: u32,
    group: GroupId,
    member: MemberId,
}

impl Ring {
    fn place(&self) -> Place {
        let Turn { phase, group, member } = self.turns[self.turn];
        (Ms(self.round.0 + u64::from(phase)), WakeStep::Heartbeat as u8, group, member)
    }

    fn advance(&mut self) {
        self.turn += 1;
        if self.turn == self.turns.len() {
            self.turn = 0;
            self.round += self.interval;
        }
    }
}

impl Walk {
    /// All heartbeats of a history.
    pub(super) fn new(history: &History) -> Walk {
        let mut walk = Walk::default();
        let mut rings: BTreeMap<Ms, Vec<Turn>> = BTreeMap::new();
        for presence in history.presences.iter() {
            let member = presence.member;
            let group = history.members[member.index()].group;
            let interval = history.groups[group.index()].heartbeat;
            match u32::try_from(presence.first.0) {
                Ok(phase) if presence.first < interval && presence.until >= history.duration => {
                    rings.entry(interval).or_default().push(Turn { phase, group, member });
                }
                _ => walk.others.push(presence),
            }
        }
        for (interval, mut turns) in rings {
            turns.sort_unstable();
            walk.rings.push(Ring { interval, turns, round: Ms::ZERO, turn: 0 });
            let number = walk.rings.len() - 1;
            walk.comes_next(number, history.duration);
        }
        walk
    }

    fn comes_next(&mut self, ring: usize, end: Ms) {
        let place = self.rings[ring].place();
        if place.0 < end {
            self.next.push(Reverse((place, ring)));
        }
    }
}

impl Lane<'_> {
    /// Puts every heartbeat on its way.
    pub(super) fn begin_walk(&mut self) {
        let history = self.stage.history;
        self.walk = Walk::new(history);
        for index in 0..self.walk.others.len() {
            let Presence { member, first, until } = self.walk.others[index];
            if first < until {
                let number = u32::try_from(index).expect("presences fit 32 bits");
                self.walk_on(first, history.members[member.index()].group, member, number);
            }
        }
    }

    /// The next heartbeat of a presence that has no place in a ring.
    pub(super) fn walk_on(&mut self, at: Ms, group: GroupId, member: MemberId, presence: u32) {
        if at < self.stage.history.duration {
            self.wakes.push(Wake { at, step: WakeStep::Heartbeat, group, member, presence });
        }
    }

    /// A heartbeat outside the rings: counts it and puts the member's next in. False if the shard refuses it.
    pub(super) fn step(&mut self, wake: &Wake) -> bool {
        let until = self.walk.others[wake.presence as usize].until;
        let next = wake.at.after(self.stage.history.groups[wake.group.index()].heartbeat);
        if next < until {
            self.walk_on(next, wake.group, wake.member, wake.presence);
        }
        self.count_walked(wake.group, wake.at)
    }

    /// Walks the rings up to `place`, or to the next thing that waits before it. `Some`: a heartbeat that was accepted
    /// and has something to do. The outer `None`: somebody said stop.
    pub(super) fn walk_before(&mut self, place: Option<Place>, go_on: GoOn<'_>) -> Option<Option<Wake>> {
        let limit = self.wakes.peek_before(place).or(place);
        let mut goes = 0_u32;
        while let Some(Reverse((at, number))) = self.walk.next.peek().copied() {
            if limit.is_some_and(|limit| at >= limit) {
                break;
            }
            self.walk.next.pop();
            let other = self.walk.next.peek().map(|Reverse((place, _))| *place);
            let limit = limit.into_iter().chain(other).min();
            let found = self.walk_ring(number, limit);
            self.walk.comes_next(number, self.stage.history.duration);
            if found.is_some() {
                return Some(found);
            }
            goes = goes.wrapping_add(1);
            if goes.is_multiple_of(GOES) && !go_on(at.0) {
                return None;
            }
        }
        Some(None)
    }

    /// Walks one ring up to `limit`, for a stride at most.
    fn walk_ring(&mut self, number: usize, limit: Option<Place>) -> Option<Wake> {
        let end = self.stage.history.duration;
        for _ in 0..STRIDE {
            let place = self.walk.rings[number].place();
            if place.0 >= end || limit.is_some_and(|limit| place >= limit) {
                return None;
            }
            self.walk.rings[number].advance();
            let (at, _, group, member) = place;
            if self.count_walked(group, at) && self.has_something_to_do(group, member, at) {
                return Some(Wake { at, step: WakeStep::Heartbeat, group, member, presence: u32::MAX });
            }
        }
        None
    }

    /// Counts a heartbeat. False if the shard refuses it.
    fn count_walked(&mut self, group: GroupId, at: Ms) -> bool {
        let shard = self.stage.history.groups[group.index()].shard;
        let accepted = self.stage.heartbeats.down_until(shard, at).is_none();
        if at >= self.options.warmup {
            *(if accepted { &mut self.tally.walked } else { &mut self.tally.refused }) += 1;
        }
        accepted
    }

    fn has_something_to_do(&self, group: GroupId, member: MemberId, at: Ms) -> bool {
        (!self.pending.is_empty() && self.pending.contains_key(&member))
            || self.assigning.is_some()
            || !self.coordinator.is_quiet(group, at)
    }
}
