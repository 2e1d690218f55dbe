//! A strategy at work over groups in which nobody comes or goes: everything that it does really done, so that its time can
//! be taken, and little beside it. Shards share nothing, so one comes after the other, each in order of time, and what its
//! groups have stored and its cache stay near. The books are [`super::replay`]'s; what is done here is held against them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::kafka::{GroupId, MetadataImage, TopicId};
use crate::metrics::LaneOutcome;
use crate::sim::Ms;
use crate::strategy::{GroupView, Stored, Strategy, TopicIndex, Verdict, View, Why, Work, cpu_model_ns};
use crate::world::{Happening, Rounds};

use super::super::lane::{BATCH, GoOn, Stage};
use super::super::timer::Timer;
use super::path::Path;

/// What was done after the warm-up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Done {
    /// Groups that were due and looked.
    pub(in super::super) refreshes: u64,
    /// Those that stored another value.
    pub(in super::super) rebalances: u64,
    /// What it took.
    pub(in super::super) work: Work,
}

impl Done {
    /// Do the books say the same?
    pub(in super::super) fn is_booked(&self, lane: &LaneOutcome) -> bool {
        let (booked, work) = (&lane.outcome, &self.work);
        [self.refreshes, self.rebalances] == [booked.refreshes, booked.counts.rebalances()]
            && [work.topics_hashed, work.bytes_hashed] == [booked.topics_hashed, booked.bytes_hashed]
            && [work.cache_hits, work.cache_misses] == [booked.cache_hits, booked.cache_misses]
            && work.entries_compared == booked.entries_compared
            && cpu_model_ns(work, self.refreshes) == booked.cpu_model_ns
    }
}

/// A group as its shard has it.
struct Watching<'a> {
    topics: Box<[TopicId]>,
    stored: Stored,
    rounds: Rounds<'a>,
    due: bool,
}

/// One shard. Its groups go by their places in it.
struct Shard<'a> {
    stage: Stage<'a>,
    /// `None` while it does not answer.
    strategy: Option<Box<dyn Strategy>>,
    image: MetadataImage,
    image_no: u32,
    index: TopicIndex,
    groups: Vec<Watching<'a>>,
    /// Heartbeats at which a group looks.
    due: BinaryHeap<Reverse<(Ms, GroupId)>>,
    /// Looks that have not been settled, and the places of marked topics: rooms.
    looked: Vec<(GroupId, Ms, Verdict)>,
    marked: Vec<usize>,
    warmup: Ms,
    done: Done,
}

/// Lets a strategy work through a history that [`super::replay`] has taken. `None`: somebody stopped it.
pub(in super::super) fn work(
    stage: Stage<'_>,
    make: &dyn Fn() -> Box<dyn Strategy>,
    warmup: Ms,
    timer: &mut dyn Timer,
    go_on: GoOn<'_>,
) -> Option<Done> {
    let history = stage.history;
    let mut of_shards: Vec<Vec<GroupId>> = vec![Vec::new(); history.shards.len()];
    for (place, group) in history.groups.iter().enumerate() {
        of_shards[group.shard.index()].push(GroupId::at(place));
    }
    let mut done = Done::default();
    let (shards, length) = (of_shards.len() as u64, history.duration.0);
    for ((place, groups), before) in
        of_shards.iter().enumerate().zip(0u64..).filter(|((_, groups), _)| !groups.is_empty())
    {
        // as far as this shard's time has come, and the shards before it
        let go_on = |at: Ms| go_on(Ms((length * before + at.0) / shards));
        timer.begin();
        let mut shard = Shard::standing(stage, groups, make(), warmup);
        for (number, event) in history.events.iter().enumerate() {
            if number % 64 == 0 && !go_on(event.at) {
                return None;
            }
            match event.what {
                Happening::Delta(delta) => {
                    shard.look_until(Some(event.at), timer);
                    shard.delta(delta, event.at, timer);
                }
                Happening::ShardDown(of) if of.index() == place => {
                    shard.look_until(Some(event.at), timer);
                    shard.stop();
                }
                Happening::ShardUp { shard: of, .. } if of.index() == place => shard.load(make(), event.at),
                _ => {}
            }
        }
        shard.look_until(None, timer);
        timer.finish();
        done.refreshes += shard.done.refreshes;
        done.rebalances += shard.done.rebalances;
        done.work.add(&shard.done.work, 1);
    }
    Some(done)
}

