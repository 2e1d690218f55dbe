//! Scenarios for unit tests, with the language's defaults: six brokers in three racks, one topic, one group.

use std::sync::Arc;

use crate::kafka::{BrokerId, GroupKind, Version};
use crate::scenario::{
    Broker, Cluster, Coordinators, Entry, Group, GroupSpec, IsrDeltas, LoadTime, Members, Phase, Pick, Place, Scenario,
    Span, Start, StartHow, Topic, TopicPick, Verb, When, Word,
};
use crate::sim::{Ms, natural_cmp};

use super::history::History;
use super::make::make;

/// A scenario under construction.
#[derive(Clone, Debug)]
pub(crate) struct Build(pub(crate) Scenario);

/// Six brokers, racks `a b c` in turn, and nothing else; one hour.
pub(crate) fn cluster() -> Build {
    cluster_of(6)
}

/// So many brokers, racks `a b c` in turn.
pub(crate) fn cluster_of(brokers: u32) -> Build {
    let rack = |id: u32| Some(["a", "b", "c"][id as usize % 3].to_owned());
    let broker = |id| Broker { id: BrokerId(id), rack: rack(id), version: Version::default() };
    let start = Start {
        unfence: Span::just(Ms::secs(2)),
        catch_up: Span::just(Ms::secs(30)),
        isr_deltas: IsrDeltas::PerLeader,
    };
    Build(Scenario {
        name: "test".into(),
        seed: 1,
        runs: 1,
        duration: Ms::secs(3600),
        warmup: Ms::ZERO,
        bucket: Ms::secs(60),
        cluster: Cluster {
            version: Version::default(),
            metadata_lag: Span::just(Ms::ZERO),
            session: Ms::secs(9),
            coordinators: Coordinators::Brokers,
            offsets_partitions: 50,
            offsets_replicas: None,
            load_time: LoadTime::Fixed(Ms::secs(1)),
            leader_rebalance: Some(Ms::secs(300)),
            retention: Ms::secs(7 * 86_400),
            message_max_bytes: 1_048_588,
            share_init: Ms(100),
            assignment_interval: None,
            initial_delay: Ms::ZERO,
            start,
        },
        brokers: (0..brokers).map(broker).collect(),
        topics: Vec::new(),
        groups: Vec::new(),
        history: Vec::new(),
        strategies: Vec::new(),
    })
}

impl Build {
    /// A topic of drawn placement.
    pub(crate) fn topic(mut self, name: &str, partitions: u32, rf: u32) -> Build {
        self.0.topics.push(topic(name, Place::Drawn { partitions: Span::just(partitions), rf }));
        self.sorted()
    }

    /// A topic with exactly these replicas.
    pub(crate) fn placed(mut self, name: &str, replicas: &[&[u32]]) -> Build {
        self.0.topics.push(topic(name, exactly(replicas)));
        self.sorted()
    }

    /// A standing group of unnamed members that subscribe to these topics.
    pub(crate) fn group(mut self, name: &str, members: u32, topics: &[&str]) -> Build {
        self.0.groups.push(group(name, members, topics));
        self.sorted()
    }

    /// Changes the group that was added last (of this name).
    pub(crate) fn with_group(mut self, name: &str, change: impl FnOnce(&mut Group)) -> Build {
        let found = self.0.groups.iter_mut().find(|g| g.name == name);
        change(found.expect("it was added"));
        self
    }

    /// Changes anything.
    pub(crate) fn with(mut self, change: impl FnOnce(&mut Scenario)) -> Build {
        change(&mut self.0);
        self
    }

    /// Shards that live on no broker.
    pub(crate) fn apart(self) -> Build {
        self.with(|s| s.cluster.coordinators = Coordinators::Apart)
    }

    /// An entry at a second of the run.
    pub(crate) fn at(self, second: u64, name: &str, verb: Verb) -> Build {
        self.entry(name, When::At(vec![Ms::secs(second)]), verb)
    }

    /// Any entry.
    pub(crate) fn entry(mut self, name: &str, when: When, verb: Verb) -> Build {
        self.0.history.push(Entry { name: name.into(), when, over: Ms::ZERO, verb, at: 0..0 });
        self
    }

    /// The history of run 1.
    pub(crate) fn make(&self) -> History {
        make(&self.0, 1).unwrap_or_else(|e| panic!("{e}"))
    }

    fn sorted(mut self) -> Build {
        self.0.topics.sort_by(|a, b| natural_cmp(&a.name, &b.name));
        self.0.groups.sort_by(|a, b| natural_cmp(&a.name, &b.name));
        self
    }
}

fn topic(name: &str, place: Place) -> Topic {
    let family = name.rsplit_once('-').map(|(family, _)| family.to_owned());
    Topic { name: name.into(), family, id: None, place }
}

pub(crate) fn exactly(replicas: &[&[u32]]) -> Place {
    Place::Exact(lists(replicas))
}

pub(crate) fn lists(replicas: &[&[u32]]) -> Vec<Vec<BrokerId>> {
    replicas.iter().map(|list| list.iter().copied().map(BrokerId).collect()).collect()
}

fn group(name: &str, members: u32, topics: &[&str]) -> Group {
    let spec = GroupSpec {
        members: Members::Count(Span::just(members)),
        topics: TopicPick::These(topics.iter().map(|t| (*t).to_owned()).collect()),
        pattern: None,
        heartbeat: Span::just(Ms::secs(5)),
        session: Span::just(Ms::secs(45)),
        phase: Phase::Drawn,
        is_static: false,
        rack_aware: true,
        patience: None,
        assignor: None,
        kind: GroupKind::Consumer,
        internal: Arc::default(),
        standing: true,
        stored: true,
        epoch: 1,
        racks: ["a", "b", "c"].map(|r| Some(r.to_owned())).to_vec().into(),
    };
    let family = name.rsplit_once('-').map(|(family, _)| family.into());
    Group { name: name.into(), family, spec: Arc::new(spec) }
}

/// One thing by its own name.
pub(crate) fn named(name: &str) -> Pick {
    Pick::These(vec![Word::Name(name.into())])
}

/// A clean stop, and a start after `down` seconds.
pub(crate) fn restart(broker: u32, down: u64) -> Verb {
    let brokers = named(&broker.to_string());
    Verb::Restart { brokers, down: Span::just(Ms::secs(down)), how: StartHow::default() }
}
