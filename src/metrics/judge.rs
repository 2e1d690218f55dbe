//! The judge (model: K.5): holds every rebalance against the truth. It sees the history and the bumps,
//! never a hash. Changes open when a group's truth leaves what it was told; a bump closes them all.

use smallvec::SmallVec;

use crate::kafka::{GroupId, MemberId, ShardId, SubscriptionId};
use crate::sim::Ms;
use crate::world::{Heartbeats, History};

use super::{Books, Bump, BumpVerdict, ImageNo, MissedChange, Origin, Readings, Told, Touched};

/// The judge of one lane, with its books.
pub struct Judge<'a> {
    history: &'a History,
    heartbeats: &'a Heartbeats<'a>,
    told: Told<'a>,
    /// By group.
    dockets: Vec<Docket>,
    touched: Vec<Touched>,
    /// What has been booked.
    pub books: Books,
}

/// What is pending of a group.
#[derive(Clone, Debug, Default)]
struct Docket {
    /// Changes that no rebalance has told it of, the oldest first.
    open: Changes,
    /// Since when its truth is another than what it was told.
    stale_since: Option<Ms>,
}

/// Mostly none or one.
type Changes = SmallVec<[Change; 1]>;

/// A change that no rebalance has told the group of.
#[derive(Clone, Copy, Debug)]
struct Change {
    opened: Ms,
    /// The end of its patience; exactly then is in time.
    until: Ms,
    /// The group's first accepted heartbeat at or after the opening: what follows up to it belongs to this change.
    ends: Ms,
    cause: Origin,
    /// The image with its truth.
    image: ImageNo,
}

/// A rebalance before its verdict.
#[derive(Clone, Copy, Debug)]
pub struct Rebalance {
    /// When.
    pub at: Ms,
    /// Whose.
    pub group: GroupId,
    /// The epoch it made.
    pub epoch: u32,
    /// Did a member cause it?
    pub membership: bool,
    /// Is it a heartbeat's (all but leaves, expiries and pattern results)?
    pub trigger: Origin,
    /// What it stands for if nothing is open: repeat or not, and the entry whose value it caught up with.
    pub spurious: (bool, Origin),
    /// The hash stored with it.
    pub hash: Option<u64>,
    /// The image that it tells the group of, where that is not the one that its coordinator holds: a client's may be
    /// older.
    pub told: Option<ImageNo>,
}

