//! A scenario as meant: families expanded, defaults filled in, names checked. What the file leaves to
//! chance stays a [`Span`] here; only `world` draws.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use crate::kafka::{BrokerId, GroupKind, Uuid, Version};
use crate::sim::Ms;

use super::{Entry, Place, StrategySpec};

/// A number or time that is drawn uniformly between both ends, included; `lo == hi` where nothing is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span<T> {
    /// Smallest.
    pub lo: T,
    /// Largest.
    pub hi: T,
}

impl<T: Copy> Span<T> {
    /// Nothing to draw.
    pub const fn just(value: T) -> Span<T> {
        Span { lo: value, hi: value }
    }
}

/// A whole scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// The file's stem; names the results folder.
    pub name: String,
    /// Seed of every draw.
    pub seed: u64,
    /// Runs, numbered from 1.
    pub runs: u32,
    /// A run is `[0, duration)`.
    pub duration: Ms,
    /// Counts begin here.
    pub warmup: Ms,
    /// Width of a row of timeline.csv.
    pub bucket: Ms,
    /// The cluster's settings.
    pub cluster: Cluster,
    /// Brokers registered and serving at time 0, in order of id.
    pub brokers: Vec<Broker>,
    /// Topics that exist at time 0, in natural order of names.
    pub topics: Vec<Topic>,
    /// Groups, in natural order of names.
    pub groups: Vec<Group>,
    /// What happens, in the order written.
    pub history: Vec<Entry>,
    /// The strategies that look at it, in the order written; names are unique.
    pub strategies: Vec<StrategySpec>,
}

/// `cluster:`.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    /// Release of every broker at time 0.
    pub version: Version,
    /// How long an image takes to reach the coordinators; a span is drawn per delta.
    pub metadata_lag: Span<Ms>,
    /// `broker.session.timeout.ms`.
    pub session: Ms,
    /// Where shards live.
    pub coordinators: Coordinators,
    /// `offsets.topic.num.partitions`.
    pub offsets_partitions: u32,
    /// Replicas of `__consumer_offsets`, partition by partition; `None`: placed as any topic is.
    pub offsets_replicas: Option<Vec<Vec<BrokerId>>>,
    /// How long a shard loads.
    pub load_time: LoadTime,
    /// When preferred leaders are taken back after a broker is in sync; `None`: never.
    pub leader_rebalance: Option<Ms>,
    /// How long an empty group is kept.
    pub retention: Ms,
    /// `message.max.bytes`.
    pub message_max_bytes: u64,
    /// How long it takes until the state of new share partitions is initialised.
    pub share_init: Ms,
    /// `group.consumer.assignment.interval.ms`; `None`: the version's own.
    pub assignment_interval: Option<Ms>,
    /// How long the first target of a group waits after the first member came into the empty group.
    pub initial_delay: Ms,
    /// How brokers start.
    pub start: Start,
}

/// Where coordinator shards live (model: K.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coordinators {
    /// On the leaders of `__consumer_offsets`.
    Brokers,
    /// Nowhere: always up, moved only by `move-coordinator`.
    Apart,
}

/// `load_time:`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadTime {
    /// As given.
    Fixed(Ms),
    /// Records that the history puts in the shard's log, at 4.5 million a second.
    Auto,
}

/// `cluster.start:`, or an entry's own; times are drawn per start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// From registration to unfencing.
    pub unfence: Span<Ms>,
    /// From unfencing to the last ISR expansion.
    pub catch_up: Span<Ms>,
    /// In how many deltas the ISR expansions come.
    pub isr_deltas: IsrDeltas,
}

/// `isr_deltas:` (model: K.3, the plan of a start).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IsrDeltas {
    /// One for each leader.
    PerLeader,
    /// The topics in this many equal runs (at least 1).
    Runs(u32),
}

/// A broker at time 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broker {
    /// `node.id`.
    pub id: BrokerId,
    /// `broker.rack`.
    pub rack: Option<String>,
    /// Its release.
    pub version: Version,
}

