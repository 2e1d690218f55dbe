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
    /// The racks of a partition with many replicas.
    many: Vec<Ranked>,
    /// By [`RackId`], its place in Java's order of names; of one run's names.
    ranks: Vec<u32>,
}

impl RackReader {
    pub(super) fn new(switches: &Switches) -> RackReader {
        RackReader {
            racks: switches.racks,
            unregistered: switches.unregistered,
            lists: RackLists::default(),
            many: Vec::new(),
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
            image.partitions.iter().for_each(|_| self.lists.push([]));
            return Ok(&self.lists);
        }
        if self.ranks.len() != view.names.racks() {
            self.ranks = (0..view.names.racks()).map(|rack| view.names.rack(RackId::at(rack)).rank).collect();
        }
        let (lists, many) = (&mut self.lists, &mut self.many);
        let ranks = self.ranks.as_slice();
        for replicas in &image.partitions {
            let replicas = replicas.as_slice();
            // mostly three: kept out of memory's reach
            let mut few = [Ranked::default(); FEW];
            let sorted = if replicas.len() <= FEW {
                few.as_mut_slice()
            } else {
                many.resize(replicas.len(), Ranked::default());
                many.as_mut_slice()
            };
            let mut count = 0;
            for &broker in replicas {
                match (view.image.registration(broker), self.unregistered) {
                    (Some(Registration { rack: Some(rack) }), _) => {
                        insert(sorted, &mut count, Ranked { rank: ranks[rack.index()], rack }, self.racks);
                    }
                    (Some(Registration { rack: None }), _) | (None, Unregistered::Skip) => {}
                    (None, Unregistered::Fail) => return Err(UnregisteredReplica { topic, broker }),
                }
            }
            lists.push(sorted[..count].iter().map(|ranked| ranked.rack));
        }
        work.partitions_read += image.partitions.len() as u64;
        Ok(&self.lists)
    }
}

/// Replicas that a partition mostly has, at most.
const FEW: usize = 4;

/// A rack and its place in Java's order of names.
#[derive(Clone, Copy, Debug, Default)]
struct Ranked {
    rank: u32,
    rack: RackId,
}

/// Into its place among the first `count`: there are three or so. A set takes each once.
fn insert(sorted: &mut [Ranked], count: &mut usize, new: Ranked, racks: RackReading) {
    let mut at = *count;
    while at > 0 && sorted[at - 1].rank > new.rank {
        at -= 1;
    }
    if racks == RackReading::Set && at > 0 && sorted[at - 1].rank == new.rank {
        return;
    }
    for place in (at..*count).rev() {
        sorted[place + 1] = sorted[place];
    }
    sorted[at] = new;
    *count += 1;
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
