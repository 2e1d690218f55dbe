//! A history, read back line by line. Every name must have been told before it is used.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::kafka::GroupKind;
use crate::kafka::{
    BrokerChange, BrokerEvent, BrokerId, GroupId, MemberId, MetadataDelta, MetadataImage, PartitionChange, Pattern,
    PatternId, RackId, Registration, Replicas, ShardId, Subscription, SubscriptionId, TopicChange, TopicEvent, TopicId,
    TopicImage, Uuid, Version,
};
use crate::sim::Ms;

use super::super::fingerprint;
use super::super::history::{
    Arrival, Event, GroupHistory, Happening, History, MemberHistory, Names, Presence, RefusedOperation, ShardLine, Step,
};
use super::super::members::{MemberNames, Members};
use super::super::presences::Presences;
use super::lines::{BrokerLine, BrokerWord, FORMAT, Line, PartitionLine, StepWord, Text, TopicLine, TopicWord, What};

/// A line that is no line of a history.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct JsonlError {
    /// From 1.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

type Told<T> = Result<T, String>;

/// Reads a history. Its id, where the header has one, must be that of its lines.
///
/// # Errors
/// At the first line that cannot be read.
pub fn read(text: &str) -> Result<History, JsonlError> {
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let parse = |number: usize, line: &str| {
        serde_json::from_str::<Line<'_>>(line).map_err(|e| JsonlError { line: number + 1, message: e.to_string() })
    };
    let (number, first) = lines.next().ok_or(JsonlError { line: 1, message: "there is no header".into() })?;
    let (mut reader, id) =
        Reader::new(parse(number, first)?).map_err(|message| JsonlError { line: number + 1, message })?;
    for (number, line) in lines {
        let parsed = parse(number, line)?;
        reader.take(parsed).map_err(|message| JsonlError { line: number + 1, message })?;
    }
    let history = reader.finish();
    match id {
        Some(id) if id != history.id => {
            let found = &history.id;
            let message = format!(
                "the header says that this is {id}, and its lines make it {found}; an edited history has `\"id\":null`"
            );
            Err(JsonlError { line: number + 1, message })
        }
        Some(_) | None => Ok(history),
    }
}

struct Reader {
    history: History,
    topics: FxHashMap<String, TopicId>,
    racks: FxHashMap<String, RackId>,
    groups: FxHashMap<String, GroupId>,
    entries: FxHashMap<String, u32>,
    members: FxHashMap<(GroupId, String), MemberId>,
    patterns: FxHashMap<String, PatternId>,
    /// Subscriptions by what they are; numbered in that order at the end.
    subscriptions: BTreeMap<Subscription, u32>,
    /// The last presence.
    present: Option<(MemberId, Ms)>,
}

fn numbered<T>(names: &[String], id: impl Fn(usize) -> T) -> FxHashMap<String, T> {
    names.iter().enumerate().map(|(i, name)| (name.clone(), id(i))).collect()
}

fn owned(names: Vec<Text<'_>>) -> Vec<String> {
    names.into_iter().map(Text::into_owned).collect()
}

fn replicas(list: Vec<u32>) -> Replicas {
    list.into_iter().map(BrokerId).collect()
}

fn uuid(text: &str) -> Told<Uuid> {
    let number = u128::from_str_radix(text, 16).map_err(|_| format!("`{text}` is no id"))?;
    let half = |n: u128| u64::try_from(n & u128::from(u64::MAX)).expect("64 bits");
    Ok(Uuid { msb: half(number >> 64), lsb: half(number) })
}

fn find<T: Copy>(map: &FxHashMap<String, T>, noun: &str, name: &str) -> Told<T> {
    map.get(name).copied().ok_or_else(|| format!("there is no {noun} `{name}`"))
}

fn release(name: &str) -> Told<Version> {
    let known = Version::ALL.into_iter().find(|version| version.name() == name);
    known.ok_or_else(|| format!("there is no release `{name}`"))
}

fn needed<T>(value: Option<T>, field: &str) -> Told<T> {
    value.ok_or_else(|| format!("`{field}` is missing"))
}

