//! Why a group rebalanced: one lane replayed with one group watched, and every rebalance told with what
//! changed and what made it visible. Also: where two strategies first part.

use crate::kafka::{GroupId, NameTable, TopicId};
use crate::metrics::{Bump, BumpVerdict, ImageNo, LaneOutcome, NoMeter, Reading, Readings, ValueLines};
use crate::scenario::{Scenario, StrategyKind, StrategySpec};
use crate::sim::Ms;
use crate::strategy::registry;
use crate::world::{Heartbeats, History, Origin};

use super::assigning::AssignPlan;
use super::classic::ClassicLane;
use super::costs::BatchTimer;
use super::lane::{GoOn, Lane, LaneOptions, Stage};
use super::narrate::Narrator;
use super::run::readings_of;
use super::sight::{Dealt, Sight};

/// A rebalance, told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplainedBump {
    /// As it was booked.
    pub bump: Bump,
    /// What changed: `roll › broker 0 returns, a → eu-1a`.
    pub cause: String,
    /// What made it visible: `ISR expand t-4 (delta 812, leader 9) › m-3`.
    pub seen: String,
    /// Topics read afresh at this recomputation, and those taken from what the cache still had.
    pub fresh: Vec<String>,
    /// The others.
    pub cached: Vec<String>,
}

/// One group in one lane, told.
#[derive(Clone, Debug)]
pub struct Explained {
    /// Its topics at the end.
    pub topics: Vec<String>,
    /// Its lane's outcome, for the group's own row.
    pub lane: LaneOutcome,
    /// Its rebalances, in order.
    pub bumps: Vec<ExplainedBump>,
    /// Why a repeat was not told at once; none without repeats.
    pub why_not_once: Option<String>,
    /// The targets that its assignor computed, in order; `None`: it has no assignor.
    pub dealt: Option<Vec<Dealt>>,
}

impl Explained {
    /// The target that followed a rebalance: the first that is for its epoch or a later one.
    #[must_use]
    pub fn target_after(&self, epoch: u32) -> Option<&Dealt> {
        self.dealt.as_ref()?.iter().find(|dealt| dealt.epoch >= epoch)
    }
}

/// Replays `spec` over the history and tells of `group`. `None`: interrupted.
#[must_use]
pub fn explain_group(
    scenario: &Scenario,
    history: &History,
    spec: &StrategySpec,
    group: GroupId,
    go_on: GoOn<'_>,
) -> Option<Explained> {
    let readings = Readings::new(history, readings_of(spec));
    let (lane, sights, dealt) = watched(scenario, history, &readings, spec, group, go_on)?;
    let teller =
        Teller { history, narrator: Narrator::new(history), lines: Reading::of(spec).map(|r| readings.lines(r)) };
    let own: Vec<&Bump> = lane.bumps.iter().filter(|b| b.group == group).collect();
    let seen: Vec<&Sight> = sights.iter().filter(|s| s.renewal.is_some()).collect();
    let mut bumps = Vec::new();
    for (place, sight) in seen.iter().enumerate() {
        // bumps before the warm-up are seen but not booked
        let Some(bump) = own.iter().find(|b| Some(b.epoch) == sight.renewal.map(|r| r.epoch)) else { continue };
        let before = place.checked_sub(1).map(|p| seen[p]);
        bumps.push(teller.tell(bump, sight, before));
    }
    if spec.kind == StrategyKind::ClassicClient {
        let topics = topics_of(history, group);
        bumps = own.into_iter().map(|bump| teller.tell_of_client(bump, &topics)).collect();
        let topics = topics.into_iter().map(|t| teller.name(t)).collect();
        return Some(Explained { topics, lane, bumps, why_not_once: None, dealt: None });
    }
    let why_not_once = teller.why_not_once(&bumps);
    let topics = sights.last().map_or(Vec::new(), |s| s.read.iter().map(|(t, _)| teller.name(*t)).collect());
    let assigns = scenario.groups.iter().any(|g| g.name == history.names.groups[group.index()] && g.assignor.is_some());
    Some(Explained { topics, lane, bumps, why_not_once, dealt: assigns.then_some(dealt) })
}

