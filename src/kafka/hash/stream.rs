//! The bytes that Kafka 4.1 hashes for a topic (model: C.3), written into one buffer first and hashed in
//! one go: several times faster than feeding a hasher piece by piece. All little-endian:
//!
//! ```text
//! u8 0 · i64 id msb · i64 id lsb · str name · i32 partitions
//! for each partition:  i32 number · for each rack: i32 code units · str rack
//! str = UTF-16 code units of two bytes, then i32 their number
//! ```

use std::ops::Range;

use crate::kafka::{JavaName, NameTable, RackId};

use super::TopicContent;

/// Kafka's `TOPIC_HASH_MAGIC_BYTE`.
const MAGIC: u8 = 0;
/// A block that is copied whole, whatever its length: of three racks with names like `us-east-1a` it has less.
const SHORT: usize = 128;
/// How many bytes of equal partitions are copied in one go.
const REPEATED_AT_ONCE: usize = 4096;

/// A reusable encoder. It remembers each rack's bytes, so one value belongs to one run's names.
#[derive(Clone, Debug, Default)]
pub struct Stream {
    /// Longer than what is written: a piece is copied whole and reaches beyond its end.
    buffer: Vec<u8>,
    pieces: Pieces,
}

/// What is written for a rack, ready to be copied.
#[derive(Clone, Debug, Default)]
struct Pieces {
    /// All of them one after another, each in a place of [`Pieces::width`] bytes.
    bytes: Vec<u8>,
    /// By [`RackId`].
    lengths: Vec<usize>,
    width: usize,
}

impl Stream {
    /// The bytes of a topic; they stand until the next call.
    pub fn topic(&mut self, content: &TopicContent<'_>, names: &NameTable) -> &[u8] {
        if self.pieces.lengths.len() != names.racks() {
            self.pieces = Pieces::new(names);
        }
        let around = 1 + 16 + content.name.utf16le.len() + 4 + 4 + self.pieces.width + SHORT;
        // there is room for most topics: that is seen without a look at each rack
        if self.buffer.len() < around + content.racks.partitions() as usize * self.pieces.most(content.racks.most()) {
            let blocks = content.racks.runs().map(|(racks, partitions)| partitions as usize * self.pieces.block(racks));
            let most = around + blocks.sum::<usize>();
            self.buffer.resize(most.max(self.buffer.len()), 0);
        }
        let mut end = self.head(content);
        let mut partition = 0u32;
        for (racks, partitions) in content.racks.runs() {
            let start = end;
            end = self.block(racks, start);
            let length = end - start;
            if partitions == 1 {
                self.buffer[start..start + 4].copy_from_slice(&partition.to_le_bytes());
            } else if length <= 64 {
                end = self.repeat_short::<64>(start, length, partition, partitions);
            } else if length <= SHORT {
                end = self.repeat_short::<SHORT>(start, length, partition, partitions);
            } else {
                end = self.repeat(start..end, partitions);
                for (number, block) in (partition..).zip(self.buffer[start..end].chunks_exact_mut(length)) {
                    block[..4].copy_from_slice(&number.to_le_bytes());
                }
            }
            partition += partitions;
        }
        &self.buffer[..end]
    }

    /// The bytes of a group: its topics' hashes, in the order given.
    pub fn group(&mut self, hashes: &[u64]) -> &[u8] {
        if self.buffer.len() < 8 * hashes.len() {
            self.buffer.resize(8 * hashes.len(), 0);
        }
        for (place, hash) in self.buffer.chunks_exact_mut(8).zip(hashes) {
            place.copy_from_slice(&hash.to_le_bytes());
        }
        &self.buffer[..8 * hashes.len()]
    }

    fn head(&mut self, content: &TopicContent<'_>) -> usize {
        let mut at = 0;
        put(&mut self.buffer, &mut at, &[MAGIC]);
        if let Some(id) = content.id {
            put(&mut self.buffer, &mut at, &id.msb.to_le_bytes());
            put(&mut self.buffer, &mut at, &id.lsb.to_le_bytes());
        }
        put(&mut self.buffer, &mut at, &content.name.utf16le);
        put(&mut self.buffer, &mut at, &code_units(content.name));
        put(&mut self.buffer, &mut at, &content.racks.partitions().to_le_bytes());
        at
    }

