//! What a lane cost, where that is added up apart from what it decided: work, the offsets log, and both by bucket.

use crate::coordinator::{Log, RecordType};
use crate::kafka::GroupKind;
use crate::kafka::record::RecordSize;
use crate::strategy::Work;

/// Running totals of one lane.
#[derive(Clone, Debug, Default)]
pub struct CostBook {
    work: Work,
    /// Topics hashed for a cache: in `work` they are hits, too, until all is told.
    missed: u64,
    log: Log,
    by_bucket: Vec<BucketCosts>,
}

/// One bucket's.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BucketCosts {
    pub(super) bytes_hashed: u64,
    pub(super) log_bytes: u64,
}

impl CostBook {
    /// Empty, for so many buckets.
    #[must_use]
    pub fn new(buckets: usize) -> CostBook {
        CostBook { by_bucket: vec![BucketCosts::default(); buckets], ..CostBook::default() }
    }

    /// So many looks that took this, the topics among them that came from a cache as hits.
    pub fn worked(&mut self, work: &Work, times: u64) {
        self.work.add(work, times);
    }

    /// One topic that a look had to hash instead.
    pub fn missed(&mut self, work: &Work) {
        self.work.add(work, 1);
        self.missed += 1;
    }

    /// So many bytes were hashed in this bucket (no more of them in all: that is [`CostBook::worked`]'s).
    pub fn hashed_in(&mut self, bucket: usize, bytes: u64) {
        self.by_bucket[bucket].bytes_hashed += bytes;
    }

    /// So many operations wrote these records.
    pub fn appended(&mut self, batch: &[(RecordType, RecordSize)], of: GroupKind, times: u64) {
        self.log.append_times(batch, of, times);
    }

    /// So many bytes of them in this bucket.
    pub fn appended_in(&mut self, bucket: usize, bytes: u64) {
        self.by_bucket[bucket].log_bytes += bytes;
    }

    /// All that was appended.
    #[must_use]
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// All work.
    #[must_use]
    pub fn work(&self) -> Work {
        let mut work = self.work;
        work.cache_misses += self.missed;
        work.cache_hits -= self.missed;
        work
    }

    pub(super) fn buckets(&self) -> &[BucketCosts] {
        &self.by_bucket
    }
}
