//! The comment on top of an imported scenario: what it is of, what was inferred, what no tool says.

use std::collections::BTreeMap;

use super::ImportOptions;
use super::resolve::{Found, FoundPlace};
use super::seen::GroupKind;

/// Comments are no wider.
const WIDTH: usize = 116;

/// What no tool prints, ever.
const NEVER: [&str; 4] = [
    "members' racks (client.rack): the cluster's racks in turn",
    "heartbeat.interval.ms and session.timeout.ms: 5s and 45s; first heartbeats: drawn",
    "regular expressions that groups subscribe with: the topics stand as assigned; new ones join no group",
    "group epochs and topic ids: their own here; what a group has stored is up to date at the start",
];

/// The sizes, on a line.
pub(super) fn sizes(found: &Found) -> String {
    let mut racks: Vec<&String> = found.brokers.iter().filter_map(|b| b.rack.as_ref()).collect();
    racks.sort();
    racks.dedup();
    let brokers = match found.brokers.len() {
        0 => "brokers unknown".to_owned(),
        n if racks.is_empty() => format!("{} without racks", count(n, "broker")),
        n => format!("{} in {}", count(n, "broker"), count(racks.len(), "rack")),
    };
    let partitions: usize = found.topics.values().map(|topic| partitions(&topic.place)).sum();
    let members: usize = found.groups.values().map(|group| group.members as usize).sum();
    let topics = format!("{} with {}", count(found.topics.len(), "topic"), count(partitions, "partition"));
    let groups = format!("{} with {}", count(found.groups.len(), "group"), count(members, "member"));
    let kinds = kinds(found);
    let kinds = if kinds.is_empty() { kinds } else { format!(" ({kinds})") };
    format!("{brokers} · {topics} · {groups}{kinds} · {}", found.version.name())
}

/// `2 consumer, 1 classic; 1 without members`.
fn kinds(found: &Found) -> String {
    let mut by_kind: BTreeMap<Option<GroupKind>, usize> = BTreeMap::new();
    for group in found.groups.values() {
        *by_kind.entry(group.kind).or_default() += 1;
    }
    let named =
        |(kind, n): (&Option<GroupKind>, &usize)| format!("{n} {}", kind.map_or("of unknown type", GroupKind::name));
    // those without a type come last
    let known = by_kind.iter().filter(|(kind, _)| kind.is_some()).chain(by_kind.get_key_value(&None));
    let mut text = known.map(named).collect::<Vec<_>>().join(", ");
    let empty = found.groups.values().filter(|group| group.members == 0).count();
    if empty > 0 {
        text.push_str(&format!("; {empty} without members"));
    }
    text
}

fn partitions(place: &FoundPlace) -> usize {
    match place {
        FoundPlace::Exact(lists) => lists.len(),
        FoundPlace::AtLeast(count) => *count as usize,
    }
}

pub(super) fn count(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// All of the comment, every line with its `#`.
pub(super) fn text(found: &Found, files: &[&str], options: &ImportOptions) -> String {
    let mut out = String::new();
    let names: Vec<&str> = files.iter().map(|file| file.rsplit(['/', '\\']).next().unwrap_or(file)).collect();
    // a file's name may tell what the content shall not
    let from = if options.anonymise { count(files.len(), "file") } else { names.join(", ") };
    comment(&mut out, "", &format!("A cluster as its tools printed it: imported from {from}."));
    comment(&mut out, "", &format!("{}.", sizes(found)));
    if options.anonymise {
        let text = "Names are other ones of the same length; each group's falls to the shard of its old one.";
        comment(&mut out, "", text);
    } else if found.renamed > 0 {
        let text = "that a scenario cannot hold: others of the same length stand for them";
        comment(&mut out, "", &format!("{} {text}.", count(found.renamed, "name")));
    }
    for (kind, n) in &found.left_out {
        let kind = kind.map_or("unknown", GroupKind::name);
        comment(&mut out, "", &format!("Left out: {} of type {kind}.", count(*n, "group")));
    }
    if found.groups.is_empty() {
        comment(&mut out, "", "There are no groups, so nothing can rebalance.");
    }
    if found.topics.is_empty() {
        comment(&mut out, "", "There are no topics.");
    }
    out.push_str("#\n");
    if !found.notes.is_empty() {
        comment(&mut out, "", "To know when reading results:");
        found.notes.iter().for_each(|note| comment(&mut out, "* ", note));
        out.push_str("#\n");
    }
    let inferred = "What groups subscribe to is inferred from what is assigned to their members: a topic of which nobody has \
                    a partition does not show.";
    comment(&mut out, "", inferred);
    comment(&mut out, "", "No tool says, or none was asked, so taken as:");
    found.assumed.iter().map(String::as_str).chain(NEVER).for_each(|line| comment(&mut out, "* ", line));
    out
}

/// A comment, wrapped.
fn comment(out: &mut String, bullet: &str, text: &str) {
    let (first, rest) = (format!("# {bullet}"), format!("# {}", " ".repeat(bullet.len())));
    let mut line = first;
    let mut empty = true;
    for word in text.split_whitespace() {
        if !empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
            out.push_str(&line);
            out.push('\n');
            line.clone_from(&rest);
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(word);
        empty = false;
    }
    out.push_str(&line);
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_wrapped_under_their_bullet() {
        let mut out = String::new();
        comment(&mut out, "* ", &"word ".repeat(40));
        assert_eq!(out.lines().count(), 2);
        assert!(out.lines().all(|line| line.len() <= WIDTH && line.starts_with("# ")));
        assert!(out.lines().nth(1).unwrap().starts_with("#   word"));
    }
}