    /// A partition's block at `start`, its number still missing; where it ends.
    fn block(&mut self, racks: &[RackId], start: usize) -> usize {
        // copying a constant number of bytes is a few instructions, a variable number is a call
        match self.pieces.width {
            32 => self.block_of::<32>(racks, start + 4),
            64 => self.block_of::<64>(racks, start + 4),
            _ => {
                let mut at = start + 4;
                racks.iter().for_each(|&rack| put(&mut self.buffer, &mut at, self.pieces.of(rack)));
                at
            }
        }
    }

    fn block_of<const WIDTH: usize>(&mut self, racks: &[RackId], start: usize) -> usize {
        let (pieces, _) = self.pieces.bytes.as_chunks::<WIDTH>();
        let mut at = start;
        for rack in racks {
            self.buffer[at..at + WIDTH].copy_from_slice(&pieces[rack.index()]);
            at += self.pieces.lengths[rack.index()];
        }
        at
    }

    /// Writes the short block at `start` `times` times in a row, each with its number, from `first` on; where that ends.
    /// Each copy is of a constant number of bytes and reaches into the next block, which is written after it.
    fn repeat_short<const MOST: usize>(&mut self, start: usize, length: usize, first: u32, times: u32) -> usize {
        let mut block = [0; MOST];
        block.copy_from_slice(&self.buffer[start..start + MOST]);
        let mut at = start;
        for number in first..first + times {
            block[..4].copy_from_slice(&number.to_le_bytes());
            self.buffer[at..at + MOST].copy_from_slice(&block);
            at += length;
        }
        at
    }

    /// Writes what stands at `block` until it stands there `times` times in a row; where that ends.
    fn repeat(&mut self, block: Range<usize>, times: u32) -> usize {
        let all = block.len() * times as usize;
        let mut done = block.len();
        while done < all {
            // whole blocks, as many as the nearest cache holds well
            let most = (REPEATED_AT_ONCE / block.len()).max(1) * block.len();
            let more = done.min(all - done).min(most);
            self.buffer.copy_within(block.start..block.start + more, block.start + done);
            done += more;
        }
        block.start + all
    }
}

impl Pieces {
    fn new(names: &NameTable) -> Pieces {
        let all: Vec<Vec<u8>> = (0..names.racks())
            .map(|index| {
                let name = names.rack(RackId::at(index));
                [&code_units(name)[..], &name.utf16le, &code_units(name)].concat()
            })
            .collect();
        let lengths: Vec<usize> = all.iter().map(Vec::len).collect();
        let width = lengths.iter().copied().max().unwrap_or(0).next_power_of_two().max(32);
        let bytes = all.into_iter().flat_map(|piece| {
            let padding = width - piece.len();
            piece.into_iter().chain(std::iter::repeat_n(0, padding))
        });
        Pieces { bytes: bytes.collect(), lengths, width }
    }

    /// Bytes of a partition with so many racks, at most.
    const fn most(&self, racks: usize) -> usize {
        4 + racks * self.width
    }

    /// Bytes of a partition with these racks.
    fn block(&self, racks: &[RackId]) -> usize {
        4 + racks.iter().map(|rack| self.lengths[rack.index()]).sum::<usize>()
    }

    fn of(&self, rack: RackId) -> &[u8] {
        let start = rack.index() * self.width;
        &self.bytes[start..start + self.lengths[rack.index()]]
    }
}

fn put(buffer: &mut [u8], at: &mut usize, bytes: &[u8]) {
    buffer[*at..*at + bytes.len()].copy_from_slice(bytes);
    *at += bytes.len();
}

/// Java's `String.length()`, as it is hashed.
fn code_units(name: &JavaName) -> [u8; 4] {
    u32::try_from(name.utf16le.len() / 2).expect("names are short").to_le_bytes()
}
