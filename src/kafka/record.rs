//! Sizes of coordinator records, as Kafka's generated serializers would write them (model: D), and of
//! the batches that hold them (D.3). Nothing is serialized: only lengths are counted.
//!
//! Keys are a two-byte type and fields with two-byte lengths; values are a two-byte version and a
//! flexible body, in which strings and arrays have their length plus one as an unsigned varint in front
//! and every struct ends with a tag section of at least one byte. All lengths of strings are in UTF-8 bytes.

/// A record's key and value, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordSize {
    /// The key.
    pub key: u64,
    /// The value; `None`: a tombstone.
    pub value: Option<u64>,
}

impl RecordSize {
    /// Key and value.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        match self.value {
            Some(value) => self.key + value,
            None => self.key,
        }
    }
}

/// Key of a group's own records: types 3, 4, 6, 11, 17.
#[must_use]
pub const fn group_key(group: u64) -> u64 {
    2 + 2 + group
}

/// Key of a group's record about something that has a name: a member (5, 7, 8) or a pattern (16).
#[must_use]
pub const fn named_key(group: u64, name: u64) -> u64 {
    group_key(group) + 2 + name
}

/// ConsumerGroupMetadata (3): the epoch, and a tagged hash where it is not 0.
#[must_use]
pub const fn group_metadata(hash: u64) -> u64 {
    if hash == 0 { 7 } else { 7 + TAGGED_HASH }
}

/// What a hash other than 0 adds to [`group_metadata`]: tag, size and eight bytes.
pub const TAGGED_HASH: u64 = 10;

/// ConsumerGroupPartitionMetadata (4), topic by topic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PartitionMetadata {
    topics: u64,
    bytes: u64,
}

impl PartitionMetadata {
    /// A topic with the racks of its partitions, as lengths of names. Partitions without a rack are left out.
    pub fn racked<P, R>(&mut self, name: u64, partitions: P)
    where
        P: IntoIterator<Item = R>,
        R: IntoIterator<Item = u64>,
    {
        let (mut racked, mut bytes) = (0, 0);
        for racks in partitions {
            let (mut count, mut names) = (0, 0);
            for rack in racks {
                count += 1;
                names += compact(rack);
            }
            if count > 0 {
                racked += 1;
                bytes += 4 + array_length(count) + names + 1;
            }
        }
        self.topic(name, array_length(racked) + bytes + 1);
    }

    /// A topic with its count and no racks, as Kafka 4.0 writes it.
    pub fn plain(&mut self, name: u64) {
        self.topic(name, array_length(0) + 1);
    }

    /// A topic with its tagged hash and no racks, as draft 000 writes it.
    pub fn hashed(&mut self, name: u64) {
        self.topic(name, array_length(0) + 1 + TAGGED_HASH);
    }

    /// Id, name, count, and what comes after.
    fn topic(&mut self, name: u64, rest: u64) {
        self.topics += 1;
        self.bytes += 16 + compact(name) + 4 + rest;
    }

    /// With another's topics.
    pub const fn add(&mut self, other: PartitionMetadata) {
        self.topics += other.topics;
        self.bytes += other.bytes;
    }

    /// Without another's topics.
    pub const fn take(&mut self, other: PartitionMetadata) {
        self.topics -= other.topics;
        self.bytes -= other.bytes;
    }

    /// The value.
    #[must_use]
    pub const fn value(self) -> u64 {
        2 + array_length(self.topics) + self.bytes + 1
    }
}

/// What a ConsumerGroupMemberMetadata record (5) says, as lengths.
#[derive(Clone, Copy, Debug, Default)]
pub struct MemberMetadata {
    /// `group.instance.id`.
    pub instance: Option<u64>,
    /// `client.rack`.
    pub rack: Option<u64>,
    /// Client id.
    pub client: u64,
    /// Client host.
    pub host: u64,
    /// Names subscribed to: how many.
    pub topics: u64,
    /// Their lengths together, each with its prefix: the sum of [`compact`].
    pub topic_bytes: u64,
    /// Pattern subscribed to.
    pub pattern: Option<u64>,
    /// Server assignor asked for.
    pub assignor: Option<u64>,
}

impl MemberMetadata {
    /// The value: the strings, the names, the rebalance timeout (4), the tag section with its one tag: the
    /// coordinator says of every consumer member that it has no classic metadata.
    #[must_use]
    pub fn value(&self) -> u64 {
        let strings = nullable(self.instance) + nullable(self.rack) + compact(self.client) + compact(self.host);
        let names = array_length(self.topics) + self.topic_bytes;
        2 + strings + names + nullable(self.pattern) + 4 + nullable(self.assignor) + 1 + NO_CLASSIC_METADATA
    }
}

/// Tag, size and the one byte of a null struct.
const NO_CLASSIC_METADATA: u64 = 3;

/// ConsumerGroupTargetAssignmentMetadata (6): the assignment epoch; from 4.3 with a tagged time.
#[must_use]
pub const fn target_assignment_metadata(timestamp: bool) -> u64 {
    if timestamp { 17 } else { 7 }
}

/// ConsumerGroupTargetAssignmentMember (7): partitions of each topic assigned.
#[must_use]
pub fn target_assignment_member(topics: &[u64]) -> u64 {
    2 + assignment(topics) + 1
}

/// ConsumerGroupCurrentMemberAssignment (8): two epochs and a state, then partitions of each topic.
#[must_use]
pub fn current_member_assignment(assigned: &[u64], pending: &[u64]) -> u64 {
    2 + 4 + 4 + 1 + assignment(assigned) + assignment(pending) + 1
}

