use super::*;

/// Bytes and hex from Kafka's generated serializers.
const SIZES: &str = include_str!("../../../tests/vectors/record-sizes.txt");

const GROUP: u64 = "group-1".len() as u64;
/// The length of a member id that clients make.
const MEMBER: u64 = 22;

/// Map values of so many topics with names like `topic-0000`, racks like `us-east-1a`, three replicas: with racks
/// and without.
fn maps(topics: u64, partitions: u64) -> (u64, u64) {
    let (mut racked, mut plain) = (PartitionMetadata::default(), PartitionMetadata::default());
    for _ in 0..topics {
        racked.racked(10, (0..partitions).map(|_| [10; 3]));
        plain.plain(10);
    }
    (racked.value(), plain.value())
}

fn size_of(label: &str) -> u64 {
    match label {
        "ConsumerGroupMetadataKey(group-1)"
        | "old ConsumerGroupMetadataKey"
        | "PartitionMetadataKey"
        | "TargetAssignmentMetadataKey" => group_key(GROUP),
        "TargetAssignmentMemberKey(22-char member)" => named_key(GROUP, MEMBER),
        "old ConsumerGroupMetadataValue(epoch 7)" | "new ConsumerGroupMetadataValue(epoch 7,hash 0)" => {
            group_metadata(0)
        }
        "new ConsumerGroupMetadataValue(epoch 7,hash 0x0102030405060708)" => group_metadata(0x0102_0304_0506_0708),
        "ShareGroupMetadataValue" => SHARE_GROUP_METADATA,
        "StreamsGroupMetadataValue" => streams_group_metadata(false, &[]),
        "StreamsGroupMetadataValue validated 0, cfg num.standby=0" => {
            streams_group_metadata(true, &[("num.standby.replicas".len() as u64, 1)])
        }
        "PartitionMetadataValue 1 topic 2 parts racks a,b" => {
            let mut map = PartitionMetadata::default();
            map.racked(10, [[1, 1], [1, 1]]);
            map.value()
        }
        "PartitionMetadataValue 1 topic no racks" => {
            let mut map = PartitionMetadata::default();
            map.racked(10, [[], []] as [[u64; 0]; 2]);
            assert_eq!(map.value(), maps(1, 2).1);
            map.value()
        }
        "MemberMetadataValue" => {
            let (topics, topic_bytes) = (1, compact("topic-0000".len() as u64));
            let (client, host) = ("client".len() as u64, "/10.0.0.1".len() as u64);
            let rack = Some("us-east-1a".len() as u64);
            // its pattern is there, and empty
            let pattern = Some(0);
            MemberMetadata { rack, client, host, topics, topic_bytes, pattern, ..MemberMetadata::default() }.value()
        }
        other => {
            let (kind, n) = other.split_once(" 1 topic n=").expect("a known label");
            let n: u64 = n.parse().unwrap();
            match kind {
                "TargetAssignmentMemberValue" => target_assignment_member(of(&[n])),
                "CurrentMemberAssignmentValue" => current_member_assignment(of(&[n]), &[]),
                _ => panic!("unknown label: {other}"),
            }
        }
    }
}

/// A topic of which nothing is assigned is not listed.
fn of(topics: &[u64]) -> &[u64] {
    if topics == [0] { &[] } else { topics }
}

#[test]
fn every_published_size_is_met() {
    let mut met = 0;
    for line in SIZES.lines().filter(|line| !line.starts_with('#')) {
        if let Some((shape, sizes)) = line.split_once(" rf3 us-east-1x: racks=") {
            let (topics, partitions) = shape.split_once("T=").unwrap().1.split_once(" P=").unwrap();
            let (racked, plain) = sizes.split_once(" noracks=").unwrap();
            let expected = (racked.parse().unwrap(), plain.parse().unwrap());
            assert_eq!(maps(topics.parse().unwrap(), partitions.parse().unwrap()), expected, "{line}");
        } else if line == "TargetAssignmentMetadataKey 11 Value 7 00000000000700" {
            assert_eq!((size_of("TargetAssignmentMetadataKey"), target_assignment_metadata(false)), (11, 7));
        } else {
            // a label, then a number, hex, or both
            let (mut label, mut hex) = (line, None);
            if let Some((rest, last)) = label.rsplit_once(' ')
                && last.len() > 7
                && last.bytes().all(|b| b.is_ascii_hexdigit())
            {
                (label, hex) = (rest, Some(last.len() as u64 / 2));
            }
            let mut number = None;
            if let Some((rest, last)) = label.rsplit_once(' ')
                && let Ok(bytes) = last.parse::<u64>()
            {
                (label, number) = (rest, Some(bytes));
            }
            assert!(hex.is_some() || number.is_some(), "{line}");
            assert_eq!(size_of(label), hex.or(number).unwrap(), "{line}");
            assert_eq!(number.or(hex), hex.or(number), "{line}");
        }
        met += 1;
    }
    assert_eq!(met, 32);
}

#[test]
fn framing_adds_what_the_batch_format_says() {
    let one = |key, value| framed(RecordSize { key, value }, 0);
    let (group, member) = (group_key(GROUP), named_key(GROUP, MEMBER));
    assert_eq!(one(group, Some(group_metadata(0))), 25);
    assert_eq!(one(group, Some(group_metadata(1))), 35);
    assert_eq!(one(group, Some(target_assignment_metadata(false))), 25);
    assert_eq!(one(group, Some(maps(1, 2000).0)), 78_060);
    assert_eq!(one(member, Some(current_member_assignment(&[4], &[]))), 91);
    assert_eq!(one(member, Some(target_assignment_member(&[4]))), 81);
    assert_eq!(one(member, None), 42);
    assert_eq!(one(group, None), 18);
}

/// An epoch record, the target's epoch, and each member's own: no assignment changes.
fn bump(hash: u64, map: Option<u64>, members: u64) -> u64 {
    let (group, member) = (group_key(GROUP), named_key(GROUP, MEMBER));
    let of_group = |value| RecordSize { key: group, value: Some(value) };
    let head = [group_metadata(hash), target_assignment_metadata(false)];
    let own = RecordSize { key: member, value: Some(current_member_assignment(&[4], &[])) };
    let records = map.into_iter().chain(head).map(of_group);
    batch(records.chain((0..members).map(|_| own)))
}

#[test]
fn a_needless_bump_costs_what_the_model_says() {
    let bytes = [1, 10, 100, 500].map(|members| bump(1, None, members));
    assert_eq!(bytes, [212, 1_031, 9_259, 46_059]);
    // a map of 2,000 partitions in front, less the hash; it moves one member's record to an offset of two bytes
    assert_eq!(bump(0, Some(maps(1, 2000).0), 500), 46_059 + 78_060 - 10 + 1);
}

#[test]
fn a_hash_in_a_map_costs_eleven_bytes_a_topic() {
    let mut map = PartitionMetadata::default();
    (0..2000).for_each(|_| map.hashed(30));
    // 2 + varint + 2,000 · (16 + 31 + 4 + 1 + 11) + 1
    assert_eq!(map.value(), 126_005);
}

#[test]
fn a_varint_grows_by_a_byte_every_seven_bits() {
    for (value, bytes) in [(0, 1), (127, 1), (128, 2), (16_383, 2), (16_384, 3), (u64::MAX, 10)] {
        assert_eq!(unsigned_varint(value), bytes);
    }
    assert_eq!((varint(63), varint(64)), (1, 2));
}
