//! What rebalances cost the groups that have an assignor (model: A.4, steps 6 and 7): targets computed at heartbeats,
//! members that go over to them at their own. Inside a lane, and nothing of the lane or the history depends on it; so
//! a group is left alone until it has something to do, and then its heartbeats are walked up to where the lane is.

use std::collections::{BTreeMap, BTreeSet};

use crate::coordinator::assignor::Assignor;
use crate::coordinator::{Coordinator, MEMBER_ID, OwnedPartition, Progress, Reconciliation, Target};
use crate::kafka::record;
use crate::kafka::{GroupId, MemberId};
use crate::metrics::{AssignBooks, AssignedLane, Dealing};
use crate::scenario::{Scenario, StrategySpec};
use crate::sim::Ms;
use crate::world::{Beat, History, Origin};

use super::lane::{LaneOptions, Stage};
use super::ownership::Ownership;
use super::sight::Dealt;
use super::timer::{NoTimer, Timer};
use super::wakes::{Place, WakeStep};

/// Which groups have an assignor.
#[derive(Clone, Debug)]
pub struct AssignPlan {
    groups: Vec<(GroupId, Assignor)>,
    /// `assignment_interval`, if the scenario gives it.
    interval: Option<Ms>,
    /// `initial_delay`.
    initial_delay: Ms,
}

impl AssignPlan {
    /// The plan of a scenario; `None`: no group has an assignor.
    #[must_use]
    pub fn of(scenario: &Scenario, history: &History) -> Option<AssignPlan> {
        let with: BTreeMap<&str, Assignor> = scenario
            .groups
            .iter()
            .filter_map(|g| Some((g.name.as_str(), Assignor::of_group(g.assignor.as_deref()?)?)))
            .collect();
        let names = history.names.groups.iter().enumerate();
        let groups: Vec<_> = names.filter_map(|(i, n)| Some((GroupId::at(i), *with.get(n.as_str())?))).collect();
        let (interval, initial_delay) = (scenario.cluster.assignment_interval, scenario.cluster.initial_delay);
        (!groups.is_empty()).then_some(AssignPlan { groups, interval, initial_delay })
    }

    /// The same for one group alone; `None`: it has no assignor.
    pub(super) fn only(mut self, group: GroupId) -> Option<AssignPlan> {
        self.groups.retain(|(id, _)| *id == group);
        (!self.groups.is_empty()).then_some(self)
    }
}

/// Bumps that no target has followed yet.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Waiting {
    /// Those that are counted.
    pub(super) counted: u64,
    /// Was one of them for something?
    pub(super) earnest: bool,
    /// The cause and trigger that their target is put down to.
    pub(super) by: Option<(Origin, Origin)>,
}

/// One group.
#[derive(Debug)]
pub(super) struct OfGroup {
    pub(super) assignor: Assignor,
    pub(super) epoch: u32,
    pub(super) reconciliation: Reconciliation,
    pub(super) waiting: Waiting,
    pub(super) computed: Option<Ms>,
    /// The first target of members that came into an empty group waits until then.
    pub(super) holds_until: Ms,
    /// Heartbeats before this one have been walked: from this instant on, at it only members behind that one.
    pub(super) cursor: (Ms, Option<MemberId>),
    /// Its plain heartbeats fail.
    pub(super) failing: bool,
    pub(super) ownership: Ownership,
    /// In debug builds: heartbeats of each member since the target or a member changed.
    pub(super) beats: BTreeMap<MemberId, u32>,
}

/// A debug build holds groups with no more members than this to their convergence.
const MOST_CHECKED: usize = 200;

impl OfGroup {
    /// A quiet group converges (KIP-848): once everybody has had two heartbeats with this target, whatever was to be given
    /// back is free, so that whoever heartbeats then has all of it.
    fn check_converges(&mut self, member: MemberId) {
        if !cfg!(debug_assertions) || self.reconciliation.members().len() > MOST_CHECKED {
            return;
        }
        *self.beats.entry(member).or_default() += 1;
        let members = self.reconciliation.members();
        if members.keys().all(|m| self.beats.get(m).is_some_and(|beats| *beats >= 2)) {
            let own = &members[&member];
            assert!(
                own.progress == Progress::Stable && own.epoch == self.reconciliation.epoch(),
                "{member:?} has not come to the target of epoch {}: {own:?}",
                self.reconciliation.epoch()
            );
        }
    }

    fn is_settled(&self) -> bool {
        self.reconciliation.is_settled(self.epoch)
    }
}

