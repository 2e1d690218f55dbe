//! The replay: the history's events and, between them, the refreshes of clients that find something. `exhaustive`
//! walks every refresh of every client that looks, and must find the same.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::kafka::{GroupId, MemberId, MetadataImage};
use crate::metrics::{Books, ImageNo, Judge, LaneOutcome, StepBooks};
use crate::scenario::{ClientSwitches, Watches};
use crate::sim::Ms;
use crate::strategy::Work;
use crate::world::{Event, Happening, Step};

use super::super::lane::{GoOn, LaneOptions, Stage};
use super::group::{Client, Room};
use super::refreshes;
use super::views::Views;

/// One replay of classic groups.
pub(in crate::experiment) struct ClassicLane<'a> {
    pub(super) stage: Stage<'a>,
    pub(super) options: LaneOptions,
    pub(super) switches: ClientSwitches,
    pub(super) judge: Judge<'a>,
    pub(super) views: Views,
    pub(super) rooms: Vec<Room>,
    pub(super) clients: Vec<Client>,
    /// By group: has a member of it ever a pattern?
    pub(super) patterned: Vec<bool>,
    /// The newest image, and its number.
    pub(super) counts: MetadataImage,
    pub(super) image: ImageNo,
    /// By topic: groups that ever subscribe to it.
    watchers: Vec<Vec<GroupId>>,
    wakes: BinaryHeap<Reverse<(Ms, GroupId)>>,
    /// By group: the refresh that waits; others in the queue are stale.
    waiting: Vec<Option<Ms>>,
    pub(super) load_ms_max: u64,
}

