//! `delta-flag`, draft 001: a boolean per group, set when a delta looks like a change and cleared by the
//! heartbeat that bumps. It compares nothing, stores nothing, and the flag is lost with the shard (model: A.8).

use rustc_hash::FxHashSet;

use crate::kafka::{GroupId, TopicId};
use crate::scenario::{FlagReading, Switches};

use super::footprint::FLAG;
use super::{
    ChangedTopic, Footprint, GroupView, Records, Stored, Strategy, TopicIndex, UnregisteredReplica, Verdict, View, Why,
    Work,
};

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct DeltaFlag {
    reading: FlagReading,
    /// Groups whose flag is set; its order is never read.
    flagged: FxHashSet<GroupId>,
}

impl DeltaFlag {
    /// With `flag:`; no other switch is used.
    pub(super) fn new(switches: &Switches) -> DeltaFlag {
        DeltaFlag { reading: switches.flag, flagged: FxHashSet::default() }
    }

    /// A deletion has no partitions to look at, so it sets no flag; neither does a broker's registration.
    fn sets(&self, changed: &ChangedTopic) -> bool {
        let looks_changed = match self.reading {
            FlagReading::AddingRemoving => changed.reassigning,
            FlagReading::ReplicasDiffer => changed.replicas_differ,
        };
        !changed.cluster_only && (changed.new_partitions || looks_changed)
    }
}

impl Strategy for DeltaFlag {
    fn on_new_image(&mut self, changed: &[ChangedTopic], watchers: &TopicIndex, marked: &mut Vec<usize>) {
        for (place, changed) in changed.iter().enumerate() {
            if self.sets(changed) {
                marked.push(place);
                self.flagged.extend(watchers.watchers(changed.topic));
            }
        }
    }

    /// A heartbeat bumps on a set flag and clears it, also where it bumps for another reason; a leave, an expiry
    /// and a pattern result leave it set, and the next heartbeat bumps again.
    fn recompute(
        &mut self,
        group: &GroupView<'_>,
        _view: &View<'_>,
        _stored: &Stored,
        why: Why,
        _work: &mut Work,
    ) -> Result<Verdict, UnregisteredReplica> {
        let differs = match why {
            Why::Heartbeat | Why::MemberChange => self.flagged.remove(&group.group),
            Why::MemberGone | Why::PatternResolved => false,
        };
        let records = Records::default();
        Ok(Verdict { differs, value: Some(Stored::Absent), fresh_equal: false, records, epoch_extra: 0 })
    }

    fn fresh(&mut self, _group: &GroupView<'_>, _view: &View<'_>) -> Stored {
        Stored::Absent
    }

    fn on_topic_unwatched(&mut self, _topic: TopicId, _any_group_left: bool) {}

    fn forget(&mut self, group: GroupId) {
        self.flagged.remove(&group);
    }

    fn absent(&self, _group: &GroupView<'_>, _view: &View<'_>) -> Stored {
        Stored::Absent
    }

    fn empty(&self) -> Stored {
        Stored::Absent
    }

    fn compares(&self) -> bool {
        false
    }

    fn cached_topics(&self) -> usize {
        0
    }

    fn cache_bytes(&self) -> u64 {
        0
    }

    fn footprint(&self, _stored: &Stored, _group: &GroupView<'_>, _view: &View<'_>) -> Footprint {
        Footprint { flags: FLAG, ..Footprint::default() }
    }

    fn read_from(&self, _topic: TopicId, now: u32) -> u32 {
        now
    }
}
