//! What a scenario will take, before any of it is done: memory and time, each with the product of
//! parameters that dominates it. Rough on purpose (within a small factor, meant to be above the truth),
//! from the scenario alone; a run that cannot end well is refused in no time.

mod effects;
mod sizes;
#[cfg(test)]
mod tests;

use std::fmt;

use crate::scenario::{Scenario, StrategyKind};

use super::Way;
use sizes::Sizes;

/// A share of the memory or the time, and the parameters behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// Bytes or nanoseconds.
    pub amount: u64,
    /// `groups × topics × partitions (100,000 × 1,000 × 100)`.
    pub by: String,
}

/// What a scenario will take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Memory of one run: its parts, the largest first. Lanes come one after the other, so only the largest counts.
    pub memory: Vec<Share>,
    /// Processor time of all runs and lanes: its parts, the largest first.
    pub time: Vec<Share>,
}

impl Estimate {
    /// Bytes of so many runs side by side.
    #[must_use]
    pub fn bytes(&self, side_by_side: u64) -> u64 {
        sum(&self.memory).saturating_mul(side_by_side.max(1))
    }

    /// Nanoseconds of processor time.
    #[must_use]
    pub fn cpu_ns(&self) -> u64 {
        sum(&self.time)
    }

    /// What most of the memory is for.
    #[must_use]
    pub fn memory_by(&self) -> &str {
        self.memory.first().map_or("nothing", |share| &share.by)
    }

    /// What most of the time is for.
    #[must_use]
    pub fn time_by(&self) -> &str {
        self.time.first().map_or("nothing", |share| &share.by)
    }
}

fn sum(shares: &[Share]) -> u64 {
    shares.iter().fold(0, |sum, share| sum.saturating_add(share.amount))
}

/// Bytes of one thing, as the program keeps it (measured on 64 bits, rounded up).
mod bytes {
    /// A partition in the history, its world and a lane's image.
    pub(super) const PARTITION: u64 = 200;
    /// A partition's new registration in a delta.
    pub(super) const CHANGE: u64 = 160;
    /// A delta, an event.
    pub(super) const EVENT: u64 = 120;
    /// A group with its shard's, its judge's and its row's part.
    pub(super) const GROUP: u64 = 600;
    /// A member.
    pub(super) const MEMBER: u64 = 40;
    /// A member that comes or goes: its name, its time, its place among heartbeats.
    pub(super) const OPERATION: u64 = 400;
    /// A topic of a group: in its list and in the indexes of coordinator and judge.
    pub(super) const WATCH: u64 = 18;
    /// An entry of a stored map.
    pub(super) const STORED: u64 = 40;
    /// A partition's racks in a stored map.
    pub(super) const RACKS: u64 = 32;
    /// A pointer to shared racks, for each topic of a group.
    pub(super) const SHARED: u64 = 140;
    /// A rebalance that is kept.
    pub(super) const BUMP: u64 = 64;
    /// A member with a target and an assignment.
    pub(super) const ASSIGNED: u64 = 300;
    /// A partition in a group's target, in what its member has, and among its owners; and while it is dealt.
    pub(super) const OWNED: u64 = 180;
}

/// Groups whose new values are held at the same time, at most.
const SETTLING: u64 = 1024;

/// Nanoseconds of one thing: between what a slow and a fast machine took, of which one took 2.2 times as long. Refreshes are
/// counted as if no two deltas met in one heartbeat, which is two to three times too many where a broker comes back.
mod ns {
    /// A group looks again, whatever its strategy.
    pub(super) const REFRESH: u64 = 500;
    /// The same where groups are taken one after the other: a value of its topics changes, mostly together with others.
    pub(super) const ALONE: u64 = 53;
    /// The same, really done by a strategy.
    pub(super) const AT_WORK: u64 = 60;
    /// For each of its topics.
    pub(super) const TOPIC: u64 = 15;
    /// A partition whose racks are read and compared.
    pub(super) const COMPARED: u64 = 5;
    /// A partition that is hashed.
    pub(super) const HASHED: u64 = 12;
    /// A partition changed in making the history, and read by a lane.
    pub(super) const CHANGE: u64 = 400;
    /// A heartbeat that is walked.
    pub(super) const HEARTBEAT: u64 = 30;
    /// A member's operation.
    pub(super) const OPERATION: u64 = 5_000;
    /// A partition that an assignor deals, and that is held against what was: a new target.
    pub(super) const DEALT: u64 = 1_500;
    /// A member that it deals to, that then goes over to it.
    pub(super) const DEALT_TO: u64 = 3_000;
}

/// Estimates a scenario. `keep_bumps`: rebalances kept one by one in a lane, at most.
#[must_use]
pub fn estimate(scenario: &Scenario, way: Way, keep_bumps: u64) -> Estimate {
    let s = Sizes::of(scenario);
    Estimate { memory: memory(scenario, &s, way, keep_bumps), time: time(scenario, &s, way) }
}

