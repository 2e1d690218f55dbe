//! `kafka-topics.sh --describe`: a line for a topic, and one for each of its partitions.

use super::super::diagnostics::Problems;
use super::keyed::{ids, pairs, value};
use super::seen::{Seen, SeenPartition};
use super::sift::Line;

/// Reads a line, if it is one of these.
pub(super) fn line(line: Line<'_>, seen: &mut Seen, p: &mut Problems) -> bool {
    let Some(rest) = line.text.trim_start().strip_prefix("Topic:") else { return false };
    // of a topic's own line only the configuration is free text
    let head = line.text.split("Configs:").next().unwrap_or(line.text);
    let pairs = pairs(head).unwrap_or_default();
    let name = value(&pairs, "Topic").filter(|name| !name.is_empty() && !name.contains(' '));
    let Some(name) = name else {
        p.add(line.at, "a topic's line without its name", "expected `Topic: NAME`");
        return true;
    };
    if value(&pairs, "Partition").is_some() {
        let before = p.list.len();
        partition(name, &pairs, line, seen, p);
        if p.list.len() > before {
            seen.topic(name, line.at).broken = true;
        }
    } else if rest.contains("PartitionCount:") {
        topic(name, &pairs, line, seen, p);
    } else {
        let label = "expected `PartitionCount:` or `Partition:` after the name; is the line cut short?";
        p.add(line.at, format!("what this line says of topic `{name}` is missing"), label);
    }
    true
}

fn topic(name: &str, pairs: &[(String, String)], line: Line<'_>, seen: &mut Seen, p: &mut Problems) {
    let Some(count) = value(pairs, "PartitionCount").and_then(|text| text.parse::<u32>().ok()) else {
        p.add(line.at, format!("topic `{name}` has no number of partitions here"), "expected `PartitionCount: N`");
        return;
    };
    let topic = seen.topic(name, line.at);
    topic.id = value(pairs, "TopicId").map(str::to_owned).or(topic.id.take());
    match topic.promised.replace(count) {
        Some(other) if other != count => {
            let message = format!("topic `{name}` has {count} partitions here and {other} before");
            let before = topic.at;
            let problem = p.add(line.at, message, "are these files of one cluster, and of one time?");
            problem.also.push((before, "before".to_owned()));
        }
        Some(_) | None => topic.at = line.at,
    }
}

fn partition(name: &str, pairs: &[(String, String)], line: Line<'_>, seen: &mut Seen, p: &mut Problems) {
    let number = value(pairs, "Partition").and_then(|text| text.parse::<u32>().ok());
    let Some(number) = number else {
        p.add(line.at, format!("a partition of `{name}` without its number"), "expected `Partition: N`");
        return;
    };
    let what = format!("partition {number} of `{name}`");
    let Some(replicas) = value(pairs, "Replicas").and_then(ids).filter(|list| !list.is_empty()) else {
        let label = "expected `Replicas: 1,2,3`; is the line cut short?";
        p.add(line.at, format!("{what} has no list of replicas"), label);
        return;
    };
    let mut sorted = replicas.clone();
    sorted.sort_unstable();
    sorted.dedup();
    if sorted.len() < replicas.len() {
        p.add(line.at, format!("{what} has a broker twice among its replicas"), "");
        return;
    }
    let Some(isr) = value(pairs, "Isr").and_then(ids) else {
        p.add(line.at, format!("{what} has no in-sync replicas"), "expected `Isr: 1,2,3`; is the line cut short?");
        return;
    };
    let leader = value(pairs, "Leader").and_then(|text| text.parse().ok());
    let moves = |key: &str| value(pairs, key).is_some_and(|list| !list.is_empty());
    let moving = moves("Adding Replicas") || moves("Removing Replicas");
    let partition = SeenPartition { at: line.at, leader, replicas, isr, moving };
    seen.topic(name, line.at).partition(number, partition, p);
}
