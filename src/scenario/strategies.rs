//! Strategies as meant: which trigger, with which switches (model: K.1).

use super::ClientSwitches;
use crate::kafka::Version;
use crate::sim::Ms;

/// The triggers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StrategyKind {
    /// Topic id, count and the rack set of each partition: draft 000's strategy 1, Kafka 3.9.
    FullMetadata,
    /// Topic id and count: Kafka 4.0.
    PartitionCount,
    /// A hash per topic, stored per group: draft 000's choice.
    TopicHash,
    /// One hash per group over cached topic hashes: draft 002, Kafka 4.1.
    GroupHash,
    /// One hash per group, every topic hashed at every refresh: draft 000's strategy 3.
    GroupHashUncached,
    /// A flag set by deltas: draft 001.
    DeltaFlag,
    /// On each shard what its leader's release does (model: K.4, versions).
    AsDeployed,
    /// The classic protocol: the clients of a group find out (model: F, client trigger).
    ClassicClient,
}

/// `hash:` (model: K.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "named by the algorithm")]
pub enum HashKind {
    Murmur3,
    KipDraft,
    Xxh3,
}

/// `racks:`: how a lane reads the racks of a partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RackReading {
    /// Each rack once.
    Set,
    /// A rack as often as replicas have it.
    Multiset,
    /// Not at all.
    Ignored,
}

/// `cache:`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cache {
    /// Per shard, evicted by deltas and by the last unsubscription.
    Shard,
    /// None.
    None,
    /// Per shard, lost only with it.
    NeverEvicted,
    /// As draft 000 writes it: an unsubscription evicts only when no group at all is left.
    Draft000,
}

/// `rehash:`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rehash {
    /// Only what the cache has lost.
    Invalidated,
    /// Every subscribed topic, before any bump stores a value.
    AllOnBump,
}

/// `trigger:`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// Changed topics of a TopicsDelta, as in every release.
    TopicDelta,
    /// Also every topic with a replica on a broker that is registered, registered anew with another rack, or unregistered.
    ClusterDelta,
}

/// `unregistered:`: what a recomputation does that meets an unregistered replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unregistered {
    /// The whole operation fails (3.9: NullPointerException).
    Fail,
    /// The replica is left out.
    Skip,
}

/// `flag:` of delta-flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlagReading {
    /// New partitions, or adding or removing replicas.
    AddingRemoving,
    /// New partitions, or a replica set that differs from the base image's.
    ReplicasDiffer,
}

/// `order:` in which a group hash takes its topics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Topic name, in Java's string order.
    Name,
    /// Topic id as an unsigned 128-bit number.
    Id,
}

/// Every switch, set; those that a strategy does not use stand at their default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "named as in the language")]
pub struct Switches {
    pub hash: HashKind,
    pub racks: RackReading,
    pub cache: Cache,
    pub rehash: Rehash,
    pub trigger: Trigger,
    pub refresh_interval: Ms,
    pub include_topic_id: bool,
    pub unregistered: Unregistered,
    pub flag: FlagReading,
    /// `None`: off.
    pub regex_refresh: Option<Ms>,
    pub order: Order,
    /// Those of `classic-client`.
    pub client: ClientSwitches,
}

/// The metadata refresh interval of every release: 2^31 − 1 ms, about 24.86 days.
pub const REFRESH_INTERVAL: Ms = Ms(i32::MAX as u64);

/// A strategy of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrategySpec {
    /// Its own name, its label's, or its strategy's.
    pub name: String,
    /// The label it came from, if any, for legends: "full-metadata (Kafka 3.9)".
    pub label: Option<String>,
    /// Which trigger.
    pub kind: StrategyKind,
    /// With which switches.
    pub switches: Switches,
}

impl StrategySpec {
    /// A bare strategy under its own name, with its defaults (model: K.1).
    #[must_use]
    pub fn bare(kind: StrategyKind) -> StrategySpec {
        let name = kind.name().to_owned();
        StrategySpec { name, label: None, kind, switches: kind.defaults() }
    }

    /// Does the epoch record of a streams group say that its topology has been seen whole? From Kafka 4.2 on, which
    /// therefore rebalances a group once whose record an older release wrote.
    #[must_use]
    pub fn streams_validates(&self) -> bool {
        self.label.as_deref().is_some_and(|label| ["kafka-4.2", "kafka-4.3"].contains(&label))
    }

    /// Does a streams group that loses a member store no hash? So in 4.1, which then rebalances it needlessly at its next
    /// look.
    #[must_use]
    pub fn streams_forgets(&self) -> bool {
        self.label.as_deref() == Some("kafka-4.1")
    }

