//! The books of one lane: what the judge and the coordinator report, added up. Nothing is decided here but
//! what the warm-up cuts: a bump counts if it comes, a change if it opens, at or after its end. The order in which
//! it is told of does not matter, so that a lane may go in order of time or take one group after the other.

use crate::coordinator::Log;
use crate::kafka::GroupId;
use crate::sim::Ms;
use crate::strategy::Work;

use super::causes::Causes;
use super::delays::Delays;
use super::group_book::GroupBook;
use super::kept::{Kept, Place};
use super::seconds::Seconds;
use super::steps::StepBooks;
use super::strips::Strips;
use super::{Bucket, Bump, CauseCounts, CostBook, Counts, GroupOutcome, MissedChange, Outcome};

/// Running totals of one lane.
#[derive(Clone)]
pub struct Books {
    warmup: Ms,
    bucket: Ms,
    counts: Counts,
    /// By group; of groups that come one after the other only the present one's.
    groups: Vec<GroupBook>,
    by_group: bool,
    /// Where what comes next stands in the lane's order; left alone by a lane that goes in it.
    place: Place,
    /// Groups that are over: with a rebalance, and the most that one had.
    closed: (u64, u64),
    causes: Causes,
    delays: Delays,
    seconds: Seconds,
    stale_ms: u64,
    /// By bucket: groups that begin to be stale in it, less those that end.
    stale_change: Vec<i64>,
    buckets: Vec<Bucket>,
    strips: Strips,
    /// The rolls' steps; empty until somebody asks for them.
    pub steps: StepBooks,
    bumps: Kept<Bump>,
    missed: Kept<MissedChange>,
    initialised: u64,
    refreshes: u64,
    failures: u64,
    work: Work,
    log: Log,
}

impl Books {
    /// Empty books for so many groups, keeping at most `keep` bumps one by one.
    #[must_use]
    pub fn new(groups: usize, duration: Ms, warmup: Ms, bucket: Ms, keep: usize) -> Books {
        let starts = (0..duration.0.div_ceil(bucket.0)).map(|i| Ms(i * bucket.0));
        Books {
            warmup,
            bucket,
            counts: Counts::default(),
            groups: vec![GroupBook::default(); groups],
            by_group: false,
            place: (0, 0),
            closed: (0, 0),
            causes: Causes::default(),
            delays: Delays::default(),
            seconds: Seconds::default(),
            stale_ms: 0,
            stale_change: Vec::new(),
            buckets: starts.map(|start| Bucket { start, ..Bucket::default() }).collect(),
            strips: Strips::new(groups, duration, bucket),
            steps: StepBooks::default(),
            bumps: Kept::new(keep),
            missed: Kept::new(keep),
            initialised: 0,
            refreshes: 0,
            failures: 0,
            work: Work::default(),
            log: Log::default(),
        }
    }

    /// The same for a lane that takes one group after the other: it says where each thing stands ([`Books::at_place`])
    /// and when a group is over ([`Books::close_group`]).
    #[must_use]
    pub fn by_group(mut self) -> Books {
        self.by_group = true;
        self.groups = vec![GroupBook::default()];
        self.steps.by_group = true;
        self
    }

    /// What comes next stands here in the order of a lane that goes by time.
    pub fn at_place(&mut self, time: u64, group: GroupId) -> Place {
        self.place = (time, group.0);
        self.place
    }

    /// Would a rebalance that comes next be kept, as far as is known?
    #[must_use]
    pub fn keeps_bump(&self) -> bool {
        self.bumps.takes(self.place)
    }

    /// What is kept one by one, before it is copied.
    pub fn put_in_order(&mut self) {
        self.bumps.cut();
        self.missed.cut();
    }

    fn group(&mut self, group: GroupId) -> &mut GroupBook {
        &mut self.groups[if self.by_group { 0 } else { group.index() }]
    }

    /// Do counts at this instant count?
    #[must_use]
    pub fn counts_at(&self, at: Ms) -> bool {
        at >= self.warmup
    }

    /// A rebalance with its verdict, of a group with so many members.
    pub fn bump(&mut self, bump: &Bump, members: u32) {
        if !self.counts_at(bump.at) {
            return;
        }
        self.counts.add(bump.verdict);
        self.group(bump.group).bump(bump);
        self.causes.add(bump.cause, bump.trigger, bump.verdict, bump.group);
        if let Some(delay) = bump.delay {
            self.delays.add(delay.0);
        }
        self.seconds.add(bump.at);
        let bucket = self.bucket_at(bump.at);
        bucket.rebalances += 1;
        bucket.spurious += u64::from(bump.verdict >= super::BumpVerdict::Spurious);
        self.strips.add(bump);
        self.steps.bump(bump, u64::from(members));
        self.bumps.push(self.place, *bump);
    }

    /// A rebalance came of a share group's newly initialised partitions.
    pub fn initialised(&mut self, at: Ms) {
        self.initialised += u64::from(self.counts_at(at));
    }

    /// A change that was missed.
    pub fn missed(&mut self, change: &MissedChange) {
        if !self.counts_at(change.opened) {
            return;
        }
        self.counts.missed += 1;
        self.group(change.group).counts.missed += 1;
        self.causes.missed(change.cause, change.trigger);
        self.steps.missed(change);
        self.missed.push(self.place, *change);
    }

    /// A group was stale from `since` to `until`.
    pub fn stale_for(&mut self, since: Ms, until: Ms) {
        self.stale_ms += until.since(since.max(self.warmup)).0;
    }

    /// So many groups more (or less) are stale from `at` on.
    pub fn stale_groups(&mut self, at: Ms, change: i64) {
        let bucket = self.place_of(at);
        if bucket >= self.stale_change.len() {
            self.stale_change.resize(bucket + 1, 0);
        }
        self.stale_change[bucket] += change;
    }

