//! What happens to topics: created, grown, deleted, created anew, touched (model: K.3).

use std::rc::Rc;

use crate::kafka::{BrokerId, Replicas, TopicId};
use crate::scenario::{Grow, Place, Span};
use crate::sim::{Ms, address};

use super::cluster::{Act, Cluster, Rank};
use super::draws;
use super::error::WorldError;
use super::notes::{Occurrence, Unfit};
use super::partition::Partition;
use super::picks::Fitness;
use super::placement::Placer;

impl Cluster<'_> {
    /// Does the topic exist now? If not, it is left out, or an error.
    pub(super) fn topic_is_there(
        &mut self,
        topic: TopicId,
        occurrence: &Occurrence,
        named: bool,
    ) -> Result<bool, WorldError> {
        match self.topic_fitness(topic) {
            Fitness::Fits => Ok(true),
            Fitness::Absent(unfit) | Fitness::Unfit(unfit) => {
                self.notes.leave_out(occurrence, named, &unfit)?;
                Ok(false)
            }
        }
    }

    /// Something about a topic is in the way.
    pub(super) fn refuse_topic(
        &mut self,
        topic: TopicId,
        why: String,
        occurrence: &Occurrence,
        named: bool,
    ) -> Result<(), WorldError> {
        let by_chance = self.controller.topics[topic.index()].by_chance || self.controller.brokers_by_chance();
        let who = format!("topic {}", self.dictionary.topic_name(topic));
        self.notes.leave_out(occurrence, named, &Unfit { who, why, by_chance })
    }

    /// Partitions placed as asked, of the given creation of a topic; or why they cannot be.
    pub(super) fn place(&self, name: &str, incarnation: u32, place: &Place) -> Result<Vec<Partition>, String> {
        match place {
            Place::Exact(lists) => self.place_exactly(lists),
            Place::Drawn { partitions, rf } => {
                let entity = address(&[name, &incarnation.to_string()]);
                let count = draws::number(&mut self.chance.stream("partitions", &entity), *partitions);
                self.place_more(name, incarnation, 0, count, *rf)
            }
        }
    }

    /// Partitions from number `from` on, placed in turn from a draw of the topic's own stream.
    fn place_more(
        &self,
        name: &str,
        incarnation: u32,
        from: u32,
        count: u32,
        rf: u32,
    ) -> Result<Vec<Partition>, String> {
        let entity = address(&[name, &incarnation.to_string(), &from.to_string()]);
        let mut placer = Placer::new(self.controller.sites(), self.chance.stream("placement", &entity));
        if let Some(why) = placer.objection(rf) {
            return Err(why);
        }
        Ok((0..count).map(|_| Partition::new(placer.place(rf), &self.controller.live)).collect())
    }

    pub(super) fn place_exactly(&self, lists: &[Vec<BrokerId>]) -> Result<Vec<Partition>, String> {
        let registered = |b: &BrokerId| self.controller.brokers.get(b).is_some_and(|s| s.registered);
        let mut partitions = Vec::new();
        for list in lists {
            if let Some(broker) = list.iter().find(|b| !registered(b)) {
                return Err(format!("has a replica on broker {}, which is not registered", broker.0));
            }
            let partition = Partition::new(list.iter().copied().collect(), &self.controller.live);
            if partition.leader.is_none() {
                return Err("has a partition on brokers none of which serves".to_owned());
            }
            partitions.push(partition);
        }
        Ok(partitions)
    }

    pub(super) fn create_topic(
        &mut self,
        topic: TopicId,
        place: &Place,
        occurrence: &Occurrence,
        named: bool,
    ) -> Result<(), WorldError> {
        let state = &self.controller.topics[topic.index()];
        if state.exists {
            return self.refuse_topic(topic, "exists already".into(), occurrence, named);
        }
        // the first creation of a name is 0, whether at time 0 or later
        let incarnation = if state.partitions.is_empty() { 0 } else { state.incarnation + 1 };
        let name = self.dictionary.topic_name(topic);
        let partitions = match self.place(name, incarnation, place) {
            Ok(partitions) => partitions,
            Err(why) => return self.refuse_topic(topic, why, occurrence, named),
        };
        let id = draws::topic_id(&self.chance, name, incarnation);
        self.controller.change_topic(topic, false, true, occurrence.entry);
        let state = &mut self.controller.topics[topic.index()];
        (state.exists, state.incarnation, state.id, state.partitions) = (true, incarnation, id, partitions);
        state.by_chance |= occurrence.by_chance;
        Ok(())
    }

    pub(super) fn delete_topic(&mut self, topic: TopicId, occurrence: &Occurrence) {
        self.controller.change_topic(topic, true, false, occurrence.entry);
        let state = &mut self.controller.topics[topic.index()];
        state.exists = false;
        state.by_chance |= occurrence.by_chance;
    }

    /// What a topic is created anew with: as it was, but for what the entry says.
    pub(super) fn place_anew(
        &self,
        topic: TopicId,
        partitions: Option<&Span<u32>>,
        rf: Option<u32>,
        replicas: Option<&[Vec<BrokerId>]>,
        occurrence: &Occurrence,
    ) -> Place {
        if let Some(lists) = replicas {
            return Place::Exact(lists.to_vec());
        }
        let now = &self.controller.topics[topic.index()].partitions;
        let count = match partitions {
            Some(span) => {
                let name = self.dictionary.topic_name(topic);
                draws::number(&mut occurrence.stream(&self.chance, &["partitions", name]), *span)
            }
            None => draws::count32(now.len()),
        };
        let present_rf = now.first().map_or(1, |p| draws::count32(p.replicas.len() - p.adding.len()));
        Place::Drawn { partitions: Span::just(count), rf: rf.unwrap_or(present_rf) }
    }

    /// Deleted, and created in the same delta or `gap` later.
    pub(super) fn recreate_topic(
        &mut self,
        at: Ms,
        topic: TopicId,
        gap: Ms,
        place: &Place,
        occurrence: &Rc<Occurrence>,
        named: bool,
    ) -> Result<(), WorldError> {
        self.delete_topic(topic, occurrence);
        if gap == Ms::ZERO {
            return self.create_topic(topic, place, occurrence, named);
        }
        let act = Act::Create { occurrence: Rc::clone(occurrence), topic, place: place.clone(), named };
        self.plan(at.after(gap), Rank::Entry(occurrence.entry), act);
        Ok(())
    }

    pub(super) fn add_partitions(
        &mut self,
        topic: TopicId,
        grow: &Grow,
        replicas: Option<&[Vec<BrokerId>]>,
        occurrence: &Occurrence,
        named: bool,
    ) -> Result<(), WorldError> {
        let name = self.dictionary.topic_name(topic);
        let (Grow::By(span) | Grow::To(span)) = grow;
        let drawn = draws::number(&mut occurrence.stream(&self.chance, &["partitions", name]), *span);
        let state = &self.controller.topics[topic.index()];
        let present = draws::count32(state.partitions.len());
        let total = match grow {
            Grow::By(_) => present.saturating_add(drawn),
            Grow::To(_) => drawn,
        };
        if total <= present {
            return self.refuse_topic(topic, format!("has {present} partitions already"), occurrence, named);
        }
        let rf = state.partitions.first().map_or(1, |p| draws::count32(p.replicas.len() - p.adding.len()));
        let placed = match replicas {
            Some(lists) => self.place_exactly(lists),
            None => self.place_more(name, state.incarnation, present, total - present, rf),
        };
        let partitions = match placed {
            Ok(partitions) => partitions,
            Err(why) => return self.refuse_topic(topic, why, occurrence, named),
        };
        for partition in partitions {
            let state = &mut self.controller.topics[topic.index()];
            state.partitions.push(partition);
            state.by_chance |= occurrence.by_chance;
            let number = draws::count32(state.partitions.len() - 1);
            self.controller.change(topic, number, occurrence.entry);
        }
        Ok(())
    }

    /// A coordinator loads a snapshot: every topic that exists is changed and created.
    pub(super) fn snapshot_reload(&mut self, occurrence: &Occurrence) {
        for topic in (0..self.dictionary.topics.len()).map(TopicId::at) {
            if self.controller.topics[topic.index()].exists {
                self.controller.change_topic(topic, true, true, occurrence.entry);
            }
        }
    }

    /// Partitions of a topic that an entry names, or all; those that are not there are left out.
    pub(super) fn numbers(
        &mut self,
        topic: TopicId,
        partitions: Option<&[u32]>,
        occurrence: &Occurrence,
        named: bool,
    ) -> Result<Vec<u32>, WorldError> {
        let count = draws::count32(self.controller.topics[topic.index()].partitions.len());
        let Some(asked) = partitions else {
            return Ok((0..count).collect());
        };
        let mut asked = asked.to_vec();
        asked.sort_unstable();
        asked.dedup();
        for missing in asked.iter().filter(|n| **n >= count) {
            self.refuse_topic(topic, format!("has no partition {missing}"), occurrence, named)?;
        }
        asked.retain(|n| *n < count);
        Ok(asked)
    }

    /// A TopicDelta with nothing new in it.
    pub(super) fn touch(
        &mut self,
        topic: TopicId,
        partitions: Option<&[u32]>,
        occurrence: &Occurrence,
        named: bool,
    ) -> Result<(), WorldError> {
        for number in self.numbers(topic, partitions, occurrence, named)? {
            self.controller.change(topic, number, occurrence.entry);
        }
        Ok(())
    }

    /// A topic's replica lists, as targets of moves.
    pub(super) fn replicas(&self, topic: TopicId, partition: u32) -> &Replicas {
        &self.controller.topics[topic.index()].partitions[partition as usize].replicas
    }
}
