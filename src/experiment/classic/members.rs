//! What members do, and the rebalances that come of it.

use crate::kafka::{GroupId, MemberId, TopicId};
use crate::metrics::Rebalance;
use crate::scenario::{PatternRejoin, Snapshot, StaticLeader, Watches};
use crate::sim::Ms;
use crate::world::{Event, Happening, Origin};

use super::lane::ClassicLane;
use super::refreshes::Refreshes;

impl ClassicLane<'_> {
    /// A member does something. What it does it does at an active coordinator.
    pub(super) fn member(&mut self, member: MemberId, event: &Event) {
        let at = event.at;
        let group = self.stage.history.members[member.index()].group;
        let by = event.entry.map_or(Origin::Group(group), Origin::Entry);
        let fresh = Refreshes::from(at, self.switches.metadata_age);
        match event.what {
            Happening::Join(_) => {
                self.judge.member_in(member, at);
                let subscription = self.stage.history.members[member.index()].subscription;
                let client = &mut self.clients[member.index()];
                (client.here, client.alive, client.refreshes) = (true, true, fresh);
                (client.subscription, client.sent, client.shrunk) = (subscription, None, false);
                self.rooms[group.index()].exists = true;
                self.rebalance(group, at, Some(by));
            }
            Happening::Subscribe(_, to) => {
                self.judge.resubscribe(member, to, at);
                let before: Vec<TopicId> = self.rooms[group.index()].snapshot.iter().map(|(t, _)| *t).collect();
                let client = &mut self.clients[member.index()];
                (client.subscription, client.sent, client.refreshes) = (to, None, fresh);
                self.rebalance(group, at, Some(by));
                let gone = |t: &TopicId| !self.rooms[group.index()].snapshot.iter().any(|(now, _)| now == t);
                if self.switches.snapshot == Snapshot::Kept && before.iter().any(gone) {
                    self.rooms[group.index()].outdated = true;
                }
            }
            Happening::Leave(_) | Happening::Expire(_) => {
                self.judge.member_out(member, at);
                let client = &mut self.clients[member.index()];
                (client.here, client.alive) = (false, false);
                self.rebalance(group, at, Some(by));
            }
            Happening::Back(_) => {
                let client = &mut self.clients[member.index()];
                (client.alive, client.refreshes) = (true, fresh);
                self.leader_is_back(group, member, at);
            }
            _ => self.clients[member.index()].alive = false,
        }
        self.reschedule(group, at);
    }

    /// A static member is back, and no rebalance comes of it. If it leads, what it watches from here on is the question.
    fn leader_is_back(&mut self, group: GroupId, member: MemberId, at: Ms) {
        if self.rooms[group.index()].leader != Some(member) {
            return;
        }
        match self.switches.static_leader {
            StaticLeader::Forgets => self.rooms[group.index()].watching = false,
            // what changed while it was away is in its new snapshot, and in nobody's assignment
            StaticLeader::Watches => {
                let topics: Vec<TopicId> = self.rooms[group.index()].snapshot.iter().map(|(t, _)| *t).collect();
                let image = self.metadata(member, at);
                self.watch(group, &topics, image);
            }
        }
    }

    /// The group's members join anew and its leader assigns: a new generation. `membership`: who caused it, if a member
    /// did; otherwise a client has found something.
    pub(super) fn rebalance(&mut self, group: GroupId, at: Ms, membership: Option<Origin>) {
        let age = self.switches.metadata_age;
        let members: Vec<MemberId> = self.members(group).filter(|m| self.client(*m).here).collect();
        let before = self.rooms[group.index()].leader;
        let stays = before.filter(|leader| self.runs(*leader));
        let first = members.iter().copied().find(|m| self.runs(*m)).or(members.first().copied());
        let leader = stays.or(first);
        self.rooms[group.index()].leader = leader;
        let patterned = members.iter().any(|m| self.has_pattern(*m));
        for &member in &members {
            let refreshes = patterned && self.switches.pattern_rejoin == PatternRejoin::Refreshes;
            if refreshes && self.client(member).alive {
                self.clients[member.index()].refreshes = Refreshes::from(at, age);
            }
            let image = self.metadata(member, at);
            let client = self.client(member);
            let sent = match &client.owned {
                Some(owned) if client.shrunk => Some(owned.clone()),
                _ => self.has_pattern(member).then(|| self.subscribed(member, image)),
            };
            self.clients[member.index()].sent = sent;
        }
        let mut told = self.image;
        if let Some(leader) = leader {
            let own = self.subscribed(leader, self.metadata(leader, at));
            let topics =
                if self.switches.watches == Watches::Own { self.sent(leader).to_vec() } else { self.union(group) };
            // it knows its own topics, and what it watched before
            let snapshot = &self.rooms[group.index()].snapshot;
            let knows =
                |t: &TopicId| own.contains(t) || (before == Some(leader) && snapshot.iter().any(|(s, _)| s == t));
            if !topics.iter().all(knows) {
                self.clients[leader.index()].refreshes = Refreshes::from(at, age);
            }
            told = self.metadata(leader, at);
            self.watch(group, &topics, told);
        } else {
            self.watch(group, &[], told);
        }
        self.deal(group);
        let room = &mut self.rooms[group.index()];
        room.epoch += 1;
        room.wants = None;
        let found = room.behind.map_or(Origin::RefreshInterval, Origin::Entry);
        let trigger = membership.unwrap_or(found);
        self.judge.on_bump(&Rebalance {
            at,
            group,
            epoch: self.rooms[group.index()].epoch,
            membership: membership.is_some(),
            trigger,
            spurious: (false, trigger),
            hash: None,
            told: Some(told),
        });
    }
}
