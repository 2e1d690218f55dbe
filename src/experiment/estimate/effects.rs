//! What an entry of the history does to deltas, partitions and members, and how often.

use crate::scenario::{IsrDeltas, Moves, Pick, Scenario, ShardPick, Verb, When, Word, glob_matches};
use crate::sim::Ms;

use super::sizes::{Sizes, placed};

/// What one occurrence of an entry does.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Effect {
    pub(super) deltas: u64,
    pub(super) changes: u64,
    /// Changed topics, summed over the deltas.
    pub(super) topics: u64,
    pub(super) operations: u64,
}

impl Effect {
    fn times(self, n: u64) -> Effect {
        Effect {
            deltas: self.deltas.saturating_mul(n),
            changes: self.changes.saturating_mul(n),
            topics: self.topics.saturating_mul(n),
            operations: self.operations.saturating_mul(n),
        }
    }
}

/// What one occurrence does.
pub(super) fn effect(s: &Sizes, scenario: &Scenario, verb: &Verb) -> Effect {
    let brokers = scenario.brokers.len() as u64;
    let of_brokers = |pick: &Pick| targets(pick, brokers, scenario.brokers.iter().map(|b| b.id.0.to_string()));
    let of_topics = |pick: &Pick| topics_of(pick, scenario);
    let of_groups =
        |pick: &Pick| targets(pick, s.groups, scenario.groups.iter().flat_map(|g| names(&g.name, g.family.as_deref())));
    let partitions = s.partitions_each();
    let touched = |n: u64, each: u64| Effect { deltas: 1, changes: n.saturating_mul(each), topics: n, operations: 0 };
    match verb {
        Verb::Roll { brokers: pick, .. } | Verb::Restart { brokers: pick, .. } => {
            bounce(s, scenario).times(of_brokers(pick))
        }
        Verb::Shutdown { brokers: pick, .. }
        | Verb::Crash { brokers: pick, .. }
        | Verb::Start { brokers: pick, .. } => bounce(s, scenario).times(of_brokers(pick)),
        Verb::Unregister { .. } => Effect { deltas: 1, ..Effect::default() },
        Verb::AddBroker { brokers, .. } => Effect { deltas: brokers.len() as u64, ..Effect::default() },
        Verb::AddPartitions { topics, grow, .. } => {
            let (crate::scenario::Grow::By(n) | crate::scenario::Grow::To(n)) = grow;
            touched(of_topics(topics), u64::from(n.hi))
        }
        Verb::CreateTopic { names, place } => touched(names.len() as u64, placed(place).0),
        Verb::DeleteTopic { topics } => touched(of_topics(topics), 0),
        Verb::RecreateTopic { topics, partitions: new, .. } => {
            touched(of_topics(topics), new.map_or(partitions, |n| u64::from(n.hi))).times(2)
        }
        Verb::Reassign { moves, wave, .. } => {
            let n = match moves {
                Moves::Exact { to, .. } => to.len() as u64,
                Moves::Drawn { moves, .. } => u64::from(moves.hi),
            };
            let waves = wave.map_or(1, |wave| n.div_ceil(u64::from(wave.max(1)))).max(1);
            Effect { deltas: 2 * waves, changes: n.saturating_mul(2), topics: n.saturating_mul(2), operations: 0 }
        }
        Verb::SetRf { topics, .. } => touched(of_topics(topics), partitions).times(2),
        Verb::ElectLeaders { topics, .. }
        | Verb::Touch { topics, .. }
        | Verb::IsrShrink { topics, .. }
        | Verb::IsrExpand { topics, .. } => touched(of_topics(topics), partitions),
        Verb::SnapshotReload => touched(s.topics, partitions),
        Verb::Join { groups, members, .. } => {
            Effect { operations: of_groups(groups).saturating_mul(2 * u64::from(members.hi)), ..Effect::default() }
        }
        Verb::Leave { groups, members }
        | Verb::Kill { groups, members }
        | Verb::RestartMember { groups, members, .. }
        | Verb::Subscribe { groups, members, .. } => {
            let each = targets(members, s.members_each(), std::iter::empty());
            Effect { operations: of_groups(groups).saturating_mul(each).saturating_mul(2), ..Effect::default() }
        }
        Verb::MoveCoordinator { shards, .. } => {
            let all = u64::from(scenario.cluster.offsets_partitions);
            let n = match shards {
                ShardPick::These(these) => these.len() as u64,
                ShardPick::All | ShardPick::Groups(_) | ShardPick::Brokers(_) => all,
                ShardPick::Any(n) => u64::from(*n),
            };
            // every group of a shard looks again after the load
            Effect { operations: (s.groups / all.max(1)).saturating_mul(n), ..Effect::default() }
        }
    }
}

