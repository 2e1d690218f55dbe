//! `full-metadata`, draft 000's strategy 1 and Kafka 3.9: per group a map of every existing topic with its
//! id, its partition count and the rack set of each partition, rebuilt whole at every refresh and compared
//! with the stored one (model: A.8). There is no cache, so it cannot be stale.

use std::rc::Rc;

use crate::kafka::hash::RackLists;
use crate::kafka::{GroupId, TopicId, Uuid};
use crate::scenario::{Switches, Trigger};

use super::marks::mark_all;
use super::racks::RackReader;
use super::{
    ChangedTopic, Footprint, GroupView, Records, SharedRacks, Stored, StoredMap, Strategy, TopicIndex,
    UnregisteredReplica, Verdict, View, Why, Work, footprint, map,
};

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct FullMetadata {
    include_topic_id: bool,
    trigger: Trigger,
    reader: RackReader,
    /// The map that is being built, in the room of the one before.
    room: Vec<StoredMap>,
}

impl FullMetadata {
    /// With the switches that concern it.
    pub(super) fn new(switches: &Switches) -> FullMetadata {
        FullMetadata {
            include_topic_id: switches.include_topic_id,
            trigger: switches.trigger,
            reader: RackReader::new(switches),
            room: Vec::new(),
        }
    }

    /// The map of a group; it stands until the next one is built.
    pub(super) fn build(
        &mut self,
        group: &GroupView<'_>,
        view: &View<'_>,
        work: &mut Work,
    ) -> Result<&[StoredMap], UnregisteredReplica> {
        let mut built = 0;
        for &topic in group.topics {
            let Some(image) = view.image.topic(topic) else { continue };
            let shared = self.reader.shared(view);
            let reader = &mut self.reader;
            let mut read = |work: &mut Work, racks: &mut RackLists| reader.read(topic, image, view, work, racks);
            let id = if self.include_topic_id { image.id } else { Uuid::default() };
            let (values, entry) = match (shared, self.room.get_mut(built)) {
                (None, Some(StoredMap::Full { topic: room_topic, id: room_id, racks: SharedRacks::Own(racks) })) => {
                    (*room_topic, *room_id) = (topic, id);
                    read(work, racks)?;
                    built += 1;
                    continue;
                }
                (values, entry) => (values, entry),
            };
            let mut new = |work: &mut Work| {
                let mut racks = RackLists::default();
                read(work, &mut racks).map(|()| racks)
            };
            let racks = match values {
                None => SharedRacks::Own(new(work)?),
                Some(values) => {
                    let mut read = |work: &mut Work| new(work).map(Rc::new);
                    SharedRacks::Shared(values.racks(topic, view.image_no, work, &mut read)?)
                }
            };
            let new = StoredMap::Full { topic, id, racks };
            match entry {
                Some(entry) => *entry = new,
                None => self.room.push(new),
            }
            built += 1;
        }
        Ok(&self.room[..built])
    }
}

impl Strategy for FullMetadata {
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
        let ids = self.include_topic_id;
        let new = self.build(group, view, work)?;
        for entry in new {
            let partitions = if let StoredMap::Full { racks, .. } = entry { racks.partitions() } else { 0 };
            work.entries_compared += 1 + u64::from(partitions);
        }
        let same = map::is(stored, new);
        let differs = !same && map::differs(new, stored, ids);
        let records = Records { metadata: differs.then(|| map::metadata_value(new, view.names)) };
        let value = (!same).then(|| Stored::Map(new.into()));
        Ok(Verdict { differs, value, fresh_equal: false, records, epoch_extra: 0 })
    }

    fn fresh(&mut self, group: &GroupView<'_>, view: &View<'_>) -> Stored {
        self.build(group, view, &mut Work::default()).map_or(Stored::Absent, |map| Stored::Map(map.into()))
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
        footprint::of_full_metadata(stored, view.names)
    }

    fn read_from(&self, _topic: TopicId, now: u32) -> u32 {
        now
    }
}
