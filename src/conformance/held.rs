//! Ours and Kafka's assignment of one group, side by side.

use std::collections::BTreeSet;

use crate::coordinator::assignor::{Assignor, Input, Owner, TopicPartition, figures};

use super::DealKind;

/// Two assignments of a group side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// Everybody has the same partitions in both.
    pub same: bool,
    /// Everybody has as many.
    pub same_counts: bool,
    /// Ours.
    pub ours: Standing,
    /// Kafka's.
    pub kafka: Standing,
}

impl Held {
    /// Is ours valid, and the same unless Kafka's is not?
    #[must_use]
    pub fn fits(&self) -> bool {
        self.ours.valid && (self.same || !self.kafka.valid)
    }
}

/// What an assignment is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Nobody has what he does not read, nothing has two owners, and, unless it waits to be given up, nothing has none.
    pub valid: bool,
    /// The sum of the squares of the owners' counts: less is more even.
    pub squares: u64,
    /// Partitions that came to a member that did not have them.
    pub moves: u64,
}

impl Standing {
    pub(super) fn of(input: &Input, owners: &[Owner], kind: DealKind) -> Standing {
        let mut seen = BTreeSet::new();
        let fits = |owner: &Owner, tp: &TopicPartition| {
            input.subscribed(owner.member).contains(&tp.topic)
                && tp.partition < input.topics()[tp.topic].partitions.len()
        };
        let mut valid = true;
        for owner in owners {
            for tp in &owner.partitions {
                valid &= fits(owner, tp) && seen.insert(*tp);
            }
        }
        valid &= kind.assignor == Assignor::CooperativeSticky || seen.len() == input.partitions().count();
        let squares = owners.iter().map(|o| (o.partitions.len() as u64).pow(2)).sum();
        Standing { valid, squares, moves: figures(input, owners).moves }
    }
}
