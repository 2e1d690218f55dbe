//! The cluster's part of a history: brokers, topics and shards' leaders, run through the event calendar once,
//! without regard to members, who change none of it. What comes out are the images as published.

use std::rc::Rc;

use crate::kafka::{BrokerId, EntryIndex, MetadataImage, TopicId, Version};
use crate::scenario::{Coordinators, Place, Scenario, Verb, When};
use crate::sim::{Calendar, Chance, Ms};

use super::controller::{BrokerState, Controller};
use super::dictionary::{Dictionary, OFFSETS};
use super::draws;
use super::error::WorldError;
use super::instant::{Published, ShardMove};
use super::notes::{Notes, Occurrence};
use super::partition::Partition;
use super::picks::Target;
use super::placement::Placer;
use super::starting::{Planned, Starting};
use super::whens::{Process, spread};

/// Most things that may happen to the cluster in one run.
const ACTS_MAX: u64 = 100_000_000;

/// A process of a broker that ends without a word, or runs again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Silence {
    pub(super) at: Ms,
    pub(super) broker: BrokerId,
    pub(super) silent: bool,
    pub(super) entry: EntryIndex,
}

/// What happens to the cluster.
#[derive(Debug, Default)]
pub(super) struct ClusterHistory {
    /// The image at time 0.
    pub(super) start: MetadataImage,
    /// By broker, its release at time 0.
    pub(super) releases: Vec<Version>,
    /// Who leads which shard at time 0; empty with `coordinators: apart`.
    pub(super) leaders: Vec<Option<BrokerId>>,
    /// Images, in order.
    pub(super) published: Vec<Published>,
    /// Moves of shards that live on no broker.
    pub(super) apart: Vec<(Ms, ShardMove)>,
    /// Crashes and the starts after them, in order.
    pub(super) silences: Vec<Silence>,
}

/// One thing that an entry does something to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum One {
    Broker(BrokerId),
    Topic(TopicId),
    Shard(u32),
    /// All that the entry says, at once.
    Whole,
}

/// Order among what happens to the cluster at one instant: first what earlier happenings bring about, then the
/// entries, in the order written. Only the state at the end of the instant is published.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    SessionEnd,
    Unfence,
    Expand,
    TakeBack,
    Complete,
    Entry(EntryIndex),
}

/// Something that is to happen.
#[derive(Clone, Debug)]
pub(super) enum Act {
    SessionEnd { broker: BrokerId, end: Ms, entry: EntryIndex },
    Unfence { broker: BrokerId, life: u64, start: Starting },
    Expand { broker: BrokerId, life: u64, partitions: Vec<Planned> },
    TakeBack { broker: BrokerId, life: u64 },
    Complete { entry: EntryIndex, partitions: Vec<(Planned, u32)> },
    Occur { process: usize, number: u64 },
    Apply { occurrence: Rc<Occurrence>, one: One, named: bool },
    Start { broker: BrokerId, life: u64, start: Starting },
    Roll(super::rolling::Rolling),
    Create { occurrence: Rc<Occurrence>, topic: TopicId, place: Place, named: bool },
    Wave { occurrence: Rc<Occurrence>, waves: super::reassign::Waves },
}

/// The cluster while its history is made.
pub(super) struct Cluster<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) chance: Chance,
    pub(super) dictionary: &'a Dictionary<'a>,
    pub(super) controller: Controller,
    pub(super) notes: Notes,
    pub(super) history: ClusterHistory,
    /// Moves that nobody could complete when their time came.
    pub(super) put_off: Vec<(Planned, u32, EntryIndex)>,
    calendar: Calendar<(Ms, Rank), Act>,
    processes: Vec<(EntryIndex, Process)>,
}

/// Makes the cluster's history.
pub(super) fn run(
    scenario: &Scenario,
    chance: Chance,
    dictionary: &Dictionary,
) -> Result<(ClusterHistory, Notes), WorldError> {
    let mut cluster = Cluster {
        scenario,
        chance,
        dictionary,
        controller: Controller::new(dictionary.topics.len()),
        notes: Notes::default(),
        history: ClusterHistory::default(),
        put_off: Vec::new(),
        calendar: Calendar::new(),
        processes: Vec::new(),
    };
    cluster.stand()?;
    cluster.begin_entries()?;
    cluster.play()?;
    Ok((cluster.history, cluster.notes))
}

