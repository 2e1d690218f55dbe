//! A classic group and its clients: who leads it, what the leader's snapshot says, what each member has joined with.

use crate::kafka::{EntryIndex, GroupId, MemberId, SubscriptionId, TopicId};
use crate::metrics::ImageNo;
use crate::scenario::{ClientRack, Watches};
use crate::sim::Ms;
use crate::world::Heartbeats;

use super::lane::ClassicLane;
use super::refreshes::Refreshes;
use super::views::GONE;

/// A group.
#[derive(Clone, Debug, Default)]
pub(super) struct Room {
    pub(super) exists: bool,
    /// The generation.
    pub(super) epoch: u32,
    pub(super) leader: Option<MemberId>,
    /// Has the leader a snapshot to hold its metadata against?
    pub(super) watching: bool,
    /// The snapshot: what the leader watches, as its metadata had it at the last assignment.
    pub(super) snapshot: Vec<(TopicId, u32)>,
    /// Does the snapshot hold topics that nobody subscribes to any more (`snapshot: kept`)?
    pub(super) outdated: bool,
    /// Does its leader look at racks?
    pub(super) racks: bool,
    /// The entry behind the first thing that a client could see and none has acted on.
    pub(super) behind: Option<EntryIndex>,
    /// A member that found something while the coordinator did not answer.
    pub(super) wants: Option<MemberId>,
}

/// A member.
#[derive(Clone, Debug)]
pub(super) struct Client {
    /// Is it in its group?
    pub(super) here: bool,
    /// Does it run?
    pub(super) alive: bool,
    pub(super) refreshes: Refreshes,
    pub(super) subscription: SubscriptionId,
    /// The topics that it joined with, where that is not its subscription's names: a pattern's, or fewer
    /// (`watches: owned`).
    pub(super) sent: Option<Vec<TopicId>>,
    /// `watches: owned`: it has partitions of these topics only, and of these at least.
    pub(super) owned: Option<Vec<TopicId>>,
    /// `watches: owned`: it takes the others for gone.
    pub(super) shrunk: bool,
}

