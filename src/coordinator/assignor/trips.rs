//! Where `sticky` has sent partitions within one assignment: none of a topic is to go from one member to another while
//! one of the same topic goes the opposite way.

use std::collections::BTreeMap;

use crate::kafka::java::string_hash;

use super::{Topic, TopicPartition};

/// From whom to whom.
type Way = (usize, usize);

/// The partitions that are on their way.
pub(super) struct Trips {
    names: Vec<i32>,
    of: BTreeMap<TopicPartition, Way>,
    by_way: BTreeMap<(usize, Way), HashSet>,
}

impl Trips {
    /// None yet.
    pub(super) fn of(topics: &[Topic]) -> Trips {
        let names = topics.iter().map(|topic| string_hash(&topic.name)).collect();
        Trips { names, of: BTreeMap::new(), by_way: BTreeMap::new() }
    }

    /// Who had a partition before its trip.
    pub(super) fn origin(&self, tp: TopicPartition) -> Option<usize> {
        self.of.get(&tp).map(|(from, _)| *from)
    }

    /// A partition of the topic that went that way.
    pub(super) fn back(&self, topic: usize, from: usize, to: usize) -> Option<TopicPartition> {
        let set = self.by_way.get(&(topic, (from, to)))?;
        Some(TopicPartition { topic, partition: set.first()? })
    }

    /// A partition goes on, or home.
    pub(super) fn go(&mut self, tp: TopicPartition, from: usize, to: usize) {
        let mut origin = from;
        if let Some(way) = self.of.remove(&tp) {
            origin = way.0;
            if let Some(set) = self.by_way.get_mut(&(tp.topic, way)) {
                set.remove(tp.partition);
                if set.is_empty() {
                    self.by_way.remove(&(tp.topic, way));
                }
            }
        }
        if origin != to {
            let way = (origin, to);
            self.of.insert(tp, way);
            self.by_way.entry((tp.topic, way)).or_default().insert(tp.partition, self.names[tp.topic]);
        }
    }
}

/// Partitions of a topic in Java's `HashSet`, of which the first is asked for: it grows, and does not shrink again.
#[derive(Default)]
struct HashSet {
    /// Partition and hash, as they came.
    items: Vec<(usize, u32)>,
    most: usize,
}

impl HashSet {
    fn insert(&mut self, partition: usize, name: i32) {
        let number = i32::try_from(partition).unwrap_or(i32::MAX);
        let hash = number.wrapping_add(31).wrapping_mul(31).wrapping_add(name).cast_unsigned();
        self.items.push((partition, hash ^ (hash >> 16)));
        self.most = self.most.max(self.items.len());
    }

    fn remove(&mut self, partition: usize) {
        self.items.retain(|(p, _)| *p != partition);
    }

    fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    fn first(&self) -> Option<usize> {
        let mut buckets = 16;
        while buckets * 3 < self.most * 4 {
            buckets *= 2;
        }
        let mask = u32::try_from(buckets - 1).unwrap_or(u32::MAX);
        self.items.iter().min_by_key(|(_, hash)| hash & mask).map(|(partition, _)| *partition)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kafka::Uuid;

    fn trips() -> Trips {
        Trips::of(&[Topic { name: "t".to_owned(), id: Uuid::default(), partitions: Vec::new() }])
    }

    fn tp(partition: usize) -> TopicPartition {
        TopicPartition { topic: 0, partition }
    }

    #[test]
    fn a_trip_goes_on_from_where_it_began_and_is_over_at_home() {
        let mut trips = trips();
        trips.go(tp(7), 1, 2);
        trips.go(tp(7), 2, 3);
        assert_eq!((trips.origin(tp(7)), trips.back(0, 1, 2), trips.back(0, 1, 3)), (Some(1), None, Some(tp(7))));
        trips.go(tp(7), 3, 1);
        assert_eq!((trips.origin(tp(7)), trips.back(0, 1, 3)), (None, None));
    }

    #[test]
    fn of_several_the_first_in_java_s_order_comes_back() {
        // 31 · (31 + p) + 116: of 16 buckets partitions 0, 1 and 2 are in number 5, 4 and 3
        let mut trips = trips();
        for (partition, first) in [(0, 0), (1, 1), (2, 2)] {
            trips.go(tp(partition), 1, 2);
            assert_eq!(trips.back(0, 1, 2), Some(tp(first)));
        }
        // 13 need 32 buckets, and those stay when ten have gone: 0, 1 and 2 are in 21, 20 and 19 now, and 17 is in 4
        for partition in 100..110 {
            trips.go(tp(partition), 1, 2);
        }
        (100..110).for_each(|partition| trips.go(tp(partition), 2, 1));
        trips.go(tp(17), 1, 2);
        assert_eq!(trips.back(0, 1, 2), Some(tp(17)));
    }
}
