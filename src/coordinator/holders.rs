//! A coordinator's heap by who holds it. One struct of named numbers, so that a total can never disagree with
//! its parts.

use crate::strategy::Footprint;

/// Bytes by holder, in the order of [`HOLDERS`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Holders {
    /// full-metadata's racks by partition.
    pub racks: u64,
    /// Maps by topic name, and what they say of each topic besides racks and hashes.
    pub maps: u64,
    /// Hashes of groups, or objects that hold a topic's.
    pub hashes: u64,
    /// Shards' caches of topic hashes.
    pub cache: u64,
    /// `groupsByTopics`.
    pub index: u64,
    /// Rack names that a load left in every partition's set.
    pub strings: u64,
    /// delta-flag's booleans.
    pub flags: u64,
    /// What a load that is replaying the log keeps of entries replaced since its last snapshot.
    pub snapshot: u64,
}

/// The holders' names, as they are written.
pub const HOLDERS: [&str; 8] = ["racks", "maps", "hashes", "cache", "index", "strings", "flags", "snapshot"];

impl Holders {
    /// In the order of [`HOLDERS`].
    #[must_use]
    pub const fn by_holder(&self) -> [u64; HOLDERS.len()] {
        [self.racks, self.maps, self.hashes, self.cache, self.index, self.strings, self.flags, self.snapshot]
    }

    /// All together.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.by_holder().iter().sum()
    }

    /// With a group's stored value.
    pub const fn add(&mut self, value: &Footprint) {
        self.racks += value.racks;
        self.maps += value.maps;
        self.hashes += value.hashes;
        self.flags += value.flags;
        self.strings += value.strings;
    }

    /// Without it.
    pub(super) const fn take(&mut self, value: &Footprint) {
        self.racks -= value.racks;
        self.maps -= value.maps;
        self.hashes -= value.hashes;
        self.flags -= value.flags;
        self.strings -= value.strings;
    }
}
