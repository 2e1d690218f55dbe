//! The log as ideal compaction leaves it: the last record of each key, tombstones gone (model: K.7). And the limit
//! that a batch must keep to.

use crate::kafka::GroupId;
use crate::kafka::record::{self, RecordSize};
use crate::strategy::{Stored, metadata_value};

use super::RecordType;
use super::core::Coordinator;
use super::log::{Batch, ByType, TooLarge};

impl Coordinator<'_> {
    /// What is live now; each record framed as the first of its batch.
    #[must_use]
    pub fn live_log(&self) -> ByType {
        let mut live = ByType::default();
        for id in (0..self.groups.len()).map(GroupId::at) {
            let of = self.kind(id);
            self.live_records(id).for_each(|(kind, size)| live.put(kind.of(of), size, 0));
        }
        for (member, subscription) in self.members.iter() {
            let kind = self.kind(self.setting.history.members[member.index()].group);
            live.put(RecordType::MemberMetadata.of(kind), self.member_record(member, subscription), 0);
        }
        live
    }

    /// A group's own records: its epoch, its metadata where it has a map in the log, its patterns.
    fn live_records(&self, id: GroupId) -> impl Iterator<Item = (RecordType, RecordSize)> {
        let group = &self.groups[id.index()];
        let key = self.group_key(id);
        let epoch = group.exists.then(|| {
            let value = Some(self.epoch_value(id, &group.stored, group.validated));
            (RecordType::GroupMetadata, RecordSize { key, value })
        });
        let map = match &group.stored {
            Stored::Map(map) if group.exists && group.map_logged => {
                let value = Some(metadata_value(map, self.setting.names));
                Some((RecordType::PartitionMetadata, RecordSize { key, value }))
            }
            Stored::Map(_) | Stored::Absent | Stored::Hash(_) => None,
        };
        let patterns = group.subscribers.patterns(&self.setting.history.subscriptions).into_iter();
        let resolved =
            move |p: &crate::kafka::PatternId| group.patterns.as_ref().is_some_and(|all| all.is_resolved(*p));
        let patterns =
            patterns.filter(resolved).map(move |p| (RecordType::RegularExpression, self.pattern_record(id, p)));
        let own = self.own_records(id);
        epoch.into_iter().chain(map).chain(patterns).chain(own)
    }

    /// Appends a group's records as one batch.
    pub(super) fn append(&mut self, id: GroupId, batch: &Batch) {
        let bytes = self.appended.append(batch, self.kind(id));
        let shard = self.shard_of(id).index();
        self.shards[shard].records += batch.len() as u64;
        if bytes > self.setting.message_max_bytes {
            self.refuse(id, batch, bytes);
        }
    }

    /// The records of groups that stand at time 0 are in the log already; could Kafka have written them?
    pub(super) fn check_standing(&mut self) {
        for id in (0..self.groups.len()).map(GroupId::at) {
            let batch: Batch = self.live_records(id).collect();
            let shard = self.shard_of(id).index();
            self.shards[shard].records += batch.len() as u64;
            if batch.is_empty() {
                continue;
            }
            let bytes = record::batch(batch.iter().map(|(_, size)| *size));
            if bytes > self.setting.message_max_bytes {
                self.refuse(id, &batch, bytes);
            }
        }
        for (member, _) in self.members.iter() {
            let group = self.setting.history.members[member.index()].group;
            self.shards[self.setting.history.groups[group.index()].shard.index()].records += 1;
        }
    }

    fn refuse(&mut self, group: GroupId, batch: &Batch, batch_bytes: u64) {
        if let Some(first) = &mut self.too_large {
            first.times += 1;
            return;
        }
        let largest = batch.iter().max_by_key(|(_, size)| size.bytes()).expect("an empty batch is not large");
        let limit = self.setting.message_max_bytes;
        self.too_large = Some(TooLarge { group, record: largest.0.of(self.kind(group)), batch_bytes, limit, times: 1 });
    }
}
