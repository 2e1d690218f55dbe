//! The bytes that Kafka 4.1 hashes for a topic (model: C.3), written into one buffer first and hashed in
//! one go: several times faster than feeding a hasher piece by piece. All little-endian:
//!
//! ```text
//! u8 0 · i64 id msb · i64 id lsb · str name · i32 partitions
//! for each partition:  i32 number · for each rack: i32 code units · str rack
//! str = UTF-16 code units of two bytes, then i32 their number
//! ```

use crate::kafka::{JavaName, NameTable, RackId};

use super::TopicContent;

/// Kafka's `TOPIC_HASH_MAGIC_BYTE`.
const MAGIC: u8 = 0;
/// Racks of up to 28 code units are copied whole from a table of ready pieces.
const PIECE: usize = 64;

/// A reusable encoder. It remembers each rack's bytes, so one value belongs to one run's names.
#[derive(Clone, Debug, Default)]
pub struct Stream {
    /// Longer than what is written: copies of a whole piece may reach beyond the end.
    buffer: Vec<u8>,
    written: usize,
    /// By [`RackId`]; length 0: not made yet.
    racks: Vec<Piece>,
}

#[derive(Clone, Debug)]
struct Piece {
    bytes: [u8; PIECE],
    length: usize,
}

impl Stream {
    /// The bytes of a topic; they stand until the next call.
    pub fn topic(&mut self, content: &TopicContent<'_>, names: &NameTable) -> &[u8] {
        self.written = 0;
        self.room(1 + 16 + content.name.utf16le.len() + 4 + 4);
        self.put(&[MAGIC]);
        if let Some(id) = content.id {
            self.put(&id.msb.to_le_bytes());
            self.put(&id.lsb.to_le_bytes());
        }
        self.put(&content.name.utf16le);
        self.put(&code_units(content.name).to_le_bytes());
        self.put(&content.racks.partitions().to_le_bytes());
        for (partition, racks) in (0u32..).zip(content.racks.iter()) {
            self.room(4);
            self.put(&partition.to_le_bytes());
            for &rack in racks {
                self.rack(rack, names);
            }
        }
        &self.buffer[..self.written]
    }

    /// The bytes of a group: its topics' hashes, in the order given.
    pub fn group(&mut self, hashes: &[u64]) -> &[u8] {
        self.written = 0;
        self.room(8 * hashes.len());
        for hash in hashes {
            self.put(&hash.to_le_bytes());
        }
        &self.buffer[..self.written]
    }

    /// Makes sure of room for `more` bytes and a piece.
    fn room(&mut self, more: usize) {
        let needed = self.written + more + PIECE;
        if self.buffer.len() < needed {
            self.buffer.resize(needed.max(2 * self.buffer.len()), 0);
        }
    }

    fn put(&mut self, bytes: &[u8]) {
        self.buffer[self.written..self.written + bytes.len()].copy_from_slice(bytes);
        self.written += bytes.len();
    }

    fn rack(&mut self, rack: RackId, names: &NameTable) {
        let Some(piece) = self.racks.get(rack.index()).filter(|piece| piece.length > 0) else {
            return self.new_rack(rack, names);
        };
        let (at, length) = (self.written, piece.length);
        if self.buffer.len() < at + PIECE {
            self.room(0);
            return self.rack(rack, names);
        }
        // a copy of constant size is two or four instructions; of a variable size, a call
        if length <= PIECE / 2 {
            self.buffer[at..at + PIECE / 2].copy_from_slice(&piece.bytes[..PIECE / 2]);
        } else {
            self.buffer[at..at + PIECE].copy_from_slice(&piece.bytes);
        }
        self.written += length;
    }

    #[cold]
    fn new_rack(&mut self, rack: RackId, names: &NameTable) {
        let name = names.rack(rack);
        let units = code_units(name).to_le_bytes();
        let length = 8 + name.utf16le.len();
        let start = self.written;
        self.room(length);
        self.put(&units);
        self.put(&name.utf16le);
        self.put(&units);
        if length <= PIECE {
            if self.racks.len() <= rack.index() {
                self.racks.resize(rack.index() + 1, Piece { bytes: [0; PIECE], length: 0 });
            }
            let piece = &mut self.racks[rack.index()];
            piece.length = length;
            piece.bytes[..length].copy_from_slice(&self.buffer[start..start + length]);
        }
    }
}

/// Java's `String.length()`.
fn code_units(name: &JavaName) -> u32 {
    u32::try_from(name.utf16le.len() / 2).expect("names are short")
}
