//! The records applied in order: what stands at time 0, then one image after the other.

use rustc_hash::FxHashMap;

use crate::kafka::{BrokerEvent, BrokerId, EntryIndex, Replicas, TopicId, Uuid, Version};
use crate::scenario::{Coordinators, LogWindow, Scenario};
use crate::sim::Ms;

use super::super::cluster::ClusterHistory;
use super::super::controller::Controller;
use super::super::dictionary::{Dictionary, OFFSETS};
use super::super::draws::count32;
use super::super::partition::Partition;
use super::record::Record;
use super::{Batch, Recorded, RecordedError};

/// The cluster's part of a history, and the names of what did it.
pub(in crate::world) struct Played {
    pub(in crate::world) cluster: ClusterHistory,
    /// Behind the scenario's own.
    pub(in crate::world) entries: Vec<String>,
}

/// Plays the log from time 0 on to the scenario's end.
///
/// # Errors
/// Where a record contradicts those before it.
pub(in crate::world) fn play(
    recorded: &Recorded,
    scenario: &Scenario,
    window: LogWindow,
    dictionary: &Dictionary,
) -> Result<Played, RecordedError> {
    let start = recorded.start(window.since);
    let mut player = Player::new(scenario, dictionary, in_sync_after(recorded));
    let split = recorded.batches.partition_point(|batch| batch.at < start);
    let (before, after) = recorded.batches.split_at(split);
    for (index, batch) in before.iter().enumerate() {
        player.apply(index, batch)?;
    }
    let mut cluster = player.stand(before)?;
    let end = start.saturating_add(scenario.duration.0);
    let mut open: Option<(u64, u64)> = None;
    for (index, batch) in (split..).zip(after).take_while(|(_, batch)| batch.at < end) {
        let (first, last) = open.unwrap_or((batch.at, batch.at));
        if batch.at > first.saturating_add(window.gap.0.saturating_sub(1)) {
            cluster.published.extend(player.controller.instant.publish(Ms(last - start), &player.controller.topics));
            open = Some((batch.at, batch.at));
        } else {
            open = Some((first, batch.at));
        }
        player.apply(index, batch)?;
    }
    if let Some((_, last)) = open {
        cluster.published.extend(player.controller.instant.publish(Ms(last - start), &player.controller.topics));
    }
    Ok(Played { cluster, entries: player.entries.names })
}

/// By batch and broker, how long after its registration there it was last taken into an ISR (before it left again).
fn in_sync_after(recorded: &Recorded) -> FxHashMap<(usize, BrokerId), Ms> {
    let mut registered: FxHashMap<BrokerId, (usize, u64)> = FxHashMap::default();
    let mut in_sync: FxHashMap<(Uuid, u32), Replicas> = FxHashMap::default();
    let mut after = FxHashMap::default();
    for (index, batch) in recorded.batches.iter().enumerate() {
        for (_, record) in &batch.records {
            match record {
                Record::Register { broker, .. } => {
                    registered.insert(*broker, (index, batch.at));
                }
                Record::Fence { broker } | Record::ShutsDown { broker } | Record::Unregister { broker } => {
                    registered.remove(broker);
                }
                Record::Partition { topic, number, isr, .. } => {
                    in_sync.insert((*topic, *number), isr.clone());
                }
                Record::PartitionChange { topic, number, isr: Some(isr), .. } => {
                    let old = in_sync.insert((*topic, *number), isr.clone()).unwrap_or_default();
                    for broker in isr.iter().filter(|b| !old.contains(b)) {
                        if let Some((place, at)) = registered.get(broker) {
                            after.insert((*place, *broker), Ms(batch.at - at));
                        }
                    }
                }
                Record::PartitionChange { .. }
                | Record::Unfence { .. }
                | Record::Topic { .. }
                | Record::RemoveTopic { .. } => {}
            }
        }
    }
    after
}

/// Names of what happened, in the order in which they first came.
struct Entries {
    taken: Vec<String>,
    names: Vec<String>,
}

impl Entries {
    fn number(&mut self, name: String) -> EntryIndex {
        let name = if self.taken.contains(&name) { format!("{name}-in-log") } else { name };
        let place = self.names.iter().position(|n| *n == name).unwrap_or_else(|| {
            self.names.push(name);
            self.names.len() - 1
        });
        count32(self.taken.len() + place)
    }
}

