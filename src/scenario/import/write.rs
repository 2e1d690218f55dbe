//! The scenario as text: a line for each thing where it fits one, families folded, groups by their type.

use std::collections::BTreeSet;

use super::super::words::reads_as;
use super::super::yaml::quoted;
use super::ImportOptions;
use super::fold::fold;
use super::header::count;
use super::resolve::{Found, FoundBroker, FoundGroup, FoundPlace, FoundTopic, own_topic};
use super::seen::GroupKind;
use crate::sim::natural_cmp;

/// Lines are no wider, if they can be broken.
const WIDTH: usize = 118;

/// All of it, under its comment.
pub(super) fn scenario(found: &Found, header: &str, options: &ImportOptions) -> String {
    let mut out = header.to_owned();
    let racks = racks(&found.brokers);
    let in_turn = in_turn(&found.brokers, &racks);
    out.push_str("cluster:\n");
    out.push_str(&format!("  version: {}\n", found.version.name()));
    if !found.brokers.is_empty() {
        let racks: Vec<String> = racks.iter().map(|rack| scalar(rack)).collect();
        out.push_str(&format!("  racks: [{}]\n", racks.join(", ")));
    }
    if let Some(lists) = &found.offsets {
        out.push_str(&format!("  offsets_partitions: {}\n", lists.len()));
    }
    if in_turn {
        out.push_str(&format!("brokers: {}\n", found.brokers.len()));
    } else if !found.brokers.is_empty() {
        out.push_str("brokers:\n");
        for broker in &found.brokers {
            let rack = broker.rack.as_deref().map_or("null".to_owned(), scalar);
            out.push_str(&format!("  {}: {{rack: {rack}}}\n", broker.id));
        }
    }
    topics(found, options, &mut out);
    groups(found, &mut out);
    out
}

/// The racks there are: in the order of the first brokers' if brokers have them in turn, else by name.
fn racks(brokers: &[FoundBroker]) -> Vec<String> {
    let mut seen: Vec<String> = Vec::new();
    for rack in brokers.iter().filter_map(|broker| broker.rack.as_ref()) {
        if !seen.contains(rack) {
            seen.push(rack.clone());
        }
    }
    if !in_turn(brokers, &seen) {
        seen.sort_by(|a, b| natural_cmp(a, b));
    }
    seen
}

/// Are ids 0 to the last, and racks in turn?
fn in_turn(brokers: &[FoundBroker], racks: &[String]) -> bool {
    let fits = |(place, broker): (usize, &FoundBroker)| {
        let rack = if racks.is_empty() { None } else { Some(&racks[place % racks.len()]) };
        broker.id as usize == place && broker.rack.as_ref() == rack
    };
    !brokers.is_empty() && brokers.iter().enumerate().all(fits)
}

fn topics(found: &Found, options: &ImportOptions, out: &mut String) {
    if found.topics.is_empty() && found.offsets.is_none() {
        out.push_str("topics: {}\n");
        return;
    }
    out.push_str("topics:\n");
    if let Some(lists) = &found.offsets {
        let lists = replicas(lists);
        wrapped(out, "  __consumer_offsets: {replicas: [", &lists, "]}", "# the coordinators of groups");
    }
    // a family's name would be read as all its topics where a group subscribes to a topic of that name
    let subscribed: BTreeSet<&str> =
        found.groups.values().flat_map(|group| group.topics.iter().map(String::as_str)).collect();
    for line in fold(found.topics.iter().map(|(name, topic)| (name.as_str(), topic)), &subscribed) {
        topic(line.name, line.count, line.what, options, out);
    }
}

fn topic(name: &str, count: Option<u32>, topic: &FoundTopic, options: &ImportOptions, out: &mut String) {
    let mut before = format!("  {}: {{", scalar(name));
    if let Some(count) = count {
        before.push_str(&format!("count: {count}, "));
    }
    if let Some(id) = topic.id.as_deref().filter(|_| options.topic_ids) {
        before.push_str(&format!("id: {}, ", quoted(id)));
    }
    match &topic.place {
        FoundPlace::Exact(lists) => wrapped(out, &(before + "replicas: ["), &replicas(lists), "]}", ""),
        FoundPlace::AtLeast(partitions) => {
            out.push_str(&format!("{before}partitions: {partitions}}} # assigned, and not described\n"));
        }
    }
}

fn replicas(lists: &[Vec<u32>]) -> Vec<String> {
    let one = |list: &Vec<u32>| list.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
    lists.iter().map(|list| format!("[{}]", one(list))).collect()
}

