//! A history's id: a fingerprint of all that lanes can see of it. Notes are left out: they say what did not happen.

use crate::kafka::{
    BrokerChange, BrokerEvent, BrokerId, GroupKind, MetadataDelta, MetadataImage, PartitionChange, TopicEvent, Version,
};
use crate::sim::Digest;

use super::history::{Event, GroupHistory, Happening, History, ShardLine};

/// Sixteen hexadecimal digits.
pub(super) fn of(history: &History) -> String {
    let mut digest = Digest::new();
    let names = &history.names;
    let list = |digest: &mut Digest, names: &[String]| {
        digest.count(names.len());
        names.iter().for_each(|name| digest.text(name));
    };
    [&names.topics, &names.racks, &names.groups].into_iter().for_each(|names| list(&mut digest, names));
    digest.count(names.members.len());
    names.members.iter().for_each(|name| digest.text(&name));
    list(&mut digest, &names.entries);
    digest.time(history.duration);
    image(&mut digest, &history.start);
    // nothing where every broker runs what brokers run unless told otherwise
    for (broker, version) in (0u32..).zip(&history.releases).filter(|(_, version)| **version != Version::default()) {
        digest.number(broker);
        digest.byte(release(*version));
    }
    digest.count(history.subscriptions.len());
    for subscription in &history.subscriptions {
        digest.count(subscription.names.len());
        subscription.names.iter().for_each(|topic| digest.number(topic.0));
        digest.option(subscription.pattern.map(|p| p.0));
    }
    digest.count(history.patterns.len());
    for pattern in &history.patterns {
        digest.text(&pattern.text);
        digest.count(pattern.matches.len());
        pattern.matches.iter().for_each(|topic| digest.number(topic.0));
    }
    digest.count(history.groups.len());
    history.groups.iter().for_each(|g| group(&mut digest, g));
    members(&mut digest, history);
    digest.count(history.deltas.len());
    for arrival in &history.deltas {
        digest.time(arrival.at);
        delta(&mut digest, &arrival.delta);
    }
    digest.count(history.events.len());
    history.events.iter().for_each(|e| event(&mut digest, e));
    digest.count(history.shards.len());
    history.shards.iter().for_each(|line| shard(&mut digest, line));
    digest.hex()
}

fn members(digest: &mut Digest, history: &History) {
    digest.count(history.members.len());
    for member in history.members.iter() {
        digest.number(member.group.0);
        digest.flag(member.standing);
        digest.flag(member.is_static);
        digest.option(member.rack.map(|r| r.0));
        digest.number(member.subscription.0);
    }
    digest.count(history.presences.len());
    for presence in history.presences.iter() {
        digest.number(presence.member.0);
        digest.time(presence.first);
        digest.time(presence.until);
    }
    digest.count(history.refused.len());
    for refused in &history.refused {
        digest.time(refused.at);
        digest.number(refused.member.0);
        digest.flag(refused.heartbeat);
    }
}

fn image(digest: &mut Digest, image: &MetadataImage) {
    digest.count(image.topics.len());
    for topic in &image.topics {
        digest.flag(topic.is_some());
        let Some(topic) = topic else { continue };
        digest.long(topic.id.msb);
        digest.long(topic.id.lsb);
        digest.count(topic.partitions.len());
        topic.partitions.iter().for_each(|replicas| brokers(digest, replicas));
    }
    digest.count(image.brokers.len());
    for registration in &image.brokers {
        digest.flag(registration.is_some());
        digest.option(registration.and_then(|r| r.rack).map(|r| r.0));
    }
}

fn brokers(digest: &mut Digest, list: &[BrokerId]) {
    digest.count(list.len());
    list.iter().for_each(|broker| digest.number(broker.0));
}

fn group(digest: &mut Digest, group: &GroupHistory) {
    digest.number(group.shard.0);
    digest.number(group.first_member.0);
    digest.number(group.members);
    digest.time(group.heartbeat);
    digest.time(group.session);
    digest.flag(group.rack_aware);
    digest.time(group.patience);
    digest.flag(group.stands);
    digest.flag(group.stored);
    digest.number(group.epoch);
    // nothing where it is of the protocol that groups are of unless told otherwise
    if group.kind != GroupKind::Consumer {
        digest.text(group.kind.name());
    }
}

fn delta(digest: &mut Digest, delta: &MetadataDelta) {
    digest.count(delta.topics.len());
    for change in &delta.topics {
        digest.number(change.topic.0);
        digest.number(change.entry);
        match &change.event {
            TopicEvent::Deleted => digest.byte(0),
            TopicEvent::Created { id, partitions: all } => {
                digest.byte(1);
                digest.long(id.msb);
                digest.long(id.lsb);
                partitions(digest, all);
            }
            TopicEvent::Changed { partitions: some } => {
                digest.byte(2);
                partitions(digest, some);
            }
        }
    }
    digest.count(delta.brokers.len());
    delta.brokers.iter().for_each(|change| broker(digest, change));
}

fn partitions(digest: &mut Digest, changes: &[PartitionChange]) {
    digest.count(changes.len());
    for change in changes {
        digest.number(change.partition);
        for list in [&change.replicas, &change.isr, &change.adding, &change.removing] {
            brokers(digest, list);
        }
        digest.option(change.leader.map(|b| b.0));
    }
}

fn broker(digest: &mut Digest, change: &BrokerChange) {
    digest.number(change.broker.0);
    digest.number(change.entry);
    match change.event {
        BrokerEvent::Registered { rack, version, in_sync_after } => {
            digest.byte(0);
            digest.option(rack.map(|r| r.0));
            digest.byte(release(version));
            digest.time(in_sync_after);
        }
        BrokerEvent::Unregistered => digest.byte(1),
        BrokerEvent::Fenced => digest.byte(2),
        BrokerEvent::Unfenced => digest.byte(3),
    }
}

const fn release(version: Version) -> u8 {
    match version {
        Version::Kafka3_9 => 0,
        Version::Kafka4_0 => 1,
        Version::Kafka4_1 => 2,
        Version::Kafka4_2 => 3,
        Version::Kafka4_3 => 4,
    }
}

fn event(digest: &mut Digest, event: &Event) {
    digest.time(event.at);
    digest.byte(event.step as u8);
    digest.option(event.entry);
    let (kind, first, second) = match event.what {
        Happening::Delta(index) => (0, index, 0),
        Happening::ShardDown(shard) => (1, shard.0, 0),
        Happening::ShardUp { shard, load } => {
            digest.time(load);
            (2, shard.0, 0)
        }
        Happening::Join(id) => (3, id.0, 0),
        Happening::Leave(id) => (4, id.0, 0),
        Happening::Expire(id) => (5, id.0, 0),
        Happening::Silent(id) => (6, id.0, 0),
        Happening::Away(id) => (7, id.0, 0),
        Happening::Back(id) => (8, id.0, 0),
        Happening::Subscribe(id, subscription) => (9, id.0, subscription.0),
        Happening::GroupGone(group) => (10, group.0, 0),
    };
    digest.byte(kind);
    digest.number(first);
    digest.number(second);
}

fn shard(digest: &mut Digest, line: &ShardLine) {
    digest.count(line.down.len());
    for (from, to) in &line.down {
        digest.time(*from);
        digest.time(*to);
    }
    digest.count(line.leaders.len());
    for (from, leader) in &line.leaders {
        digest.time(*from);
        digest.option(leader.map(|b| b.0));
    }
}
