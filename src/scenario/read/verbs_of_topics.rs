//! Verbs whose target is a topic.

use std::collections::BTreeSet;

use super::super::diagnostics::Problems;
use super::super::yaml::{Kind, Node};
use super::super::{Grow, Moves, Pick, Place, Verb, Within};
use super::Fields;
use super::census::family_names;
use super::entries::Context;
use super::picks::{Noun, OFFSETS_TOPIC};
use super::scalars::{check_name, choice, is_plain, time, time_span, whole, whole_span, word};
use super::topics::{MAX_PARTITIONS, MAX_TOPICS, place, replica_map, replicas, rf};
use crate::kafka::BrokerId;

/// Topics of the scenario: `__consumer_offsets` is none.
fn topics(fields: &mut Fields<'_>, context: &Context<'_>, default: &str, problems: &mut Problems) -> Option<Pick> {
    let at = fields.key_at("topic").or(fields.key_at("topics")).unwrap_or(fields.at());
    let pick = context.target(fields, Noun::Topic, default, problems)?;
    if let Pick::These(words) = &pick
        && words.iter().any(|word| matches!(word, super::super::Word::Name(name) if name == OFFSETS_TOPIC))
    {
        problems.add(
            at,
            format!("`{OFFSETS_TOPIC}` is no topic of the scenario"),
            "only isr-shrink and isr-expand may name it",
        );
        return None;
    }
    Some(pick)
}

fn brokers(context: &Context<'_>) -> BTreeSet<u32> {
    context.census.broker_ids()
}

/// `add-partitions`.
pub(super) fn add_partitions(fields: &mut Fields<'_>, context: &Context<'_>, problems: &mut Problems) -> Option<Verb> {
    let topics = topics(fields, context, "any", problems);
    let ids = brokers(context);
    let lists = match fields.opt("replicas") {
        None => Some(None),
        Some(node) => replica_map(node, &ids, problems).map(|map| Some(map.into_values().collect::<Vec<_>>())),
    };
    let both = fields.has("by").then(|| fields.key_at("to")).flatten();
    if let Some(at) = both {
        problems.add(at, "`by` and `to` both say how many", "take one of them away");
    }
    let many = lists.as_ref().and_then(Option::as_ref).map_or(1, Vec::len);
    let grow = if fields.has("to") {
        whole_span(fields.or("to", ""), "to", 1, MAX_PARTITIONS, problems).map(Grow::To)
    } else {
        whole_span(fields.or("by", &many.to_string()), "by", 1, MAX_PARTITIONS, problems).map(Grow::By)
    };
    if let (Some(Some(lists)), Some(Grow::By(by))) = (&lists, grow)
        && (by.lo != by.hi || by.hi as usize != lists.len())
    {
        let at = fields.key_at("by").unwrap_or(fields.at());
        problems.add(at, format!("`replicas` lists {} new partitions", lists.len()), "leave `by` out");
        return None;
    }
    fields.opt("by");
    Some(Verb::AddPartitions { topics: topics?, grow: grow?, replicas: lists? })
}

/// `create-topic`: one name, a list, or with `count` a family.
pub(super) fn create_topic(fields: &mut Fields<'_>, context: &Context<'_>, problems: &mut Problems) -> Option<Verb> {
    let at = fields.at();
    let count = match fields.opt("count") {
        None => Some(None),
        Some(node) => whole(node, "count", 1, MAX_TOPICS, problems).map(Some),
    };
    let names = match fields.either(&["topic", "topics", "name"], problems) {
        None => {
            problems.add(at, "`create-topic` needs `topic`", "give the new topic's name");
            None
        }
        Some(node) => new_names(node, count.flatten(), context, problems),
    };
    let place = place(fields, &brokers(context), problems);
    count?;
    Some(Verb::CreateTopic { names: names?, place: place? })
}

