//! The judge (model: K.5): holds every rebalance against the truth. It sees the history and the bumps,
//! never a hash. What is pending of a group is in its [`Docket`].

use crate::kafka::{GroupId, MemberId, ShardId, SubscriptionId};
use crate::sim::Ms;
use crate::world::{Heartbeats, History};

use super::docket::{Change, Changes, Docket, Term, Turn};
use super::{Books, Bump, ImageNo, Origin, Readings, Told, Touched};

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
        self.dockets[group.index()].is_open()
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
        let (group, at) = (bump.group, bump.at);
        let (told, docket) = (&self.told, &mut self.dockets[group.index()]);
        let same = |a, b| told.same(group, a, b);
        let (booked, later) = docket.on_bump(bump, told.members(group), same, &mut self.books);
        match bump.told {
            Some(image) => {
                self.told.tell_of(group, image);
                self.keep_open(group, at, later, bump.trigger);
            }
            None => self.told.tell(group),
        }
        let stale = self.told.is_stale(group);
        self.dockets[group.index()].note_staleness(at, stale, &mut self.books);
        booked
    }

    /// What a rebalance with an older image has left open; where the truth had moved on without a change of its own, it
    /// is one from here on.
    fn keep_open(&mut self, group: GroupId, at: Ms, mut later: Changes, cause: Origin) {
        if !self.told.is_stale(group) {
            return;
        }
        if later.is_empty() {
            let patience = self.history.groups[group.index()].patience;
            let term = Term::new(at, patience, self.heartbeats.first_accepted(group, at));
            later.push(Change { opened: at, term, cause, image: self.told.held(group) });
        }
        self.dockets[group.index()].keep(later);
    }

    /// The end of the run: what is open and over its patience has been missed.
    pub fn finish(&mut self) {
        let end = self.history.duration;
        for (group, docket) in self.dockets.iter_mut().enumerate().map(|(place, docket)| (GroupId::at(place), docket)) {
            docket.finish(group, end, |a, b| self.told.same(group, a, b), &mut self.books);
        }
    }

    /// A group's truth has just become another.
    fn truth_changed(&mut self, touched: Touched, at: Ms) {
        let Touched { group, entry, extension } = touched;
        let (told, heartbeats) = (&self.told, self.heartbeats);
        let (cause, image, stale) = (Origin::Entry(entry), told.held(group), told.is_stale(group));
        let patience = self.history.groups[group.index()].patience.after(extension);
        let term = || Term::new(at, patience, heartbeats.first_accepted(group, at));
        let turn = Turn { group, at, cause, image, stale };
        self.dockets[group.index()].truth_changed(&turn, |a, b| told.same(group, a, b), term, &mut self.books);
    }

    /// What a member's own operation changes opens nothing; it can bring the truth back to told.
    fn own_operation(&mut self, member: MemberId, at: Ms) {
        let group = self.history.members[member.index()].group;
        let stale = self.told.is_stale(group);
        let (told, docket) = (&self.told, &mut self.dockets[group.index()]);
        if !stale {
            // a rebalance that follows in this operation would have closed them as membership: same count
            docket.drop_open(group, at, |a, b| told.same(group, a, b), &mut self.books);
        }
        docket.note_staleness(at, stale, &mut self.books);
    }
}
