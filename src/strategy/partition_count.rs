//! `partition-count`, Kafka 4.0: per group a map of every existing topic with its id and partition count.
//! Racks are not looked at, so nothing that only moves them is seen, and nothing can fail.

use crate::kafka::{GroupId, TopicId};
use crate::scenario::{Switches, Trigger};

use super::marks::mark_all;
use super::{
    ChangedTopic, Footprint, GroupView, Records, Stored, Strategy, TopicIndex, UnregisteredReplica, Verdict, View, Why,
    Work, footprint, map,
};

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct PartitionCount {
    include_topic_id: bool,
    trigger: Trigger,
}

impl PartitionCount {
    /// With the switches that concern it.
    pub(super) fn new(switches: &Switches) -> PartitionCount {
        PartitionCount { include_topic_id: switches.include_topic_id, trigger: switches.trigger }
    }
}

impl Strategy for PartitionCount {
    fn on_new_image(&mut self, changed: &[ChangedTopic], _watchers: &TopicIndex, marked: &mut Vec<usize>) {
        mark_all(changed, self.trigger, marked);
    }

    fn recompute(
        &mut self,
        group: &GroupView<'_>,
        view: &View<'_>,
        stored: &Stored,
        _why: Why,
        work: &mut Work,
    ) -> Result<Verdict, UnregisteredReplica> {
        let new = map::counts(group, view);
        work.entries_compared += new.len() as u64;
        let differs = map::differs(&new, stored, self.include_topic_id);
        let records = Records { metadata: differs.then(|| map::metadata_value(&new, view.names)) };
        Ok(Verdict { differs, value: Some(Stored::Map(new)), fresh_equal: false, records, epoch_extra: 0 })
    }

    fn fresh(&mut self, group: &GroupView<'_>, view: &View<'_>) -> Stored {
        Stored::Map(map::counts(group, view))
    }

    fn on_topic_unwatched(&mut self, _topic: TopicId, _any_group_left: bool) {}

    fn forget(&mut self, _group: GroupId) {}

    fn absent(&self, group: &GroupView<'_>, view: &View<'_>) -> Stored {
        map::as_kafka_4_0_left_it(group, view)
    }

    fn empty(&self) -> Stored {
        Stored::Map(Box::default())
    }

    fn compares(&self) -> bool {
        true
    }

    fn cached_topics(&self) -> usize {
        0
    }

    fn cache_bytes(&self) -> u64 {
        0
    }

    fn footprint(&self, stored: &Stored, _group: &GroupView<'_>, view: &View<'_>) -> Footprint {
        footprint::of_partition_count(stored, view.names)
    }

    fn read_from(&self, _topic: TopicId, now: u32) -> u32 {
        now
    }
}
