//! What a lane's coordinators hold in a Java heap by model (model: E, K.6), as running totals: groups'
//! stored values, shards' caches of topic hashes, and `groupsByTopics`. All brokers of the cluster together.

use crate::kafka::{GroupId, TopicId, heap, java};
use crate::strategy::{Footprint, GroupView, Strategy};

use super::core::Coordinator;
use super::{Group, Holders};

/// Bytes held now, and at the moments that stand out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heap {
    /// Now.
    pub now: Holders,
    /// At time 0.
    pub start: Holders,
    /// When most was held between two operations.
    pub peak: Holders,
    /// When most was held at all: within an operation a value that is being built, or the one that it replaces until
    /// the write is committed, stands beside the stored one.
    pub transient: Holders,
}

/// A shard's cache as it is priced: the topics in it while the shard is active, and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CachePrice {
    topics: Option<usize>,
    bytes: u64,
}

impl Heap {
    /// A stored value is gone.
    pub(super) const fn drop_value(&mut self, value: &Footprint) {
        self.now.take(value);
    }

    /// A stored value was replaced: the old one stays until the write is committed.
    pub(super) fn note_replaced(&mut self, old: &Footprint) {
        self.note_beside(old);
    }

    fn note_beside(&mut self, value: &Footprint) {
        if self.now.total() + value.total(true) > self.transient.total() {
            self.transient = self.now;
            self.transient.add(value);
        }
    }
}

impl Coordinator<'_> {
    /// What is held.
    #[must_use]
    pub const fn heap(&self) -> &Heap {
        &self.heap
    }

    /// An operation is over: what is held may be the most so far.
    pub fn note_peak(&mut self) {
        // with nothing beside it, only a new peak can be the most
        let total = self.heap.now.total();
        if total > self.heap.peak.total() {
            self.heap.peak = self.heap.now;
            self.heap.note_beside(&Footprint::default());
        }
    }

    /// A refresh has built the group's value again, to compare it with the stored one: as large, but its racks are
    /// bare sets and share their names with the image.
    pub(super) fn note_built(&mut self, id: GroupId) {
        let stored = self.groups[id.index()].held;
        let racks = stored.racks - stored.wrappers;
        self.heap.note_beside(&Footprint { racks, strings: 0, wrappers: 0, ..stored });
    }

    /// What would be held had every shard just been loaded from the log and every group looked once: every stored
    /// rack name is a string of its own then, and every topic that somebody watches is in the cache again.
    #[must_use]
    pub fn after_failover(&self) -> Holders {
        let fresh: Vec<_> = self.setting.deployed.iter().map(|deployed| (deployed.make)()).collect();
        let runs = |shard: &super::core::Shard| fresh[shard.runs.0].as_ref();
        let mut held = Holders { index: self.heap.now.index, ..Holders::default() };
        for (place, group) in self.groups.iter().enumerate().filter(|(_, group)| group.exists) {
            let id = GroupId::at(place);
            held.add(&self.footprint(id, group, fresh[self.runs(id)].as_ref()));
        }
        let there = |t: &TopicId| self.image.topic(*t).is_some();
        for shard in self.shards.iter().filter(|shard| runs(shard).cache_bytes() > 0) {
            let watched = (0..self.setting.names.topics()).map(TopicId::at).filter(there);
            let watched = watched.filter(|t| !shard.index.watchers(*t).is_empty());
            held.cache += heap::hash_cache(watched.count() as u64);
        }
        held
    }

    /// The most that loading every shard from its log, as it is at the end and uncompacted, would hold: what is
    /// there after it, no topic hashed yet, and a replaced entry for each record since the last snapshot, of which
    /// there is one every `interval` records.
    #[must_use]
    pub fn during_load(&self, interval: u64) -> Holders {
        let entries: u64 = self.shards.iter().map(|shard| shard.records.min(interval)).sum();
        Holders { cache: 0, snapshot: heap::TIMELINE_ENTRY * entries, ..self.after_failover() }
    }

    /// Everything at time 0.
    pub(super) fn price_all(&mut self) {
        (0..self.groups.len()).for_each(|group| self.reprice_group(GroupId::at(group)));
        for shard in 0..self.shards.len() {
            self.reprice_cache(shard);
            let sets = (0..self.setting.names.topics()).map(|t| self.watchers_bytes(shard, TopicId::at(t)));
            self.heap.now.index += sets.sum::<u64>();
            self.reprice_index_map(shard);
        }
        self.heap.start = self.heap.now;
        self.note_peak();
    }

    /// The group's stored value has changed, or was read from the log.
    pub(super) fn reprice_group(&mut self, id: GroupId) {
        let group = &self.groups[id.index()];
        let held = match &self.shards[self.shard_of(id).index()].strategy {
            None => group.held,
            Some(_) if !group.exists => Footprint::default(),
            Some(strategy) => {
                let strings_too = group.loaded;
                let value = self.footprint(id, group, strategy.as_ref());
                if strings_too { value } else { Footprint { strings: 0, ..value } }
            }
        };
        let before = std::mem::replace(&mut self.groups[id.index()].held, held);
        self.heap.now.add(&held);
        self.heap.now.take(&before);
    }

    fn footprint(&self, id: GroupId, group: &Group, strategy: &dyn Strategy) -> Footprint {
        let view = self.view(self.shard_of(id).index());
        let seen = GroupView { group: id, topics: &group.topics };
        strategy.footprint(&group.stored, &seen, &view)
    }

    /// The shard's cache may have grown or shrunk.
    pub(super) fn reprice_cache(&mut self, shard: usize) {
        self.take_cache(shard, self.cache_now(shard));
    }

    /// What the shard's cache takes as it is. A look keeps it until it is settled: others may have looked meanwhile.
    pub(super) fn cache_now(&self, shard: usize) -> CachePrice {
        let shard = &self.shards[shard];
        let topics = shard.strategy.as_ref().map(|s| s.cached_topics());
        if topics == shard.cached.topics {
            return shard.cached;
        }
        CachePrice { topics, bytes: shard.strategy.as_ref().map_or(0, |s| s.cache_bytes()) }
    }

    /// From here on the shard's cache counts as this.
    pub(super) fn take_cache(&mut self, shard: usize, price: CachePrice) {
        let before = std::mem::replace(&mut self.shards[shard].cached, price);
        self.heap.now.cache = self.heap.now.cache - before.bytes + price.bytes;
    }

    /// Bytes of the set of groups that watch a topic.
    pub(super) fn watchers_bytes(&self, shard: usize, topic: TopicId) -> u64 {
        let groups = self.shards[shard].index.watchers(topic);
        if groups.is_empty() {
            return 0;
        }
        heap::timeline_set(groups.iter().map(|g| java::string_hash(&self.setting.history.names.groups[g.index()])))
    }

    /// The shard's `groupsByTopics` without the sets, after topics came or went.
    pub(super) fn reprice_index_map(&mut self, shard: usize) {
        let names = self.setting.names;
        let watched: Vec<i32> = (0..names.topics())
            .map(TopicId::at)
            .filter(|t| !self.shards[shard].index.watchers(*t).is_empty())
            .map(|t| names.topic(t).hash_code)
            .collect();
        let bytes = if watched.is_empty() { 0 } else { heap::topic_index(watched.into_iter(), []) };
        let shard = &mut self.shards[shard];
        self.heap.now.index = self.heap.now.index - shard.index_map_bytes + bytes;
        shard.index_map_bytes = bytes;
    }
}
