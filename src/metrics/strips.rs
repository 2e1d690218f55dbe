//! Rebalances by groups and time, coarse enough to be kept for any run: at most 120 rows of groups that follow each
//! other and at most 120 stretches of whole buckets. What a picture of "everyone once, or some ten times" needs.

use crate::sim::Ms;

use super::{Bump, BumpVerdict};

const MOST: usize = 120;

/// One cell that has something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Groups `first .. first + groups`, by id.
    pub first: usize,
    /// How many.
    pub groups: usize,
    /// Begin of its time.
    pub from: Ms,
    /// End of it, not included.
    pub until: Ms,
    /// Rebalances of these groups in this time.
    pub rebalances: u64,
    /// Of these, needless ones.
    pub spurious: u64,
}

/// All cells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Strips {
    groups: usize,
    /// Groups in a row.
    tall: usize,
    duration: Ms,
    /// Time in a column.
    wide: Ms,
    columns: usize,
    /// By row, then column.
    cells: Vec<(u64, u64)>,
}

impl Strips {
    /// Empty ones.
    #[must_use]
    pub fn new(groups: usize, duration: Ms, bucket: Ms) -> Strips {
        let buckets = duration.0.div_ceil(bucket.0.max(1));
        let wide = Ms(bucket.0.max(1).saturating_mul(buckets.div_ceil(MOST as u64).max(1)));
        let tall = groups.div_ceil(MOST).max(1);
        let columns = usize::try_from(duration.0.div_ceil(wide.0)).expect("at most 120");
        Strips { groups, tall, duration, wide, columns, cells: vec![(0, 0); groups.div_ceil(tall) * columns] }
    }

    /// One rebalance.
    pub(crate) fn add(&mut self, bump: &Bump) {
        let column = usize::try_from(bump.at.0 / self.wide.0).expect("at most 120");
        let cell = &mut self.cells[bump.group.index() / self.tall * self.columns + column];
        cell.0 += 1;
        cell.1 += u64::from(bump.verdict >= BumpVerdict::Spurious);
    }

    /// Cells with at least one rebalance, by row, then time.
    pub fn cells(&self) -> impl Iterator<Item = Cell> {
        self.cells.iter().enumerate().filter(|(_, cell)| cell.0 > 0).map(|(place, &(rebalances, spurious))| {
            let first = place / self.columns * self.tall;
            let from = Ms((place % self.columns) as u64 * self.wide.0);
            let until = from.after(self.wide).min(self.duration);
            Cell { first, groups: self.tall.min(self.groups - first), from, until, rebalances, spurious }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kafka::GroupId;
    use crate::metrics::Origin;

    fn bump(group: u32, at: u64) -> Bump {
        let verdict = if group.is_multiple_of(2) { BumpVerdict::Repeat } else { BumpVerdict::Needed };
        let (cause, trigger) = (Origin::Start, Origin::Start);
        Bump { at: Ms(at), group: GroupId(group), epoch: 2, verdict, cause, trigger, delay: None, hash: None }
    }

    #[test]
    fn every_rebalance_is_in_the_one_cell_that_spans_it() {
        for (groups, duration, bucket) in
            [(1, 1_000, 1_000), (3, 10_001, 7), (10_000, 86_400_000, 1_440_000), (121, 50, 60)]
        {
            let mut strips = Strips::new(groups as usize, Ms(duration), Ms(bucket));
            let all: Vec<Bump> = (0..500).map(|i| bump(i * 37 % groups, u64::from(i) * 9_973 % duration)).collect();
            all.iter().for_each(|b| strips.add(b));
            let cells: Vec<Cell> = strips.cells().collect();
            for cell in &cells {
                let inside = |b: &&Bump| {
                    (cell.first..cell.first + cell.groups).contains(&b.group.index())
                        && (cell.from..cell.until).contains(&b.at)
                };
                assert_eq!(all.iter().filter(inside).count() as u64, cell.rebalances);
            }
            assert_eq!(cells.iter().map(|c| c.rebalances).sum::<u64>(), 500);
            assert!(cells.iter().map(|c| c.first).all(|f| f / groups.div_ceil(120) as usize <= 120));
        }
    }
}
