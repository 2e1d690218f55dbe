//! `cluster:`.

use std::sync::Arc;

use super::super::diagnostics::Problems;
use super::super::yaml::{Kind, Node};
use super::super::{Cluster, Coordinators, IsrDeltas, LoadTime, Span, Start};
use super::Fields;
use super::scalars::{choice, rack, some_time, time, time_span, version, whole, word};
use crate::kafka::Version;
use crate::sim::Ms;

/// More shards than anybody has.
const MAX_SHARDS: u32 = 100_000;

/// Reads `cluster:` and the racks that brokers and members have in turn.
pub(crate) fn cluster(node: &mut Node, problems: &mut Problems) -> (Cluster, Arc<[Option<String>]>) {
    let mut empty = Node::map(node.at);
    let mut fields = match Fields::open(node, "cluster", problems) {
        Some(fields) => fields,
        None => Fields::open(&mut empty, "cluster", problems).expect("a map opens"),
    };
    let p = problems;
    let release = version(fields.or("version", Version::default().name()), p).unwrap_or_default();
    let abc = |at| Node::list(at, ["a", "b", "c"].map(|rack| Node::plain(at, rack)).to_vec());
    let racks = racks(fields.or_node("racks", abc), p);
    let lag = time_span(fields.or("metadata_lag", "0s"), "metadata_lag", p).unwrap_or(Span::just(Ms::ZERO));
    let session = some_time(fields.or("session", "9s"), "session", p).unwrap_or(Ms::secs(9));
    let words = [("brokers", Coordinators::Brokers), ("apart", Coordinators::Apart)];
    let coordinators = choice(fields.or("coordinators", "brokers"), "coordinators", &words, p);
    let shards = whole(fields.or("offsets_partitions", "50"), "offsets_partitions", 1, MAX_SHARDS, p);
    let load_time = load_time(fields.or("load_time", "1s"), p);
    let leader_rebalance = or_off(fields.or("leader_rebalance", "5m"), "leader_rebalance", p);
    let retention = some_time(fields.or("retention", "7d"), "retention", p);
    let share_init = time(fields.or("share_init", "100ms"), "share_init", p);
    let message_max_bytes = whole(fields.or("message_max_bytes", "1048588"), "message_max_bytes", 1, u64::MAX, p);
    let interval = fields.or("assignment_interval", "null");
    let assignment_interval = if interval.is_null() { None } else { time(interval, "assignment_interval", p) };
    let initial_delay = time(fields.or("initial_delay", "0s"), "initial_delay", p);
    let start = start(fields.or_node("start", Node::map), p);
    fields.close(p);
    let cluster = Cluster {
        version: release,
        metadata_lag: lag,
        session,
        coordinators: coordinators.unwrap_or(Coordinators::Brokers),
        offsets_partitions: shards.unwrap_or(50),
        offsets_replicas: None,
        load_time: load_time.unwrap_or(LoadTime::Fixed(Ms::secs(1))),
        leader_rebalance: leader_rebalance.unwrap_or(None),
        retention: retention.unwrap_or(Ms::secs(7 * 86_400)),
        message_max_bytes: message_max_bytes.unwrap_or(1_048_588),
        share_init: share_init.unwrap_or(Ms(100)),
        assignment_interval,
        initial_delay: initial_delay.unwrap_or(Ms::ZERO),
        start,
    };
    (cluster, racks)
}

/// A list of racks, each a name or `null`.
pub(crate) fn racks(node: &Node, problems: &mut Problems) -> Arc<[Option<String>]> {
    match &node.kind {
        Kind::List(items) => items.iter().filter_map(|item| rack(item, problems)).collect(),
        Kind::Scalar { .. } | Kind::Map(_) => {
            let label = "write the names in brackets: [a, b, c]";
            problems.add(node.at, format!("racks is a list, not {}", node.what()), label);
            Arc::default()
        }
    }
}

/// A time, or `off`.
pub(crate) fn or_off(node: &Node, what: &str, problems: &mut Problems) -> Option<Option<Ms>> {
    if node.text() == Some("off") {
        return Some(None);
    }
    time(node, &format!("{what} (or `off`)"), problems).map(Some)
}

fn load_time(node: &Node, problems: &mut Problems) -> Option<LoadTime> {
    if node.text() == Some("auto") {
        return Some(LoadTime::Auto);
    }
    time(node, "load_time (or `auto`)", problems).map(LoadTime::Fixed)
}

fn start(node: &mut Node, problems: &mut Problems) -> Start {
    let (unfence, catch_up) = (Span::just(Ms::secs(2)), Span::just(Ms::secs(30)));
    let mut start = Start { unfence, catch_up, isr_deltas: IsrDeltas::PerLeader };
    let Some(mut fields) = Fields::open(node, "cluster.start", problems) else { return start };
    start.unfence = time_span(fields.or("unfence", "2s"), "unfence", problems).unwrap_or(unfence);
    start.catch_up = time_span(fields.or("catch_up", "30s"), "catch_up", problems).unwrap_or(catch_up);
    start.isr_deltas = isr_deltas(fields.or("isr_deltas", "per-leader"), problems).unwrap_or(IsrDeltas::PerLeader);
    fields.close(problems);
    start
}

/// `per-leader`, or a number of runs.
pub(crate) fn isr_deltas(node: &Node, problems: &mut Problems) -> Option<IsrDeltas> {
    if word(node, "isr_deltas", problems)? == "per-leader" {
        return Some(IsrDeltas::PerLeader);
    }
    whole(node, "isr_deltas (or `per-leader`)", 1, u32::MAX, problems).map(IsrDeltas::Runs)
}
