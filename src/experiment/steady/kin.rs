//! Strategies that read the same values for the same reasons rebalance alike, whatever they store and whatever it costs
//! them: that is decided and judged once for all of them. (topic-hash and group-hash nearly always; full-metadata and
//! group-hash-uncached wherever no partition has two replicas in one rack.)

use crate::kafka::GroupKind;
use crate::metrics::{Books, Counts, Docket, GroupOutcome, Reading, Rebalance, StepBooks, Term, Turn};
use crate::scenario::StrategySpec;
use crate::world::Origin;

use super::calendar::EventNo;
use super::courses::{Courses, GONE, Marking, Row};
use super::fills::{Fills, look_key};
use super::lane::{Ground, SteadyLane, caches};
use super::path::{Look, Path, Turning};
use super::prices::{Pricing, Tariffs};
use super::stand::Stand;

/// A group's looks for one marking's reasons.
#[derive(Clone, Copy, Default)]
pub(super) struct Looks {
    all: u64,
    /// Those after the warm-up.
    counted: u64,
}

/// Which of a group's looks it is.
#[derive(Clone, Copy)]
pub(super) struct Nth {
    /// How many came before it, and how many of them count.
    before: u64,
    counted: u64,
    /// The bucket that it falls into, if it counts itself.
    bucket: Option<usize>,
}

impl Looks {
    /// One more, in this bucket if it counts.
    pub(super) fn next(&mut self, bucket: Option<usize>) -> Nth {
        let nth = Nth { before: self.all, counted: self.counted, bucket };
        self.all += 1;
        self.counted += u64::from(bucket.is_some());
        nth
    }
}

/// Lanes that decide alike.
pub(super) struct Kin<'a> {
    ground: Ground<'a>,
    /// Which of the run's markings makes their groups look.
    pub(super) marking: usize,
    /// Do they take topics through a cache?
    pub(super) caches: bool,
    /// Which values they read.
    values: Option<usize>,
    pub(super) tariffs: Tariffs<'a>,
    pub(super) lanes: Vec<SteadyLane>,
    // of the present group
    pub(super) stand: Stand,
    docket: Docket,
    /// The turn that its last rebalance told it of.
    told: u32,
    /// How many looks it had had by then.
    bumped: u64,
    epoch: u32,
    // of all
    pub(super) books: Books,
    pub(super) groups: Vec<GroupOutcome>,
}

/// What makes lanes decide alike: marking, cache, and which values they read.
type Alike = (usize, bool, Option<usize>);

/// Puts strategies together.
pub(super) fn kins<'a>(ground: Ground<'a>, specs: &[&StrategySpec], markings: &[Marking]) -> Vec<Kin<'a>> {
    let courses: &'a Courses = ground.courses;
    let mut alike: Vec<(Alike, Vec<usize>)> = Vec::new();
    for (place, spec) in specs.iter().enumerate() {
        let marking = markings.iter().position(|marking| *marking == Marking::of(spec)).expect("all are in");
        let own = (marking, caches(spec), Reading::of(spec).map(|reading| courses.place_of(reading)));
        match alike.iter_mut().find(|(other, _)| *other == own) {
            Some((_, places)) => places.push(place),
            None => alike.push((own, vec![place])),
        }
    }
    let pricing = |(_, places): &(Alike, Vec<usize>)| {
        let specs: Vec<&StrategySpec> = places.iter().map(|place| specs[*place]).collect();
        Pricing::new(&specs, Reading::of(specs[0]).map(|reading| courses.values(reading)))
    };
    let mut pricings: Vec<Pricing<'a>> = alike.iter().map(pricing).collect();
    Pricing::work_out(&mut pricings, ground.stage, courses);
    let kin = |((alike, places), pricing): ((Alike, Vec<usize>), Pricing<'a>)| {
        let lanes = places.into_iter().zip(pricing.prices);
        let lanes = lanes.map(|(place, prices)| SteadyLane::new(ground, place, specs[place], prices));
        Kin::new(ground, alike, pricing.tariffs, lanes.collect())
    };
    alike.into_iter().zip(pricings).map(kin).collect()
}

