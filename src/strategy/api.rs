//! The trait that every trigger implements, and the values that cross it.

use crate::kafka::{BrokerId, GroupId, MetadataImage, NameTable, TopicId, Uuid};

use super::{Footprint, SharedRacks, Values};

/// A trigger, one value per lane and shard: all that is lost with the shard. What the log keeps is
/// [`Stored`], held by the shard and handed in.
pub trait Strategy {
    /// Drops what the delta makes stale and marks the topics whose watchers must look again at their next heartbeat,
    /// by their places in `changed`, upwards.
    fn on_new_image(&mut self, changed: &[ChangedTopic], watchers: &TopicIndex, marked: &mut Vec<usize>);

    /// Recomputes one group from the image: what it would store now, and whether that differs from what is
    /// stored. Work goes into `work` also where it fails.
    ///
    /// # Errors
    /// With `unregistered: fail`, the first replica met that nobody is registered for.
    fn recompute(
        &mut self,
        group: &GroupView<'_>,
        view: &View<'_>,
        stored: &Stored,
        why: Why,
        work: &mut Work,
    ) -> Result<Verdict, UnregisteredReplica>;

    /// What the group would store now, at time 0: its topics' values go into the cache, and nothing is counted.
    fn fresh(&mut self, group: &GroupView<'_>, view: &View<'_>) -> Stored;

    /// The shard's last group left this topic; `any_group_left`: the shard still has groups with subscriptions.
    fn on_topic_unwatched(&mut self, topic: TopicId, any_group_left: bool);

    /// A group is gone or its flag is settled without a recomputation (delta-flag forgets it).
    fn forget(&mut self, group: GroupId);

    /// What a group with `stored: absent` has at time 0: as Kafka 4.0 left it, so a map without racks for
    /// full-metadata and partition-count, an empty map for topic-hash, no hash. To be asked at time 0: a map
    /// without racks made later would hide what changed since.
    fn absent(&self, group: &GroupView<'_>, view: &View<'_>) -> Stored;

    /// What a group that was just created has: an empty map, or no hash.
    fn empty(&self) -> Stored;

    /// Does the first heartbeat after a load look again, and does the refresh interval count? (All but delta-flag.)
    fn compares(&self) -> bool;

    /// Topics whose hash is cached now.
    fn cached_topics(&self) -> usize;

    /// What the shard's cache takes in a Java heap (model: E); 0 for strategies without one.
    fn cache_bytes(&self) -> u64;

    /// What a group with this stored value takes in a Java heap.
    fn footprint(&self, stored: &Stored, group: &GroupView<'_>, view: &View<'_>) -> Footprint;

    /// The number of the image whose content this topic is taken from if it is asked for now: that of the image
    /// in which its cached hash was computed ([`View::image_no`]), or `now` where nothing is cached.
    fn read_from(&self, topic: TopicId, now: u32) -> u32;
}

/// A topic that an image changed for a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangedTopic {
    /// Which.
    pub topic: TopicId,
    /// It is not in this TopicsDelta at all: only a broker that holds a replica of it was registered (anew, with
    /// another rack) or unregistered. Only `trigger: cluster-delta` looks at these.
    pub cluster_only: bool,
    /// A broker that holds a replica of it was registered (anew, with another rack) or unregistered in this delta.
    pub by_cluster: bool,
    /// Deleted.
    pub deleted: bool,
    /// Has partitions that the base image lacks.
    pub new_partitions: bool,
    /// A changed partition has adding or removing replicas.
    pub reassigning: bool,
    /// A changed partition's replica set differs from the base image's (a new partition differs).
    pub replicas_differ: bool,
}

/// `groupsByTopics` of one shard: the groups that subscribe to a topic, in order of id.
#[derive(Clone, Debug, Default)]
pub struct TopicIndex {
    groups: Vec<Vec<GroupId>>,
}

impl TopicIndex {
    /// An empty index over so many topic names.
    #[must_use]
    pub fn new(topics: usize) -> TopicIndex {
        TopicIndex { groups: vec![Vec::new(); topics] }
    }

    /// Groups subscribed to a topic.
    #[must_use]
    pub fn watchers(&self, topic: TopicId) -> &[GroupId] {
        &self.groups[topic.index()]
    }

    /// Adds a group to a topic; no effect if it is there.
    pub fn watch(&mut self, topic: TopicId, group: GroupId) {
        let groups = &mut self.groups[topic.index()];
        if let Err(place) = groups.binary_search(&group) {
            groups.insert(place, group);
        }
    }

    /// Takes a group off a topic; true if it was the last.
    pub fn unwatch(&mut self, topic: TopicId, group: GroupId) -> bool {
        let groups = &mut self.groups[topic.index()];
        let Ok(place) = groups.binary_search(&group) else {
            return false;
        };
        groups.remove(place);
        groups.is_empty()
    }
}

