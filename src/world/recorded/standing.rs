//! What stands at time 0 of a run over a log, as the text of a scenario: brokers, topics, and the log as its history.

use std::collections::BTreeMap;

use crate::kafka::{BrokerId, Replicas, Uuid};
use crate::scenario::{LogWindow, Since};
use crate::sim::{Ms, natural_cmp};

use super::super::dictionary::OFFSETS;
use super::record::Record;
use super::{Recorded, RecordedError};

#[derive(Default)]
struct Standing {
    brokers: BTreeMap<BrokerId, Option<String>>,
    topics: BTreeMap<Uuid, (String, Vec<Replicas>)>,
}

pub(super) fn scenario(
    recorded: &Recorded,
    file: &str,
    window: LogWindow,
    duration: Ms,
) -> Result<String, RecordedError> {
    let start = recorded.start(window.since);
    let mut standing = Standing::default();
    for batch in recorded.batches.iter().take_while(|batch| batch.at < start) {
        for (line, record) in &batch.records {
            standing.apply(record).map_err(|message| RecordedError { line: *line, message })?;
        }
    }
    Ok(standing.text(file, window, duration))
}

impl Standing {
    fn apply(&mut self, record: &Record) -> Result<(), String> {
        match record {
            Record::Register { broker, rack, .. } => {
                self.brokers.insert(*broker, rack.clone());
            }
            Record::Unregister { broker } => {
                self.brokers.remove(broker);
            }
            Record::Topic { name, id } => {
                self.topics.insert(*id, (name.clone(), Vec::new()));
            }
            Record::RemoveTopic { id } => {
                self.topics.remove(id);
            }
            Record::Partition { topic, number, replicas, .. } => {
                let (_, lists) = self.topic(*topic)?;
                match lists.get_mut(*number as usize) {
                    Some(list) => list.clone_from(replicas),
                    None => lists.push(replicas.clone()),
                }
            }
            Record::PartitionChange { topic, number, replicas: Some(replicas), .. } => {
                let (_, lists) = self.topic(*topic)?;
                let list = lists.get_mut(*number as usize);
                *list.ok_or_else(|| format!("partition {number} changes before it is there"))? = replicas.clone();
            }
            Record::PartitionChange { .. }
            | Record::Fence { .. }
            | Record::Unfence { .. }
            | Record::ShutsDown { .. } => {}
        }
        Ok(())
    }

    fn topic(&mut self, id: Uuid) -> Result<&mut (String, Vec<Replicas>), String> {
        self.topics.get_mut(&id).ok_or_else(|| format!("there is no topic with the id {id} at this point of the log"))
    }

    /// JSON in the values, which YAML reads: names need no thought.
    fn text(self, file: &str, window: LogWindow, duration: Ms) -> String {
        let word = |text: &str| serde_json::Value::from(text).to_string();
        let mut out = String::from("# The cluster as its metadata log has it at time 0, and what happened to it.\n");
        let mut topics: Vec<(Uuid, (String, Vec<Replicas>))> = self.topics.into_iter().collect();
        topics.sort_by(|(_, (a, _)), (_, (b, _))| natural_cmp(a, b));
        let offsets = topics.iter().find(|(_, (name, _))| name == OFFSETS);
        match offsets {
            Some((_, (_, lists))) => out.push_str(&format!("cluster: {{offsets_partitions: {}}}\n", lists.len())),
            // before its first group a cluster has no coordinators
            None => out.push_str("cluster: {}\n"),
        }
        out.push_str(&format!("duration: {duration}\nbrokers:\n"));
        for (id, rack) in &self.brokers {
            out.push_str(&format!("  {}: {{rack: {}}}\n", id.0, rack.as_deref().map_or("null".to_owned(), word)));
        }
        if self.brokers.is_empty() {
            out.push_str("  {}\n");
        }
        let there = |list: &Replicas| list.iter().all(|b| self.brokers.contains_key(b));
        out.push_str("topics:\n");
        for (id, (name, lists)) in &topics {
            let own_id = if name == OFFSETS { String::new() } else { format!("id: \"{id}\", ") };
            // a replica on a broker that is gone cannot be said in a scenario; the history has it
            let lists = lists.iter().map(|list| {
                let ids = list.iter().filter(|b| there(&Replicas::from_slice(&[**b]))).map(|b| b.0.to_string());
                format!("[{}]", ids.collect::<Vec<_>>().join(","))
            });
            let lists = lists.collect::<Vec<_>>().join(", ");
            out.push_str(&format!("  {}: {{{own_id}replicas: [{lists}]}}\n", word(name)));
        }
        if topics.is_empty() {
            out.push_str("  {}\n");
        }
        let since = match window.since {
            Since::First => String::new(),
            Since::After(time) => format!(", since: {time}"),
            Since::At(at) => format!(", since: {at}"),
        };
        let gap = if window.gap == Ms::ZERO { String::new() } else { format!(", gap: {}", window.gap) };
        out.push_str(&format!("history: {{from: {}{since}{gap}}}\n", word(file)));
        out
    }
}
