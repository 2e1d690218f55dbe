//! `group-hash`, draft 002 and Kafka 4.1: one hash per group over its topics' hashes, which a cache of the
//! shard holds until a delta of the topic; stored in the epoch record itself (model: A.5, C.4).

use crate::kafka::{GroupId, TopicId};
use crate::scenario::{Order, Rehash, Switches, Trigger};

use super::hashes::{Take, TopicHashes};
use super::marks::counts;
use super::{
    ChangedTopic, Footprint, GroupView, Records, Stored, Strategy, TopicIndex, UnregisteredReplica, Verdict, View, Why,
    Work, footprint,
};

/// As `record::TAGGED_HASH`.
const TAGGED_HASH: u32 = 10;

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct GroupHash {
    hashes: TopicHashes,
    order: Order,
    rehash: Rehash,
    trigger: Trigger,
    found: Vec<(TopicId, u64)>,
    in_order: Vec<u64>,
}

impl GroupHash {
    /// With the switches that concern it.
    pub(super) fn new(switches: &Switches) -> GroupHash {
        GroupHash {
            hashes: TopicHashes::new(switches),
            order: switches.order,
            rehash: switches.rehash,
            trigger: switches.trigger,
            found: Vec::new(),
            in_order: Vec::new(),
        }
    }

    fn value(
        &mut self,
        group: &GroupView<'_>,
        view: &View<'_>,
        take: Take,
        work: &mut Work,
    ) -> Result<u64, UnregisteredReplica> {
        self.hashes.of_group(group, view, take, work, &mut self.found)?;
        match self.order {
            // a group's names come in this order
            Order::Name => {}
            Order::Id => self.found.sort_by_key(|&(topic, _)| view.image.topic(topic).map(|t| t.id.as_u128())),
        }
        self.in_order.clear();
        self.in_order.extend(self.found.iter().map(|&(_, hash)| hash));
        Ok(self.hashes.combine(&self.in_order, work))
    }
}

impl Strategy for GroupHash {
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
        let old = match stored {
            Stored::Hash(hash) => *hash,
            Stored::Absent | Stored::Map(_) => 0,
        };
        let first = self.value(group, view, Take::Cached, work)?;
        let again = self.rehash == Rehash::AllOnBump && (why != Why::Heartbeat || first != old);
        let value = if again { self.value(group, view, Take::Fresh, work)? } else { first };
        work.entries_compared += 1;
        Ok(Verdict {
            differs: first != old || value != old,
            value: Some(Stored::Hash(value)),
            fresh_equal: first != old && value == old,
            records: Records::default(),
            epoch_extra: if value == 0 { 0 } else { TAGGED_HASH },
        })
    }

    fn fresh(&mut self, group: &GroupView<'_>, view: &View<'_>) -> Stored {
        self.value(group, view, Take::Cached, &mut Work::default()).map_or(Stored::Absent, Stored::Hash)
    }

    fn on_topic_unwatched(&mut self, topic: TopicId, any_group_left: bool) {
        self.hashes.unwatched(topic, any_group_left);
    }

    fn forget(&mut self, _group: GroupId) {}

    fn absent(&self, _group: &GroupView<'_>, _view: &View<'_>) -> Stored {
        Stored::Absent
    }

    fn empty(&self) -> Stored {
        Stored::Absent
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

    fn footprint(&self, stored: &Stored, _group: &GroupView<'_>, _view: &View<'_>) -> Footprint {
        footprint::of_group_hash(stored)
    }

    fn read_from(&self, topic: TopicId, now: u32) -> u32 {
        self.hashes.read_from(topic).unwrap_or(now)
    }
}