impl<'a> Kin<'a> {
    fn new(ground: Ground<'a>, alike: Alike, tariffs: Tariffs<'a>, lanes: Vec<SteadyLane>) -> Kin<'a> {
        let (marking, caches, values) = alike;
        let (history, options) = (ground.stage.history, ground.options);
        let groups = history.groups.len();
        let mut books = Books::new(groups, history.duration, options.warmup, options.bucket, options.keep_bumps);
        books.steps = StepBooks::new(ground.stage.rolls);
        Kin {
            ground,
            marking,
            caches,
            values,
            tariffs,
            lanes,
            stand: Stand::default(),
            docket: Docket::default(),
            told: 0,
            bumped: 0,
            epoch: 0,
            books: books.by_group(),
            groups: Vec::with_capacity(groups),
        }
    }

    /// A group stands at time 0.
    pub(super) fn stand(&mut self, path: &Path) {
        self.stand.start(path, &self.tariffs);
        self.lanes.iter_mut().for_each(|lane| lane.stand(self.ground, path, &self.stand));
        self.docket = Docket::default();
        self.told = 0;
        self.bumped = 0;
        self.epoch = self.ground.stage.history.groups[path.group.index()].epoch;
    }

    /// The group's shard has been loaded.
    pub(super) fn loaded(&mut self, event: EventNo) {
        self.lanes.iter_mut().for_each(|lane| lane.loaded(event));
    }

    /// The group's truth turns.
    pub(super) fn turn(&mut self, path: &Path, turning: &Turning) {
        let Turning { event, at, entry, extension, first } = *turning;
        self.books.at_place(u64::from(event), path.group);
        let stale = !path.same(self.told, path.turns);
        let turn = Turn { group: path.group, at, cause: Origin::Entry(entry), image: path.turns, stale };
        let patience = self.ground.stage.history.groups[path.group.index()].patience.after(extension);
        let term = || Term::new(at, patience, first);
        self.docket.truth_changed(&turn, |a, b| path.same(a, b), term, &mut self.books);
    }

    /// The group looks again.
    pub(super) fn look(&mut self, path: &Path, look: &Look<'_>, nth: Nth, fills: Option<&Fills>) {
        // where nothing that is read has moved, what is read is what is stored
        let quiet = !self.caches && self.values.is_some_and(|values| look.moved >> values & 1 == 0);
        let differs = !quiet && {
            let differs = self.stand.look(path, look, &self.tariffs, fills);
            self.lanes.iter_mut().for_each(|lane| lane.reprice(path, &self.stand, nth.counted));
            differs
        };
        if let Some(bucket) = nth.bucket {
            self.lanes.iter_mut().filter(|lane| lane.hashes_bytes).for_each(|lane| lane.hashed(bucket));
        }
        if differs {
            self.bump(path, look, nth.bucket);
            self.bumped = nth.before + 1;
        }
    }

    /// A topic of this row is hashed for the cache of one of its shards.
    pub(super) fn missed(&mut self, bucket: usize, row: Row) {
        let value = self.tariffs.values.map_or(GONE, |values| values.at(row));
        let tariff = self.tariffs.of(value);
        self.lanes.iter_mut().for_each(|lane| lane.missed(bucket, tariff));
    }

    fn bump(&mut self, path: &Path, look: &Look<'_>, bucket: Option<usize>) {
        let spurious = match self.tariffs.values.filter(|_| !self.docket.is_open()) {
            Some(values) => self.stand.why(path, values, self.ground.courses, look.by),
            None => (false, look.by),
        };
        self.stand.store(path);
        self.epoch += 1;
        let place = self.books.at_place(look.at.0, path.group);
        let kept = bucket.is_some() && self.books.keeps_bump();
        for lane in &mut self.lanes {
            lane.bump(self.ground, path, &self.stand, look_key(look.at, path.group), bucket);
            if kept {
                lane.keep_hash(place, &self.stand);
            }
        }
        let (at, group, epoch, trigger) = (look.at, path.group, self.epoch, look.by);
        let bump = Rebalance { at, group, epoch, membership: false, trigger, spurious, hash: None, told: None };
        self.docket.bump(&bump, path.members, |a, b| path.same(a, b), &mut self.books);
        self.told = path.turns;
    }

    /// The group is over, after so many looks.
    pub(super) fn close(&mut self, path: &Path, looks: Looks) {
        let end = self.ground.stage.history.duration;
        self.books.at_place(u64::MAX, path.group);
        self.docket.finish(path.group, end, |a, b| path.same(a, b), &mut self.books);
        let looked = looks.all > self.bumped;
        self.lanes.iter_mut().for_each(|lane| lane.close(path, looks.counted, looked));
        let truth = self.ground.courses.values(Reading::TRUTH);
        let topics = path.rows.iter().filter(|row| truth.at(**row) != GONE).count();
        let mut row = GroupOutcome {
            group: path.group,
            shard: u32::try_from(path.shard).expect("shards fit 32 bits"),
            members: path.members,
            topics: u32::try_from(topics).expect("topics fit 32 bits"),
            epoch: self.epoch,
            counts: Counts::default(),
            first: None,
            last: None,
            main_cause: None,
            kind: GroupKind::Consumer,
        };
        self.books.close_group(&mut row);
        self.groups.push(row);
    }
}
