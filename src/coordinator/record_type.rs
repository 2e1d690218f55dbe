//! Types of coordinator records. A share or a streams group writes what a consumer group writes under numbers of its own.

use crate::kafka::GroupKind;

/// Types of coordinator records that a trigger's work or its members make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "those of share and streams groups are what the first seven are of consumer groups")]
pub enum RecordType {
    /// The epoch, and the hash of 4.1 and later.
    GroupMetadata,
    /// The subscription metadata of 3.9, 4.0 and draft 000.
    PartitionMetadata,
    /// A member.
    MemberMetadata,
    /// Only the tombstones of this and the next two are here: what they hold is the price of an assignment.
    TargetAssignmentMetadata,
    /// Likewise.
    TargetAssignmentMember,
    /// Likewise.
    CurrentMemberAssignment,
    /// A pattern and what it resolved to.
    RegularExpression,
    SharePartitionMetadata,
    ShareMemberMetadata,
    ShareGroupMetadata,
    ShareTargetAssignmentMetadata,
    ShareTargetAssignmentMember,
    ShareCurrentMemberAssignment,
    /// Which partitions of a share group have a state, and which are about to get one.
    ShareStatePartitionMetadata,
    StreamsGroupMetadata,
    StreamsPartitionMetadata,
    StreamsMemberMetadata,
    StreamsTargetAssignmentMetadata,
    StreamsTargetAssignmentMember,
    StreamsCurrentMemberAssignment,
    /// What a streams application reads, writes and keeps.
    StreamsTopology,
}

/// How many there are.
pub(super) const TYPES: usize = RecordType::ALL.len();

impl RecordType {
    /// All, in order of number within each kind of group.
    pub const ALL: [RecordType; 21] = [
        RecordType::GroupMetadata,
        RecordType::PartitionMetadata,
        RecordType::MemberMetadata,
        RecordType::TargetAssignmentMetadata,
        RecordType::TargetAssignmentMember,
        RecordType::CurrentMemberAssignment,
        RecordType::RegularExpression,
        RecordType::SharePartitionMetadata,
        RecordType::ShareMemberMetadata,
        RecordType::ShareGroupMetadata,
        RecordType::ShareTargetAssignmentMetadata,
        RecordType::ShareTargetAssignmentMember,
        RecordType::ShareCurrentMemberAssignment,
        RecordType::ShareStatePartitionMetadata,
        RecordType::StreamsGroupMetadata,
        RecordType::StreamsPartitionMetadata,
        RecordType::StreamsMemberMetadata,
        RecordType::StreamsTargetAssignmentMetadata,
        RecordType::StreamsTargetAssignmentMember,
        RecordType::StreamsCurrentMemberAssignment,
        RecordType::StreamsTopology,
    ];

    /// The number that begins its key, and Kafka's name of it.
    const fn known_as(self) -> (u32, &'static str) {
        match self {
            RecordType::GroupMetadata => (3, "ConsumerGroupMetadata"),
            RecordType::PartitionMetadata => (4, "ConsumerGroupPartitionMetadata"),
            RecordType::MemberMetadata => (5, "ConsumerGroupMemberMetadata"),
            RecordType::TargetAssignmentMetadata => (6, "ConsumerGroupTargetAssignmentMetadata"),
            RecordType::TargetAssignmentMember => (7, "ConsumerGroupTargetAssignmentMember"),
            RecordType::CurrentMemberAssignment => (8, "ConsumerGroupCurrentMemberAssignment"),
            RecordType::RegularExpression => (16, "ConsumerGroupRegularExpression"),
            RecordType::SharePartitionMetadata => (9, "ShareGroupPartitionMetadata"),
            RecordType::ShareMemberMetadata => (10, "ShareGroupMemberMetadata"),
            RecordType::ShareGroupMetadata => (11, "ShareGroupMetadata"),
            RecordType::ShareTargetAssignmentMetadata => (12, "ShareGroupTargetAssignmentMetadata"),
            RecordType::ShareTargetAssignmentMember => (13, "ShareGroupTargetAssignmentMember"),
            RecordType::ShareCurrentMemberAssignment => (14, "ShareGroupCurrentMemberAssignment"),
            RecordType::ShareStatePartitionMetadata => (15, "ShareGroupStatePartitionMetadata"),
            RecordType::StreamsGroupMetadata => (17, "StreamsGroupMetadata"),
            RecordType::StreamsPartitionMetadata => (18, "StreamsGroupPartitionMetadata"),
            RecordType::StreamsMemberMetadata => (19, "StreamsGroupMemberMetadata"),
            RecordType::StreamsTargetAssignmentMetadata => (20, "StreamsGroupTargetAssignmentMetadata"),
            RecordType::StreamsTargetAssignmentMember => (21, "StreamsGroupTargetAssignmentMember"),
            RecordType::StreamsCurrentMemberAssignment => (22, "StreamsGroupCurrentMemberAssignment"),
            RecordType::StreamsTopology => (23, "StreamsGroupTopology"),
        }
    }

    /// The number that begins its key.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.known_as().0
    }

    /// Kafka's name of it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.known_as().1
    }

    /// Only share or streams groups have it.
    #[must_use]
    pub const fn is_of_others(self) -> bool {
        self as usize > RecordType::RegularExpression as usize
    }

    /// What a consumer group writes under this type, a group of another kind writes under that one.
    pub(super) const fn of(self, kind: GroupKind) -> RecordType {
        match (kind, self) {
            (GroupKind::Share, RecordType::GroupMetadata) => RecordType::ShareGroupMetadata,
            (GroupKind::Share, RecordType::PartitionMetadata) => RecordType::SharePartitionMetadata,
            (GroupKind::Share, RecordType::MemberMetadata) => RecordType::ShareMemberMetadata,
            (GroupKind::Share, RecordType::TargetAssignmentMetadata) => RecordType::ShareTargetAssignmentMetadata,
            (GroupKind::Share, RecordType::TargetAssignmentMember) => RecordType::ShareTargetAssignmentMember,
            (GroupKind::Share, RecordType::CurrentMemberAssignment) => RecordType::ShareCurrentMemberAssignment,
            (GroupKind::Streams, RecordType::GroupMetadata) => RecordType::StreamsGroupMetadata,
            (GroupKind::Streams, RecordType::PartitionMetadata) => RecordType::StreamsPartitionMetadata,
            (GroupKind::Streams, RecordType::MemberMetadata) => RecordType::StreamsMemberMetadata,
            (GroupKind::Streams, RecordType::TargetAssignmentMetadata) => RecordType::StreamsTargetAssignmentMetadata,
            (GroupKind::Streams, RecordType::TargetAssignmentMember) => RecordType::StreamsTargetAssignmentMember,
            (GroupKind::Streams, RecordType::CurrentMemberAssignment) => RecordType::StreamsCurrentMemberAssignment,
            (_, own) => own,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_types_stand_in_the_order_in_which_they_are_counted() {
        for (place, kind) in RecordType::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, place, "{}", kind.name());
        }
    }

    #[test]
    fn a_kind_of_group_writes_under_its_own_names() {
        for (kind, word) in [(GroupKind::Share, "Share"), (GroupKind::Streams, "Streams")] {
            for record in RecordType::ALL.into_iter().take(6) {
                let own = record.of(kind);
                assert_eq!(own.name(), record.name().replace("Consumer", word));
                assert!(own.is_of_others() && !record.is_of_others());
                assert_eq!(own.of(kind), own);
            }
        }
    }
}