/// All groups of a lane that have an assignor.
pub(super) struct Assigning<'a> {
    pub(super) stage: Stage<'a>,
    pub(super) initial_delay: Ms,
    pub(super) groups: BTreeMap<GroupId, OfGroup>,
    pub(super) unsettled: BTreeSet<GroupId>,
    /// By release that a shard runs: the assignment interval, and whether the target's record has a time.
    releases: Vec<(Ms, bool)>,
    pub(super) books: AssignBooks,
    /// One group that somebody watches, and its targets.
    pub(super) watched: Option<GroupId>,
    pub(super) dealt: Vec<Dealt>,
}

impl<'a> Assigning<'a> {
    /// Every group stands, its members with what the assignor gives them (model: K.4).
    pub(super) fn new(
        stage: Stage<'a>,
        plan: &AssignPlan,
        releases: &[StrategySpec],
        options: LaneOptions,
        coordinator: &Coordinator<'_>,
    ) -> Assigning<'a> {
        let release = |spec: &StrategySpec| {
            // KIP-1263
            let batches = spec.label.as_deref() == Some("kafka-4.3");
            let usual = if batches { Ms::secs(1) } else { Ms::ZERO };
            (plan.interval.unwrap_or(usual), batches)
        };
        let mut all = Assigning {
            stage,
            initial_delay: plan.initial_delay,
            groups: BTreeMap::new(),
            unsettled: BTreeSet::new(),
            releases: releases.iter().map(release).collect(),
            books: AssignBooks::new(stage.history.duration, options.warmup, options.bucket),
            watched: None,
            dealt: Vec::new(),
        };
        for &(id, assignor) in &plan.groups {
            let group = OfGroup {
                assignor,
                epoch: coordinator.group(id).epoch,
                reconciliation: Reconciliation::default(),
                waiting: Waiting::default(),
                computed: None,
                holds_until: Ms::ZERO,
                cursor: (Ms::ZERO, None),
                failing: false,
                ownership: Ownership::default(),
                beats: BTreeMap::new(),
            };
            all.groups.insert(id, group);
            let members = all.members(id, coordinator);
            // how the group stands is no rebalance's cost
            let target = all.deal(id, coordinator, &mut NoTimer);
            let group = all.groups.get_mut(&id).expect("it was just put in");
            group.reconciliation = Reconciliation::standing(group.epoch, target, members.into_iter());
            all.recount(id, coordinator);
        }
        all
    }

    /// Computes the group's target at a heartbeat, and counts what it came to.
    fn compute(&mut self, id: GroupId, at: Ms, coordinator: &Coordinator<'_>, timer: &mut dyn Timer) {
        let target = self.deal(id, coordinator, timer);
        let timed = self.releases[coordinator.runs(id)].1;
        let group = self.groups.get_mut(&id).expect("only groups with an assignor get here");
        let before = group.reconciliation.target();
        let own = |target: &Target, member: &MemberId| target.get(member).cloned().unwrap_or_default();
        let mut had: BTreeMap<OwnedPartition, MemberId> = BTreeMap::new();
        let (mut disturbed, mut bytes, mut moves) = (Vec::new(), 0, 0);
        let everybody: BTreeSet<MemberId> = before.keys().chain(target.keys()).copied().collect();
        let changed: Vec<MemberId> = everybody.into_iter().filter(|m| own(before, m) != own(&target, m)).collect();
        if !changed.is_empty() {
            had.extend(before.iter().flat_map(|(member, list)| list.iter().map(|p| (*p, *member))));
        }
        let name = self.stage.history.names.groups[id.index()].len() as u64;
        for member in &changed {
            let new = own(&target, member);
            moves += new.iter().filter(|p| had.get(p).is_some_and(|other| other != member)).count() as u64;
            // who has left has its tombstones already
            if coordinator.has_member(*member) {
                disturbed.push(*member);
                bytes += record::named_key(name, MEMBER_ID) + record::target_assignment_member(&by_topic(&new));
            }
        }
        bytes += record::group_key(name) + record::target_assignment_metadata(timed);
        let Waiting { counted, earnest, by } = std::mem::take(&mut group.waiting);
        let same = changed.is_empty();
        if same {
            self.books.totals.unchanged += counted;
        }
        if self.books.counts_at(at) {
            self.books.totals.assign_log_bytes += bytes;
        }
        let dealing = Dealing { moves, disturbed: disturbed.len() as u64, same, needless: !earnest };
        self.books.dealt(at, by.unwrap_or((Origin::Start, Origin::Start)), dealing);
        if self.watched == Some(id) {
            self.dealt.push(Dealt { at, epoch: group.epoch, moves, disturbed, same });
        }
        group.computed = Some(at);
        group.beats.clear();
        group.reconciliation.set_target(group.epoch, target);
    }

    /// A plain or other heartbeat of a member that did not fail: the target, if it is behind, then the member's own.
    pub(super) fn beat(
        &mut self,
        id: GroupId,
        member: MemberId,
        at: Ms,
        coordinator: &Coordinator<'_>,
        timer: &mut dyn Timer,
    ) {
        let Some(group) = self.groups.get_mut(&id) else { return };
        group.failing = false;
        group.cursor = (at, Some(member));
        if !group.reconciliation.members().contains_key(&member) {
            return;
        }
        let interval = self.releases[coordinator.runs(id)].0;
        let waited = group.computed.is_none_or(|computed| at >= computed.after(interval)) && at >= group.holds_until;
        if group.epoch > group.reconciliation.epoch() && waited {
            self.compute(id, at, coordinator, timer);
        }
        let group = self.groups.get_mut(&id).expect("it was there");
        if group.reconciliation.heartbeat(member) {
            group.ownership.pass(at, &mut self.books);
            let own = &group.reconciliation.members()[&member];
            let rack = self.stage.history.members[member.index()].rack;
            group.ownership.set(member, Some(own), rack, &coordinator.image);
            let (assigned, revoking) = (by_topic(&own.assigned), by_topic(&own.revoking));
            self.appends(id, at, record::current_member_assignment(&assigned, &revoking));
        }
        self.groups.get_mut(&id).expect("it was there").check_converges(member);
        self.note(id);
    }

    /// A record of a member.
    pub(super) fn appends(&mut self, id: GroupId, at: Ms, value: u64) {
        let name = self.stage.history.names.groups[id.index()].len() as u64;
        if self.books.counts_at(at) {
            self.books.totals.assign_log_bytes += record::named_key(name, MEMBER_ID) + value;
        }
    }

    /// Is there anything left to do in the group?
    pub(super) fn note(&mut self, id: GroupId) {
        if self.groups[&id].is_settled() {
            self.unsettled.remove(&id);
        } else {
            self.unsettled.insert(id);
        }
    }

    /// What there is to own is counted anew.
    pub(super) fn want(&mut self, id: GroupId, coordinator: &Coordinator<'_>) {
        let topics = coordinator.group(id).topics.iter().filter_map(|topic| coordinator.image.topic(*topic));
        let partitions = topics.map(|topic| topic.partitions.len() as u64).sum();
        self.groups.get_mut(&id).expect("only groups with an assignor get here").ownership.wants(partitions);
    }

    /// What there is to own, and what members have of it, is counted anew.
    pub(super) fn recount(&mut self, id: GroupId, coordinator: &Coordinator<'_>) {
        self.want(id, coordinator);
        let group = self.groups.get_mut(&id).expect("only groups with an assignor get here");
        let image = &coordinator.image;
        for (member, own) in group.reconciliation.members() {
            let rack = self.stage.history.members[member.index()].rack;
            group.ownership.set(*member, Some(own), rack, image);
        }
    }

    /// Walks a group's heartbeats before `place`. `carries` tells whose carry an operation that failed.
    pub(super) fn walk(
        &mut self,
        id: GroupId,
        place: Place,
        coordinator: &Coordinator<'_>,
        carries: &dyn Fn(MemberId) -> bool,
        timer: &mut dyn Timer,
    ) {
        while let Some(group) = self.groups.get(&id).filter(|group| !group.failing && !group.is_settled()) {
            let (from, after) = group.cursor;
            let Some(Beat { at, member }) = self.stage.heartbeats.next_plain(id, from, after) else { return };
            if (at, WakeStep::Heartbeat as u8, id, member) >= place {
                return;
            }
            if carries(member) {
                self.groups.get_mut(&id).expect("it was there").cursor = (at, Some(member));
            } else {
                self.beat(id, member, at, coordinator, timer);
            }
        }
    }

    /// The end: what was open is counted up to here.
    pub(super) fn finish(mut self) -> AssignedLane {
        for group in self.groups.values_mut() {
            group.ownership.pass(self.stage.history.duration, &mut self.books);
            self.books.totals.unassigned_end += group.ownership.unassigned();
        }
        self.books.close()
    }
}

/// How many partitions of each topic, in order of topics.
pub(super) fn by_topic(list: &[OwnedPartition]) -> Vec<u64> {
    list.chunk_by(|a, b| (a.topic, a.id) == (b.topic, b.id)).map(|of| of.len() as u64).collect()
}
