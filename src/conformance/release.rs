//! The releases of Apache Kafka whose classes can be asked.

use crate::kafka::GroupKind;
use crate::scenario::{StrategySpec, strategy_by_word};

/// A release line, by the name of its label in a scenario and of its Maven profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "named by the release")]
pub enum Release {
    V3_9,
    V4_0,
    V4_1,
    V4_2,
    V4_3,
    V4_4,
}

impl Release {
    /// All of them, oldest first.
    pub const ALL: [Release; 6] =
        [Release::V3_9, Release::V4_0, Release::V4_1, Release::V4_2, Release::V4_3, Release::V4_4];

    /// `kafka-4.1`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Release::V3_9 => "kafka-3.9",
            Release::V4_0 => "kafka-4.0",
            Release::V4_1 => "kafka-4.1",
            Release::V4_2 => "kafka-4.2",
            Release::V4_3 => "kafka-4.3",
            Release::V4_4 => "kafka-4.4",
        }
    }

    /// The release of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Release> {
        Release::ALL.into_iter().find(|release| release.name() == name)
    }

    /// The strategy that says what this release does. There is no label for 4.4: it does what 4.3 does.
    ///
    /// # Panics
    /// Never: every label is known.
    #[must_use]
    pub fn strategy(self) -> StrategySpec {
        let label = if self == Release::V4_4 { Release::V4_3.name() } else { self.name() };
        strategy_by_word(label).expect("every release has a label")
    }

    /// The epoch of a new group's first rebalance. We count from 1 in every release; epochs are only compared.
    #[must_use]
    pub fn first_epoch(self, kind: GroupKind) -> u64 {
        match (self, kind) {
            (Release::V4_3 | Release::V4_4, _) | (Release::V4_2, GroupKind::Streams) => 2,
            _ => 1,
        }
    }

    /// Has it share and streams groups as later releases have them?
    #[must_use]
    pub fn has_all_kinds(self) -> bool {
        !matches!(self, Release::V3_9 | Release::V4_0)
    }

    /// Does it resolve patterns itself? Before 4.0 the client did.
    #[must_use]
    pub fn has_patterns(self) -> bool {
        self != Release::V3_9
    }
}
