//! `topics:`: those that exist at time 0, and how replicas of any topic are written.

use std::collections::{BTreeMap, BTreeSet};

use super::super::diagnostics::{At, Problems};
use super::super::words::reads_as;
use super::super::yaml::{Key, Kind, Node};
use super::super::{Place, Topic};
use super::Fields;
use super::census::{Names, family_names};
use super::picks::OFFSETS_TOPIC;
use super::scalars::{check_name, whole, whole_span, word};
use crate::kafka::{BrokerId, Uuid};
use crate::sim::natural_cmp;

/// Limits of one topic and of all.
pub(crate) const MAX_PARTITIONS: u32 = 1_000_000;
pub(crate) const MAX_TOPICS: u32 = 1_000_000;

/// The entries of a map that is keyed by names; a list in its place is told to be one.
pub(crate) fn named<'n>(node: &'n mut Node, what: &str, problems: &mut Problems) -> &'n mut [(Key, Node)] {
    if node.is_null() {
        node.kind = Kind::Map(Vec::new());
    }
    let (at, kind) = (node.at, node.what());
    match &mut node.kind {
        Kind::Map(entries) => entries,
        Kind::Scalar { .. } | Kind::List(_) => {
            let label = "write each under its name: `t: {...}`";
            problems.add(at, format!("{what} is a map keyed by name, not {kind}"), label);
            &mut []
        }
    }
}

/// Makes `name`, or `name-1 …` with a count; `false` if one of them is there already.
pub(crate) fn register(names: &mut Names, key: &Key, count: Option<u32>, noun: &str, problems: &mut Problems) -> bool {
    if !check_name(&key.text, key.plain, key.at, noun, problems) {
        return false;
    }
    let clash = match count {
        None => names.has(&key.text).then(|| key.text.clone()),
        Some(count) => family_names(&key.text, count).find(|name| names.has(name)),
    };
    if let Some(name) = clash {
        let message = format!("`{name}` is there twice: of its own and as one of a family");
        problems.add(key.at, message, "give one of them another name");
        return false;
    }
    match count {
        None => {
            names.add(&key.text);
        }
        Some(count) => names.add_family(&key.text, count),
    }
    true
}

/// What `topics:` says.
#[derive(Default)]
pub(crate) struct Topics {
    /// Those of the scenario, in natural order of names.
    pub(crate) list: Vec<Topic>,
    pub(crate) names: Names,
    /// Where the partitions of `__consumer_offsets` are, if that is said.
    pub(crate) offsets: Option<(At, Vec<Vec<BrokerId>>)>,
}

/// Reads `topics:`.
pub(crate) fn topics(node: &mut Node, brokers: &BTreeSet<u32>, problems: &mut Problems) -> Topics {
    let (mut topics, mut names, mut offsets) = (Vec::new(), Names::default(), None);
    if let Kind::List(items) = &mut node.kind {
        // told below to be a map; its items may still have wrong keys
        for item in items.iter_mut() {
            if let Kind::Map(entries) = &mut item.kind {
                entries.retain(|(key, _)| key.text != "name");
                topic(item, brokers, problems);
            }
        }
    }
    for (key, value) in named(node, "topics", problems) {
        if key.text == OFFSETS_TOPIC {
            offsets = own_topic(key, value, brokers, problems);
            continue;
        }
        if problems.is_full() {
            break;
        }
        let Some(spec) = topic(value, brokers, problems) else { continue };
        if !register(&mut names, key, spec.count, "a topic", problems) {
            continue;
        }
        let family = spec.count.map(|_| key.text.clone());
        let made: Vec<String> = match spec.count {
            None => vec![key.text.clone()],
            Some(count) => family_names(&key.text, count).collect(),
        };
        if topics.len() + made.len() > MAX_TOPICS as usize {
            problems.add(key.at, format!("there can be at most {MAX_TOPICS} topics"), "");
            break;
        }
        topics.extend(made.into_iter().map(|name| Topic {
            name,
            family: family.clone(),
            id: spec.id,
            place: spec.place.clone(),
        }));
    }
    topics.sort_by(|a, b| natural_cmp(&a.name, &b.name));
    Topics { list: topics, names, offsets }
}

/// `__consumer_offsets` comes by itself; only where its partitions are can be said.
fn own_topic(
    key: &Key,
    node: &mut Node,
    brokers: &BTreeSet<u32>,
    problems: &mut Problems,
) -> Option<(At, Vec<Vec<BrokerId>>)> {
    if node.get("replicas").is_none() {
        let label = "it comes by itself; only its `replicas` can be given";
        problems.add(key.at, format!("`{OFFSETS_TOPIC}` is Kafka's own topic"), label);
        return None;
    }
    let mut fields = Fields::open(node, "this topic", problems)?;
    let lists = fields.opt("replicas").and_then(|node| replica_lists(node, brokers, problems));
    fields.close(problems);
    lists.map(|lists| (key.at, lists))
}

struct Spec {
    count: Option<u32>,
    id: Option<Uuid>,
    place: Place,
}

fn topic(node: &mut Node, brokers: &BTreeSet<u32>, problems: &mut Problems) -> Option<Spec> {
    if matches!(node.kind, Kind::Scalar { .. }) && !node.is_null() {
        let count = whole(node, "the number of topics", 1, MAX_TOPICS, problems)?;
        let at = node.at;
        node.kind =
            Kind::Map(vec![(Key { text: "count".to_owned(), plain: true, at }, Node::plain(at, count.to_string()))]);
    }
    let mut fields = Fields::open(node, "a topic", problems)?;
    let count = match fields.opt("count") {
        None => Some(None),
        Some(node) => whole(node, "count", 1, MAX_TOPICS, problems).map(Some),
    };
    let place = place(&mut fields, brokers, problems);
    let id = fields.opt("id").map(|node| (node.at, uuid(node, problems)));
    if let (Some((at, _)), Some(Some(_))) = (&id, count) {
        problems.add(*at, "a family of topics cannot share an id", "leave out `id`, or `count`");
    }
    fields.close(problems);
    Some(Spec { count: count?, id: id.and_then(|(_, id)| id), place: place? })
}

