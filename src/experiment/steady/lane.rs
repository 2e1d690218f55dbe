//! What one strategy's lane costs over groups that come one after the other: work, heap and log. A look mostly costs what
//! the last one did, and a rebalance writes what the last one wrote, so they are counted and added up when that changes.

use smallvec::SmallVec;

use crate::coordinator::{ByType, Holders, RecordType};
use crate::kafka::GroupKind;
use crate::kafka::record::{self, PartitionMetadata, RecordSize};
use crate::metrics::{CostBook, Kept, Place};
use crate::scenario::{Cache, StrategyKind, StrategySpec};
use crate::sim::Ms;
use crate::strategy::{Footprint, Work};

use super::super::lane::{LaneOptions, Stage};
use super::calendar::{Calendar, EventNo};
use super::courses::Courses;
use super::fills::Key;
use super::heap::HeapBook;
use super::path::Path;
use super::prices::{Prices, Tariff};
use super::stand::Stand;

/// What all lanes of a run stand on.
#[derive(Clone, Copy)]
pub(super) struct Ground<'a> {
    pub(super) stage: Stage<'a>,
    pub(super) courses: &'a Courses,
    pub(super) calendar: &'a Calendar,
    pub(super) options: LaneOptions,
}

impl Ground<'_> {
    /// How many buckets a run has.
    pub(super) fn buckets(&self) -> usize {
        let (duration, bucket) = (self.stage.history.duration, self.options.bucket);
        usize::try_from(duration.0.div_ceil(bucket.0)).expect("a run's buckets fit memory")
    }

    /// The bucket that an instant falls into; `None`: what happens then does not count.
    pub(super) fn bucket_of(&self, at: Ms) -> Option<usize> {
        let place = || usize::try_from(at.0 / self.options.bucket.0).expect("a run's buckets fit memory");
        (at >= self.options.warmup).then(place)
    }
}

/// The records of one rebalance.
type Records = SmallVec<[(RecordType, RecordSize); 2]>;

/// Does the strategy take topics through a cache?
pub(super) fn caches(spec: &StrategySpec) -> bool {
    let hashes = matches!(spec.kind, StrategyKind::TopicHash | StrategyKind::GroupHash);
    hashes && spec.switches.cache != Cache::None
}

/// One lane's costs.
pub(super) struct SteadyLane {
    /// Its place among all that go this way.
    pub(super) place: usize,
    kind: StrategyKind,
    pub(super) caches: bool,
    /// Does it hash anything?
    pub(super) hashes_bytes: bool,
    message_max_bytes: u64,
    prices: Prices,
    of_group: OfGroup,
    // of all
    pub(super) costs: CostBook,
    pub(super) heap: HeapBook,
    /// Of the rebalances that are kept one by one.
    pub(super) hashes: Kept<u64>,
    /// The log as compaction leaves it, members apart.
    pub(super) live: ByType,
    /// Groups' values as a load reads them.
    pub(super) after_failover: Holders,
    /// By shard: records in its log, nothing compacted, members' of time 0 apart.
    pub(super) records: Vec<u64>,
    /// Has a batch been too large for Kafka? Then it is another lane's case.
    pub(super) too_large: bool,
}

/// The present group.
#[derive(Default)]
struct OfGroup {
    /// Sums over the topics that it reads: work, what is written, what is held.
    taken: Work,
    written: PartitionMetadata,
    held_read: Footprint,
    /// Has any of them changed since it was stored? And which topics exist?
    repriced: bool,
    others: bool,
    /// What is held around topics.
    around: Footprint,
    /// What its stored value takes, strings apart; and was it loaded since it was written? Then its strings are its own.
    held: Footprint,
    loaded: bool,
    /// What stands beside its value while a look builds it again, and while a rebalance does.
    built: u64,
    replaced: u64,
    /// What a look takes, but for what it hashes for a cache; and since which of the looks that count.
    each: Work,
    since: u64,
    /// What a rebalance writes, its bytes, and how many there were, and how many that count.
    batch: Records,
    batch_bytes: u64,
    batches: u64,
    counted: u64,
}