impl<'a> ClassicLane<'a> {
    /// A lane at time 0: every group stands, assigned with what there is.
    pub(in crate::experiment) fn new(
        stage: Stage<'a>,
        switches: ClientSwitches,
        options: LaneOptions,
    ) -> ClassicLane<'a> {
        let history = stage.history;
        let mut books =
            Books::new(history.groups.len(), history.duration, options.warmup, options.bucket, options.keep_bumps);
        books.steps = StepBooks::new(stage.rolls);
        let refreshes = refreshes::at_start(history, switches.metadata_age);
        let client = |(member, refreshes): (&crate::world::MemberHistory, refreshes::Refreshes)| Client {
            here: member.standing,
            alive: member.standing,
            refreshes,
            subscription: member.subscription,
            sent: None,
            owned: None,
            shrunk: false,
        };
        let mut lane = ClassicLane {
            stage,
            options,
            switches,
            judge: Judge::new(history, stage.heartbeats, stage.readings, books),
            views: Views::new(history, switches.offline_rack),
            rooms: vec![Room::default(); history.groups.len()],
            clients: history.members.iter().zip(refreshes).map(client).collect(),
            patterned: vec![false; history.groups.len()],
            counts: history.start.clone(),
            image: 0,
            watchers: vec![Vec::new(); history.names.topics.len()],
            wakes: BinaryHeap::new(),
            waiting: vec![None; history.groups.len()],
            load_ms_max: 0,
        };
        lane.index();
        (0..history.groups.len()).for_each(|group| lane.stand(GroupId::at(group)));
        lane
    }

    /// Who may ever watch what: superfluous ones are looked at for nothing and never miss anything.
    fn index(&mut self) {
        let history = self.stage.history;
        let mut pairs: Vec<(GroupId, crate::kafka::SubscriptionId)> =
            history.members.iter().map(|m| (m.group, m.subscription)).collect();
        pairs.extend(history.events.iter().filter_map(|event| match event.what {
            Happening::Subscribe(member, to) => Some((history.members[member.index()].group, to)),
            _ => None,
        }));
        pairs.sort_unstable();
        pairs.dedup();
        for (group, subscription) in pairs {
            let subscription = &history.subscriptions[subscription.index()];
            let mut topics = subscription.names.clone();
            if let Some(pattern) = subscription.pattern {
                self.patterned[group.index()] = true;
                topics.extend(&history.patterns[pattern.index()].matches);
            }
            for topic in topics {
                let watchers = &mut self.watchers[topic.index()];
                if watchers.last() != Some(&group) {
                    watchers.push(group);
                }
            }
        }
    }

    fn stand(&mut self, group: GroupId) {
        let spec = &self.stage.history.groups[group.index()];
        let leader = self.members(group).find(|m| self.client(*m).here);
        let room = &mut self.rooms[group.index()];
        (room.exists, room.epoch, room.leader) = (spec.stands, spec.epoch, leader);
        if !spec.stands {
            return;
        }
        for member in self.members(group).filter(|m| self.client(*m).here).collect::<Vec<_>>() {
            let sent = self.has_pattern(member).then(|| self.subscribed(member, 0));
            self.clients[member.index()].sent = sent;
        }
        let topics = match (self.switches.watches, leader) {
            (Watches::Own, Some(leader)) => self.sent(leader).to_vec(),
            _ => self.union(group),
        };
        self.watch(group, &topics, 0);
        self.deal(group);
        self.reschedule(group, Ms::ZERO);
    }

    /// Replays the whole history. `go_on` is asked now and then; `None` if it said no.
    pub(in crate::experiment) fn replay(mut self, go_on: GoOn<'_>) -> Option<LaneOutcome> {
        let history = self.stage.history;
        for (index, event) in history.events.iter().enumerate() {
            if index % 64 == 0 && !go_on(event.at) {
                return None;
            }
            // refreshes come with the heartbeats of an instant
            self.work_until(event.at, event.step >= Step::Heartbeat);
            self.happen(event);
        }
        self.work_until(history.duration, false);
        self.judge.finish();
        Some(self.outcome())
    }

    fn happen(&mut self, event: &Event) {
        let at = event.at;
        match event.what {
            Happening::Delta(index) => self.delta(index, at),
            Happening::ShardDown(shard) => self.judge.on_shard_down(shard),
            Happening::ShardUp { shard, load } => {
                if at >= self.options.warmup {
                    self.load_ms_max = self.load_ms_max.max(load.0);
                }
                self.judge.on_shard_up(shard, at);
                let groups = &self.stage.history.groups;
                let wait = |g: &GroupId| groups[g.index()].shard == shard && self.rooms[g.index()].wants.is_some();
                let waiting: Vec<GroupId> = (0..groups.len()).map(GroupId::at).filter(wait).collect();
                waiting.into_iter().for_each(|group| self.rejoin(group, at));
            }
            Happening::GroupGone(group) => {
                self.rooms[group.index()] = Room { epoch: self.rooms[group.index()].epoch, ..Room::default() };
                self.reschedule(group, at);
            }
            Happening::Join(member)
            | Happening::Leave(member)
            | Happening::Expire(member)
            | Happening::Silent(member)
            | Happening::Away(member)
            | Happening::Back(member)
            | Happening::Subscribe(member, _) => self.member(member, event),
        }
    }

    fn delta(&mut self, index: u32, at: Ms) {
        self.counts.apply(&self.stage.history.deltas[index as usize].delta);
        self.image += 1;
        self.judge.on_image(at);
        let mut touched: Vec<GroupId> = Vec::new();
        for place in 0..self.views.changed(self.image).len() {
            let (topic, entry) = self.views.changed(self.image)[place];
            for &group in &self.watchers[topic.index()] {
                self.rooms[group.index()].behind.get_or_insert(entry);
                touched.push(group);
            }
        }
        touched.sort_unstable();
        touched.dedup();
        touched.into_iter().for_each(|group| self.reschedule(group, at));
    }

    /// A member found something while its coordinator was away, and now that is back.
    fn rejoin(&mut self, group: GroupId, at: Ms) {
        if self.rooms[group.index()].wants.is_some_and(|member| self.runs(member)) {
            self.rebalance(group, at, None);
        }
        self.rooms[group.index()].wants = None;
        self.reschedule(group, at);
    }

    /// The group's next refresh to be walked (or none); any other is forgotten.
    pub(super) fn wait(&mut self, group: GroupId, at: Option<Ms>) {
        if self.waiting[group.index()] != at {
            self.waiting[group.index()] = at;
            self.wakes.extend(at.map(|at| Reverse((at, group))));
        }
    }

    /// Every refresh before `at` (and at it, if `through`).
    fn work_until(&mut self, at: Ms, through: bool) {
        while let Some(&Reverse((due, group))) = self.wakes.peek() {
            if due > at || (due == at && !through) {
                return;
            }
            self.wakes.pop();
            if self.waiting[group.index()] == Some(due) {
                self.waiting[group.index()] = None;
                self.refresh(group, due);
            }
        }
    }

    /// The refreshes of a group's members at one instant: all that find something rejoin together.
    fn refresh(&mut self, group: GroupId, at: Ms) {
        let age = self.switches.metadata_age;
        let now = |m: &MemberId| self.client(*m).refreshes.next(at, age) == at;
        let found: Vec<MemberId> =
            self.members(group).filter(|m| now(m) && self.finds(group, *m, self.image)).collect();
        for &member in &found {
            self.judge.books.recomputed(at, 1, true, false, &Work::default());
            let client = &mut self.clients[member.index()];
            client.shrunk = !client.shrunk && client.owned.is_some();
        }
        if let Some(first) = found.first().copied() {
            if self.is_down(group, at) {
                self.rooms[group.index()].wants = Some(first);
            } else {
                self.rebalance(group, at, None);
            }
        }
        self.reschedule(group, at.after(Ms(1)));
    }
}
