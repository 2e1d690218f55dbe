//! Reading a topic's racks from the image (model: B.1): for each partition the racks of the brokers in its
//! replica list, whether fenced or not. In-sync replicas and leaders have no say.

use crate::kafka::hash::RackLists;
use crate::kafka::{BrokerId, RackId, Registration, TopicId, TopicImage};
use crate::scenario::{RackReading, Switches, Unregistered};

use super::{UnregisteredReplica, Values, View, Work};

/// How a lane reads racks.
#[derive(Clone, Debug)]
pub(super) struct RackReader {
    racks: RackReading,
    unregistered: Unregistered,
    /// The racks of a partition with many replicas.
    many: Vec<u64>,
    /// By broker of the image last read from: the key of a replica on it.
    keys: Vec<u64>,
    /// The same as bits, where racks are sets and few enough.
    bits: Option<RackBits>,
    of_image: Option<u32>,
}

/// Racks as bits, the first in Java's order lowest: a partition's set is one word, in order without sorting.
#[derive(Clone, Debug, Default)]
struct RackBits {
    /// By broker; [`FAILS_BIT`] where reading it fails.
    of_broker: Vec<u64>,
    /// What an unregistered broker has.
    unregistered: u64,
    /// By bit.
    racks: Vec<RackId>,
}

/// The bit of a replica on a broker that is not registered, where that is a failure.
const FAILS_BIT: u64 = 1 << 63;

impl RackReader {
    pub(super) fn new(switches: &Switches) -> RackReader {
        RackReader {
            racks: switches.racks,
            unregistered: switches.unregistered,
            many: Vec::new(),
            keys: Vec::new(),
            bits: None,
            of_image: None,
        }
    }

    /// Reads the racks of every partition into `lists`, each list in Java's order of names. With `racks: ignored` all
    /// are empty and no registration is looked up, so that nothing can fail.
    pub(super) fn read(
        &mut self,
        topic: TopicId,
        image: &TopicImage,
        view: &View<'_>,
        work: &mut Work,
        lists: &mut RackLists,
    ) -> Result<(), UnregisteredReplica> {
        lists.clear();
        if self.racks == RackReading::Ignored {
            image.partitions.iter().for_each(|_| lists.push([]));
            return Ok(());
        }
        if self.of_image != Some(view.image_no) {
            self.look_up_brokers(view);
        }
        let read = match &self.bits {
            Some(bits) => bits.read(image, lists),
            None => self.sort(image, lists),
        };
        read.map_err(|broker| UnregisteredReplica { topic, broker })?;
        work.partitions_read += image.partitions.len() as u64;
        Ok(())
    }

    /// Counted mode's values, where they stand for what reading this image would give: not where it may fail.
    pub(super) fn shared<'a>(&mut self, view: &View<'a>) -> Option<&'a Values<'a>> {
        let values = view.values?;
        if self.unregistered == Unregistered::Skip || self.racks == RackReading::Ignored {
            return Some(values);
        }
        if self.of_image != Some(view.image_no) {
            self.look_up_brokers(view);
        }
        (!self.keys.contains(&FAILS)).then_some(values)
    }

    /// The general way, by sorting. The broker that fails it, if one does.
    fn sort(&mut self, image: &TopicImage, lists: &mut RackLists) -> Result<(), BrokerId> {
        let unregistered = self.unregistered_key();
        let (many, known) = (&mut self.many, self.keys.as_slice());
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
                    return Err(broker);
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
        Ok(())
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
        self.bits = if self.racks == RackReading::Set { RackBits::of(&self.keys, unregistered) } else { None };
        self.of_image = Some(view.image_no);
    }

    fn unregistered_key(&self) -> u64 {
        match self.unregistered {
            Unregistered::Skip => NOBODY,
            Unregistered::Fail => FAILS,
        }
    }
}

impl RackBits {
    /// `None` if there are too many racks for a word.
    fn of(keys: &[u64], unregistered: u64) -> Option<RackBits> {
        let mut sorted: Vec<u64> = keys.iter().copied().filter(|key| *key < FAILS).collect();
        sorted.sort_unstable();
        sorted.dedup();
        if sorted.len() >= FAILS_BIT.trailing_zeros() as usize {
            return None;
        }
        let bit = |key: u64| match key {
            NOBODY => 0,
            FAILS => FAILS_BIT,
            racked => 1 << sorted.partition_point(|known| *known < racked),
        };
        Some(RackBits {
            of_broker: keys.iter().map(|key| bit(*key)).collect(),
            unregistered: bit(unregistered),
            racks: sorted.iter().map(|key| rack_of(*key)).collect(),
        })
    }