fn groups(found: &Found, out: &mut String) {
    if found.groups.is_empty() {
        out.push_str("groups: {}\n");
        return;
    }
    out.push_str("groups:\n");
    let kinds = GroupKind::ALL.into_iter().map(Some).chain([None]);
    // a family's name must be free among all groups, not only those of its type
    let names: BTreeSet<&str> = found.groups.keys().map(String::as_str).collect();
    for kind in kinds {
        let own: Vec<(&str, &FoundGroup)> =
            found.groups.iter().filter(|(_, g)| g.kind == kind).map(|(name, g)| (name.as_str(), g)).collect();
        if own.is_empty() {
            continue;
        }
        let title = kind.map_or("of unknown type".to_owned(), |kind| format!("of type {}", kind.name()));
        out.push_str(&format!("  # {} {title}\n", count(own.len(), "group")));
        for line in fold(own.into_iter(), &names) {
            group(line.name, line.count, line.what, out);
        }
    }
}

fn group(name: &str, count: Option<u32>, group: &FoundGroup, out: &mut String) {
    let mut before = format!("  {}: {{", scalar(name));
    if let Some(count) = count {
        before.push_str(&format!("count: {count}, "));
    }
    let (all, statics) = (group.members, group.statics);
    before.push_str(&match statics {
        0 => format!("members: {all}"),
        n if n == all => format!("members: {all}, static: true"),
        n => format!("members: {{m: {{count: {}}}, static: {{count: {n}, static: true}}}}", all - n),
    });
    if let Some(assignor) = group.assignor {
        before.push_str(&format!(", assignor: {assignor}"));
    }
    let remark = group.remark.map_or(String::new(), |remark| format!("# {remark}"));
    let streams = group.kind == Some(GroupKind::Streams);
    let own = |topic: &str| streams && own_topic(name, topic).is_some();
    let internal = group.topics.iter().filter(|topic| own(topic)).filter_map(|topic| own_topic(name, topic));
    let internal: Vec<String> = internal.map(scalar).collect();
    if let Some(kind) = group.kind.filter(|kind| [GroupKind::Share, GroupKind::Streams].contains(kind)) {
        before.push_str(&format!(", protocol: {}", kind.name()));
    }
    if !internal.is_empty() {
        before.push_str(&format!(", internal: [{}]", internal.join(", ")));
    }
    let others = group.topics.iter().filter(|topic| !own(topic));
    let topics: Vec<String> = others.map(|topic| scalar(topic)).collect();
    wrapped(out, &(before + ", topics: ["), &topics, "]}", &remark);
}

/// Items in brackets, broken over lines where there are too many for one.
fn wrapped(out: &mut String, before: &str, items: &[String], after: &str, remark: &str) {
    let mut line = before.to_owned();
    for (index, item) in items.iter().enumerate() {
        let comma = if index + 1 < items.len() { "," } else { "" };
        let blank = if index == 0 || line.ends_with(' ') { "" } else { " " };
        if index > 0 && line.len() + blank.len() + item.len() + comma.len() > WIDTH {
            out.push_str(line.trim_end());
            out.push_str("\n      ");
            line = format!("{item}{comma}");
            continue;
        }
        line.push_str(blank);
        line.push_str(item);
        line.push_str(comma);
    }
    out.push_str(&line);
    out.push_str(after);
    if !remark.is_empty() {
        out.push(' ');
        out.push_str(remark);
    }
    out.push('\n');
}

/// A name as YAML: plain where nobody reads it as anything else.
fn scalar(text: &str) -> String {
    let plain = text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "._-/+".contains(c))
        && reads_as(text).is_none();
    if plain { text.to_owned() } else { quoted(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_where_a_yaml_reads_something_else() {
        for plain in ["orders", "pay.v1", "__share_group_state", "eu-1a", "a/b+c"] {
            assert_eq!(scalar(plain), plain);
        }
        for (text, written) in
            [("no", "\"no\""), ("1.5", "\"1.5\""), ("a:b", "\"a:b\""), ("-x", "\"-x\""), ("ü", "\"ü\"")]
        {
            assert_eq!(scalar(text), written);
        }
    }

    #[test]
    fn long_lists_are_broken_between_items() {
        let mut out = String::new();
        let items: Vec<String> = (0..100).map(|n| format!("[{n},{n}]")).collect();
        wrapped(&mut out, "  t: {replicas: [", &items, "]}", "# why");
        assert!(out.lines().all(|line| line.len() <= WIDTH + 10), "{out}");
        assert!(out.lines().skip(1).all(|line| line.starts_with("      [")));
        assert_eq!(out.split_whitespace().filter(|word| word.starts_with('[')).count(), 100);
    }

    #[test]
    fn brokers_in_turn_are_a_number() {
        let broker = |id: u32, rack: &str| FoundBroker { id, rack: Some(rack.to_owned()) };
        let all = [broker(0, "c"), broker(1, "a"), broker(2, "c"), broker(3, "a")];
        assert_eq!(racks(&all), ["c", "a"]);
        assert!(in_turn(&all, &racks(&all)));
        let other = [broker(1, "c"), broker(2, "a")];
        assert_eq!(racks(&other), ["a", "c"]);
        assert!(!in_turn(&other, &racks(&other)));
    }
}
