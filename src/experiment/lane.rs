//! A lane: one strategy's coordinator replaying the history, its rebalances going to the judge. Heartbeats
//! that find nothing to do are never walked, unless `exhaustive` asks for the plain walk; both must agree
//! byte for byte.

use std::collections::BTreeMap;

use crate::coordinator::{Coordinator, Look, Operation, Outcome, Recomputed, Renewal, Setting};
use crate::kafka::{GroupId, MemberId, NameTable, TopicId};
use crate::metrics::{
    Books, CatchUp, Counts, GroupOutcome, Judge, LaneOutcome, Outcome as Totals, Reading, Readings, Rebalance,
};
use crate::scenario::StrategySpec;
use crate::sim::Ms;
use crate::strategy::Strategy;
use crate::world::{Beat, Event, Happening, Heartbeats, History, Origin, Step};

use super::wakes::{Place, Wake, WakeStep, Wakes, place_of};

/// How many due groups a strategy looks at in one go, at most (their new values are held until settled).
const BATCH: usize = 1024;

/// A failed leave or expiry is tried again after so long (model: K.3).
const RETRY: Ms = Ms(500);

/// How a lane runs.
#[derive(Clone, Copy, Debug)]
pub struct LaneOptions {
    /// Walk every heartbeat.
    pub exhaustive: bool,
    /// Counts begin here.
    pub warmup: Ms,
    /// Width of a bucket.
    pub bucket: Ms,
    /// Bumps kept one by one, at most.
    pub keep_bumps: usize,
}

/// What a lane is made of, shared between lanes.
#[derive(Clone, Copy)]
pub struct Stage<'a> {
    /// What happens.
    pub history: &'a History,
    /// Its heartbeats.
    pub heartbeats: &'a Heartbeats<'a>,
    /// Its deltas, read.
    pub readings: &'a Readings,
    /// Names by id.
    pub names: &'a NameTable,
}

/// Told when strategies work, so that somebody can time it: around whole batches, never a single call.
pub trait Timer {
    /// Strategies begin to work.
    fn start(&mut self);
    /// They have done so many calls.
    fn stop(&mut self, calls: u64);
}

/// Times nothing.
pub struct NoTimer;

impl Timer for NoTimer {
    fn start(&mut self) {}
    fn stop(&mut self, _calls: u64) {}
}

/// One strategy's replay.
pub struct Lane<'a> {
    stage: Stage<'a>,
    options: LaneOptions,
    coordinator: Coordinator<'a>,
    judge: Judge<'a>,
    catch_up: CatchUp<'a>,
    wakes: Wakes,
    timer: &'a mut dyn Timer,
    looks: Vec<Look>,
    due: Vec<GroupId>,
    /// Joins and changed subscriptions that failed: carried by the member's next heartbeat.
    pending: BTreeMap<MemberId, (Operation, Origin)>,
    /// Leaves and expiries that failed.
    leaving: BTreeMap<MemberId, Origin>,
    /// Who brought a group's newest pattern.
    brought: BTreeMap<GroupId, Origin>,
    tally: Tally,
}

/// What the lane counts itself.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    walked: u64,
    refused: u64,
    invalidations: u64,
    pattern_refreshes: u64,
    pattern_matches: u64,
    load_ms_max: u64,
}

