//! What a group stands on in one lane: what it has stored, and what it reads now.

use crate::kafka::NameTable;
use crate::kafka::record::PartitionMetadata;
use crate::metrics::ImageNo;
use crate::strategy::{Footprint, Work};
use crate::world::Origin;

use super::courses::{Courses, GONE, Row, ValueId, Values};
use super::fills::{Fills, look_key};
use super::path::{Look, Path};
use super::prices::Prices;

/// A group in one lane.
#[derive(Default)]
pub(super) struct Stand {
    /// By topic: what is stored, and what it would store as it has read last.
    stored: Vec<ValueId>,
    read: Vec<ValueId>,
    /// By topic: the row that was read, and the newest one at the last rebalance.
    from: Vec<Row>,
    at_last: Vec<Row>,
    /// The sums over what was read: work, what is written, what is held.
    work: Work,
    pub(super) written: PartitionMetadata,
    held_read: Footprint,
    exists: usize,
    /// The hash codes of its topics that exist have changed since `around` was worked out.
    others: bool,
    around: Footprint,
    /// What its stored value takes, strings apart.
    pub(super) held: Footprint,
    /// Was it loaded since it was last written? Then its strings are its own.
    pub(super) loaded: bool,
}

/// What a look came to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) work: Work,
    pub(super) differs: bool,
}

impl Stand {
    /// A group at time 0: it stands on what is there.
    pub(super) fn start(&mut self, path: &Path, prices: &Prices<'_>, names: &NameTable) {
        let topics = path.topics.len();
        *self = Stand {
            stored: std::mem::take(&mut self.stored),
            read: std::mem::take(&mut self.read),
            from: std::mem::take(&mut self.from),
            at_last: std::mem::take(&mut self.at_last),
            ..Stand::default()
        };
        self.read.clear();
        self.read.resize(topics, GONE);
        self.from.clone_from(&path.rows);
        for place in 0..topics {
            self.read_row(place, path.rows[place], prices);
        }
        self.others = true;
        self.store(path, prices, names);
        self.loaded = false;
    }

    /// A look: takes what the strategy takes, from the image or through its cache.
    pub(super) fn look(
        &mut self,
        path: &Path,
        look: &Look<'_>,
        prices: &mut Prices<'_>,
        fills: Option<&Fills>,
    ) -> Found {
        if prices.values.is_none() {
            return Found { work: Work::default(), differs: true };
        }
        let mut work = Work::default();
        if let Some(fills) = fills {
            let key = look_key(look.at, path.group);
            let mut take = |place: u32| {
                let Some(fill) = fills.taken(path, place, look) else { return };
                self.read_row(place as usize, fill.row, prices);
                let value = self.read[place as usize];
                if fill.key == key && value != GONE {
                    work.add(&prices.price(prices.price_of(value)).work, 1);
                    work.cache_misses += 1;
                }
            };
            if look.load.is_some() {
                (0..path.topics.len()).for_each(|place| take(u32::try_from(place).expect("topics fit 32 bits")));
            } else {
                look.marked.iter().for_each(|place| take(*place));
            }
            work.cache_hits = self.exists as u64 - work.cache_misses;
        } else {
            for place in 0..path.topics.len() {
                if path.rows[place] != self.from[place] {
                    self.read_row(place, path.rows[place], prices);
                }
            }
            work = self.work;
        }
        work.add(prices.group_work(self.exists), 1);
        Found { work, differs: self.read != self.stored }
    }

    fn read_row(&mut self, place: usize, row: Row, prices: &Prices<'_>) {
        self.from[place] = row;
        let value = prices.values.map_or(GONE, |values| values.at(row));
        let before = std::mem::replace(&mut self.read[place], value);
        if value == before {
            return;
        }
        let (old, new) = (prices.price_of(before), prices.price_of(value));
        if old == new {
            return;
        }
        let (old, new) = (prices.price(old), prices.price(new));
        self.work.take(&old.work);
        self.work.add(&new.work, 1);
        self.written.take(old.written);
        self.written.add(new.written);
        self.held_read.take(&old.held);
        self.held_read.add(&new.held);
        self.others |= (value == GONE) != (before == GONE);
        self.exists = self.exists + usize::from(value != GONE) - usize::from(before != GONE);
    }

    /// A rebalance: what was read is stored.
    pub(super) fn store(&mut self, path: &Path, prices: &Prices<'_>, names: &NameTable) {
        self.stored.clone_from(&self.read);
        self.at_last.clone_from(&path.rows);
        self.loaded = false;
        if std::mem::take(&mut self.others) {
            let there = path.topics.iter().zip(&self.read).filter(|(_, value)| **value != GONE);
            let codes: Vec<i32> = there.map(|(topic, _)| names.topic(*topic).hash_code).collect();
            self.around = prices.pricer.group_held(codes.into_iter());
        }
        self.held = self.held_read;
        self.held.add(&self.around);
    }

    /// What the hash of its stored value would be, by a strategy that stores one.
    pub(super) fn hash(&self, prices: &mut Prices<'_>) -> Option<u64> {
        let there = self.read.iter().filter(|value| **value != GONE);
        let hashes: Vec<u64> = there.map(|value| prices.hash(*value)).collect();
        prices.pricer.group_hash(&hashes)
    }

    /// Does nothing of it exist, so that its hash is 0?
    pub(super) fn is_empty(&self) -> bool {
        self.exists == 0
    }

    /// A rebalance that nothing was open for: is it a repeat, and who is behind the value that it catches up with? To be
    /// asked before it is stored. (The same as [`crate::metrics::CatchUp::why`].)
    pub(super) fn why(&self, path: &Path, values: &Values, courses: &Courses, trigger: Origin) -> (bool, Origin) {
        let mut unchanged = true;
        let mut caught: Option<(ImageNo, u32)> = None;
        for place in 0..self.read.len() {
            unchanged &= values.at(self.at_last[place]) == values.at(path.rows[place]);
            if self.stored[place] != self.read[place]
                && let Some(row) = values.since(self.from[place], path.firsts[place])
            {
                let facts = courses.row(row);
                let behind = (facts.image, facts.entry);
                caught = Some(caught.map_or(behind, |before| before.min(behind)));
            }
        }
        (unchanged, caught.map_or(trigger, |(_, entry)| Origin::Entry(entry)))
    }

    /// What stands beside the stored value while a look builds it again: as large, but its racks are bare sets.
    pub(super) fn built(&self) -> Footprint {
        Footprint { racks: self.held.racks - self.held.wrappers, strings: 0, wrappers: 0, ..self.held }
    }

    /// What it holds, its strings only where they are its own.
    pub(super) fn holds(&self) -> Footprint {
        if self.loaded { self.held } else { Footprint { strings: 0, ..self.held } }
    }
}
