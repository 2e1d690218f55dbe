//! `brokers:`: a number, one description, a list of them, or a map by id.

use std::collections::BTreeMap;

use super::super::Broker;
use super::super::diagnostics::{At, Problems};
use super::super::yaml::{Kind, Node};
use super::Fields;
use super::scalars::{rack, version, whole};
use crate::kafka::{BrokerId, Version};

/// More brokers than any cluster has.
const MAX_BROKERS: u32 = 100_000;

/// What brokers have that say nothing of their own.
pub(crate) struct Defaults<'a> {
    pub(crate) version: Version,
    pub(crate) racks: &'a [Option<String>],
}

/// Reads `brokers:`, in order of id.
pub(crate) fn brokers(node: &mut Node, defaults: &Defaults<'_>, problems: &mut Problems) -> Vec<Broker> {
    let (at, before) = (node.at, problems.list.len());
    let mut found: BTreeMap<u32, (Broker, At)> = BTreeMap::new();
    match &mut node.kind {
        Kind::Scalar { .. } => {
            if let Some(count) = whole(node, "the number of brokers", 1, MAX_BROKERS, problems) {
                let plain = Spec { count, rack: None, version: None };
                plain.put(0, at, defaults, &mut found, problems);
            }
        }
        Kind::List(items) => {
            let mut next = 0;
            for item in items {
                if let Some(spec) = spec(item, problems) {
                    spec.put(next, item.at, defaults, &mut found, problems);
                    next = next.saturating_add(spec.count);
                }
            }
        }
        Kind::Map(entries) if entries.iter().any(|(k, _)| ["rack", "version", "count"].contains(&k.text.as_str())) => {
            if let Some(spec) = spec(node, problems) {
                spec.put(0, at, defaults, &mut found, problems);
            }
        }
        Kind::Map(entries) => {
            for (key, value) in entries {
                let id = whole(&Node::quoted(key.at, key.text.clone()), "a broker's id", 0, MAX_BROKERS - 1, problems);
                if let (Some(id), Some(spec)) = (id, spec(value, problems)) {
                    spec.put(id, key.at, defaults, &mut found, problems);
                }
            }
        }
    }
    if found.is_empty() && problems.list.len() == before {
        problems.add(at, "a cluster has at least one broker", "");
    }
    found.into_values().map(|(broker, _)| broker).collect()
}

struct Spec {
    count: u32,
    rack: Option<Option<String>>,
    version: Option<Version>,
}

fn spec(node: &mut Node, problems: &mut Problems) -> Option<Spec> {
    if matches!(node.kind, Kind::Scalar { .. }) && !node.is_null() {
        let count = whole(node, "the number of brokers", 1, MAX_BROKERS, problems)?;
        return Some(Spec { count, rack: None, version: None });
    }
    let mut fields = Fields::open(node, "a broker", problems)?;
    let rack = fields.opt("rack").and_then(|node| rack(node, problems));
    let version = fields.opt("version").and_then(|node| version(node, problems));
    let count = match fields.opt("count") {
        Some(node) => whole(node, "count", 1, MAX_BROKERS, problems),
        None => Some(1),
    };
    fields.close(problems);
    count.map(|count| Spec { count, rack, version })
}

impl Spec {
    /// Brokers from `first` on; racks in turn by id where none is given.
    fn put(
        &self,
        first: u32,
        at: At,
        defaults: &Defaults<'_>,
        found: &mut BTreeMap<u32, (Broker, At)>,
        problems: &mut Problems,
    ) {
        if first.saturating_add(self.count) > MAX_BROKERS {
            problems.add(at, format!("a cluster has at most {MAX_BROKERS} brokers"), "");
            return;
        }
        for id in first..first + self.count {
            let in_turn = || {
                let racks = defaults.racks;
                if racks.is_empty() { None } else { racks[id as usize % racks.len()].clone() }
            };
            let rack = self.rack.clone().unwrap_or_else(in_turn);
            let version = self.version.unwrap_or(defaults.version);
            let broker = Broker { id: BrokerId(id), rack, version };
            if let Some((_, other)) = found.insert(id, (broker, at)) {
                let problem = problems.add(at, format!("broker {id} is there twice"), "");
                problem.also.push((other, "first here".to_owned()));
                return;
            }
        }
    }
}