/// A broker stops and comes back: ISR and leaders move away, come back in a few deltas, and leaders once more.
fn bounce(s: &Sizes, scenario: &Scenario) -> Effect {
    let brokers = (scenario.brokers.len() as u64).max(1);
    let on_it = s.replicas.div_ceil(brokers);
    let catch_up = match scenario.cluster.start.isr_deltas {
        IsrDeltas::PerLeader => (brokers - 1).min(on_it),
        IsrDeltas::Runs(n) => u64::from(n).min(s.topics),
    };
    let topics = on_it.min(s.topics);
    Effect {
        deltas: 4 + catch_up,
        changes: on_it.saturating_mul(3),
        // leaders share topics: each of their deltas has a part of the partitions
        topics: topics.saturating_mul(2).saturating_add(on_it.min(topics.saturating_mul(catch_up.max(1)))),
        operations: 0,
    }
}

/// How often it happens.
pub(super) fn occurrences(when: &When, scenario: &Scenario, verb: &Verb) -> u64 {
    let end = |until: &Option<Ms>| until.unwrap_or(scenario.duration).min(scenario.duration).0;
    match when {
        When::At(instants) => instants.len() as u64,
        When::Every { every, from, until, times } => {
            let n = end(until).saturating_sub(from.0).div_ceil(every.0.max(1));
            times.map_or(n, |times| n.min(times))
        }
        When::Rate { count, per, each, from, until, times } => {
            let span = u128::from(end(until).saturating_sub(from.0)) * u128::from(*count);
            let n = u64::try_from(span.div_ceil(u128::from(per.0.max(1)))).unwrap_or(u64::MAX);
            let n = times.map_or(n, |times| n.min(times));
            // one process for each target: the targets are counted by the effect where they are `all`
            if *each && !picks_all(verb) { n.saturating_mul(largest(scenario)) } else { n }
        }
    }
}

/// Does one occurrence already count every target?
fn picks_all(verb: &Verb) -> bool {
    match verb {
        Verb::Roll { brokers: p, .. }
        | Verb::Restart { brokers: p, .. }
        | Verb::Shutdown { brokers: p, .. }
        | Verb::Crash { brokers: p, .. }
        | Verb::Start { brokers: p, .. }
        | Verb::Unregister { brokers: p }
        | Verb::AddPartitions { topics: p, .. }
        | Verb::DeleteTopic { topics: p }
        | Verb::RecreateTopic { topics: p, .. }
        | Verb::SetRf { topics: p, .. }
        | Verb::ElectLeaders { topics: p, .. }
        | Verb::Touch { topics: p, .. }
        | Verb::IsrShrink { topics: p, .. }
        | Verb::IsrExpand { topics: p, .. }
        | Verb::Join { groups: p, .. }
        | Verb::Leave { groups: p, .. }
        | Verb::Kill { groups: p, .. }
        | Verb::RestartMember { groups: p, .. }
        | Verb::Subscribe { groups: p, .. } => matches!(p, Pick::All | Pick::These(_)),
        Verb::AddBroker { .. }
        | Verb::CreateTopic { .. }
        | Verb::Reassign { .. }
        | Verb::SnapshotReload
        | Verb::MoveCoordinator { .. } => false,
    }
}

fn largest(scenario: &Scenario) -> u64 {
    scenario.brokers.len().max(scenario.topics.len()).max(scenario.groups.len()) as u64
}

/// How many a pick takes of `all` that have these names (families included).
fn targets(pick: &Pick, all: u64, names: impl Iterator<Item = String>) -> u64 {
    match pick {
        Pick::All | Pick::Rack(_) => all,
        Pick::Any(n) => u64::from(n.hi).min(all),
        Pick::Draw { count, .. } => u64::from(count.hi).min(all),
        Pick::These(words) => {
            let named = words.iter().filter(|w| matches!(w, Word::Name(_))).count() as u64;
            let wide: Vec<&Word> = words.iter().filter(|w| !matches!(w, Word::Name(_))).collect();
            if wide.is_empty() {
                return named;
            }
            let taken = names.filter(|name| {
                wide.iter().any(|word| match word {
                    Word::Name(_) => false,
                    Word::Family(family) => family == name,
                    Word::Glob(glob) => glob_matches(glob, name),
                })
            });
            named.saturating_add(taken.count() as u64)
        }
    }
}

fn topics_of(pick: &Pick, scenario: &Scenario) -> u64 {
    let all = scenario.topics.len() as u64;
    targets(pick, all, scenario.topics.iter().flat_map(|t| names(&t.name, t.family.as_deref())))
}

/// A name and its family's: a glob meets the one, a family word the other.
fn names(name: &str, family: Option<&str>) -> Vec<String> {
    [Some(name), family].into_iter().flatten().map(str::to_owned).collect()
}