impl SteadyLane {
    pub(super) fn new(ground: Ground<'_>, place: usize, spec: &StrategySpec, prices: Prices) -> SteadyLane {
        let Ground { stage: Stage { history, .. }, options, calendar, .. } = ground;
        SteadyLane {
            place,
            kind: spec.kind,
            caches: caches(spec),
            hashes_bytes: matches!(
                spec.kind,
                StrategyKind::TopicHash | StrategyKind::GroupHash | StrategyKind::GroupHashUncached
            ),
            message_max_bytes: options.message_max_bytes,
            prices,
            of_group: OfGroup::default(),
            costs: CostBook::new(ground.buckets()),
            heap: HeapBook::new(history.groups.len(), calendar.events()),
            hashes: Kept::new(options.keep_bumps),
            live: ByType::default(),
            after_failover: Holders::default(),
            records: vec![0; history.shards.len()],
            too_large: false,
        }
    }

    /// A group stands at time 0.
    pub(super) fn stand(&mut self, ground: Ground<'_>, path: &Path, stand: &Stand) {
        self.restand(ground, path, stand);
        self.heap.stands(&self.holds());
        self.of_group.batches = 1;
    }

    /// The same, nothing booked.
    pub(super) fn restand(&mut self, ground: Ground<'_>, path: &Path, stand: &Stand) {
        self.of_group = OfGroup::default();
        self.reprice(path, stand, 0);
        self.store(ground, path, stand);
    }

    /// A look has found what costs another price; so many that count came before it.
    pub(super) fn reprice(&mut self, path: &Path, stand: &Stand, looks: u64) {
        if stand.news.repriced.is_empty() && !stand.news.others {
            return;
        }
        self.settle(path.shard, looks);
        let group = &mut self.of_group;
        for &(old, new) in &stand.news.repriced {
            let (old, new) = (self.prices.of(old), self.prices.of(new));
            group.taken.take(&old.work);
            group.taken.add(&new.work, 1);
            group.written.take(old.written);
            group.written.add(new.written);
            group.held_read.take(&old.held);
            group.held_read.add(&new.held);
        }
        group.repriced = true;
        group.others |= stand.news.others;
        group.each =
            if self.caches { Work { cache_hits: stand.exists as u64, ..Work::default() } } else { group.taken };
        group.each.add(self.prices.group_work(stand.exists), 1);
    }

    /// Bytes that a look hashes, but for what it hashes for a cache.
    pub(super) fn hashed(&mut self, bucket: usize) {
        self.costs.hashed_in(bucket, self.of_group.each.bytes_hashed);
    }

    /// A topic at this price is hashed for a cache, by somebody's look.
    pub(super) fn missed(&mut self, bucket: usize, tariff: Tariff) {
        let work = &self.prices.of(tariff).work;
        self.costs.missed(work);
        self.costs.hashed_in(bucket, work.bytes_hashed);
    }

    /// A look's rebalance, in this bucket if it counts.
    pub(super) fn bump(&mut self, ground: Ground<'_>, path: &Path, stand: &Stand, key: Key, bucket: Option<usize>) {
        self.heap.beside(path.group.index(), self.of_group.built);
        if self.of_group.repriced || self.of_group.loaded {
            let before = self.holds();
            self.store(ground, path, stand);
            self.heap.changes(key, &before, &self.holds());
        }
        // the old value stays until the write is committed
        self.heap.beside(path.group.index(), self.of_group.replaced);
        let group = &mut self.of_group;
        group.batches += 1;
        if let Some(bucket) = bucket {
            group.counted += 1;
            self.costs.appended_in(bucket, group.batch_bytes);
        }
    }

    /// A rebalance that is kept.
    pub(super) fn keep_hash(&mut self, place: Place, stand: &Stand) {
        if let Some(hash) = self.prices.group_hash(stand.read()) {
            self.hashes.push(place, hash);
        }
    }

