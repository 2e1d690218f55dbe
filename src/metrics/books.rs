//! The books of one lane: what the judge and the coordinator report, added up. Nothing is decided here but
//! what the warm-up cuts: a bump counts if it comes, a change if it opens, at or after its end.

use std::collections::BTreeMap;

use smallvec::SmallVec;

use crate::coordinator::Log;
use crate::kafka::GroupId;
use crate::sim::Ms;
use crate::strategy::Work;

use super::steps::StepBooks;
use super::strips::Strips;
use super::{Bucket, Bump, CauseCounts, Counts, GroupOutcome, MissedChange, Origin, Outcome};

/// Running totals of one lane.
pub struct Books {
    warmup: Ms,
    bucket: Ms,
    keep: usize,
    counts: Counts,
    groups: Vec<GroupBook>,
    causes: BTreeMap<(Origin, Origin), CauseBook>,
    delays: BTreeMap<u64, u64>,
    second: (u64, u64),
    peak: u64,
    stale_ms: u64,
    stale_now: i64,
    buckets: Vec<Bucket>,
    /// Buckets whose end has been passed.
    sampled: usize,
    strips: Strips,
    /// The rolls' steps; empty until somebody asks for them.
    pub steps: StepBooks,
    bumps: Vec<Bump>,
    bumps_complete: bool,
    missed: Vec<MissedChange>,
    initialised: u64,
    refreshes: u64,
    failures: u64,
    work: Work,
    log: Log,
}

#[derive(Clone, Default)]
struct GroupBook {
    counts: Counts,
    first: Option<Ms>,
    last: Option<Ms>,
    /// How many of its rebalances have which cause: mostly one.
    causes: SmallVec<[(Origin, u32); 1]>,
}

#[derive(Default)]
struct CauseBook {
    counts: Counts,
    /// One bit a group.
    hit: Vec<u64>,
    groups_hit: u64,
}

impl Books {
    /// Empty books for so many groups, keeping at most `keep` bumps one by one.
    #[must_use]
    pub fn new(groups: usize, duration: Ms, warmup: Ms, bucket: Ms, keep: usize) -> Books {
        let starts = (0..duration.0.div_ceil(bucket.0)).map(|i| Ms(i * bucket.0));
        Books {
            warmup,
            bucket,
            keep,
            counts: Counts::default(),
            groups: vec![GroupBook::default(); groups],
            causes: BTreeMap::new(),
            delays: BTreeMap::new(),
            second: (0, 0),
            peak: 0,
            stale_ms: 0,
            stale_now: 0,
            buckets: starts.map(|start| Bucket { start, ..Bucket::default() }).collect(),
            sampled: 0,
            strips: Strips::new(groups, duration, bucket),
            steps: StepBooks::default(),
            bumps: Vec::new(),
            bumps_complete: true,
            missed: Vec::new(),
            initialised: 0,
            refreshes: 0,
            failures: 0,
            work: Work::default(),
            log: Log::default(),
        }
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
        let group = &mut self.groups[bump.group.index()];
        group.counts.add(bump.verdict);
        group.first.get_or_insert(bump.at);
        group.last = Some(bump.at);
        match group.causes.iter_mut().find(|(cause, _)| *cause == bump.cause) {
            Some((_, count)) => *count += 1,
            None => group.causes.push((bump.cause, 1)),
        }
        let cause = self.causes.entry((bump.cause, bump.trigger)).or_default();
        cause.counts.add(bump.verdict);
        cause.hit(bump.group);
        if let Some(delay) = bump.delay {
            *self.delays.entry(delay.0).or_insert(0) += 1;
        }
        let second = bump.at.0 / 1000;
        self.second = if self.second.0 == second { (second, self.second.1 + 1) } else { (second, 1) };
        self.peak = self.peak.max(self.second.1);
        let bucket = self.bucket_at(bump.at);
        bucket.rebalances += 1;
        bucket.spurious += u64::from(bump.verdict >= super::BumpVerdict::Spurious);
        self.strips.add(bump);
        self.steps.bump(bump, u64::from(members));
        if self.bumps.len() < self.keep {
            self.bumps.push(*bump);
        } else {
            self.bumps_complete = false;
        }
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
        self.groups[change.group.index()].counts.missed += 1;
        self.causes.entry((change.cause, change.trigger)).or_default().counts.missed += 1;
        self.steps.missed(change);
        if self.missed.len() < self.keep {
            self.missed.push(*change);
        } else {
            self.bumps_complete = false;
        }
    }

