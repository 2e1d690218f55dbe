//! The books of what rebalances cost groups with an assignor: totals, by what was behind a target, and over time.

use std::collections::BTreeMap;

use crate::sim::Ms;
use crate::world::Origin;

use super::Assigned;

/// A target that was computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dealing {
    /// Partitions whose target is another member than before.
    pub moves: u64,
    /// Members whose target is another than before.
    pub disturbed: u64,
    /// It is the same as before.
    pub same: bool,
    /// Only needless rebalances asked for it.
    pub needless: bool,
}

/// One row of moves.csv, less its keys: targets by what was behind them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "named as the columns; docs/files.md says what each is")]
pub struct MovesBy {
    pub assignments: u64,
    pub same: u64,
    pub moves: u64,
    pub moves_wasted: u64,
    pub members_disturbed: u64,
}

/// One row of ownership.csv, less its keys: who had what within a bucket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "named as the columns; docs/files.md says what each is")]
pub struct OwnershipBucket {
    pub start: Ms,
    pub assignments: u64,
    pub moves: u64,
    pub unassigned_partition_ms: u64,
    pub local_partition_ms: u64,
    pub remote_partition_ms: u64,
    pub imbalance_max: u64,
}

/// What a group's members have for a while.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// Partitions that nobody has.
    pub unassigned: u64,
    /// Partitions of members with a rack that have a replica in it, and that have none.
    pub local: u64,
    /// See there.
    pub remote: u64,
    /// Partitions of the member with most, less those of the member with fewest.
    pub imbalance: u64,
}

/// Running totals of one lane.
#[derive(Clone, Debug, Default)]
pub struct AssignBooks {
    warmup: Ms,
    width: Ms,
    /// The columns of outcomes.csv.
    pub totals: Assigned,
    by: BTreeMap<(Origin, Origin), MovesBy>,
    buckets: Vec<OwnershipBucket>,
}

impl AssignBooks {
    /// Empty books over a run, which count from `warmup` on.
    #[must_use]
    pub fn new(duration: Ms, warmup: Ms, width: Ms) -> AssignBooks {
        let bucket = |i| OwnershipBucket { start: Ms(i * width.0), ..OwnershipBucket::default() };
        let buckets = (0..duration.0.div_ceil(width.0)).map(bucket).collect();
        AssignBooks { warmup, width, buckets, ..AssignBooks::default() }
    }

    /// Does what happens then count?
    #[must_use]
    pub fn counts_at(&self, at: Ms) -> bool {
        at >= self.warmup
    }

    /// A target was computed, because of what `by` (cause and trigger) says.
    pub fn dealt(&mut self, at: Ms, by: (Origin, Origin), dealing: Dealing) {
        if !self.counts_at(at) {
            return;
        }
        let wasted = if dealing.needless { dealing.moves } else { 0 };
        self.totals.assignments += 1;
        self.totals.moves += dealing.moves;
        self.totals.moves_wasted += wasted;
        self.totals.members_disturbed += dealing.disturbed;
        let row = self.by.entry(by).or_default();
        row.assignments += 1;
        row.same += u64::from(dealing.same);
        row.moves += dealing.moves;
        row.moves_wasted += wasted;
        row.members_disturbed += dealing.disturbed;
        let place = self.bucket_of(at);
        if let Some(bucket) = self.buckets.get_mut(place) {
            bucket.assignments += 1;
            bucket.moves += dealing.moves;
        }
    }

    /// A group's members had this from `since` to `until`.
    pub fn held(&mut self, since: Ms, until: Ms, held: &Held) {
        let mut from = since.max(self.warmup);
        while from < until {
            let place = self.bucket_of(from);
            let to = until.min(Ms((place as u64 + 1) * self.width.0));
            let time = to.since(from).0;
            self.totals.unassigned_partition_ms += held.unassigned * time;
            self.totals.local_partition_ms += held.local * time;
            self.totals.remote_partition_ms += held.remote * time;
            if let Some(bucket) = self.buckets.get_mut(place) {
                bucket.unassigned_partition_ms += held.unassigned * time;
                bucket.local_partition_ms += held.local * time;
                bucket.remote_partition_ms += held.remote * time;
                bucket.imbalance_max = bucket.imbalance_max.max(held.imbalance);
            }
            from = to;
        }
    }

    fn bucket_of(&self, at: Ms) -> usize {
        usize::try_from(at.0 / self.width.0.max(1)).unwrap_or(usize::MAX)
    }

    /// Totals, by cause and trigger in order of origins, by bucket.
    #[must_use]
    pub fn close(self) -> AssignedLane {
        AssignedLane { totals: self.totals, by: self.by.into_iter().collect(), buckets: self.buckets }
    }
}

/// What the books of one lane come to; empty where no group has an assignor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AssignedLane {
    /// The columns of outcomes.csv.
    pub totals: Assigned,
    /// By cause and trigger, in order of origins.
    pub by: Vec<((Origin, Origin), MovesBy)>,
    /// By bucket.
    pub buckets: Vec<OwnershipBucket>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_cut_by_buckets_and_by_the_warm_up() {
        let mut books = AssignBooks::new(Ms(100), Ms(15), Ms(30));
        let held = |imbalance| Held { unassigned: 1, local: 2, remote: 3, imbalance };
        books.held(Ms(0), Ms(10), &held(9));
        books.held(Ms(10), Ms(70), &held(4));
        books.held(Ms(70), Ms(70), &held(9));
        books.held(Ms(70), Ms(100), &held(1));
        let closed = books.close();
        assert_eq!(closed.totals.unassigned_partition_ms, 85);
        assert_eq!((closed.totals.local_partition_ms, closed.totals.remote_partition_ms), (170, 255));
        let rows: Vec<(u64, u64, u64)> =
            closed.buckets.iter().map(|b| (b.start.0, b.unassigned_partition_ms, b.imbalance_max)).collect();
        assert_eq!(rows, [(0, 15, 4), (30, 30, 4), (60, 30, 4), (90, 10, 1)]);
    }

    #[test]
    fn a_target_counts_for_what_was_behind_it() {
        let mut books = AssignBooks::new(Ms(100), Ms(50), Ms(30));
        let (a, b) = ((Origin::Entry(0), Origin::Entry(1)), (Origin::Start, Origin::Start));
        books.dealt(Ms(10), a, Dealing { moves: 7, ..Dealing::default() });
        books.dealt(Ms(60), a, Dealing { moves: 5, disturbed: 2, needless: true, same: false });
        books.dealt(Ms(61), a, Dealing { same: true, ..Dealing::default() });
        books.dealt(Ms(99), b, Dealing { moves: 1, disturbed: 2, ..Dealing::default() });
        let closed = books.close();
        let row = MovesBy { assignments: 2, same: 1, moves: 5, moves_wasted: 5, members_disturbed: 2 };
        assert_eq!(closed.by.iter().find(|(by, _)| *by == a).unwrap().1, row);
        assert_eq!(closed.by.len(), 2);
        assert_eq!((closed.totals.assignments, closed.totals.moves, closed.totals.moves_wasted), (3, 6, 5));
        assert_eq!(closed.buckets.iter().map(|b| b.moves).collect::<Vec<_>>(), [0, 0, 5, 1]);
    }
}
