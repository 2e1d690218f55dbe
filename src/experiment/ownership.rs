//! How long partitions were nobody's, and how long they were read across racks: one group's shares over time.

use std::collections::BTreeMap;

use crate::coordinator::{MemberAssignment, OwnedPartition};
use crate::kafka::{MemberId, MetadataImage, RackId};
use crate::metrics::{AssignBooks, Held};
use crate::sim::Ms;

/// Owned partitions that exist, and of those whose owner has a rack: with and without a replica in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Share {
    owned: u64,
    local: u64,
    remote: u64,
}

/// One group's.
#[derive(Clone, Debug, Default)]
pub(super) struct Ownership {
    /// Counted up to here.
    since: Ms,
    /// Partitions of the topics that it is subscribed to and that exist.
    wanted: u64,
    sum: Share,
    of: BTreeMap<MemberId, Share>,
    /// How many members own so many partitions.
    loads: BTreeMap<u64, u32>,
}

impl Ownership {
    /// Books the time up to `at`.
    pub(super) fn pass(&mut self, at: Ms, books: &mut AssignBooks) {
        let Share { local, remote, .. } = self.sum;
        let most = self.loads.last_key_value().map_or(0, |(load, _)| *load);
        let least = self.loads.first_key_value().map_or(0, |(load, _)| *load);
        let held = Held { unassigned: self.unassigned(), local, remote, imbalance: most - least };
        books.held(self.since, at, &held);
        self.since = self.since.max(at);
    }

    /// Partitions that nobody owns now.
    pub(super) fn unassigned(&self) -> u64 {
        self.wanted.saturating_sub(self.sum.owned)
    }

    /// So many partitions are to be owned from here on.
    pub(super) fn wants(&mut self, partitions: u64) {
        self.wanted = partitions;
    }

    /// A member has something else (`None`: it is gone), or what it has lies elsewhere.
    pub(super) fn set(
        &mut self,
        member: MemberId,
        now: Option<&MemberAssignment>,
        rack: Option<RackId>,
        image: &MetadataImage,
    ) {
        let share = now.map_or(Share::default(), |own| share(&own.assigned, rack, image));
        let before = if now.is_some() { self.of.insert(member, share) } else { self.of.remove(&member) };
        if let Some(load) = before.map(|share| share.owned)
            && let Some(members) = self.loads.get_mut(&load)
        {
            *members -= 1;
            if *members == 0 {
                self.loads.remove(&load);
            }
        }
        if now.is_some() {
            *self.loads.entry(share.owned).or_default() += 1;
        }
        let before = before.unwrap_or_default();
        let change = |sum: &mut u64, before: u64, after: u64| *sum = *sum - before + after;
        change(&mut self.sum.owned, before.owned, share.owned);
        change(&mut self.sum.local, before.local, share.local);
        change(&mut self.sum.remote, before.remote, share.remote);
    }
}

fn share(assigned: &[OwnedPartition], rack: Option<RackId>, image: &MetadataImage) -> Share {
    let mut share = Share::default();
    for partition in assigned {
        let topic = image.topic(partition.topic).filter(|topic| topic.id == partition.id);
        let Some(replicas) = topic.and_then(|topic| topic.partitions.get(partition.partition as usize)) else {
            continue;
        };
        share.owned += 1;
        if rack.is_some() {
            let near = replicas.iter().any(|b| image.registration(*b).is_some_and(|r| r.rack == rack));
            *(if near { &mut share.local } else { &mut share.remote }) += 1;
        }
    }
    share
}
