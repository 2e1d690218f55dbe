//! One strategy's lane over groups that come one after the other.

use crate::coordinator::{ByType, Holders, Log, RecordType};
use crate::kafka::GroupKind;
use crate::kafka::record::{self, RecordSize};
use crate::metrics::{Books, Counts, Docket, GroupOutcome, Reading, Rebalance, StepBooks, Term, Turn};
use crate::scenario::{Cache, StrategyKind, StrategySpec};
use crate::sim::Ms;
use crate::world::Origin;

use super::super::lane::{LaneOptions, Stage};
use super::calendar::{Calendar, EventNo};
use super::courses::{Courses, GONE};
use super::fills::{Fills, look_key};
use super::heap::HeapBook;
use super::path::{Look, Path, Turning};
use super::prices::Prices;
use super::stand::{Found, Stand};

/// What all lanes of a run stand on.
#[derive(Clone, Copy)]
pub(super) struct Ground<'a> {
    pub(super) stage: Stage<'a>,
    pub(super) courses: &'a Courses,
    pub(super) calendar: &'a Calendar,
    pub(super) options: LaneOptions,
}

/// A lane.
pub(super) struct SteadyLane<'a> {
    ground: Ground<'a>,
    kind: StrategyKind,
    /// Which of the run's markings makes its groups look.
    pub(super) marking: usize,
    /// Does it take topics through a cache?
    pub(super) caches: bool,
    pub(super) prices: Prices<'a>,
    // of the present group
    pub(super) stand: Stand,
    docket: Docket,
    /// The turn that its last rebalance told it of.
    told: u32,
    epoch: u32,
    // of all
    pub(super) books: Books,
    log: Log,
    pub(super) heap: HeapBook,
    pub(super) groups: Vec<GroupOutcome>,
    /// The log as compaction leaves it, members apart.
    pub(super) live: ByType,
    /// Groups' values as a load reads them.
    pub(super) after_failover: Holders,
    /// By shard: records in its log, nothing compacted, members' of time 0 apart.
    pub(super) records: Vec<u64>,
    /// Has a batch been too large for Kafka? Then it is another lane's case.
    pub(super) too_large: bool,
}

