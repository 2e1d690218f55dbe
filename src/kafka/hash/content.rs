//! What a topic's hash is taken of, and the flat lists that hold its racks without one allocation per
//! partition.

use crate::kafka::{JavaName, RackId, Uuid};

/// A topic as a hash sees it.
#[derive(Clone, Copy, Debug)]
pub struct TopicContent<'a> {
    /// Its id; `None`: left out (`include_topic_id: false`).
    pub id: Option<Uuid>,
    /// Its name.
    pub name: &'a JavaName,
    /// The racks of its partitions.
    pub racks: &'a RackLists,
}

/// The racks of each partition of one topic, each list in Java's order of names. Meant to be reused:
/// [`RackLists::clear`] keeps the room.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RackLists {
    racks: Vec<RackId>,
    /// By partition, where its racks end.
    ends: Vec<u32>,
}

impl RackLists {
    /// No partitions.
    pub fn clear(&mut self) {
        self.racks.clear();
        self.ends.clear();
    }

    /// The next partition, with its racks in Java's order of names.
    pub fn push(&mut self, racks: &[RackId]) {
        self.racks.extend_from_slice(racks);
        self.ends.push(u32::try_from(self.racks.len()).expect("fewer than 2^32 replicas in a topic"));
    }

    /// How many partitions there are.
    #[must_use]
    pub fn partitions(&self) -> u32 {
        u32::try_from(self.ends.len()).expect("fewer than 2^32 partitions in a topic")
    }

    /// The racks of each partition, by number.
    pub fn iter(&self) -> impl Iterator<Item = &[RackId]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let list = &self.racks[start..end as usize];
            start = end as usize;
            list
        })
    }
}
