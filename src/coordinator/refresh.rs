//! A heartbeat of a group that is due: look (the strategy's part, timed as a whole batch), then settle
//! what was found: bump, records, deadline (model: A.4, step 5).

use crate::kafka::record::RecordSize;
use crate::kafka::{GroupId, GroupKind, MemberId, TopicId};
use crate::sim::Ms;
use crate::strategy::{GroupView, Stored, UnregisteredReplica, Verdict, View, Why, Work};
use crate::world::Origin;

use super::RecordType;
use super::core::Coordinator;
use super::heap::CachePrice;
use super::log::Batch;
use super::patterns::PatternReason;
use super::share_reason::ShareReason;

/// What a strategy found for a group that is due.
#[derive(Debug)]
pub struct Look {
    /// Which.
    pub group: GroupId,
    /// Whose heartbeat it is.
    pub member: MemberId,
    /// When.
    pub at: Ms,
    /// Who made it due.
    pub by: Origin,
    /// Did its metadata, or its deadline? Otherwise it rebalances in any case.
    due: bool,
    found: Result<Verdict, UnregisteredReplica>,
    work: Work,
    /// The shard's cache after it.
    cache: CachePrice,
}

/// A recomputation as the books want it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recomputed {
    /// Was it a due one at an accepted heartbeat?
    pub due: bool,
    /// Did it fail?
    pub failed: bool,
    /// What it cost.
    pub work: Work,
}

/// A group's epoch moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Renewal {
    /// The new epoch.
    pub epoch: u32,
    /// Did a member cause it, or a share group's newly initialised partitions?
    pub membership: bool,
    /// Who made it due, or whose operation it was.
    pub trigger: Origin,
    /// Does the stored value change for another (delta-flag: was the flag set)?
    pub differs: bool,
    /// Had the group no stored value before, or one that another version had stored?
    pub from_absent: bool,
    /// If another version had stored it: who brought the one that stores it now.
    pub brought: Option<Origin>,
    /// Did the list of its topics change since its last rebalance?
    pub topics_changed: bool,
    /// The hash that is stored with the epoch, by a strategy that stores one.
    pub hash: Option<u64>,
    /// Of a share group: were partitions initialised? Then it is membership, whatever else it settles.
    pub initialised: bool,
    /// Of a streams group: was its stored value written again as it was?
    pub unread: bool,
}