struct Player<'a> {
    scenario: &'a Scenario,
    dictionary: &'a Dictionary<'a>,
    controller: Controller,
    ids: FxHashMap<Uuid, TopicId>,
    entries: Entries,
    in_sync_after: FxHashMap<(usize, BrokerId), Ms>,
}

type Told = Result<(), String>;

impl<'a> Player<'a> {
    fn new(
        scenario: &'a Scenario,
        dictionary: &'a Dictionary,
        in_sync_after: FxHashMap<(usize, BrokerId), Ms>,
    ) -> Player<'a> {
        let taken = scenario.history.iter().map(|entry| entry.name.clone()).collect();
        Player {
            scenario,
            dictionary,
            controller: Controller::new(dictionary.topics.len()),
            ids: FxHashMap::default(),
            entries: Entries { taken, names: Vec::new() },
            in_sync_after,
        }
    }

    /// What stands when all before time 0 has been applied.
    fn stand(&mut self, before: &[Batch]) -> Result<ClusterHistory, RecordedError> {
        // nobody was told of it: it stands
        self.controller.instant = Default::default();
        self.entries.names.clear();
        let start = self.controller.image();
        let mut releases = vec![Version::default(); start.brokers.len()];
        for (broker, state) in &self.controller.brokers {
            if let Some(release) = releases.get_mut(broker.index()) {
                *release = state.version;
            }
        }
        let leaders = self.leaders().map_err(|message| {
            let line = before.last().and_then(|batch| batch.records.last()).map_or(1, |(line, _)| *line);
            RecordedError { line, message }
        })?;
        Ok(ClusterHistory { start, releases, leaders, ..ClusterHistory::default() })
    }

    fn leaders(&self) -> Result<Vec<Option<BrokerId>>, String> {
        if self.scenario.cluster.coordinators == Coordinators::Apart {
            return Ok(Vec::new());
        }
        let shards = self.scenario.cluster.offsets_partitions as usize;
        let offsets = &self.controller.topics[self.controller.offsets().index()];
        match offsets.partitions.len() {
            0 => Ok(vec![None; shards]),
            n if n == shards => Ok(offsets.partitions.iter().map(|p| p.leader).collect()),
            n => Err(format!(
                "{OFFSETS} has {n} partitions in the log, and the scenario's offsets_partitions is {shards}"
            )),
        }
    }

    fn apply(&mut self, index: usize, batch: &Batch) -> Result<(), RecordedError> {
        // a broker that stops or starts is behind all partition changes that are written with it
        let mut behind = None;
        for (line, record) in &batch.records {
            let told = self.record(index, record, &mut behind);
            told.map_err(|message| RecordedError { line: *line, message })?;
        }
        Ok(())
    }

    fn record(&mut self, index: usize, record: &Record, behind: &mut Option<EntryIndex>) -> Told {
        match record {
            Record::Register { broker, rack, version, fenced } => {
                let rack = self.dictionary.rack(rack.as_deref());
                let version = version.unwrap_or(self.scenario.cluster.version);
                let entry = self.broker("register", *broker, behind);
                let state = self.controller.brokers.entry(*broker).or_default();
                (state.rack, state.version, state.registered, state.running) = (rack, version, true, true);
                self.controller.live.set(*broker, !fenced);
                let in_sync_after = self.in_sync_after.get(&(index, *broker)).copied().unwrap_or(Ms::ZERO);
                self.controller.instant.broker(
                    *broker,
                    BrokerEvent::Registered { rack, version, in_sync_after },
                    entry,
                );
            }
            Record::Unregister { broker } => {
                let entry = self.broker("unregister", *broker, behind);
                self.controller.unregister(*broker, entry);
            }
            Record::Fence { broker } => {
                let entry = self.broker("fence", *broker, behind);
                self.controller.live.set(*broker, false);
                self.controller.instant.broker(*broker, BrokerEvent::Fenced, entry);
            }
            Record::Unfence { broker } => {
                let entry = self.broker("unfence", *broker, behind);
                self.controller.live.set(*broker, true);
                self.controller.instant.broker(*broker, BrokerEvent::Unfenced, entry);
            }
            Record::ShutsDown { broker } => {
                self.broker("shutdown", *broker, behind);
            }
            Record::Topic { name, id } => {
                let topic = self.topic_named(name);
                self.ids.insert(*id, topic);
                let state = &mut self.controller.topics[topic.index()];
                let existed = state.exists;
                (state.exists, state.id) = (true, *id);
                state.partitions.clear();
                if topic != self.controller.offsets() {
                    let entry = self.entries.number("create-topic".to_owned());
                    self.controller.change_topic(topic, existed, true, entry);
                    behind.get_or_insert(entry);
                }
            }
            Record::RemoveTopic { id } => {
                let topic = self.topic(*id)?;
                self.ids.remove(id);
                let state = &mut self.controller.topics[topic.index()];
                state.exists = false;
                if topic != self.controller.offsets() {
                    let entry = self.entries.number("delete-topic".to_owned());
                    self.controller.change_topic(topic, true, false, entry);
                }
            }
            Record::Partition { topic, number, replicas, isr, leader, adding, removing } => {
                let topic = self.topic(*topic)?;
                let partition = Partition {
                    replicas: replicas.clone(),
                    isr: in_order(isr, replicas),
                    leader: *leader,
                    adding: adding.clone(),
                    removing: removing.clone(),
                    ..Partition::default()
                };
                let entry = behind.unwrap_or_else(|| self.entries.number("add-partitions".to_owned()));
                self.put(topic, *number, partition, entry)?;
            }
            Record::PartitionChange { topic, number, replicas, isr, leader, adding, removing } => {
                let topic = self.topic(*topic)?;
                let state = self.controller.topics[topic.index()].partitions.get(*number as usize);
                let old = state.ok_or_else(|| format!("partition {number} changes before it is there"))?;
                let mut new = old.clone();
                let fill = |field: &mut Replicas, news: &Option<Replicas>| {
                    if let Some(news) = news {
                        field.clone_from(news);
                    }
                };
                fill(&mut new.replicas, replicas);
                fill(&mut new.isr, isr);
                fill(&mut new.adding, adding);
                fill(&mut new.removing, removing);
                new.isr = in_order(&new.isr, &new.replicas);
                new.leader = leader.unwrap_or(new.leader);
                let word = what_changed(old, &new);
                let entry = behind.unwrap_or_else(|| self.entries.number(word.to_owned()));
                self.put(topic, *number, new, entry)?;
            }
        }
        Ok(())
    }

    /// The entry of what a broker does; it is behind what else is written with it.
    fn broker(&mut self, verb: &str, broker: BrokerId, behind: &mut Option<EntryIndex>) -> EntryIndex {
        let entry = self.entries.number(format!("{verb}-{}", broker.0));
        *behind = Some(entry);
        entry
    }

    fn put(&mut self, topic: TopicId, number: u32, partition: Partition, entry: EntryIndex) -> Told {
        let is_offsets = topic == self.controller.offsets();
        let state = &mut self.controller.topics[topic.index()];
        let leader = partition.leader;
        let count = state.partitions.len();
        let before = match state.partitions.get_mut(number as usize) {
            Some(old) => std::mem::replace(old, partition).leader,
            None if number as usize == count => {
                state.partitions.push(partition);
                None
            }
            None => return Err(format!("partition {number} comes before partition {count}")),
        };
        if !is_offsets {
            self.controller.instant.partition(topic, number, true, entry);
        } else if before != leader
            && number < self.scenario.cluster.offsets_partitions
            && self.scenario.cluster.coordinators == Coordinators::Brokers
        {
            self.controller.instant.shard(number, leader, None, entry);
        }
        Ok(())
    }

    fn topic(&self, id: Uuid) -> Result<TopicId, String> {
        self.ids.get(&id).copied().ok_or_else(|| format!("there is no topic with the id {id} at this point of the log"))
    }

    fn topic_named(&self, name: &str) -> TopicId {
        if name == OFFSETS { self.controller.offsets() } else { self.dictionary.topic(name) }
    }
}

/// In-sync replicas in the order of the replica list; one that is in no list stays, at the end.
fn in_order(isr: &Replicas, replicas: &Replicas) -> Replicas {
    let known = replicas.iter().filter(|b| isr.contains(b));
    known.chain(isr.iter().filter(|b| !replicas.contains(b))).copied().collect()
}

/// A change by the verb of the language that would have done it.
fn what_changed(old: &Partition, new: &Partition) -> &'static str {
    let reassigned = old.replicas != new.replicas || old.adding != new.adding || old.removing != new.removing;
    match () {
        () if reassigned => "reassign",
        () if new.isr.iter().any(|b| !old.isr.contains(b)) => "isr-expand",
        () if new.isr.len() < old.isr.len() => "isr-shrink",
        () if new.leader != old.leader => "elect-leaders",
        () => "touch",
    }
}
