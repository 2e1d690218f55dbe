//! A history: everything that happens to the cluster and the members in a run. Made once, replayed by
//! every lane. It holds only what *changes* something; heartbeats are arithmetic over presences.

use crate::kafka::{
    EntryIndex, GroupId, GroupKind, MemberId, MetadataDelta, MetadataImage, Pattern, RackId, ShardId, Subscription,
    SubscriptionId, Version,
};
use crate::sim::Ms;

use super::members::{MemberNames, Members};
use super::presences::Presences;

/// Everything that happens in one run.
#[derive(Clone, Debug)]
pub struct History {
    /// Names by id.
    pub names: Names,
    /// A run is `[0, duration)`.
    pub duration: Ms,
    /// The image at time 0.
    pub start: MetadataImage,
    /// By broker, its release at time 0.
    pub releases: Vec<Version>,
    /// Distinct subscriptions, by id.
    pub subscriptions: Vec<Subscription>,
    /// Distinct patterns, by id.
    pub patterns: Vec<Pattern>,
    /// Groups, by id.
    pub groups: Vec<GroupHistory>,
    /// Members, by id: group by group, natural order of names within.
    pub members: Members,
    /// Plain heartbeats, ordered by member, then by `first`.
    pub presences: Presences,
    /// Deltas in order of arrival; at most one for an instant.
    pub deltas: Vec<Arrival>,
    /// All that lanes replay, in the order in which it takes effect (model: K.3, order within one instant).
    pub events: Vec<Event>,
    /// Shards, by id.
    pub shards: Vec<ShardLine>,
    /// Joins, returns, subscription changes (heartbeats of their own) and leaves that met a loading shard.
    pub refused: Vec<RefusedOperation>,
    /// What was left out of a selector or draw because it could not apply: one line each, counted.
    pub notes: Vec<String>,
    /// Sixteen hexadecimal digits over all of the above but the notes.
    pub id: String,
}

/// Names by id.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// By `TopicId`, in natural order.
    pub topics: Vec<String>,
    /// By `RackId`, in natural order.
    pub racks: Vec<String>,
    /// By `GroupId`, in natural order.
    pub groups: Vec<String>,
    /// By `MemberId`: the member's name within its group.
    pub members: MemberNames,
    /// By [`EntryIndex`]: the names of the `history:` entries.
    pub entries: Vec<String>,
}

/// A group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupHistory {
    /// Its shard: `abs(groupId.hashCode()) mod offsets.topic.num.partitions`.
    pub shard: ShardId,
    /// Its members are `members[first_member .. first_member + members]`.
    pub first_member: MemberId,
    /// How many members it ever has.
    pub members: u32,
    /// Heartbeat interval of every member.
    pub heartbeat: Ms,
    /// Session timeout of every member.
    pub session: Ms,
    /// Does the judge hold racks against it?
    pub rack_aware: bool,
    /// How late a rebalance may come.
    pub patience: Ms,
    /// Does it stand at time 0 with the members whose `standing` is set? Otherwise it does not exist before its first join.
    pub stands: bool,
    /// Is its stored value fresh at time 0 (otherwise absent)?
    pub stored: bool,
    /// Its epoch at time 0.
    pub epoch: u32,
    /// The protocol that it is of.
    pub kind: GroupKind,
}

/// A member (a dynamic member that comes back after leaving is another).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberHistory {
    /// Its group.
    pub group: GroupId,
    /// Is it in the group at time 0?
    pub standing: bool,
    /// Has it a `group.instance.id`?
    pub is_static: bool,
    /// `client.rack`.
    pub rack: Option<RackId>,
    /// What it subscribes to when it joins (or stands).
    pub subscription: SubscriptionId,
}

/// Plain heartbeats of a member at `first + k · interval`, before `until`. Accepted where the shard is
/// active at that instant (after loads and failovers of the instant), refused where not. Heartbeats that
/// carry a join, a return or a changed subscription are [`Happening`]s of their own and never in here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Presence {
    /// Whose.
    pub member: MemberId,
    /// The first.
    pub first: Ms,
    /// None at or after this.
    pub until: Ms,
}

/// A delta and when it reaches the coordinators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// When.
    pub at: Ms,
    /// What.
    pub delta: MetadataDelta,
}

/// Order within one instant (model: K.3). Pattern results come after the heartbeat that asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// Deltas reach every active shard.
    Delta = 1,
    /// Loads end.
    LoadEnd,
    /// Failovers begin (a load of no time ends here, too).
    Failover,
    /// Sessions expire; empty groups go.
    Expiry,
    /// Leaves, joins, away, back, subscription changes.
    Member,
    /// Heartbeats, among them those that carry a refused operation.
    Heartbeat,
}

/// Something that lanes replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// When.
    pub at: Ms,
    /// In which step of the instant. Inside `Heartbeat` a lane orders it among plain heartbeats by group, then member.
    pub step: Step,
    /// The entry behind it; `None`: it stands in `groups:`, or it is the system's own (a group's retention).
    pub entry: Option<EntryIndex>,
    /// What.
    pub what: Happening,
}

/// What an [`Event`] is. Operations stand at the instant at which an active shard accepts them; an operation is
/// a join, return or change of subscription (each a heartbeat of its own), a leave or an expiry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happening {
    /// `deltas[_]` arrives.
    Delta(u32),
    /// The shard stops answering, and all that it does not log is lost: a failover begins, its broker
    /// crashed, or it lost its leader. A shard that is down already does not go down again.
    ShardDown(ShardId),
    /// The shard is active again, having loaded for `load`.
    ShardUp {
        /// Which.
        shard: ShardId,
        /// How long the load took (without the wait for a leader).
        load: Ms,
    },
    /// A member joins (member epoch 0), under its own subscription.
    Join(MemberId),
    /// A member leaves (member epoch −1).
    Leave(MemberId),
    /// A member's session runs out.
    Expire(MemberId),
    /// A member dies: no heartbeat from here on, still in the group.
    Silent(MemberId),
    /// A static member leaves for a while (member epoch −2).
    Away(MemberId),
    /// A static member is back under its instance id, with the same subscription.
    Back(MemberId),
    /// A member changes its subscription.
    Subscribe(MemberId, SubscriptionId),
    /// A group that has been empty for its retention is removed (step `Expiry`).
    GroupGone(GroupId),
}

/// An operation that met a loading shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefusedOperation {
    /// When.
    pub at: Ms,
    /// Whose.
    pub member: MemberId,
    /// Was it a heartbeat (all but leaves)? Then it counts in `heartbeats_refused`.
    pub heartbeat: bool,
}

/// A shard's availability.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShardLine {
    /// While it does not answer: `[from, to)`, in order, apart from each other; `to` is `Ms::NEVER` where no load
    /// ends within the run. An empty pair `[t, t)` is a failover with no load time.
    pub down: Vec<(Ms, Ms)>,
    /// Who leads it, from when (the first at 0; empty with `coordinators: apart`).
    pub leaders: Vec<(Ms, Option<crate::kafka::BrokerId>)>,
}