impl<'a> Shard<'a> {
    /// At time 0, every value fresh.
    fn standing(stage: Stage<'a>, groups: &[GroupId], mut strategy: Box<dyn Strategy>, warmup: Ms) -> Shard<'a> {
        let image = stage.history.start.clone();
        let mut index = TopicIndex::new(stage.history.names.topics.len());
        let mut path = Path::default();
        let view = View { image: &image, image_no: 0, names: stage.names, values: None };
        let watching = |(place, group): (usize, &GroupId)| {
            path.subscribe(stage, *group);
            let topics: Box<[TopicId]> = path.topics.as_slice().into();
            topics.iter().for_each(|topic| index.watch(*topic, GroupId::at(place)));
            let stored = strategy.fresh(&GroupView { group: GroupId::at(place), topics: &topics }, &view);
            Watching { topics, stored, rounds: Rounds::of(stage.heartbeats, *group), due: false }
        };
        let groups = groups.iter().enumerate().map(watching).collect();
        Shard {
            stage,
            strategy: Some(strategy),
            image,
            image_no: 0,
            index,
            groups,
            due: BinaryHeap::new(),
            looked: Vec::new(),
            marked: Vec::new(),
            warmup,
            done: Done::default(),
        }
    }

    fn delta(&mut self, delta: u32, at: Ms, timer: &mut dyn Timer) {
        let changed = &self.stage.readings.deltas[delta as usize].changed;
        self.image.apply(&self.stage.history.deltas[delta as usize].delta);
        self.image_no += 1;
        let Some(strategy) = &mut self.strategy else { return };
        if changed.is_empty() {
            return;
        }
        timer.start();
        strategy.on_new_image(changed, &self.index, &mut self.marked);
        timer.stop(0);
        for place in self.marked.drain(..) {
            for group in self.index.watchers(changed[place].topic) {
                if let Some(at) = self.groups[group.index()].becomes_due(at) {
                    self.due.push(Reverse((at, *group)));
                }
            }
        }
    }

    fn stop(&mut self) {
        self.strategy = None;
        self.due.clear();
        self.groups.iter_mut().for_each(|group| group.due = false);
    }

    fn load(&mut self, strategy: Box<dyn Strategy>, at: Ms) {
        if strategy.compares() {
            for (place, group) in self.groups.iter_mut().enumerate() {
                self.due.extend(group.becomes_due(at).map(|at| Reverse((at, GroupId::at(place)))));
            }
        }
        self.strategy = Some(strategy);
    }

    /// Heartbeats that come before `before` (all, without), at which groups look: a batch at a time, since no group is
    /// twice among them.
    fn look_until(&mut self, before: Option<Ms>, timer: &mut dyn Timer) {
        let comes = |due: &Reverse<(Ms, GroupId)>| before.is_none_or(|before| due.0.0 < before);
        while self.due.peek().is_some_and(comes) {
            timer.start();
            while self.looked.len() < BATCH
                && let Some(Reverse((at, group))) = self.due.peek().copied().filter(comes)
            {
                self.due.pop();
                self.look(group, at);
            }
            timer.stop(self.looked.len() as u64);
            for (group, at, verdict) in self.looked.drain(..) {
                let group = &mut self.groups[group.index()];
                group.due = false;
                let counts = u64::from(at >= self.warmup);
                self.done.refreshes += counts;
                self.done.rebalances += counts * u64::from(verdict.differs);
                if let Some(value) = verdict.value.filter(|_| verdict.differs) {
                    group.stored = value;
                }
            }
        }
    }

    fn look(&mut self, id: GroupId, at: Ms) {
        let group = &self.groups[id.index()];
        let view = View { image: &self.image, image_no: self.image_no, names: self.stage.names, values: None };
        let seen = GroupView { group: id, topics: &group.topics };
        let mut before_the_warmup = Work::default();
        let work = if at >= self.warmup { &mut self.done.work } else { &mut before_the_warmup };
        let strategy = self.strategy.as_mut().expect("nobody is due while the shard does not answer");
        let verdict = strategy.recompute(&seen, &view, &group.stored, Why::Heartbeat, work);
        self.looked.push((id, at, verdict.expect("a strategy that may fail goes in order of time")));
    }
}

impl Watching<'_> {
    /// The heartbeat at which it looks, if it is not due already and one comes.
    fn becomes_due(&mut self, at: Ms) -> Option<Ms> {
        if std::mem::replace(&mut self.due, true) {
            return None;
        }
        self.rounds.next(at)
    }
}
