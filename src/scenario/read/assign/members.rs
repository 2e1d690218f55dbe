//! `members:` of an assignment: what they subscribe to, their threads, and what they owned.

use std::collections::{BTreeMap, BTreeSet};

use super::super::super::assign::{AssignMember, AssignTopic};
use super::super::super::diagnostics::{At, Problems};
use super::super::super::words::{glob_matches, is_glob};
use super::super::super::yaml::{Key, Kind, Node};
use super::super::Fields;
use super::super::census::{Names, did_you_mean, family_names};
use super::super::groups::compiles;
use super::super::members::MAX_MEMBERS;
use super::super::scalars::{rack, whole, whole_span, word, yes_no};
use super::super::topics::{MAX_PARTITIONS, named, register};
use crate::sim::natural_cmp;

/// Streams of a member for a topic.
const MAX_THREADS: u32 = 10_000;

/// The topics that members can subscribe to.
pub(super) struct There<'a> {
    pub(super) topics: &'a [AssignTopic],
    pub(super) names: &'a Names,
    /// Could all of them be read?
    pub(super) fine: bool,
}

pub(super) fn members(
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