    /// What was read is stored.
    pub(super) fn store(&mut self, ground: Ground<'_>, path: &Path, stand: &Stand) {
        self.of_group.loaded = false;
        if !std::mem::take(&mut self.of_group.repriced) {
            self.of_group.replaced = self.holds().total(true);
            return;
        }
        if std::mem::take(&mut self.of_group.others) {
            let there = path.topics.iter().zip(stand.there()).filter(|(_, there)| *there);
            let codes: Vec<i32> = there.map(|(topic, _)| ground.stage.names.topic(*topic).hash_code).collect();
            self.of_group.around = self.prices.group_held(&codes);
        }
        self.of_group.held = self.of_group.held_read;
        self.of_group.held.add(&self.of_group.around);
        self.of_group.built = self.built().total(true);
        self.of_group.replaced = self.holds().total(true);
        let batch = self.records_of(ground, path, stand);
        self.too_large |= record::batch(batch.iter().map(|(_, size)| *size)) > self.message_max_bytes;
        self.of_group.batch_bytes = batch.iter().map(|(_, size)| size.bytes()).sum();
        self.of_group.batch = batch;
    }

    /// The records of a group's own: its map, if it has one, and its epoch.
    fn records_of(&self, ground: Ground<'_>, path: &Path, stand: &Stand) -> Records {
        let name = ground.stage.history.names.groups[path.group.index()].len() as u64;
        let key = record::group_key(name);
        let (maps, hashes) = match self.kind {
            StrategyKind::FullMetadata | StrategyKind::PartitionCount | StrategyKind::TopicHash => (true, false),
            StrategyKind::GroupHash | StrategyKind::GroupHashUncached => (false, true),
            StrategyKind::DeltaFlag | StrategyKind::AsDeployed | StrategyKind::ClassicClient => (false, false),
        };
        // a hash over something is not 0
        let hash = u64::from(hashes && stand.exists > 0);
        let epoch = (RecordType::GroupMetadata, RecordSize { key, value: Some(record::group_metadata(hash)) });
        let value = Some(self.of_group.written.value());
        let map = maps.then_some((RecordType::PartitionMetadata, RecordSize { key, value }));
        map.into_iter().chain([epoch]).collect()
    }

    /// The group's shard has been loaded.
    pub(super) fn loaded(&mut self, event: EventNo) {
        if !self.loads() && self.of_group.held.strings > 0 {
            self.heap.loads(event, self.of_group.held.strings);
        }
    }

    /// The same, nothing booked. Was it loaded already since it was last written?
    pub(super) fn loads(&mut self) -> bool {
        std::mem::replace(&mut self.of_group.loaded, true)
    }

    /// What stands beside the stored value while a look builds it again: as large, but its racks are bare sets.
    pub(super) fn built(&self) -> Footprint {
        let held = &self.of_group.held;
        Footprint { racks: held.racks - held.wrappers, strings: 0, wrappers: 0, ..*held }
    }

    /// What it holds, its strings only where they are its own.
    pub(super) fn holds(&self) -> Footprint {
        let group = &self.of_group;
        if group.loaded { group.held } else { Footprint { strings: 0, ..group.held } }
    }

    /// Looks and rebalances that were like each other.
    fn settle(&mut self, shard: usize, looks: u64) {
        let group = &mut self.of_group;
        self.costs.worked(&group.each, looks - std::mem::replace(&mut group.since, looks));
        self.records[shard] += group.batch.len() as u64 * std::mem::take(&mut group.batches);
        self.costs.appended(&group.batch, GroupKind::Consumer, std::mem::take(&mut group.counted));
    }

    /// The group is over, after so many looks that count. Has it looked since its last rebalance?
    pub(super) fn close(&mut self, path: &Path, looks: u64, looked: bool) {
        self.settle(path.shard, looks);
        if looked {
            self.heap.beside(path.group.index(), self.of_group.built);
        }
        for &(kind, size) in &self.of_group.batch {
            self.live.put(kind, size, 0);
        }
        self.after_failover.add(&self.of_group.held);
    }
}
