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

/// The queue, with at most one heartbeat waiting for a group.
pub(super) struct Wakes {
    queue: BinaryHeap<Reverse<Wake>>,
    /// By group: the heartbeat that waits; others in the queue are stale.
    waiting: Vec<Option<Beat>>,
}

impl Wakes {
    /// Nothing waits.
    #[must_use]
    pub(super) fn new(groups: usize) -> Wakes {
        Wakes { queue: BinaryHeap::new(), waiting: vec![None; groups] }
    }

    /// Puts something in.
    pub(super) fn push(&mut self, wake: Wake) {
        self.queue.push(Reverse(wake));
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
        loop {
            let next = self.peek_before(place)?;
            self.queue.pop();
            if next.step != WakeStep::Heartbeat || next.presence != u32::MAX {
                return Some(next);
            }
            let beat = Beat { at: next.at, member: next.member };
            if self.waiting[next.group.index()] == Some(beat) {
                self.waiting[next.group.index()] = None;
                return Some(next);
            }
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
            self.waiting[wake.group.index()] = Some(Beat { at: wake.at, member: wake.member });
        }
        self.push(wake);
    }

    fn peek_before(&self, place: Option<Place>) -> Option<Wake> {
        let Reverse(next) = self.queue.peek()?;
        place.is_none_or(|place| next.place() < place).then_some(*next)
    }
}
