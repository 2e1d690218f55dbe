//! When most is held in a lane: between two looks, and within one, when what it builds stands beside what is stored
//! (model: E, K.6). The first is on the way through all changes. The second wants every look of the groups that can have
//! it, which are walked again; bounds leave few of them.

use crate::coordinator::Holders;
use crate::strategy::Footprint;

use super::calendar::{Calendar, EventNo};
use super::fills::{Key, event_key};
use super::heap::{HeapBook, is_look};

/// The moments of one lane.
pub(super) struct Peaks {
    start: Holders,
    /// The most that a look left.
    pub(super) peak: Holders,
    /// The end.
    pub(super) last: Holders,
    /// The most that a look can have found, and which look made it so.
    most_found: (u64, Key),
    /// The same by the newest event before the look.
    most_by_event: Vec<u64>,
    /// By group: the most that stood beside.
    beside: Vec<u32>,
    /// What is held, where it is enough to matter.
    steps: Vec<Step>,
    /// Do groups that can only come to as much matter? (It is the first such moment that counts, and it may be made up of
    /// other holders.)
    ties: bool,
    best: Moment,
}

/// A place at which what is held changes.
#[derive(Clone, Copy, Debug)]
struct Step {
    key: Key,
    /// What a look finds here, its own part of the cache filled.
    found: u64,
    left: u64,
}

/// In all, at which look, and what stands beside.
#[derive(Clone, Copy, Debug)]
struct Moment {
    total: u64,
    key: Key,
    beside: Footprint,
}

impl Peaks {
    /// Of a lane whose groups are over, with its caches' changes in order.
    pub(super) fn new(book: &mut HeapBook, calendar: &Calendar, cache: &[(Key, i64)]) -> Peaks {
        let beside = book.take_beside();
        let uniform = beside.windows(2).all(|pair| pair[0] == pair[1]);
        let start = *book.start();
        let mut peaks = Peaks {
            start,
            peak: start,
            last: start,
            most_found: (start.total(), 0),
            most_by_event: vec![0; calendar.events() + 1],
            ties: book.varied(!cache.is_empty()) + usize::from(!uniform) > 1,
            beside,
            steps: Vec::new(),
            best: Moment { total: start.total(), key: 0, beside: Footprint::default() },
        };
        let mut event = 0;
        book.walk(cache, |key, found, left| {
            while event + 1 < calendar.events() && event_key(calendar.at_place(event + 1)) <= key {
                event += 1;
            }
            if is_look(key) {
                // what a look leaves is what the next one finds
                let most = found.total().max(left.total());
                peaks.most_by_event[event] = peaks.most_by_event[event].max(most);
                if most > peaks.most_found.0 {
                    peaks.most_found = (most, key);
                }
                if left.total() > peaks.peak.total() {
                    peaks.peak = *left;
                }
            }
            peaks.last = *left;
        });
        peaks.keep_steps(book, cache);
        peaks
    }

    /// Less than this is no place for the most: not with the largest value of all beside.
    fn keep_steps(&mut self, book: &HeapBook, cache: &[(Key, i64)]) {
        let largest = u64::from(self.beside.iter().copied().max().unwrap_or(0));
        let floor = self.peak.total().saturating_sub(largest);
        let steps = &mut self.steps;
        book.walk(cache, |key, found, left| {
            let (found, left) = (found.total(), left.total());
            let step =
                if found.max(left) >= floor { Step { key, found, left } } else { Step { key, found: 0, left: 0 } };
            let last = steps.last().map_or(Some(self.start.total()), |last: &Step| Some(last.left));
            if last != Some(step.found) || last != Some(step.left) {
                steps.push(step);
            }
        });
    }

    /// Groups that are likely to have the moment within a look: to be walked first.
    pub(super) fn likely(&self) -> Vec<usize> {
        let at_most = (self.most_found.1 & u64::from(u32::MAX)).checked_sub(1);
        let largest = (0..self.beside.len()).max_by_key(|group| self.beside[*group]);
        at_most.and_then(|group| usize::try_from(group).ok()).into_iter().chain(largest).collect()
    }

    /// Can the group have it?
    pub(super) fn is_candidate(&self, group: usize) -> bool {
        let most = u64::from(self.beside[group]);
        let bound = self.most_found.0 + most;
        most > 0 && (bound > self.best.total || (self.ties && bound == self.best.total))
    }

    /// A look at which this stands beside what it finds.
    pub(super) fn look(&mut self, key: Key, event: EventNo, beside: &Footprint) {
        let bound = self.most_by_event[event as usize] + beside.total(true);
        if bound < self.best.total {
            return;
        }
        let total = self.found(key) + beside.total(true);
        if total > self.best.total || (total == self.best.total && key < self.best.key) {
            self.best = Moment { total, key, beside: *beside };
        }
    }

    /// What the look at `key` finds.
    fn found(&self, key: Key) -> u64 {
        let next = self.steps.partition_point(|step| step.key < key);
        match self.steps.get(next).filter(|step| step.key == key) {
            Some(step) => step.found,
            None => next.checked_sub(1).map_or(self.start.total(), |last| self.steps[last].left),
        }
    }

    /// What is held at the moment within a look.
    pub(super) fn transient(&self, book: &HeapBook, cache: &[(Key, i64)]) -> Holders {
        let (mut held, mut over) = (self.start, self.best.key == 0);
        book.walk(cache, |key, found, left| {
            if !over && key <= self.best.key {
                held = if key == self.best.key { *found } else { *left };
            }
            over |= key >= self.best.key;
        });
        held.add(&self.best.beside);
        held
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kafka::GroupId;
    use crate::sim::Ms;

    use super::super::fills::look_key;

    fn value(racks: u64, strings: u64) -> Footprint {
        Footprint { maps: 100, racks, strings, ..Footprint::default() }
    }

    /// Two looks at which as much is held, of which the later one is walked first: the first in time counts, since what is
    /// held is made up of other holders.
    #[test]
    fn of_moments_that_hold_as_much_the_first_counts() {
        let calendar = Calendar::at_instants(vec![Ms(0)]);
        let key = |at: u64, group: u32| look_key(Ms(at), GroupId(group));
        let mut book = HeapBook::new(3, 1);
        book.stands(&value(0, 0));
        [(2, 5), (0, 50), (2, 5), (1, 50)].into_iter().for_each(|(group, bytes)| book.beside(group, bytes));
        book.changes(key(1, 2), &value(0, 0), &value(10, 0));
        book.changes(key(3, 2), &value(10, 0), &value(0, 10));
        book.settle(&calendar, &[key(1, 2)]);
        let mut peaks = Peaks::new(&mut book, &calendar, &[]);
        let beside = Footprint { hashes: 50, ..Footprint::default() };
        assert!(peaks.is_candidate(1));
        peaks.look(key(4, 1), 0, &beside);
        assert!(peaks.is_candidate(0) && !peaks.is_candidate(2));
        peaks.look(key(2, 0), 0, &beside);
        let held = peaks.transient(&book, &[]);
        assert_eq!((held.total(), held.racks, held.strings, held.hashes), (160, 10, 0, 50));
        assert_eq!((peaks.peak.total(), peaks.peak.racks), (110, 10));
    }
}
