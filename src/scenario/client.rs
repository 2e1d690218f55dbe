//! `classic-client`: how the members of a classic group find out that something changed, and what they get wrong.
//! Each switch is a fault that clients had, or its mending.

use crate::sim::Ms;

/// `offline_rack:`, which rack a replica has whose broker is down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OfflineRack {
    /// None, so that a stop and a return look like two changes of racks (until KAFKA-20778).
    None,
    /// The one that it was last seen with (KAFKA-20778).
    Known,
}

/// `client_rack:`, which clients have a `client.rack` (KIP-881: without one a leader does not look at racks).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientRack {
    /// Those members that have a rack in the scenario.
    Given,
    /// None.
    None,
}

/// `watches:`, what a client looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watches {
    /// The leader watches the topics of all members.
    Union,
    /// The leader watches the topics that it subscribes to itself.
    Own,
    /// The leader watches the topics of all members; besides, each member asks only for the topics that it has
    /// partitions of, and takes what is missing in the answer for gone until its next refresh.
    Owned,
}

/// `static_leader:`, what a static leader does that comes back within its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StaticLeader {
    /// It watches again, from what it finds then (KIP-814).
    Watches,
    /// It takes itself for a follower: nobody watches until the next rebalance (before KIP-814).
    Forgets,
}

/// `pattern_rejoin:`, what the members of a group with patterns do in a rebalance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternRejoin {
    /// They refresh their metadata first (KAFKA-7126).
    Refreshes,
    /// They join with what they have, and find out one by one (before KAFKA-7126).
    Keeps,
}

/// `snapshot:`, what the leader compares with after a changed subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Snapshot {
    /// The topics that are subscribed to now.
    Reset,
    /// Those of before, too, which the next refresh misses (aiokafka#108).
    Kept,
}

/// Every switch of `classic-client`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "named as in the language")]
pub struct ClientSwitches {
    /// `metadata.max.age.ms`.
    pub metadata_age: Ms,
    pub client_rack: ClientRack,
    pub offline_rack: OfflineRack,
    pub watches: Watches,
    pub static_leader: StaticLeader,
    pub pattern_rejoin: PatternRejoin,
    pub snapshot: Snapshot,
}

impl ClientSwitches {
    /// A Java client of the releases until KAFKA-20778.
    pub const DEFAULT: ClientSwitches = ClientSwitches {
        metadata_age: Ms::secs(300),
        client_rack: ClientRack::Given,
        offline_rack: OfflineRack::None,
        watches: Watches::Union,
        static_leader: StaticLeader::Watches,
        pattern_rejoin: PatternRejoin::Refreshes,
        snapshot: Snapshot::Reset,
    };
}
