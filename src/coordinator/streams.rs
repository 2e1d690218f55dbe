//! Streams groups (KIP-1071; model: A.7): the topology is the group's, so its topics stay while it has no members; any
//! member that comes or goes rebalances it without a look at them; and a look that finds nothing leaves it due, so that
//! every heartbeat looks again until the next rebalance.

use crate::kafka::record::{self, RecordSize};
use crate::kafka::{GroupId, GroupKind, TopicId};
use crate::strategy::{Records, Stored, Verdict};
use crate::world::Origin;

use super::core::Coordinator;
use super::log::Batch;
use super::{RecordType, Renewal};

/// What the group's record says of the settings of its assignment: `num.standby.replicas` is `0`.
const SETTINGS: [(u64, u64); 1] = [("num.standby.replicas".len() as u64, 1)];

/// The eight bytes of a hash that is a field.
const HASH: u64 = 8;

/// How Kafka Streams ends the names of its topics.
const REPARTITION: &str = "-repartition";
const CHANGELOG: &str = "-changelog";

/// What a topic of a streams group is to its application.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Read, and somebody else's.
    Source,
    /// Written and read by the application itself.
    Repartition,
    /// Keeps a store of the application.
    Changelog,
}

impl Coordinator<'_> {
    /// Do records of this group say whether its topology has been seen whole?
    pub(super) fn validates(&self, id: GroupId) -> bool {
        self.kind(id) == GroupKind::Streams && self.deployed(id).streams_validates
    }

    /// Are all topics there that a streams group requires, and have its internal ones the partitions that its sources ask
    /// for? A repartition topic has as many as the largest source topic, and so has a changelog.
    pub(super) fn is_whole(&self, id: GroupId, topics: &[TopicId]) -> bool {
        let partitions = |topic: &TopicId| self.image.topic(*topic).map(|found| found.partitions.len());
        let is_source = |topic: &&TopicId| self.role(id, **topic) == Role::Source;
        let asked = topics.iter().filter(is_source).filter_map(partitions).max();
        topics.iter().all(|topic| {
            partitions(topic).is_some_and(|count| self.role(id, *topic) == Role::Source || Some(count) == asked)
        })
    }

    /// What a topic of a streams group is to its application.
    fn role(&self, id: GroupId, topic: TopicId) -> Role {
        let names = &self.setting.history.names;
        let name = &names.topics[topic.index()];
        match name.strip_prefix(&names.groups[id.index()]) {
            Some(own) if own.starts_with('-') && own.ends_with(REPARTITION) => Role::Repartition,
            Some(own) if own.starts_with('-') && own.ends_with(CHANGELOG) => Role::Changelog,
            Some(_) | None => Role::Source,
        }
    }

    /// A streams group's member came or left, and nobody looked at its topics: what the record says of the topology is
    /// what it said before.
    pub(super) fn renew_unread(&mut self, id: GroupId, stored: Verdict, by: Origin, batch: &mut Batch) -> Renewal {
        let validated = self.groups[id.index()].validated;
        let renewal = self.renew_as(id, stored, by, true, validated, batch);
        Renewal { unread: true, ..renewal }
    }

    /// The group's record says otherwise of its topology than is so: an older release wrote it. Who brought the one that
    /// runs now.
    pub(super) fn revalidates(&self, id: GroupId) -> Option<Origin> {
        let group = &self.groups[id.index()];
        let otherwise = self.validates(id) && group.validated != self.is_whole(id, &group.topics);
        otherwise.then(|| self.shards[self.shard_of(id).index()].runs.1)
    }

    /// What the group stores, unread.
    pub(super) fn as_stored() -> Verdict {
        Verdict { differs: false, value: None, fresh_equal: false, records: Records::default(), epoch_extra: 0 }
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
        let (mut sources, mut repartition, mut changelog) = (Vec::new(), Vec::new(), Vec::new());
        for topic in topics {
            let list = match self.role(id, *topic) {
                Role::Source => &mut sources,
                Role::Repartition => &mut repartition,
                Role::Changelog => &mut changelog,
            };
            list.push(self.setting.history.names.topics[topic.index()].len() as u64);
        }
        let value = Some(record::streams_topology(&sources, &repartition, &changelog));
        (RecordType::StreamsTopology, RecordSize { key: self.group_key(id), value })
    }
}
