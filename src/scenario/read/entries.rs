//! `history:`: a list of `verb: {when, what, how}`.

use std::collections::BTreeMap;

use super::super::diagnostics::{At, Problems};
use super::super::similar::hint;
use super::super::yaml::{Key, Kind, Node};
use super::super::{Cluster, Entry, Pick, Verb, When};
use super::Fields;
use super::census::Census;
use super::picks::{Noun, pick};
use super::scalars::{name, time};
use super::when::when;
use super::{verbs_of_brokers, verbs_of_groups, verbs_of_topics};
use crate::sim::Ms;

/// More entries than anybody writes.
const MAX_ENTRIES: usize = 100_000;

/// The verbs, and what `per` may count in each.
pub(crate) const VERBS: [(&str, Option<Noun>); 23] = [
    ("roll", Some(Noun::Broker)),
    ("restart", Some(Noun::Broker)),
    ("shutdown", Some(Noun::Broker)),
    ("crash", Some(Noun::Broker)),
    ("start", Some(Noun::Broker)),
    ("unregister", Some(Noun::Broker)),
    ("add-broker", Some(Noun::Broker)),
    ("add-partitions", Some(Noun::Topic)),
    ("create-topic", None),
    ("delete-topic", Some(Noun::Topic)),
    ("recreate-topic", Some(Noun::Topic)),
    ("reassign", Some(Noun::Topic)),
    ("set-rf", Some(Noun::Topic)),
    ("elect-leaders", Some(Noun::Topic)),
    ("touch", Some(Noun::Topic)),
    ("isr-shrink", Some(Noun::Topic)),
    ("isr-expand", Some(Noun::Topic)),
    ("snapshot-reload", None),
    ("join", Some(Noun::Group)),
    ("leave", Some(Noun::Group)),
    ("kill", Some(Noun::Group)),
    ("restart-member", Some(Noun::Group)),
    ("subscribe", Some(Noun::Group)),
];

/// The one verb whose target is a shard.
const MOVE_COORDINATOR: &str = "move-coordinator";

/// What the readers of verbs look at.
pub(crate) struct Context<'a> {
    pub(crate) census: &'a Census,
    pub(crate) cluster: &'a Cluster,
    /// One process for each target?
    pub(crate) each: bool,
}

impl Context<'_> {
    /// The target under its noun, singular or plural; `default` where the entry names none.
    pub(crate) fn target(
        &self,
        fields: &mut Fields<'_>,
        noun: Noun,
        default: &str,
        problems: &mut Problems,
    ) -> Option<Pick> {
        let given = fields.either(noun.keys(), problems).map(|node| pick(node, noun, self.census, problems));
        if let Some(given) = given {
            return given;
        }
        let default = if self.each && noun != Noun::Member { "all" } else { default };
        pick(fields.or(noun.word(), default), noun, self.census, problems)
    }
}

/// Entries as read, with the places of their bodies.
pub(crate) struct Entries {
    pub(crate) entries: Vec<Entry>,
    pub(crate) places: Vec<At>,
}

/// Reads `history:`.
pub(crate) fn entries(node: &mut Node, census: &Census, cluster: &Cluster, problems: &mut Problems) -> Entries {
    let mut read = Entries { entries: Vec::new(), places: Vec::new() };
    if node.is_null() {
        node.kind = Kind::List(Vec::new());
    }
    let (at, what) = (node.at, node.what());
    let Kind::List(items) = &mut node.kind else {
        problems.add(at, format!("history is a list, not {what}"), "write `- roll: {at: 10m}`");
        return read;
    };
    if items.len() > MAX_ENTRIES {
        problems.add(at, format!("history has at most {MAX_ENTRIES} entries"), "use `at: [..]`, `every` or `rate`");
        return read;
    }
    let mut names: BTreeMap<String, At> = BTreeMap::new();
    for item in items {
        if problems.is_full() {
            break;
        }
        if let Some((entry, place, name_at, named)) = entry(item, census, cluster, problems) {
            unique(&entry.name, name_at, named, &mut names, problems);
            read.entries.push(entry);
            read.places.push(place);
        }
    }
    read
}

/// Names are unique; of two entries without one, the second is asked for it.
fn unique(name: &str, at: At, named: bool, names: &mut BTreeMap<String, At>, problems: &mut Problems) {
    let Some(first) = names.get(name).copied() else {
        names.insert(name.to_owned(), at);
        return;
    };
    let problem = if named {
        problems.add(at, format!("two entries are called `{name}`"), "give one of them another name")
    } else {
        problems.add(at, format!("a second entry `{name}` needs a name"), "add `as: its-own-name`")
    };
    problem.also.push((first, "first here".to_owned()));
}