impl Reader {
    fn new(header: Line<'_>) -> Told<(Reader, Option<String>)> {
        let Line::Header { format, id, duration_ms, topics, racks, groups, entries } = header else {
            return Err("the first line is not the header".into());
        };
        if format != FORMAT {
            return Err(format!("the format is `{format}`, and `{FORMAT}` is what can be read"));
        }
        let names = Names {
            topics: owned(topics),
            racks: owned(racks),
            groups: owned(groups),
            members: MemberNames::default(),
            entries: owned(entries),
        };
        let reader = Reader {
            topics: numbered(&names.topics, TopicId::at),
            racks: numbered(&names.racks, RackId::at),
            groups: numbered(&names.groups, GroupId::at),
            entries: numbered(&names.entries, |i| TopicId::at(i).0),
            members: FxHashMap::default(),
            patterns: FxHashMap::default(),
            subscriptions: BTreeMap::new(),
            present: None,
            history: History {
                start: MetadataImage { topics: vec![None; names.topics.len()], brokers: Vec::new() },
                releases: Vec::new(),
                names,
                duration: Ms(duration_ms),
                subscriptions: Vec::new(),
                patterns: Vec::new(),
                groups: Vec::new(),
                members: Members::default(),
                presences: Presences::new(Ms(duration_ms)),
                deltas: Vec::new(),
                events: Vec::new(),
                shards: Vec::new(),
                refused: Vec::new(),
                notes: Vec::new(),
                id: String::new(),
            },
        };
        Ok((reader, id.map(Text::into_owned)))
    }

    fn take(&mut self, line: Line<'_>) -> Told<()> {
        match line {
            Line::Header { .. } => return Err("a second header".into()),
            Line::Broker { broker, rack, version } => {
                let rack = self.rack(rack)?;
                let version = version.map_or(Ok(Version::default()), |name| release(&name))?;
                let brokers = &mut self.history.start.brokers;
                let index = BrokerId(broker).index();
                if index != brokers.len() {
                    if index < brokers.len() {
                        return Err(format!("broker {broker} comes out of order"));
                    }
                    brokers.resize(index, None);
                }
                brokers.push(Some(Registration { rack }));
                let place = brokers.len();
                self.history.releases.resize(place - 1, Version::default());
                self.history.releases.push(version);
            }
            Line::Topic { topic, id, replicas: lists } => {
                let topic = self.topic(&topic)?;
                let partitions = lists.into_iter().map(replicas).collect();
                self.history.start.topics[topic.index()] = Some(TopicImage { id: uuid(&id)?, partitions });
            }
            Line::Pattern { pattern, topics } => {
                let matches = self.topic_ids(&topics)?;
                self.patterns.insert(pattern.to_string(), PatternId::at(self.history.patterns.len()));
                self.history.patterns.push(Pattern { text: pattern.into_owned(), matches });
            }
            line @ Line::Group { .. } => self.group(line)?,
            line @ Line::Member { .. } => self.member(line)?,
            Line::Presence { group, member, first_ms, until_ms } => {
                let member = self.who(&group, &member)?;
                let until = until_ms.map_or(Ms::NEVER, Ms);
                if self.present.replace((member, Ms(first_ms))).is_some_and(|last| last >= (member, Ms(first_ms))) {
                    return Err("presences come by member and time, and this one does not".into());
                }
                self.history.presences.push(Presence { member, first: Ms(first_ms), until });
            }
            Line::Shard { shard, down_ms, leaders } => {
                if shard as usize != self.history.shards.len() {
                    return Err(format!("shard {shard} comes out of order"));
                }
                let down = down_ms.into_iter().map(|(from, to)| (Ms(from), to.map_or(Ms::NEVER, Ms))).collect();
                let leaders = leaders.into_iter().map(|(from, leader)| (Ms(from), leader.map(BrokerId))).collect();
                self.history.shards.push(ShardLine { down, leaders });
            }
            Line::Delta { at_ms, entry, topics, brokers } => {
                let at = Ms(at_ms);
                let entry = self.entry(entry)?;
                let topics = topics.into_iter().map(|t| self.topic_change(t)).collect::<Told<Vec<_>>>()?;
                let brokers = brokers.into_iter().map(|b| self.broker_change(b)).collect::<Told<Vec<_>>>()?;
                let what = Happening::Delta(TopicId::at(self.history.deltas.len()).0);
                self.history.events.push(Event { at, step: Step::Delta, entry, what });
                self.history.deltas.push(Arrival { at, delta: MetadataDelta { topics, brokers } });
            }
            line @ Line::Event { .. } => self.event(line)?,
            Line::Refused { at_ms, group, member, heartbeat } => {
                let member = self.who(&group, &member)?;
                self.history.refused.push(RefusedOperation { at: Ms(at_ms), member, heartbeat });
            }
            Line::Note { text } => self.history.notes.push(text.into_owned()),
        }
        Ok(())
    }

