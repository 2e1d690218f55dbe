//! Prints the cluster of a scenario as Kafka's own tools would (in the layout of 4.1), a file for each tool: something to
//! try `rebalance-sim import` on.
//!
//! ```sh
//! cargo run --release --example made-cluster -- scenarios/fleet-40x3000.yaml made/
//! ```

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

use rebalance_sim::kafka::{BrokerId, MemberId, Replicas, ShardId, Version};
use rebalance_sim::scenario::{Scenario, load};
use rebalance_sim::world::{History, make};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().collect();
    let [_, scenario, folder] = &args[..] else {
        eprintln!("usage: made-cluster SCENARIO FOLDER");
        return ExitCode::from(2);
    };
    match run(Path::new(scenario), Path::new(folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::from(2)
        }
    }
}

fn run(scenario: &Path, folder: &Path) -> Result<(), String> {
    let scenario = load(scenario, &[]).map_err(|e| e.to_string())?.scenario;
    let history = make(&scenario, 1).map_err(|e| e.message)?;
    std::fs::create_dir_all(folder).map_err(|e| e.to_string())?;
    for (name, text) in printed(&scenario, &history) {
        std::fs::write(folder.join(name), text).map_err(|e| e.to_string())?;
    }
    Ok(())
}

/// What the tools print at the start of a history, by file. Every fourth group is a classic one.
pub(crate) fn printed(scenario: &Scenario, history: &History) -> Vec<(&'static str, String)> {
    vec![
        ("topics.txt", topics(scenario, history)),
        ("members.txt", members(history)),
        ("state.txt", states(history)),
        ("types.txt", types(history)),
        ("brokers.txt", brokers(scenario)),
        ("features.txt", features(scenario.cluster.version)),
    ]
}

fn is_classic(group: usize) -> bool {
    group % 4 == 3
}

fn topics(scenario: &Scenario, history: &History) -> String {
    let mut out = String::new();
    for (name, image) in history.names.topics.iter().zip(&history.start.topics) {
        if let Some(image) = image {
            topic(name, &image.partitions, &mut out);
        }
    }
    topic("__consumer_offsets", &offsets(scenario, history), &mut out);
    out
}

/// Replicas of the offsets topic: as the scenario says, or the leader and the brokers after it.
fn offsets(scenario: &Scenario, history: &History) -> Vec<Replicas> {
    if let Some(lists) = &scenario.cluster.offsets_replicas {
        return lists.iter().map(|list| list.iter().copied().collect()).collect();
    }
    let brokers = &scenario.brokers;
    let place = |leader: BrokerId| brokers.iter().position(|b| b.id == leader).unwrap_or(0);
    let from = |leader| (0..brokers.len().min(3)).map(|i| brokers[(place(leader) + i) % brokers.len()].id).collect();
    history.shards.iter().map(|shard| from(leader(shard).unwrap_or(brokers[0].id))).collect()
}

fn leader(shard: &rebalance_sim::world::ShardLine) -> Option<BrokerId> {
    shard.leaders.first().and_then(|(_, leader)| *leader)
}

fn topic(name: &str, partitions: &[Replicas], out: &mut String) {
    let rf = partitions.first().map_or(0, |p| p.len());
    let id = "AAAAAAAAAAAAAAAAAAAAAQ";
    let count = partitions.len();
    let configs = "min.insync.replicas=2";
    writeln!(out, "Topic: {name}\tTopicId: {id}\tPartitionCount: {count}\tReplicationFactor: {rf}\tConfigs: {configs}")
        .expect("a string takes all");
    for (number, replicas) in partitions.iter().enumerate() {
        let list = joined(replicas.iter().map(|b| b.0));
        let leader = replicas[0].0;
        let rest = format!("Leader: {leader}\tReplicas: {list}\tIsr: {list}\tElr: \tLastKnownElr: ");
        writeln!(out, "\tTopic: {name}\tPartition: {number}\t{rest}").expect("a string takes all");
    }
}

fn joined(numbers: impl Iterator<Item = u32>) -> String {
    numbers.map(|n| n.to_string()).collect::<Vec<_>>().join(",")
}

fn members(history: &History) -> String {
    let mut out = String::new();
    for (index, group) in history.groups.iter().enumerate() {
        let ids = (0..group.members as usize).map(|i| MemberId::at(group.first_member.index() + i));
        let standing: Vec<MemberId> = ids.filter(|id| history.members[id.index()].standing).collect();
        let cells: Vec<[String; 8]> = standing.iter().map(|id| member(*id, &standing, index, history)).collect();
        let is_static = cells.iter().any(|cells| !cells[1].is_empty());
        let titles = ["CONSUMER-ID", "GROUP-INSTANCE-ID", "HOST", "CLIENT-ID", "#PARTITIONS", "CURRENT-EPOCH"];
        let mut titles: Vec<&str> = titles.into_iter().chain(["CURRENT-ASSIGNMENT", "TARGET-EPOCH"]).collect();
        titles.push("TARGET-ASSIGNMENT");
        let name = &history.names.groups[index];
        let mut rows: Vec<Vec<String>> = vec![["GROUP"].into_iter().chain(titles).map(str::to_owned).collect()];
        rows.extend(cells.into_iter().map(|cells| {
            let assignment = cells[6].clone();
            [name.clone()].into_iter().chain(cells).chain([assignment]).collect()
        }));
        if !is_static {
            rows.iter_mut().for_each(|row| drop(row.remove(2)));
        }
        table(&rows, &mut out);
    }
    out
}

