//! Share groups (KIP-932; model: A.7). A partition is handed out once its share state is initialised: the heartbeat that
//! first meets it sends a request for that, and the heartbeat after the answer rebalances the group, whatever the trigger
//! says. The target of a rebalance is made at its own heartbeat, or from 4.3 on a second after the last one.

use std::collections::BTreeMap;

use crate::kafka::record::{self, RecordSize};
use crate::kafka::{GroupId, MetadataImage, SubscriptionId, TopicId, Uuid};
use crate::sim::Ms;
use crate::strategy::ChangedTopic;
use crate::world::Origin;

use super::core::Coordinator;
use super::log::Batch;
use super::share_reason::Dealt;
use super::{Group, RecordType};

/// One incarnation of a topic.
pub(super) type Incarnation = (TopicId, Uuid);

/// A share group's partitions. Partitions only ever come to a topic, so a number says which.
#[derive(Clone, Debug, Default)]
pub(super) struct ShareState {
    /// How many have a state.
    pub(super) initialised: BTreeMap<Incarnation, u32>,
    /// How many will have one when all requests are answered, and since when.
    initialising: BTreeMap<Incarnation, (u32, Ms)>,
    /// The last target.
    pub(super) dealt: Dealt,
    requests: Vec<Request>,
    /// Who is behind the partitions that were initialised last.
    pub(super) initialised_by: Option<Origin>,
    /// Who has left since the last target, and through whom.
    pub(super) left: Vec<(SubscriptionId, Origin)>,
    /// The next heartbeat has something to ask for or to hand out; who is behind that.
    pub(super) asks: Option<Origin>,
}

/// A request on its way.
#[derive(Clone, Debug)]
struct Request {
    /// When it is answered.
    at: Ms,
    by: Origin,
    partitions: Vec<(Incarnation, u32)>,
}

impl ShareState {
    /// All partitions there are have a state and are handed out.
    pub(super) fn standing(group: &Group, image: &MetadataImage) -> ShareState {
        let all: BTreeMap<Incarnation, u32> = there(&group.topics, image).collect();
        let dealt = Dealt {
            assigned: all.clone(),
            among: group.subscribers.clone(),
            epoch: group.epoch,
            at: None,
            by: Some(Origin::Start),
        };
        ShareState { initialised: all, dealt, ..ShareState::default() }
    }

    /// The shard is gone, and whoever waited for an answer with it.
    pub(super) fn lose_requests(&mut self) {
        self.requests.clear();
    }

    /// Read from the log: what was asked for counts as asked for now.
    pub(super) fn loaded(&mut self, by: Origin, at: Ms) {
        self.asks = Some(by);
        self.initialising.values_mut().for_each(|(_, since)| *since = at);
    }

    /// What the group may hand out now.
    fn ready(&self, topics: &[TopicId], image: &MetadataImage) -> BTreeMap<Incarnation, u32> {
        there(topics, image).filter_map(|(key, _)| Some((key, *self.initialised.get(&key)?))).collect()
    }

    /// What nobody has asked for, or so long ago that it is asked for again; a number of partitions each.
    fn missing(&self, topics: &[TopicId], image: &MetadataImage, now: Ms, retry: Ms) -> Vec<(Incarnation, u32)> {
        let known = |key: &Incarnation| {
            let asked = self.initialising.get(key).filter(|(_, since)| now.since(*since) < retry).map(|(n, _)| *n);
            self.initialised.get(key).copied().max(asked).unwrap_or(0)
        };
        there(topics, image).filter(|(key, count)| known(key) < *count).collect()
    }
}

/// Incarnations of these topics that are there, with their partitions.
pub(super) fn there<'a>(
    topics: &'a [TopicId],
    image: &'a MetadataImage,
) -> impl Iterator<Item = (Incarnation, u32)> + 'a {
    topics.iter().filter_map(|topic| {
        let found = image.topic(*topic)?;
        let partitions = u32::try_from(found.partitions.len()).expect("fewer than 2^32 partitions in a topic");
        Some(((*topic, found.id), partitions))
    })
}

