//! The heap of a lane over time, of changes that come group by group (model: E, K.6).

use crate::coordinator::Holders;
use crate::strategy::Footprint;

use super::calendar::{Calendar, EventNo};
use super::fills::{Key, event_key};

/// A change of what is held, at a look.
#[derive(Clone, Copy, Debug)]
struct Change {
    key: Key,
    bytes: i64,
    of: Holder,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holder {
    Racks,
    Maps,
    Hashes,
    Strings,
    /// Nobody: something looks at what is held.
    None,
}

/// What a lane holds over time.
pub(super) struct HeapBook {
    start: Holders,
    changes: Vec<Change>,
    /// By event: strings that a load reads.
    strings: Vec<i64>,
    /// By group: the most that stood beside what was held before one of its looks.
    most_beside: Vec<u32>,
}

impl HeapBook {
    /// Groups and events of a run; what is held at time 0 comes group by group and shard by shard.
    pub(super) fn new(groups: usize, events: usize) -> HeapBook {
        HeapBook {
            start: Holders::default(),
            changes: Vec::new(),
            strings: vec![0; events],
            most_beside: vec![0; groups],
        }
    }

    /// A group's stored value at time 0.
    pub(super) fn stands(&mut self, value: &Footprint) {
        self.start.add(value);
    }

    /// A shard's cache at time 0, and its `groupsByTopics`.
    pub(super) fn stands_shard(&mut self, cache: u64, index: u64) {
        self.start.cache += cache;
        self.start.index += index;
    }

    pub(super) const fn start(&self) -> &Holders {
        &self.start
    }

    /// A load has read so many bytes of a group's strings.
    pub(super) fn loads(&mut self, event: EventNo, strings: u64) {
        self.strings[event as usize] += strings.cast_signed();
    }

    /// A look of a group, with so much beside what it holds.
    pub(super) fn beside(&mut self, group: usize, bytes: u64) {
        let most = &mut self.most_beside[group];
        *most = (*most).max(u32::try_from(bytes).expect("a group's value fits 32 bits"));
    }

    /// A rebalance of a group that holds `before`: `after` it another value.
    pub(super) fn changes(&mut self, key: Key, before: &Footprint, after: &Footprint) {
        for (of, before, after) in [
            (Holder::Racks, before.racks, after.racks),
            (Holder::Maps, before.maps, after.maps),
            (Holder::Hashes, before.hashes, after.hashes),
            (Holder::Strings, before.strings, after.strings),
        ] {
            if before != after {
                self.changes.push(Change { key, bytes: after.cast_signed() - before.cast_signed(), of });
            }
        }
    }

    /// All groups are over: changes in order, with the first look after each event.
    pub(super) fn settle(&mut self, calendar: &Calendar, first_looks: &[Key]) {
        let looks = first_looks.iter().filter(|key| **key != Key::MAX);
        self.changes.extend(looks.map(|&key| Change { key, bytes: 0, of: Holder::None }));
        for (event, bytes) in (0..).zip(&self.strings).filter(|(_, bytes)| **bytes != 0) {
            self.changes.push(Change { key: event_key(calendar.at(event)), bytes: *bytes, of: Holder::Strings });
        }
        self.changes.sort_unstable_by_key(|change| change.key);
    }

    /// Walks what is held in order: at each place what a look finds there, its own part of the cache filled, and what it
    /// leaves. `cache` are the caches' own changes, in order.
    pub(super) fn walk(&self, cache: &[(Key, i64)], mut see: impl FnMut(Key, &Holders, &Holders)) {
        let mut now = self.start;
        let mut cache = cache.iter().peekable();
        let mut fill =
            |now: &mut Holders, until: &dyn Fn(Key) -> bool, see: &mut dyn FnMut(Key, &Holders, &Holders)| {
                while let Some(&(key, bytes)) = cache.next_if(|(key, _)| until(*key)) {
                    now.cache = plus(now.cache, bytes);
                    while let Some(&(_, bytes)) = cache.next_if(|(other, _)| *other == key) {
                        now.cache = plus(now.cache, bytes);
                    }
                    see(key, now, now);
                }
            };
        for at_once in self.changes.chunk_by(|a, b| a.key == b.key) {
            let key = at_once[0].key;
            fill(&mut now, &|other| other < key, &mut see);
            fill(&mut now, &|other| other == key, &mut |_, _, _| {});
            let before = now;
            at_once.iter().for_each(|change| change.apply(&mut now));
            see(key, &before, &now);
        }
        fill(&mut now, &|_| true, &mut see);
    }

    /// How many holders' bytes change at all; `cache`: does that?
    pub(super) fn varied(&self, cache: bool) -> usize {
        let varies = |of: &&Holder| self.changes.iter().any(|change| change.of == **of && change.bytes != 0);
        let own = [Holder::Racks, Holder::Maps, Holder::Hashes, Holder::Strings].iter().filter(varies).count();
        own + usize::from(cache)
    }

    /// By group: the most that stood beside what was held before one of its looks. Can be had once.
    pub(super) fn take_beside(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.most_beside)
    }
}

/// A look, or an event of the history?
pub(super) fn is_look(key: Key) -> bool {
    key & u64::from(u32::MAX) != 0
}

impl Change {
    fn apply(&self, held: &mut Holders) {
        let holder = match self.of {
            Holder::Racks => &mut held.racks,
            Holder::Maps => &mut held.maps,
            Holder::Hashes => &mut held.hashes,
            Holder::Strings => &mut held.strings,
            Holder::None => return,
        };
        *holder = plus(*holder, self.bytes);
    }
}

fn plus(held: u64, bytes: i64) -> u64 {
    held.checked_add_signed(bytes).expect("what goes had come")
}
