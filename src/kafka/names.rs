//! Topic and rack names as the coordinator's code needs them: in Java's string order, which is that of
//! UTF-16 code units, and as the bytes that go into a hash.

use super::{RackId, TopicId, java};

/// A name with what is derived from it once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JavaName {
    /// The name.
    pub text: String,
    /// UTF-16 code units, two bytes little-endian each.
    pub utf16le: Box<[u8]>,
    /// Its place among all names of its kind in Java's string order.
    pub rank: u32,
    /// `String.hashCode()`.
    pub hash_code: i32,
}

/// All topic and rack names of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameTable {
    topics: Vec<JavaName>,
    racks: Vec<JavaName>,
}

impl NameTable {
    /// From the names by id.
    #[must_use]
    pub fn new(topics: &[String], racks: &[String]) -> NameTable {
        NameTable { topics: ranked(topics), racks: ranked(racks) }
    }

    /// A topic's name.
    #[must_use]
    pub fn topic(&self, topic: TopicId) -> &JavaName {
        &self.topics[topic.index()]
    }

    /// A rack's name.
    #[must_use]
    pub fn rack(&self, rack: RackId) -> &JavaName {
        &self.racks[rack.index()]
    }

    /// How many rack names there are.
    #[must_use]
    pub fn racks(&self) -> usize {
        self.racks.len()
    }

    /// How many topic names there are.
    #[must_use]
    pub fn topics(&self) -> usize {
        self.topics.len()
    }
}

fn ranked(names: &[String]) -> Vec<JavaName> {
    let units: Vec<Vec<u16>> = names.iter().map(|n| n.encode_utf16().collect()).collect();
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by(|&a, &b| units[a].cmp(&units[b]));
    let mut rank = vec![0u32; names.len()];
    for (place, &index) in order.iter().enumerate() {
        rank[index] = u32::try_from(place).expect("names fit 32 bits");
    }
    names
        .iter()
        .zip(&units)
        .zip(rank)
        .map(|((text, units), rank)| JavaName {
            text: text.clone(),
            utf16le: units.iter().flat_map(|u| u.to_le_bytes()).collect(),
            rank,
            hash_code: java::string_hash(text),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_ranked_by_utf16_code_units_as_java_does() {
        // U+FF5E is one unit above the surrogates of U+1F600, though its code point is smaller
        let names: Vec<String> = ["t-10", "t-2", "\u{ff5e}", "\u{1f600}"].map(String::from).to_vec();
        let table = NameTable::new(&names, &[]);
        let ranks: Vec<u32> = (0..4).map(|i| table.topic(TopicId(i)).rank).collect();
        assert_eq!(ranks, [0, 1, 3, 2]);
    }
}
