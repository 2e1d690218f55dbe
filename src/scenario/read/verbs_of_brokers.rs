//! Verbs whose target is a broker.

use super::super::diagnostics::Problems;
use super::super::yaml::{Kind, Node};
use super::super::{RollOrder, StartHow, Verb};
use super::Fields;
use super::cluster::isr_deltas;
use super::entries::Context;
use super::picks::Noun;
use super::scalars::{check_name, choice, rack, time_span, version, whole};
use crate::kafka::BrokerId;

/// `roll`.
pub(super) fn roll(fields: &mut Fields<'_>, context: &Context<'_>, problems: &mut Problems) -> Option<Verb> {
    let brokers = context.target(fields, Noun::Broker, "all", problems);
    let down = time_span(fields.or("down", "60s"), "down", problems);
    let gap = time_span(fields.or("gap", "5m"), "gap", problems);
    let words = [("id", RollOrder::Id), ("by-rack", RollOrder::ByRack), ("drawn", RollOrder::Drawn)];
    let order = choice(fields.or("order", "id"), "order", &words, problems);
    let how = how(fields, true, problems)?;
    Some(Verb::Roll { brokers: brokers?, down: down?, gap: gap?, order: order?, how })
}

/// `restart`.
pub(super) fn restart(fields: &mut Fields<'_>, context: &Context<'_>, problems: &mut Problems) -> Option<Verb> {
    let brokers = context.target(fields, Noun::Broker, "any", problems);
    let down = time_span(fields.or("down", "60s"), "down", problems);
    for key in ["gap", "order"] {
        if let Some(at) = fields.key_at(key) {
            let message = format!("`restart` has no `{key}`: its targets stop at once, or `over:` a time");
            problems.add(at, message, "use `roll` for one after another");
            fields.opt(key);
        }
    }
    let how = how(fields, true, problems)?;
    Some(Verb::Restart { brokers: brokers?, down: down?, how })
}

/// `shutdown` and `crash`.
pub(super) fn stop(
    fields: &mut Fields<'_>,
    context: &Context<'_>,
    clean: bool,
    problems: &mut Problems,
) -> Option<Verb> {
    let brokers = context.target(fields, Noun::Broker, "any", problems);
    let back_after = match fields.opt("for") {
        None => None,
        Some(node) => Some(time_span(node, "for", problems)?),
    };
    let brokers = brokers?;
    Some(if clean { Verb::Shutdown { brokers, back_after } } else { Verb::Crash { brokers, back_after } })
}

/// `start`.
pub(super) fn start(fields: &mut Fields<'_>, context: &Context<'_>, problems: &mut Problems) -> Option<Verb> {
    let brokers = context.target(fields, Noun::Broker, "any", problems);
    let how = how(fields, false, problems)?;
    Some(Verb::Start { brokers: brokers?, how })
}

/// `unregister`.
pub(super) fn unregister(fields: &mut Fields<'_>, context: &Context<'_>, problems: &mut Problems) -> Option<Verb> {
    let brokers = context.target(fields, Noun::Broker, "any", problems)?;
    Some(Verb::Unregister { brokers })
}

/// `add-broker`: ids that are not there at time 0, unless they are unregistered before.
pub(super) fn add_broker(fields: &mut Fields<'_>, context: &Context<'_>, problems: &mut Problems) -> Option<Verb> {
    let at = fields.at();
    let Some(node) = fields.either(Noun::Broker.keys(), problems) else {
        problems.add(at, "`add-broker` needs `broker`", "give the new one's id, or a list of them");
        how(fields, false, problems);
        return None;
    };
    let single = [node.clone()];
    let items: &[Node] = match &node.kind {
        Kind::List(items) => items,
        Kind::Scalar { .. } | Kind::Map(_) => &single,
    };
    let mut brokers = Vec::new();
    let mut fine = !items.is_empty();
    for item in items {
        let Some(id) = whole(item, "a broker's id", 0, 99_999, problems) else {
            fine = false;
            continue;
        };
        let there = context.census.brokers.contains(&id) && !context.census.unregisters;
        if there || brokers.contains(&BrokerId(id)) {
            problems.add(item.at, format!("broker {id} is there already"), "add one with another id");
            fine = false;
        }
        brokers.push(BrokerId(id));
    }
    if items.is_empty() {
        problems.add(node.at, "this list is empty", "give an id");
    }
    brokers.sort_unstable();
    let how = how(fields, false, problems)?;
    fine.then_some(Verb::AddBroker { brokers, how })
}

/// How brokers come back. `racks` (old name to new) where several do.
fn how(fields: &mut Fields<'_>, renames: bool, problems: &mut Problems) -> Option<StartHow> {
    let before = problems.list.len();
    let new_rack = fields.opt("rack").and_then(|node| rack(node, problems));
    let mut racks = Vec::new();
    if renames {
        let both = fields.has("rack").then(|| fields.key_at("racks")).flatten();
        if let Some(at) = both {
            problems.add(at, "`rack` and `racks` both say where the brokers go", "take one of them away");
        }
        racks = fields.opt("racks").map(|node| renamed(node, problems)).unwrap_or_default();
    }
    let how = StartHow {
        rack: new_rack,
        racks,
        to: fields.opt("to").and_then(|node| version(node, problems)),
        unfence: fields.opt("unfence").and_then(|node| time_span(node, "unfence", problems)),
        catch_up: fields.opt("catch_up").and_then(|node| time_span(node, "catch_up", problems)),
        isr_deltas: fields.opt("isr_deltas").and_then(|node| isr_deltas(node, problems)),
    };
    (problems.list.len() == before).then_some(how)
}

/// `{a: eu-1a, b: eu-1b}`.
fn renamed(node: &Node, problems: &mut Problems) -> Vec<(String, Option<String>)> {
    let Kind::Map(entries) = &node.kind else {
        let label = "write `{old: new, ...}`, or `rack: new` for all of them";
        problems.add(node.at, format!("racks is a map from old name to new here, not {}", node.what()), label);
        return Vec::new();
    };
    let mut pairs = Vec::new();
    for (key, value) in entries {
        let fine = check_name(&key.text, key.plain, key.at, "a rack", problems);
        if let (true, Some(new)) = (fine, rack(value, problems)) {
            pairs.push((key.text.clone(), new));
        }
    }
    pairs
}
