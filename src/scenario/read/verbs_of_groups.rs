//! Verbs whose target is a group and its members, or a coordinator shard.

use super::super::diagnostics::Problems;
use super::super::yaml::{Kind, Node};
use super::super::{Coordinators, ShardPick, Span, Verb};
use super::Fields;
use super::entries::Context;
use super::groups::compiles;
use super::members::MAX_MEMBERS;
use super::picks::{Noun, one_broker, pick, subscription};
use super::scalars::{rack, time, time_span, whole, whole_span, yes_no};
use crate::kafka::BrokerId;

/// `join`.
pub(super) fn join(fields: &mut Fields<'_>, context: &Context<'_>, problems: &mut Problems) -> Option<Verb> {
    let groups = context.target(fields, Noun::Group, "any", problems);
    let before = problems.list.len();
    let members = match fields.either(Noun::Member.keys(), problems) {
        Some(node) => whole_span(node, "members", 1, MAX_MEMBERS, problems),
        None => whole_span(fields.or("members", "1"), "members", 1, MAX_MEMBERS, problems),
    };
    let topics = fields.opt("topics").and_then(|node| subscription(node, context.census, problems));
    let pattern = fields.opt("pattern").and_then(|node| compiles(node, problems));
    let rack = fields.opt("rack").and_then(|node| rack(node, problems));
    let is_static = fields.opt("static").and_then(|node| yes_no(node, "static", problems));
    let leave_after = fields.opt("for").and_then(|node| time_span(node, "for", problems));
    let fine = problems.list.len() == before;
    let (groups, members) = (groups?, members?);
    fine.then_some(Verb::Join { groups, members, topics, pattern, rack, is_static, leave_after })
}

/// `leave`.
pub(super) fn leave(fields: &mut Fields<'_>, context: &Context<'_>, problems: &mut Problems) -> Option<Verb> {
    let groups = context.target(fields, Noun::Group, "any", problems);
    let members = context.target(fields, Noun::Member, "any", problems);
    Some(Verb::Leave { groups: groups?, members: members? })
}

/// `kill`.
pub(super) fn kill(fields: &mut Fields<'_>, context: &Context<'_>, problems: &mut Problems) -> Option<Verb> {
    let groups = context.target(fields, Noun::Group, "any", problems);
    let members = context.target(fields, Noun::Member, "any", problems);
    Some(Verb::Kill { groups: groups?, members: members? })
}

/// `restart-member`.
pub(super) fn restart_member(fields: &mut Fields<'_>, context: &Context<'_>, problems: &mut Problems) -> Option<Verb> {
    let groups = context.target(fields, Noun::Group, "any", problems);
    let members = context.target(fields, Noun::Member, "any", problems);
    let away = fields.must("for", "how long it is away: `for: 40s`", problems);
    let away = away.and_then(|node| time_span(node, "for", problems));
    Some(Verb::RestartMember { groups: groups?, members: members?, away: away? })
}

/// `subscribe`.
pub(super) fn subscribe(fields: &mut Fields<'_>, context: &Context<'_>, problems: &mut Problems) -> Option<Verb> {
    let groups = context.target(fields, Noun::Group, "any", problems);
    let members = context.target(fields, Noun::Member, "any", problems);
    let before = problems.list.len();
    let topics = fields.opt("topics").and_then(|node| subscription(node, context.census, problems));
    let pattern = fields.opt("pattern").and_then(|node| compiles(node, problems));
    if !fields.has("topics") && !fields.has("pattern") {
        problems.add(fields.at(), "`subscribe` does not say to what", "give `topics:` or `pattern:`");
    }
    let fine = problems.list.len() == before;
    let (groups, members) = (groups?, members?);
    fine.then_some(Verb::Subscribe { groups, members, topics, pattern })
}

/// `move-coordinator`: shards by number, drawn, of groups, or all that a broker leads.
pub(super) fn move_coordinator(
    fields: &mut Fields<'_>,
    context: &Context<'_>,
    problems: &mut Problems,
) -> Option<Verb> {
    let before = problems.list.len();
    let apart = context.cluster.coordinators == Coordinators::Apart;
    for key in ["broker", "brokers", "to"] {
        if let Some(at) = fields.key_at(key).filter(|_| apart) {
            problems.add(
                at,
                format!("`{key}` means nothing with `coordinators: apart`"),
                "shards have no brokers there",
            );
        }
    }
    let shard = fields.either(&["shard", "shards"], problems).map(|node| shards(node, context, problems));
    let group = fields
        .either(Noun::Group.keys(), problems)
        .map(|node| pick(node, Noun::Group, context.census, problems).map(ShardPick::Groups));
    let broker = fields
        .either(Noun::Broker.keys(), problems)
        .map(|node| pick(node, Noun::Broker, context.census, problems).map(ShardPick::Brokers));
    let given: Vec<Option<ShardPick>> = [shard, group, broker].into_iter().flatten().collect();
    if given.len() != 1 {
        let label = "give one of `shard: 3`, `group: NAME`, `broker: 2`";
        let what = if given.is_empty() {
            "this entry does not say which shards move"
        } else {
            "this entry says twice which shards move"
        };
        problems.add(fields.at(), what, label);
    }
    let to = fields.opt("to").and_then(|node| one_broker(node, context.census, problems)).map(BrokerId);
    let load = fields.opt("load").and_then(|node| time(node, "load", problems));
    let fine = problems.list.len() == before;
    let shards = given.into_iter().next().flatten()?;
    fine.then_some(Verb::MoveCoordinator { shards, to, load })
}

fn shards(node: &Node, context: &Context<'_>, problems: &mut Problems) -> Option<ShardPick> {
    let there = context.cluster.offsets_partitions;
    let one = |node: &Node, problems: &mut Problems| whole(node, "a shard", 0, there - 1, problems);
    match &node.kind {
        Kind::Scalar { text, .. } if text == "all" => Some(ShardPick::All),
        Kind::Scalar { text, .. } if text == "any" => Some(ShardPick::Any(1)),
        Kind::Scalar { text, .. } if text.starts_with("any ") => {
            let count = Node::quoted(node.at, text.trim_start_matches("any ").trim());
            let count: Span<u32> = whole(&count, "how many shards", 1, there, problems).map(Span::just)?;
            Some(ShardPick::Any(count.hi))
        }
        Kind::List(items) if !items.is_empty() => {
            let list: Vec<Option<u32>> = items.iter().map(|item| one(item, problems)).collect();
            let mut list = list.into_iter().collect::<Option<Vec<u32>>>()?;
            list.sort_unstable();
            list.dedup();
            Some(ShardPick::These(list))
        }
        Kind::Scalar { .. } | Kind::List(_) | Kind::Map(_) => {
            one(node, problems).map(|shard| ShardPick::These(vec![shard]))
        }
    }
}
