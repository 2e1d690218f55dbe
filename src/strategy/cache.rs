//! A shard's cache of topic hashes (Kafka's `topicHashCache`; model: A.5): by name, never persisted, lost
//! with the shard.

use crate::kafka::TopicId;
use crate::scenario::Cache;

/// The cache, under one of its policies.
#[derive(Clone, Debug)]
pub(super) struct TopicHashCache {
    policy: Cache,
    /// By topic, as far as one was ever cached; [`NONE`] where there is none.
    hashes: Vec<Cached>,
    len: usize,
}

/// A cached hash, and the number of the image that it was computed from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cached {
    pub(super) hash: u64,
    pub(super) image: u32,
}

impl Cached {
    fn is_some(&self) -> bool {
        self.image != NONE.image
    }
}

/// No hash: there is no such image.
const NONE: Cached = Cached { hash: 0, image: u32::MAX };

impl TopicHashCache {
    pub(super) fn new(policy: Cache) -> TopicHashCache {
        TopicHashCache { policy, hashes: Vec::new(), len: 0 }
    }

    /// Is there a cache at all?
    pub(super) fn exists(&self) -> bool {
        self.policy != Cache::None
    }

    pub(super) fn get(&self, topic: TopicId) -> Option<Cached> {
        self.hashes.get(topic.index()).copied().filter(Cached::is_some)
    }

    pub(super) fn put(&mut self, topic: TopicId, cached: Cached) {
        if !self.exists() {
            return;
        }
        if topic.index() >= self.hashes.len() {
            self.hashes.resize(topic.index() + 1, NONE);
        }
        let before = std::mem::replace(&mut self.hashes[topic.index()], cached);
        self.len += usize::from(!before.is_some());
    }

    fn evict(&mut self, topic: TopicId) {
        let before = self.hashes.get_mut(topic.index()).map(|cached| std::mem::replace(cached, NONE));
        self.len -= usize::from(before.as_ref().is_some_and(Cached::is_some));
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