/// One entry, its place, the place of its name, and whether the file names it.
fn entry(
    item: &mut Node,
    census: &Census,
    cluster: &Cluster,
    problems: &mut Problems,
) -> Option<(Entry, At, At, bool)> {
    let (item_at, what) = (item.at, item.what());
    let Kind::Map(pairs) = &mut item.kind else {
        let label = "write `- verb: {at: 10m, ...}`";
        problems.add(item_at, format!("an entry is a verb with a map, not {what}"), label);
        return None;
    };
    let [(verb, body)] = pairs.as_mut_slice() else {
        let second = pairs.get(1).map_or(item_at, |(key, _)| key.at);
        problems.add(
            second,
            "an entry has one verb",
            "begin another entry: `- verb: {...}`, or indent it under the verb",
        );
        return None;
    };
    let noun = verb_noun(verb, problems)?;
    let mut fields = Fields::open(body, &format!("`{}`", verb.text), problems)?;
    let before = problems.list.len();
    let named = fields.opt("as").map(|node| (node.at, name(node, "an entry", problems)));
    if named.is_none() {
        fields.set("as", verb.text.clone());
    }
    let when = when(&mut fields, noun, problems);
    let each = matches!(when, Some(When::Rate { each: true, .. }));
    let context = Context { census, cluster, each };
    let read = read_verb(&verb.text, &mut fields, &context, problems);
    let over = time(fields.or("over", "0s"), "over", problems).unwrap_or(Ms::ZERO);
    fields.close(problems);
    debug_assert!(read.is_some() || problems.list.len() > before, "an entry that cannot be read says why");
    let (name_at, own) = named.map_or((verb.at, None), |(at, name)| (at, name));
    let name = own.clone().unwrap_or_else(|| verb.text.clone());
    let place = At::new(verb.at.source, verb.at.range().start..body.at.range().end.max(verb.at.range().end));
    let place = if body.at.source == verb.at.source { place } else { verb.at };
    let entry = Entry { name, when: when?, over, verb: read?, at: place.range() };
    Some((entry, place, name_at, own.is_some()))
}

/// What `per` may count for the verb; `Some(None)`: nothing; `None`: no such verb.
fn verb_noun(verb: &Key, problems: &mut Problems) -> Option<Option<Noun>> {
    if verb.text == MOVE_COORDINATOR {
        return Some(None);
    }
    if let Some((_, noun)) = VERBS.iter().find(|(name, _)| *name == verb.text) {
        return Some(*noun);
    }
    let words: Vec<&str> = VERBS.iter().map(|(name, _)| *name).chain([MOVE_COORDINATOR]).collect();
    problems.add(verb.at, format!("there is no verb `{}`", verb.text), hint(&verb.text, &words));
    None
}

fn read_verb(verb: &str, fields: &mut Fields<'_>, context: &Context<'_>, problems: &mut Problems) -> Option<Verb> {
    match verb {
        "roll" => verbs_of_brokers::roll(fields, context, problems),
        "restart" => verbs_of_brokers::restart(fields, context, problems),
        "shutdown" => verbs_of_brokers::stop(fields, context, true, problems),
        "crash" => verbs_of_brokers::stop(fields, context, false, problems),
        "start" => verbs_of_brokers::start(fields, context, problems),
        "unregister" => verbs_of_brokers::unregister(fields, context, problems),
        "add-broker" => verbs_of_brokers::add_broker(fields, context, problems),
        "add-partitions" => verbs_of_topics::add_partitions(fields, context, problems),
        "create-topic" => verbs_of_topics::create_topic(fields, context, problems),
        "delete-topic" => verbs_of_topics::delete_topic(fields, context, problems),
        "recreate-topic" => verbs_of_topics::recreate_topic(fields, context, problems),
        "reassign" => verbs_of_topics::reassign(fields, context, problems),
        "set-rf" => verbs_of_topics::set_rf(fields, context, problems),
        "elect-leaders" => verbs_of_topics::of_partitions(fields, context, true, problems),
        "touch" => verbs_of_topics::of_partitions(fields, context, false, problems),
        "isr-shrink" => verbs_of_topics::isr(fields, context, true, problems),
        "isr-expand" => verbs_of_topics::isr(fields, context, false, problems),
        "snapshot-reload" => Some(Verb::SnapshotReload),
        "join" => verbs_of_groups::join(fields, context, problems),
        "leave" => verbs_of_groups::leave(fields, context, problems),
        "kill" => verbs_of_groups::kill(fields, context, problems),
        "restart-member" => verbs_of_groups::restart_member(fields, context, problems),
        "subscribe" => verbs_of_groups::subscribe(fields, context, problems),
        _ => verbs_of_groups::move_coordinator(fields, context, problems),
    }
}
