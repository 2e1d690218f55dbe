//! Leaders and in-sync replicas changed by hand: `elect-leaders`, `isr-shrink`, `isr-expand`, and shards moved.

use crate::kafka::{BrokerId, ShardId, TopicId};
use crate::scenario::{Coordinators, Pick, ShardPick, Verb};
use crate::sim::Ms;

use super::cluster::{Cluster, One};
use super::dictionary::shard_of;
use super::draws;
use super::error::WorldError;
use super::instant::ShardMove;
use super::notes::{Occurrence, Unfit};
use super::picks::{Choice, Fitness};
use super::targets::Need;

impl Cluster<'_> {
    /// An election: the first live in-sync replica of the list leads. Where it does already, nothing happens.
    pub(super) fn elect_leaders(
        &mut self,
        topic: TopicId,
        partitions: Option<&[u32]>,
        occurrence: &Occurrence,
        named: bool,
    ) -> Result<(), WorldError> {
        for number in self.numbers(topic, partitions, occurrence, named)? {
            let live = self.controller.live.clone();
            let mut after = self.controller.topics[topic.index()].partitions[number as usize].clone();
            if after.elect(&live) {
                *self.controller.change(topic, number, occurrence.entry) = after;
            }
        }
        Ok(())
    }

    /// Brokers leave the ISR by hand. A leader cannot.
    pub(super) fn isr_shrink(
        &mut self,
        topic: TopicId,
        partitions: Option<&[u32]>,
        brokers: &Pick,
        occurrence: &Occurrence,
        named: bool,
    ) -> Result<(), WorldError> {
        for (broker, by_name) in self.isr_brokers(brokers, occurrence)? {
            for number in self.numbers(topic, partitions, occurrence, named)? {
                let state = &self.controller.topics[topic.index()].partitions[number as usize];
                let all = partitions.is_none();
                let why = if !state.isr.contains(&broker) {
                    // of a whole topic, only those partitions are meant that the broker is in sync with
                    if all && self.in_any(topic, |p| p.isr.contains(&broker)) {
                        continue;
                    }
                    "not in sync"
                } else if state.leader == Some(broker) {
                    "the leader, which cannot leave the ISR"
                } else if state.isr.len() == 1 {
                    "the last in-sync replica"
                } else {
                    self.controller.change(topic, number, occurrence.entry).isr.retain(|b| *b != broker);
                    continue;
                };
                let why = format!("has a partition {number} of which broker {} is {why}", broker.0);
                self.refuse_topic(topic, why, occurrence, by_name && named)?;
            }
        }
        Ok(())
    }

    /// Live replicas join the ISR by hand.
    pub(super) fn isr_expand(
        &mut self,
        topic: TopicId,
        partitions: Option<&[u32]>,
        brokers: &Pick,
        occurrence: &Occurrence,
        named: bool,
    ) -> Result<(), WorldError> {
        for (broker, by_name) in self.isr_brokers(brokers, occurrence)? {
            for number in self.numbers(topic, partitions, occurrence, named)? {
                let state = &self.controller.topics[topic.index()].partitions[number as usize];
                let all = partitions.is_none();
                let why = if !state.lacks(broker) {
                    if all && self.in_any(topic, |p| p.lacks(broker)) {
                        continue;
                    }
                    "no replica outside the ISR"
                } else if !self.controller.live.has(broker) || state.leader.is_none() {
                    "unable to catch up: it or the leader is down"
                } else {
                    self.controller.change(topic, number, occurrence.entry).expand(broker);
                    continue;
                };
                let why = format!("has a partition {number} of which broker {} is {why}", broker.0);
                self.refuse_topic(topic, why, occurrence, by_name && named)?;
            }
        }
        Ok(())
    }

    fn in_any(&self, topic: TopicId, holds: impl Fn(&super::partition::Partition) -> bool) -> bool {
        self.controller.topics[topic.index()].partitions.iter().any(holds)
    }

    fn isr_brokers(&mut self, pick: &Pick, occurrence: &Occurrence) -> Result<Vec<(BrokerId, bool)>, WorldError> {
        // the target of `rate: … per topic` is no broker
        let whole = Occurrence { target: None, ..occurrence.clone() };
        let targets = self.brokers(pick, Need::There, &whole)?;
        Ok(targets
            .into_iter()
            .filter_map(|(one, n)| if let One::Broker(b) = one { Some((b, n)) } else { None })
            .collect())
    }

    /// Shards that an entry moves.
    pub(super) fn shards(&mut self, pick: &ShardPick, occurrence: &Occurrence) -> Result<Vec<(One, bool)>, WorldError> {
        let count = self.scenario.cluster.offsets_partitions;
        let mut shards: Vec<(u32, bool)> = match pick {
            ShardPick::All => (0..count).map(|s| (s, false)).collect(),
            ShardPick::Any(n) => {
                let drawn = occurrence.stream(&self.chance, &["pick", "shard"]).distinct(count.into(), (*n).into());
                drawn.into_iter().filter_map(|s| Some((u32::try_from(s).ok()?, false))).collect()
            }
            ShardPick::These(numbers) => {
                if let Some(beyond) = numbers.iter().find(|n| **n >= count) {
                    return Err(occurrence.error(format!("there is no shard {beyond}: they are 0 to {}", count - 1)));
                }
                numbers.iter().map(|s| (*s, true)).collect()
            }
            ShardPick::Groups(pick) => {
                let dictionary = self.dictionary;
                let fits = |_: usize| Fitness::Fits;
                let entities = &dictionary.group_entities;
                let choice = Choice { noun: "group", entities, fitness: &fits, dictionary, own_target: true };
                let (groups, notes) = choice.resolve(pick, occurrence, &self.chance)?;
                self.notes.absorb(notes);
                groups.into_iter().map(|t| (shard_of(&entities[t.index].name, count).0, t.named)).collect()
            }
            ShardPick::Brokers(pick) => {
                let brokers = self.brokers(pick, Need::There, occurrence)?;
                let offsets = &self.controller.topics[self.controller.offsets().index()];
                let mut led = Vec::new();
                for (one, named) in brokers {
                    let leads = |p: &super::partition::Partition| p.leader.is_some_and(|l| One::Broker(l) == one);
                    let mine = offsets.partitions.iter().enumerate().filter(|(_, p)| leads(p));
                    led.extend(mine.map(|(s, _)| (draws::count32(s), named)));
                }
                led
            }
        };
        shards.sort_unstable();
        shards.dedup_by_key(|(shard, _)| *shard);
        Ok(shards.into_iter().map(|(s, named)| (One::Shard(s), named)).collect())
    }

    /// A shard moves by hand: to a given live in-sync replica, or to the next after its leader, in turn.
    pub(super) fn move_shard(
        &mut self,
        at: Ms,
        verb: &Verb,
        occurrence: &Occurrence,
        shard: u32,
        named: bool,
    ) -> Result<(), WorldError> {
        let Verb::MoveCoordinator { to, load, .. } = verb else {
            return Ok(());
        };
        let entry = occurrence.entry;
        if self.scenario.cluster.coordinators == Coordinators::Apart {
            let shard = ShardId(shard);
            self.history.apart.push((at, ShardMove { shard, leader: None, load: *load, entry }));
            return Ok(());
        }
        let offsets = self.controller.offsets();
        let state = &self.controller.topics[offsets.index()].partitions[shard as usize];
        let electable = |b: &BrokerId| self.controller.live.has(*b) && state.isr.contains(b);
        let n = state.replicas.len();
        let leader = state.replicas.iter().position(|b| Some(*b) == state.leader);
        let next = |from: usize| (1..n).map(|i| state.replicas[(from + i) % n]).find(electable);
        let chosen = match (leader, to) {
            (None, _) => Err("is led by nobody".to_owned()),
            (Some(_), Some(to)) if state.leader == Some(*to) => Err(format!("is led by broker {} already", to.0)),
            (Some(_), Some(to)) if electable(to) => Ok(*to),
            (Some(_), Some(to)) => Err(format!("has no live in-sync replica on broker {}", to.0)),
            (Some(from), None) => next(from).ok_or_else(|| "has no other live in-sync replica".to_owned()),
        };
        match chosen {
            Ok(leader) => {
                self.controller.change(offsets, shard, entry).leader = Some(leader);
                self.controller.instant.shard(shard, Some(leader), *load, entry);
                Ok(())
            }
            Err(why) => {
                let by_chance = self.controller.brokers_by_chance();
                self.notes.leave_out(occurrence, named, &Unfit { who: format!("shard {shard}"), why, by_chance })
            }
        }
    }
}