fn new_names(node: &Node, count: Option<u32>, context: &Context<'_>, problems: &mut Problems) -> Option<Vec<String>> {
    let single = [node.clone()];
    let items: &[Node] = match &node.kind {
        Kind::List(items) => items,
        Kind::Scalar { .. } | Kind::Map(_) => &single,
    };
    if items.is_empty() {
        problems.add(node.at, "this list is empty", "give a name");
        return None;
    }
    let mut names = Vec::new();
    for item in items {
        let text = word(item, "a topic's name", problems)?;
        if !check_name(text, is_plain(item), item.at, "a topic", problems) {
            return None;
        }
        if text == OFFSETS_TOPIC {
            problems.add(item.at, format!("`{OFFSETS_TOPIC}` is Kafka's own topic"), "it comes by itself");
            return None;
        }
        let known = &context.census.topics;
        let made: Vec<String> = match count {
            None => vec![text.to_owned()],
            Some(count) => family_names(text, count).collect(),
        };
        let there = made.iter().find(|name| known.has(name) && !context.census.deletes);
        if let Some(name) = there.or_else(|| made.iter().find(|name| known.is_family(name))) {
            problems.add(item.at, format!("topic `{name}` is there already"), "create one with another name");
            return None;
        }
        names.extend(made);
    }
    Some(names)
}

/// `delete-topic`.
pub(super) fn delete_topic(fields: &mut Fields<'_>, context: &Context<'_>, problems: &mut Problems) -> Option<Verb> {
    Some(Verb::DeleteTopic { topics: topics(fields, context, "any", problems)? })
}

/// `recreate-topic`.
pub(super) fn recreate_topic(fields: &mut Fields<'_>, context: &Context<'_>, problems: &mut Problems) -> Option<Verb> {
    let topics = topics(fields, context, "any", problems);
    let gap = time(fields.or("gap", "0s"), "gap", problems);
    let before = problems.list.len();
    let mut verb = (None, None, None);
    if fields.has("replicas") {
        if let Some(Place::Exact(lists)) = place(fields, &brokers(context), problems) {
            verb.2 = Some(lists);
        }
    } else {
        let (partitions, factor) = (fields.opt("partitions"), "rf");
        verb.0 = partitions.and_then(|node| whole_span(node, "partitions", 1, MAX_PARTITIONS, problems));
        verb.1 = fields.opt(factor).and_then(|node| rf(node, &brokers(context), problems));
        fields.opt("replicas");
    }
    let (partitions, rf, replicas) = verb;
    let fine = problems.list.len() == before;
    let (topics, gap) = (topics?, gap?);
    fine.then_some(Verb::RecreateTopic { topics, gap, partitions, rf, replicas })
}

/// `reassign`: given lists, or so many drawn moves.
pub(super) fn reassign(fields: &mut Fields<'_>, context: &Context<'_>, problems: &mut Problems) -> Option<Verb> {
    let drawn = fields.has("moves");
    let exact = fields.has("replicas");
    let topics = topics(fields, context, if drawn { "all" } else { "any" }, problems);
    if drawn == exact {
        let label = "give `replicas: [1, 2, 3]` with `partition`, or `moves: 100`";
        let what =
            if drawn { "`replicas` and `moves` exclude each other" } else { "`reassign` does not say what moves" };
        problems.add(fields.at(), what, label);
    }
    let moves = if exact {
        let ids = brokers(context);
        let partitions = partitions(fields, problems);
        let lists = fields.opt("replicas").map(|node| targets(node, partitions.as_deref(), &ids, problems));
        for key in ["within", "wave"] {
            if let Some(at) = fields.key_at(key) {
                problems.add(at, format!("`{key}` belongs to drawn `moves`"), "take it away");
                fields.opt(key);
            }
        }
        match (topics, lists.flatten()) {
            (Some(topics), Some(to)) => Some(Moves::Exact { topics, to }),
            _ => None,
        }
    } else {
        let moves = fields.opt("moves").and_then(|node| whole_span(node, "moves", 1, u32::MAX, problems));
        let words = [("rack", Within::Rack), ("any", Within::Any)];
        let within = choice(fields.or("within", "any"), "within", &words, problems);
        if let Some(at) = fields.key_at("partition").or(fields.key_at("partitions")) {
            problems.add(at, "drawn `moves` draw their partitions", "take it away");
            fields.either(&["partition", "partitions"], problems);
        }
        match (topics, moves, within) {
            (Some(topics), Some(moves), Some(within)) => Some(Moves::Drawn { topics, moves, within }),
            _ => None,
        }
    };
    let wave = match fields.opt("wave") {
        None => Some(None),
        Some(node) => whole(node, "wave", 1, u32::MAX, problems).map(Some),
    };
    let pause = time(fields.or("pause", "1s"), "pause", problems);
    let takes = time_span(fields.or("takes", "60s"), "takes", problems);
    let verb = Verb::Reassign { moves: moves?, wave: wave?, pause: pause?, takes: takes? };
    (drawn != exact).then_some(verb)
}

