//! Assignors: who gets which partition. Each is a pure function over an [`Input`]; none reads a clock, draws, or
//! depends on the order of what it is given (model: F).

mod claims;
mod client_range;
mod figures;
mod from_file;
mod input;
mod legacy;
mod nine_step;
#[cfg(test)]
mod promises;
mod rack_aware_uniform;
mod rack_first;
mod round_robin;
mod server_range;
#[cfg(test)]
mod simple;
mod sticky;
mod sticky_unequal;
#[cfg(test)]
mod tests;
mod trips;
mod uniform;
mod uniform_unequal;

pub use figures::{Figures, figures};
pub use input::{AssignError, Input, Member, Owner, Place, Topic, TopicPartition};

use sticky::Rebalance;

/// An assignor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Assignor {
    Uniform,
    ServerRange,
    Range,
    RoundRobin,
    Sticky,
    CooperativeSticky,
    LegacyRange,
    LegacyRoundRobin,
    NineStep,
    RackFirst,
    RackAwareUniform,
}

impl Assignor {
    /// All of them.
    pub const ALL: [Assignor; 11] = [
        Assignor::Uniform,
        Assignor::ServerRange,
        Assignor::Range,
        Assignor::RoundRobin,
        Assignor::Sticky,
        Assignor::CooperativeSticky,
        Assignor::LegacyRange,
        Assignor::LegacyRoundRobin,
        Assignor::NineStep,
        Assignor::RackFirst,
        Assignor::RackAwareUniform,
    ];

    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Assignor::Uniform => "uniform",
            Assignor::ServerRange => "server-range",
            Assignor::Range => "range",
            Assignor::RoundRobin => "round-robin",
            Assignor::Sticky => "sticky",
            Assignor::CooperativeSticky => "cooperative-sticky",
            Assignor::LegacyRange => "legacy-range",
            Assignor::LegacyRoundRobin => "legacy-round-robin",
            Assignor::NineStep => "nine-step",
            Assignor::RackFirst => "rack-first",
            Assignor::RackAwareUniform => "rack-aware-uniform",
        }
    }

    /// By its name.
    #[must_use]
    pub fn named(name: &str) -> Option<Assignor> {
        Assignor::ALL.into_iter().find(|assignor| assignor.name() == name)
    }

    /// By the name that it has as a group's `assignor:`, where only server-side ones are.
    #[must_use]
    pub fn of_group(name: &str) -> Option<Assignor> {
        Assignor::named(if name == "range" { "server-range" } else { name })
    }

    /// Does it read where replicas are?
    #[must_use]
    pub const fn reads_racks(self) -> bool {
        matches!(
            self,
            Assignor::Range
                | Assignor::Sticky
                | Assignor::CooperativeSticky
                | Assignor::RackFirst
                | Assignor::RackAwareUniform
        )
    }

    /// Does it deal to the streams (threads) of a member instead of to the member?
    #[must_use]
    pub const fn deals_to_threads(self) -> bool {
        matches!(self, Assignor::LegacyRange | Assignor::LegacyRoundRobin | Assignor::NineStep)
    }

    /// Who gets what: a row for each member, or for each thread where the assignor knows threads, in order of ids.
    ///
    /// # Errors
    /// If the group is not as this assignor wants it.
    pub fn assign(self, input: &Input) -> Result<Vec<Owner>, AssignError> {
        let by_member = match self {
            Assignor::Uniform => uniform::assign(input),
            Assignor::ServerRange => server_range::assign(input),
            Assignor::Range => client_range::assign(input),
            Assignor::RoundRobin => round_robin::assign(input),
            Assignor::Sticky => sticky::assign(input, Rebalance::Eager),
            Assignor::CooperativeSticky => sticky::assign(input, Rebalance::Cooperative),
            Assignor::LegacyRange => return Ok(legacy::range(input)),
            Assignor::LegacyRoundRobin => return legacy::round_robin(input),
            Assignor::NineStep => return Ok(nine_step::assign(input)),
            Assignor::RackFirst => rack_first::assign(input),
            Assignor::RackAwareUniform => rack_aware_uniform::assign(input)?,
        };
        Ok(input.owners(by_member))
    }
}
