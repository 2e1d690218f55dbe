//! One group's way through a history in which nobody comes or goes: when its truth turns, and when it looks again, by what
//! makes it look. The same for every strategy that looks for the same reasons, so it is walked once for all.

use crate::coordinator::Subscribers;
use crate::kafka::{EntryIndex, GroupId, TopicId};
use crate::metrics::{ImageNo, Reading};
use crate::sim::Ms;
use crate::world::{Origin, Rounds};

use super::super::lane::Stage;
use super::calendar::{Calendar, EventNo};
use super::courses::{Courses, Marking, Row, ValueId, Values};
use super::pending::{NO_ROW, Pending};

/// In place of a topic: the shard's failovers.
const FAILOVER: u32 = u32::MAX;

/// Told of a group's way, in order of time for each marking.
pub(super) trait Visitor {
    /// Does it care for turns of the truth?
    const TURNS: bool = false;
    /// The group's truth is another from here on.
    fn turn(&mut self, _path: &Path, _turn: &Turning) {}
    /// Its shard has been loaded.
    fn loaded(&mut self, _path: &Path, _event: EventNo) {}
    /// It looks again, for the reasons of this marking (by its place).
    fn look(&mut self, path: &Path, marking: usize, look: &Look<'_>);
}

/// Where a group stands.
#[derive(Default)]
pub(super) struct Path {
    pub(super) group: GroupId,
    pub(super) shard: usize,
    pub(super) members: u32,
    /// Its topics, in Java's order of names.
    pub(super) topics: Vec<TopicId>,
    /// Of each topic its first row, and the newest image's.
    pub(super) firsts: Vec<Row>,
    pub(super) rows: Vec<Row>,
    /// Its truths so far: the values of all its topics, turn by turn.
    truths: Vec<ValueId>,
    /// The number of the newest one.
    pub(super) turns: u32,
}

/// A truth turns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turning {
    pub(super) event: EventNo,
    pub(super) at: Ms,
    /// The first entry behind it.
    pub(super) entry: EntryIndex,
    /// What its patience grows by.
    pub(super) extension: Ms,
    /// The group's first accepted heartbeat from then on.
    pub(super) first: Option<Ms>,
}

/// A group looks again.
pub(super) struct Look<'a> {
    pub(super) at: Ms,
    /// The first that made it look.
    pub(super) by: Origin,
    /// The newest event.
    pub(super) event: EventNo,
    /// Of which values (one bit each) one of its topics has another than at its last look, or has had.
    pub(super) moved: u8,
    /// Which of the shard's loads came since its last look, if one did.
    pub(super) load: Option<u32>,
    /// Topics (by place) that were marked since its last look, and since the load.
    pub(super) marked: &'a [u32],
    /// Of each of them the newest row that marks.
    sources: &'a [Row],
}

impl Look<'_> {
    /// The newest row that marks this one of the topics since its last look and load.
    pub(super) fn source(&self, place: u32) -> Option<Row> {
        Some(self.sources[place as usize]).filter(|row| *row != NO_ROW)
    }
}

impl Path {
    /// Who is in a group, and what it subscribes to.
    pub(super) fn subscribe(&mut self, stage: Stage<'_>, group: GroupId) {
        let history = stage.history;
        let spec = &history.groups[group.index()];
        let mut subscribers = Subscribers::default();
        let first = spec.first_member.index();
        let members = (first..first + spec.members as usize).map(|member| &history.members[member]);
        members.filter(|m| m.standing).for_each(|m| subscribers.add(m.subscription));
        self.group = group;
        self.shard = spec.shard.index();
        self.members = subscribers.members();
        self.topics = subscribers.names(&history.subscriptions);
        self.topics.sort_unstable_by_key(|t| stage.names.topic(*t).rank);
    }

    /// Was the group's truth the same at two turns?
    pub(super) fn same(&self, a: u32, b: u32) -> bool {
        a == b || self.truth(a) == self.truth(b)
    }

    fn truth(&self, turn: u32) -> &[ValueId] {
        let topics = self.topics.len();
        &self.truths[turn as usize * topics..(turn as usize + 1) * topics]
    }

    fn push_truth(&mut self, values: &Values) {
        self.truths.extend(self.rows.iter().map(|row| values.at(*row)));
    }

    /// Takes the newest rows for a turn of the truth; false if that is no other truth.
    fn turns(&mut self, values: &Values) -> bool {
        self.push_truth(values);
        let next = self.turns + 1;
        if self.truth(next) == self.truth(self.turns) {
            self.truths.truncate(next as usize * self.topics.len());
            return false;
        }
        self.turns = next;
        true
    }
}

/// Walks groups.
pub(super) struct Walker<'a> {
    stage: Stage<'a>,
    courses: &'a Courses,
    calendar: &'a Calendar,
    pending: Vec<Pending>,
    /// What happens to the group, in order: event, and topic by place.
    items: Vec<u64>,
    /// Its heartbeats.
    rounds: Option<Rounds<'a>>,
}

impl<'a> Walker<'a> {
    pub(super) fn new(stage: Stage<'a>, courses: &'a Courses, calendar: &'a Calendar, markings: &[Marking]) -> Self {
        let pending = |marking: &Marking| Pending::new(*marking);
        Walker {
            stage,
            courses,
            calendar,
            pending: markings.iter().map(pending).collect(),
            items: Vec::new(),
            rounds: None,
        }
    }