/// Id, instance, host, client, number, epoch, assignment, epoch.
fn member(id: MemberId, all: &[MemberId], group: usize, history: &History) -> [String; 8] {
    let member = &history.members[id.index()];
    let mut assigned: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for topic in &history.subscriptions[member.subscription.index()].names {
        let Some(image) = &history.start.topics[topic.index()] else { continue };
        let same = |m: &&MemberId| {
            history.subscriptions[history.members[m.index()].subscription.index()].names.contains(topic)
        };
        let sharers: Vec<&MemberId> = all.iter().filter(same).collect();
        let mine = (0u32..).zip(&image.partitions).map(|(p, _)| p);
        let turn = |p: u32| sharers[(p as usize + topic.index()) % sharers.len()];
        let mine: Vec<u32> = mine.filter(|p| *turn(*p) == id).collect();
        if !mine.is_empty() {
            assigned.insert(&history.names.topics[topic.index()], mine);
        }
    }
    let count: usize = assigned.values().map(Vec::len).sum();
    let parts: Vec<String> =
        assigned.into_iter().map(|(topic, list)| format!("{topic}:{}", joined(list.into_iter()))).collect();
    let dash = |text: String| if text.is_empty() { "-".to_owned() } else { text };
    let epoch = if is_classic(group) { "-".to_owned() } else { history.groups[group].epoch.to_string() };
    let instance = if member.is_static { format!("i-{}", id.0) } else { String::new() };
    let unique = format!("{:022}", id.0);
    [
        unique,
        instance,
        "/10.0.0.1".to_owned(),
        "client".to_owned(),
        count.to_string(),
        epoch.clone(),
        dash(parts.join(";")),
        epoch,
    ]
}

fn states(history: &History) -> String {
    let mut out = String::new();
    for (index, group) in history.groups.iter().enumerate() {
        let standing =
            (0..group.members as usize).filter(|i| history.members[group.first_member.index() + i].standing).count();
        let id = coordinator(group.shard, history);
        let state = if standing == 0 { "Empty" } else { "Stable" };
        let strategy = if standing == 0 { "-" } else { "uniform" };
        let header = ["GROUP", "COORDINATOR (ID)", "ASSIGNMENT-STRATEGY", "STATE", "#MEMBERS"];
        let name = history.names.groups[index].clone();
        let coordinator = format!("broker-{id}.example.net:9092  ({id})");
        let row = vec![name, coordinator, strategy.to_owned(), state.to_owned(), standing.to_string()];
        table(&[header.map(str::to_owned).to_vec(), row], &mut out);
    }
    out
}

fn coordinator(shard: ShardId, history: &History) -> u32 {
    leader(&history.shards[shard.index()]).map_or(0, |broker| broker.0)
}

fn types(history: &History) -> String {
    let mut rows = vec![["GROUP", "TYPE", "STATE"].map(str::to_owned).to_vec()];
    for (index, name) in history.names.groups.iter().enumerate() {
        let kind = if is_classic(index) { "Classic" } else { "Consumer" };
        rows.push(vec![name.clone(), kind.to_owned(), "Stable".to_owned()]);
    }
    let mut out = String::new();
    table(&rows, &mut out);
    out
}

/// A blank line, and every column as wide as its widest cell, 15 at least.
fn table(rows: &[Vec<String>], out: &mut String) {
    let columns = rows[0].len();
    let width = |c: usize| rows.iter().map(|row| row[c].chars().count()).max().unwrap_or(0).max(15);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    out.push('\n');
    for row in rows {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        out.push_str(&cells.join(" "));
        out.push('\n');
    }
}

fn brokers(scenario: &Scenario) -> String {
    let mut out = String::new();
    for broker in &scenario.brokers {
        let (id, rack) = (broker.id.0, broker.rack.as_deref().unwrap_or("null"));
        let apis = "\tProduce(0): 0 to 12 [usable: 12],\n\tFetch(1): 4 to 17 [usable: 17]";
        write!(out, "broker-{id}.example.net:9092 (id: {id} rack: {rack} isFenced: false) -> (\n{apis}\n)\n")
            .expect("a string takes all");
    }
    out
}

fn features(version: Version) -> String {
    let release = version.name().trim_start_matches("kafka-");
    let levels = format!("SupportedMaxVersion: {release}-IV0\tFinalizedVersionLevel: {release}-IV0\tEpoch: 7");
    format!("Feature: metadata.version\tSupportedMinVersion: 3.0-IV1\t{levels}\n")
}
