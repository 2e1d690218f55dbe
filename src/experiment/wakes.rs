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

/// The queue, with at most one heartbeat waiting for a group. Nearly everything that is put in comes due within a
/// heartbeat interval; it waits in a slot of its millisecond, which is sorted when its time comes. What is later
/// waits in a heap.
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
    /// By group: the heartbeat that waits; others in the queue are stale.
    waiting: Vec<Option<Beat>>,
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
            waiting: vec![None; groups],
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
        if self.waiting[group.index()] == beat {
            return;
        }
        self.waiting[group.index()] = beat;
        if let Some(Beat { at, member }) = beat {
            self.push(Wake { at, step: WakeStep::Heartbeat, group, member, presence: u32::MAX });
        }
    }

    /// The next that stands before `place`.
    pub(super) fn pop_before(&mut self, place: Option<Place>) -> Option<Wake> {
        self.peek_before(place)?;
        let next = self.current.pop()?;
        if self.is_of_a_group(&next) {
            self.waiting[next.group.index()] = None;
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
                if !self.is_of_a_group(next) || self.waiting[next.group.index()] == Some(beat) {
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

    /// Is it the one heartbeat that a group waits for?
    fn is_of_a_group(&self, wake: &Wake) -> bool {
        wake.step == WakeStep::Heartbeat && wake.presence == u32::MAX
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
            self.waiting[wake.group.index()] = Some(Beat { at: wake.at, member: wake.member });
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
            self.current.push(wake);
        }
        self.current.sort_unstable_by(|a, b| b.cmp(a));
    }
}

fn slot_of(at: Ms) -> usize {
    usize::try_from(at.0 % NEAR).expect("a slot's number is small")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn wake(at: u64, group: u32, member: u32) -> Wake {
        let step = if group.is_multiple_of(3) { WakeStep::Patterns } else { WakeStep::Heartbeat };
        Wake { at: Ms(at), step, group: GroupId(group), member: MemberId(member), presence: 0 }
    }

    /// How far ahead, whose, which member's.
    fn pushes() -> impl Strategy<Value = Vec<(u64, u32, u32)>> {
        prop::collection::vec((0u64..30_000, 0u32..5, 0u32..3), 0..6)
    }

    proptest! {
        /// Against the plain heap: pushed and popped in turns, ahead by little and by much, up to places in between.
        #[test]
        fn wakes_come_in_the_order_of_a_heap(
            steps in prop::collection::vec((pushes(), 0u64..12_000, 0usize..8), 1..30)
        ) {
            let (mut wakes, mut heap) = (Wakes::new(5), BinaryHeap::new());
            let mut now = 0;
            for (pushed, until, most) in steps {
                for (ahead, group, member) in pushed {
                    // often the same instants, and sometimes one that is over
                    let wake = wake((now + ahead / 7 * 7 % 20_000).saturating_sub(300), group, member);
                    wakes.push(wake);
                    heap.push(Reverse(wake));
                }
                let place = (Ms(now + until), WakeStep::Heartbeat as u8, GroupId(2), MemberId(1));
                for _ in 0..most {
                    let want = heap.peek().map(|Reverse(w)| *w).filter(|w: &Wake| w.place() < place);
                    if want.is_some() {
                        heap.pop();
                    }
                    prop_assert_eq!(wakes.pop_before(Some(place)), want);
                    // the lane's own time: what it has taken, or the event that it has come to
                    now = want.map_or(place.0.0, |w| w.at.0);
                }
            }
            while let Some(Reverse(want)) = heap.pop() {
                prop_assert_eq!(wakes.pop_before(None), Some(want));
            }
            prop_assert_eq!(wakes.pop_before(None), None);
        }
    }
}
