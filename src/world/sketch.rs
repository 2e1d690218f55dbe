//! Small histories by hand, for tests of what replays them: brokers with racks, topics with replica lists,
//! groups whose members stand, and deltas written down.

use crate::kafka::{
    BrokerChange, BrokerEvent, BrokerId, EntryIndex, GroupId, MemberId, MetadataDelta, MetadataImage, PartitionChange,
    Pattern, RackId, Registration, Replicas, ShardId, Subscription, SubscriptionId, TopicChange, TopicEvent, TopicId,
    TopicImage, Uuid, Version,
};
use crate::scenario::{Scenario, load_text};
use crate::sim::Ms;

use super::{
    Arrival, Event, GroupHistory, Happening, History, MemberHistory, Members, Names, Presence, Presences, ShardLine,
    Step,
};

/// Replica lists of a topic's partitions.
pub(crate) type Lists<'a> = &'a [&'a [u32]];

/// A history in the making.
pub(crate) struct Sketch(pub(crate) History);

impl Sketch {
    /// Brokers 0.. with these racks (names of one letter, in order), topics in natural order of names.
    pub(crate) fn new(duration: u64, racks: &[&str], topics: &[(&str, Lists<'_>)]) -> Sketch {
        let mut names: Vec<String> = racks.iter().map(|r| (*r).to_owned()).collect();
        names.extend(["x", "y", "z"].map(String::from));
        names.sort();
        names.dedup();
        let rack = |name: &str| RackId::at(names.iter().position(|n| n == name).unwrap());
        let start = MetadataImage {
            topics: topics
                .iter()
                .enumerate()
                .map(|(i, (_, lists))| {
                    let partitions: Vec<Replicas> = lists.iter().map(|l| replicas(l)).collect();
                    let id = Uuid { msb: 1, lsb: i as u64 };
                    (!partitions.is_empty()).then_some(TopicImage { id, partitions })
                })
                .collect(),
            brokers: racks.iter().map(|r| Some(Registration { rack: Some(rack(r)) })).collect(),
        };
        Sketch(History {
            names: Names {
                topics: topics.iter().map(|(name, _)| (*name).to_owned()).collect(),
                racks: names,
                entries: (0..9).map(|i| format!("entry-{i}")).collect(),
                ..Names::default()
            },
            duration: Ms(duration),
            releases: vec![Version::default(); start.brokers.len()],
            start,
            subscriptions: vec![],
            patterns: vec![],
            groups: vec![],
            members: Members::default(),
            presences: Presences::new(Ms(duration)),
            deltas: vec![],
            events: vec![],
            shards: vec![ShardLine::default()],
            refused: vec![],
            notes: vec![],
            id: String::new(),
        })
    }

    /// A rack's id.
    pub(crate) fn rack(&self, name: &str) -> RackId {
        RackId::at(self.0.names.racks.iter().position(|n| n == name).unwrap())
    }

    /// A group on shard 0: members with these phases, heartbeat 5 s, subscribed to these topics.
    pub(crate) fn group(mut self, name: &str, topics: &[u32], phases: &[u64]) -> Sketch {
        let names = topics.iter().map(|t| TopicId(*t)).collect();
        self.add_group(name, Subscription { names, pattern: None }, phases);
        self
    }

    /// The same, with a pattern that matches these topics.
    pub(crate) fn pattern_group(mut self, name: &str, matches: &[u32], phases: &[u64]) -> Sketch {
        let matches = matches.iter().map(|t| TopicId(*t)).collect();
        self.0.patterns.push(Pattern { text: "t.*".into(), matches });
        let pattern = Some(crate::kafka::PatternId::at(self.0.patterns.len() - 1));
        self.add_group(name, Subscription { names: vec![], pattern }, phases);
        self
    }

    fn add_group(&mut self, name: &str, subscription: Subscription, phases: &[u64]) {
        let history = &mut self.0;
        history.subscriptions.push(subscription);
        let subscription = SubscriptionId::at(history.subscriptions.len() - 1);
        let group = GroupId::at(history.groups.len());
        history.groups.push(GroupHistory {
            shard: ShardId(0),
            first_member: MemberId::at(history.members.len()),
            members: u32::try_from(phases.len()).unwrap(),
            heartbeat: Ms::secs(5),
            session: Ms::secs(45),
            rack_aware: true,
            patience: Ms::secs(5),
            stands: true,
            stored: true,
            epoch: 1,
            kind: crate::kafka::GroupKind::Consumer,
        });
        history.names.groups.push(name.to_owned());
        for (i, phase) in phases.iter().enumerate() {
            let member = MemberId::at(history.members.len());
            history.members.push(MemberHistory { group, standing: true, is_static: false, rack: None, subscription });
            history.names.members.push(&format!("m-{}", i + 1));
            history.presences.push(Presence { member, first: Ms(*phase), until: Ms::NEVER });
        }
    }

    /// A delta: topics' events and brokers' events, all of one entry.
    pub(crate) fn delta(
        mut self,
        at: u64,
        entry: EntryIndex,
        topics: Vec<(u32, TopicEvent)>,
        brokers: Vec<(u32, BrokerEvent)>,
    ) -> Sketch {
        let topic = |(t, event)| TopicChange { topic: TopicId(t), entry, event };
        let broker = |(b, event)| BrokerChange { broker: BrokerId(b), entry, event };
        let delta = MetadataDelta {
            topics: topics.into_iter().map(topic).collect(),
            brokers: brokers.into_iter().map(broker).collect(),
        };
        let index = u32::try_from(self.0.deltas.len()).unwrap();
        self.0.deltas.push(Arrival { at: Ms(at), delta });
        self.event(at, Step::Delta, Some(entry), Happening::Delta(index))
    }

    /// Any other event; they come in order.
    pub(crate) fn event(mut self, at: u64, step: Step, entry: Option<EntryIndex>, what: Happening) -> Sketch {
        self.0.events.push(Event { at: Ms(at), step, entry, what });
        self
    }

    /// Shard 0 is down in `[from, to)`.
    pub(crate) fn failover(mut self, from: u64, to: u64, entry: EntryIndex) -> Sketch {
        self.0.shards[0].down.push((Ms(from), Ms(to)));
        self.event(from, Step::Failover, Some(entry), Happening::ShardDown(ShardId(0)))
    }

    /// … and is active again.
    pub(crate) fn loaded(self, at: u64, load: u64, entry: EntryIndex) -> Sketch {
        let what = Happening::ShardUp { shard: ShardId(0), load: Ms(load) };
        self.event(at, Step::LoadEnd, Some(entry), what)
    }
}

/// A replica list.
pub(crate) fn replicas(list: &[u32]) -> Replicas {
    list.iter().map(|b| BrokerId(*b)).collect()
}

/// These partitions (number, replica list) of a topic are touched, grown or moved.
pub(crate) fn changed(partitions: &[(u32, &[u32])]) -> TopicEvent {
    TopicEvent::Changed { partitions: partitions.iter().map(|(p, list)| partition(*p, list)).collect() }
}

/// A topic with this id and these partitions.
pub(crate) fn created(id: u64, lists: Lists<'_>) -> TopicEvent {
    let partitions = (0..).zip(lists).map(|(p, list)| partition(p, list)).collect();
    TopicEvent::Created { id: Uuid { msb: 9, lsb: id }, partitions }
}

/// A broker registers with this rack.
pub(crate) fn registered(rack: Option<RackId>) -> BrokerEvent {
    BrokerEvent::Registered { rack, version: Version::Kafka4_1, in_sync_after: Ms::secs(32) }
}

fn partition(partition: u32, list: &[u32]) -> PartitionChange {
    let replicas = replicas(list);
    let leader = replicas.first().copied();
    PartitionChange {
        partition,
        isr: replicas.clone(),
        replicas,
        leader,
        adding: Replicas::new(),
        removing: Replicas::new(),
    }
}

/// A touch (entry 0) and a roll (entry 1) of two brokers of three, as a scenario and as the history of it.
pub(crate) fn touch_and_roll() -> (Scenario, Sketch) {
    let text = "
duration: 10m
brokers: 3
topics: {t: {}}
groups: {g: {topics: [t]}}
history:
  - touch: {at: 1m, topic: t}
  - roll: {at: 2m, brokers: [0, 1], gap: 1m, to: kafka-4.2}
";
    let scenario = load_text("s", text, &[]).unwrap_or_else(|e| panic!("{}", e.short())).scenario;
    let touched = || vec![(0, changed(&[(0, &[0, 1, 2])]))];
    let sketch = Sketch::new(600_000, &["a", "b", "c"], &[("t", &[&[0, 1, 2]])])
        .group("g", &[0], &[1_000])
        .delta(60_000, 0, touched(), vec![])
        .delta(120_000, 1, touched(), vec![(0, BrokerEvent::Fenced)])
        .delta(121_000, 1, touched(), vec![(0, BrokerEvent::Unfenced)])
        .delta(240_000, 1, touched(), vec![(1, BrokerEvent::Fenced)]);
    (scenario, sketch)
}