impl Coordinator<'_> {
    /// The strategy's part of a due heartbeat.
    pub fn look(&mut self, id: GroupId, member: MemberId, at: Ms) -> Look {
        let due = self.is_metadata_due(id, at);
        let by = match self.share_rebalances(id) {
            Some(reason) if !due => reason.by(),
            Some(_) | None => self.due_by(id),
        };
        let mut work = Work::default();
        let topics = std::mem::take(&mut self.groups[id.index()].topics);
        let found = self.ask(id, &topics, Why::Heartbeat, &mut work);
        self.groups[id.index()].topics = topics;
        Look { group: id, member, at, by, due, found, work, cache: self.cache_now(self.shard_of(id).index()) }
    }

    /// Does what the look found. A failed heartbeat stays due.
    pub fn settle(&mut self, look: &mut Look) -> (Recomputed, Option<Renewal>) {
        let Look { group, at, by, due, work, cache, .. } = *look;
        self.take_cache(self.shard_of(group).index(), cache);
        let recomputed = Recomputed { due, failed: look.found.is_err(), work };
        let Ok(verdict) = &mut look.found else { return (recomputed, None) };
        // what a look in vain builds it builds at every heartbeat: it counts once
        if !self.dues[group.index()].is_some_and(|due| due.seen) {
            self.note_built(group);
        }
        let share = self.share_rebalances(group);
        let brought = self.revalidates(group);
        let mut batch = Batch::new();
        let renewal = if verdict.differs || share.is_some() || brought.is_some() {
            let initialised = matches!(share, Some(ShareReason::Initialised(_)));
            let by = share.filter(|_| initialised || !verdict.differs).map_or(by, ShareReason::by);
            let mut renewal = self.renew(group, std::mem::take(verdict), by, initialised, &mut batch);
            renewal.initialised = initialised;
            renewal.brought = renewal.brought.or(brought);
            Some(renewal)
        } else {
            self.keep(group, verdict, &mut batch);
            None
        };
        self.share_heartbeat_ends(group, at, by, &mut batch);
        self.append(group, &batch);
        if renewal.is_none() && self.kind(group) == GroupKind::Streams {
            self.looked_in_vain(group);
        } else {
            self.looked(group, at);
        }
        (recomputed, renewal)
    }

    /// Asks the strategy, and prices what it has cached.
    pub(super) fn recompute(
        &mut self,
        id: GroupId,
        topics: &[TopicId],
        why: Why,
        work: &mut Work,
    ) -> Result<Verdict, UnregisteredReplica> {
        let found = self.ask(id, topics, why, work);
        self.reprice_cache(self.shard_of(id).index());
        found
    }

    fn ask(
        &mut self,
        id: GroupId,
        topics: &[TopicId],
        why: Why,
        work: &mut Work,
    ) -> Result<Verdict, UnregisteredReplica> {
        let seen = GroupView { group: id, topics };
        let shard = self.shard_of(id).index();
        let shard = &mut self.shards[shard];
        let values = self.setting.deployed[shard.runs.0].values.as_ref();
        let strategy = shard.strategy.as_mut().expect("only an active shard recomputes");
        let view = View { image: &self.image, image_no: self.image_no, names: self.setting.names, values };
        strategy.recompute(&seen, &view, &self.groups[id.index()].stored, why, work)
    }

    /// Moves the epoch, stores the value and writes its records. Topics are the group's by now.
    pub(super) fn renew(
        &mut self,
        id: GroupId,
        verdict: Verdict,
        trigger: Origin,
        membership: bool,
        batch: &mut Batch,
    ) -> Renewal {
        let validated = self.validates(id) && self.is_whole(id, &self.groups[id.index()].topics);
        self.renew_as(id, verdict, trigger, membership, validated, batch)
    }

    /// [`Coordinator::renew`], where it is known what the record says of a streams group's topology.
    pub(super) fn renew_as(
        &mut self,
        id: GroupId,
        verdict: Verdict,
        trigger: Origin,
        membership: bool,
        validated: bool,
        batch: &mut Batch,
    ) -> Renewal {
        let key = self.group_key(id);
        if let Some(value) = verdict.records.metadata {
            batch.push((RecordType::PartitionMetadata, RecordSize { key, value: Some(value) }));
            self.groups[id.index()].map_logged = true;
        }
        let stored = verdict.value.as_ref().unwrap_or(&self.groups[id.index()].stored);
        let value = Some(self.epoch_value(id, stored, validated));
        self.groups[id.index()].validated = validated;
        batch.push((RecordType::GroupMetadata, RecordSize { key, value }));
        self.drop_map(id, &verdict, batch);
        let kind = self.deployed(id).kind;
        let by_release = self.shards[self.shard_of(id).index()].runs.1;
        let group = &mut self.groups[id.index()];
        let before = group.stored_by.replace(kind);
        let from_absent = before != Some(kind);
        let brought = before.filter(|before| *before != kind).map(|_| by_release);
        group.epoch += 1;
        if let Some(value) = verdict.value {
            group.stored = value;
        }
        group.loaded = false;
        let topics_changed = std::mem::take(&mut group.topics_changed);
        let differs = verdict.differs && !verdict.fresh_equal;
        let epoch = group.epoch;
        let hash = if let Stored::Hash(hash) = group.stored { Some(hash) } else { None };
        let replaced = self.groups[id.index()].held;
        self.reprice_group(id);
        self.heap.note_replaced(&replaced);
        let (initialised, unread) = (false, false);
        Renewal { epoch, membership, trigger, differs, from_absent, topics_changed, hash, brought, initialised, unread }
    }

    /// A release that keeps no map tombstones one that it finds at its first recomputation, whether or not that
    /// rebalances (model: K.4, versions).
    fn drop_map(&mut self, id: GroupId, verdict: &Verdict, batch: &mut Batch) -> bool {
        let (key, of) = (self.group_key(id), self.kind(id));
        let group = &mut self.groups[id.index()];
        let value = verdict.value.as_ref().unwrap_or(&group.stored);
        let drops = group.map_logged && !matches!(value, Stored::Map(_));
        if drops {
            // of share and streams groups no release has both, and what it does not know it leaves alone
            if of == GroupKind::Consumer {
                batch.push((RecordType::PartitionMetadata, RecordSize { key, value: None }));
            }
            group.map_logged = false;
        }
        drops
    }

    /// A recomputation that rebalances nobody stores nothing, but for a map that another release left.
    pub(super) fn keep(&mut self, id: GroupId, verdict: &mut Verdict, batch: &mut Batch) {
        if self.drop_map(id, verdict, batch) {
            if let Some(value) = verdict.value.take() {
                self.groups[id.index()].stored = value;
            }
            self.reprice_group(id);
        }
    }

    /// The result of the group's patterns, asked for at this instant (model: A.6).
    pub fn on_patterns(&mut self, id: GroupId, at: Ms, member_brought: Origin) -> (Recomputed, u64, Option<Renewal>) {
        let history = self.setting.history;
        let wanted = self.groups[id.index()].subscribers.patterns(&history.subscriptions);
        let mut patterns = *self.groups[id.index()].patterns.take().expect("only a group with patterns asks");
        let reason = {
            let new_topics = self.shards[self.shard_of(id).index()].new_topics.0;
            patterns.in_flight = false;
            patterns.next(&wanted, new_topics, self.deployed(id).regex_refresh).map(|(_, reason)| reason)
        };
        let resolved = super::patterns::resolve(&wanted, history, &self.image);
        let matches = wanted.len() as u64 * self.image.topics.iter().flatten().count() as u64;
        let brought = wanted.iter().any(|p| !patterns.is_resolved(*p));
        let changed = resolved.iter().any(|(p, topics)| patterns.topics(*p) != topics.as_slice());
        let before = patterns.clone();
        patterns.store(resolved, at, self.image_no);
        self.groups[id.index()].patterns = Some(Box::new(patterns));
        let topics = self.topics_of(&self.groups[id.index()]);
        let mut work = Work::default();
        let found = self.recompute(id, &topics, Why::PatternResolved, &mut work);
        let recomputed = Recomputed { due: false, failed: found.is_err(), work };
        let Ok(mut verdict) = found else {
            let mut before = before;
            before.failed(at);
            self.groups[id.index()].patterns = Some(Box::new(before));
            return (recomputed, matches, None);
        };
        self.note_built(id);
        let mut batch = Batch::new();
        for pattern in &wanted {
            batch.push((RecordType::RegularExpression, self.pattern_record(id, *pattern)));
        }
        let bumps = changed || verdict.differs;
        self.set_topics(id, topics);
        let trigger = match reason {
            _ if brought => member_brought,
            Some(PatternReason::NewTopics) => self.shards[self.shard_of(id).index()].new_topics.1,
            Some(PatternReason::Timer | PatternReason::Unresolved) | None => Origin::PatternRefresh,
        };
        let renewal = if bumps {
            Some(self.renew(id, verdict, trigger, brought, &mut batch))
        } else {
            self.keep(id, &mut verdict, &mut batch);
            None
        };
        self.append(id, &batch);
        if bumps && self.shards[self.shard_of(id).index()].compares {
            self.looked(id, at);
        }
        (recomputed, matches, renewal)
    }
}
