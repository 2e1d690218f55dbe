//! A fingerprint of a value, fed piece by piece: XXH3-64 over typed, length-prefixed writes, so that no two
//! different sequences of writes give the same bytes.

use xxhash_rust::xxh3::Xxh3;

use super::Ms;

/// A running fingerprint. What is written waits in a buffer, since most of it is a few bytes.
#[derive(Clone, Default)]
pub struct Digest {
    hash: Xxh3,
    waiting: Vec<u8>,
}

/// Bytes that wait, at most, before they are hashed.
const BUFFER: usize = 4096;

impl Digest {
    /// Nothing written yet.
    #[must_use]
    pub fn new() -> Digest {
        Digest::default()
    }

    fn tagged(&mut self, tag: u8, bytes: &[u8]) {
        self.waiting.push(tag);
        self.bytes(bytes);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        if self.waiting.len() + bytes.len() > BUFFER {
            self.hash.update(&self.waiting);
            self.waiting.clear();
        }
        if bytes.len() > BUFFER {
            self.hash.update(bytes);
        } else {
            self.waiting.extend_from_slice(bytes);
        }
    }

    /// A small number: a variant, a flag.
    pub fn byte(&mut self, value: u8) {
        self.tagged(1, &[value]);
    }

    /// Yes or no.
    pub fn flag(&mut self, value: bool) {
        self.byte(u8::from(value));
    }

    /// A number of 32 bits.
    pub fn number(&mut self, value: u32) {
        self.tagged(4, &value.to_le_bytes());
    }

    /// A number of 64 bits.
    pub fn long(&mut self, value: u64) {
        self.tagged(8, &value.to_le_bytes());
    }

    /// An instant or a span.
    pub fn time(&mut self, value: Ms) {
        self.tagged(9, &value.0.to_le_bytes());
    }

    /// How many of something follow.
    pub fn count(&mut self, value: usize) {
        self.tagged(10, &(value as u64).to_le_bytes());
    }

    /// A text.
    pub fn text(&mut self, value: &str) {
        self.tagged(11, &(value.len() as u64).to_le_bytes());
        self.bytes(value.as_bytes());
    }

    /// A number that may be absent.
    pub fn option(&mut self, value: Option<u32>) {
        match value {
            Some(number) => {
                self.byte(1);
                self.number(number);
            }
            None => self.byte(0),
        }
    }

    /// The fingerprint of what was written.
    #[must_use]
    pub fn finish(&self) -> u64 {
        let mut hash = self.hash.clone();
        hash.update(&self.waiting);
        hash.digest()
    }

    /// As sixteen hexadecimal digits.
    #[must_use]
    pub fn hex(&self) -> String {
        format!("{:016x}", self.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(write: impl Fn(&mut Digest)) -> String {
        let mut digest = Digest::new();
        write(&mut digest);
        digest.hex()
    }

    #[test]
    fn texts_do_not_run_into_each_other() {
        let apart = of(|d| ["ab", "c"].iter().for_each(|t| d.text(t)));
        let shifted = of(|d| ["a", "bc"].iter().for_each(|t| d.text(t)));
        assert_ne!(apart, shifted);
    }

    #[test]
    fn numbers_of_different_kinds_differ() {
        let all = [of(|d| d.long(5)), of(|d| d.time(Ms(5))), of(|d| d.count(5)), of(|d| d.number(5))];
        assert_eq!(std::collections::BTreeSet::from(all).len(), 4);
    }

    #[test]
    fn long_writes_and_many_short_ones_are_hashed_as_written() {
        let long = "x".repeat(3 * BUFFER / 2);
        let (mut digest, mut bytes) = (Digest::new(), Vec::new());
        for i in 0..3000u32 {
            digest.number(i);
            bytes.push(4);
            bytes.extend(i.to_le_bytes());
            if i % 700 == 0 {
                digest.text(&long);
                bytes.push(11);
                bytes.extend((long.len() as u64).to_le_bytes());
                bytes.extend(long.as_bytes());
            }
        }
        assert_eq!(digest.finish(), xxhash_rust::xxh3::xxh3_64(&bytes));
    }

    #[test]
    fn the_fingerprint_is_xxh3_of_the_bytes_written() {
        let digest = of(|d| {
            d.text("é");
            d.option(Some(7));
            d.option(None);
        });
        let bytes = [&[11, 2, 0, 0, 0, 0, 0, 0, 0, 0xc3, 0xa9][..], &[1, 1, 4, 7, 0, 0, 0, 1, 0]].concat();
        assert_eq!(digest, format!("{:016x}", xxhash_rust::xxh3::xxh3_64(&bytes)));
    }
}