    fn of_replica(&self, broker: BrokerId) -> u64 {
        self.of_broker.get(broker.index()).copied().unwrap_or(self.unregistered)
    }

    fn read(&self, image: &TopicImage, lists: &mut RackLists) -> Result<(), BrokerId> {
        let racks = |set| Bits { set, racks: &self.racks };
        let (mut run, mut partitions) = (0, 0);
        for replicas in &image.partitions {
            let replicas = replicas.as_slice();
            let set = match *replicas {
                // most topics have three, and a loop over so few costs more than what is in it
                [a, b, c] => self.of_replica(a) | self.of_replica(b) | self.of_replica(c),
                _ => replicas.iter().fold(0, |set, broker| set | self.of_replica(*broker)),
            };
            if set == run {
                partitions += 1;
                continue;
            }
            if set & FAILS_BIT != 0 {
                let fails = |broker: &&BrokerId| self.of_replica(**broker) == FAILS_BIT;
                return Err(*replicas.iter().find(fails).expect("one of them set the bit"));
            }
            // another set is another list
            if partitions > 0 {
                lists.push_other(racks(run), partitions);
            }
            (run, partitions) = (set, 1);
        }
        if partitions > 0 {
            lists.push_other(racks(run), partitions);
        }
        Ok(())
    }
}

/// The racks of a set, one after the other.
#[derive(Clone)]
struct Bits<'a> {
    set: u64,
    racks: &'a [RackId],
}

impl Iterator for Bits<'_> {
    type Item = RackId;

    fn next(&mut self) -> Option<RackId> {
        let rack = *self.racks.get(self.set.trailing_zeros() as usize)?;
        self.set &= self.set - 1;
        Some(rack)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.set.count_ones() as usize;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Bits<'_> {}

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
    use proptest::prelude::*;

    use crate::kafka::{MetadataImage, NameTable, Uuid};
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
        let view = View { image: &image, image_no: 0, names: &names, values: None };
        let switches = crate::scenario::Switches { racks, unregistered, ..StrategyKind::GroupHash.defaults() };
        let mut reader = RackReader::new(&switches);
        let mut lists = RackLists::default();
        reader.read(TopicId(0), &topic, &view, &mut Work::default(), &mut lists).map_err(|found| found.broker.0)?;
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

    /// A broker: unregistered, without a rack, or in one of eight racks.
    fn registrations() -> impl Strategy<Value = Vec<Option<Registration>>> {
        let one = prop_oneof![Just(None), Just(Some(None)), (0u32..8).prop_map(|rack| Some(Some(RackId(rack))))];
        prop::collection::vec(one.prop_map(|broker| broker.map(|rack| Registration { rack })), 1..9)
    }

    proptest! {
        #[test]
        fn sets_as_bits_are_sets_by_sorting(
            brokers in registrations(),
            replicas in prop::collection::vec(prop::collection::vec(0u32..10, 1..7), 0..6),
            fails in any::<bool>(),
        ) {
            // Java's order is another than that of the ids
            let names = NameTable::new(&[], &["r7", "r10", "a", "r2", "B", "r1", "z", "r70"].map(String::from));
            let partitions = replicas.iter().map(|list| list.iter().map(|&broker| BrokerId(broker)).collect()).collect();
            let topic = TopicImage { id: Uuid::default(), partitions };
            let image = MetadataImage { topics: vec![], brokers };
            let unregistered = if fails { Unregistered::Fail } else { Unregistered::Skip };
            let view = View { image: &image, image_no: 0, names: &names, values: None };
            let mut reader = RackReader::new(&crate::scenario::Switches {
                racks: RackReading::Set, unregistered, ..StrategyKind::GroupHash.defaults()
            });
            reader.look_up_brokers(&view);
            let (mut sorted, mut bits) = (RackLists::default(), RackLists::default());
            let by_sorting = reader.sort(&topic, &mut sorted);
            prop_assert_eq!(by_sorting, reader.bits.as_ref().expect("eight racks fit").read(&topic, &mut bits));
            if by_sorting.is_ok() {
                prop_assert_eq!(sorted, bits);
            }
        }
    }

    #[test]
    fn more_racks_than_a_word_has_bits_are_sorted() {
        let keys: Vec<u64> = (0..63).map(|rack| rack << 32 | rack).collect();
        assert!(RackBits::of(&keys, NOBODY).is_none());
        assert_eq!(RackBits::of(&keys[1..], NOBODY).map(|bits| bits.of_broker[61]), Some(1 << 61));
    }
}
