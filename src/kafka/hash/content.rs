//! What a topic's hash is taken of, and the flat lists that hold its racks without one allocation per
//! partition.

use smallvec::SmallVec;

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

/// The racks of each partition of one topic, each list in Java's order of names. Neighbours mostly have the same
/// racks (with as many replicas as racks all do), so they are kept as runs, each as long as can be: equal lists are
/// equal values. A few runs take no memory of their own. Meant to be reused: [`RackLists::clear`] keeps the room.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RackLists {
    /// The racks of each run, one after another.
    racks: SmallVec<[RackId; 8]>,
    runs: SmallVec<[Run; 2]>,
    /// Where the racks of the last run begin.
    last: u32,
    partitions: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    /// Where its racks end.
    end: u32,
    partitions: u32,
}

/// What nobody has.
const FEW: &str = "fewer than 2^32 partitions and racks in a topic";

impl RackLists {
    /// No partitions.
    pub fn clear(&mut self) {
        self.racks.clear();
        self.runs.clear();
        self.last = 0;
        self.partitions = 0;
    }

    /// The next partition, with its racks in Java's order of names.
    ///
    /// # Panics
    /// With 2^32 partitions.
    pub fn push(&mut self, racks: impl IntoIterator<IntoIter = impl ExactSizeIterator<Item = RackId> + Clone>) {
        self.push_run(racks, 1);
    }

    /// So many partitions (or none), all with these racks in Java's order of names.
    ///
    /// # Panics
    /// With 2^32 partitions.
    pub fn push_run(
        &mut self,
        racks: impl IntoIterator<IntoIter = impl ExactSizeIterator<Item = RackId> + Clone>,
        partitions: u32,
    ) {
        if partitions == 0 {
            return;
        }
        let racks = racks.into_iter();
        // element by element: a comparison of slices of any length is a call
        let same = |run: &[RackId]| run.len() == racks.len() && run.iter().zip(racks.clone()).all(|(a, b)| *a == b);
        if let Some(run) = self.runs.last_mut()
            && same(&self.racks[self.last as usize..])
        {
            run.partitions += partitions;
            self.partitions = self.partitions.checked_add(partitions).expect(FEW);
        } else {
            self.push_other(racks, partitions);
        }
    }

    /// So many partitions, one at least, whose racks are known to be others than those of the partition before.
    ///
    /// # Panics
    /// With 2^32 partitions or racks.
    pub(crate) fn push_other(&mut self, racks: impl Iterator<Item = RackId>, partitions: u32) {
        self.partitions = self.partitions.checked_add(partitions).expect(FEW);
        let length = |racks: &[RackId]| u32::try_from(racks.len()).expect(FEW);
        self.last = length(&self.racks);
        racks.for_each(|rack| self.racks.push(rack));
        let end = length(&self.racks);
        self.runs.push(Run { end, partitions });
    }

    /// How many partitions there are.
    #[must_use]
    pub const fn partitions(&self) -> u32 {
        self.partitions
    }

    /// How many racks a partition has, at most.
    #[must_use]
    pub fn most(&self) -> usize {
        self.runs().map(|(racks, _)| racks.len()).max().unwrap_or(0)
    }

    /// The racks of neighbours that have the same, and how many they are.
    pub fn runs(&self) -> impl Iterator<Item = (&[RackId], u32)> {
        let mut start = 0;
        self.runs.iter().map(move |run| {
            let racks = &self.racks[start..run.end as usize];
            start = run.end as usize;
            (racks, run.partitions)
        })
    }

    /// The racks of each partition, by number.
    pub fn iter(&self) -> impl Iterator<Item = &[RackId]> {
        self.runs().flat_map(|(racks, partitions)| (0..partitions).map(move |_| racks))
    }
}