impl Coordinator<'_> {
    /// The earliest instant at which a heartbeat of a share group has something to do of its own.
    pub(super) fn share_wakes(&self, id: GroupId) -> Option<Ms> {
        let share = self.groups[id.index()].share.as_ref()?;
        if share.asks.is_some() || self.share_rebalances(id).is_some() {
            return Some(Ms::ZERO);
        }
        let keys = there(&self.groups[id.index()].topics, &self.image);
        let rules = self.deployed(id).share;
        let again = keys.filter_map(|(key, _)| Some(share.initialising.get(&key)?.1.after(rules.retry)));
        let deals = (self.groups[id.index()].epoch > share.dealt.epoch).then(|| share.dealt.next(rules));
        again.chain(deals).min()
    }

    /// Topics have come, grown or gone: groups that read them have something to ask for, and what is gone is forgotten.
    pub(super) fn share_delta(&mut self, changed: &[ChangedTopic], entries: &[u32], due: &mut Vec<GroupId>) {
        let mut gone = false;
        for (topic, entry) in changed.iter().zip(entries).filter(|(topic, _)| !topic.cluster_only) {
            gone |= topic.deleted || topic.new_partitions;
            if !topic.new_partitions {
                continue;
            }
            for shard in self.shards.iter().filter(|shard| shard.strategy.is_some()) {
                for id in shard.index.watchers(topic.topic) {
                    if let Some(share) = &mut self.groups[id.index()].share {
                        share.asks.get_or_insert(Origin::Entry(*entry));
                        due.push(*id);
                    }
                }
            }
        }
        if !gone {
            return;
        }
        for id in self.share_groups.clone() {
            if self.shards[self.shard_of(id).index()].strategy.is_some() {
                self.forget_gone(id);
            }
        }
    }

    /// Partitions of topics that are no longer there have no state.
    fn forget_gone(&mut self, id: GroupId) {
        let image = &self.image;
        let Some(share) = &mut self.groups[id.index()].share else { return };
        let lives = |key: &Incarnation| image.topic(key.0).is_some_and(|topic| topic.id == key.1);
        let before = share.initialised.len() + share.initialising.len();
        share.initialised.retain(|key, _| lives(key));
        share.initialising.retain(|key, _| lives(key));
        share.dealt.assigned.retain(|key, _| lives(key));
        for request in &mut share.requests {
            request.partitions.retain(|(key, _)| lives(key));
        }
        if before != share.initialised.len() + share.initialising.len() {
            let mut batch = Batch::new();
            batch.extend(self.share_record(id));
            self.append(id, &batch);
        }
    }

    /// The end of an accepted heartbeat of a share group: the target of a rebalance is made, and a state is asked for
    /// where there is none.
    pub(super) fn share_heartbeat_ends(&mut self, id: GroupId, at: Ms, by: Origin, batch: &mut Batch) {
        let rules = self.deployed(id).share;
        let group = &mut self.groups[id.index()];
        let Some(mut share) = group.share.take() else { return };
        if group.epoch > share.dealt.epoch && at >= share.dealt.next(rules) {
            share.dealt = Dealt {
                assigned: share.ready(&group.topics, &self.image),
                among: group.subscribers.clone(),
                epoch: group.epoch,
                at: Some(at),
                by: Some(by),
            };
            share.left.clear();
        }
        let by = share.asks.take().unwrap_or(by);
        let missing = share.missing(&group.topics, &self.image, at, rules.retry);
        let asks = !missing.is_empty();
        if asks {
            share.initialising.extend(missing.iter().map(|(key, count)| (*key, (*count, at))));
            let answered = at.after(self.setting.share_init);
            share.requests.push(Request { at: answered, by, partitions: missing });
        }
        group.share = Some(share);
        if asks {
            batch.extend(self.share_record(id));
            self.share_sent.push(id);
        }
    }

    /// A heartbeat that finds nothing to recompute.
    pub fn share_heartbeat(&mut self, id: GroupId, at: Ms) {
        if self.groups[id.index()].share.is_some() {
            let mut batch = Batch::new();
            self.share_heartbeat_ends(id, at, Origin::Group(id), &mut batch);
            self.append(id, &batch);
        }
    }

    /// Partitions that were asked for have their state.
    pub fn on_share_initialised(&mut self, id: GroupId, at: Ms) {
        let Some(share) = &mut self.groups[id.index()].share else { return };
        let (answered, on_their_way) = std::mem::take(&mut share.requests).into_iter().partition(|r| r.at == at);
        share.requests = on_their_way;
        let answered: Vec<Request> = answered;
        for request in answered.iter().filter(|request| !request.partitions.is_empty()) {
            for (key, count) in &request.partitions {
                let now = share.initialised.entry(*key).or_insert(0);
                *now = (*now).max(*count);
                if share.initialising.get(key).is_some_and(|(until, _)| *until <= *count) {
                    share.initialising.remove(key);
                }
            }
            share.initialised_by = Some(request.by);
        }
        if answered.iter().any(|request| !request.partitions.is_empty()) {
            let mut batch = Batch::new();
            batch.extend(self.share_record(id));
            self.append(id, &batch);
        }
    }

    /// What the log says of the group's partitions, if it says anything.
    pub(super) fn share_record(&self, id: GroupId) -> Option<(RecordType, RecordSize)> {
        let share = self.groups[id.index()].share.as_ref()?;
        let name = |topic: TopicId| self.setting.history.names.topics[topic.index()].len() as u64;
        let done = |key: &Incarnation| share.initialised.get(key).copied().unwrap_or(0);
        let count = |key: &Incarnation, until: u32| u64::from(until.saturating_sub(done(key)));
        let initialising: Vec<(u64, u64)> =
            share.initialising.iter().map(|(key, (until, _))| (name(key.0), count(key, *until))).collect();
        let initialised: Vec<(u64, u64)> =
            share.initialised.iter().map(|(key, count)| (name(key.0), u64::from(*count))).collect();
        let value = Some(record::share_state(&initialising, &initialised));
        Some((RecordType::ShareStatePartitionMetadata, RecordSize { key: self.group_key(id), value }))
    }
}