impl<'a> Judge<'a> {
    /// A judge at time 0.
    #[must_use]
    pub fn new(
        history: &'a History,
        heartbeats: &'a Heartbeats<'a>,
        readings: &'a Readings,
        books: Books,
    ) -> Judge<'a> {
        Judge {
            history,
            heartbeats,
            told: Told::new(history, readings),
            dockets: vec![Docket::default(); history.groups.len()],
            touched: Vec::new(),
            books,
        }
    }

    /// The image that the group's coordinator holds.
    #[must_use]
    pub fn held(&self, group: GroupId) -> ImageNo {
        self.told.held(group)
    }

    /// Is a change open for the group? Then a rebalance is not spurious.
    #[must_use]
    pub fn is_open(&self, group: GroupId) -> bool {
        !self.dockets[group.index()].open.is_empty()
    }

    /// The next image reaches the coordinators.
    pub fn on_image(&mut self, at: Ms) {
        let mut touched = std::mem::take(&mut self.touched);
        self.told.on_image(&mut touched);
        touched.drain(..).for_each(|t| self.truth_changed(t, at));
        self.touched = touched;
    }

    /// A shard stops answering.
    pub fn on_shard_down(&mut self, shard: ShardId) {
        self.told.on_shard_down(shard);
    }

    /// A shard is active again.
    pub fn on_shard_up(&mut self, shard: ShardId, at: Ms) {
        let mut touched = std::mem::take(&mut self.touched);
        self.told.on_shard_up(shard, &mut touched);
        touched.drain(..).for_each(|t| self.truth_changed(t, at));
        self.touched = touched;
    }

    /// A member comes in, resolved or failed.
    pub fn member_in(&mut self, member: MemberId, at: Ms) {
        self.told.member_in(member);
        self.own_operation(member, at);
    }

    /// A member is gone.
    pub fn member_out(&mut self, member: MemberId, at: Ms) {
        self.told.member_out(member);
        self.own_operation(member, at);
    }

    /// A member subscribes to something else.
    pub fn resubscribe(&mut self, member: MemberId, to: SubscriptionId, at: Ms) {
        self.told.resubscribe(member, to);
        self.own_operation(member, at);
    }

    /// A group rebalances.
    pub fn on_bump(&mut self, bump: &Rebalance) -> Bump {
        let open = self.take_open(bump.group);
        let mut open = self.ended(bump.group, open, bump.at);
        // what came after the image that it tells of stays open
        let later = bump.told.map_or(open.len(), |told| open.iter().take_while(|c| c.image <= told).count());
        let later: Changes = open.drain(later..).collect();
        let over = |change: &Change| bump.at > change.until;
        let oldest = open.first().copied();
        let (verdict, cause) = match oldest {
            _ if bump.membership => {
                let missed = open.iter().filter(|c| over(c));
                missed.for_each(|c| self.books.missed(&missed_change(bump.group, c, bump.trigger)));
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
        let members = self.told.members(group);
        let booked = Bump { at, group, epoch, verdict, cause, trigger, delay, hash };
        self.books.bump(&booked, members);
        match bump.told {
            Some(image) => {
                self.told.tell_of(group, image);
                self.keep_open(group, at, later, bump.trigger);
            }
            None => self.told.tell(group),
        }
        self.note_staleness(group, at);
        booked
    }

    /// What a rebalance with an older image has left open; where the truth had moved on without a change of its own, it
    /// is one from here on.
    fn keep_open(&mut self, group: GroupId, at: Ms, mut later: Changes, cause: Origin) {
        if !self.told.is_stale(group) {
            return;
        }
        if later.is_empty() {
            let ends = self.heartbeats.first_accepted(group, at).unwrap_or(Ms::NEVER);
            let until = at.after(self.history.groups[group.index()].patience).max(ends);
            later.push(Change { opened: at, until, ends, cause, image: self.told.held(group) });
        }
        self.dockets[group.index()].open = later;
    }

    /// The end of the run: what is open and over its patience has been missed.
    pub fn finish(&mut self) {
        let end = self.history.duration;
        for group in (0..self.dockets.len()).map(GroupId::at) {
            let open = self.take_open(group);
            self.note_missed(group, open, end);
        }
        self.books.advance(end);
        let stale = self.dockets.iter().filter_map(|docket| docket.stale_since);
        stale.for_each(|since| self.books.stale_for(since, end));
    }

    /// A group's truth has just become another.
    fn truth_changed(&mut self, touched: Touched, at: Ms) {
        let group = touched.group;
        if self.told.is_stale(group) {
            self.book_change(touched, at);
        } else {
            let open = self.take_open(group);
            self.note_missed(group, open, at);
        }
        self.note_staleness(group, at);
    }

    fn take_open(&mut self, group: GroupId) -> Changes {
        std::mem::take(&mut self.dockets[group.index()].open)
    }

    /// Of changes that end without a rebalance, those over their patience have been missed.
    fn note_missed(&mut self, group: GroupId, open: Changes, at: Ms) {
        for change in self.ended(group, open, at).iter().filter(|change| at > change.until) {
            self.books.missed(&missed_change(group, change, change.cause));
        }
    }

    fn book_change(&mut self, touched: Touched, at: Ms) {
        let group = touched.group;
        let held = self.told.held(group);
        let mut open = self.take_open(group);
        match open.last_mut() {
            // still the same change: no heartbeat has been accepted since it opened
            Some(youngest) if at <= youngest.ends => youngest.image = held,
            _ => {
                open = self.ended(group, open, at);
                if !open.last().is_some_and(|youngest| self.told.same(group, youngest.image, held)) {
                    let ends = self.heartbeats.first_accepted(group, at).unwrap_or(Ms::NEVER);
                    let patience = self.history.groups[group.index()].patience.after(touched.extension);
                    let until = at.after(patience).max(ends);
                    open.push(Change { opened: at, until, ends, cause: Origin::Entry(touched.entry), image: held });
                }
            }
        }
        self.dockets[group.index()].open = open;
    }

    /// Drops the youngest change if the heartbeat that ended it found the truth of the one before.
    fn ended(&self, group: GroupId, mut open: Changes, at: Ms) -> Changes {
        if let [.., before, youngest] = open[..]
            && youngest.ends <= at
            && self.told.same(group, before.image, youngest.image)
        {
            open.pop();
        }
        open
    }

    /// What a member's own operation changes opens nothing; it can bring the truth back to told.
    fn own_operation(&mut self, member: MemberId, at: Ms) {
        let group = self.history.members[member.index()].group;
        if !self.told.is_stale(group) {
            // a rebalance that follows in this operation would have closed them as membership: same count
            let open = self.take_open(group);
            self.note_missed(group, open, at);
        }
        self.note_staleness(group, at);
    }

    fn note_staleness(&mut self, group: GroupId, at: Ms) {
        let docket = &mut self.dockets[group.index()];
        if self.told.is_stale(group) {
            if docket.stale_since.is_none() {
                docket.stale_since = Some(at);
                self.books.stale_groups(at, 1);
            }
        } else if let Some(since) = docket.stale_since.take() {
            self.books.stale_for(since, at);
            self.books.stale_groups(at, -1);
        }
    }
}

fn missed_change(group: GroupId, change: &Change, trigger: Origin) -> MissedChange {
    MissedChange { opened: change.opened, group, cause: change.cause, trigger }
}
