//! Reading a topic's racks from the image (model: B.1): for each partition the racks of the brokers in its
//! replica list, whether fenced or not. In-sync replicas and leaders have no say.

use smallvec::SmallVec;

use crate::kafka::hash::RackLists;
use crate::kafka::{RackId, TopicId, TopicImage};
use crate::scenario::{RackReading, Switches, Unregistered};

use super::{UnregisteredReplica, View, Work};

/// How a lane reads racks, and the room it reads them into.
#[derive(Clone, Debug)]
pub(super) struct RackReader {
    racks: RackReading,
    unregistered: Unregistered,
    lists: RackLists,
}

impl RackReader {
    pub(super) fn new(switches: &Switches) -> RackReader {
        RackReader { racks: switches.racks, unregistered: switches.unregistered, lists: RackLists::default() }
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
        // by rank, which is Java's order of names
        let mut sorted: SmallVec<[(u32, RackId); 8]> = SmallVec::new();
        let mut racks: SmallVec<[RackId; 8]> = SmallVec::new();
        for replicas in &image.partitions {
            sorted.clear();
            for &broker in replicas {
                match (view.image.registration(broker), self.unregistered) {
                    (Some(registration), _) => {
                        sorted.extend(registration.rack.map(|rack| (view.names.rack(rack).rank, rack)));
                    }
                    (None, Unregistered::Skip) => {}
                    (None, Unregistered::Fail) => return Err(UnregisteredReplica { topic, broker }),
                }
            }
            insertion_sort(&mut sorted);
            if self.racks == RackReading::Set {
                sorted.dedup();
            }
            racks.clear();
            racks.extend(sorted.iter().map(|&(_, rack)| rack));
            self.lists.push(&racks);
        }
        work.partitions_read += image.partitions.len() as u64;
        Ok(&self.lists)
    }
}

/// A replica list has three entries or so.
fn insertion_sort(list: &mut [(u32, RackId)]) {
    for end in 1..list.len() {
        let mut at = end;
        while at > 0 && list[at - 1] > list[at] {
            list.swap(at - 1, at);
            at -= 1;
        }
    }
}
