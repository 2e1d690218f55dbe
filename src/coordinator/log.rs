//! What a coordinator appends to `__consumer_offsets`, as counts and bytes by type of record (model: D, K.6).
//! One batch a coordinator operation.

use crate::kafka::record::{self, RecordSize};
use crate::kafka::{GroupId, GroupKind};

use super::RecordType;
use super::record_type::TYPES;

/// The records of one operation.
pub(super) type Batch = smallvec::SmallVec<[(RecordType, RecordSize); 4]>;

/// Records of one type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Records, tombstones among them.
    pub records: u64,
    /// Of these, tombstones.
    pub tombstones: u64,
    /// Key and value bytes.
    pub bytes: u64,
    /// The same framed, without the batches' headers.
    pub framed_bytes: u64,
}

impl Written {
    fn put(&mut self, size: RecordSize, offset: u64, times: u64) {
        self.records += times;
        self.tombstones += u64::from(size.value.is_none()) * times;
        self.bytes += size.bytes() * times;
        self.framed_bytes += record::framed(size, offset) * times;
    }

    const fn add(&mut self, other: &Written) {
        self.records += other.records;
        self.tombstones += other.tombstones;
        self.bytes += other.bytes;
        self.framed_bytes += other.framed_bytes;
    }
}

/// Records by type, in the order of [`RecordType::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByType([Written; TYPES]);

impl ByType {
    /// One type's.
    #[must_use]
    pub const fn of(&self, kind: RecordType) -> &Written {
        &self.0[kind as usize]
    }

    /// A record, `offset` places after the first of its batch.
    pub fn put(&mut self, kind: RecordType, size: RecordSize, offset: u64) {
        self.0[kind as usize].put(size, offset, 1);
    }

    /// Adds what another has.
    pub fn add(&mut self, other: &ByType) {
        self.0.iter_mut().zip(&other.0).for_each(|(own, others)| own.add(others));
    }
}

/// Appended records, records' bytes and framed bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Log {
    /// Records.
    pub records: u64,
    /// Key and value bytes.
    pub bytes: u64,
    /// The same framed (model: D.3), one batch an operation.
    pub batch_bytes: u64,
    /// By type.
    pub by_type: ByType,
}

impl Log {
    /// Appends the records of one operation on a group of that kind; the bytes of their batch.
    pub fn append(&mut self, batch: &[(RecordType, RecordSize)], of: GroupKind) -> u64 {
        self.append_times(batch, of, 1)
    }

    /// The same of so many operations that write the same records; the bytes of one batch.
    pub fn append_times(&mut self, batch: &[(RecordType, RecordSize)], of: GroupKind, times: u64) -> u64 {
        if batch.is_empty() || times == 0 {
            return 0;
        }
        self.records += batch.len() as u64 * times;
        for (offset, (kind, size)) in (0u64..).zip(batch) {
            self.bytes += size.bytes() * times;
            self.by_type.0[kind.of(of) as usize].put(*size, offset, times);
        }
        let framed = record::batch(batch.iter().map(|(_, size)| *size));
        self.batch_bytes += framed * times;
        framed
    }

    /// Adds what another has.
    pub fn add(&mut self, other: &Log) {
        self.records += other.records;
        self.bytes += other.bytes;
        self.batch_bytes += other.batch_bytes;
        self.by_type.add(&other.by_type);
    }
}

/// A batch over `message.max.bytes`: Kafka refuses it, and the operation that wanted to write it fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// The group of the first one.
    pub group: GroupId,
    /// The largest record of its batch.
    pub record: RecordType,
    /// The batch's bytes, its header included.
    pub batch_bytes: u64,
    /// What Kafka allows.
    pub limit: u64,
    /// How many there were.
    pub times: u64,
}
