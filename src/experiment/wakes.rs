//! What is waiting in a lane between the history's events: heartbeats that have something to do, results
//! of patterns, and operations that are tried again. In the order of one instant (model: K.3).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::kafka::{GroupId, MemberId};
use crate::sim::Ms;
use crate::world::{Beat, Event, Happening, History, Step};

/// What comes due. Ordered by time, step, group, member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Wake {
    /// When.
    pub at: Ms,
    /// In which step.
    pub step: WakeStep,
    /// Whose.
    pub group: GroupId,
    /// Which member's (for a pattern result: nobody's in particular).
    pub member: MemberId,
    /// In the plain walk: which presence goes on from here.
    pub presence: u32,
}

/// The steps of an instant at which a lane has work of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum WakeStep {
    /// A failed leave or expiry is tried again, with the expiries.
    Retry = 4,
    /// A heartbeat.
    Heartbeat = 6,
    /// A pattern result.
    Patterns,
    /// Partitions of a share group have their state.
    Initialised,
}

/// Where in its instant something stands.
pub(super) type Place = (Ms, u8, GroupId, MemberId);

impl Wake {
    /// Its place among the history's events.
    #[must_use]
    pub(super) fn place(&self) -> Place {
        (self.at, self.step as u8, self.group, self.member)
    }

    /// Its place among the wakes of its instant, in one number.
    fn rank(&self) -> u128 {
        let words = [self.step as u32, self.group.0, self.member.0, self.presence];
        words.into_iter().fold(0, |rank, word| rank << 32 | u128::from(word))
    }
}

/// Where an event stands: in the steps before the heartbeats the history's own order holds.
#[must_use]
pub(super) fn place_of(event: &Event, history: &History) -> Place {
    let member = match event.what {
        Happening::Join(m)
        | Happening::Leave(m)
        | Happening::Expire(m)
        | Happening::Silent(m)
        | Happening::Away(m)
        | Happening::Back(m)
        | Happening::Subscribe(m, _) => Some(m),
        Happening::Delta(_) | Happening::ShardDown(_) | Happening::ShardUp { .. } | Happening::GroupGone(_) => None,
    };
    let ordered = matches!(event.step, Step::Expiry | Step::Heartbeat);
    let (group, member) = match member.filter(|_| ordered) {
        Some(member) => (history.members[member.index()].group, member),
        None => (GroupId(0), MemberId(0)),
    };
    (event.at, event.step as u8, group, member)
}

/// How many milliseconds from now on are kept in slots of their own, a power of two: more than the heartbeat
/// intervals that groups mostly have, so that what a delta makes due lands in them.
const NEAR: u64 = 8192;

/// No heartbeat.
const NONE: Beat = Beat { at: Ms::NEVER, member: MemberId(u32::MAX) };

/// The queue, with at most one heartbeat waiting for a group. Nearly everything that is put in comes due within a
/// heartbeat interval; it waits in a slot of its millisecond, which is sorted when its time comes. What is later
/// waits in a heap: mostly the end of a group's refresh interval, which is put off at each look and seldom comes. So
/// a group stands there once, at the earliest instant that it waited for, and is asked then what it waits for now.
pub(super) struct Wakes {
    /// The instant whose wakes are being taken.
    now: Ms,
    /// The wakes of `now` and before, the next one last.
    current: Vec<Wake>,
    /// By time modulo [`NEAR`]: what comes after `now` and before `now` + [`NEAR`].
    slots: Vec<Vec<Wake>>,
    /// One bit a slot: has it any?
    filled: Vec<u64>,
    far: BinaryHeap<Reverse<Wake>>,
    /// By group: the heartbeat that waits, [`NONE`] if none does; others in the queue are stale.
    waiting: Vec<Beat>,
    /// By group: when it is asked what it waits for, for there is a place in `far` that says so.
    asked: Vec<Ms>,
}

impl Wakes {
    /// Nothing waits.
    #[must_use]
    pub(super) fn new(groups: usize) -> Wakes {
        Wakes {
            now: Ms::ZERO,
            current: Vec::new(),
            slots: vec![Vec::new(); slot_of(Ms(NEAR - 1)) + 1],
            filled: vec![0; slot_of(Ms(NEAR - 1)) / 64 + 1],
            far: BinaryHeap::new(),
            waiting: vec![NONE; groups],
            asked: vec![Ms::NEVER; groups],
        }
    }

    /// Puts something in.
    pub(super) fn push(&mut self, wake: Wake) {
        if wake.at <= self.now {
            // before `now`, too: a batch of heartbeats is taken before the first of them is settled, which can put
            // in one that comes before the last
            let place = self.current.partition_point(|later| *later > wake);
            self.current.insert(place, wake);
        } else if wake.at < self.now.after(Ms(NEAR)) {
            let slot = slot_of(wake.at);
            self.slots[slot].push(wake);
            self.filled[slot / 64] |= 1 << (slot % 64);
        } else {
            self.far.push(Reverse(wake));
        }
    }