/// The group that is recomputed.
#[derive(Clone, Copy, Debug)]
pub struct GroupView<'a> {
    /// Which.
    pub group: GroupId,
    /// The topic names it is subscribed to (its members' names and resolved patterns), existing or not, each once,
    /// in Java's string order of names.
    pub topics: &'a [TopicId],
}

/// What a recomputation reads.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// The coordinator's image.
    pub image: &'a MetadataImage,
    /// Its number, another one for every image: remembered beside a cached hash, so that a stale one can be
    /// explained, and beside what is looked up once for an image.
    pub image_no: u32,
    /// Names by id.
    pub names: &'a NameTable,
    /// Counted mode: values that are worked out once for all.
    pub values: Option<&'a Values<'a>>,
}

/// Why a group is recomputed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// A heartbeat of a group that is due.
    Heartbeat,
    /// A member joined or changed its subscription (a heartbeat, too).
    MemberChange,
    /// A member left or expired.
    MemberGone,
    /// A pattern was resolved.
    PatternResolved,
}

/// What a recomputation found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// Does it differ from what is stored? (delta-flag: was the flag set?)
    pub differs: bool,
    /// What the group would store now; `None`: to the last entry and in the same form what is stored.
    pub value: Option<Stored>,
    /// It differs only by what the cache held: hashed anew, the value equals the stored one, yet the bump stands
    /// (`rehash: all-on-bump`; no repeat, model: K.5).
    pub fresh_equal: bool,
    /// What storing `value` writes besides the epoch record.
    pub records: Records,
    /// Bytes that the hash adds to the epoch record's value: 10 for a group hash other than 0, else 0 (model: D).
    pub epoch_extra: u32,
}

/// Records of the group's subscription metadata (type 4), as sizes in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Records {
    /// The new ConsumerGroupPartitionMetadata value, if one is written (only when it differs).
    pub metadata: Option<u64>,
}

/// What the log keeps of a group's subscription metadata. Every strategy reads every form: of a map that another
/// release left it takes what it knows (racks are ignored, or there are none), a map reads as no hash, a hash as an
/// empty map.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Stored {
    /// Nothing, by a release that wrote less. Full-metadata and partition-count read it as a map without racks of
    /// what is there now; the others as an empty map or no hash. See [`Strategy::absent`] and [`Strategy::empty`].
    #[default]
    Absent,
    /// A map by topic, in Java's order of names.
    Map(Box<[StoredMap]>),
    /// One hash.
    Hash(u64),
}

/// An entry of a stored map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoredMap {
    /// full-metadata: id, partition count, and the racks of each partition: sorted by Java's order of names, once
    /// each (or as often as there are, with `racks: multiset`).
    Full {
        /// Topic name.
        topic: TopicId,
        /// Topic id (0 with `include_topic_id: false`).
        id: Uuid,
        /// By partition.
        racks: SharedRacks,
    },
    /// partition-count.
    Count {
        /// Topic name.
        topic: TopicId,
        /// Topic id.
        id: Uuid,
        /// Partition count.
        partitions: u32,
    },
    /// topic-hash.
    Hash {
        /// Topic name.
        topic: TopicId,
        /// Its hash.
        hash: u64,
    },
}

/// A replica that nobody is registered for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnregisteredReplica {
    /// The topic met.
    pub topic: TopicId,
    /// The missing broker.
    pub broker: BrokerId,
}

/// Work done inside strategies (model: K.6), a running total.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Work {
    /// Topic hashes computed.
    pub topics_hashed: u64,
    /// Bytes given to a hash function, the group's combination included.
    pub bytes_hashed: u64,
    /// Calls of a hash function (feeds `cpu_model_ns`, is no column).
    pub hash_calls: u64,
    /// Topic hashes found in the cache.
    pub cache_hits: u64,
    /// Topic hashes not found there.
    pub cache_misses: u64,
    /// Topics and partitions of new maps; 1 for a group hash.
    pub entries_compared: u64,
    /// Partitions whose racks were read (feeds `cpu_model_ns`, is no column).
    pub partitions_read: u64,
}

impl Work {
    /// Adds another's work, `times` times.
    pub fn add(&mut self, other: &Work, times: u64) {
        self.topics_hashed += other.topics_hashed * times;
        self.bytes_hashed += other.bytes_hashed * times;
        self.cache_hits += other.cache_hits * times;
        self.cache_misses += other.cache_misses * times;
        self.entries_compared += other.entries_compared * times;
        self.hash_calls += other.hash_calls * times;
        self.partitions_read += other.partitions_read * times;
    }

    /// Takes another's work away.
    pub fn take(&mut self, other: &Work) {
        self.topics_hashed -= other.topics_hashed;
        self.bytes_hashed -= other.bytes_hashed;
        self.cache_hits -= other.cache_hits;
        self.cache_misses -= other.cache_misses;
        self.entries_compared -= other.entries_compared;
        self.hash_calls -= other.hash_calls;
        self.partitions_read -= other.partitions_read;
    }
}
