//! `groups:`.

use std::sync::Arc;

use super::super::diagnostics::{At, Problems};
use super::super::yaml::{Key, Kind, Node};
use super::super::{Group, GroupSpec, Members, Phase, Span, TopicPick};
use super::Fields;
use super::census::{Census, Names, family_names};
use super::cluster::racks;
use super::members::{Shared, members};
use super::picks::subscription;
use super::protocols::protocol;
use super::scalars::{choice, time, time_span, whole, word, yes_no};
use super::topics::{named, register};
use crate::kafka::GroupKind;
use crate::sim::{Ms, natural_cmp};

/// More groups than fit a machine.
pub(crate) const MAX_GROUPS: u32 = 5_000_000;

/// Reads `groups:`, in natural order of names.
pub(crate) fn groups(
    node: &mut Node,
    census: &Census,
    in_turn: &Arc<[Option<String>]>,
    problems: &mut Problems,
) -> (Vec<Group>, Names) {
    let (mut groups, mut names) = (Vec::new(), Names::default());
    if let Kind::List(items) = &mut node.kind {
        for item in items.iter_mut() {
            if let Kind::Map(entries) = &mut item.kind {
                entries.retain(|(key, _)| key.text != "name");
                group(item, census, in_turn, problems);
            }
        }
    }
    for (key, value) in named(node, "groups", problems) {
        if problems.is_full() {
            break;
        }
        let Some((count, group)) = group(value, census, in_turn, problems) else { continue };
        if !register(&mut names, key, count, "a group", problems) {
            continue;
        }
        match count {
            None => groups.push(Group { name: key.text.clone(), family: None, spec: group }),
            Some(count) if groups.len() + count as usize > MAX_GROUPS as usize => {
                problems.add(key.at, format!("there can be at most {MAX_GROUPS} groups"), "");
                break;
            }
            Some(count) => {
                let family: Option<Arc<str>> = Some(key.text.as_str().into());
                let one = |name| Group { name, family: family.clone(), spec: Arc::clone(&group) };
                groups.extend(family_names(&key.text, count).map(one));
            }
        }
    }
    groups.sort_by(|a, b| natural_cmp(&a.name, &b.name));
    (groups, names)
}

fn group(
    node: &mut Node,
    census: &Census,
    in_turn: &Arc<[Option<String>]>,
    problems: &mut Problems,
) -> Option<(Option<u32>, Arc<GroupSpec>)> {
    if matches!(node.kind, Kind::Scalar { .. }) && !node.is_null() {
        let count: u32 = whole(node, "the number of groups", 1, MAX_GROUPS, problems)?;
        let at = node.at;
        let key = Key { text: "count".to_owned(), plain: true, at };
        node.kind = Kind::Map(vec![(key, Node::plain(at, count.to_string()))]);
    }
    let mut fields = Fields::open(node, "a group", problems)?;
    let p = problems;
    let count = match fields.opt("count") {
        None => Some(None),
        Some(node) => whole(node, "count", 1, MAX_GROUPS, p).map(Some),
    };
    let phase = phase(fields.or("phase", "drawn"), p).unwrap_or(Phase::Drawn);
    let is_static = yes_no(fields.or("static", "false"), "static", p).unwrap_or(false);
    let own_racks =
        fields.or_node("racks", |at| Node::list(at, in_turn.iter().map(|rack| rack_node(at, rack)).collect()));
    let racks = racks(own_racks, p);
    let shared = Shared { phase, is_static, racks };
    let members = members(fields.or("members", "5"), &shared, census, p);
    let subscribed = fields.opt("topics").map(|node| subscription(node, census, p));
    let pattern = fields.opt("pattern").map(|node| compiles(node, p));
    let (kind, internal) = protocol(&mut fields, members.as_ref(), p);
    if subscribed.is_none() && pattern.is_none() && needs_topics(members.as_ref()) {
        let (what, label) = match kind {
            GroupKind::Streams => {
                ("this streams group has no source topics", "say `topics:` (names, a number, `5 of NAME`)")
            }
            GroupKind::Consumer | GroupKind::Classic | GroupKind::Share => (
                "this group subscribes to nothing",
                "say `topics:` (`all`, names, a number, `5 of NAME`) or `pattern:`",
            ),
        };
        p.add(fields.at(), what, label);
    }
    let (heartbeat, session) = timeouts(&mut fields, p);
    let rack_aware = yes_no(fields.or("rack_aware", "true"), "rack_aware", p).unwrap_or(true);
    let late = fields.or("patience", "null");
    let patience = if late.is_null() { None } else { time(late, "patience", p) };
    let kinds = ["none", "range", "uniform", "rack-first"].map(|name| (name, name));
    let assignor = choice(fields.or("assignor", "none"), "assignor", &kinds, p).filter(|name| *name != "none");
    let standing = choice(fields.or("start", "standing"), "start", &[("standing", true), ("empty", false)], p);
    let stored = choice(fields.or("stored", "fresh"), "stored", &[("fresh", true), ("absent", false)], p);
    let epoch = whole(fields.or("epoch", "1"), "epoch", 1, u32::from(u16::MAX) << 14, p);
    fields.close(p);
    let group = GroupSpec {
        members: members.unwrap_or(Members::Count(Span::just(5))),
        topics: subscribed.flatten().unwrap_or_else(|| TopicPick::These(Arc::default())),
        pattern: pattern.flatten(),
        kind,
        internal,
        heartbeat,
        session,
        phase: shared.phase,
        is_static,
        rack_aware,
        patience,
        assignor: assignor.map(str::to_owned),
        standing: standing.unwrap_or(true),
        stored: stored.unwrap_or(true),
        epoch: epoch.unwrap_or(1),
        racks: shared.racks,
    };
    count.map(|count| (count, Arc::new(group)))
}

