//! The record of a member in the log (model: D, K.6).

use crate::kafka::record::{self, MemberMetadata, RecordSize};
use crate::kafka::{GroupKind, MemberId, SubscriptionId, TopicId};
use crate::world::History;

/// UTF-8 length of a member id: a base64 UUID.
pub const MEMBER_ID: u64 = 22;

/// UTF-8 length of a streams client's process id: a UUID as text.
const PROCESS_ID: u64 = 36;

/// ConsumerGroupMemberMetadata, or what other groups have in its place, of a member with this subscription: client
/// `client`, host `/10.0.0.1`, no assignor.
#[must_use]
pub fn member_record(history: &History, member: MemberId, subscription: SubscriptionId) -> RecordSize {
    let spec = &history.members[member.index()];
    let subscription = &history.subscriptions[subscription.index()];
    let length = |text: &str| text.len() as u64;
    let name = |t: &TopicId| record::compact(length(&history.names.topics[t.index()]));
    let metadata = MemberMetadata {
        instance: spec.is_static.then(|| length(&history.names.members.get(member.index()))),
        rack: spec.rack.map(|r| length(&history.names.racks[r.index()])),
        client: length("client"),
        host: length("/10.0.0.1"),
        topics: subscription.names.len() as u64,
        topic_bytes: subscription.names.iter().map(name).sum(),
        pattern: subscription.pattern.map(|p| length(&history.patterns[p.index()].text)),
        assignor: None,
    };
    let value = match history.groups[spec.group.index()].kind {
        GroupKind::Consumer | GroupKind::Classic => metadata.value(),
        GroupKind::Share => record::share_member_metadata(&metadata),
        GroupKind::Streams => record::streams_member_metadata(&metadata, PROCESS_ID),
    };
    let group = length(&history.names.groups[spec.group.index()]);
    RecordSize { key: record::named_key(group, MEMBER_ID), value: Some(value) }
}
