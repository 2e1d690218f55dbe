//! `history:` as meant: what happens, when, and to whom. Whom is resolved by `world` at the instant,
//! since what is there depends on what came before.

use std::ops::Range;

use crate::kafka::{BrokerId, Version};
use crate::sim::Ms;

use super::{IsrDeltas, Span, TopicPick};

/// One entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// `as:`, or the verb: its random stream, its row in causes.csv.
    pub name: String,
    /// When it happens.
    pub when: When,
    /// `over:`: target i of n comes at + over · (i − 1) / n.
    pub over: Ms,
    /// What happens.
    pub verb: Verb,
    /// Byte range of the entry in its file, for messages; empty where there is none.
    pub at: Range<usize>,
}

/// When an entry happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum When {
    /// At these instants.
    At(Vec<Ms>),
    /// `from`, `from + every`, … before `until`, at most `times`.
    Every {
        /// The distance; at least 1 ms.
        every: Ms,
        /// The first (default: one `every` after 0).
        from: Ms,
        /// None at or after this.
        until: Option<Ms>,
        /// At most so many.
        times: Option<u64>,
    },
    /// A Poisson process of `count` in `per`, one for the entry or for each of its targets.
    Rate {
        /// So many …
        count: u64,
        /// … in this long.
        per: Ms,
        /// One process for each target (`per broker`)?
        each: bool,
        /// Not before this.
        from: Ms,
        /// None at or after this.
        until: Option<Ms>,
        /// At most so many of each process.
        times: Option<u64>,
    },
}

/// A target as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// An own id or name: an error if it cannot apply, where the scenario alone decides that.
    Name(String),
    /// All of a family `name-1 … name-N`.
    Family(String),
    /// A glob, `orders-*`.
    Glob(String),
}

/// Whom it happens to. Candidates are those that are there at the instant, in natural order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pick {
    /// All.
    All,
    /// These, in natural order (the list's own order does not matter).
    These(Vec<Word>),
    /// Brokers whose present rack this is (`None`: that have none).
    Rack(Option<String>),
    /// So many distinct ones, drawn per occurrence.
    Any(Span<u32>),
    /// So many distinct ones of these, drawn per occurrence.
    Draw {
        /// How many.
        count: Span<u32>,
        /// Of which.
        of: Vec<Word>,
    },
}

/// Replicas of a new topic or of new partitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Placed as Kafka does: racks in turn from a drawn start.
    Drawn {
        /// How many partitions.
        partitions: Span<u32>,
        /// Replicas of each.
        rf: u32,
    },
    /// Exactly these, partition by partition.
    Exact(Vec<Vec<BrokerId>>),
}

/// How a broker comes (back).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StartHow {
    /// Its rack: `None` as before, `Some(None)` no rack. For a roll with `racks:` see there.
    pub rack: Option<Option<String>>,
    /// `racks:`: old name to new name, for brokers whose rack is in it; others keep theirs.
    pub racks: Vec<(String, Option<String>)>,
    /// Its release from here on; `None`: as before.
    pub to: Option<Version>,
    /// Instead of `cluster.start.unfence`.
    pub unfence: Option<Span<Ms>>,
    /// Instead of `cluster.start.catch_up`.
    pub catch_up: Option<Span<Ms>>,
    /// Instead of `cluster.start.isr_deltas`.
    pub isr_deltas: Option<IsrDeltas>,
}

/// Order of a roll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    /// The new replica has the rack of the one it replaces.
    Rack,
    /// Any broker that lacks the partition.
    Any,
}

/// How many partitions a topic gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grow {
    /// So many more.
    By(Span<u32>),
    /// To so many in all.
    To(Span<u32>),
}

/// What a reassignment moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Moves {
    /// These partitions of one topic to these replica lists.
    Exact {
        /// Whose (one topic at the instant).
        topics: Pick,
        /// Partition and its target list.
        to: Vec<(u32, Vec<BrokerId>)>,
    },
    /// Drawn: one replica of each of so many partitions.
    Drawn {
        /// Of which topics.
        topics: Pick,
        /// How many partitions.
        moves: Span<u32>,
        /// Where to.
        within: Within,
    },
}

