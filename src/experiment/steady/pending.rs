//! What waits for a group's next heartbeat.

use crate::metrics::ImageNo;
use crate::sim::Ms;
use crate::world::Origin;

use super::calendar::EventNo;
use super::courses::{Marking, Row, RowFacts};

/// No row: the first one of all is never one that marks.
pub(super) const NO_ROW: Row = 0;

/// What waits, for the reasons of one marking.
pub(super) struct Pending {
    pub(super) marking: Marking,
    /// The heartbeat; `None`: nothing waits, or none comes.
    pub(super) at: Option<Ms>,
    pub(super) waits: bool,
    /// The first that made it wait, and its image.
    pub(super) by: Origin,
    image: ImageNo,
    /// Which of the shard's loads came since the last look, if one did.
    pub(super) load: Option<u32>,
    /// Topics (by place) that were marked since the last look and load, and of each the newest row that marks.
    pub(super) marked: Vec<u32>,
    pub(super) sources: Vec<Row>,
    /// The newest event of the last look.
    pub(super) event: EventNo,
    /// Whose values have moved since then.
    pub(super) moved: u8,
}

impl Pending {
    pub(super) fn new(marking: Marking) -> Pending {
        Pending {
            marking,
            at: None,
            waits: false,
            by: Origin::Start,
            image: 0,
            load: None,
            marked: Vec::new(),
            sources: Vec::new(),
            event: 0,
            moved: 0,
        }
    }

    /// A group with so many topics stands at time 0.
    pub(super) fn stand(&mut self, topics: usize) {
        self.clear();
        (self.event, self.moved) = (0, 0);
        self.sources.clear();
        self.sources.resize(topics, NO_ROW);
    }

    /// The newest row of a topic marks it; `first`: the first heartbeat from then on.
    pub(super) fn mark(&mut self, place: u32, row: Row, facts: &RowFacts, first: Option<Ms>) {
        let by = Origin::Entry(facts.entry);
        if !self.waits {
            (self.at, self.waits, self.by, self.image) = (first, true, by, facts.image);
        } else if self.image == facts.image && self.load.is_none() {
            // of several topics in one delta the first entry
            self.by = self.by.min(by);
        }
        let source = &mut self.sources[place as usize];
        if *source == NO_ROW {
            self.marked.push(place);
        }
        *source = row;
    }

    /// The shard has been loaded.
    pub(super) fn load(&mut self, number: u32, by: Origin, image: ImageNo, first: Option<Ms>) {
        (self.at, self.waits, self.load) = (first, true, Some(number));
        (self.by, self.image) = (by, image);
    }

    /// Nothing waits any more.
    pub(super) fn clear(&mut self) {
        (self.at, self.waits, self.load) = (None, false, None);
        for place in self.marked.drain(..) {
            self.sources[place as usize] = NO_ROW;
        }
    }

    /// The group has looked.
    pub(super) fn looked(&mut self) {
        self.clear();
        self.moved = 0;
    }
}