/// Where two lanes first part: the instant and group at which one rebalances and the other does not.
#[must_use]
pub fn first_parting(a: &[Bump], b: &[Bump]) -> Option<(Ms, GroupId)> {
    let key = |bump: &Bump| (bump.at, bump.group);
    let (mut x, mut y) = (a.iter().map(key).peekable(), b.iter().map(key).peekable());
    loop {
        match (x.peek().copied(), y.peek().copied()) {
            (Some(p), Some(q)) if p == q => {
                x.next();
                y.next();
            }
            (Some(p), Some(q)) => return Some(p.min(q)),
            (p, q) => return p.or(q),
        }
    }
}

/// All bumps of a lane. `None`: interrupted.
#[must_use]
pub fn all_bumps(scenario: &Scenario, history: &History, spec: &StrategySpec, go_on: GoOn<'_>) -> Option<Vec<Bump>> {
    let readings = Readings::new(history, readings_of(spec));
    let group = GroupId::at(history.groups.len());
    Some(watched(scenario, history, &readings, spec, group, go_on)?.0.bumps)
}

/// Every recomputation of a group in a lane, told in one line each, with what it took from where.
#[must_use]
pub fn sights_of(
    scenario: &Scenario,
    history: &History,
    spec: &StrategySpec,
    group: GroupId,
    go_on: GoOn<'_>,
) -> Option<Vec<Sight>> {
    let readings = Readings::new(history, readings_of(spec));
    Some(watched(scenario, history, &readings, spec, group, go_on)?.1)
}

fn watched(
    scenario: &Scenario,
    history: &History,
    readings: &Readings,
    spec: &StrategySpec,
    group: GroupId,
    go_on: GoOn<'_>,
) -> Option<(LaneOutcome, Vec<Sight>, Vec<Dealt>)> {
    let heartbeats = Heartbeats::new(history);
    let names = NameTable::new(&history.names.topics, &history.names.racks);
    let plan = AssignPlan::of(scenario, history).and_then(|plan| plan.only(group));
    let assigning = plan.as_ref();
    let stage = Stage { history, heartbeats: &heartbeats, readings, names: &names, rolls: &[], assigning };
    let options = LaneOptions {
        counted: false,
        exhaustive: false,
        in_order: false,
        warmup: scenario.warmup,
        bucket: scenario.bucket,
        keep_bumps: usize::MAX,
        message_max_bytes: scenario.cluster.message_max_bytes,
        share_init: scenario.cluster.share_init,
    };
    if spec.kind == StrategyKind::ClassicClient {
        // no coordinator looks at anything
        let lane = ClassicLane::new(stage, spec.switches.client, options).replay(go_on)?;
        return Some((lane, Vec::new(), Vec::new()));
    }
    let mut timer = BatchTimer::new(&NoMeter);
    Lane::new(stage, spec, &registry::make, options, &mut timer).watch(group, go_on)
}

/// The topics that members of a group name or whose pattern matches them, when they join.
fn topics_of(history: &History, group: GroupId) -> Vec<TopicId> {
    let mut topics: Vec<TopicId> = Vec::new();
    for member in history.members.iter().filter(|m| m.group == group) {
        let subscription = &history.subscriptions[member.subscription.index()];
        topics.extend(&subscription.names);
        topics.extend(subscription.pattern.iter().flat_map(|p| &history.patterns[p.index()].matches));
    }
    topics.sort_unstable();
    topics.dedup();
    topics
}

struct Teller<'a> {
    history: &'a History,
    narrator: Narrator<'a>,
    lines: Option<&'a ValueLines>,
}

