//! The file of the verb `assign`: brokers, topics, members, who owned what.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use super::super::assign::{AssignFile, AssignMember, AssignPlace, AssignTopic};
use super::super::diagnostics::{At, Diagnostics, Problems};
use super::super::words::{glob_matches, is_glob};
use super::super::yaml::{Key, Kind, Node};
use super::Fields;
use super::brokers::{Defaults, brokers};
use super::census::{Names, did_you_mean, family_names};
use super::cluster::racks;
use super::groups::compiles;
use super::load::{Reading, read_file, stem};
use super::members::MAX_MEMBERS;
use super::scalars::{choice, rack, whole, whole_span, word, yes_no};
use super::topics::{MAX_PARTITIONS, MAX_TOPICS, named, register, replica_lists, rf, uuid};
use crate::kafka::{BrokerId, Version};
use crate::sim::natural_cmp;

/// Partitions of all topics.
const MOST_PARTITIONS: usize = 10_000_000;
/// Streams of a member for a topic.
const MAX_THREADS: u32 = 10_000;

/// Reads such a file. `known` are the assignors that there are.
///
/// # Errors
/// All that is wrong with it.
pub fn load_assign(path: &Path, known: &[&'static str]) -> Result<AssignFile, Diagnostics> {
    load_assign_text(&path.display().to_string(), &read_file(path)?, known)
}

/// As [`load_assign`], from a text; `base:` is looked for beside `name`.
///
/// # Errors
/// All that is wrong with it.
pub fn load_assign_text(name: &str, text: &str, known: &[&'static str]) -> Result<AssignFile, Diagnostics> {
    let mut reading = Reading::default();
    let Some(mut tree) = reading.whole_document(name, Path::new(name).parent().unwrap_or(Path::new("")), text) else {
        return Err(reading.fail(None));
    };
    let file = document(&mut tree, known, &mut reading.problems);
    let Some(mut file) = file.filter(|_| reading.problems.list.is_empty()) else {
        return Err(reading.fail(Some(&tree)));
    };
    file.name = stem(name);
    file.warnings = reading.warnings();
    file.sources = Arc::new(reading.sources);
    Ok(file)
}

fn document(root: &mut Node, known: &[&'static str], p: &mut Problems) -> Option<AssignFile> {
    if let Some(at) = scenario_key(root) {
        p.settle(at, "this file is a scenario: time passes in it", "`rebalance-sim run FILE` simulates it");
        return None;
    }
    let mut fields = Fields::open(root, "the top of the file", p)?;
    let abc = |at| Node::list(at, ["a", "b", "c"].map(|rack| Node::plain(at, rack)).to_vec());
    let racks = racks(fields.or_node("racks", abc), p);
    let before = p.list.len();
    let defaults = Defaults { version: Version::default(), racks: &racks };
    let brokers: BTreeMap<u32, Option<String>> =
        brokers(fields.or("brokers", "6"), &defaults, p).into_iter().map(|b| (b.id.0, b.rack)).collect();
    let mut ids: BTreeSet<u32> = brokers.keys().copied().collect();
    if p.list.len() > before {
        // what follows from wrong brokers is not told
        ids.extend(0..1_000);
    }
    let before = p.list.len();
    let help = "as in `topics: {t: {partitions: 10}}`";
    let (topics, names) =
        fields.must("topics", help, p).map(|node| topics(node, &ids, &brokers, p)).unwrap_or_default();
    let topics_fine = p.list.len() == before;
    let help = "as in `members: {C1: {topics: [t]}, C2: {topics: [t]}}`";
    let mut member_places = BTreeMap::new();
    let members = match fields.must("members", help, p) {
        Some(node) => {
            let there = There { topics: &topics, names: &names, fine: topics_fine };
            members(node, &there, &mut member_places, p)
        }
        None => Vec::new(),
    };
    let (assignors, places) = fields.opt("assignors").map(|node| assignors(node, known, p)).unwrap_or_default();
    fields.close(p);
    Some(AssignFile {
        name: String::new(),
        topics,
        members,
        assignors,
        warnings: Vec::new(),
        sources: Arc::default(),
        places,
        member_places,
    })
}

/// The first key that only a scenario has.
fn scenario_key(root: &Node) -> Option<At> {
    let Kind::Map(entries) = &root.kind else { return None };
    let words = ["groups", "history", "strategies", "duration", "expect", "sweep"];
    entries.iter().find(|(key, _)| words.contains(&key.text.as_str())).map(|(key, _)| key.at)
}

/// Reads `assignors:`, a list of them or one.
fn assignors(node: &Node, known: &[&'static str], p: &mut Problems) -> (Vec<String>, BTreeMap<String, At>) {
    let words: Vec<(&str, &str)> = known.iter().map(|name| (*name, *name)).collect();
    let items = match &node.kind {
        Kind::List(items) => items.as_slice(),
        Kind::Scalar { .. } | Kind::Map(_) => std::slice::from_ref(node),
    };
    let (mut list, mut places) = (Vec::new(), BTreeMap::new());
    for item in items {
        let Some(name) = choice(item, "an assignor", &words, p) else { continue };
        if let Some(first) = places.insert(name.to_owned(), item.at) {
            let problem = p.add(item.at, format!("`{name}` is asked for twice"), "take one of them away");
            problem.also.push((first, "first here".to_owned()));
        }
        list.push(name.to_owned());
    }
    (list, places)
}

fn topics(
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

/// The topics that members can subscribe to.
struct There<'a> {
    topics: &'a [AssignTopic],
    names: &'a Names,
    /// Could all of them be read?
    fine: bool,
}

fn members(
    node: &mut Node,
    there: &There<'_>,
    places: &mut BTreeMap<String, At>,
    p: &mut Problems,
) -> Vec<AssignMember> {
    if matches!(node.kind, Kind::Scalar { .. }) && !node.is_null() {
        // a number: so many that subscribe to everything
        let key = Key { text: "m".to_owned(), plain: true, at: node.at };
        let count = Node { at: node.at, kind: std::mem::replace(&mut node.kind, Kind::Map(Vec::new())) };
        node.kind = Kind::Map(vec![(key, count)]);
    }
    let (mut list, mut names) = (Vec::new(), Names::default());
    let mut claims: BTreeMap<(String, u32, u32), At> = BTreeMap::new();
    for (key, value) in named(node, "members", p) {
        if p.is_full() {
            break;
        }
        let Some((count, member)) = member(value, there, p) else { continue };
        if !register(&mut names, key, count, "a member", p) {
            continue;
        }
        if list.len() + count.unwrap_or(1) as usize > MAX_MEMBERS as usize {
            p.add(key.at, format!("a group has at most {MAX_MEMBERS} members"), "");
            break;
        }
        for (topic, partitions) in &member.owns {
            for partition in partitions {
                let claim = (topic.clone(), *partition, member.generation);
                let twice = claims.insert(claim, key.at).is_some();
                if twice || count.is_some_and(|count| count > 1) {
                    p.warn_at(key.at, || format!("partition {partition} of {topic} is owned twice: neither keeps it"));
                }
            }
        }
        let made: Vec<String> = match count {
            None => vec![key.text.clone()],
            Some(count) => family_names(&key.text, count).collect(),
        };
        for name in made {
            places.insert(name.clone(), key.at);
            list.push(AssignMember { name, ..member.clone() });
        }
    }
    list.sort_by(|a, b| natural_cmp(&a.name, &b.name));
    list
}

fn member(node: &mut Node, there: &There<'_>, p: &mut Problems) -> Option<(Option<u32>, AssignMember)> {
    if matches!(node.kind, Kind::Scalar { .. }) && !node.is_null() {
        let (count, at): (u32, At) = (whole(node, "the number of members", 1, MAX_MEMBERS, p)?, node.at);
        let key = Key { text: "count".to_owned(), plain: true, at };
        node.kind = Kind::Map(vec![(key, Node::plain(at, count.to_string()))]);
    }
    let mut fields = Fields::open(node, "a member", p)?;
    let count = fields.opt("count").map(|node| whole(node, "count", 1, MAX_MEMBERS, p));
    let by_name = fields.opt("topics").map(|node| subscription(node, there, p));
    let by_pattern = fields.opt("pattern").map(|node| matched(node, there, p));
    let everything = || there.topics.iter().map(|t| t.name.clone()).collect::<BTreeSet<String>>();
    let topics: BTreeSet<String> = match (by_name, by_pattern) {
        (None, None) => everything(),
        (names, pattern) => names.into_iter().chain(pattern).flatten().collect(),
    };
    let rack = fields.opt("rack").and_then(|node| rack(node, p)).flatten();
    let is_static = fields.opt("static").and_then(|node| yes_no(node, "static", p)).unwrap_or(false);
    let threads = fields.opt("threads").map(|node| threads(node, &topics, there, p)).unwrap_or_default();
    let owns = fields.opt("owns").map(|node| owns(node, there, p)).unwrap_or_default();
    let generation = fields.opt("generation").and_then(|node| whole(node, "generation", 0, i32::MAX as u32, p));
    fields.close(p);
    let count = match count {
        None => None,
        Some(count) => Some(count?),
    };
    let topics: Vec<String> = topics.into_iter().collect();
    let (name, generation) = (String::new(), generation.unwrap_or(0));
    Some((count, AssignMember { name, rack, is_static, topics, threads, owns, generation }))
}

/// `all`, a name, a family, a glob, or a list of those; an empty list: nothing.
fn subscription(node: &Node, there: &There<'_>, p: &mut Problems) -> BTreeSet<String> {
    let all = |wanted: &dyn Fn(&str) -> bool| -> Vec<String> {
        there.topics.iter().map(|t| t.name.clone()).filter(|name| wanted(name)).collect()
    };
    let items = match &node.kind {
        Kind::List(items) => items.as_slice(),
        Kind::Scalar { .. } | Kind::Map(_) => std::slice::from_ref(node),
    };
    let mut found = BTreeSet::new();
    for item in items {
        let Some(text) = word(item, "a topic", p) else { continue };
        let names = match text {
            "all" => all(&|_| true),
            glob if is_glob(glob) => all(&|name| glob_matches(glob, name)),
            family if there.names.is_family(family) => all(&|name| there.names.member_of(name) == Some(family)),
            name if there.names.has(name) => vec![name.to_owned()],
            _ => Vec::new(),
        };
        if names.is_empty() && there.fine {
            let (message, label) = if is_glob(text) {
                (format!("no topic matches `{text}`"), String::new())
            } else {
                (format!("there is no topic `{text}`"), did_you_mean(text, &[there.names]))
            };
            p.add(item.at, message, label);
        }
        found.extend(names);
    }
    found
}

fn matched(node: &Node, there: &There<'_>, p: &mut Problems) -> BTreeSet<String> {
    if node.text() == Some("") && !node.is_null() {
        return BTreeSet::new();
    }
    let Some(pattern) = compiles(node, p).and_then(|text| regex::Regex::new(&format!("^(?:{text})$")).ok()) else {
        return BTreeSet::new();
    };
    let found: BTreeSet<String> =
        there.topics.iter().map(|t| t.name.clone()).filter(|name| pattern.is_match(name)).collect();
    if found.is_empty() && there.fine {
        p.add(node.at, "no topic matches this pattern", "it is matched against the whole name");
    }
    found
}

/// A number for every topic, or a map by topic.
fn threads(node: &Node, topics: &BTreeSet<String>, there: &There<'_>, p: &mut Problems) -> BTreeMap<String, u32> {
    let one = |node: &Node, p: &mut Problems| whole(node, "threads", 1, MAX_THREADS, p).unwrap_or(1);
    match &node.kind {
        Kind::Map(entries) => {
            let mut found = BTreeMap::new();
            for (key, value) in entries {
                if !topics.contains(&key.text) && there.fine {
                    let label = if there.names.has(&key.text) {
                        "put it among its `topics`, too".to_owned()
                    } else {
                        did_you_mean(&key.text, &[there.names])
                    };
                    p.add(key.at, format!("this member does not subscribe to `{}`", key.text), label);
                }
                found.insert(key.text.clone(), one(value, p));
            }
            found
        }
        Kind::Scalar { .. } | Kind::List(_) => {
            let threads = one(node, p);
            topics.iter().map(|topic| (topic.clone(), threads)).collect()
        }
    }
}

/// `{t: [0, 3], u: 0..4}`.
fn owns(node: &mut Node, there: &There<'_>, p: &mut Problems) -> BTreeMap<String, Vec<u32>> {
    let mut found = BTreeMap::new();
    for (key, value) in named(node, "owns", p) {
        let Some(topic) = there.topics.iter().find(|t| t.name == key.text) else {
            if there.fine {
                let label = did_you_mean(&key.text, &[there.names]);
                p.add(key.at, format!("there is no topic `{}`", key.text), label);
            }
            continue;
        };
        let items = match &value.kind {
            Kind::List(items) => items.as_slice(),
            Kind::Scalar { .. } | Kind::Map(_) => std::slice::from_ref(value),
        };
        let mut own = BTreeSet::new();
        for item in items {
            let Some(span) = whole_span(item, "a partition", 0, MAX_PARTITIONS - 1, p) else { continue };
            if span.hi as usize >= topic.partitions.len() {
                let last = topic.partitions.len() - 1;
                let there = if last == 0 { "only partition 0".to_owned() } else { format!("partitions 0 to {last}") };
                p.add(
                    item.at,
                    format!("there is no partition {} in `{}`", span.hi, topic.name),
                    format!("it has {there}"),
                );
                continue;
            }
            own.extend(span.lo..=span.hi);
        }
        found.insert(key.text.clone(), own.into_iter().collect());
    }
    found
}
