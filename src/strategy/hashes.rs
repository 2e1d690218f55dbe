//! Topic hashes as the hash strategies take them: from the shard's cache where it has them, else read and
//! hashed. Topics that do not exist are left out before the cache is asked (model: A.5).

use crate::kafka::hash::{Hashed, RackLists, Stream, TopicContent, kip_draft, murmur3, xxh3};
use crate::kafka::{TopicId, TopicImage, heap};
use crate::scenario::{HashKind, Switches};

use super::cache::{Cached, TopicHashCache};
use super::racks::RackReader;
use super::{ChangedTopic, GroupView, UnregisteredReplica, View, Work};

/// May a hash come from the cache?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Take {
    /// Yes, and it is counted as a hit or a miss.
    Cached,
    /// No: hashed again, neither hit nor miss, and the cache gets the fresh value (`rehash: all-on-bump`).
    Fresh,
}

/// A lane's hash function over its reading of racks, behind its cache.
#[derive(Clone, Debug)]
pub(super) struct TopicHashes {
    hash: HashKind,
    include_topic_id: bool,
    reader: RackReader,
    /// The racks of the topic that is being hashed.
    lists: RackLists,
    stream: Stream,
    cache: TopicHashCache,
}

impl TopicHashes {
    pub(super) fn new(switches: &Switches) -> TopicHashes {
        TopicHashes {
            hash: switches.hash,
            include_topic_id: switches.include_topic_id,
            reader: RackReader::new(switches),
            lists: RackLists::default(),
            stream: Stream::default(),
            cache: TopicHashCache::new(switches.cache),
        }
    }

    /// The hashes of the group's topics that exist, in order of name. Topics done before a failure stay done, in
    /// `work` and in the cache; of the one that failed nothing is counted.
    pub(super) fn of_group(
        &mut self,
        group: &GroupView<'_>,
        view: &View<'_>,
        take: Take,
        work: &mut Work,
        found: &mut Vec<(TopicId, u64)>,
    ) -> Result<(), UnregisteredReplica> {
        found.clear();
        for &topic in group.topics {
            if let Some(image) = view.image.topic(topic) {
                found.push((topic, self.of_topic(topic, image, view, take, work)?));
            }
        }
        Ok(())
    }

    fn of_topic(
        &mut self,
        topic: TopicId,
        image: &TopicImage,
        view: &View<'_>,
        take: Take,
        work: &mut Work,
    ) -> Result<u64, UnregisteredReplica> {
        let asks = take == Take::Cached && self.cache.exists();
        if let Some(cached) = self.cache.get(topic).filter(|_| asks) {
            work.cache_hits += 1;
            return Ok(cached.hash);
        }
        let hashed = match self.reader.shared(view) {
            None => self.read_and_hash(topic, image, view, work)?,
            Some(values) => {
                let mut make = |work: &mut Work| self.read_and_hash(topic, image, view, work);
                values.hash(topic, view.image_no, work, &mut make)?
            }
        };
        self.cache.put(topic, Cached { hash: hashed.hash, image: view.image_no });
        work.topics_hashed += 1;
        work.cache_misses += u64::from(asks);
        count(hashed, work);
        Ok(hashed.hash)
    }

    fn read_and_hash(
        &mut self,
        topic: TopicId,
        image: &TopicImage,
        view: &View<'_>,
        work: &mut Work,
    ) -> Result<Hashed, UnregisteredReplica> {
        self.reader.read(topic, image, view, work, &mut self.lists)?;
        let id = self.include_topic_id.then_some(image.id);
        let content = TopicContent { id, name: view.names.topic(topic), racks: &self.lists };
        Ok(match self.hash {
            HashKind::Murmur3 => murmur3::topic(&content, view.names, &mut self.stream),
            HashKind::Xxh3 => xxh3::topic(&content, view.names, &mut self.stream),
            HashKind::KipDraft => kip_draft::topic(&content, view.names),
        })
    }

    /// A group's hash over its topics' hashes in the order given.
    pub(super) fn combine(&mut self, hashes: &[u64], work: &mut Work) -> u64 {
        let hashed = match self.hash {
            HashKind::Murmur3 => murmur3::group(hashes, &mut self.stream),
            HashKind::Xxh3 => xxh3::group(hashes, &mut self.stream),
            HashKind::KipDraft => kip_draft::group(hashes, &mut self.stream),
        };
        count(hashed, work);
        hashed.hash
    }

    /// A changed topic's hash is stale, whether or not anybody watches it.
    pub(super) fn changed(&mut self, changed: &ChangedTopic) {
        self.cache.changed(changed.topic);
    }

    /// The shard's last group left the topic.
    pub(super) fn unwatched(&mut self, topic: TopicId, any_group_left: bool) {
        self.cache.unwatched(topic, any_group_left);
    }

    /// The image that the cached hash was computed from, if there is one.
    pub(super) fn read_from(&self, topic: TopicId) -> Option<u32> {
        self.cache.get(topic).map(|cached| cached.image)
    }

    pub(super) fn cache_bytes(&self) -> u64 {
        if self.cache.exists() { heap::hash_cache(self.cache.len() as u64) } else { 0 }
    }

    pub(super) fn cached(&self) -> usize {
        self.cache.len()
    }
}

fn count(hashed: Hashed, work: &mut Work) {
    work.bytes_hashed += hashed.bytes;
    work.hash_calls += hashed.calls;
}