impl Teller<'_> {
    /// A classic group's: no coordinator looked, a client did.
    fn tell_of_client(&self, bump: &Bump, topics: &[TopicId]) -> ExplainedBump {
        let told = matches!(bump.verdict, BumpVerdict::Needed | BumpVerdict::Late);
        let image = bump.delay.filter(|_| told).map(|delay| self.narrator.image_at(bump.at - delay));
        let what = image.map_or(String::new(), |image| format!(" › {}", self.narrator.change(image, topics)));
        let seen = match bump.verdict {
            BumpVerdict::Membership => "a member's join or leave",
            _ => "a client's metadata refresh",
        };
        ExplainedBump {
            bump: *bump,
            cause: format!("{}{what}", self.origin(bump.cause)),
            seen: seen.to_owned(),
            fresh: Vec::new(),
            cached: Vec::new(),
        }
    }

    fn tell(&self, bump: &Bump, sight: &Sight, before: Option<&Sight>) -> ExplainedBump {
        let topics: Vec<TopicId> = sight.read.iter().map(|(t, _)| *t).collect();
        let told = matches!(bump.verdict, BumpVerdict::Needed | BumpVerdict::Late);
        let image = match bump.delay {
            Some(delay) if told => Some(self.narrator.image_at(bump.at - delay)),
            _ => self.caught(sight, before),
        };
        let what = image.map_or(String::new(), |image| format!(" › {}", self.narrator.change(image, &topics)));
        let cause = if bump.verdict == BumpVerdict::Membership { String::new() } else { what };
        let (fresh, cached): (Vec<_>, Vec<_>) = sight.read.iter().partition(|(_, from)| *from == sight.image);
        let names = |list: Vec<&(TopicId, ImageNo)>| list.into_iter().map(|(t, _)| self.name(*t)).collect();
        ExplainedBump {
            bump: *bump,
            cause: format!("{}{cause}", self.origin(bump.cause)),
            seen: self.seen(sight, &topics),
            fresh: names(fresh),
            cached: names(cached),
        }
    }

    /// The image behind the oldest value that a recomputation caught up with.
    fn caught(&self, sight: &Sight, before: Option<&Sight>) -> Option<ImageNo> {
        let lines = self.lines?;
        let old = |topic: TopicId| {
            let found = before.and_then(|b| b.read.iter().find(|(t, _)| *t == topic));
            found.map_or_else(|| before.map_or(0, |b| b.image), |(_, image)| *image)
        };
        let moved = sight.read.iter().filter(|(t, from)| lines.at(*t, *from) != lines.at(*t, old(*t)));
        moved.map(|(t, from)| lines.span(*t, *from).from).min()
    }

    fn seen(&self, sight: &Sight, topics: &[TopicId]) -> String {
        let member = sight.member.map(|m| format!(" › {}", self.history.names.members.get(m.index())));
        let trigger = sight.renewal.map(|r| r.trigger);
        let what = match (sight.due, sight.renewal) {
            (_, Some(renewal)) if renewal.membership => self.origin(renewal.trigger),
            (Some(due), _) if due.load => format!("load of its shard ({})", self.origin(due.by)),
            (Some(due), _) => self.narrator.visible(due.image, topics),
            (None, _) => trigger.map_or_else(String::new, |t| self.origin(t)),
        };
        what + &member.unwrap_or_default()
    }

    fn origin(&self, origin: Origin) -> String {
        match origin {
            Origin::Entry(entry) => self.history.names.entries[entry as usize].clone(),
            Origin::Group(group) => self.history.names.groups[group.index()].clone(),
            Origin::PatternRefresh => "pattern-refresh".into(),
            Origin::RefreshInterval => "refresh-interval".into(),
            Origin::Start => "start".into(),
        }
    }

    fn name(&self, topic: TopicId) -> String {
        self.history.names.topics[topic.index()].clone()
    }

    fn why_not_once(&self, bumps: &[ExplainedBump]) -> Option<String> {
        let repeat = bumps.iter().position(|b| b.bump.verdict == BumpVerdict::Repeat)?;
        let first = &bumps[..repeat].last()?;
        let fresh = if first.fresh.is_empty() { "nothing".into() } else { first.fresh.join(", ") };
        Some(format!(
            "#{repeat} hashed {fresh} afresh and took the other {} from the shard's cache.",
            first.cached.len()
        ))
    }
}