    /// `times` recomputations of the same kind at `at`: due ones (`refreshes`), failed ones, and their work.
    pub fn recomputed(&mut self, at: Ms, times: u64, due: bool, failed: bool, work: &Work) {
        if !self.counts_at(at) {
            return;
        }
        let refreshes = if due { times } else { 0 };
        self.refreshes += refreshes;
        self.failures += if failed { times } else { 0 };
        self.work.add(work, times);
        let bucket = self.bucket_at(at);
        bucket.refreshes += refreshes;
        bucket.bytes_hashed += work.bytes_hashed * times;
    }

    /// Appended to the offsets log at `at`.
    pub fn appended(&mut self, at: Ms, log: &Log) {
        if self.counts_at(at) {
            self.log.add(log);
            self.bucket_at(at).offsets_log_bytes += log.bytes;
        }
    }

    /// All that was appended while it counted, its bytes by bucket told already ([`Books::appended_bytes`]).
    pub fn appended_in_all(&mut self, log: &Log) {
        self.log.add(log);
    }

    /// Bytes appended at `at`, which counts.
    pub fn appended_bytes(&mut self, at: Ms, bytes: u64) {
        self.bucket_at(at).offsets_log_bytes += bytes;
    }

    /// Refreshes by bucket, of which only those that count; their work is told elsewhere ([`Books::add_costs`]).
    pub fn add_refreshes(&mut self, by_bucket: &[u64]) {
        self.refreshes += by_bucket.iter().sum::<u64>();
        self.buckets.iter_mut().zip(by_bucket).for_each(|(bucket, refreshes)| bucket.refreshes += refreshes);
    }

    /// What these rebalances cost one of the lanes that had them.
    pub fn add_costs(&mut self, costs: &CostBook) {
        self.work.add(&costs.work(), 1);
        self.log.add(costs.log());
        for (bucket, own) in self.buckets.iter_mut().zip(costs.buckets()) {
            bucket.bytes_hashed += own.bytes_hashed;
            bucket.offsets_log_bytes += own.log_bytes;
        }
    }

    fn place_of(&self, at: Ms) -> usize {
        usize::try_from(at.0 / self.bucket.0).expect("a run's buckets fit memory")
    }

    fn bucket_at(&mut self, at: Ms) -> &mut Bucket {
        let place = self.place_of(at);
        &mut self.buckets[place]
    }

    /// Fills in the columns that come from these books.
    pub fn fill(&self, outcome: &mut Outcome) {
        outcome.counts = self.counts;
        outcome.initialised = self.initialised;
        outcome.refreshes = self.refreshes;
        outcome.failures = self.failures;
        outcome.stale_group_ms = self.stale_ms;
        let open = self.groups.iter().map(|g| g.counts.rebalances());
        outcome.groups_hit = self.closed.0 + open.clone().filter(|rebalances| *rebalances > 0).count() as u64;
        outcome.max_per_group = open.max().unwrap_or(0).max(self.closed.1);
        outcome.peak_per_s = self.seconds.most();
        outcome.delay_ms_p50 = self.delays.percentile(50);
        outcome.delay_ms_p99 = self.delays.percentile(99);
        outcome.delay_ms_max = self.delays.max();
        outcome.topics_hashed = self.work.topics_hashed;
        outcome.bytes_hashed = self.work.bytes_hashed;
        outcome.cache_hits = self.work.cache_hits;
        outcome.cache_misses = self.work.cache_misses;
        outcome.entries_compared = self.work.entries_compared;
        outcome.offsets_log_records = self.log.records;
        outcome.offsets_log_bytes = self.log.bytes;
        outcome.offsets_batch_bytes = self.log.batch_bytes;
    }

    /// All work that counts.
    #[must_use]
    pub fn work(&self) -> &Work {
        &self.work
    }

    /// All that was appended.
    #[must_use]
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// Delays of needed and late rebalances.
    #[must_use]
    pub fn delays(&self) -> &Delays {
        &self.delays
    }

    /// One group's row, but for what the coordinator knows.
    pub fn fill_group(&self, row: &mut GroupOutcome) {
        self.groups[if self.by_group { 0 } else { row.group.index() }].fill(row);
    }

    /// Likewise, of the group that is over.
    pub fn close_group(&mut self, row: &mut GroupOutcome) {
        self.fill_group(row);
        let rebalances = row.counts.rebalances();
        self.closed = (self.closed.0 + u64::from(rebalances > 0), self.closed.1.max(rebalances));
        self.groups[0] = GroupBook::default();
    }

    /// The rows of causes.csv.
    #[must_use]
    pub fn causes(&self) -> Vec<CauseCounts> {
        self.causes.rows()
    }

    /// Buckets, bumps, missed changes (are these all?), strips. Of a bucket that the run's end cuts short nothing is
    /// said of stale groups.
    #[must_use]
    pub fn into_lists(self, end: Ms) -> (Vec<Bucket>, Vec<Bump>, Vec<MissedChange>, bool, Strips) {
        let mut buckets = self.buckets;
        let mut stale = 0;
        for (bucket, change) in buckets.iter_mut().zip(self.stale_change.into_iter().chain(std::iter::repeat(0))) {
            stale += change;
            if bucket.start.after(self.bucket) <= end {
                bucket.stale_groups = u64::try_from(stale).expect("as many stop being stale as began");
            }
        }
        let ((bumps, all_bumps), (missed, all_missed)) = (self.bumps.into_list(), self.missed.into_list());
        (buckets, bumps, missed, all_bumps && all_missed, self.strips)
    }
}