impl ClassicLane<'_> {
    /// All members that a group ever has.
    pub(super) fn members(&self, group: GroupId) -> impl Iterator<Item = MemberId> + use<> {
        let spec = &self.stage.history.groups[group.index()];
        let first = spec.first_member.0;
        (first..first + spec.members).map(MemberId)
    }

    pub(super) fn client(&self, member: MemberId) -> &Client {
        &self.clients[member.index()]
    }

    /// In its group and running.
    pub(super) fn runs(&self, member: MemberId) -> bool {
        let client = self.client(member);
        client.here && client.alive
    }

    pub(super) fn has_pattern(&self, member: MemberId) -> bool {
        self.stage.history.subscriptions[self.client(member).subscription.index()].pattern.is_some()
    }

    /// The image of an instant.
    pub(super) fn image_at(&self, at: Ms) -> ImageNo {
        let deltas = &self.stage.history.deltas;
        ImageNo::try_from(deltas.partition_point(|arrival| arrival.at <= at)).expect("deltas fit 32 bits")
    }

    /// The image that a member's metadata is of at `at`.
    pub(super) fn metadata(&self, member: MemberId, at: Ms) -> ImageNo {
        self.image_at(self.client(member).refreshes.last(at, self.switches.metadata_age))
    }

    /// What a member subscribes to by metadata of an image, in order of id: its names, and what its pattern matches.
    pub(super) fn subscribed(&self, member: MemberId, image: ImageNo) -> Vec<TopicId> {
        let history = self.stage.history;
        let subscription = &history.subscriptions[self.client(member).subscription.index()];
        let mut topics = subscription.names.clone();
        if let Some(pattern) = subscription.pattern {
            let matches = &history.patterns[pattern.index()].matches;
            topics.extend(matches.iter().filter(|t| self.views.at(**t, image, false) != GONE));
            topics.sort_unstable();
            topics.dedup();
        }
        topics
    }

    /// The topics that a member has joined with.
    pub(super) fn sent(&self, member: MemberId) -> &[TopicId] {
        let client = self.client(member);
        let names = &self.stage.history.subscriptions[client.subscription.index()].names;
        client.sent.as_deref().unwrap_or(names)
    }

    /// The topics that the members of a group have joined with, each once, in order of id.
    pub(super) fn union(&self, group: GroupId) -> Vec<TopicId> {
        let mut topics: Vec<TopicId> = Vec::new();
        for member in self.members(group).filter(|m| self.client(*m).here) {
            let sent = self.sent(member);
            // most members of a group subscribe to the same
            if topics != sent {
                topics.extend(sent);
                topics.sort_unstable();
                topics.dedup();
            }
        }
        topics
    }

    /// Whose refreshes can find something?
    fn looks(&self, group: GroupId, member: MemberId) -> bool {
        let room = &self.rooms[group.index()];
        self.runs(member)
            && ((room.watching && room.leader == Some(member))
                || self.has_pattern(member)
                || self.switches.watches == Watches::Owned)
    }

    /// Would a refresh that shows this image make the member rejoin?
    pub(super) fn finds(&self, group: GroupId, member: MemberId, image: ImageNo) -> bool {
        let room = &self.rooms[group.index()];
        if !self.looks(group, member) {
            return false;
        }
        let differs = |(topic, number): &(TopicId, u32)| self.views.at(*topic, image, room.racks) != *number;
        let leads = room.watching && room.leader == Some(member);
        let client = self.client(member);
        (leads && (room.outdated || room.snapshot.iter().any(differs)))
            || (self.has_pattern(member) && self.subscribed(member, image) != self.sent(member))
            || client.shrunk
            || client.owned.is_some()
    }

    /// The next refresh of the group that has to be walked, from `from` on: of those that would find something now, or
    /// of all with `exhaustive`.
    pub(super) fn reschedule(&mut self, group: GroupId, from: Ms) {
        let room = &self.rooms[group.index()];
        let mut next: Option<Ms> = None;
        let mut found = false;
        if room.exists && room.wants.is_none() {
            let only_leader = !self.anybody_looks(group);
            let lookers: Vec<MemberId> =
                if only_leader { room.leader.into_iter().collect() } else { self.members(group).collect() };
            for member in lookers.into_iter().filter(|m| self.looks(group, *m)) {
                let finds = self.finds(group, member, self.image);
                found |= finds;
                if finds || self.options.exhaustive {
                    let at = self.client(member).refreshes.next(from, self.switches.metadata_age);
                    next = Some(next.map_or(at, |next| next.min(at)));
                }
            }
        }
        let room = &mut self.rooms[group.index()];
        if !found && room.wants.is_none() {
            room.behind = None;
        }
        self.wait(group, next.filter(|at| *at < self.stage.history.duration));
    }

    /// Can others than the leader find something?
    fn anybody_looks(&self, group: GroupId) -> bool {
        self.switches.watches == Watches::Owned || self.patterned[group.index()]
    }

    /// Is the group's coordinator unreachable?
    pub(super) fn is_down(&self, group: GroupId, at: Ms) -> bool {
        let heartbeats: &Heartbeats<'_> = self.stage.heartbeats;
        heartbeats.down_until(self.stage.history.groups[group.index()].shard, at).is_some()
    }

    /// Takes the snapshot: what the leader watches, as an image has it.
    pub(super) fn watch(&mut self, group: GroupId, topics: &[TopicId], image: ImageNo) {
        let leader = self.rooms[group.index()].leader;
        let racks = self.switches.client_rack == ClientRack::Given
            && leader.is_some_and(|leader| self.stage.history.members[leader.index()].rack.is_some());
        let snapshot = topics.iter().map(|t| (*t, self.views.at(*t, image, racks))).collect();
        let room = &mut self.rooms[group.index()];
        (room.racks, room.snapshot, room.watching, room.outdated) = (racks, snapshot, leader.is_some(), false);
    }

    /// `watches: owned`: which topics each member has partitions of, dealt as `range` does: the first of a topic's
    /// subscribers have one each where there are fewer partitions than subscribers.
    pub(super) fn deal(&mut self, group: GroupId) {
        if self.switches.watches != Watches::Owned {
            return;
        }
        let members: Vec<MemberId> = self.members(group).filter(|m| self.client(*m).here).collect();
        let mut owned: Vec<Vec<TopicId>> = vec![Vec::new(); members.len()];
        for topic in self.union(group) {
            let partitions = self.partitions(topic);
            let takers = (0..members.len()).filter(|i| self.sent(members[*i]).contains(&topic));
            takers.take(partitions).for_each(|i| owned[i].push(topic));
        }
        for (member, owned) in members.into_iter().zip(owned) {
            let there = |t: &&TopicId| self.partitions(**t) > 0;
            let all = self.subscribed(member, self.image).iter().filter(there).count();
            let less = !owned.is_empty() && owned.len() < all;
            self.clients[member.index()].owned = less.then_some(owned);
        }
    }

    fn partitions(&self, topic: TopicId) -> usize {
        self.counts.topic(topic).map_or(0, |content| content.partitions.len())
    }
}
