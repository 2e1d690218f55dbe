//! The lines: their fields are what a reader of the file sees.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// A text, borrowed where it is written and owned where it was read.
pub(super) type Text<'a> = Cow<'a, str>;

/// What the header says it is.
pub(super) const FORMAT: &str = "rebalance-sim history 1";

/// One line.
#[derive(Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "kebab-case", rename_all_fields = "snake_case", deny_unknown_fields)]
pub(super) enum Line<'a> {
    Header {
        format: Text<'a>,
        id: Option<Text<'a>>,
        duration_ms: u64,
        topics: Vec<Text<'a>>,
        racks: Vec<Text<'a>>,
        groups: Vec<Text<'a>>,
        entries: Vec<Text<'a>>,
    },
    Broker {
        broker: u32,
        rack: Option<Text<'a>>,
        /// Its release, if it is not the default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        version: Option<Text<'a>>,
    },
    Topic {
        topic: Text<'a>,
        id: Text<'a>,
        replicas: Vec<Vec<u32>>,
    },
    Pattern {
        pattern: Text<'a>,
        topics: Vec<Text<'a>>,
    },
    Group {
        group: Text<'a>,
        shard: u32,
        heartbeat_ms: u64,
        session_ms: u64,
        patience_ms: u64,
        rack_aware: bool,
        stands: bool,
        stored: bool,
        epoch: u32,
        /// Nothing: `consumer`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        protocol: Option<Text<'a>>,
    },
    Member {
        group: Text<'a>,
        member: Text<'a>,
        standing: bool,
        is_static: bool,
        rack: Option<Text<'a>>,
        topics: Vec<Text<'a>>,
        pattern: Option<Text<'a>>,
    },
    Presence {
        group: Text<'a>,
        member: Text<'a>,
        first_ms: u64,
        until_ms: Option<u64>,
    },
    Shard {
        shard: u32,
        down_ms: Vec<(u64, Option<u64>)>,
        leaders: Vec<(u64, Option<u32>)>,
    },
    Delta {
        at_ms: u64,
        entry: Option<Text<'a>>,
        topics: Vec<TopicLine<'a>>,
        brokers: Vec<BrokerLine<'a>>,
    },
    Event {
        at_ms: u64,
        step: StepWord,
        what: What,
        entry: Option<Text<'a>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        shard: Option<u32>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        load_ms: Option<u64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        group: Option<Text<'a>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        member: Option<Text<'a>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        topics: Option<Vec<Text<'a>>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pattern: Option<Text<'a>>,
    },
    Refused {
        at_ms: u64,
        group: Text<'a>,
        member: Text<'a>,
        heartbeat: bool,
    },
    Note {
        text: Text<'a>,
    },
}

/// In which step of its instant an event takes effect.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum StepWord {
    LoadEnd,
    Failover,
    Expiry,
    Member,
    Heartbeat,
}

/// What an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum What {
    ShardDown,
    ShardUp,
    Join,
    Leave,
    Expire,
    Silent,
    Away,
    Back,
    Subscribe,
    GroupGone,
}

/// A changed topic in a delta: `created` (with its id), `changed` or `deleted`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TopicLine<'a> {
    pub(super) topic: Text<'a>,
    pub(super) entry: Text<'a>,
    pub(super) event: TopicWord,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<Text<'a>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) partitions: Vec<PartitionLine>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum TopicWord {
    Created,
    Changed,
    Deleted,
}

/// A partition's full new registration.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PartitionLine {
    pub(super) partition: u32,
    pub(super) replicas: Vec<u32>,
    pub(super) isr: Vec<u32>,
    pub(super) leader: Option<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) adding: Vec<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) removing: Vec<u32>,
}

/// A broker's part of a delta; a registration has a rack (or none), a release, and a time to be in sync.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BrokerLine<'a> {
    pub(super) broker: u32,
    pub(super) entry: Text<'a>,
    pub(super) event: BrokerWord,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) rack: Option<Text<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) version: Option<Text<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) in_sync_after_ms: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum BrokerWord {
    Registered,
    Unregistered,
    Fenced,
    Unfenced,
}
