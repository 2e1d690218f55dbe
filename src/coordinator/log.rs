//! What a coordinator appends to `__consumer_offsets`, as counts and bytes (model: D, K.6). One batch a
//! coordinator operation.

/// Bytes of the records of one operation: (key, value); `None` is a tombstone.
pub(super) type Batch = smallvec::SmallVec<[Record; 4]>;

/// A record's size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Key bytes.
    pub key: u64,
    /// Value bytes; `None`: a tombstone.
    pub value: Option<u64>,
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
}

impl Log {
    /// Appends one operation's records.
    pub fn append(&mut self, batch: &[Record]) {
        if batch.is_empty() {
            return;
        }
        self.records += batch.len() as u64;
        self.bytes += batch.iter().map(|r| r.key + r.value.unwrap_or(0)).sum::<u64>();
        self.batch_bytes += batch_bytes(batch);
    }

    /// Adds what another has.
    pub fn add(&mut self, other: &Log) {
        self.records += other.records;
        self.bytes += other.bytes;
        self.batch_bytes += other.batch_bytes;
    }
}

fn batch_bytes(batch: &[Record]) -> u64 {
    let framed = |(offset, record): (usize, &Record)| {
        let value = record.value.map_or(1, |v| varint(v) + v);
        let body = 1 + 1 + varint(offset as u64) + varint(record.key) + record.key + value + 1;
        varint(body) + body
    };
    61 + batch.iter().enumerate().map(framed).sum::<u64>()
}

/// Length of a zig-zag varint of a number that is not negative.
const fn varint(n: u64) -> u64 {
    let bits = 64 - (n << 1).leading_zeros() as u64;
    if bits == 0 { 1 } else { bits.div_ceil(7) }
}