impl<'a> Lane<'a> {
    /// A lane at time 0.
    pub fn new(
        stage: Stage<'a>,
        spec: &StrategySpec,
        make: Box<dyn Fn() -> Box<dyn Strategy> + 'a>,
        options: LaneOptions,
        timer: &'a mut dyn Timer,
    ) -> Lane<'a> {
        let history = stage.history;
        let setting = Setting {
            history,
            names: stage.names,
            make,
            refresh_interval: spec.switches.refresh_interval,
            regex_refresh: spec.switches.regex_refresh,
        };
        let books =
            Books::new(history.groups.len(), history.duration, options.warmup, options.bucket, options.keep_bumps);
        let lines = Reading::of(spec).map(|reading| stage.readings.lines(reading));
        Lane {
            stage,
            options,
            coordinator: Coordinator::new(setting),
            judge: Judge::new(history, stage.heartbeats, stage.readings, books),
            catch_up: CatchUp::new(history, stage.readings, lines),
            wakes: Wakes::new(history.groups.len()),
            timer,
            looks: Vec::new(),
            due: Vec::new(),
            pending: BTreeMap::new(),
            leaving: BTreeMap::new(),
            brought: BTreeMap::new(),
            tally: Tally::default(),
        }
    }

    /// Replays the whole history. `go_on` is asked now and then; `None` if it said no.
    pub fn replay(mut self, go_on: &dyn Fn() -> bool) -> Option<LaneOutcome> {
        let history = self.stage.history;
        if self.options.exhaustive {
            for (index, presence) in history.presences.iter().enumerate() {
                let group = history.members[presence.member.index()].group;
                let presence_no = u32::try_from(index).expect("presences fit 32 bits");
                if presence.first < presence.until {
                    self.walk(presence.first, group, presence.member, presence_no);
                }
            }
        } else {
            (0..history.groups.len()).for_each(|g| self.reschedule(GroupId::at(g), Ms::ZERO, None));
        }
        for (index, event) in history.events.iter().enumerate() {
            if index % 64 == 0 && !go_on() {
                return None;
            }
            self.work_until(Some(place_of(event, history)));
            self.happen(event);
        }
        self.work_until(None);
        self.judge.finish();
        Some(self.outcome())
    }

    /// Everything that waits before `place`.
    fn work_until(&mut self, place: Option<Place>) {
        while let Some(wake) = self.wakes.pop_before(place) {
            match wake.step {
                WakeStep::Heartbeat => self.heartbeats(wake, place),
                WakeStep::Patterns => self.patterns(wake),
                WakeStep::Retry => self.retry_leave(wake),
            }
        }
    }

    /// A heartbeat, and all that follow it without anything between: the strategy looks at them in one go.
    fn heartbeats(&mut self, first: Wake, place: Option<Place>) {
        let mut batch: Vec<Wake> = Vec::new();
        let mut next = Some(first);
        while let Some(wake) = next {
            if self.pending.contains_key(&wake.member) {
                // an operation asks the strategy, too: what came before it must be looked at first
                if batch.is_empty() {
                    self.pending_heartbeat(&wake);
                } else {
                    self.wakes.put_back(wake);
                }
                break;
            }
            if self.heartbeat(&wake) {
                batch.push(wake);
            }
            let full = batch.len() >= if self.options.exhaustive { 1 } else { BATCH };
            next = if full { None } else { self.wakes.pop_heartbeat_before(place) };
        }
        if batch.is_empty() {
            return;
        }
        let mut looks = std::mem::take(&mut self.looks);
        self.timer.start();
        looks.extend(batch.iter().map(|wake| self.coordinator.look(wake.group, wake.member, wake.at)));
        self.timer.stop(looks.len() as u64);
        for look in looks.drain(..) {
            let (group, member, at) = (look.group, look.member, look.at);
            let (recomputed, renewal) = self.coordinator.settle(look);
            self.book(group, at, Some(recomputed), renewal);
            self.reschedule(group, at, Some(member));
        }
        self.looks = looks;
    }

    /// One heartbeat before the strategy's part: walks on, retries what the member has pending, asks for patterns.
    /// True if the strategy must look.
    fn heartbeat(&mut self, wake: &Wake) -> bool {
        if wake.presence != u32::MAX && !self.step(wake) {
            return false;
        }
        if self.coordinator.asks_patterns(wake.group, wake.at) {
            self.wakes.push(Wake { step: WakeStep::Patterns, ..*wake });
        }
        let due = self.coordinator.is_due(wake.group, wake.at);
        if !due {
            self.reschedule(wake.group, wake.at, Some(wake.member));
        }
        due
    }

    /// A heartbeat that carries an operation that failed before.
    fn pending_heartbeat(&mut self, wake: &Wake) {
        if wake.presence != u32::MAX && !self.step(wake) {
            return;
        }
        if let Some((operation, by)) = self.pending.remove(&wake.member) {
            self.operate(wake.member, operation, by, wake.at, Some(wake.member));
        }
    }

    /// The plain walk: counts this heartbeat and puts the member's next in. False if the shard refuses it.
    fn step(&mut self, wake: &Wake) -> bool {
        let history = self.stage.history;
        let presence = &history.presences[wake.presence as usize];
        let next = wake.at.after(history.groups[wake.group.index()].heartbeat);
        if next < presence.until {
            self.walk(next, wake.group, wake.member, wake.presence);
        }
        let shard = history.groups[wake.group.index()].shard;
        let accepted = self.stage.heartbeats.down_until(shard, wake.at).is_none();
        if wake.at >= self.options.warmup {
            *(if accepted { &mut self.tally.walked } else { &mut self.tally.refused }) += 1;
        }
        accepted
    }

    fn walk(&mut self, at: Ms, group: GroupId, member: MemberId, presence: u32) {
        if at < self.stage.history.duration {
            self.wakes.push(Wake { at, step: WakeStep::Heartbeat, group, member, presence });
        }
    }

    /// Finds the group's next heartbeat with something to do.
    fn reschedule(&mut self, group: GroupId, now: Ms, after: Option<MemberId>) {
        if self.options.exhaustive {
            return;
        }
        let beat = self
            .coordinator
            .wakes(group, now)
            .filter(|at| *at < self.stage.history.duration)
            .and_then(|at| self.stage.heartbeats.next_plain(group, at, if at == now { after } else { None }));
        let retry = self.next_retry(group, now, after);
        let beat = match (beat, retry) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        self.wakes.set(group, beat);
    }

    /// The next heartbeat of a member of this group that has an operation pending.
    fn next_retry(&self, group: GroupId, now: Ms, after: Option<MemberId>) -> Option<Beat> {
        if self.pending.is_empty() {
            return None;
        }
        let spec = &self.stage.history.groups[group.index()];
        let first = spec.first_member;
        let members = first..MemberId(first.0 + spec.members);
        let next = |member: MemberId| {
            let from = if after.is_some_and(|a| member > a) { Ms(now.0.saturating_sub(1)) } else { now };
            self.stage.heartbeats.next_of_member(member, from).map(|at| Beat { at, member })
        };
        self.pending.range(members).filter_map(|(member, _)| next(*member)).min()
    }

    fn happen(&mut self, event: &Event) {
        let at = event.at;
        match event.what {
            Happening::Delta(index) => self.delta(index, at),
            Happening::ShardDown(shard) => {
                self.coordinator.on_shard_down(shard);
                self.judge.on_shard_down(shard);
            }
            Happening::ShardUp { shard, load } => {
                if at >= self.options.warmup {
                    self.tally.load_ms_max = self.tally.load_ms_max.max(load.0);
                }
                let by = event.entry.map_or(Origin::Start, Origin::Entry);
                self.coordinator.on_shard_up(shard, by, &mut self.due);
                self.judge.on_shard_up(shard, at);
                self.rearm_leaves(shard, at);
                self.schedule_due(at);
            }
            Happening::Join(member) => {
                self.judge.member_in(member, at);
                let subscription = self.stage.history.members[member.index()].subscription;
                self.member_operation(member, Operation::Join(subscription), event);
            }
            Happening::Subscribe(member, to) => {
                self.judge.resubscribe(member, to, at);
                let joins = self.pending.remove(&member).is_some_and(|(op, _)| matches!(op, Operation::Join(_)));
                let operation = if joins { Operation::Join(to) } else { Operation::Subscribe(to) };
                self.member_operation(member, operation, event);
            }
            Happening::Leave(member) | Happening::Expire(member) => {
                self.judge.member_out(member, at);
                self.pending.remove(&member);
                self.member_operation(member, Operation::Leave, event);
            }
            Happening::Back(member) => self.member_operation(member, Operation::Back, event),
            Happening::Silent(_) | Happening::Away(_) => {}
            Happening::GroupGone(group) => {
                self.coordinator.on_group_gone(group);
                self.note_appended(at);
            }
        }
    }

    fn delta(&mut self, index: u32, at: Ms) {
        let history = self.stage.history;
        let facts = &self.stage.readings.deltas[index as usize];
        let delta = &history.deltas[index as usize].delta;
        if at >= self.options.warmup {
            self.tally.invalidations += self.coordinator.watched(&facts.changed);
        }
        self.timer.start();
        self.coordinator.on_delta(delta, &facts.changed, &facts.entries, facts.creates, &mut self.due);
        self.timer.stop(0);
        self.judge.on_image(at);
        self.schedule_due(at);
    }

    fn schedule_due(&mut self, at: Ms) {
        let mut due = std::mem::take(&mut self.due);
        due.drain(..).for_each(|group| self.reschedule(group, at, None));
        self.due = due;
    }

    fn member_operation(&mut self, member: MemberId, operation: Operation, event: &Event) {
        let group = self.stage.history.members[member.index()].group;
        let by = event.entry.map_or(Origin::Group(group), Origin::Entry);
        let after = (event.step == Step::Heartbeat).then_some(member);
        self.operate(member, operation, by, event.at, after);
    }

    fn operate(&mut self, member: MemberId, operation: Operation, by: Origin, at: Ms, after: Option<MemberId>) {
        let history = self.stage.history;
        let group = history.members[member.index()].group;
        if let Operation::Join(to) | Operation::Subscribe(to) = operation
            && history.subscriptions[to.index()].pattern.is_some()
        {
            self.brought.insert(group, by);
        }
        let Outcome { recomputed, renewal } = self.coordinator.operate(member, operation, by, at);
        self.book(group, at, recomputed, renewal);
        if recomputed.is_some_and(|r| r.failed) {
            match operation {
                Operation::Join(_) | Operation::Subscribe(_) => {
                    self.pending.insert(member, (operation, by));
                }
                Operation::Leave => self.retry_later(member, by, at.after(RETRY)),
                Operation::Back => {}
            }
        }
        let is_heartbeat = operation != Operation::Leave;
        if is_heartbeat && self.coordinator.asks_patterns(group, at) {
            self.wakes.push(Wake { at, step: WakeStep::Patterns, group, member, presence: u32::MAX });
        }
        self.reschedule(group, at, after);
    }

    fn retry_later(&mut self, member: MemberId, by: Origin, at: Ms) {
        self.leaving.insert(member, by);
        let group = self.stage.history.members[member.index()].group;
        if at < self.stage.history.duration {
            self.wakes.push(Wake { at, step: WakeStep::Retry, group, member, presence: u32::MAX });
        }
    }

    fn retry_leave(&mut self, wake: Wake) {
        let shard = self.coordinator.shard_of(wake.group);
        if self.stage.heartbeats.down_until(shard, wake.at).is_some() {
            return;
        }
        if let Some(by) = self.leaving.remove(&wake.member) {
            self.operate(wake.member, Operation::Leave, by, wake.at, None);
        }
    }

    /// A loaded shard gives every member a full session; those that should have gone expire after it.
    fn rearm_leaves(&mut self, shard: crate::kafka::ShardId, at: Ms) {
        let history = self.stage.history;
        let of_shard = |m: &MemberId| history.groups[history.members[m.index()].group.index()].shard == shard;
        let again: Vec<(MemberId, Origin)> =
            self.leaving.iter().filter(|(m, _)| of_shard(m)).map(|(m, by)| (*m, *by)).collect();
        for (member, by) in again {
            let session = history.groups[history.members[member.index()].group.index()].session;
            self.retry_later(member, by, at.after(session));
        }
    }

    fn patterns(&mut self, wake: Wake) {
        let by = self.brought.get(&wake.group).copied().unwrap_or(Origin::Group(wake.group));
        let (recomputed, matches, renewal) = self.coordinator.on_patterns(wake.group, wake.at, by);
        if wake.at >= self.options.warmup {
            self.tally.pattern_refreshes += 1;
            self.tally.pattern_matches += matches;
        }
        self.book(wake.group, wake.at, Some(recomputed), renewal);
        self.reschedule(wake.group, wake.at.after(Ms(1)), None);
    }

    /// What an operation did goes into the books.
    fn book(&mut self, group: GroupId, at: Ms, recomputed: Option<Recomputed>, renewal: Option<Renewal>) {
        if let Some(Recomputed { due, failed, work }) = recomputed {
            self.judge.books.recomputed(at, 1, due, failed, &work);
        }
        self.note_appended(at);
        let Some(renewal) = renewal else { return };
        let now = self.coordinator.image_no;
        let coordinator = &self.coordinator;
        let topics = &coordinator.group(group).topics;
        let spurious = self.catch_up.on_bump(group, topics, now, |topic| coordinator.read_from(group, topic), &renewal);
        let Renewal { epoch, membership, trigger, .. } = renewal;
        self.judge.on_bump(&Rebalance { at, group, epoch, membership, trigger, spurious });
    }

    fn note_appended(&mut self, at: Ms) {
        let appended = std::mem::take(&mut self.coordinator.appended);
        self.judge.books.appended(at, &appended);
    }

    fn outcome(self) -> LaneOutcome {
        let Lane { stage, options, coordinator, judge, tally, .. } = self;
        let history = stage.history;
        let mut books = judge.books;
        let (accepted, refused) = stage.heartbeats.count(options.warmup, history.duration);
        let (buckets, width, warmup) = books.buckets_mut();
        for bucket in buckets {
            let end = bucket.start.after(width);
            bucket.heartbeats = stage.heartbeats.count(bucket.start.max(warmup), end).0;
        }
        if options.exhaustive {
            let operations = stage.heartbeats.operations(options.warmup, history.duration);
            assert_eq!(
                (tally.walked + operations.0, tally.refused + operations.1),
                (accepted, refused),
                "the walk and the arithmetic must count the same heartbeats"
            );
        }
        let (groups_end, groups_empty_end) = coordinator.known_groups();
        let mut outcome = Totals {
            groups: history.groups.len() as u64,
            members: history.members.len() as u64,
            heartbeats: accepted,
            heartbeats_refused: refused,
            invalidations: tally.invalidations,
            pattern_refreshes: tally.pattern_refreshes,
            pattern_matches: tally.pattern_matches,
            load_ms_max: tally.load_ms_max,
            groups_end,
            groups_empty_end,
            ..Totals::default()
        };
        books.fill(&mut outcome);
        let main = books.main_causes();
        let groups = (0..history.groups.len()).map(GroupId::at).map(|id| {
            let group = coordinator.group(id);
            let exists = |t: &&TopicId| coordinator.image.topic(**t).is_some();
            let mut row = GroupOutcome {
                group: id,
                shard: coordinator.shard_of(id).0,
                members: group.subscribers.members(),
                topics: u32::try_from(group.topics.iter().filter(exists).count()).expect("topics fit 32 bits"),
                epoch: group.epoch,
                counts: Counts::default(),
                first: None,
                last: None,
                main_cause: main.get(&id).copied(),
            };
            books.fill_group(&mut row);
            row
        });
        let groups = groups.collect();
        let causes = books.causes();
        let (buckets, bumps, bumps_complete, missed) = books.into_lists();
        LaneOutcome { outcome, causes, groups, buckets, bumps, bumps_complete, missed, ..LaneOutcome::default() }
    }
}