    /// A group was stale from `since` to `until`.
    pub fn stale_for(&mut self, since: Ms, until: Ms) {
        self.stale_ms += until.since(since.max(self.warmup)).0;
    }

    /// So many groups more (or less) are stale from `at` on.
    pub fn stale_groups(&mut self, at: Ms, change: i64) {
        self.advance(at);
        self.stale_now += change;
    }

    /// Time has come to `at`: the buckets that end until then have their number of stale groups.
    pub fn advance(&mut self, at: Ms) {
        let stale = u64::try_from(self.stale_now).expect("as many stop being stale as began");
        while self.sampled < self.buckets.len() && self.buckets[self.sampled].start.after(self.bucket) <= at {
            self.buckets[self.sampled].stale_groups = stale;
            self.sampled += 1;
        }
        if at == Ms::NEVER {
            self.sampled = self.buckets.len();
        }
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

    fn bucket_at(&mut self, at: Ms) -> &mut Bucket {
        let index = usize::try_from(at.0 / self.bucket.0).expect("a run's buckets fit memory");
        &mut self.buckets[index]
    }

    /// Fills in the columns that come from these books.
    pub fn fill(&self, outcome: &mut Outcome) {
        outcome.counts = self.counts;
        outcome.initialised = self.initialised;
        outcome.refreshes = self.refreshes;
        outcome.failures = self.failures;
        outcome.stale_group_ms = self.stale_ms;
        outcome.groups_hit = self.groups.iter().filter(|g| g.counts.rebalances() > 0).count() as u64;
        outcome.max_per_group = self.groups.iter().map(|g| g.counts.rebalances()).max().unwrap_or(0);
        outcome.peak_per_s = self.peak;
        outcome.delay_ms_p50 = self.percentile(50);
        outcome.delay_ms_p99 = self.percentile(99);
        outcome.delay_ms_max = self.delays.keys().next_back().copied();
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

    /// Delays of needed and late rebalances, and how many had each.
    #[must_use]
    pub fn delays(&self) -> &BTreeMap<u64, u64> {
        &self.delays
    }

    /// Nearest rank over the delays of needed and late rebalances.
    fn percentile(&self, percent: u64) -> Option<u64> {
        let total: u64 = self.delays.values().sum();
        let rank = (total * percent).div_ceil(100).max(1);
        let mut seen = 0;
        self.delays
            .iter()
            .find(|(_, count)| {
                seen += **count;
                seen >= rank
            })
            .map(|(delay, _)| *delay)
    }

    /// One group's row, but for what the coordinator knows.
    pub fn fill_group(&self, row: &mut GroupOutcome) {
        let book = &self.groups[row.group.index()];
        row.counts = book.counts;
        row.first = book.first;
        row.last = book.last;
        // the cause of most of its rebalances, of equal ones the first
        let most = book.causes.iter().max_by_key(|(cause, count)| (*count, std::cmp::Reverse(*cause)));
        row.main_cause = most.map(|(cause, _)| *cause);
    }

    /// The rows of causes.csv.
    #[must_use]
    pub fn causes(&self) -> Vec<CauseCounts> {
        let row = |((cause, trigger), book): (&(Origin, Origin), &CauseBook)| CauseCounts {
            cause: *cause,
            trigger: *trigger,
            counts: book.counts,
            groups_hit: book.groups_hit,
        };
        self.causes.iter().map(row).collect()
    }

    /// Buckets, bumps (are they all?), missed changes, strips.
    #[must_use]
    pub fn into_lists(self) -> (Vec<Bucket>, Vec<Bump>, bool, Vec<MissedChange>, Strips) {
        (self.buckets, self.bumps, self.bumps_complete, self.missed, self.strips)
    }
}

impl CauseBook {
    fn hit(&mut self, group: GroupId) {
        let (word, bit) = (group.index() / 64, 1u64 << (group.index() % 64));
        if word >= self.hit.len() {
            self.hit.resize(word + 1, 0);
        }
        self.groups_hit += u64::from(self.hit[word] & bit == 0);
        self.hit[word] |= bit;
    }
}
