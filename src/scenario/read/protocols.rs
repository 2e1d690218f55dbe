//! `protocol:` and `internal:` of a group: what share and streams groups have of their own, and what Kafka does not let
//! them have.

use std::sync::Arc;

use super::super::diagnostics::Problems;
use super::super::yaml::{Kind, Node};
use super::super::{Group, Members, Place, Span, Topic, TopicPick};
use super::Fields;
use super::census::Census;
use super::scalars::{choice, word};
use crate::kafka::GroupKind;
use crate::sim::natural_cmp;

/// How Kafka Streams ends the names of the topics that it makes.
const ENDINGS: [&str; 2] = ["-repartition", "-changelog"];

/// Reads which protocol a group is of, and the topics that a streams group makes; says what that protocol does not know.
pub(super) fn protocol(
    fields: &mut Fields<'_>,
    members: Option<&Members>,
    p: &mut Problems,
) -> (GroupKind, Arc<[String]>) {
    let node = fields.or("protocol", "consumer");
    let kind = if node.text() == Some("classic") {
        let message = "a coordinator looks after no topics of classic groups: their clients do";
        p.add(node.at, message, "leave `protocol` out and take `classic-client` among the strategies");
        GroupKind::Consumer
    } else {
        let words = [GroupKind::Consumer, GroupKind::Share, GroupKind::Streams].map(|kind| (kind.name(), kind));
        choice(node, "protocol", &words, p).unwrap_or_default()
    };
    let internal = fields.opt("internal").map(|node| (node.at, internal(node, p)));
    match kind {
        GroupKind::Consumer | GroupKind::Classic => {}
        GroupKind::Share => refuse(fields, "a share group", &["pattern", "static", "assignor"], p),
        GroupKind::Streams => {
            refuse(fields, "a streams group", &["pattern", "static", "assignor"], p);
            own_topics(fields, members, p);
        }
    }
    refuse_static_members(fields, kind, members, p);
    let internal = match internal {
        Some((at, _)) if kind != GroupKind::Streams => {
            let message = format!("only a streams group has topics of its own, and this is a {} group", kind.name());
            p.add(at, message, "write `protocol: streams`, or name them under `topics:`");
            None
        }
        Some((_, names)) => names,
        None => None,
    };
    (kind, internal.unwrap_or_default())
}

/// Keys that mean something in other groups.
fn refuse(fields: &mut Fields<'_>, who: &str, keys: &[&'static str], p: &mut Problems) {
    for key in keys {
        let idle = |node: &Node| node.is_null() || node.text().is_some_and(|t| t == "none" || t == "false");
        let Some(at) = fields.opt(key).filter(|node| !idle(node)).map(|node| node.at) else { continue };
        let (message, label) = match *key {
            "pattern" => ("subscribes to topics by their names", "write them under `topics:`"),
            "static" => ("has no static members in Kafka", "leave `static` out"),
            _ => ("has an assignor of its own, which is not modelled", "leave `assignor` out"),
        };
        p.add(at, format!("{who} {message}"), label);
    }
}

/// The topology is the group's, so no member has topics of its own.
fn own_topics(fields: &Fields<'_>, members: Option<&Members>, p: &mut Problems) {
    let Some(Members::Named(list)) = members else { return };
    if list.iter().any(|member| member.topics.is_some() || member.pattern.is_some()) {
        let at = fields.key_at("members").unwrap_or(fields.at());
        let message = "a member of a streams group subscribes to nothing: the topology is the group's";
        p.add(at, message, "write its source topics under the group's `topics:`");
    }
}

fn refuse_static_members(fields: &mut Fields<'_>, kind: GroupKind, members: Option<&Members>, p: &mut Problems) {
    let Some(Members::Named(list)) = members else { return };
    let others = matches!(kind, GroupKind::Consumer | GroupKind::Classic);
    let said = fields.opt("static").is_some_and(|node| node.text() == Some("true"));
    if !others && !said && list.iter().any(|member| member.is_static) {
        let at = fields.key_at("members").unwrap_or(fields.at());
        let message = format!("a {} group has no static members in Kafka", kind.name());
        p.add(at, message, "leave `static` out");
    }
}

/// `[counts-changelog, by-user-repartition]`: without the group's name and a dash in front.
fn internal(node: &Node, p: &mut Problems) -> Option<Arc<[String]>> {
    let Kind::List(items) = &node.kind else {
        let label = "write `[counts-changelog, by-user-repartition]`";
        p.add(node.at, format!("internal is a list of names, not {}", node.what()), label);
        return None;
    };
    let mut names = Vec::new();
    for item in items {
        let text = word(item, "an internal topic", p)?;
        if !ENDINGS.iter().any(|ending| text.ends_with(ending) && text.len() > ending.len()) {
            let message = format!("`{text}` is no name of an internal topic");
            p.add(item.at, message, "they end in `-repartition` or `-changelog`, and the group's name comes in front");
            return None;
        }
        names.push(text.to_owned());
    }
    names.sort_by(|a, b| natural_cmp(a, b));
    names.dedup();
    Some(names.into())
}

/// Internal topics that `topics:` does not have: those of groups that stand have been made before time 0, with as many
/// partitions as the largest topic that the group may read. Others have to be created by some entry.
pub(super) fn make_internal(
    topics: &mut Vec<Topic>,
    groups: &[Group],
    brokers: usize,
    census: &mut Census,
    at: super::super::diagnostics::At,
    p: &mut Problems,
) {
    let rf = u32::try_from(brokers.min(3)).unwrap_or(3);
    let mut made: Vec<Topic> = Vec::new();
    for group in groups.iter().filter(|group| !group.internal.is_empty()) {
        let partitions = Span::just(largest(topics, &group.topics));
        for name in group.internal_topics() {
            if census.topics.has(&name) || census.created.has(&name) {
                continue;
            }
            if !group.standing {
                p.warn_at(at, || {
                    format!("nothing ever creates `{name}`: say when the brokers do, with `create-topic`")
                });
                continue;
            }
            census.topics.add(&name);
            made.push(Topic { name, family: None, id: None, place: Place::Drawn { partitions, rf } });
        }
    }
    if !made.is_empty() {
        topics.append(&mut made);
        topics.sort_by(|a, b| natural_cmp(&a.name, &b.name));
    }
}

/// Partitions of the largest topic that a pick may mean; as many as a topic has that says nothing, where it knows none.
fn largest(topics: &[Topic], pick: &TopicPick) -> u32 {
    let names = match pick {
        TopicPick::These(names) | TopicPick::Draw { of: names, .. } => names,
    };
    let found = names.iter().filter_map(|name| {
        let place = topics.binary_search_by(|topic| natural_cmp(&topic.name, name)).ok()?;
        Some(match &topics[place].place {
            Place::Drawn { partitions, .. } => partitions.hi,
            Place::Exact(lists) => u32::try_from(lists.len()).unwrap_or(u32::MAX),
        })
    });
    found.max().unwrap_or(6)
}
