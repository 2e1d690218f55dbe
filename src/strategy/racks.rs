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
    many: Vec<u64>,
    /// By broker of the image last read from: the key of a replica on it.
    keys: Vec<u64>,
    of_image: Option<u32>,
}

impl RackReader {
    pub(super) fn new(switches: &Switches) -> RackReader {
        RackReader {
            racks: switches.racks,
            unregistered: switches.unregistered,
            lists: RackLists::default(),
            many: Vec::new(),
            keys: Vec::new(),
            of_image: None,
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
        if self.of_image != Some(view.image_no) {
            self.look_up_brokers(view);
        }
        let unregistered = self.unregistered_key();
        let (lists, many, known) = (&mut self.lists, &mut self.many, self.keys.as_slice());
        for replicas in &image.partitions {
            let replicas = replicas.as_slice();
            let mut few = [NOBODY; FEW];
            let keys = if replicas.len() <= FEW {
                few.as_mut_slice()
            } else {
                many.clear();
                many.resize(replicas.len(), NOBODY);
                many.as_mut_slice()
            };
            for (key, &broker) in keys.iter_mut().zip(replicas) {
                *key = known.get(broker.index()).copied().unwrap_or(unregistered);
                if *key == FAILS {
                    return Err(UnregisteredReplica { topic, broker });
                }
            }
            let racks = if replicas.len() <= FEW {
                sort_few(&mut few);
                in_order(&mut few, self.racks)
            } else {
                many.sort_unstable();
                in_order(many, self.racks)
            };
            lists.push(racks.iter().map(|key| rack_of(*key)));
        }
        work.partitions_read += image.partitions.len() as u64;
        Ok(&self.lists)
    }

    fn look_up_brokers(&mut self, view: &View<'_>) {
        let unregistered = self.unregistered_key();
        let key = |registration: &Option<Registration>| match registration {
            Some(Registration { rack: Some(rack) }) => u64::from(view.names.rack(*rack).rank) << 32 | u64::from(rack.0),
            Some(Registration { rack: None }) => NOBODY,
            None => unregistered,
        };
        self.keys.clear();
        self.keys.extend(view.image.brokers.iter().map(key));
        self.of_image = Some(view.image_no);
    }

    fn unregistered_key(&self) -> u64 {
        match self.unregistered {
            Unregistered::Skip => NOBODY,
            Unregistered::Fail => FAILS,
        }
    }
}

/// Replicas that a partition mostly has, at most.
const FEW: usize = 4;

/// The key of a replica without a rack; others have the rack's place in Java's order above, its id below.
const NOBODY: u64 = u64::MAX;

/// The key of a replica on a broker that is not registered, where that is a failure.
const FAILS: u64 = NOBODY - 1;

#[expect(clippy::cast_possible_truncation, reason = "the id is the lower half")]
fn rack_of(key: u64) -> RackId {
    RackId(key as u32)
}

/// Without a branch: which of three racks is first is a toss, and a wrong guess costs more than the whole sort.
fn sort_few(keys: &mut [u64; FEW]) {
    for (a, b) in [(0, 1), (2, 3), (0, 2), (1, 3), (1, 2)] {
        (keys[a], keys[b]) = (keys[a].min(keys[b]), keys[a].max(keys[b]));
    }
}

/// What of sorted keys is racks; in a set each once.
fn in_order(keys: &mut [u64], racks: RackReading) -> &[u64] {
    let mut count = keys.len();
    while count > 0 && keys[count - 1] == NOBODY {
        count -= 1;
    }
    if racks == RackReading::Set && keys[..count].is_sorted_by(|a, b| a < b) {
        return &keys[..count];
    }
    if racks == RackReading::Set {
        let mut kept = 0;
        for place in 0..count {
            if kept == 0 || keys[kept - 1] != keys[place] {
                keys[kept] = keys[place];
                kept += 1;
            }
        }
        count = kept;
    }
    &keys[..count]
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