fn memory(scenario: &Scenario, s: &Sizes, way: Way, keep_bumps: u64) -> Vec<Share> {
    let mut shares = vec![
        share(&[("topics", s.topics), ("partitions", s.partitions_each())], bytes::PARTITION),
        s.most(share(&[("changes of partitions", s.changes)], bytes::CHANGE)),
        s.most(share(&[("events", s.events)], bytes::EVENT)),
        s.most(share(&[("operations of members", s.operations)], bytes::OPERATION)),
        share(&[("groups", s.groups)], bytes::GROUP),
        share(&[("groups", s.groups), ("members", s.members_each())], bytes::MEMBER),
        share(&[("groups", s.groups), ("topics", s.topics_each())], bytes::WATCH),
        // each refresh rebalances at worst, in every lane
        share(
            &[("strategies", scenario.strategies.len() as u64), ("rebalances", s.refreshes.min(keep_bumps))],
            bytes::BUMP,
        ),
    ];
    let stored = scenario.strategies.iter().map(|spec| match spec.kind {
        // every group points to the racks that all of them share
        StrategyKind::FullMetadata | StrategyKind::AsDeployed if way == Way::Counted => {
            share(&[("groups", s.groups), ("topics", s.topics_each())], bytes::SHARED)
        }
        // the dearest of its releases
        StrategyKind::FullMetadata | StrategyKind::AsDeployed => share(
            &[("groups", s.groups), ("topics", s.topics_each()), ("partitions", s.partitions_each())],
            // new maps stand beside the stored ones until they are settled
            bytes::RACKS + bytes::RACKS * s.groups.min(SETTLING) / s.groups.max(1),
        ),
        StrategyKind::PartitionCount | StrategyKind::TopicHash => {
            share(&[("groups", s.groups), ("topics", s.topics_each())], bytes::STORED)
        }
        StrategyKind::GroupHash | StrategyKind::GroupHashUncached | StrategyKind::DeltaFlag => {
            share(&[("groups", s.groups)], 16)
        }
        // a snapshot a group, and what each member knows
        StrategyKind::ClassicClient => share(&[("groups", s.groups), ("topics", s.topics_each())], bytes::STORED),
    });
    shares.extend(stored.max_by_key(|share| share.amount));
    let (partitions, members) = s.dealt_each();
    let groups = ("groups with an assignor", s.assigning.0);
    shares.push(share(&[groups, ("partitions", partitions)], bytes::OWNED));
    shares.push(share(&[groups, ("members", members)], bytes::ASSIGNED));
    sorted(shares)
}

fn time(scenario: &Scenario, s: &Sizes, way: Way) -> Vec<Share> {
    let runs = ("runs", u64::from(scenario.runs.max(1)));
    let lanes = ("strategies", scenario.strategies.len() as u64);
    let alone = s.operations == 0 && s.assigning.0 == 0;
    let refresh = match way {
        Way::Counted if alone => ns::ALONE,
        Way::Measured if alone => ns::ALONE + ns::AT_WORK,
        _ => ns::REFRESH + ns::TOPIC * s.topics_each(),
    };
    let mut shares = vec![
        s.most(share(&[runs, ("changes of partitions", s.changes)], ns::CHANGE)),
        s.most(share(&[runs, lanes, ("operations of members", s.operations)], ns::OPERATION)),
        s.most(share(&[runs, lanes, ("refreshes", s.refreshes)], refresh)),
    ];
    // each refresh of such a group makes a target at worst
    let (partitions, members) = s.dealt_each();
    let targets = ("target assignments", s.targets());
    shares.push(share(&[runs, lanes, targets, ("partitions", partitions)], ns::DEALT));
    shares.push(share(&[runs, lanes, targets, ("members", members)], ns::DEALT_TO));
    let refreshes =
        [runs, ("refreshes", s.refreshes), ("topics", s.topics_each()), ("partitions", s.partitions_each())];
    // values are worked out once where they are only counted
    let valued = scenario.strategies.iter().filter(|_| way != Way::Counted);
    for spec in valued {
        match spec.kind {
            StrategyKind::FullMetadata | StrategyKind::AsDeployed => shares.push(share(&refreshes, ns::COMPARED)),
            StrategyKind::GroupHashUncached => shares.push(share(&refreshes, ns::HASHED)),
            // once for each shard that has groups on the topic
            StrategyKind::TopicHash | StrategyKind::GroupHash => {
                let shards = u64::from(scenario.cluster.offsets_partitions).min(s.groups);
                let changes = ("changes of topics", s.topic_changes);
                shares
                    .push(share(&[runs, changes, ("partitions", s.partitions_each()), ("shards", shards)], ns::HASHED));
            }
            StrategyKind::PartitionCount | StrategyKind::DeltaFlag | StrategyKind::ClassicClient => {}
        }
    }
    if way == Way::Exhaustive {
        shares.push(share(&[runs, lanes, ("heartbeats", s.heartbeats)], ns::HEARTBEAT));
    }
    sorted(shares)
}

impl Sizes {
    /// Names the entry that is behind most of it.
    fn most(&self, mut share: Share) -> Share {
        if let Some((_, times, entry)) = &self.heaviest {
            let times = if *times == 1 { "once".to_owned() } else { format!("{} times", grouped(*times)) };
            share.by.push_str(&format!(", most by {entry} ({times})"));
        }
        share
    }
}

/// A product, without overflow.
fn share(of: &[(&'static str, u64)], each: u64) -> Share {
    let amount = of.iter().fold(each, |product, (_, n)| product.saturating_mul(*n));
    Share { amount, by: Product(of).to_string() }
}

fn sorted(mut shares: Vec<Share>) -> Vec<Share> {
    shares.retain(|share| share.amount > 0);
    shares.sort_by_key(|share| std::cmp::Reverse(share.amount));
    shares
}

/// `groups × topics (10 × 20)`; factors of one are left out.
struct Product<'a>(&'a [(&'static str, u64)]);

impl fmt::Display for Product<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let factors: Vec<_> = self.0.iter().filter(|(_, n)| *n > 1).collect();
        let factors = if factors.is_empty() { self.0.iter().collect() } else { factors };
        let names: Vec<&str> = factors.iter().map(|(name, _)| *name).collect();
        let numbers: Vec<String> = factors.iter().map(|(_, n)| grouped(*n)).collect();
        write!(f, "{} ({})", names.join(" × "), numbers.join(" × "))
    }
}

fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}