/// Partitions and their lists: one list for each, a list of lists, or a map by partition.
fn targets(
    node: &Node,
    partitions: Option<&[u32]>,
    ids: &BTreeSet<u32>,
    problems: &mut Problems,
) -> Option<Vec<(u32, Vec<BrokerId>)>> {
    let one_list =
        matches!(&node.kind, Kind::List(items) if items.iter().all(|i| matches!(i.kind, Kind::Scalar { .. })));
    if one_list {
        let list = replicas(node, ids, problems)?;
        let Some(partitions) = partitions else {
            problems.add(node.at, "of which partition are these the replicas?", "add `partition: 0`");
            return None;
        };
        return Some(partitions.iter().map(|p| (*p, list.clone())).collect());
    }
    let by_partition = replica_map(node, ids, problems)?;
    match partitions {
        None => Some(by_partition.into_iter().collect()),
        Some(list) if list.len() == by_partition.len() && matches!(node.kind, Kind::List(_)) => {
            Some(list.iter().copied().zip(by_partition.into_values()).collect())
        }
        Some(_) => {
            problems.add(node.at, "`partition` and `replicas` name different partitions", "leave `partition` out");
            None
        }
    }
}

/// `partition`: a number or a list; absent or `all`: all.
fn partitions(fields: &mut Fields<'_>, problems: &mut Problems) -> Option<Vec<u32>> {
    let node = fields.either(&["partition", "partitions"], problems)?;
    let one = |node: &Node, problems: &mut Problems| whole(node, "a partition", 0, MAX_PARTITIONS - 1, problems);
    match &node.kind {
        Kind::List(items) => {
            if items.is_empty() {
                problems.add(node.at, "this list is empty", "leave `partition` out for all");
            }
            let mut list: Vec<u32> = items.iter().filter_map(|item| one(item, problems)).collect();
            list.dedup();
            Some(list)
        }
        Kind::Scalar { text, .. } if text == "all" => None,
        Kind::Scalar { .. } | Kind::Map(_) => one(node, problems).map(|partition| vec![partition]),
    }
}

/// `set-rf`.
pub(super) fn set_rf(fields: &mut Fields<'_>, context: &Context<'_>, problems: &mut Problems) -> Option<Verb> {
    let topics = topics(fields, context, "any", problems);
    let partitions = partitions(fields, problems);
    let rf = fields.must("rf", "as in `rf: 3`", problems).and_then(|node| rf(node, &brokers(context), problems));
    let takes = time_span(fields.or("takes", "60s"), "takes", problems);
    Some(Verb::SetRf { topics: topics?, partitions, rf: rf?, takes: takes? })
}

/// `elect-leaders` and `touch`.
pub(super) fn of_partitions(
    fields: &mut Fields<'_>,
    context: &Context<'_>,
    elect: bool,
    problems: &mut Problems,
) -> Option<Verb> {
    let topics = topics(fields, context, if elect { "all" } else { "any" }, problems);
    let partitions = partitions(fields, problems);
    let topics = topics?;
    Some(if elect { Verb::ElectLeaders { topics, partitions } } else { Verb::Touch { topics, partitions } })
}

/// `isr-shrink` and `isr-expand`, which may name the offsets topic.
pub(super) fn isr(
    fields: &mut Fields<'_>,
    context: &Context<'_>,
    shrink: bool,
    problems: &mut Problems,
) -> Option<Verb> {
    let topics = context.target(fields, Noun::Topic, "any", problems);
    let partitions = partitions(fields, problems);
    let of_brokers = Context { each: false, ..*context };
    let brokers = of_brokers.target(fields, Noun::Broker, "any", problems);
    let (topics, brokers) = (topics?, brokers?);
    Some(if shrink {
        Verb::IsrShrink { topics, partitions, brokers }
    } else {
        Verb::IsrExpand { topics, partitions, brokers }
    })
}