    /// Does a new group whose first member brings nothing but a pattern wait with its first rebalance until that is
    /// resolved? From Kafka 4.3 on: a group's epoch is 1 before anything is written of it.
    #[must_use]
    pub fn awaits_first_pattern(&self) -> bool {
        self.label.as_deref() == Some("kafka-4.3")
    }

    /// What share groups do under this strategy: as in 4.3, unless it is an older release's.
    #[must_use]
    pub fn share_rules(&self) -> ShareRules {
        match self.label.as_deref() {
            Some("kafka-4.1") => ShareRules { waits: false, holds_all: true, retry: Ms::secs(10), interval: Ms::ZERO },
            Some("kafka-4.2") => ShareRules { waits: false, interval: Ms::ZERO, ..ShareRules::NEWEST },
            Some(_) | None => ShareRules::NEWEST,
        }
    }

    /// What runs on a shard, by its leader's release in the order of [`Version::ALL`]; one for all releases unless it
    /// is `as-deployed`.
    #[must_use]
    pub fn by_release(&self) -> Vec<StrategySpec> {
        match self.kind {
            StrategyKind::AsDeployed => Version::ALL
                .iter()
                .map(|v| super::strategy_by_word(v.name()).expect("every release is a label"))
                .collect(),
            _ => vec![self.clone()],
        }
    }
}

/// In what the releases' share groups differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShareRules {
    /// Does a group wait with its next rebalance until the last one's target is made? 4.1 and 4.2 do not: after a member
    /// has left they find its partitions with nobody, and rebalance a second time.
    pub waits: bool,
    /// Does a group hold everything that has a state against its target, what it has ceased to read, too? 4.1 does, and so
    /// a group that has left a topic rebalances at every heartbeat, until the topic is deleted or read again.
    pub holds_all: bool,
    /// After so long without an answer the next heartbeat asks again for the state of partitions: twice
    /// `offsets.commit.timeout.ms` in 4.1, `group.share.initialize.retry.interval.ms` since.
    pub retry: Ms,
    /// So long after a target the next one is made at the earliest: `group.share.assignment.interval.ms`, of 4.3.
    pub interval: Ms,
}

impl ShareRules {
    /// Those of 4.3.
    pub const NEWEST: ShareRules =
        ShareRules { waits: true, holds_all: false, retry: Ms::secs(30), interval: Ms::secs(1) };
}

impl StrategyKind {
    /// All triggers, in the order of the model's table. `as-deployed` is none: it is several of them; and no coordinator
    /// has `classic-client`.
    pub const ALL: [StrategyKind; 6] = [
        StrategyKind::FullMetadata,
        StrategyKind::PartitionCount,
        StrategyKind::TopicHash,
        StrategyKind::GroupHash,
        StrategyKind::GroupHashUncached,
        StrategyKind::DeltaFlag,
    ];

    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            StrategyKind::FullMetadata => "full-metadata",
            StrategyKind::PartitionCount => "partition-count",
            StrategyKind::TopicHash => "topic-hash",
            StrategyKind::GroupHash => "group-hash",
            StrategyKind::GroupHashUncached => "group-hash-uncached",
            StrategyKind::DeltaFlag => "delta-flag",
            StrategyKind::AsDeployed => "as-deployed",
            StrategyKind::ClassicClient => "classic-client",
        }
    }

    /// The switches of the bare name.
    #[must_use]
    pub const fn defaults(self) -> Switches {
        let base = Switches {
            hash: HashKind::Murmur3,
            racks: RackReading::Set,
            cache: Cache::Shard,
            rehash: Rehash::Invalidated,
            trigger: Trigger::TopicDelta,
            refresh_interval: REFRESH_INTERVAL,
            include_topic_id: true,
            unregistered: Unregistered::Skip,
            flag: FlagReading::AddingRemoving,
            regex_refresh: Some(Ms::secs(600)),
            order: Order::Name,
            client: ClientSwitches::DEFAULT,
        };
        match self {
            StrategyKind::FullMetadata
            | StrategyKind::TopicHash
            | StrategyKind::DeltaFlag
            | StrategyKind::AsDeployed
            | StrategyKind::ClassicClient => base,
            StrategyKind::PartitionCount => Switches { racks: RackReading::Ignored, ..base },
            StrategyKind::GroupHash => Switches { hash: HashKind::Xxh3, racks: RackReading::Multiset, ..base },
            StrategyKind::GroupHashUncached => Switches { cache: Cache::None, ..base },
        }
    }
}
