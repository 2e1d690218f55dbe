//! What is pending of one group in one lane: changes open when its truth leaves what it was told, and a rebalance closes
//! them all, with its verdict (model: K.5). It is told of truths by number and asks whether two of them are the same.

use smallvec::SmallVec;

use crate::kafka::GroupId;
use crate::sim::Ms;

use super::{Books, Bump, BumpVerdict, ImageNo, MissedChange, Origin, Rebalance};

/// A group's pending changes.
#[derive(Clone, Debug, Default)]
pub struct Docket {
    /// Changes that no rebalance has told it of, the oldest first.
    open: Changes,
    /// Since when its truth is another than what it was told.
    stale_since: Option<Ms>,
}

/// Mostly none or one.
pub(super) type Changes = SmallVec<[Change; 1]>;

/// A change that no rebalance has told the group of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    pub(super) opened: Ms,
    pub(super) term: Term,
    pub(super) cause: Origin,
    /// The image with its truth.
    pub(super) image: ImageNo,
}

/// How long a change that opens may take.
#[derive(Clone, Copy, Debug)]
pub struct Term {
    /// The end of its patience; exactly then is in time.
    pub until: Ms,
    /// The group's first accepted heartbeat at or after the opening: what follows up to it belongs to this change.
    pub ends: Ms,
}

impl Term {
    /// Of a change that opens at `at` with this patience; the group's first accepted heartbeat from then on, if any.
    #[must_use]
    pub fn new(at: Ms, patience: Ms, ends: Option<Ms>) -> Term {
        let ends = ends.unwrap_or(Ms::NEVER);
        Term { until: at.after(patience).max(ends), ends }
    }
}

/// A group's truth has just become another.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// Whose.
    pub group: GroupId,
    /// When.
    pub at: Ms,
    /// What changed it.
    pub cause: Origin,
    /// The image with the new truth.
    pub image: ImageNo,
    /// Is it another than what the group was told?
    pub stale: bool,
}

impl Docket {
    /// Is a change open? Then a rebalance is not spurious.
    #[must_use]
    pub fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// The truth is another from here on. `term` is asked for if that opens a change.
    pub fn truth_changed(
        &mut self,
        turn: &Turn,
        same: impl Fn(ImageNo, ImageNo) -> bool,
        term: impl FnOnce() -> Term,
        books: &mut Books,
    ) {
        if turn.stale {
            self.book_change(turn, same, term);
        } else {
            self.drop_open(turn.group, turn.at, same, books);
        }
        self.note_staleness(turn.at, turn.stale, books);
    }

    fn book_change(&mut self, turn: &Turn, same: impl Fn(ImageNo, ImageNo) -> bool, term: impl FnOnce() -> Term) {
        match self.open.last_mut() {
            // still the same change: no heartbeat has been accepted since it opened
            Some(youngest) if turn.at <= youngest.term.ends => youngest.image = turn.image,
            _ => {
                self.end_youngest(turn.at, &same);
                if !self.open.last().is_some_and(|youngest| same(youngest.image, turn.image)) {
                    let Turn { at: opened, cause, image, .. } = *turn;
                    self.open.push(Change { opened, term: term(), cause, image });
                }
            }
        }
    }

    /// A rebalance of a group with so many members, and what came after the image that it tells of (which stays open).
    pub(super) fn on_bump(
        &mut self,
        bump: &Rebalance,
        members: u32,
        same: impl Fn(ImageNo, ImageNo) -> bool,
        books: &mut Books,
    ) -> (Bump, Changes) {
        self.end_youngest(bump.at, same);
        let mut open = std::mem::take(&mut self.open);
        let later = bump.told.map_or(open.len(), |told| open.iter().take_while(|c| c.image <= told).count());
        let later: Changes = open.drain(later..).collect();
        let over = |change: &Change| bump.at > change.term.until;
        let oldest = open.first().copied();
        let (verdict, cause) = match oldest {
            _ if bump.membership => {
                let missed = open.iter().filter(|c| over(c));
                missed.for_each(|c| books.missed(&missed_change(bump.group, c, bump.trigger)));
                (BumpVerdict::Membership, bump.trigger)
            }
            None if bump.spurious.0 => (BumpVerdict::Repeat, bump.spurious.1),
            None => (BumpVerdict::Spurious, bump.spurious.1),
            Some(oldest) if open.iter().any(over) => (BumpVerdict::Late, oldest.cause),
            Some(oldest) => (BumpVerdict::Needed, oldest.cause),
        };
        let told = matches!(verdict, BumpVerdict::Needed | BumpVerdict::Late);
        let delay = oldest.filter(|_| told).map(|c| bump.at - c.opened);
        let Rebalance { at, group, epoch, trigger, hash, .. } = *bump;
        let booked = Bump { at, group, epoch, verdict, cause, trigger, delay, hash };
        books.bump(&booked, members);
        (booked, later)
    }

    /// A rebalance that tells the group of the truth as it is.
    pub fn bump(
        &mut self,
        bump: &Rebalance,
        members: u32,
        same: impl Fn(ImageNo, ImageNo) -> bool,
        books: &mut Books,
    ) -> Bump {
        let (booked, _) = self.on_bump(bump, members, same, books);
        self.note_staleness(bump.at, false, books);
        booked
    }

    /// Changes that a rebalance has left open.
    pub(super) fn keep(&mut self, later: Changes) {
        self.open = later;
    }

    /// Changes end without a rebalance: those over their patience have been missed.
    pub(super) fn drop_open(
        &mut self,
        group: GroupId,
        at: Ms,
        same: impl Fn(ImageNo, ImageNo) -> bool,
        books: &mut Books,
    ) {
        self.end_youngest(at, same);
        for change in std::mem::take(&mut self.open).iter().filter(|change| at > change.term.until) {
            books.missed(&missed_change(group, change, change.cause));
        }
    }

    /// Drops the youngest change if the heartbeat that ended it found the truth of the one before.
    fn end_youngest(&mut self, at: Ms, same: impl Fn(ImageNo, ImageNo) -> bool) {
        if let [.., before, youngest] = self.open[..]
            && youngest.term.ends <= at
            && same(before.image, youngest.image)
        {
            self.open.pop();
        }
    }

    /// Is it stale from here on?
    pub(super) fn note_staleness(&mut self, at: Ms, stale: bool, books: &mut Books) {
        match (stale, self.stale_since) {
            (true, None) => {
                self.stale_since = Some(at);
                books.stale_groups(at, 1);
            }
            (false, Some(since)) => {
                self.stale_since = None;
                books.stale_for(since, at);
                books.stale_groups(at, -1);
            }
            (true, Some(_)) | (false, None) => {}
        }
    }

    /// The end of the run: what is open and over its patience has been missed.
    pub fn finish(&mut self, group: GroupId, end: Ms, same: impl Fn(ImageNo, ImageNo) -> bool, books: &mut Books) {
        self.drop_open(group, end, same, books);
        if let Some(since) = self.stale_since {
            books.stale_for(since, end);
        }
    }
}

fn missed_change(group: GroupId, change: &Change, trigger: Origin) -> MissedChange {
    MissedChange { opened: change.opened, group, cause: change.cause, trigger }
}