    fn group(&mut self, line: Line<'_>) -> Told<()> {
        let Line::Group {
            group,
            shard,
            heartbeat_ms,
            session_ms,
            patience_ms,
            rack_aware,
            stands,
            stored,
            epoch,
            protocol,
        } = line
        else {
            return Ok(());
        };
        let kind = protocol.map(|word| GroupKind::by_name(&word).ok_or(format!("`{word}` is no protocol of a group")));
        let kind = kind.transpose()?.unwrap_or_default();
        if find(&self.groups, "group", &group)?.index() != self.history.groups.len() {
            return Err(format!("group {group} comes out of order"));
        }
        if heartbeat_ms == 0 {
            return Err("`heartbeat_ms` must be above 0".into());
        }
        self.history.groups.push(GroupHistory {
            shard: ShardId(shard),
            first_member: MemberId::at(self.history.members.len()),
            members: 0,
            heartbeat: Ms(heartbeat_ms),
            session: Ms(session_ms),
            rack_aware,
            patience: Ms(patience_ms),
            stands,
            stored,
            epoch,
            kind,
        });
        Ok(())
    }

    fn member(&mut self, line: Line<'_>) -> Told<()> {
        let Line::Member { group, member, standing, is_static, rack, topics, pattern } = line else {
            return Ok(());
        };
        let id = find(&self.groups, "group", &group)?;
        let rack = self.rack(rack)?;
        let subscription = self.subscription(&topics, pattern)?;
        let last = self.history.groups.len().checked_sub(1);
        if last != Some(id.index()) {
            return Err(format!("member {member} does not follow its group"));
        }
        self.history.groups[id.index()].members += 1;
        let number = MemberId::at(self.history.members.len());
        if self.members.insert((id, member.to_string()), number).is_some() {
            return Err(format!("group {group} has a second member `{member}`"));
        }
        self.history.names.members.push(&member);
        self.history.members.push(MemberHistory { group: id, standing, is_static, rack, subscription });
        Ok(())
    }

    fn event(&mut self, line: Line<'_>) -> Told<()> {
        let Line::Event { at_ms, step, what, entry, shard, load_ms, group, member, topics, pattern } = line else {
            return Ok(());
        };
        let entry = self.entry(entry)?;
        let shard = || needed(shard, "shard").map(ShardId);
        let who = match (&group, &member) {
            (Some(group), Some(member)) => Some(self.who(group, member)?),
            (None, _) | (_, None) => None,
        };
        let who = || needed(who, "group` or `member");
        let what = match what {
            What::ShardDown => Happening::ShardDown(shard()?),
            What::ShardUp => Happening::ShardUp { shard: shard()?, load: Ms(needed(load_ms, "load_ms")?) },
            What::Join => Happening::Join(who()?),
            What::Leave => Happening::Leave(who()?),
            What::Expire => Happening::Expire(who()?),
            What::Silent => Happening::Silent(who()?),
            What::Away => Happening::Away(who()?),
            What::Back => Happening::Back(who()?),
            What::Subscribe => {
                let who = who()?;
                let subscription = self.subscription(&needed(topics, "topics")?, pattern)?;
                Happening::Subscribe(who, subscription)
            }
            What::GroupGone => Happening::GroupGone(find(&self.groups, "group", &needed(group, "group")?)?),
        };
        let step = match step {
            StepWord::LoadEnd => Step::LoadEnd,
            StepWord::Failover => Step::Failover,
            StepWord::Expiry => Step::Expiry,
            StepWord::Member => Step::Member,
            StepWord::Heartbeat => Step::Heartbeat,
        };
        self.history.events.push(Event { at: Ms(at_ms), step, entry, what });
        Ok(())
    }

