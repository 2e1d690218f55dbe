//! How much of everything a scenario has, as far as it can be told without drawing: where something is
//! drawn, its largest.

use regex::Regex;

use crate::scenario::{Group, Members, Place, Scenario, Span, TopicPick};

use super::effects::{Effect, effect, occurrences};

/// The numbers that an estimate is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sizes {
    pub(super) topics: u64,
    pub(super) groups: u64,
    /// Partitions of all topics.
    partitions: u64,
    /// Replicas of all partitions.
    pub(super) replicas: u64,
    /// Members of all groups.
    members: u64,
    /// Subscribed topics of all groups.
    watches: u64,
    /// Deltas, operations and other events.
    pub(super) events: u64,
    /// Partitions with a new registration, over all deltas.
    pub(super) changes: u64,
    /// Changed topics, over all deltas.
    pub(super) topic_changes: u64,
    /// Groups that look again, over all deltas.
    pub(super) refreshes: u64,
    /// Joins, leaves and the like.
    pub(super) operations: u64,
    /// Heartbeats of standing members.
    pub(super) heartbeats: u64,
    /// Of groups with an assignor: how many there are, their members and their topics.
    pub(super) assigning: (u64, u64, u64),
    /// The entry that does most: how much, how often it happens, its name.
    pub(super) heaviest: Option<(u64, u64, String)>,
}

impl Sizes {
    pub(super) fn of(scenario: &Scenario) -> Sizes {
        let mut s =
            Sizes { topics: scenario.topics.len() as u64, groups: scenario.groups.len() as u64, ..Sizes::default() };
        for topic in &scenario.topics {
            let (partitions, replicas) = placed(&topic.place);
            s.partitions = s.partitions.saturating_add(partitions);
            s.replicas = s.replicas.saturating_add(replicas);
        }
        for group in &scenario.groups {
            let members = members(group);
            s.members = s.members.saturating_add(members);
            let watched = watches(group, scenario);
            s.watches = s.watches.saturating_add(watched);
            if group.assignor.is_some() {
                let (groups, of, topics) = s.assigning;
                s.assigning = (groups + 1, of.saturating_add(members), topics.saturating_add(watched));
            }
            let beats = scenario.duration.0 / group.heartbeat.lo.0.max(1);
            s.heartbeats = s.heartbeats.saturating_add(members.saturating_mul(beats));
        }
        for entry in &scenario.history {
            let times = occurrences(&entry.when, scenario, &entry.verb);
            let effect = effect(&s, scenario, &entry.verb);
            s.add(&effect, times);
            let weight =
                effect.changes.saturating_add(effect.operations).saturating_add(effect.deltas).saturating_mul(times);
            if s.heaviest.as_ref().is_none_or(|(most, ..)| weight > *most) {
                s.heaviest = Some((weight, times, entry.name.clone()));
            }
        }
        s
    }

    /// Partitions of a topic, on average, rounded up.
    pub(super) fn partitions_each(&self) -> u64 {
        self.partitions.div_ceil(self.topics.max(1))
    }

    /// Topics of a group, on average, rounded up.
    pub(super) fn topics_each(&self) -> u64 {
        self.watches.div_ceil(self.groups.max(1))
    }

    /// Members of a group, on average, rounded up.
    pub(super) fn members_each(&self) -> u64 {
        self.members.div_ceil(self.groups.max(1))
    }

    /// Partitions, and members, that an assignor deals and deals to in a group, on average, rounded up.
    pub(super) fn dealt_each(&self) -> (u64, u64) {
        let (groups, members, topics) = self.assigning;
        let each = |n: u64| n.div_ceil(groups.max(1));
        (each(topics.saturating_mul(self.partitions_each())), each(members))
    }

    /// Refreshes, of groups with an assignor: their share of all.
    pub(super) fn targets(&self) -> u64 {
        let share = u128::from(self.refreshes) * u128::from(self.assigning.0) / u128::from(self.groups.max(1));
        u64::try_from(share).unwrap_or(u64::MAX)
    }

    fn add(&mut self, effect: &Effect, times: u64) {
        let more = |to: &mut u64, n: u64| *to = to.saturating_add(n.saturating_mul(times));
        more(&mut self.events, effect.deltas.saturating_add(effect.operations));
        more(&mut self.operations, effect.operations);
        more(&mut self.changes, effect.changes);
        more(&mut self.topic_changes, effect.topics);
        // groups that watch one of a delta's topics, each at most once
        let watchers = self.watches.div_ceil(self.topics.max(1));
        let each = effect.topics.div_ceil(effect.deltas.max(1));
        let marked = each.saturating_mul(watchers).min(self.groups).saturating_mul(effect.deltas);
        more(&mut self.refreshes, marked.saturating_add(effect.operations));
    }
}

/// Partitions and replicas.
pub(super) fn placed(place: &Place) -> (u64, u64) {
    match place {
        Place::Drawn { partitions, rf } => {
            let n = middle(*partitions);
            (n, n.saturating_mul(u64::from(*rf)))
        }
        Place::Exact(lists) => (lists.len() as u64, lists.iter().map(|list| list.len() as u64).sum()),
    }
}

fn members(group: &Group) -> u64 {
    match &group.members {
        Members::Count(n) => middle(*n),
        Members::Named(named) => named.len() as u64,
    }
}

fn watches(group: &Group, scenario: &Scenario) -> u64 {
    let all = scenario.topics.len() as u64;
    let picked = |pick: &TopicPick| match pick {
        TopicPick::These(names) => names.len() as u64,
        TopicPick::Draw { count, .. } => middle(*count),
    };
    let matched = |pattern: &Option<String>| {
        let regex = pattern.as_ref().and_then(|p| Regex::new(&format!("^(?:{p})$")).ok());
        regex.map_or(0, |r| scenario.topics.iter().filter(|t| r.is_match(&t.name)).count() as u64)
    };
    let mut sum = picked(&group.topics).saturating_add(matched(&group.pattern));
    if let Members::Named(named) = &group.members {
        for member in named {
            sum = sum.saturating_add(member.topics.as_ref().map_or(0, picked));
            sum = sum.saturating_add(matched(&member.pattern));
        }
    }
    sum.min(all.max(picked(&group.topics)))
}

/// The middle of what may be drawn, rounded up.
fn middle(span: Span<u32>) -> u64 {
    (u64::from(span.lo) + u64::from(span.hi)).div_ceil(2)
}