    /// The group's next heartbeat to look at is this one (or none); any other is forgotten.
    pub(super) fn set(&mut self, group: GroupId, beat: Option<Beat>) {
        let beat = beat.unwrap_or(NONE);
        if self.waiting[group.index()] == beat {
            return;
        }
        self.waiting[group.index()] = beat;
        if beat != NONE {
            self.queue(group, beat);
        }
    }

    /// The heartbeat that a group waits for gets its place, or will when the group is asked.
    fn queue(&mut self, group: GroupId, beat: Beat) {
        if beat.at >= self.now.after(Ms(NEAR)) {
            let asked = &mut self.asked[group.index()];
            if *asked <= beat.at {
                return;
            }
            *asked = beat.at;
        }
        self.push(of_a_group(group, beat));
    }

    /// A group's time to be asked has come, or an earlier one had taken its place.
    fn ask(&mut self, group: GroupId, at: Ms) {
        if self.asked[group.index()] != at {
            return;
        }
        self.asked[group.index()] = Ms::NEVER;
        let beat = self.waiting[group.index()];
        if beat.at == at {
            self.current.push(of_a_group(group, beat));
        } else if beat != NONE && beat.at > at {
            self.queue(group, beat);
        }
    }

    /// The next that stands before `place`.
    pub(super) fn pop_before(&mut self, place: Option<Place>) -> Option<Wake> {
        self.peek_before(place)?;
        let next = self.current.pop()?;
        if is_of_a_group(&next) {
            self.waiting[next.group.index()] = NONE;
        }
        Some(next)
    }

    /// Where the next stands that stands before `place`.
    pub(super) fn peek_before(&mut self, place: Option<Place>) -> Option<Place> {
        loop {
            while let Some(next) = self.current.last() {
                if place.is_some_and(|place| next.place() >= place) {
                    return None;
                }
                let beat = Beat { at: next.at, member: next.member };
                if !is_of_a_group(next) || self.waiting[next.group.index()] == beat {
                    return Some(next.place());
                }
                // the group has another one, or none
                self.current.pop();
            }
            let next = self.next_instant()?;
            if place.is_some_and(|(at, ..)| next > at) {
                return None;
            }
            self.go_to(next);
        }
    }

    /// The next that stands before `place`, if it is a heartbeat.
    pub(super) fn pop_heartbeat_before(&mut self, place: Option<Place>) -> Option<Wake> {
        let next = self.pop_before(place)?;
        if next.step == WakeStep::Heartbeat {
            return Some(next);
        }
        self.push(next);
        None
    }

    /// Puts back what has been popped.
    pub(super) fn put_back(&mut self, wake: Wake) {
        if wake.presence == u32::MAX {
            self.waiting[wake.group.index()] = Beat { at: wake.at, member: wake.member };
        }
        self.push(wake);
    }

    /// The earliest instant after `now` that has anything.
    fn next_instant(&self) -> Option<Ms> {
        let far = self.far.peek().map(|Reverse(wake)| wake.at);
        let near = self.next_slot().map(|slot| {
            let ahead = (slot as u64).wrapping_sub(self.now.0) % NEAR;
            self.now.after(Ms(ahead))
        });
        match (near, far) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    /// The first filled slot behind that of `now`, going round.
    fn next_slot(&self) -> Option<usize> {
        let start = (slot_of(self.now) + 1) % self.slots.len();
        let (word, bit) = (start / 64, start % 64);
        let words = self.filled.len();
        let first = self.filled[word] & (u64::MAX << bit);
        if first != 0 {
            return Some(word * 64 + first.trailing_zeros() as usize);
        }
        // all other words, and at last what comes before `start` in the first one
        let mut rest = (word + 1..words).chain(0..=word);
        let word = rest.find(|word| self.filled[*word] != 0)?;
        Some(word * 64 + self.filled[word].trailing_zeros() as usize)
    }

    fn go_to(&mut self, at: Ms) {
        let slot = slot_of(at);
        self.now = at;
        std::mem::swap(&mut self.current, &mut self.slots[slot]);
        self.filled[slot / 64] &= !(1 << (slot % 64));
        while let Some(Reverse(wake)) = self.far.peek().copied().filter(|Reverse(wake)| wake.at == at) {
            self.far.pop();
            if is_of_a_group(&wake) {
                self.ask(wake.group, at);
            } else {
                self.current.push(wake);
            }
        }
        self.current.sort_unstable_by_key(|wake| Reverse(wake.rank()));
    }
}

/// Is it the one heartbeat that a group waits for?
fn is_of_a_group(wake: &Wake) -> bool {
    wake.step == WakeStep::Heartbeat && wake.presence == u32::MAX
}

pub(super) fn of_a_group(group: GroupId, Beat { at, member }: Beat) -> Wake {
    Wake { at, step: WakeStep::Heartbeat, group, member, presence: u32::MAX }
}

fn slot_of(at: Ms) -> usize {
    usize::try_from(at.0 % NEAR).expect("a slot's number is small")
}
