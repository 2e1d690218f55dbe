//! What a lane's coordinators hold in a Java heap by model (model: E, K.6), as running totals: groups'
//! stored values, shards' caches of topic hashes, and `groupsByTopics`. All brokers of the cluster together.

use crate::kafka::{GroupId, TopicId, heap, java};
use crate::strategy::{GroupView, View};

use super::core::Coordinator;

/// Bytes held now, and the most that were held between two operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heap {
    /// Groups' stored values.
    pub groups: u64,
    /// Caches of topic hashes.
    pub caches: u64,
    /// `groupsByTopics`.
    pub index: u64,
    /// The most of all three together.
    pub peak: u64,
}

impl Heap {
    /// All three together.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.groups + self.caches + self.index
    }
}

impl Coordinator<'_> {
    /// What is held now.
    #[must_use]
    pub fn heap(&self) -> Heap {
        self.heap
    }

    /// An operation is over: what is held may be the most so far.
    pub fn note_peak(&mut self) {
        self.heap.peak = self.heap.peak.max(self.heap.total());
    }

    /// Everything at time 0.
    pub(super) fn price_all(&mut self) {
        (0..self.groups.len()).for_each(|group| self.reprice_group(GroupId::at(group)));
        for shard in 0..self.shards.len() {
            self.reprice_cache(shard);
            let sets = (0..self.setting.names.topics()).map(|t| self.watchers_bytes(shard, TopicId::at(t)));
            self.heap.index += sets.sum::<u64>();
            self.reprice_index_map(shard);
        }
        self.note_peak();
    }

    /// The group's stored value has changed, or was read from the log.
    pub(super) fn reprice_group(&mut self, id: GroupId) {
        let bytes = self.group_bytes(id);
        let group = &mut self.groups[id.index()];
        self.heap.groups = self.heap.groups - group.heap_bytes + bytes;
        group.heap_bytes = bytes;
    }

    fn group_bytes(&self, id: GroupId) -> u64 {
        let group = &self.groups[id.index()];
        let Some(strategy) = &self.shards[self.shard_of(id).index()].strategy else { return group.heap_bytes };
        if !group.exists {
            return 0;
        }
        let view = View { image: &self.image, image_no: self.image_no, names: self.setting.names };
        let seen = GroupView { group: id, topics: &group.topics };
        strategy.footprint(&group.stored, &seen, &view).total(group.loaded)
    }

    /// The shard's cache may have grown or shrunk.
    pub(super) fn reprice_cache(&mut self, shard: usize) {
        let shard = &mut self.shards[shard];
        let topics = shard.strategy.as_ref().map_or(0, |s| s.cached_topics());
        if topics != shard.cached {
            let bytes = shard.strategy.as_ref().map_or(0, |s| s.cache_bytes());
            self.heap.caches = self.heap.caches - shard.cache_bytes + bytes;
            (shard.cached, shard.cache_bytes) = (topics, bytes);
        }
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
        self.heap.index = self.heap.index - shard.index_map_bytes + bytes;
        shard.index_map_bytes = bytes;
    }
}