impl Cluster<'_> {
    /// Puts something on the calendar; what comes after the end of the run never happens.
    pub(super) fn plan(&mut self, at: Ms, rank: Rank, act: Act) {
        if at < self.scenario.duration {
            self.calendar.put((at, rank), act);
        }
    }

    /// What stands at time 0.
    fn stand(&mut self) -> Result<(), WorldError> {
        for broker in &self.scenario.brokers {
            let rack = self.dictionary.rack(broker.rack.as_deref());
            let state =
                BrokerState { rack, version: broker.version, registered: true, running: true, ..Default::default() };
            self.controller.brokers.insert(broker.id, state);
            self.controller.live.set(broker.id, true);
        }
        for topic in &self.scenario.topics {
            let id = self.dictionary.topic(&topic.name);
            let state = &mut self.controller.topics[id.index()];
            state.exists = true;
            state.id = topic.id.unwrap_or_else(|| draws::topic_id(&self.chance, &topic.name, 0));
            let partitions = self
                .place(&topic.name, 0, &topic.place)
                .map_err(|why| WorldError::at_start(format!("topic {} {why}", topic.name)))?;
            self.controller.topics[id.index()].partitions = partitions;
        }
        if self.scenario.cluster.coordinators == Coordinators::Brokers {
            self.stand_offsets()?;
        }
        self.history.start = self.controller.image();
        self.history.releases = vec![Version::default(); self.history.start.brokers.len()];
        for broker in &self.scenario.brokers {
            self.history.releases[broker.id.index()] = broker.version;
        }
        Ok(())
    }

    fn stand_offsets(&mut self) -> Result<(), WorldError> {
        let placed = match &self.scenario.cluster.offsets_replicas {
            Some(lists) => self.place_exactly(lists),
            None => self.place_offsets(),
        };
        let partitions = placed.map_err(|why| WorldError::at_start(format!("{OFFSETS} {why}")))?;
        self.history.leaders = partitions.iter().map(|p| p.leader).collect();
        let offsets = self.controller.offsets();
        let state = &mut self.controller.topics[offsets.index()];
        (state.exists, state.partitions) = (true, partitions);
        Ok(())
    }

    fn place_offsets(&self) -> Result<Vec<Partition>, String> {
        let rf = draws::count32(self.scenario.brokers.len()).min(3);
        let shards = self.scenario.cluster.offsets_partitions;
        let mut placer = Placer::new(self.controller.sites(), self.chance.stream("offsets-placement", OFFSETS));
        if let Some(why) = placer.objection(rf) {
            return Err(why);
        }
        Ok((0..shards).map(|_| Partition::new(placer.place(rf), &self.controller.live)).collect())
    }

    /// Puts the first occurrences of all entries on the calendar.
    fn begin_entries(&mut self) -> Result<(), WorldError> {
        let scenario = self.scenario;
        for (index, entry) in (0u32..).zip(&scenario.history).filter(|(_, e)| !e.verb.is_of_members()) {
            let targets = match entry.when {
                When::Rate { each: true, .. } => self.own_targets(index, entry)?,
                When::Rate { .. } | When::At(_) | When::Every { .. } => vec![None],
            };
            for target in targets {
                self.processes.push((index, Process::new(entry, &self.chance, target)));
                let process = self.processes.len() - 1;
                self.next_occurrence(process);
                // written instants need not be in order
                while matches!(entry.when, When::At(_)) && self.next_occurrence(process) {}
            }
        }
        Ok(())
    }

    fn next_occurrence(&mut self, process: usize) -> bool {
        let (entry, state) = &mut self.processes[process];
        let rank = Rank::Entry(*entry);
        let next = state.next(&self.scenario.history[*entry as usize].when, self.scenario.duration);
        if let Some((at, number)) = next {
            self.plan(at, rank, Act::Occur { process, number });
        }
        next.is_some()
    }

    /// Runs the calendar to the end; all that happens at one instant is published together.
    fn play(&mut self) -> Result<(), WorldError> {
        while let Some(((at, _), act)) = self.calendar.take() {
            if self.calendar.ever() > ACTS_MAX {
                let message = format!("more than {ACTS_MAX} things happen to the cluster: shorten the run");
                return Err(WorldError { entry: None, at, message });
            }
            self.perform(at, act)?;
            if self.calendar.next_key().is_none_or(|(next, _)| next > at) {
                self.complete_put_off();
                let image = self.controller.instant.publish(at, &self.controller.topics);
                self.history.published.extend(image);
            }
        }
        Ok(())
    }

    fn perform(&mut self, at: Ms, act: Act) -> Result<(), WorldError> {
        match act {
            Act::SessionEnd { broker, end, entry } => self.session_ends(at, broker, end, entry),
            Act::Unfence { broker, life, start } => self.unfence(at, broker, life, &start),
            Act::Expand { broker, life, partitions } => self.expand(broker, life, &partitions),
            Act::TakeBack { broker, life } => self.take_back(broker, life),
            Act::Complete { entry, partitions } => self.complete(entry, partitions),
            Act::Start { broker, life, start } => self.start_again(at, broker, life, start),
            Act::Occur { process, number } => return self.occur(at, process, number),
            Act::Apply { occurrence, one, named } => return self.apply(at, &occurrence, &one, named),
            Act::Roll(rolling) => return self.roll_on(at, rolling),
            Act::Create { occurrence, topic, place, named } => {
                return self.create_topic(topic, &place, &occurrence, named);
            }
            Act::Wave { occurrence, waves } => return self.wave(at, &occurrence, waves),
        }
        Ok(())
    }

    fn occur(&mut self, at: Ms, process: usize, number: u64) -> Result<(), WorldError> {
        let (index, state) = &self.processes[process];
        let (index, target) = (*index, state.target.clone());
        let entry = &self.scenario.history[index as usize];
        if !matches!(entry.when, When::At(_)) {
            self.next_occurrence(process);
        }
        let occurrence = Rc::new(Occurrence::new(index, entry, number, target, at));
        if let Verb::Roll { .. } = entry.verb {
            return self.roll(&occurrence);
        }
        let targets = self.targets(&occurrence)?;
        let count = targets.len();
        for (i, (one, named)) in targets.into_iter().enumerate() {
            let when = spread(at, entry.over, i, count);
            let occurrence = Rc::clone(&occurrence);
            if when == at {
                self.apply(at, &occurrence, &one, named)?;
            } else {
                self.plan(when, Rank::Entry(index), Act::Apply { occurrence, one, named });
            }
        }
        Ok(())
    }
}

/// A target as one thing, with whether it was named.
pub(super) fn ones(targets: Vec<Target>, one: impl Fn(usize) -> One) -> Vec<(One, bool)> {
    targets.into_iter().map(|t| (one(t.index), t.named)).collect()
}
