//! Rebalances by what changed and what made it visible: the rows of causes.csv.

use rustc_hash::FxHashMap;

use crate::kafka::GroupId;

use super::{BumpVerdict, CauseCounts, Counts, Origin};

/// What changed, and what made it visible.
type Pair = (Origin, Origin);

/// All pairs so far.
#[derive(Clone, Default)]
pub(super) struct Causes {
    pairs: Vec<(Pair, CauseBook)>,
    places: FxHashMap<Pair, usize>,
    /// Where the newest one stands: mostly the next one's place, too.
    latest: usize,
}

#[derive(Clone, Default)]
struct CauseBook {
    counts: Counts,
    /// One bit a group.
    hit: Vec<u64>,
    groups_hit: u64,
}

impl Causes {
    /// A group's rebalance.
    pub(super) fn add(&mut self, cause: Origin, trigger: Origin, verdict: BumpVerdict, group: GroupId) {
        let book = self.book((cause, trigger));
        book.counts.add(verdict);
        book.hit(group);
    }

    /// A missed change.
    pub(super) fn missed(&mut self, cause: Origin, trigger: Origin) {
        self.book((cause, trigger)).counts.missed += 1;
    }

    fn book(&mut self, pair: Pair) -> &mut CauseBook {
        if self.pairs.get(self.latest).is_none_or(|(latest, _)| *latest != pair) {
            let next = self.pairs.len();
            self.latest = *self.places.entry(pair).or_insert(next);
            if self.latest == next {
                self.pairs.push((pair, CauseBook::default()));
            }
        }
        &mut self.pairs[self.latest].1
    }

    /// In order of origins.
    pub(super) fn rows(&self) -> Vec<CauseCounts> {
        let row = |((cause, trigger), book): &(Pair, CauseBook)| CauseCounts {
            cause: *cause,
            trigger: *trigger,
            counts: book.counts,
            groups_hit: book.groups_hit,
        };
        let mut rows: Vec<CauseCounts> = self.pairs.iter().map(row).collect();
        rows.sort_unstable_by_key(|row| (row.cause, row.trigger));
        rows
    }
}

impl CauseBook {
    fn hit(&mut self, group: GroupId) {
        let (word, bit) = (group.index() / 64, 1u64 << (group.index() % 64));
        if word >= self.hit.len() {
            self.hit.resize(word + 1, 0);
        }
        self.groups_hit += u64::from(self.hit[word] & bit == 0);
        self.hit[word] |= bit;
    }
}