fn assignment(topics: &[u64]) -> u64 {
    let count = topics.len() as u64;
    array_length(count) + topics.iter().map(|&n| 16 + array_length(n) + 4 * n + 1).sum::<u64>()
}

/// ConsumerGroupRegularExpression (16): the lengths of the names resolved, then version and time.
#[must_use]
pub fn regular_expression(names: &[u64]) -> u64 {
    2 + array_length(names.len() as u64) + names.iter().map(|&n| compact(n)).sum::<u64>() + 8 + 8 + 1
}

/// ShareGroupMetadata (11): the hash is no tag here, so it always has its eight bytes.
pub const SHARE_GROUP_METADATA: u64 = 15;

/// StreamsGroupMetadata (17); `validated`: with a validated topology epoch; `configs`: lengths of the keys and
/// values of the last assignment's settings, none of them: no tag.
#[must_use]
pub fn streams_group_metadata(validated: bool, configs: &[(u64, u64)]) -> u64 {
    let epoch = if validated { 6 } else { 0 };
    let entries: u64 = configs.iter().map(|&(key, value)| compact(key) + compact(value) + 1).sum();
    let array = array_length(configs.len() as u64) + entries;
    let tagged = if configs.is_empty() { 0 } else { 1 + unsigned_varint(array) + array };
    15 + epoch + tagged
}

/// ShareGroupMemberMetadata (10) of a member; of the lengths only rack, client, host and topics count.
#[must_use]
pub const fn share_member_metadata(member: &MemberMetadata) -> u64 {
    let strings = nullable(member.rack) + compact(member.client) + compact(member.host);
    2 + strings + array_length(member.topics) + member.topic_bytes + 1
}

/// StreamsGroupMemberMetadata (19) of a member: as of a consumer group's, but for its subscription, and with the
/// topology's epoch and the length of its process id; no endpoint, no tags.
#[must_use]
pub const fn streams_member_metadata(member: &MemberMetadata, process: u64) -> u64 {
    let strings = nullable(member.instance) + nullable(member.rack) + compact(member.client) + compact(member.host);
    let (timeout, topology, endpoint, tags) = (4, 4, 1, array_length(0));
    2 + strings + timeout + topology + compact(process) + endpoint + tags + 1
}

/// ShareGroupStatePartitionMetadata (15): topics by the lengths of their names and how many partitions of each are being
/// initialised, and are.
#[must_use]
pub fn share_state(initialising: &[(u64, u64)], initialised: &[(u64, u64)]) -> u64 {
    let topics = |list: &[(u64, u64)]| {
        let each = |&(name, n): &(u64, u64)| 16 + compact(name) + array_length(n) + 4 * n + 1;
        array_length(list.len() as u64) + list.iter().map(each).sum::<u64>()
    };
    2 + topics(initialising) + topics(initialised) + array_length(0) + 1
}

/// What a StreamsGroupTopology record (23) says, as lengths of names. An application without repartition topics is one
/// subtopology; with them a first one writes them and a second one reads them and keeps the state. No settings of
/// topics, no topics that must be partitioned alike.
#[must_use]
pub fn streams_topology(sources: &[u64], repartition: &[u64], changelog: &[u64]) -> u64 {
    let names = |list: &[u64]| array_length(list.len() as u64) + list.iter().map(|&n| compact(n)).sum::<u64>();
    // partitions, replicas, settings
    let infos = |list: &[u64]| names(list) + list.len() as u64 * (4 + 2 + array_length(0) + 1);
    let one = |sources: &[u64], changelog: &[u64], sinks: &[u64], read: &[u64]| {
        let (id, pattern, alike) = (compact(1), array_length(0), array_length(0));
        id + names(sources) + pattern + infos(changelog) + names(sinks) + infos(read) + alike + 1
    };
    let subtopologies = if repartition.is_empty() {
        array_length(1) + one(sources, changelog, &[], &[])
    } else {
        array_length(2) + one(sources, &[], repartition, &[]) + one(&[], changelog, &[], repartition)
    };
    2 + 4 + subtopologies + 1
}

/// Header of a v2 record batch.
pub const BATCH_HEADER: u64 = 61;

/// One batch with these records in order: no compression, no headers, all of one time.
pub fn batch(records: impl IntoIterator<Item = RecordSize>) -> u64 {
    BATCH_HEADER + (0u64..).zip(records).map(|(offset, record)| framed(record, offset)).sum::<u64>()
}

/// A record in a batch, `offset` places after its first.
#[must_use]
pub const fn framed(record: RecordSize, offset: u64) -> u64 {
    let value = match record.value {
        Some(bytes) => varint(bytes) + bytes,
        // −1
        None => 1,
    };
    // attributes, time delta, offset delta, key, value, header count
    let body = 1 + 1 + varint(offset) + varint(record.key) + record.key + value + 1;
    varint(body) + body
}

/// Bytes of a compact string with its prefix.
#[must_use]
pub const fn compact(length: u64) -> u64 {
    array_length(length) + length
}

const fn nullable(length: Option<u64>) -> u64 {
    match length {
        Some(length) => compact(length),
        None => 1,
    }
}

/// The prefix of a compact array of so many items.
const fn array_length(items: u64) -> u64 {
    unsigned_varint(items + 1)
}

/// Bytes of an unsigned varint: seven bits each.
const fn unsigned_varint(value: u64) -> u64 {
    let bits = 64 - (value | 1).leading_zeros() as u64;
    bits.div_ceil(7)
}

/// Bytes of a zig-zag varint of a number that is not negative.
const fn varint(value: u64) -> u64 {
    unsigned_varint(2 * value)
}

#[cfg(test)]
mod tests;
