//! `strategies:`: names, labels, and either with switches of its own.

use std::collections::BTreeMap;

use super::super::diagnostics::{At, Problems};
use super::super::similar::hint;
use super::super::yaml::{Kind, Node};
use super::super::{
    Cache, ClientRack, FlagReading, HashKind, OfflineRack, Order, PatternRejoin, RackReading, Rehash, Snapshot,
    StaticLeader, StrategyKind, StrategySpec, Switches, Trigger, Unregistered, Watches,
};
use super::Fields;
use super::cluster::or_off;
use super::scalars::{check_name, choice, is_plain, name, some_time, word, yes_no};

/// Labels: combinations of strategy and switches that releases and texts had.
pub(crate) const LABELS: [&str; 11] = [
    "kafka-3.9",
    "kafka-4.0",
    "kafka-4.1",
    "kafka-4.2",
    "kafka-4.3",
    "redpanda",
    "kip-1101-v1",
    "kip-1101-v2",
    "kip-1101-v3",
    "as-deployed",
    "classic-client",
];

/// What runs when a scenario names no strategies.
const DEFAULTS: [StrategyKind; 4] =
    [StrategyKind::FullMetadata, StrategyKind::TopicHash, StrategyKind::GroupHash, StrategyKind::GroupHashUncached];

/// The strategies of a scenario that names none.
#[must_use]
pub fn default_strategies() -> Vec<StrategySpec> {
    DEFAULTS.map(StrategySpec::bare).to_vec()
}

/// Every word that may stand for a strategy.
pub(crate) fn strategy_words() -> Vec<&'static str> {
    StrategyKind::ALL.iter().map(|kind| kind.name()).chain(LABELS).collect()
}

/// A strategy's name or a label, with its switches.
#[must_use]
pub fn by_word(word: &str) -> Option<StrategySpec> {
    if let Some(kind) = StrategyKind::ALL.into_iter().find(|kind| kind.name() == word) {
        return Some(StrategySpec::bare(kind));
    }
    let full = StrategyKind::FullMetadata.defaults();
    let count = StrategyKind::PartitionCount.defaults();
    let topic = StrategyKind::TopicHash.defaults();
    let group = StrategyKind::GroupHash.defaults();
    let (kind, switches) = match word {
        "kafka-3.9" => {
            (StrategyKind::FullMetadata, Switches { racks: RackReading::Set, unregistered: Unregistered::Fail, ..full })
        }
        "kafka-4.0" => (StrategyKind::PartitionCount, Switches { regex_refresh: None, ..count }),
        "kafka-4.1" | "kafka-4.2" | "kafka-4.3" => {
            (StrategyKind::GroupHash, Switches { hash: HashKind::Xxh3, racks: RackReading::Multiset, ..group })
        }
        "redpanda" => (StrategyKind::GroupHash, Switches { hash: HashKind::Xxh3, order: Order::Id, ..group }),
        "kip-1101-v1" => (StrategyKind::DeltaFlag, StrategyKind::DeltaFlag.defaults()),
        "kip-1101-v2" => (
            StrategyKind::TopicHash,
            Switches {
                hash: HashKind::KipDraft,
                racks: RackReading::Set,
                unregistered: Unregistered::Fail,
                cache: Cache::Draft000,
                ..topic
            },
        ),
        "kip-1101-v3" => {
            (StrategyKind::GroupHash, Switches { hash: HashKind::Murmur3, racks: RackReading::Set, ..group })
        }
        "as-deployed" => (StrategyKind::AsDeployed, StrategyKind::AsDeployed.defaults()),
        "classic-client" => (StrategyKind::ClassicClient, StrategyKind::ClassicClient.defaults()),
        _ => return None,
    };
    Some(StrategySpec { name: word.to_owned(), label: Some(word.to_owned()), kind, switches })
}

/// The switches that a strategy looks at.
pub(crate) const fn switches_of(kind: StrategyKind) -> &'static [&'static str] {
    match kind {
        StrategyKind::FullMetadata => {
            &["racks", "trigger", "refresh_interval", "include_topic_id", "unregistered", "regex_refresh"]
        }
        StrategyKind::PartitionCount => &["trigger", "refresh_interval", "include_topic_id", "regex_refresh"],
        StrategyKind::TopicHash => &[
            "hash",
            "racks",
            "cache",
            "rehash",
            "trigger",
            "refresh_interval",
            "include_topic_id",
            "unregistered",
            "regex_refresh",
        ],
        StrategyKind::GroupHash => &[
            "hash",
            "racks",
            "cache",
            "rehash",
            "trigger",
            "refresh_interval",
            "include_topic_id",
            "unregistered",
            "regex_refresh",
            "order",
        ],
        StrategyKind::GroupHashUncached => &[
            "hash",
            "racks",
            "trigger",
            "refresh_interval",
            "include_topic_id",
            "unregistered",
            "regex_refresh",
            "order",
        ],
        StrategyKind::DeltaFlag => &["flag", "regex_refresh"],
        // every release's are its own
        StrategyKind::AsDeployed => &[],
        StrategyKind::ClassicClient => &CLIENT_SWITCHES,
    }
}