    /// Puts a group at time 0.
    pub(super) fn stand(&mut self, path: &mut Path, group: GroupId) {
        path.subscribe(self.stage, group);
        path.firsts.clear();
        path.firsts.extend(path.topics.iter().map(|topic| self.courses.of(*topic).0));
        path.rows.clone_from(&path.firsts);
        self.rounds = Some(Rounds::of(self.stage.heartbeats, group));
        path.truths.clear();
        path.turns = 0;
        path.push_truth(self.truth_of(group));
        self.pending.iter_mut().for_each(|pending| pending.stand(path.topics.len()));
        self.items.clear();
        for (topic, place) in path.topics.iter().zip(0u64..) {
            let (first, end) = self.courses.of(*topic);
            let events = (first + 1..end).map(|row| self.courses.row(row).event);
            self.items.extend(events.map(|event| u64::from(event) << 32 | place));
        }
        let failovers = self.calendar.failovers(path.shard).iter();
        self.items.extend(failovers.map(|failover| u64::from(failover.event) << 32 | u64::from(FAILOVER)));
        // runs that are in order already: made for the stable sort
        self.items.sort();
    }

    fn reading_of(&self, group: GroupId) -> Reading {
        let rack_aware = self.stage.history.groups[group.index()].rack_aware;
        if rack_aware { Reading::TRUTH } else { Reading::TRUTH_WITHOUT_RACKS }
    }

    fn truth_of(&self, group: GroupId) -> &'a Values {
        self.courses.values(self.reading_of(group))
    }

    /// Walks a group that stands at time 0 through the whole history.
    pub(super) fn walk<V: Visitor>(&mut self, path: &mut Path, visitor: &mut V) {
        let (truth, turns) = (self.truth_of(path.group), 1u8 << self.courses.place_of(self.reading_of(path.group)));
        let items = std::mem::take(&mut self.items);
        let mut failovers = self.calendar.failovers(path.shard).iter();
        let mut loads = 0;
        // while the shard does not answer: the image that it held, and the first entry that changes the truth
        let mut down: Option<ImageNo> = None;
        let mut behind: Option<EntryIndex> = None;
        for items in items.chunk_by(|a, b| a >> 32 == b >> 32) {
            let event = place_in(items[0] >> 32);
            let at = self.calendar.at(event);
            self.look_until(path, Some(at), visitor);
            if place_in(items[0] & u64::from(u32::MAX)) == FAILOVER {
                let failover = failovers.next().expect("there is one for each item");
                let Some(by) = failover.up else {
                    down = Some(failover.image);
                    self.pending.iter_mut().for_each(Pending::clear);
                    continue;
                };
                let first = self.first_accepted(at);
                let since = down.take().unwrap_or(failover.image);
                if let Some(entry) = behind.take()
                    && path.turns(truth)
                {
                    let extension = self.courses.settles(&path.topics, since, failover.image);
                    visitor.turn(path, &Turning { event, at, entry, extension, first });
                }
                visitor.loaded(path, event);
                for pending in self.pending.iter_mut().filter(|pending| pending.marking.compares()) {
                    pending.load(loads, by, failover.image, first);
                }
                loads += 1;
                continue;
            }
            let places = || items.iter().map(|item| place_in(item & u64::from(u32::MAX)));
            for place in places() {
                let row = &mut path.rows[place as usize];
                *row += 1;
                let facts = self.courses.row(*row);
                self.pending.iter_mut().for_each(|pending| pending.moved |= facts.moves);
                if V::TURNS && facts.moves & turns != 0 {
                    behind = Some(behind.map_or(facts.entry, |before| before.min(facts.entry)));
                }
            }
            if down.is_some() {
                continue;
            }
            let first = self.first_accepted(at);
            if let Some(entry) = behind.take()
                && path.turns(truth)
            {
                let image = self.courses.row(path.rows[place_in(items[0] & u64::from(u32::MAX)) as usize]).image;
                let extension = self.courses.settles(&path.topics, image - 1, image);
                visitor.turn(path, &Turning { event, at, entry, extension, first });
            }
            for place in places() {
                let row = path.rows[place as usize];
                let facts = self.courses.row(row);
                let marked = self.pending.iter_mut().filter(|pending| facts.marks(pending.marking));
                marked.for_each(|pending| pending.mark(place, row, facts, first));
            }
        }
        self.look_until(path, None, visitor);
        self.items = items;
    }

    /// Looks that come before `at` (all, without).
    fn look_until(&mut self, path: &Path, at: Option<Ms>, visitor: &mut impl Visitor) {
        for (marking, pending) in self.pending.iter_mut().enumerate().filter(|(_, pending)| pending.waits) {
            let Some(due) = pending.at.filter(|due| at.is_none_or(|at| *due < at)) else { continue };
            while (pending.event as usize + 1) < self.calendar.events() && self.calendar.at(pending.event + 1) <= due {
                pending.event += 1;
            }
            let Pending { by, load, event, moved, marked, sources, .. } = &*pending;
            let look = Look { at: due, by: *by, event: *event, moved: *moved, load: *load, marked, sources };
            visitor.look(path, marking, &look);
            pending.looked();
        }
    }

    fn first_accepted(&mut self, at: Ms) -> Option<Ms> {
        self.rounds.as_mut().and_then(|rounds| rounds.next(at))
    }
}

fn place_in(word: u64) -> u32 {
    u32::try_from(word).expect("one half of an item")
}
