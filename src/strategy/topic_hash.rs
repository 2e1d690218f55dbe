//! `topic-hash`, draft 000's choice: per group a map from topic name to the topic's hash, rewritten whole
//! when one entry differs; the hashes are shared by a cache of the shard (model: A.8, S2).

use crate::kafka::{GroupId, TopicId};
use crate::scenario::{Rehash, Switches, Trigger};

use super::hashes::{Take, TopicHashes};
use super::marks::counts;
use super::{
    ChangedTopic, Footprint, GroupView, Records, Stored, StoredMap, Strategy, TopicIndex, UnregisteredReplica,
    Verdict, View, Why, Work, footprint, map,
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

    fn value(
        &mut self,
        group: &GroupView<'_>,
        view: &View<'_>,
        take: Take,
        work: &mut Work,
    ) -> Result<Box<[StoredMap]>, UnregisteredReplica> {
        self.hashes.of_group(group, view, take, work, &mut self.found)?;
        Ok(self.found.iter().map(|&(topic, hash)| StoredMap::Hash { topic, hash }).collect())
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
        // the id is inside the hash or it is not
        let ids = true;
        let first = self.value(group, view, Take::Cached, work)?;
        let first_differs = map::differs(&first, stored, ids);
        let again = self.rehash == Rehash::AllOnBump && (why != Why::Heartbeat || first_differs);
        let (new, new_differs) = if again {
            let new = self.value(group, view, Take::Fresh, work)?;
            let differs = map::differs(&new, stored, ids);
            (new, differs)
        } else {
            (first, first_differs)
        };
        work.entries_compared += new.len() as u64;
        let records = Records { metadata: new_differs.then(|| map::metadata_value(&new, view.names)) };
        Ok(Verdict {
            differs: first_differs || new_differs,
            value: Stored::Map(new),
            fresh_equal: first_differs && !new_differs,
            records,
            epoch_extra: 0,
        })
    }

    fn fresh(&mut self, group: &GroupView<'_>, view: &View<'_>) -> Stored {
        self.value(group, view, Take::Cached, &mut Work::default()).map_or(Stored::Absent, Stored::Map)
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
