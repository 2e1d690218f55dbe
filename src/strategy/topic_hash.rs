//! `topic-hash`, draft 000's choice: per group a map from topic name to the topic's hash, rewritten whole
//! when one entry differs; the hashes are shared by a cache of the shard (model: A.8, S2).

use crate::kafka::{GroupId, TopicId};
use crate::scenario::{Rehash, Switches, Trigger};

use super::hashes::{Take, TopicHashes};
use super::marks::counts;
use super::{
    ChangedTopic, Footprint, GroupView, Records, Stored, StoredMap, Strategy, TopicIndex, UnregisteredReplica, Verdict,
    View, Why, Work, footprint, map,
};

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct TopicHash {
    hashes: TopicHashes,
    rehash: Rehash,
    trigger: Trigger,
    found: Vec<(TopicId, u64)>,
}

impl TopicHash {
    /// With the switches that concern it.
    pub(super) fn new(switches: &Switches) -> TopicHash {
        let hashes = TopicHashes::new(switches);
        TopicHash { hashes, rehash: switches.rehash, trigger: switches.trigger, found: Vec::new() }
    }

    /// The hashes of the group's topics go into `found`.
    fn find(
        &mut self,
        group: &GroupView<'_>,
        view: &View<'_>,
        take: Take,
        work: &mut Work,
    ) -> Result<(), UnregisteredReplica> {
        self.hashes.of_group(group, view, take, work, &mut self.found)
    }

    /// What has been found, as a map.
    fn map(&self) -> Box<[StoredMap]> {
        self.found.iter().map(|&(topic, hash)| StoredMap::Hash { topic, hash }).collect()
    }

    /// Is that what is stored, to the last entry?
    fn is_stored(&self, stored: &Stored) -> bool {
        let Stored::Map(map) = stored else { return false };
        let same = |(entry, found): (&StoredMap, &(TopicId, u64))| match entry {
            StoredMap::Hash { topic, hash } => (*topic, *hash) == *found,
            StoredMap::Full { .. } | StoredMap::Count { .. } => false,
        };
        map.len() == self.found.len() && map.iter().zip(&self.found).all(same)
    }

    /// As [`map::differs`] of its map, which need not be made for it: the id is inside a hash or it is not, and no other
    /// form is the same as a hash.
    fn differs(&self, stored: &Stored) -> bool {
        match stored {
            Stored::Map(_) => !self.is_stored(stored),
            Stored::Hash(_) | Stored::Absent => !self.found.is_empty(),
        }
    }
}

impl Strategy for TopicHash {
    fn on_new_image(&mut self, changed: &[ChangedTopic], _watchers: &TopicIndex, marked: &mut Vec<usize>) {
        for (place, changed) in changed.iter().enumerate().filter(|(_, changed)| counts(changed, self.trigger)) {
            self.hashes.changed(changed);
            marked.push(place);
        }
    }

    fn recompute(
        &mut self,
        group: &GroupView<'_>,
        view: &View<'_>,
        stored: &Stored,
        why: Why,
        work: &mut Work,
    ) -> Result<Verdict, UnregisteredReplica> {
        self.find(group, view, Take::Cached, work)?;
        let first_differs = self.differs(stored);
        let again = self.rehash == Rehash::AllOnBump && (why != Why::Heartbeat || first_differs);
        if again {
            self.find(group, view, Take::Fresh, work)?;
        }
        let new_differs = if again { self.differs(stored) } else { first_differs };
        work.entries_compared += self.found.len() as u64;
        let new = (!self.is_stored(stored)).then(|| self.map());
        let metadata = new.as_deref().filter(|_| new_differs).map(|new| map::metadata_value(new, view.names));
        let records = Records { metadata };
        Ok(Verdict {
            differs: first_differs || new_differs,
            value: new.map(Stored::Map),
            fresh_equal: first_differs && !new_differs,
            records,
            epoch_extra: 0,
        })
    }

    fn fresh(&mut self, group: &GroupView<'_>, view: &View<'_>) -> Stored {
        let found = self.find(group, view, Take::Cached, &mut Work::default());
        found.map_or(Stored::Absent, |()| Stored::Map(self.map()))
    }

    fn on_topic_unwatched(&mut self, topic: TopicId, any_group_left: bool) {
        self.hashes.unwatched(topic, any_group_left);
    }

    fn forget(&mut self, _group: GroupId) {}

    fn absent(&self, _group: &GroupView<'_>, _view: &View<'_>) -> Stored {
        self.empty()
    }

    fn empty(&self) -> Stored {
        Stored::Map(Box::default())
    }

    fn compares(&self) -> bool {
        true
    }

    fn cached_topics(&self) -> usize {
        self.hashes.cached()
    }

    fn cache_bytes(&self) -> u64 {
        self.hashes.cache_bytes()
    }

    fn footprint(&self, stored: &Stored, _group: &GroupView<'_>, view: &View<'_>) -> Footprint {
        footprint::of_topic_hash(stored, view.names)
    }

    fn read_from(&self, topic: TopicId, now: u32) -> u32 {
        self.hashes.read_from(topic).unwrap_or(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kafka::Uuid;
    use crate::scenario::StrategyKind;
    use crate::strategy::fixture::with;

    #[test]
    fn hashes_differ_from_what_is_stored_as_their_map_does() {
        let entry = |topic, hash| StoredMap::Hash { topic: TopicId(topic), hash };
        let count = StoredMap::Count { topic: TopicId(0), id: Uuid::default(), partitions: 1 };
        let maps = [vec![], vec![entry(0, 1)], vec![entry(0, 2)], vec![entry(0, 1), entry(1, 1)], vec![count]];
        let mut stored: Vec<Stored> = maps.into_iter().map(|map| Stored::Map(map.into())).collect();
        stored.extend([Stored::Absent, Stored::Hash(0), Stored::Hash(1)]);
        let mut strategy = TopicHash::new(&with(StrategyKind::TopicHash, |_| {}).switches);
        for found in [vec![], vec![(TopicId(0), 1)], vec![(TopicId(0), 1), (TopicId(1), 1)], vec![(TopicId(1), 1)]] {
            strategy.found = found;
            for stored in &stored {
                let new = strategy.map();
                assert_eq!(strategy.differs(stored), map::differs(&new, stored, true), "{new:?} {stored:?}");
                assert_eq!(strategy.is_stored(stored), *stored == Stored::Map(new));
            }
        }
    }
}
