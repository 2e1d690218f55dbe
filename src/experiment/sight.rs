//! Watching one group: every time its coordinator recomputed it, what it took each topic from and what
//! came of it. Only `explain` watches; it costs nothing otherwise.

use crate::coordinator::{Due, Recomputed, Renewal};
use crate::kafka::{GroupId, MemberId, TopicId};
use crate::metrics::ImageNo;
use crate::sim::Ms;

/// One recomputation of the watched group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sight {
    /// When.
    pub at: Ms,
    /// Whose heartbeat or operation; none for a pattern result.
    pub member: Option<MemberId>,
    /// What had made the group due.
    pub due: Option<Due>,
    /// The newest image then.
    pub image: ImageNo,
    /// The image that each topic's value was taken from, in Java's order of names.
    pub read: Vec<(TopicId, ImageNo)>,
    /// The recomputation.
    pub recomputed: Option<Recomputed>,
    /// The rebalance, if it was one.
    pub renewal: Option<Renewal>,
}

/// One target of the watched group, computed by its assignor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dealt {
    /// When.
    pub at: Ms,
    /// The group epoch that it is for.
    pub epoch: u32,
    /// Partitions whose target is another member than before.
    pub moves: u64,
    /// Members that are there and whose target is another than before.
    pub disturbed: Vec<MemberId>,
    /// It is the same as before.
    pub same: bool,
}

/// The watched group, and what has been seen of it.
#[derive(Debug, Default)]
pub(super) struct Watch {
    pub(super) group: Option<GroupId>,
    pub(super) sights: Vec<Sight>,
    pub(super) dealt: Vec<Dealt>,
}
