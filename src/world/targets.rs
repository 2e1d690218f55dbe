//! Whom an entry of the cluster means, and the verb carried out on each of them.

use crate::kafka::{BrokerId, TopicId};
use crate::scenario::{Entry, Moves, Pick, ShardPick, Verb, Word};

use super::cluster::{Cluster, One, ones};
use super::dictionary::{OFFSETS, broker_id};
use super::error::WorldError;
use super::notes::{Occurrence, Unfit};
use super::picks::{Choice, Entity, Fitness};

/// The state in which a broker can be a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    /// Registered, or about to be.
    There,
    /// Its process runs.
    Running,
    /// Its process does not run.
    Stopped,
    /// Registered, and fenced since its process does not run.
    Fenced,
}

impl Cluster<'_> {
    /// Targets of an occurrence, in natural order, and whether each was named by its own name.
    pub(super) fn targets(&mut self, occurrence: &Occurrence) -> Result<Vec<(One, bool)>, WorldError> {
        let scenario = self.scenario;
        match &scenario.history[occurrence.entry as usize].verb {
            Verb::Roll { .. }
            | Verb::SnapshotReload
            | Verb::Reassign { .. }
            | Verb::Join { .. }
            | Verb::Leave { .. }
            | Verb::Kill { .. }
            | Verb::RestartMember { .. }
            | Verb::Subscribe { .. } => Ok(vec![(One::Whole, false)]),
            Verb::Restart { brokers, .. } | Verb::Shutdown { brokers, .. } | Verb::Crash { brokers, .. } => {
                self.brokers(brokers, Need::Running, occurrence)
            }
            Verb::Start { brokers, .. } => self.brokers(brokers, Need::Stopped, occurrence),
            Verb::Unregister { brokers } => self.brokers(brokers, Need::Fenced, occurrence),
            Verb::AddBroker { brokers, .. } => Ok(brokers.iter().map(|b| (One::Broker(*b), true)).collect()),
            Verb::CreateTopic { names, .. } => {
                Ok(names.iter().map(|name| (One::Topic(self.dictionary.topic(name)), true)).collect())
            }
            Verb::AddPartitions { topics, .. }
            | Verb::DeleteTopic { topics }
            | Verb::RecreateTopic { topics, .. }
            | Verb::SetRf { topics, .. }
            | Verb::ElectLeaders { topics, .. }
            | Verb::Touch { topics, .. } => self.topics(topics, occurrence),
            Verb::IsrShrink { topics, .. } | Verb::IsrExpand { topics, .. } => {
                self.topics_or_offsets(topics, occurrence)
            }
            Verb::MoveCoordinator { shards, .. } => self.shards(shards, occurrence),
        }
    }

    /// With `rate: … per TARGET`: all that an entry can ever mean, each a process of its own.
    pub(super) fn own_targets(&self, index: u32, entry: &Entry) -> Result<Vec<Option<String>>, WorldError> {
        let occurrence = Occurrence::new(index, entry, 0, None, crate::sim::Ms::ZERO);
        let always = |_: usize| Fitness::Fits;
        let scope = |noun, entities: &[Entity<'_>], pick: &Pick| {
            // racks change: whoever has the rack when the time comes
            let pick = if matches!(pick, Pick::Rack(_)) { &Pick::All } else { pick };
            let choice = Choice { noun, entities, fitness: &always, dictionary: self.dictionary, own_target: false };
            let targets = choice.scope(pick, &occurrence)?;
            Ok(targets.iter().map(|t| Some(entities[t.index].name.to_string())).collect())
        };
        match &entry.verb {
            Verb::Roll { brokers, .. }
            | Verb::Restart { brokers, .. }
            | Verb::Shutdown { brokers, .. }
            | Verb::Crash { brokers, .. }
            | Verb::Start { brokers, .. }
            | Verb::Unregister { brokers }
            | Verb::MoveCoordinator { shards: ShardPick::Brokers(brokers), .. } => {
                scope("broker", &self.all_brokers(), brokers)
            }
            Verb::AddPartitions { topics, .. }
            | Verb::DeleteTopic { topics }
            | Verb::RecreateTopic { topics, .. }
            | Verb::SetRf { topics, .. }
            | Verb::ElectLeaders { topics, .. }
            | Verb::Touch { topics, .. }
            | Verb::IsrShrink { topics, .. }
            | Verb::IsrExpand { topics, .. }
            | Verb::Reassign { moves: Moves::Drawn { topics, .. } | Moves::Exact { topics, .. }, .. } => {
                scope("topic", &self.dictionary.topic_entities, topics)
            }
            Verb::MoveCoordinator { shards: ShardPick::Groups(groups), .. } => {
                scope("group", &self.dictionary.group_entities, groups)
            }
            Verb::AddBroker { .. }
            | Verb::CreateTopic { .. }
            | Verb::SnapshotReload
            | Verb::MoveCoordinator { .. }
            | Verb::Join { .. }
            | Verb::Leave { .. }
            | Verb::Kill { .. }
            | Verb::RestartMember { .. }
            | Verb::Subscribe { .. } => Ok(vec![None]),
        }
    }

    /// Every broker that there is at time 0 or that an entry adds.
    fn all_brokers(&self) -> Vec<Entity<'static>> {
        let mut ids: Vec<BrokerId> = self.scenario.brokers.iter().map(|b| b.id).collect();
        for entry in &self.scenario.history {
            if let Verb::AddBroker { brokers, .. } = &entry.verb {
                ids.extend(brokers);
            }
        }
        ids.sort_unstable();
        ids.dedup();
        ids.into_iter().map(|id| Entity { name: id.0.to_string().into(), family: None, rack: None }).collect()
    }

    /// Brokers as targets: all that an entry may name, with the racks that they have now.
    pub(super) fn broker_entities(&self) -> Vec<Entity<'static>> {
        let mut all = self.all_brokers();
        for entity in &mut all {
            let state = broker_id(&entity.name).and_then(|id| self.controller.brokers.get(&id));
            entity.rack = state.filter(|s| s.registered).and_then(|s| s.rack);
        }
        all
    }

    /// Brokers as targets, in a state that the entry needs.
    pub(super) fn brokers(
        &mut self,
        pick: &Pick,
        need: Need,
        occurrence: &Occurrence,
    ) -> Result<Vec<(One, bool)>, WorldError> {
        let entities = self.broker_entities();
        let id = |i: usize| broker_id(&entities[i].name).expect("made from an id");
        let fitness = |i: usize| self.broker_fitness(id(i), need);
        let (entities, dictionary) = (&entities[..], self.dictionary);
        let choice = Choice { noun: "broker", entities, fitness: &fitness, dictionary, own_target: true };
        let (targets, notes) = choice.resolve(pick, occurrence, &self.chance)?;
        self.notes.absorb(notes);
        Ok(ones(targets, |i| One::Broker(id(i))))
    }

    /// Is the broker in that state now?
    pub(super) fn broker_fitness(&self, broker: BrokerId, need: Need) -> Fitness {
        let state = self.controller.brokers.get(&broker);
        let unfit = |why: &str| {
            let by_chance = state.is_some_and(|s| s.by_chance);
            Unfit { who: format!("broker {}", broker.0), why: why.to_owned(), by_chance }
        };
        let Some(state) = state else {
            return Fitness::Absent(unfit("is not there yet"));
        };
        match need {
            Need::Stopped if state.running => Fitness::Unfit(unfit("runs already")),
            Need::Stopped => Fitness::Fits,
            _ if !state.registered && !state.running => Fitness::Absent(unfit("is not registered")),
            Need::Running if !state.running => Fitness::Unfit(unfit("is down")),
            Need::Running | Need::There => Fitness::Fits,
            Need::Fenced if state.running => Fitness::Unfit(unfit("still runs: stop it first")),
            Need::Fenced if self.controller.live.has(broker) => {
                Fitness::Unfit(unfit("is not fenced yet: its session has not run out"))
            }
            Need::Fenced => Fitness::Fits,
        }
    }

    /// Topics that exist.
    pub(super) fn topics(&mut self, pick: &Pick, occurrence: &Occurrence) -> Result<Vec<(One, bool)>, WorldError> {
        let dictionary = self.dictionary;
        let fitness = |i: usize| self.topic_fitness(TopicId::at(i));
        let entities = &dictionary.topic_entities;
        let choice = Choice { noun: "topic", entities, fitness: &fitness, dictionary, own_target: true };
        let (targets, notes) = choice.resolve(pick, occurrence, &self.chance)?;
        self.notes.absorb(notes);
        Ok(ones(targets, |i| One::Topic(TopicId::at(i))))
    }

    /// Does the topic exist now?
    pub(super) fn topic_fitness(&self, topic: TopicId) -> Fitness {
        let state = &self.controller.topics[topic.index()];
        if state.exists {
            return Fitness::Fits;
        }
        let who = format!("topic {}", self.dictionary.topic_name(topic));
        Fitness::Absent(Unfit { who, why: "does not exist".into(), by_chance: state.by_chance })
    }

    /// Topics, or the offsets topic where it is named.
    fn topics_or_offsets(&mut self, pick: &Pick, occurrence: &Occurrence) -> Result<Vec<(One, bool)>, WorldError> {
        let Pick::These(words) = pick else {
            return self.topics(pick, occurrence);
        };
        let is_offsets = |word: &Word| matches!(word, Word::Name(name) if name == OFFSETS);
        let others: Vec<Word> = words.iter().filter(|w| !is_offsets(w)).cloned().collect();
        let mut targets = Vec::new();
        if others.len() < words.len() {
            if !self.controller.topics[self.controller.offsets().index()].exists {
                return Err(occurrence.error(format!("{OFFSETS} has no brokers with `coordinators: apart`")));
            }
            targets.push((One::Topic(self.controller.offsets()), true));
        }
        if !others.is_empty() {
            targets.extend(self.topics(&Pick::These(others), occurrence)?);
        }
        Ok(targets)
    }
}