/// Which shards a `move-coordinator` moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShardPick {
    /// By number.
    These(Vec<u32>),
    /// All.
    All,
    /// So many, drawn.
    Any(u32),
    /// Those of these groups.
    Groups(Pick),
    /// All that these brokers lead.
    Brokers(Pick),
}

/// What happens. Targets first, then how.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "fields are those of the language's table")]
pub enum Verb {
    /// One broker after another: down, then `gap` from its start to the next stop.
    Roll {
        brokers: Pick,
        down: Span<Ms>,
        gap: Span<Ms>,
        order: RollOrder,
        how: StartHow,
    },
    /// All targets at once (or `over`).
    Restart {
        brokers: Pick,
        down: Span<Ms>,
        how: StartHow,
    },
    Shutdown {
        brokers: Pick,
        back_after: Option<Span<Ms>>,
    },
    Crash {
        brokers: Pick,
        back_after: Option<Span<Ms>>,
    },
    Start {
        brokers: Pick,
        how: StartHow,
    },
    Unregister {
        brokers: Pick,
    },
    AddBroker {
        brokers: Vec<BrokerId>,
        how: StartHow,
    },
    AddPartitions {
        topics: Pick,
        grow: Grow,
        replicas: Option<Vec<Vec<BrokerId>>>,
    },
    CreateTopic {
        names: Vec<String>,
        place: Place,
    },
    DeleteTopic {
        topics: Pick,
    },
    /// Deleted and created in one delta, or `gap` apart. `None` fields: as it was.
    RecreateTopic {
        topics: Pick,
        gap: Ms,
        partitions: Option<Span<u32>>,
        rf: Option<u32>,
        replicas: Option<Vec<Vec<BrokerId>>>,
    },
    Reassign {
        moves: Moves,
        wave: Option<u32>,
        pause: Ms,
        takes: Span<Ms>,
    },
    SetRf {
        topics: Pick,
        partitions: Option<Vec<u32>>,
        rf: u32,
        takes: Span<Ms>,
    },
    ElectLeaders {
        topics: Pick,
        partitions: Option<Vec<u32>>,
    },
    Touch {
        topics: Pick,
        partitions: Option<Vec<u32>>,
    },
    IsrShrink {
        topics: Pick,
        partitions: Option<Vec<u32>>,
        brokers: Pick,
    },
    IsrExpand {
        topics: Pick,
        partitions: Option<Vec<u32>>,
        brokers: Pick,
    },
    SnapshotReload,
    Join {
        groups: Pick,
        members: Span<u32>,
        topics: Option<TopicPick>,
        pattern: Option<String>,
        rack: Option<Option<String>>,
        is_static: Option<bool>,
        leave_after: Option<Span<Ms>>,
    },
    Leave {
        groups: Pick,
        members: Pick,
    },
    Kill {
        groups: Pick,
        members: Pick,
    },
    RestartMember {
        groups: Pick,
        members: Pick,
        away: Span<Ms>,
    },
    Subscribe {
        groups: Pick,
        members: Pick,
        topics: Option<TopicPick>,
        pattern: Option<String>,
    },
    MoveCoordinator {
        shards: ShardPick,
        to: Option<BrokerId>,
        load: Option<Ms>,
    },
}

impl Verb {
    /// Is it what members do, and not about brokers, topics or shards?
    #[must_use]
    pub const fn is_of_members(&self) -> bool {
        matches!(
            self,
            Verb::Join { .. }
                | Verb::Leave { .. }
                | Verb::Kill { .. }
                | Verb::RestartMember { .. }
                | Verb::Subscribe { .. }
        )
    }
}

/// Order in which a roll takes its brokers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RollOrder {
    /// By id.
    Id,
    /// Rack by rack in natural order (no rack last), by id within.
    ByRack,
    /// Drawn.
    Drawn,
}
