//! What only shows when all files are read: topics of which partitions are missing, and files of two clusters.

use std::collections::BTreeSet;

use super::super::diagnostics::Problems;
use super::header::count;
use super::seen::{Seen, SeenTopic};

/// Finds what is wrong.
pub(super) fn check(seen: &Seen, p: &mut Problems) {
    if seen.topics.is_empty() && seen.brokers.is_empty() && seen.groups.is_empty() && !seen.any_groups {
        // every file was empty or unknown, and that has been told
        return;
    }
    for (name, topic) in &seen.topics {
        whole(name, topic, p);
    }
    let replicas: BTreeSet<u32> = partitions(seen).flat_map(|(_, p)| p.replicas.iter().copied()).collect();
    if !seen.brokers.is_empty() && !replicas.is_empty() && replicas.iter().all(|id| !seen.brokers.contains_key(id)) {
        let here = seen.brokers.values().next().map(|broker| broker.at);
        let there = partitions(seen).next().map(|(_, partition)| partition.at);
        if let (Some(here), Some(there)) = (here, there) {
            let message = "no broker of this list holds a replica of any topic";
            let problem = p.add(here, message, "these files are of two clusters");
            problem.also.push((there, "the replicas of a topic".to_owned()));
        }
    }
}

/// All partitions of all topics.
pub(super) fn partitions(seen: &Seen) -> impl Iterator<Item = (&str, &super::seen::SeenPartition)> {
    seen.topics.iter().flat_map(|(name, topic)| topic.partitions.values().map(move |p| (name.as_str(), p)))
}

/// Are all partitions there that the topic's own line promises, and that line itself?
fn whole(name: &str, topic: &SeenTopic, p: &mut Problems) {
    let Some(promised) = topic.promised else {
        let label = "the line `Topic: … PartitionCount: …` above it is missing; was --describe given a filter?";
        p.add(topic.at, format!("only single partitions of topic `{name}` are here"), label);
        return;
    };
    if topic.broken {
        // what is missing is on the line that could not be read
        return;
    }
    let said = format!("topic `{name}` has {} by this line", count(promised as usize, "partition"));
    if let Some(more) = topic.partitions.keys().next_back().filter(|last| **last >= promised) {
        let message = format!("{said}, and there is a partition {more}");
        p.add(topic.at, message, "were two descriptions taken at different times?");
        return;
    }
    let missing: Vec<u32> = (0..promised.min(1_000_000)).filter(|n| !topic.partitions.contains_key(n)).collect();
    if !missing.is_empty() {
        let shown: Vec<String> = missing.iter().take(8).map(u32::to_string).collect();
        let more = missing.len() - shown.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        p.add(topic.at, format!("{said}; missing: {}{more}", shown.join(", ")), "is the file cut short?");
    }
}
