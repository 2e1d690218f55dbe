//! A shard's cache of topic hashes (Kafka's `topicHashCache`; model: A.5): by name, never persisted, lost
//! with the shard.

use crate::kafka::TopicId;
use crate::scenario::Cache;

/// The cache, under one of its policies.
#[derive(Clone, Debug)]
pub(super) struct TopicHashCache {
    policy: Cache,
    /// By topic, as far as one was ever cached.
    hashes: Vec<Option<Cached>>,
    len: usize,
}

/// A cached hash, and the number of the image that it was computed from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cached {
    pub(super) hash: u64,
    pub(super) image: u32,
}

impl TopicHashCache {
    pub(super) fn new(policy: Cache) -> TopicHashCache {
        TopicHashCache { policy, hashes: Vec::new(), len: 0 }
    }

    /// Is there a cache at all?
    pub(super) fn exists(&self) -> bool {
        self.policy != Cache::None
    }

    pub(super) fn get(&self, topic: TopicId) -> Option<Cached> {
        self.hashes.get(topic.index()).copied().flatten()
    }

    pub(super) fn put(&mut self, topic: TopicId, cached: Cached) {
        if !self.exists() {
            return;
        }
        if topic.index() >= self.hashes.len() {
            self.hashes.resize(topic.index() + 1, None);
        }
        let before = self.hashes[topic.index()].replace(cached);
        self.len += usize::from(before.is_none());
    }

    fn evict(&mut self, topic: TopicId) {
        let before = self.hashes.get_mut(topic.index()).and_then(Option::take);
        self.len -= usize::from(before.is_some());
    }

    /// A delta made the topic stale.
    pub(super) fn changed(&mut self, topic: TopicId) {
        match self.policy {
            Cache::Shard | Cache::Draft000 => self.evict(topic),
            Cache::None | Cache::NeverEvicted => {}
        }
    }

    /// The last group left the topic. Draft 000's text asks whether the *groups* are empty, not those of the topic.
    pub(super) fn unwatched(&mut self, topic: TopicId, any_group_left: bool) {
        let evicts = match self.policy {
            Cache::Shard => true,
            Cache::Draft000 => !any_group_left,
            Cache::None | Cache::NeverEvicted => false,
        };
        if evicts {
            self.evict(topic);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const T: TopicId = TopicId(7);

    #[test]
    fn each_policy_forgets_at_its_own_events() {
        // after a delta; after the last watcher with and without other groups
        let table = [
            (Cache::Shard, [false, false, false]),
            (Cache::None, [false, false, false]),
            (Cache::NeverEvicted, [true, true, true]),
            (Cache::Draft000, [false, true, false]),
        ];
        for (policy, kept) in table {
            let filled = || {
                let mut cache = TopicHashCache::new(policy);
                cache.put(T, Cached { hash: 1, image: 0 });
                cache
            };
            let (mut a, mut b, mut c) = (filled(), filled(), filled());
            a.changed(T);
            b.unwatched(T, true);
            c.unwatched(T, false);
            assert_eq!([a, b, c].map(|cache| cache.get(T).is_some()), kept, "{policy:?}");
        }
    }
}
