//! What a coordinator appends to `__consumer_offsets`, as counts and bytes (model: D, K.6). One batch a
//! coordinator operation.

use crate::kafka::record::{self, RecordSize};

/// The records of one operation.
pub(super) type Batch = smallvec::SmallVec<[RecordSize; 4]>;

/// Appended records, records' bytes and framed bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Log {
    /// Records.
    pub records: u64,
    /// Key and value bytes.
    pub bytes: u64,
    /// The same framed (model: D.3), one batch an operation.
    pub batch_bytes: u64,
}

impl Log {
    /// Appends one operation's records.
    pub fn append(&mut self, batch: &[RecordSize]) {
        if batch.is_empty() {
            return;
        }
        self.records += batch.len() as u64;
        self.bytes += batch.iter().map(|r| r.bytes()).sum::<u64>();
        self.batch_bytes += record::batch(batch.iter().copied());
    }

    /// Adds what another has.
    pub fn add(&mut self, other: &Log) {
        self.records += other.records;
        self.bytes += other.bytes;
        self.batch_bytes += other.batch_bytes;
    }
}
