//! Reading a topic's racks from the image (model: B.1): for each partition the racks of the brokers in its
//! replica list, whether fenced or not. In-sync replicas and leaders have no say.

use crate::kafka::hash::RackLists;
use crate::kafka::{RackId, Registration, TopicId, TopicImage};
use crate::scenario::{RackReading, Switches, Unregistered};

use super::{UnregisteredReplica, View, Work};

/// How a lane reads racks, and the room it reads them into.
#[derive(Clone, Debug)]
pub(super) struct RackReader {
    racks: RackReading,
    unregistered: Unregistered,
    lists: RackLists,
    /// The racks of the partition being read.
    sorted: Vec<RackId>,
    /// By [`RackId`], its place in Java's order of names; of one run's names.
    ranks: Vec<u32>,
}

impl RackReader {
    pub(super) fn new(switches: &Switches) -> RackReader {
        RackReader {
            racks: switches.racks,
            unregistered: switches.unregistered,
            lists: RackLists::default(),
            sorted: Vec::new(),
            ranks: Vec::new(),
        }
    }

    /// The racks of every partition, each list in Java's order of names. With `racks: ignored` all are empty and no
    /// registration is looked up, so that nothing can fail.
    pub(super) fn read(
        &mut self,
        topic: TopicId,
        image: &TopicImage,
        view: &View<'_>,
        work: &mut Work,
    ) -> Result<&RackLists, UnregisteredReplica> {
        self.lists.clear();
        if self.racks == RackReading::Ignored {
            image.partitions.iter().for_each(|_| self.lists.push(&[]));
            return Ok(&self.lists);
        }
        if self.ranks.len() != view.names.racks() {
            self.ranks = (0..view.names.racks()).map(|rack| view.names.rack(RackId::at(rack)).rank).collect();
        }
        for replicas in &image.partitions {
            self.sorted.clear();
            for &broker in replicas.as_slice() {
                match (view.image.registration(broker), self.unregistered) {
                    (Some(Registration { rack: Some(rack) }), _) => self.insert(rack),
                    (Some(Registration { rack: None }), _) | (None, Unregistered::Skip) => {}
                    (None, Unregistered::Fail) => return Err(UnregisteredReplica { topic, broker }),
                }
            }
            self.lists.push(&self.sorted);
        }
        work.partitions_read += image.partitions.len() as u64;
        Ok(&self.lists)
    }

    /// Into its place among the partition's racks so far: there are three or so.
    fn insert(&mut self, rack: RackId) {
        let rank = self.ranks[rack.index()];
        let mut at = self.sorted.len();
        while at > 0 && self.ranks[self.sorted[at - 1].index()] > rank {
            at -= 1;
        }
        let is_there = at > 0 && self.sorted[at - 1] == rack;
        if self.racks == RackReading::Multiset || !is_there {
            self.sorted.insert(at, rack);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kafka::{BrokerId, MetadataImage, NameTable, Uuid};
    use crate::scenario::StrategyKind;

    /// Natural order r2, r9, r10; Java's order r10, r2, r9. Broker 3 has no rack, broker 4 is unregistered.
    fn read(racks: RackReading, unregistered: Unregistered, replicas: &[u32]) -> Result<Vec<u32>, u32> {
        let names = NameTable::new(&[], &["r2", "r9", "r10"].map(String::from));
        let racked = |rack| Some(Registration { rack });
        let mut brokers: Vec<_> = (0..3).map(|rack| racked(Some(RackId(rack)))).collect();
        brokers.push(racked(None));
        let image = MetadataImage { topics: vec![], brokers };
        let partitions = vec![replicas.iter().map(|&broker| BrokerId(broker)).collect()];
        let topic = TopicImage { id: Uuid::default(), partitions };
        let view = View { image: &image, image_no: 0, names: &names };
        let switches = crate::scenario::Switches { racks, unregistered, ..StrategyKind::GroupHash.defaults() };
        let mut reader = RackReader::new(&switches);
        let lists = reader.read(TopicId(0), &topic, &view, &mut Work::default()).map_err(|found| found.broker.0)?;
        Ok(lists.iter().flatten().map(|rack| rack.0).collect())
    }

    #[test]
    fn racks_come_in_javas_order_each_once_or_as_often_as_replicas_have_them() {
        use Unregistered::{Fail, Skip};
        assert_eq!(read(RackReading::Multiset, Fail, &[1, 0, 3, 2, 1, 0]), Ok(vec![2, 0, 0, 1, 1]));
        assert_eq!(read(RackReading::Set, Fail, &[1, 0, 3, 2, 1, 0]), Ok(vec![2, 0, 1]));
        assert_eq!(read(RackReading::Ignored, Fail, &[1, 0, 4]), Ok(vec![]));
        assert_eq!(read(RackReading::Set, Skip, &[1, 4, 0]), Ok(vec![0, 1]));
        assert_eq!(read(RackReading::Set, Fail, &[1, 4, 0]), Err(4));
    }
}
