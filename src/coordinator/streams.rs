//! Streams groups (KIP-1071; model: A.7): the topology is the group's, so its topics stay while it has no members; any
//! member that comes or goes rebalances it without a look at them; and a look that finds nothing leaves it due, so that
//! every heartbeat looks again until the next rebalance.

use crate::kafka::record::{self, RecordSize};
use crate::kafka::{GroupId, GroupKind, TopicId};
use crate::strategy::{Records, Stored, Verdict};
use crate::world::Origin;

use super::RecordType;
use super::core::Coordinator;

/// What the group's record says of the settings of its assignment: `num.standby.replicas` is `0`.
const SETTINGS: [(u64, u64); 1] = [("num.standby.replicas".len() as u64, 1)];

/// The eight bytes of a hash that is a field.
const HASH: u64 = 8;

/// How Kafka Streams ends the names of its topics.
const REPARTITION: &str = "-repartition";
const CHANGELOG: &str = "-changelog";

impl Coordinator<'_> {
    /// Do records of this group say whether its topology has been seen whole?
    pub(super) fn validates(&self, id: GroupId) -> bool {
        self.kind(id) == GroupKind::Streams && self.deployed(id).streams_validates
    }

    /// Are all topics there that a streams group requires?
    pub(super) fn is_whole(&self, topics: &[TopicId]) -> bool {
        topics.iter().all(|topic| self.image.topic(*topic).is_some())
    }

    /// The group's record says otherwise of its topology than is so: an older release wrote it. Who brought the one that
    /// runs now.
    pub(super) fn revalidates(&self, id: GroupId) -> Option<Origin> {
        let group = &self.groups[id.index()];
        let otherwise = self.validates(id) && group.validated != self.is_whole(&group.topics);
        otherwise.then(|| self.shards[self.shard_of(id).index()].runs.1)
    }

    /// What the group stores, unread.
    pub(super) fn as_stored(&self, id: GroupId) -> Verdict {
        let value = self.groups[id.index()].stored.clone();
        Verdict { differs: false, value, fresh_equal: false, records: Records::default(), epoch_extra: 0 }
    }

    /// Value bytes of the group's epoch record. The hash of share and streams groups is a field and takes its eight
    /// bytes whatever it is; releases and drafts that store none have no such field.
    pub(super) fn epoch_value(&self, id: GroupId, stored: &Stored, validated: bool) -> u64 {
        let hash = if let Stored::Hash(hash) = stored { Some(*hash) } else { None };
        let field = |value: u64| if hash.is_some() { value } else { value - HASH };
        match self.kind(id) {
            GroupKind::Consumer | GroupKind::Classic => record::group_metadata(hash.unwrap_or(0)),
            GroupKind::Share => field(record::SHARE_GROUP_METADATA),
            GroupKind::Streams if self.validates(id) => field(record::streams_group_metadata(validated, &SETTINGS)),
            GroupKind::Streams => field(record::streams_group_metadata(false, &[])),
        }
    }

    /// Live records that only share or streams groups have.
    pub(super) fn own_records(&self, id: GroupId) -> Option<(RecordType, RecordSize)> {
        if !self.groups[id.index()].exists {
            return None;
        }
        match self.kind(id) {
            GroupKind::Consumer | GroupKind::Classic => None,
            GroupKind::Share => self.share_record(id),
            GroupKind::Streams => Some(self.topology_record(id, &self.groups[id.index()].topics)),
        }
    }

    /// What a streams group reads, writes and keeps.
    pub(super) fn topology_record(&self, id: GroupId, topics: &[TopicId]) -> (RecordType, RecordSize) {
        let names = &self.setting.history.names;
        let own = |name: &str| name.strip_prefix(&names.groups[id.index()]).is_some_and(|rest| rest.starts_with('-'));
        let (mut sources, mut repartition, mut changelog) = (Vec::new(), Vec::new(), Vec::new());
        for name in topics.iter().map(|topic| &names.topics[topic.index()]) {
            let list = match name {
                name if own(name) && name.ends_with(REPARTITION) => &mut repartition,
                name if own(name) && name.ends_with(CHANGELOG) => &mut changelog,
                _ => &mut sources,
            };
            list.push(name.len() as u64);
        }
        let value = Some(record::streams_topology(&sources, &repartition, &changelog));
        (RecordType::StreamsTopology, RecordSize { key: self.group_key(id), value })
    }
}
