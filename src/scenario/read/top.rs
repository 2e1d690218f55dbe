//! The whole document: in the order in which its parts need each other.

use std::collections::BTreeSet;

use super::super::diagnostics::{At, Problems};
use super::super::expect::{Expectation, HeldColumn, Known, baseline, expectations};
use super::super::yaml::Node;
use super::super::{Broker, Cluster, Coordinators, Group, HappenedFile, Members, Place, Scenario, StrategyKind, Topic};
use super::brokers::{Defaults, brokers};
use super::census::Census;
use super::entries::{Entries, entries};
use super::groups::groups;
use super::happened::{also, happened};
use super::horizon::{check, default_duration, limit};
use super::protocols::make_internal;
use super::scalars::{some_time, time, whole};
use super::strategies::{default_node, strategies};
use super::sweep::{Axis, sweep};
use super::topics::{Topics, topics};
use super::{Fields, cluster::cluster};
use crate::kafka::BrokerId;
use crate::sim::Ms;

/// Partitions of all topics, and members of all groups.
const MAX_PARTITIONS: u64 = 50_000_000;
const MAX_MEMBERS: u64 = 50_000_000;

/// What a document means, besides the scenario.
pub(crate) struct Meant {
    pub(crate) scenario: Scenario,
    pub(crate) places: Vec<At>,
    pub(crate) expectations: Vec<Expectation>,
    pub(crate) baseline: Option<Vec<HeldColumn>>,
    pub(crate) sweep: Vec<Axis>,
    pub(crate) history_from: Option<(At, HappenedFile)>,
}

/// Reads the document, and fills its defaults in. What is wrong is in `problems`.
pub(crate) fn document(root: &mut Node, name: &str, p: &mut Problems) -> Option<Meant> {
    let mut fields = Fields::open(root, "a scenario", p)?;
    fields.opt("base");
    let seed = whole(fields.or("seed", "1"), "seed", 0, u64::MAX, p).unwrap_or(1);
    let runs = whole(fields.or("runs", "1"), "runs", 1, 1_000_000, p).unwrap_or(1);
    for key in ["duration", "warmup", "bucket"] {
        fields.opt(key);
    }
    let things = things(&mut fields, p);
    let (duration, warmup, bucket) = length(&mut fields, &things, p);
    let before = p.list.len();
    let strategies_at = fields.key_at("strategies").unwrap_or(fields.at());
    let strategies = strategies(fields.or_node("strategies", default_node), p);
    let apart = things.cluster.coordinators == Coordinators::Apart;
    if let Some(spec) = strategies.iter().find(|spec| spec.kind == StrategyKind::AsDeployed).filter(|_| apart) {
        let message =
            format!("`{}` runs what a shard's broker runs, and with `coordinators: apart` there is none", spec.name);
        p.add(strategies_at, message, "write `coordinators: brokers`, or take the strategy away");
    }
    let any_strategy = p.list.len() > before;
    let sweep = fields.opt("sweep").map(|node| sweep(node, p)).unwrap_or_default();
    let known = Known {
        strategies: strategies.iter().map(|spec| spec.name.clone()).collect(),
        any_strategy,
        entries: things.read.entries.iter().map(|entry| entry.name.clone()).collect(),
        any_entry: things.history_from.is_some() || things.history_wrong,
        census: &things.census,
    };
    let expectations = fields.opt("expect").map(|node| expectations(node, &known, p)).unwrap_or_default();
    let baseline = fields.opt("baseline").and_then(|node| baseline(node, p));
    let at = fields.at();
    fields.close(p);
    if things.groups.is_empty() && p.list.is_empty() {
        p.warn_at(at, || "there are no groups, so nothing can rebalance".to_owned());
    }
    let scenario = Scenario {
        name: name.to_owned(),
        seed,
        runs,
        duration,
        warmup,
        bucket,
        cluster: things.cluster,
        brokers: things.brokers,
        topics: things.topics,
        groups: things.groups,
        history: things.read.entries,
        strategies,
    };
    let (places, history_from) = (things.read.places, things.history_from);
    Some(Meant { scenario, places, expectations, baseline, sweep, history_from })
}

/// What there is and what happens to it.
struct Things {
    cluster: Cluster,
    brokers: Vec<Broker>,
    topics: Vec<Topic>,
    groups: Vec<Group>,
    census: Census,
    read: Entries,
    history_from: Option<(At, HappenedFile)>,
    /// Some entry could not be read, so that not all their names are known.
    history_wrong: bool,
}

