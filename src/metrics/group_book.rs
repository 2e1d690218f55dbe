//! One group's rebalances: its row of groups.csv.

use smallvec::SmallVec;

use crate::sim::Ms;

use super::{Bump, Counts, GroupOutcome, Origin};

/// What is booked of a group.
#[derive(Clone, Default)]
pub(super) struct GroupBook {
    pub(super) counts: Counts,
    first: Option<Ms>,
    last: Option<Ms>,
    /// How many of its rebalances have which cause: mostly one.
    causes: SmallVec<[(Origin, u32); 1]>,
}

impl GroupBook {
    /// A rebalance that counts.
    pub(super) fn bump(&mut self, bump: &Bump) {
        self.counts.add(bump.verdict);
        self.first.get_or_insert(bump.at);
        self.last = Some(bump.at);
        match self.causes.iter_mut().find(|(cause, _)| *cause == bump.cause) {
            Some((_, count)) => *count += 1,
            None => self.causes.push((bump.cause, 1)),
        }
    }

    /// Its part of the row.
    pub(super) fn fill(&self, row: &mut GroupOutcome) {
        row.counts = self.counts;
        row.first = self.first;
        row.last = self.last;
        // the cause of most of its rebalances, of equal ones the first
        let most = self.causes.iter().max_by_key(|(cause, count)| (*count, std::cmp::Reverse(*cause)));
        row.main_cause = most.map(|(cause, _)| *cause);
    }
}
