//! A history, written line by line.

use std::io::{self, Write};

use crate::kafka::GroupKind;
use crate::kafka::{
    BrokerChange, BrokerEvent, BrokerId, EntryIndex, MemberId, PartitionChange, SubscriptionId, TopicChange,
    TopicEvent, TopicId, Version,
};
use crate::sim::Ms;

use super::super::history::{Event, Happening, History, Step};
use super::lines::{BrokerLine, BrokerWord, FORMAT, Line, PartitionLine, StepWord, Text, TopicLine, TopicWord, What};

/// Writes a history as JSON Lines.
///
/// # Errors
/// Where the writer fails.
pub fn write(history: &History, out: &mut dyn Write) -> io::Result<()> {
    let mut writer = Writer { history, out };
    writer.header()?;
    writer.image()?;
    writer.people()?;
    writer.happenings()
}

struct Writer<'w> {
    history: &'w History,
    out: &'w mut dyn Write,
}

fn texts(names: &[String]) -> Vec<Text<'_>> {
    names.iter().map(|name| name.as_str().into()).collect()
}

fn numbers(list: &[BrokerId]) -> Vec<u32> {
    list.iter().map(|b| b.0).collect()
}

fn until(time: Ms) -> Option<u64> {
    (time != Ms::NEVER).then_some(time.0)
}

impl<'w> Writer<'w> {
    fn line(&mut self, line: &Line<'_>) -> io::Result<()> {
        serde_json::to_writer(&mut *self.out, line)?;
        self.out.write_all(b"\n")
    }

    fn header(&mut self) -> io::Result<()> {
        let names = &self.history.names;
        self.line(&Line::Header {
            format: FORMAT.into(),
            id: Some(self.history.id.as_str().into()),
            duration_ms: self.history.duration.0,
            topics: texts(&names.topics),
            racks: texts(&names.racks),
            groups: texts(&names.groups),
            entries: texts(&names.entries),
        })
    }

    fn image(&mut self) -> io::Result<()> {
        let history = self.history;
        for ((broker, registration), release) in (0u32..).zip(&history.start.brokers).zip(&history.releases) {
            if let Some(registration) = registration {
                let version = (*release != Version::default()).then(|| release.name().into());
                let rack = registration.rack.map(|r| history.names.racks[r.index()].as_str().into());
                self.line(&Line::Broker { broker, rack, version })?;
            }
        }
        for (name, topic) in history.names.topics.iter().zip(&history.start.topics) {
            if let Some(topic) = topic {
                let replicas = topic.partitions.iter().map(|list| numbers(list)).collect();
                let (topic, id) = (name.as_str().into(), topic.id.to_string().into());
                self.line(&Line::Topic { topic, id, replicas })?;
            }
        }
        for pattern in &history.patterns {
            let topics = self.topics(&pattern.matches);
            self.line(&Line::Pattern { pattern: pattern.text.as_str().into(), topics })?;
        }
        Ok(())
    }

    fn people(&mut self) -> io::Result<()> {
        let history = self.history;
        for (name, group) in history.names.groups.iter().zip(&history.groups) {
            self.line(&Line::Group {
                group: name.as_str().into(),
                shard: group.shard.0,
                heartbeat_ms: group.heartbeat.0,
                session_ms: group.session.0,
                patience_ms: group.patience.0,
                rack_aware: group.rack_aware,
                stands: group.stands,
                stored: group.stored,
                epoch: group.epoch,
                protocol: (group.kind != GroupKind::Consumer).then(|| group.kind.name().into()),
            })?;
            let first = group.first_member.index();
            for index in first..first + group.members as usize {
                let member = &history.members[index];
                let (topics, pattern) = self.subscription(member.subscription);
                self.line(&Line::Member {
                    group: name.as_str().into(),
                    member: history.names.members.get(index),
                    standing: member.standing,
                    is_static: member.is_static,
                    rack: member.rack.map(|r| history.names.racks[r.index()].as_str().into()),
                    topics,
                    pattern,
                })?;
            }
        }
        for presence in history.presences.iter() {
            let (group, member) = self.who(presence.member);
            let (first_ms, until_ms) = (presence.first.0, until(presence.until));
            self.line(&Line::Presence { group, member, first_ms, until_ms })?;
        }
        Ok(())
    }

    fn happenings(&mut self) -> io::Result<()> {
        let history = self.history;
        for (shard, line) in (0u32..).zip(&history.shards) {
            let down_ms = line.down.iter().map(|(from, to)| (from.0, until(*to))).collect();
            let leaders = line.leaders.iter().map(|(from, leader)| (from.0, leader.map(|b| b.0))).collect();
            self.line(&Line::Shard { shard, down_ms, leaders })?;
        }
        for event in &history.events {
            let line = self.event(event);
            self.line(&line)?;
        }
        for refused in &history.refused {
            let (group, member) = self.who(refused.member);
            self.line(&Line::Refused { at_ms: refused.at.0, group, member, heartbeat: refused.heartbeat })?;
        }
        for note in &history.notes {
            self.line(&Line::Note { text: note.as_str().into() })?;
        }
        Ok(())
    }