/// A topic at time 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topic {
    /// Its name.
    pub name: String,
    /// The family it belongs to, if `count:` made it.
    pub family: Option<String>,
    /// Its id; drawn if absent.
    pub id: Option<Uuid>,
    /// Its replicas.
    pub place: Place,
}

/// Which topics a member subscribes to by name. Lists are shared, since a family of 100,000 groups has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TopicPick {
    /// These, existing or not.
    These(Arc<[String]>),
    /// So many distinct ones of these, drawn once per group (or per occurrence of an entry).
    Draw {
        /// How many.
        count: Span<u32>,
        /// Candidates in natural order, each once.
        of: Arc<[String]>,
    },
}

/// A consumer group: its name, and what it shares with its family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// The family it belongs to, if `count:` made it.
    pub family: Option<Arc<str>>,
    /// All else: one for a family of a million groups. Changed through a group, it is that group's own.
    pub spec: Arc<GroupSpec>,
}

impl Deref for Group {
    type Target = GroupSpec;

    fn deref(&self) -> &GroupSpec {
        &self.spec
    }
}

impl DerefMut for Group {
    fn deref_mut(&mut self) -> &mut GroupSpec {
        Arc::make_mut(&mut self.spec)
    }
}

/// What is said of a group, whatever its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupSpec {
    /// Its members at time 0 (or later, see [`Group::standing`]).
    pub members: Members,
    /// Names that members without their own subscription have.
    pub topics: TopicPick,
    /// Pattern that members without their own subscription have.
    pub pattern: Option<String>,
    /// The protocol that it is of.
    pub kind: GroupKind,
    /// Of a streams group: its repartition and changelog topics, without the group's name and a dash in front.
    pub internal: Arc<[String]>,
    /// Heartbeat interval.
    pub heartbeat: Span<Ms>,
    /// Session timeout.
    pub session: Span<Ms>,
    /// First heartbeats of unnamed members.
    pub phase: Phase,
    /// Are unnamed members static?
    pub is_static: bool,
    /// Does the judge hold racks against it?
    pub rack_aware: bool,
    /// How late a rebalance may come; `None`: one heartbeat interval.
    pub patience: Option<Ms>,
    /// Name of its assignor, if it has one.
    pub assignor: Option<String>,
    /// Members stand at time 0 (the default); otherwise each joins at its phase and is counted.
    pub standing: bool,
    /// Is its stored value fresh at time 0? Otherwise absent.
    pub stored: bool,
    /// Its epoch at time 0.
    pub epoch: u32,
    /// Racks of unnamed members, in turn.
    pub racks: Arc<[Option<String>]>,
}

impl Group {
    /// The topics that the group's own application writes and reads back, by their whole names: `app-counts-changelog`.
    pub fn internal_topics(&self) -> impl Iterator<Item = String> {
        self.internal.iter().map(|own| format!("{}-{own}", self.name))
    }
}

/// A group's members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Members {
    /// `m-1 … m-N`, N drawn once per group.
    Count(Span<u32>),
    /// As named, in natural order.
    Named(Vec<Member>),
}

/// A named member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name within the group.
    pub name: String,
    /// Its own names; `None`: the group's.
    pub topics: Option<TopicPick>,
    /// Its own pattern. A member with own names or an own pattern has nothing of the group's.
    pub pattern: Option<String>,
    /// Its rack.
    pub rack: Option<String>,
    /// Is it static?
    pub is_static: bool,
    /// Its first heartbeat.
    pub phase: Phase,
    /// When it joins, if it does not stand at time 0.
    pub join: Option<Ms>,
}

/// When a member's first heartbeat is, from time 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Drawn in `[0, heartbeat)`.
    Drawn,
    /// Drawn between these.
    Between(Span<Ms>),
    /// Given: of member i the i-th, in turn.
    Each(Vec<Ms>),
}
