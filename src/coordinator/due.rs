//! When a group must look again: a delta or a load made it due, its deadline has come, or its patterns must be
//! resolved (model: A.4, step 5, and A.6).

use crate::kafka::GroupId;
use crate::sim::Ms;
use crate::world::Origin;

use super::core::Coordinator;
use super::patterns::PatternReason;

/// Why a group must look again: whose doing, and since which image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// The first that made it due since its last look.
    pub by: Origin,
    /// The image that was the newest then.
    pub image: u32,
    /// Was it a load? Otherwise that image's delta.
    pub load: bool,
    /// Has it been looked at since, to no effect, and is due all the same (a streams group, until it rebalances)?
    pub seen: bool,
}

impl Coordinator<'_> {
    /// From `now` on, the earliest instant at which a heartbeat of the group has something to do.
    #[must_use]
    pub fn wakes(&self, id: GroupId, now: Ms) -> Option<Ms> {
        let group = &self.groups[id.index()];
        let shard = &self.shards[self.shard_of(id).index()];
        if shard.strategy.is_none() || !group.exists {
            return None;
        }
        if self.dues[id.index()].is_some() {
            return Some(now);
        }
        let share = self.share_wakes(id);
        let deadline = shard.compares.then_some(group.deadline);
        let pattern = self.pattern_due(id).map(|(at, _)| at);
        let first = match (deadline, pattern) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        first.into_iter().chain(share).min().map(|at| at.max(now))
    }

    /// From `now` on, the earliest instant at which a heartbeat of the group asks for its patterns.
    #[must_use]
    pub fn pattern_wakes(&self, id: GroupId, now: Ms) -> Option<Ms> {
        self.pattern_due(id).map(|(at, _)| at.max(now))
    }

    /// When, and why, a heartbeat asks for a refresh of the group's patterns.
    pub(super) fn pattern_due(&self, id: GroupId) -> Option<(Ms, PatternReason)> {
        let group = &self.groups[id.index()];
        let patterns = group.patterns.as_ref()?;
        let wanted = group.subscribers.patterns(&self.setting.history.subscriptions);
        let new_topics = self.shards[self.shard_of(id).index()].new_topics.0;
        patterns.next(&wanted, new_topics, self.deployed(id).regex_refresh)
    }

    /// Does a heartbeat of the group find nothing at all to do, neither to look nor to ask for anything?
    #[must_use]
    pub fn is_quiet(&self, id: GroupId, at: Ms) -> bool {
        let group = &self.groups[id.index()];
        let asks = group.patterns.is_some() && self.pattern_due(id).is_some_and(|(from, _)| from <= at);
        group.share.is_none() && !asks && !self.is_due(id, at)
    }

    /// Does this heartbeat have to look again, or is it to rebalance in any case?
    #[must_use]
    pub fn is_due(&self, id: GroupId, at: Ms) -> bool {
        self.is_metadata_due(id, at) || self.share_rebalances(id).is_some()
    }

    /// Does this heartbeat have to look again?
    pub(super) fn is_metadata_due(&self, id: GroupId, at: Ms) -> bool {
        let group = &self.groups[id.index()];
        let compares = self.shards[self.shard_of(id).index()].compares;
        group.exists && (self.dues[id.index()].is_some() || (compares && at >= group.deadline))
    }

    /// Must this heartbeat ask for the group's patterns? Then the result comes in step 7 of this instant.
    pub fn asks_patterns(&mut self, id: GroupId, at: Ms) -> bool {
        let asks = self.pattern_due(id).is_some_and(|(from, _)| from <= at);
        if asks && let Some(patterns) = &mut self.groups[id.index()].patterns {
            patterns.in_flight = true;
        }
        asks
    }

    /// An operation is over: see [`super::patterns::Patterns::operation_over`].
    pub fn operation_over(&mut self, id: GroupId) {
        if let Some(patterns) = &mut self.groups[id.index()].patterns {
            patterns.operation_over();
        }
    }

    /// Who made the group due; its deadline, if nobody else did.
    #[must_use]
    pub fn due_by(&self, id: GroupId) -> Origin {
        self.dues[id.index()].map_or(Origin::RefreshInterval, |due| due.by)
    }

    /// A streams group has looked and found nothing: it is as due as before.
    pub(super) fn looked_in_vain(&mut self, id: GroupId) {
        let due = Due { by: Origin::RefreshInterval, image: self.image_no, load: false, seen: true };
        self.dues[id.index()].get_or_insert(due).seen = true;
    }

    /// Kafka makes a streams group's deadline for an object that it drops: the one that the records make has none, and
    /// looks at every heartbeat, in vain, until the group rebalances again.
    pub(super) fn forget_deadline(&mut self, id: GroupId) {
        let compares = self.shards[self.shard_of(id).index()].strategy.as_ref().is_some_and(|s| s.compares());
        if compares {
            self.looked_in_vain(id);
        }
    }

    /// The group has looked: not due again before the refresh interval is over.
    pub(super) fn looked(&mut self, id: GroupId, at: Ms) {
        let interval = self.deployed(id).refresh_interval;
        self.dues[id.index()] = None;
        self.groups[id.index()].deadline = at.after(interval);
    }
}