/// Those of `classic-client`.
const CLIENT_SWITCHES: [&str; 7] =
    ["metadata_age", "client_rack", "offline_rack", "watches", "static_leader", "pattern_rejoin", "snapshot"];

/// Every switch.
pub(crate) const SWITCHES: [&str; 18] = [
    "hash",
    "racks",
    "cache",
    "rehash",
    "trigger",
    "refresh_interval",
    "include_topic_id",
    "unregistered",
    "flag",
    "regex_refresh",
    "order",
    "metadata_age",
    "client_rack",
    "offline_rack",
    "watches",
    "static_leader",
    "pattern_rejoin",
    "snapshot",
];

/// Reads `strategies:`.
pub(crate) fn strategies(node: &mut Node, problems: &mut Problems) -> Vec<StrategySpec> {
    let mut specs: Vec<StrategySpec> = Vec::new();
    let (at, what) = (node.at, node.what());
    let Kind::List(items) = &mut node.kind else {
        problems.add(at, format!("strategies is a list, not {what}"), "write `[full-metadata, kafka-4.1]`");
        return specs;
    };
    if items.is_empty() {
        problems.add(at, "there is no strategy to look at", "name one, or leave `strategies` out");
    }
    let mut names: BTreeMap<String, At> = BTreeMap::new();
    for item in items {
        let at = item.at;
        let Some(spec) = strategy(item, problems) else { continue };
        if let Some(first) = names.insert(spec.name.clone(), at) {
            let problem =
                problems.add(at, format!("two strategies are called `{}`", spec.name), "add `as: its-own-name`");
            problem.also.push((first, "first here".to_owned()));
            continue;
        }
        specs.push(spec);
    }
    specs
}

fn strategy(node: &mut Node, problems: &mut Problems) -> Option<StrategySpec> {
    if matches!(node.kind, Kind::Scalar { .. }) {
        return known(node, problems);
    }
    let mut fields = Fields::open(node, "a strategy", problems)?;
    let own = fields.opt("as").map(|node| name(node, "a strategy", problems));
    let own = own.flatten();
    let like = fields.must("like", "the strategy or label that it is like", problems);
    let base = like.and_then(|node| known(node, problems));
    let Some(mut spec) = base else {
        for switch in SWITCHES {
            fields.opt(switch);
        }
        fields.close(problems);
        return None;
    };
    let before = problems.list.len();
    let used = switches_of(spec.kind);
    for switch in SWITCHES {
        if used.contains(&switch) {
            if let Some(node) = fields.opt(switch) {
                read_switch(switch, node, &mut spec.switches, problems);
            }
        } else if let Some(at) = fields.key_at(switch) {
            fields.opt(switch);
            let message = format!("{} does not use the switch `{switch}`", spec.kind.name());
            let fix = if used.is_empty() { "it uses none".to_owned() } else { format!("it uses {}", used.join(", ")) };
            problems.add(at, message, fix);
        }
    }
    if own.is_none() && SWITCHES.iter().any(|switch| fields.has(switch)) && problems.list.len() == before {
        problems.add(fields.at(), "a strategy with switches of its own needs a name of its own", "add `as: NAME`");
    }
    fields.close(problems);
    if let Some(own) = own {
        spec.name = own;
    }
    Some(spec)
}

fn known(node: &Node, problems: &mut Problems) -> Option<StrategySpec> {
    let text = word(node, "a strategy or a label", problems)?;
    if let Some(spec) = by_word(text) {
        return Some(spec);
    }
    if check_name(text, is_plain(node), node.at, "a strategy", problems) {
        let words = strategy_words();
        problems.add(node.at, format!("there is no strategy or label `{text}`"), hint(text, &words));
    }
    None
}