fn rack_node(at: At, rack: &Option<String>) -> Node {
    rack.as_ref().map_or_else(|| Node::plain(at, "null"), |name| Node::quoted(at, name.as_str()))
}

/// Are there members that depend on what the group subscribes to?
fn needs_topics(members: Option<&Members>) -> bool {
    match members {
        None => false,
        Some(Members::Count(count)) => count.hi > 0,
        Some(Members::Named(list)) => list.iter().any(|m| m.topics.is_none() && m.pattern.is_none()),
    }
}

/// Heartbeat interval and session timeout; the one must be shorter than the other.
fn timeouts(fields: &mut Fields<'_>, problems: &mut Problems) -> (Span<Ms>, Span<Ms>) {
    let usual = (Span::just(Ms::secs(5)), Span::just(Ms::secs(45)));
    let node = fields.or("heartbeat", "5s");
    let (heartbeat_at, heartbeat) = (node.at, time_span(node, "heartbeat", problems));
    let node = fields.or("session", "45s");
    let (session_at, session) = (node.at, time_span(node, "session", problems));
    let (Some(heartbeat), Some(session)) = (heartbeat, session) else { return usual };
    if heartbeat.lo == Ms::ZERO {
        problems.add(heartbeat_at, "heartbeat cannot be 0", "at least 1ms");
        return usual;
    }
    if heartbeat.hi >= session.lo {
        let message = format!(
            "heartbeat ({}) must be shorter than session ({}), or members expire between two heartbeats",
            shown(heartbeat),
            shown(session)
        );
        let problem = problems.add(heartbeat_at, message, format!("heartbeat: {}", shown(heartbeat)));
        problem.also.push((session_at, format!("session: {}", shown(session))));
        return usual;
    }
    (heartbeat, session)
}

fn shown(span: Span<Ms>) -> String {
    if span.lo == span.hi { span.lo.to_string() } else { format!("{}..{}", span.lo, span.hi) }
}

/// `drawn`, a time, `a..b`, or a list of times for the members in turn.
pub(crate) fn phase(node: &Node, problems: &mut Problems) -> Option<Phase> {
    match &node.kind {
        Kind::List(items) => {
            let times: Vec<Option<Ms>> = items.iter().map(|item| time(item, "a phase", problems)).collect();
            if times.is_empty() {
                problems.add(node.at, "this list is empty", "write a time for each member, or leave `phase` out");
                return None;
            }
            times.into_iter().collect::<Option<_>>().map(Phase::Each)
        }
        Kind::Scalar { text, .. } if text == "drawn" => Some(Phase::Drawn),
        Kind::Scalar { text, .. } if text.contains("..") => time_span(node, "phase", problems).map(Phase::Between),
        Kind::Scalar { .. } | Kind::Map(_) => time(node, "phase", problems).map(|time| Phase::Each(vec![time])),
    }
}

/// A pattern over whole topic names that compiles.
pub(crate) fn compiles(node: &Node, problems: &mut Problems) -> Option<String> {
    let text = word(node, "a pattern", problems)?;
    // by itself first, or `a)(b` would pass
    let whole = format!("^(?:{text})$");
    let compiled = [text, whole.as_str()].map(|text| regex::RegexBuilder::new(text).size_limit(1 << 20).build());
    match compiled.into_iter().collect::<Result<Vec<_>, _>>() {
        Ok(_) => Some(text.to_owned()),
        Err(error) => {
            let why = error.to_string();
            let last = why.lines().last().unwrap_or("").trim_start_matches("error: ").to_owned();
            problems.add(
                node.at,
                format!("`{text}` is no pattern: {last}"),
                "RE2 syntax, matched against the whole name",
            );
            None
        }
    }
}
