//! The heap of a lane over time, of changes that come group by group: in order at the end, with the moment at which most
//! is held, and bounds for the moment at which most is held beside what a look builds (model: E, K.6).

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
    Cache,
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

/// What is held, in order of time.
pub(super) struct Curve {
    start: u64,
    steps: Vec<Step>,
    pub(super) peak: Holders,
    pub(super) last: Holders,
    /// The most that a look can have found, and which look made it so.
    most_before: (u64, Key),
}

/// A place at which it changes.
#[derive(Clone, Copy, Debug)]
struct Step {
    key: Key,
    /// Before the look, but the cache as after it.
    before: u64,
    after: u64,
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

    /// A look of a group that holds `before`: with a rebalance another value.
    pub(super) fn look(&mut self, key: Key, group: usize, beside: u64, before: &Footprint, after: Option<&Footprint>) {
        let most = &mut self.most_beside[group];
        *most = (*most).max(u32::try_from(beside).expect("a group's value fits 32 bits"));
        let Some(after) = after else { return };
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

    /// All changes in order: with the caches' own, and the first look after each event.
    pub(super) fn curve(&mut self, calendar: &Calendar, cache: &[(Key, i64)], first_looks: &[Key]) -> Curve {
        let mut changes = std::mem::take(&mut self.changes);
        changes.extend(cache.iter().map(|&(key, bytes)| Change { key, bytes, of: Holder::Cache }));
        let looks = first_looks.iter().filter(|key| **key != Key::MAX);
        changes.extend(looks.map(|&key| Change { key, bytes: 0, of: Holder::None }));
        for (event, bytes) in (0..).zip(&self.strings).filter(|(_, bytes)| **bytes != 0) {
            changes.push(Change { key: event_key(calendar.at(event)), bytes: *bytes, of: Holder::Strings });
        }
        changes.sort_unstable_by_key(|change| change.key);
        let mut now = self.start;
        let mut curve =
            Curve { start: now.total(), steps: Vec::new(), peak: now, last: now, most_before: (now.total(), 0) };
        for at_once in changes.chunk_by(|a, b| a.key == b.key) {
            let key = at_once[0].key;
            at_once.iter().filter(|change| change.of == Holder::Cache).for_each(|change| change.apply(&mut now));
            let before = now.total();
            at_once.iter().filter(|change| change.of != Holder::Cache).for_each(|change| change.apply(&mut now));
            if is_look(key) {
                // what a look leaves is what the next one finds
                let most = before.max(now.total());
                if most > curve.most_before.0 {
                    curve.most_before = (most, key);
                }
                if now.total() > curve.peak.total() {
                    curve.peak = now;
                }
            }
            let last = curve.steps.last().map_or(self.start.total(), |step| step.after);
            if (before, now.total()) != (last, last) {
                curve.steps.push(Step { key, before, after: now.total() });
            }
        }
        curve.last = now;
        self.changes = changes;
        curve
    }

    /// What is held just before the look at `key`, the cache as after it. Only after [`HeapBook::curve`].
    fn before(&self, key: Key) -> Holders {
        let mut held = self.start;
        let earlier = self.changes.iter().take_while(|change| change.key <= key);
        let counts = |change: &&Change| change.key < key || change.of == Holder::Cache;
        earlier.filter(counts).for_each(|change| change.apply(&mut held));
        held
    }

    /// How many holders' bytes change at all.
    fn varied(&self) -> usize {
        let varies = |of: &&Holder| self.changes.iter().any(|change| change.of == **of && change.bytes != 0);
        [Holder::Racks, Holder::Maps, Holder::Hashes, Holder::Strings, Holder::Cache].iter().filter(varies).count()
    }
}

/// A moment at which much is held: in all, at which look, and what stands beside.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    total: u64,
    key: Key,
    beside: Footprint,
}

/// Finds the moment at which most is held, values that are being built among it.
pub(super) struct Transient {
    curve: Curve,
    /// Do groups that could only come to as much matter? (The first such moment is the one that is told of.)
    ties: bool,
    most_beside: Vec<u32>,
    best: Moment,
}

impl Transient {
    /// Over a lane's curve. At the start nothing stands beside.
    pub(super) fn new(book: &mut HeapBook, curve: Curve) -> Transient {
        let most_beside = std::mem::take(&mut book.most_beside);
        let uniform = most_beside.windows(2).all(|pair| pair[0] == pair[1]);
        let ties = book.varied() + usize::from(!uniform) > 1;
        let best = Moment { total: book.start.total(), key: 0, beside: Footprint::default() };
        Transient { curve, ties, most_beside, best }
    }

    /// Groups that are likely to have it: to be looked at first.
    pub(super) fn likely(&self) -> Vec<usize> {
        let at_most = (self.curve.most_before.1 & u64::from(u32::MAX)).checked_sub(1);
        let largest = (0..self.most_beside.len()).max_by_key(|group| self.most_beside[*group]);
        at_most.and_then(|group| usize::try_from(group).ok()).into_iter().chain(largest).collect()
    }

    /// Can the group have it?
    pub(super) fn is_candidate(&self, group: usize) -> bool {
        let most = u64::from(self.most_beside[group]);
        let bound = self.curve.most_before.0 + most;
        most > 0 && (bound > self.best.total || (self.ties && bound == self.best.total))
    }

    /// A look at which this stands beside what is held before it.
    pub(super) fn look(&mut self, key: Key, beside: &Footprint) {
        let bound = self.curve.most_before.0 + beside.total(true);
        if bound < self.best.total {
            return;
        }
        let total = self.curve.before(key) + beside.total(true);
        if total > self.best.total || (total == self.best.total && key < self.best.key) {
            self.best = Moment { total, key, beside: *beside };
        }
    }

    /// What is held then.
    pub(super) fn holders(&self, book: &HeapBook) -> Holders {
        let mut held = if self.best.key == 0 { book.start } else { book.before(self.best.key) };
        held.add(&self.best.beside);
        held
    }

    pub(super) const fn curve(&self) -> &Curve {
        &self.curve
    }
}

impl Curve {
    /// What is held before the look at `key`, the cache as after it.
    fn before(&self, key: Key) -> u64 {
        let next = self.steps.partition_point(|step| step.key < key);
        match self.steps.get(next).filter(|step| step.key == key) {
            Some(step) => step.before,
            None => next.checked_sub(1).map_or(self.start, |last| self.steps[last].after),
        }
    }
}

/// A look, or an event of the history?
fn is_look(key: Key) -> bool {
    key & u64::from(u32::MAX) != 0
}

impl Change {
    fn apply(&self, held: &mut Holders) {
        let holder = match self.of {
            Holder::Racks => &mut held.racks,
            Holder::Maps => &mut held.maps,
            Holder::Hashes => &mut held.hashes,
            Holder::Strings => &mut held.strings,
            Holder::Cache => &mut held.cache,
            Holder::None => return,
        };
        *holder = holder.strict_add_signed(self.bytes);
    }
}