/// Reads `partitions`, `rf` and `replicas` of a topic that comes to be.
pub(crate) fn place(fields: &mut Fields<'_>, brokers: &BTreeSet<u32>, problems: &mut Problems) -> Option<Place> {
    if fields.has("replicas") {
        let exact = fields.opt("replicas").and_then(|node| replica_lists(node, brokers, problems));
        for key in ["partitions", "rf"] {
            if let Some(at) = fields.key_at(key) {
                problems.add(at, format!("`{key}` follows from `replicas`"), "take one of them away");
            }
        }
        fields.opt("partitions");
        fields.opt("rf");
        return exact.map(Place::Exact);
    }
    let partitions = whole_span(fields.or("partitions", "6"), "partitions", 1, MAX_PARTITIONS, problems);
    let rf = rf(fields.or("rf", &brokers.len().clamp(1, 3).to_string()), brokers, problems);
    fields.opt("replicas");
    Some(Place::Drawn { partitions: partitions?, rf: rf? })
}

/// A replication factor that the brokers can hold.
pub(crate) fn rf(node: &Node, brokers: &BTreeSet<u32>, problems: &mut Problems) -> Option<u32> {
    let rf: u32 = whole(node, "rf", 1, 1_000, problems)?;
    if rf as usize > brokers.len() && !brokers.is_empty() {
        let label = format!("at most {}", brokers.len());
        problems.add(node.at, format!("rf {rf} is more than there are brokers ({})", brokers.len()), label);
        return None;
    }
    Some(rf)
}

/// `{0: [0, 1, 2], 1: [...]}` or `[[0, 1, 2], [...]]`, partition by partition from 0.
pub(super) fn replica_lists(
    node: &Node,
    brokers: &BTreeSet<u32>,
    problems: &mut Problems,
) -> Option<Vec<Vec<BrokerId>>> {
    let by_partition = replica_map(node, brokers, problems)?;
    let gap = by_partition.keys().zip(0..).find(|(have, want)| **have != *want).map(|(_, want)| want);
    if let Some(missing) = gap {
        problems.add(node.at, format!("partition {missing} is missing"), "partitions count from 0 without a gap");
        return None;
    }
    Some(by_partition.into_values().collect())
}

/// As written, by partition, whichever there are.
pub(crate) fn replica_map(
    node: &Node,
    brokers: &BTreeSet<u32>,
    problems: &mut Problems,
) -> Option<BTreeMap<u32, Vec<BrokerId>>> {
    let mut lists = BTreeMap::new();
    let mut fine = true;
    match &node.kind {
        Kind::List(items) => {
            for (partition, item) in (0..).zip(items) {
                let list = replicas(item, brokers, problems);
                fine &= list.is_some();
                lists.insert(partition, list.unwrap_or_default());
            }
        }
        Kind::Map(entries) => {
            for (key, value) in entries {
                let key = Node::quoted(key.at, key.text.clone());
                let partition = whole(&key, "a partition", 0, MAX_PARTITIONS - 1, problems);
                let list = replicas(value, brokers, problems);
                fine &= partition.is_some() && list.is_some();
                lists.insert(partition.unwrap_or(0), list.unwrap_or_default());
            }
        }
        Kind::Scalar { .. } => fine = false,
    }
    if lists.is_empty() {
        problems.add(node.at, "replicas are listed by partition", "write `{0: [0, 1, 2], 1: [1, 2, 0]}`");
        return None;
    }
    fine.then_some(lists)
}

/// One partition's replicas: brokers, each once; the first is the preferred leader.
pub(crate) fn replicas(node: &Node, brokers: &BTreeSet<u32>, problems: &mut Problems) -> Option<Vec<BrokerId>> {
    let Kind::List(items) = &node.kind else {
        problems.add(node.at, format!("replicas are a list of brokers, not {}", node.what()), "write `[0, 1, 2]`");
        return None;
    };
    if items.is_empty() {
        problems.add(node.at, "a partition has at least one replica", "");
        return None;
    }
    let mut list = Vec::new();
    let mut fine = true;
    for item in items {
        let Some(id) = whole(item, "a broker's id", 0, u32::MAX, problems) else {
            fine = false;
            continue;
        };
        if !brokers.contains(&id) {
            problems.add(item.at, format!("there is no broker {id}"), "");
            fine = false;
        } else if list.contains(&BrokerId(id)) {
            problems.add(item.at, format!("broker {id} is in this list twice"), "");
            fine = false;
        }
        list.push(BrokerId(id));
    }
    fine.then_some(list)
}

/// A topic's id: 32 hexadecimal digits, with or without dashes, or Kafka's own 22 letters.
pub(super) fn uuid(node: &Node, problems: &mut Problems) -> Option<Uuid> {
    let text = word(node, "a topic's id", problems)?;
    let Some(id) = Uuid::read(text) else {
        problems.add(node.at, format!("`{text}` is no topic id"), "write 32 hexadecimal digits, or Kafka's 22 letters");
        return None;
    };
    if super::scalars::is_plain(node) && reads_as(text).is_some() {
        problems.add(node.at, format!("`{text}` is a number to YAML"), format!("write \"{text}\""));
        return None;
    }
    Some(id)
}