fn things(fields: &mut Fields<'_>, p: &mut Problems) -> Things {
    let (mut cluster, racks) = cluster(fields.or_node("cluster", Node::map), p);
    let defaults = Defaults { version: cluster.version, racks: &racks };
    let before = p.list.len();
    let brokers = brokers(fields.or("brokers", "6"), &defaults, p);
    let mut census = first_census(&brokers, &racks);
    if p.list.len() > before {
        // what follows from wrong brokers is not told
        census.brokers.extend(0..1_000);
    }
    let before = p.list.len();
    let Topics { list: mut topics, names, offsets } = topics(fields.or_node("topics", Node::map), &census.brokers, p);
    census.set_topics(names, p.list.len() > before);
    if let Some((at, lists)) = offsets {
        place_offsets(at, lists, &mut cluster, p);
    }
    let history = fields.or_node("history", |at| Node::list(at, Vec::new()));
    let history_from = happened(history, p);
    census.happened = history_from.is_some();
    census.look_ahead(history.get("also").unwrap_or(history));
    let before = p.list.len();
    let (groups, group_names) = groups(fields.or_node("groups", Node::map), &census, &racks, p);
    make_internal(&mut topics, &groups, brokers.len(), &mut census, fields.at(), p);
    census.groups = group_names;
    census.groups_wrong = p.list.len() > before;
    count_members(&groups, &mut census);
    let before = p.list.len();
    let read = match history_from {
        Some(_) => also(fields.or_node("history", Node::map), &census, &cluster, p),
        None => entries(fields.or_node("history", Node::map), &census, &cluster, p),
    };
    let history_wrong = p.list.len() > before;
    sizes(&topics, &groups, fields.at(), p);
    Things { cluster, brokers, topics, groups, census, read, history_from, history_wrong }
}

/// Takes where the partitions of the offsets topic are; how many there are is the cluster's to say.
fn place_offsets(at: At, lists: Vec<Vec<BrokerId>>, cluster: &mut Cluster, p: &mut Problems) {
    if lists.len() as u64 != u64::from(cluster.offsets_partitions) {
        let (here, said) = (lists.len(), cluster.offsets_partitions);
        let message = format!("`__consumer_offsets` has {here} partitions here, and offsets_partitions is {said}");
        p.add(at, message, format!("write `cluster: {{offsets_partitions: {here}}}`"));
        return;
    }
    cluster.offsets_replicas = Some(lists);
}

/// Duration, warm-up and the width of a row of the time line.
fn length(fields: &mut Fields<'_>, things: &Things, p: &mut Problems) -> (Ms, Ms, Ms) {
    let Things { cluster, groups, census, read, .. } = things;
    let (at, clean) = (fields.at(), p.list.is_empty());
    let given = fields.opt("duration").map(|node| (node.at, some_time(node, "duration", p)));
    let duration = match given {
        Some((_, None)) => Ms::secs(600),
        Some((at, Some(duration))) => {
            check(&read.entries, &read.places, groups, duration, at, p);
            duration
        }
        None if things.history_from.is_some() => {
            p.add(at, "a history from a file needs a `duration` beside it", "as in `duration: 2h`");
            Ms::secs(600)
        }
        None => default_duration(&read.entries, &read.places, groups, cluster, census, at, p),
    };
    limit(&read.entries, &read.places, duration, census, p);
    let warmup = fields.or("warmup", "0s");
    let (warmup_at, warmup) = (warmup.at, time(warmup, "warmup", p).unwrap_or(Ms::ZERO));
    if warmup >= duration && (clean || given.is_some()) {
        p.add(warmup_at, format!("warmup ({warmup}) leaves nothing of the run ({duration})"), "");
    }
    let bucket = fields.opt("bucket").and_then(|node| some_time(node, "bucket", p));
    let bucket = bucket.unwrap_or(Ms(duration.0.div_ceil(60).max(1)));
    fields.set("duration", duration.to_string());
    fields.set("bucket", bucket.to_string());
    (duration, warmup, bucket)
}

fn first_census(brokers: &[Broker], in_turn: &[Option<String>]) -> Census {
    let racks: BTreeSet<String> = brokers.iter().map(|b| &b.rack).chain(in_turn).flatten().cloned().collect();
    Census::new(brokers.iter().map(|broker| broker.id.0).collect(), racks)
}

/// Members by name, over all groups: `m-1 …` where they are counted.
fn count_members(groups: &[Group], census: &mut Census) {
    let mut largest = 0;
    let mut last: Option<&str> = None;
    for group in groups {
        match &group.members {
            Members::Count(count) => largest = largest.max(count.hi),
            // the groups of a family have the same members
            Members::Named(_) if last.is_some() && last == group.family.as_deref() => {}
            Members::Named(list) => {
                for member in list {
                    census.members.add(&member.name);
                }
            }
        }
        last = group.family.as_deref();
    }
    if largest > 0 {
        census.members.add_family("m", largest);
    }
}

/// What a machine cannot hold is told before it tries.
fn sizes(topics: &[Topic], groups: &[Group], at: At, problems: &mut Problems) {
    let partitions: u64 = topics
        .iter()
        .map(|topic| match &topic.place {
            Place::Drawn { partitions, .. } => u64::from(partitions.hi),
            Place::Exact(lists) => lists.len() as u64,
        })
        .sum();
    let members: u64 = groups
        .iter()
        .map(|group| match &group.members {
            Members::Count(count) => u64::from(count.hi),
            Members::Named(list) => list.len() as u64,
        })
        .sum();
    for (what, count, most) in [("partitions", partitions, MAX_PARTITIONS), ("members", members, MAX_MEMBERS)] {
        if count > most {
            problems.add(at, format!("{count} {what} are more than a run can hold"), format!("at most {most}"));
        }
    }
}
