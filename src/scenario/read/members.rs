//! `members:` of a group: a count, or a map of named ones.

use std::sync::Arc;

use super::super::diagnostics::Problems;
use super::super::yaml::{Key, Kind, Node};
use super::super::{Member, Members, Phase, Span, TopicPick};
use super::Fields;
use super::census::{Census, Names, family_names};
use super::groups::{compiles, phase};
use super::picks::subscription;
use super::scalars::{rack, time, whole, whole_span, yes_no};
use super::topics::register;
use crate::sim::{Ms, natural_cmp};

/// Members of one group; Kafka's own limit is lower.
pub(crate) const MAX_MEMBERS: u32 = 100_000;

/// What the group says for members that say nothing of their own.
pub(crate) struct Shared {
    pub(crate) phase: Phase,
    pub(crate) is_static: bool,
    pub(crate) racks: Arc<[Option<String>]>,
}

/// Reads `members:`.
pub(crate) fn members(node: &mut Node, shared: &Shared, census: &Census, problems: &mut Problems) -> Option<Members> {
    match &mut node.kind {
        Kind::Scalar { .. } => whole_span(node, "members", 0, MAX_MEMBERS, problems).map(Members::Count),
        Kind::List(_) => {
            let label = "write a count, or a map: `{m: {rack: a}}`";
            problems.add(node.at, "members is a count or a map keyed by name, not a list", label);
            None
        }
        Kind::Map(entries) => {
            let (mut named, mut names) = (Vec::new(), Names::default());
            for (key, value) in entries.iter_mut() {
                if key.text == "count" {
                    let label = "write `members: 5`, or a name with its own count: `{m: {count: 5}}`";
                    problems.add(key.at, "`count` would be the name of a member here", label);
                    continue;
                }
                let Some(spec) = spec(value, census, problems) else { continue };
                if register(&mut names, key, spec.count, "a member", problems) {
                    spec.put(key, &mut named);
                }
            }
            if named.len() > MAX_MEMBERS as usize {
                problems.add(node.at, format!("a group has at most {MAX_MEMBERS} members"), "");
                return None;
            }
            Some(Members::Named(in_turn(named, shared)))
        }
    }
}

#[derive(Clone)]
struct Spec {
    count: Option<u32>,
    topics: Option<TopicPick>,
    pattern: Option<String>,
    rack: Option<Option<String>>,
    is_static: Option<bool>,
    phase: Option<Phase>,
    join: Option<Ms>,
}

impl Spec {
    fn put(self, key: &Key, named: &mut Vec<(String, usize, Spec)>) {
        match self.count {
            None => named.push((key.text.clone(), 0, self)),
            Some(count) => {
                named.extend(family_names(&key.text, count).enumerate().map(|(i, name)| (name, i, self.clone())));
            }
        }
    }
}

fn spec(node: &mut Node, census: &Census, problems: &mut Problems) -> Option<Spec> {
    if matches!(node.kind, Kind::Scalar { .. }) && !node.is_null() {
        let count = whole(node, "the number of members", 1, MAX_MEMBERS, problems)?;
        let none = Spec {
            count: Some(count),
            topics: None,
            pattern: None,
            rack: None,
            is_static: None,
            phase: None,
            join: None,
        };
        return Some(none);
    }
    let mut fields = Fields::open(node, "a member", problems)?;
    let count = match fields.opt("count") {
        None => Some(None),
        Some(node) => whole(node, "count", 1, MAX_MEMBERS, problems).map(Some),
    };
    let topics = fields.opt("topics").and_then(|node| subscription(node, census, problems));
    let pattern = fields.opt("pattern").and_then(|node| compiles(node, problems));
    let rack = fields.opt("rack").and_then(|node| rack(node, problems));
    let is_static = fields.opt("static").and_then(|node| yes_no(node, "static", problems));
    let phase = fields.opt("phase").and_then(|node| phase(node, problems));
    let join = fields.opt("join").and_then(|node| time(node, "join", problems));
    fields.close(problems);
    count.map(|count| Spec { count, topics, pattern, rack, is_static, phase, join })
}

/// In natural order of names; racks and given phases of the group in turn, by place in that order.
fn in_turn(mut named: Vec<(String, usize, Spec)>, shared: &Shared) -> Vec<Member> {
    named.sort_by(|a, b| natural_cmp(&a.0, &b.0));
    let turn = |index: usize, racks: &[Option<String>]| {
        if racks.is_empty() { None } else { racks[index % racks.len()].clone() }
    };
    let place = |(index, (name, within, spec)): (usize, (String, usize, Spec))| {
        let phase = match (spec.phase, &shared.phase) {
            (Some(own), _) => one_of(own, within),
            (None, of_group) => one_of(of_group.clone(), index),
        };
        Member {
            name,
            topics: spec.topics,
            pattern: spec.pattern,
            rack: spec.rack.unwrap_or_else(|| turn(index, &shared.racks)),
            is_static: spec.is_static.unwrap_or(shared.is_static),
            phase,
            join: spec.join,
        }
    };
    named.into_iter().enumerate().map(place).collect()
}

/// The phase of member number `index` of those that share one.
fn one_of(phase: Phase, index: usize) -> Phase {
    match phase {
        Phase::Each(list) if list.is_empty() => Phase::Drawn,
        Phase::Each(list) => Phase::Each(vec![list[index % list.len()]]),
        Phase::Drawn | Phase::Between(Span { .. }) => phase,
    }
}
