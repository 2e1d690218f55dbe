//! What a group stands on where strategies read alike: what they have stored of each topic, and what they read now.

use crate::metrics::ImageNo;
use crate::world::Origin;

use super::courses::{Courses, GONE, Row, ValueId, Values};
use super::fills::Fills;
use super::path::{Look, Path};
use super::prices::{Tariff, Tariffs};

/// A group's topics, as read and stored.
#[derive(Default)]
pub(super) struct Stand {
    places: Vec<Place>,
    /// Topics of which another value is read than is stored.
    differing: usize,
    /// Topics that exist, as they are read.
    pub(super) exists: usize,
    pub(super) news: News,
}

/// One topic.
#[derive(Clone, Copy)]
struct Place {
    /// What is stored, and what would be as it has been read last.
    stored: ValueId,
    read: ValueId,
    /// The row that was read, and the newest one at the last rebalance.
    from: Row,
    at_last: Row,
}

/// What the last look found that it did not have before.
#[derive(Default)]
pub(super) struct News {
    /// Topics that cost another price: the one before, and the one now.
    pub(super) repriced: Vec<(Tariff, Tariff)>,
    /// Are there others that exist?
    pub(super) others: bool,
}

impl News {
    fn clear(&mut self) {
        self.repriced.clear();
        self.others = false;
    }
}

impl Stand {
    /// A group at time 0: it stands on what is there, all of which is news.
    pub(super) fn start(&mut self, path: &Path, tariffs: &Tariffs<'_>) {
        self.news.clear();
        self.exists = 0;
        self.places.clear();
        for &row in &path.rows {
            self.places.push(Place { stored: GONE, read: GONE, from: row, at_last: row });
        }
        self.differing = 0;
        for (place, row) in path.rows.iter().enumerate() {
            self.read_row(place, *row, tariffs);
        }
        self.news.others = true;
        self.store(path);
    }

    /// A look: takes what the strategies take, from the image or through a cache. Is it another than what is stored?
    pub(super) fn look(&mut self, path: &Path, look: &Look<'_>, tariffs: &Tariffs<'_>, fills: Option<&Fills>) -> bool {
        self.news.clear();
        let Some(values) = tariffs.values else { return true };
        let Some(fills) = fills else {
            for (place, row) in path.rows.iter().enumerate() {
                if *row != self.places[place].from {
                    self.read_row(place, *row, tariffs);
                }
            }
            return self.differing > 0;
        };
        let mut take = |place: u32| {
            let topic = place as usize;
            // what is in the cache is of a row between the one that was read and the newest
            if values.run_of(path.rows[topic]) > self.places[topic].from
                && let Some(row) = fills.taken(path, place, look)
            {
                self.read_row(topic, row, tariffs);
            }
        };
        if look.load.is_some() {
            (0..path.topics.len()).for_each(|place| take(u32::try_from(place).expect("topics fit 32 bits")));
        } else {
            look.marked.iter().for_each(|place| take(*place));
        }
        self.differing > 0
    }

    /// Reads a topic at a row.
    fn read_row(&mut self, place: usize, row: Row, tariffs: &Tariffs<'_>) {
        let topic = &mut self.places[place];
        topic.from = row;
        let value = tariffs.values.map_or(GONE, |values| values.at(row));
        let before = std::mem::replace(&mut topic.read, value);
        if value == before {
            return;
        }
        self.differing = self.differing + usize::from(value != topic.stored) - usize::from(before != topic.stored);
        let (old, new) = (tariffs.of(before), tariffs.of(value));
        if old != new {
            self.news.repriced.push((old, new));
        }
        let (there, was) = (value != GONE, before != GONE);
        self.news.others |= there != was;
        self.exists = self.exists + usize::from(there) - usize::from(was);
    }

    /// A rebalance: what was read is stored.
    pub(super) fn store(&mut self, path: &Path) {
        for (place, row) in self.places.iter_mut().zip(&path.rows) {
            (place.stored, place.at_last) = (place.read, *row);
        }
        self.differing = 0;
    }

    /// What is read of its topics that exist, in Java's order of names.
    pub(super) fn read(&self) -> impl Iterator<Item = ValueId> {
        self.places.iter().map(|place| place.read).filter(|read| *read != GONE)
    }

    /// Which of its topics exist, as they are read.
    pub(super) fn there(&self) -> impl Iterator<Item = bool> {
        self.places.iter().map(|place| place.read != GONE)
    }

    /// A rebalance that nothing was open for: is it a repeat, and who is behind the value that it catches up with? To be
    /// asked before it is stored. (The same as [`crate::metrics::CatchUp::why`].)
    pub(super) fn why(&self, path: &Path, values: &Values, courses: &Courses, trigger: Origin) -> (bool, Origin) {
        let mut unchanged = true;
        let mut caught: Option<(ImageNo, u32)> = None;
        for ((place, newest), first) in self.places.iter().zip(&path.rows).zip(&path.firsts) {
            unchanged &= values.at(place.at_last) == values.at(*newest);
            if place.stored != place.read
                && let Some(row) = values.since(place.from, *first)
            {
                let facts = courses.row(row);
                let behind = (facts.image, facts.entry);
                caught = Some(caught.map_or(behind, |before| before.min(behind)));
            }
        }
        (unchanged, caught.map_or(trigger, |(_, entry)| Origin::Entry(entry)))
    }
}