    fn topics(&self, ids: &[TopicId]) -> Vec<Text<'w>> {
        ids.iter().map(|id| self.history.names.topics[id.index()].as_str().into()).collect()
    }

    fn entry(&self, entry: EntryIndex) -> Text<'w> {
        self.history.names.entries[entry as usize].as_str().into()
    }

    fn who(&self, member: MemberId) -> (Text<'w>, Text<'w>) {
        let group = self.history.members[member.index()].group;
        let names = &self.history.names;
        (names.groups[group.index()].as_str().into(), names.members.get(member.index()))
    }

    fn subscription(&self, id: SubscriptionId) -> (Vec<Text<'w>>, Option<Text<'w>>) {
        let subscription = &self.history.subscriptions[id.index()];
        let pattern = subscription.pattern.map(|p| self.history.patterns[p.index()].text.as_str().into());
        (self.topics(&subscription.names), pattern)
    }

    fn event(&self, event: &Event) -> Line<'w> {
        let entry = event.entry.map(|e| self.entry(e));
        let (mut shard, mut load_ms, mut group, mut member, mut topics, mut pattern) =
            (None, None, None, None, None, None);
        let (step, what, who) = match (step_word(event.step), event.what) {
            (_, Happening::Delta(index)) => return self.delta(event, entry, index),
            (None, _) => unreachable!("only deltas come in their step"),
            (Some(step), what) => {
                let (word, who) = word(what);
                (step, word, who)
            }
        };
        match event.what {
            Happening::ShardDown(id) => shard = Some(id.0),
            Happening::ShardUp { shard: id, load } => (shard, load_ms) = (Some(id.0), Some(load.0)),
            Happening::GroupGone(id) => group = Some(self.history.names.groups[id.index()].as_str().into()),
            Happening::Subscribe(_, subscription) => {
                let (names, text) = self.subscription(subscription);
                (topics, pattern) = (Some(names), text);
            }
            Happening::Delta(_)
            | Happening::Join(_)
            | Happening::Leave(_)
            | Happening::Expire(_)
            | Happening::Silent(_)
            | Happening::Away(_)
            | Happening::Back(_) => {}
        }
        if let Some(who) = who {
            let (of, name) = self.who(who);
            (group, member) = (Some(of), Some(name));
        }
        Line::Event { at_ms: event.at.0, step, what, entry, shard, load_ms, group, member, topics, pattern }
    }

    fn delta(&self, event: &Event, entry: Option<Text<'w>>, index: u32) -> Line<'w> {
        let delta = &self.history.deltas[index as usize].delta;
        let topics = delta.topics.iter().map(|change| self.topic_change(change)).collect();
        let brokers = delta.brokers.iter().map(|change| self.broker_change(change)).collect();
        Line::Delta { at_ms: event.at.0, entry, topics, brokers }
    }

    fn topic_change(&self, change: &TopicChange) -> TopicLine<'w> {
        let none: &[PartitionChange] = &[];
        let (event, id, partitions) = match &change.event {
            TopicEvent::Deleted => (TopicWord::Deleted, None, none),
            TopicEvent::Created { id, partitions } => {
                (TopicWord::Created, Some(id.to_string().into()), &partitions[..])
            }
            TopicEvent::Changed { partitions } => (TopicWord::Changed, None, &partitions[..]),
        };
        let partition = |p: &PartitionChange| PartitionLine {
            partition: p.partition,
            replicas: numbers(&p.replicas),
            isr: numbers(&p.isr),
            leader: p.leader.map(|b| b.0),
            adding: numbers(&p.adding),
            removing: numbers(&p.removing),
        };
        TopicLine {
            topic: self.history.names.topics[change.topic.index()].as_str().into(),
            entry: self.entry(change.entry),
            event,
            id,
            partitions: partitions.iter().map(partition).collect(),
        }
    }

    fn broker_change(&self, change: &BrokerChange) -> BrokerLine<'w> {
        let (mut rack, mut version, mut in_sync_after_ms) = (None, None, None);
        let event = match change.event {
            BrokerEvent::Registered { rack: r, version: v, in_sync_after } => {
                rack = r.map(|r| self.history.names.racks[r.index()].as_str().into());
                (version, in_sync_after_ms) = (Some(v.name().into()), Some(in_sync_after.0));
                BrokerWord::Registered
            }
            BrokerEvent::Unregistered => BrokerWord::Unregistered,
            BrokerEvent::Fenced => BrokerWord::Fenced,
            BrokerEvent::Unfenced => BrokerWord::Unfenced,
        };
        BrokerLine { broker: change.broker.0, entry: self.entry(change.entry), event, rack, version, in_sync_after_ms }
    }
}

const fn step_word(step: Step) -> Option<StepWord> {
    match step {
        Step::Delta => None,
        Step::LoadEnd => Some(StepWord::LoadEnd),
        Step::Failover => Some(StepWord::Failover),
        Step::Expiry => Some(StepWord::Expiry),
        Step::Member => Some(StepWord::Member),
        Step::Heartbeat => Some(StepWord::Heartbeat),
    }
}

/// The word for a happening, and the member that it is about.
fn word(what: Happening) -> (What, Option<MemberId>) {
    match what {
        Happening::Delta(_) => unreachable!("a delta has a line of its own"),
        Happening::ShardDown(_) => (What::ShardDown, None),
        Happening::ShardUp { .. } => (What::ShardUp, None),
        Happening::Join(m) => (What::Join, Some(m)),
        Happening::Leave(m) => (What::Leave, Some(m)),
        Happening::Expire(m) => (What::Expire, Some(m)),
        Happening::Silent(m) => (What::Silent, Some(m)),
        Happening::Away(m) => (What::Away, Some(m)),
        Happening::Back(m) => (What::Back, Some(m)),
        Happening::Subscribe(m, _) => (What::Subscribe, Some(m)),
        Happening::GroupGone(_) => (What::GroupGone, None),
    }
}
