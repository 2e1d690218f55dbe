//! A broker's start: registration, unfencing, the plan of its ISR expansions, and the preferred leaders that
//! it takes back (model: K.3, start and the plan of a start).

use std::collections::{BTreeMap, BTreeSet};

use crate::kafka::{BrokerId, EntryIndex, RackId, TopicId, Version};
use crate::scenario::IsrDeltas;
use crate::sim::Ms;

use super::controller::Controller;

/// A start that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Starting {
    /// The entry that did it.
    pub(super) entry: EntryIndex,
    /// With which rack.
    pub(super) rack: Option<RackId>,
    /// With which release.
    pub(super) version: Version,
    /// From registration to unfencing.
    pub(super) unfence: Ms,
    /// From unfencing to the last expansion.
    pub(super) catch_up: Ms,
    /// In how many deltas the expansions come.
    pub(super) isr_deltas: IsrDeltas,
}

/// A partition as a plan remembers it: of which creation of the topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Planned {
    pub(super) topic: TopicId,
    pub(super) incarnation: u32,
    pub(super) partition: u32,
}

/// Expansions that come together, so long after the unfence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Expansion {
    pub(super) after: Ms,
    pub(super) partitions: Vec<Planned>,
}

/// The plan of a start, made at its unfence, after the elections. What has no leader then is not in it, but
/// noted at the broker.
pub(super) fn plan(controller: &mut Controller, broker: BrokerId, start: &Starting) -> Vec<Expansion> {
    let offsets = controller.offsets();
    let mut led: Vec<(BrokerId, Planned)> = Vec::new();
    let mut leaderless = Vec::new();
    let mut late = Vec::new();
    for (index, topic) in controller.topics.iter().enumerate().filter(|(_, t)| t.exists) {
        for (partition, state) in (0u32..).zip(&topic.partitions).filter(|(_, p)| p.lacks(broker)) {
            let planned = Planned { topic: TopicId::at(index), incarnation: topic.incarnation, partition };
            match state.leader {
                _ if planned.topic == offsets => late.push(planned),
                Some(leader) => led.push((leader, planned)),
                None => leaderless.push(planned),
            }
        }
    }
    let waits = &mut controller.brokers.get_mut(&broker).expect("it starts").waits_for;
    waits.extend(leaderless);
    let mut plan = match start.isr_deltas {
        IsrDeltas::PerLeader => by_leader(led, start.catch_up),
        IsrDeltas::Runs(runs) => by_topic(&led, runs, start.catch_up),
    };
    // those of the offsets topic are in no plan: in sync when the broker is
    plan.push(Expansion { after: start.catch_up, partitions: late });
    plan
}

fn by_leader(led: Vec<(BrokerId, Planned)>, catch_up: Ms) -> Vec<Expansion> {
    let mut groups: BTreeMap<BrokerId, Vec<Planned>> = BTreeMap::new();
    for (leader, planned) in led {
        groups.entry(leader).or_default().push(planned);
    }
    let n = groups.len() as u64;
    let expansion = |(i, partitions)| Expansion { after: part(catch_up, i, n), partitions };
    (1..).zip(groups.into_values()).map(expansion).collect()
}

fn by_topic(led: &[(BrokerId, Planned)], runs: u32, catch_up: Ms) -> Vec<Expansion> {
    // topics come in order of id, which is the natural order of their names
    let mut topics: Vec<TopicId> = led.iter().map(|(_, p)| p.topic).collect();
    topics.dedup();
    let count = topics.len() as u64;
    let n = u64::from(runs).min(count);
    let mut plan = Vec::new();
    let mut rest = led;
    for i in 1..=n {
        let end = i * count / n;
        let first_after = topics.get(usize::try_from(end).expect("no more than there are topics"));
        let cut = first_after.map_or(rest.len(), |t| rest.partition_point(|(_, p)| p.topic < *t));
        let (run, others) = rest.split_at(cut);
        rest = others;
        plan.push(Expansion { after: part(catch_up, i, n), partitions: run.iter().map(|(_, p)| *p).collect() });
    }
    plan
}

/// `span · i / n`, rounded down.
fn part(span: Ms, i: u64, n: u64) -> Ms {
    let whole = u128::from(span.0) * u128::from(i) / u128::from(n.max(1));
    Ms(u64::try_from(whole).expect("a part of a span"))
}

/// A group's time has come: those of its partitions are expanded that still have the broker as a replica outside
/// the ISR and have a leader; those without one wait for the unfence that gives them one.
pub(super) fn expand(controller: &mut Controller, broker: BrokerId, partitions: &[Planned]) {
    let entry = controller.brokers[&broker].started_by;
    for planned in partitions {
        let topic = &controller.topics[planned.topic.index()];
        let there = topic.exists && topic.incarnation == planned.incarnation;
        let Some(state) = topic.partitions.get(planned.partition as usize).filter(|p| there && p.lacks(broker)) else {
            continue;
        };
        if state.leader.is_some() {
            controller.change(planned.topic, planned.partition, entry).expand(broker);
        } else {
            let waits = &mut controller.brokers.get_mut(&broker).expect("it started").waits_for;
            waits.insert(*planned);
        }
    }
}

/// After an unfence has given partitions a leader: who waited for them, and for which.
pub(super) fn no_longer_waiting(
    controller: &mut Controller,
    led: &BTreeSet<(TopicId, u32)>,
) -> Vec<(BrokerId, Vec<Planned>)> {
    let mut all = Vec::new();
    for (id, broker) in &mut controller.brokers {
        if broker.waits_for.is_empty() {
            continue;
        }
        let has_leader = |p: &Planned| led.contains(&(p.topic, p.partition));
        let ready: Vec<Planned> = broker.waits_for.iter().copied().filter(has_leader).collect();
        broker.waits_for.retain(|p| !has_leader(p));
        if !ready.is_empty() {
            all.push((*id, ready));
        }
    }
    all
}

/// A broker takes back what it is the preferred leader of, is in sync with, and another leads.
pub(super) fn take_back(controller: &mut Controller, broker: BrokerId) {
    let entry = controller.brokers[&broker].started_by;
    controller.change_where(entry, |_, _, partition, _| {
        let others = partition.leader.is_some_and(|leader| leader != broker);
        let takes = others && partition.replicas.first() == Some(&broker) && partition.isr.contains(&broker);
        if takes {
            partition.leader = Some(broker);
        }
        takes
    });
}
