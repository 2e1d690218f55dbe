//! The strategy that does nothing: it marks as the others do, so that a lane of it goes the same ways, and
//! never finds a difference. What it costs is the lane's own cost, and is subtracted from the others'.

use crate::kafka::{GroupId, TopicId};
use crate::scenario::Trigger;

use super::marks::mark_all;
use super::{
    ChangedTopic, Footprint, GroupView, Records, Stored, Strategy, TopicIndex, UnregisteredReplica, Verdict, View, Why,
    Work,
};

/// Does nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nothing;

impl Strategy for Nothing {
    fn on_new_image(&mut self, changed: &[ChangedTopic], _watchers: &TopicIndex, marked: &mut Vec<usize>) {
        mark_all(changed, Trigger::TopicDelta, marked);
    }

    fn recompute(
        &mut self,
        _group: &GroupView<'_>,
        _view: &View<'_>,
        _stored: &Stored,
        _why: Why,
        _work: &mut Work,
    ) -> Result<Verdict, UnregisteredReplica> {
        Ok(Verdict { differs: false, value: None, fresh_equal: false, records: Records::default(), epoch_extra: 0 })
    }

    fn fresh(&mut self, _group: &GroupView<'_>, _view: &View<'_>) -> Stored {
        Stored::Absent
    }

    fn on_topic_unwatched(&mut self, _topic: TopicId, _any_group_left: bool) {}

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
        0
    }

    fn cache_bytes(&self) -> u64 {
        0
    }

    fn footprint(&self, _stored: &Stored, _group: &GroupView<'_>, _view: &View<'_>) -> Footprint {
        Footprint::default()
    }

    fn read_from(&self, _topic: TopicId, now: u32) -> u32 {
        now
    }
}