fn read_switch(switch: &str, node: &Node, switches: &mut Switches, p: &mut Problems) {
    let s = switches;
    match switch {
        "hash" => put(&mut s.hash, choice(node, switch, &HASHES, p)),
        "racks" => put(&mut s.racks, choice(node, switch, &RACKS, p)),
        "cache" => put(&mut s.cache, choice(node, switch, &CACHES, p)),
        "rehash" => put(&mut s.rehash, choice(node, switch, &REHASHES, p)),
        "trigger" => put(&mut s.trigger, choice(node, switch, &TRIGGERS, p)),
        "refresh_interval" => put(&mut s.refresh_interval, some_time(node, switch, p)),
        "include_topic_id" => put(&mut s.include_topic_id, yes_no(node, switch, p)),
        "unregistered" => put(&mut s.unregistered, choice(node, switch, &UNREGISTERED, p)),
        "flag" => put(&mut s.flag, choice(node, switch, &FLAGS, p)),
        "regex_refresh" => put(&mut s.regex_refresh, or_off(node, switch, p)),
        "order" => put(&mut s.order, choice(node, switch, &ORDERS, p)),
        "metadata_age" => put(&mut s.client.metadata_age, some_time(node, switch, p)),
        "client_rack" => put(&mut s.client.client_rack, choice(node, switch, &CLIENT_RACKS, p)),
        "offline_rack" => put(&mut s.client.offline_rack, choice(node, switch, &OFFLINE_RACKS, p)),
        "watches" => put(&mut s.client.watches, choice(node, switch, &WATCHES, p)),
        "static_leader" => put(&mut s.client.static_leader, choice(node, switch, &STATIC_LEADERS, p)),
        "pattern_rejoin" => put(&mut s.client.pattern_rejoin, choice(node, switch, &PATTERN_REJOINS, p)),
        _ => put(&mut s.client.snapshot, choice(node, switch, &SNAPSHOTS, p)),
    }
}

/// The words that a switch may be, if it is one of a few.
pub(crate) fn switch_words(switch: &str) -> Vec<&'static str> {
    fn names<T>(words: &[(&'static str, T)]) -> Vec<&'static str> {
        words.iter().map(|(name, _)| *name).collect()
    }
    match switch {
        "hash" => names(&HASHES),
        "racks" => names(&RACKS),
        "cache" => names(&CACHES),
        "rehash" => names(&REHASHES),
        "trigger" => names(&TRIGGERS),
        "unregistered" => names(&UNREGISTERED),
        "flag" => names(&FLAGS),
        "order" => names(&ORDERS),
        "client_rack" => names(&CLIENT_RACKS),
        "offline_rack" => names(&OFFLINE_RACKS),
        "watches" => names(&WATCHES),
        "static_leader" => names(&STATIC_LEADERS),
        "pattern_rejoin" => names(&PATTERN_REJOINS),
        "snapshot" => names(&SNAPSHOTS),
        _ => Vec::new(),
    }
}

fn put<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

const HASHES: [(&str, HashKind); 3] =
    [("murmur3", HashKind::Murmur3), ("kip-draft", HashKind::KipDraft), ("xxh3", HashKind::Xxh3)];
const RACKS: [(&str, RackReading); 3] =
    [("set", RackReading::Set), ("multiset", RackReading::Multiset), ("ignored", RackReading::Ignored)];
const CACHES: [(&str, Cache); 4] = [
    ("shard", Cache::Shard),
    ("none", Cache::None),
    ("never-evicted", Cache::NeverEvicted),
    ("draft-000", Cache::Draft000),
];
const REHASHES: [(&str, Rehash); 2] = [("invalidated", Rehash::Invalidated), ("all-on-bump", Rehash::AllOnBump)];
const TRIGGERS: [(&str, Trigger); 2] = [("topic-delta", Trigger::TopicDelta), ("cluster-delta", Trigger::ClusterDelta)];
const UNREGISTERED: [(&str, Unregistered); 2] = [("fail", Unregistered::Fail), ("skip", Unregistered::Skip)];
const FLAGS: [(&str, FlagReading); 2] =
    [("adding-removing", FlagReading::AddingRemoving), ("replicas-differ", FlagReading::ReplicasDiffer)];
const CLIENT_RACKS: [(&str, ClientRack); 2] = [("given", ClientRack::Given), ("none", ClientRack::None)];
const OFFLINE_RACKS: [(&str, OfflineRack); 2] = [("none", OfflineRack::None), ("known", OfflineRack::Known)];
const WATCHES: [(&str, Watches); 3] = [("union", Watches::Union), ("own", Watches::Own), ("owned", Watches::Owned)];
const STATIC_LEADERS: [(&str, StaticLeader); 2] =
    [("watches", StaticLeader::Watches), ("forgets", StaticLeader::Forgets)];
const PATTERN_REJOINS: [(&str, PatternRejoin); 2] =
    [("refreshes", PatternRejoin::Refreshes), ("keeps", PatternRejoin::Keeps)];
const SNAPSHOTS: [(&str, Snapshot); 2] = [("reset", Snapshot::Reset), ("kept", Snapshot::Kept)];
const ORDERS: [(&str, Order); 2] = [("name", Order::Name), ("id", Order::Id)];

/// `strategies:` as it reads when a scenario has none.
pub(crate) fn default_node(at: At) -> Node {
    Node::list(at, DEFAULTS.iter().map(|kind| Node::plain(at, kind.name())).collect())
}