impl<'a> SteadyLane<'a> {
    pub(super) fn new(ground: Ground<'a>, spec: &StrategySpec, marking: usize, prices: Prices<'a>) -> SteadyLane<'a> {
        let Ground { stage: Stage { history, rolls, .. }, options, calendar, .. } = ground;
        let hashes = matches!(spec.kind, StrategyKind::TopicHash | StrategyKind::GroupHash);
        let groups = history.groups.len();
        let mut books = Books::new(groups, history.duration, options.warmup, options.bucket, options.keep_bumps);
        books.steps = StepBooks::new(rolls);
        SteadyLane {
            ground,
            kind: spec.kind,
            marking,
            caches: hashes && spec.switches.cache != Cache::None,
            prices,
            stand: Stand::default(),
            docket: Docket::default(),
            told: 0,
            epoch: 0,
            books: books.by_group(),
            log: Log::default(),
            heap: HeapBook::new(groups, calendar.events()),
            groups: Vec::with_capacity(groups),
            live: ByType::default(),
            after_failover: Holders::default(),
            records: vec![0; history.shards.len()],
            too_large: false,
        }
    }

    /// A group stands at time 0.
    pub(super) fn stand(&mut self, path: &Path) {
        self.stand.start(path, &self.prices, self.ground.stage.names);
        self.docket = Docket::default();
        self.told = 0;
        self.epoch = self.ground.stage.history.groups[path.group.index()].epoch;
        self.heap.stands(&self.stand.holds());
        let records = self.records_of(path);
        let records = records.as_slice();
        self.records[path.shard] += records.len() as u64;
        let bytes = record::batch(records.iter().map(|(_, size)| *size));
        self.too_large |= bytes > self.ground.options.message_max_bytes;
    }

    /// The records of a group's own: its map, if it has one, and its epoch.
    fn records_of(&self, path: &Path) -> smallvec::SmallVec<[(RecordType, RecordSize); 2]> {
        let name = self.ground.stage.history.names.groups[path.group.index()].len() as u64;
        let key = record::group_key(name);
        let (maps, hashes) = match self.kind {
            StrategyKind::FullMetadata | StrategyKind::PartitionCount | StrategyKind::TopicHash => (true, false),
            StrategyKind::GroupHash | StrategyKind::GroupHashUncached => (false, true),
            StrategyKind::DeltaFlag | StrategyKind::AsDeployed | StrategyKind::ClassicClient => (false, false),
        };
        // a hash over something is not 0
        let hash = u64::from(hashes && !self.stand.is_empty());
        let epoch = (RecordType::GroupMetadata, RecordSize { key, value: Some(record::group_metadata(hash)) });
        let value = Some(self.stand.written.value());
        let map = maps.then_some((RecordType::PartitionMetadata, RecordSize { key, value }));
        map.into_iter().chain([epoch]).collect()
    }

    /// The group's shard has been loaded.
    pub(super) fn loaded(&mut self, event: EventNo) {
        if !std::mem::replace(&mut self.stand.loaded, true) && self.stand.held.strings > 0 {
            self.heap.loads(event, self.stand.held.strings);
        }
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
    pub(super) fn look(&mut self, path: &Path, look: &Look<'_>, fills: Option<&Fills>) {
        let Found { work, differs } = self.stand.look(path, look, &mut self.prices, fills);
        self.books.recomputed(look.at, 1, true, false, &work);
        let (before, built) = (self.stand.holds(), self.stand.built().total(true));
        let key = look_key(look.at, path.group);
        if !differs {
            self.heap.look(key, path.group.index(), built, &before, None);
            return;
        }
        let spurious = match self.prices.values.filter(|_| !self.docket.is_open()) {
            Some(values) => self.stand.why(path, values, self.ground.courses, look.by),
            None => (false, look.by),
        };
        self.stand.store(path, &self.prices, self.ground.stage.names);
        self.epoch += 1;
        let after = self.stand.holds();
        // the old value stays until the write is committed
        let beside = built.max(after.total(true));
        self.heap.look(key, path.group.index(), beside, &before, Some(&after));
        self.append(path, look.at);
        self.books.at_place(look.at.0, path.group);
        let hash = if self.books.keeps_bump() { self.stand.hash(&mut self.prices) } else { None };
        let (at, group, epoch, trigger) = (look.at, path.group, self.epoch, look.by);
        let bump = Rebalance { at, group, epoch, membership: false, trigger, spurious, hash, told: None };
        self.docket.bump(&bump, path.members, |a, b| path.same(a, b), &mut self.books);
        self.told = path.turns;
    }

    fn append(&mut self, path: &Path, at: Ms) {
        let batch = self.records_of(path);
        self.records[path.shard] += batch.len() as u64;
        if self.books.counts_at(at) {
            let before = self.log.bytes;
            let framed = self.log.append(&batch, GroupKind::Consumer);
            self.books.appended_bytes(at, self.log.bytes - before);
            self.too_large |= framed > self.ground.options.message_max_bytes;
        } else {
            self.too_large |=
                record::batch(batch.iter().map(|(_, size)| *size)) > self.ground.options.message_max_bytes;
        }
    }

    /// The group is over.
    pub(super) fn close(&mut self, path: &Path) {
        let end = self.ground.stage.history.duration;
        self.books.at_place(u64::MAX, path.group);
        self.docket.finish(path.group, end, |a, b| path.same(a, b), &mut self.books);
        for (kind, size) in self.records_of(path) {
            self.live.put(kind, size, 0);
        }
        self.after_failover.add(&self.stand.held);
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

    /// All groups are over: what was appended goes into the books.
    pub(super) fn close_log(&mut self) {
        self.books.appended_in_all(&self.log);
    }
}
