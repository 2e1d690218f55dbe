//! `topics:` of an assignment.

use std::collections::{BTreeMap, BTreeSet};

use super::super::super::assign::{AssignPlace, AssignTopic};
use super::super::super::diagnostics::Problems;
use super::super::super::yaml::Node;
use super::super::Fields;
use super::super::census::{Names, family_names};
use super::super::scalars::whole;
use super::super::topics::{MAX_PARTITIONS, MAX_TOPICS, named, register, replica_lists, rf, uuid};
use crate::kafka::BrokerId;
use crate::sim::natural_cmp;

/// Partitions of all topics.
const MOST_PARTITIONS: usize = 10_000_000;

pub(super) fn topics(
    node: &mut Node,
    ids: &BTreeSet<u32>,
    brokers: &BTreeMap<u32, Option<String>>,
    p: &mut Problems,
) -> (Vec<AssignTopic>, Names) {
    let (mut list, mut names, mut total) = (Vec::new(), Names::default(), 0);
    for (key, value) in named(node, "topics", p) {
        let at = value.at;
        if value.text().is_some_and(|text| text.parse::<u32>().is_ok()) {
            let label = format!("write `{}: {{partitions: {}}}`", key.text, value.text().unwrap_or(""));
            p.add(at, "a number alone could mean topics or partitions", label);
            continue;
        }
        let Some((count, id, replicas)) = topic(value, ids, p) else { continue };
        if !register(&mut names, key, count, "a topic", p) {
            continue;
        }
        let place = |replicas: &Vec<BrokerId>| AssignPlace {
            leader: replicas[0],
            racks: replicas.iter().filter_map(|b| brokers.get(&b.0).cloned().flatten()).collect(),
        };
        let partitions: Vec<AssignPlace> = replicas.iter().map(place).collect();
        total += partitions.len() * count.unwrap_or(1) as usize;
        if total > MOST_PARTITIONS {
            p.add(key.at, format!("there can be at most {MOST_PARTITIONS} partitions"), "");
            break;
        }
        let one = |name: String| AssignTopic { name, id, partitions: partitions.clone() };
        match count {
            None => list.push(one(key.text.clone())),
            Some(count) => list.extend(family_names(&key.text, count).map(one)),
        }
    }
    list.sort_by(|a, b| natural_cmp(&a.name, &b.name));
    (list, names)
}

/// How many there are of a topic, its id, and the replicas of its partitions. Where they are not given, partition p has
/// the brokers p, p + 1 … in order of id, so that they go around the racks.
#[allow(clippy::type_complexity, reason = "three things of one map")]
fn topic(
    node: &mut Node,
    ids: &BTreeSet<u32>,
    p: &mut Problems,
) -> Option<(Option<u32>, Option<crate::kafka::Uuid>, Vec<Vec<BrokerId>>)> {
    let mut fields = Fields::open(node, "a topic", p)?;
    let count = fields.opt("count").map(|node| whole(node, "count", 1, MAX_TOPICS, p));
    let id = fields.opt("id").map(|node| (node.at, uuid(node, p)));
    if let (Some((at, _)), Some(Some(_))) = (&id, count) {
        p.add(*at, "a family of topics cannot share an id", "leave out `id`, or `count`");
    }
    let replicas = if fields.has("replicas") {
        for key in ["partitions", "rf"] {
            fields.opt(key);
            if let Some(at) = fields.key_at(key) {
                p.add(at, format!("`{key}` follows from `replicas`"), "take one of them away");
            }
        }
        fields.opt("replicas").and_then(|node| replica_lists(node, ids, p))
    } else {
        let partitions: Option<u32> = whole(fields.or("partitions", "6"), "partitions", 1, MAX_PARTITIONS, p);
        let rf = rf(fields.or("rf", &ids.len().clamp(1, 3).to_string()), ids, p);
        fields.opt("replicas");
        let all: Vec<BrokerId> = ids.iter().copied().map(BrokerId).collect();
        let on = |partition: u32, rf: u32| {
            (partition..partition + rf).map(|i| all[i as usize % all.len()]).collect::<Vec<BrokerId>>()
        };
        partitions.zip(rf).map(|(partitions, rf)| (0..partitions).map(|partition| on(partition, rf)).collect())
    };
    fields.close(p);
    let count = match count {
        None => None,
        Some(count) => Some(count?),
    };
    Some((count, id.and_then(|(_, id)| id), replicas?))
}