    fn topic(&self, name: &str) -> Told<TopicId> {
        find(&self.topics, "topic", name)
    }

    fn topic_ids(&self, names: &[Text<'_>]) -> Told<Vec<TopicId>> {
        names.iter().map(|name| self.topic(name)).collect()
    }

    fn rack(&self, name: Option<Text<'_>>) -> Told<Option<RackId>> {
        name.map(|name| find(&self.racks, "rack", &name)).transpose()
    }

    fn entry(&self, name: Option<Text<'_>>) -> Told<Option<u32>> {
        name.map(|name| find(&self.entries, "entry", &name)).transpose()
    }

    fn who(&self, group: &str, member: &str) -> Told<MemberId> {
        let id = find(&self.groups, "group", group)?;
        let found = self.members.get(&(id, member.to_owned())).copied();
        found.ok_or_else(|| format!("group {group} has no member `{member}`"))
    }

    fn subscription(&mut self, topics: &[Text<'_>], pattern: Option<Text<'_>>) -> Told<SubscriptionId> {
        let names = self.topic_ids(topics)?;
        let pattern = pattern.map(|text| find(&self.patterns, "pattern", &text)).transpose()?;
        let next = TopicId::at(self.subscriptions.len()).0;
        Ok(SubscriptionId(*self.subscriptions.entry(Subscription { names, pattern }).or_insert(next)))
    }

    fn topic_change(&self, line: TopicLine<'_>) -> Told<TopicChange> {
        let partitions = line.partitions.into_iter().map(partition).collect();
        let event = match line.event {
            TopicWord::Deleted => TopicEvent::Deleted,
            TopicWord::Created => TopicEvent::Created { id: uuid(&needed(line.id, "id")?)?, partitions },
            TopicWord::Changed => TopicEvent::Changed { partitions },
        };
        Ok(TopicChange { topic: self.topic(&line.topic)?, entry: find(&self.entries, "entry", &line.entry)?, event })
    }

    fn broker_change(&self, line: BrokerLine<'_>) -> Told<BrokerChange> {
        let event = match line.event {
            BrokerWord::Registered => {
                let version = release(&needed(line.version, "version")?)?;
                let in_sync_after = Ms(needed(line.in_sync_after_ms, "in_sync_after_ms")?);
                BrokerEvent::Registered { rack: self.rack(line.rack)?, version, in_sync_after }
            }
            BrokerWord::Unregistered => BrokerEvent::Unregistered,
            BrokerWord::Fenced => BrokerEvent::Fenced,
            BrokerWord::Unfenced => BrokerEvent::Unfenced,
        };
        let entry = find(&self.entries, "entry", &line.entry)?;
        Ok(BrokerChange { broker: BrokerId(line.broker), entry, event })
    }

    /// Subscriptions get their ids in order; then the history has its own.
    fn finish(self) -> History {
        let Reader { mut history, subscriptions, .. } = self;
        let mut numbers = vec![SubscriptionId(0); subscriptions.len()];
        for (place, (subscription, number)) in subscriptions.into_iter().enumerate() {
            numbers[number as usize] = SubscriptionId::at(place);
            history.subscriptions.push(subscription);
        }
        history.members.renumber(|old| numbers[old.index()]);
        for event in &mut history.events {
            if let Happening::Subscribe(member, old) = event.what {
                event.what = Happening::Subscribe(member, numbers[old.index()]);
            }
        }
        history.id = fingerprint::of(&history);
        history
    }
}

fn partition(line: PartitionLine) -> PartitionChange {
    PartitionChange {
        partition: line.partition,
        replicas: replicas(line.replicas),
        isr: replicas(line.isr),
        leader: line.leader.map(BrokerId),
        adding: replicas(line.adding),
        removing: replicas(line.removing),
    }
}
