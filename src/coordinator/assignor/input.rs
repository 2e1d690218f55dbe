//! What an assignor reads and what it says.

use std::collections::{BTreeMap, BTreeSet};

use thiserror::Error;

use crate::kafka::Uuid;

use super::claims;

/// A partition of the topic with that index in [`Input::topics`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TopicPartition {
    /// Index of the topic.
    pub topic: usize,
    /// Number of the partition.
    pub partition: usize,
}

/// Where a partition is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The broker that leads it.
    pub leader: u32,
    /// The racks of its replicas; empty: none has one.
    pub racks: Vec<String>,
}

/// A topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topic {
    /// Its name.
    pub name: String,
    /// Its id.
    pub id: Uuid,
    /// Its partitions by number.
    pub partitions: Vec<Place>,
}

/// A member.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Member {
    /// Its id.
    pub id: String,
    /// `group.instance.id` of a static one.
    pub instance: Option<String>,
    /// `client.rack`.
    pub rack: Option<String>,
    /// Names of the topics that it subscribes to.
    pub topics: BTreeSet<String>,
    /// Streams, for the assignors of the ZooKeeper era; from 1.
    pub threads: u32,
    /// Streams of those topics that have another number of them.
    pub threads_of: BTreeMap<String, u32>,
    /// What it owned so far, by the topic's name and the partition. What is not there any more is left out.
    pub owned: BTreeSet<(String, usize)>,
    /// The generation that it owned that in.
    pub generation: i32,
}

/// Who owns what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// Index of the member in [`Input::members`].
    pub member: usize,
    /// The thread, where the assignor deals to threads.
    pub thread: Option<u32>,
    /// Its partitions in ascending order.
    pub partitions: Vec<TopicPartition>,
}

/// Why there is no assignment.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AssignError {
    /// Two of one name.
    #[error("{0} stands twice")]
    Twice(String),
    /// A subscription to nothing.
    #[error("member {member} subscribes to topic {topic}, which is not there")]
    NoSuchTopic {
        /// Who.
        member: String,
        /// To what.
        topic: String,
    },
    /// A member without a stream.
    #[error("member {0} has no thread: a member has at least one")]
    NoThread(String),
    /// Not everybody subscribes to the same.
    #[error("{assignor} wants every member to subscribe to the same topics: {one} and {other} do not")]
    Unequal {
        /// Who wants.
        assignor: &'static str,
        /// A member.
        one: String,
        /// One that differs from it.
        other: String,
    },
    /// Not as many streams for each topic.
    #[error("{assignor} wants a member to have as many threads for every topic: {member} has {} for {} and {} for {}", one.1, one.0, other.1, other.0)]
    UnequalThreads {
        /// Who wants.
        assignor: &'static str,
        /// Whose.
        member: String,
        /// A topic and its threads.
        one: (String, u32),
        /// A topic that differs from it.
        other: (String, u32),
    },
}

impl AssignError {
    /// The members that it is about.
    #[must_use]
    pub fn members(&self) -> Vec<&str> {
        match self {
            AssignError::Twice(_) => Vec::new(),
            AssignError::NoSuchTopic { member, .. }
            | AssignError::NoThread(member)
            | AssignError::UnequalThreads { member, .. } => vec![member],
            AssignError::Unequal { one, other, .. } => vec![one, other],
        }
    }
}

/// A group in an order of its own: members by id, topics by name.
#[derive(Clone, Debug)]
pub struct Input {
    members: Vec<Member>,
    topics: Vec<Topic>,
    subscribed: Vec<Vec<usize>>,
    subscribers: Vec<Vec<usize>>,
    owned: Vec<Vec<TopicPartition>>,
    disputed: BTreeSet<TopicPartition>,
    ranked: Vec<usize>,
}

impl Input {
    /// From members and topics in any order.
    ///
    /// # Errors
    /// Something stands twice, a topic is not there, a member has no thread.
    pub fn new(mut members: Vec<Member>, mut topics: Vec<Topic>) -> Result<Input, AssignError> {
        members.sort_by(|a, b| a.id.cmp(&b.id));
        topics.sort_by(|a, b| a.name.cmp(&b.name));
        if let Some(pair) = members.windows(2).find(|pair| pair[0].id == pair[1].id) {
            return Err(AssignError::Twice(format!("member {}", pair[0].id)));
        }
        if let Some(pair) = topics.windows(2).find(|pair| pair[0].name == pair[1].name) {
            return Err(AssignError::Twice(format!("topic {}", pair[0].name)));
        }
        let find = |name: &str| topics.binary_search_by(|topic| topic.name.as_str().cmp(name)).ok();
        let mut subscribers = vec![Vec::new(); topics.len()];
        let mut subscribed = Vec::with_capacity(members.len());
        for (index, member) in members.iter().enumerate() {
            if member.threads == 0 || member.threads_of.values().any(|threads| *threads == 0) {
                return Err(AssignError::NoThread(member.id.clone()));
            }
            let mut own = Vec::with_capacity(member.topics.len());
            for name in &member.topics {
                let missing = || AssignError::NoSuchTopic { member: member.id.clone(), topic: name.clone() };
                let topic = find(name).ok_or_else(missing)?;
                own.push(topic);
                subscribers[topic].push(index);
            }
            subscribed.push(own);
        }
        let (owned, disputed) = claims::valid_owned(&members, &topics, &subscribed);
        let mut ranked: Vec<usize> = (0..members.len()).collect();
        ranked.sort_by_key(|&m| (members[m].instance.is_none(), members[m].instance.clone(), m));
        Ok(Input { members, topics, subscribed, subscribers, owned, disputed, ranked })
    }

    /// The members, by id.
    #[must_use]
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The topics, by name.
    #[must_use]
    pub fn topics(&self) -> &[Topic] {
        &self.topics
    }

    /// The topics that a member subscribes to.
    #[must_use]
    pub fn subscribed(&self, member: usize) -> &[usize] {
        &self.subscribed[member]
    }

    /// Who subscribes to a topic, by id.
    #[must_use]
    pub fn subscribers(&self, topic: usize) -> &[usize] {
        &self.subscribers[topic]
    }

    /// What a member owned and may keep: subscribed, still there, and no newer or equal claim of another on it.
    #[must_use]
    pub fn owned(&self, member: usize) -> &[TopicPartition] {
        &self.owned[member]
    }

    /// Do two of one generation say that they owned it? Then neither did.
    pub(super) fn is_disputed(&self, tp: TopicPartition) -> bool {
        self.disputed.contains(&tp)
    }

    /// Every partition of a topic that somebody subscribes to, by topic and number.
    pub fn partitions(&self) -> impl Iterator<Item = TopicPartition> + '_ {
        let topics = self.topics.iter().enumerate().filter(|(t, _)| !self.subscribers[*t].is_empty());
        topics.flat_map(|(topic, t)| (0..t.partitions.len()).map(move |partition| TopicPartition { topic, partition }))
    }

    /// Where a partition is.
    #[must_use]
    pub fn place(&self, tp: TopicPartition) -> &Place {
        &self.topics[tp.topic].partitions[tp.partition]
    }

    /// Has the partition a replica in the member's rack?
    #[must_use]
    pub fn local(&self, member: usize, tp: TopicPartition) -> bool {
        self.members[member].rack.as_ref().is_some_and(|rack| self.place(tp).racks.contains(rack))
    }

    /// The streams that a member has for a topic.
    pub(super) fn threads(&self, member: usize, topic: usize) -> u32 {
        let m = &self.members[member];
        m.threads_of.get(&self.topics[topic].name).copied().unwrap_or(m.threads)
    }

    /// Members as Kafka's assignors sort them: static ones by instance id, then dynamic ones by member id.
    pub(super) fn ranked(&self) -> &[usize] {
        &self.ranked
    }

    /// Two members that do not subscribe to the same, if there are.
    pub(super) fn unequal(&self) -> Option<(usize, usize)> {
        (1..self.members.len()).find(|&m| self.subscribed[m] != self.subscribed[0]).map(|m| (0, m))
    }

    /// [`AssignError::Unequal`] unless all subscribe to the same.
    pub(super) fn demand_equal(&self, assignor: &'static str) -> Result<(), AssignError> {
        let name = |m: usize| self.members[m].id.clone();
        match self.unequal() {
            Some((one, other)) => Err(AssignError::Unequal { assignor, one: name(one), other: name(other) }),
            None => Ok(()),
        }
    }

    /// [`AssignError::UnequalThreads`] unless each has as many streams for all of its topics.
    pub(super) fn demand_equal_threads(&self, assignor: &'static str) -> Result<(), AssignError> {
        for (member, own) in self.subscribed.iter().enumerate() {
            let said = |topic: usize| (self.topics[topic].name.clone(), self.threads(member, topic));
            let other = own.iter().find(|&&topic| self.threads(member, topic) != self.threads(member, own[0]));
            if let Some(&other) = other {
                let member = self.members[member].id.clone();
                return Err(AssignError::UnequalThreads { assignor, member, one: said(own[0]), other: said(other) });
            }
        }
        Ok(())
    }

    /// As rows.
    pub(super) fn owners(&self, by_member: Vec<Vec<TopicPartition>>) -> Vec<Owner> {
        debug_assert_eq!(by_member.len(), self.members.len());
        let row = |(member, mut partitions): (usize, Vec<TopicPartition>)| {
            partitions.sort_unstable();
            Owner { member, thread: None, partitions }
        };
        by_member.into_iter().enumerate().map(row).collect()
    }

    /// The racks that members are in.
    pub(super) fn racks_of(&self, members: &[usize]) -> BTreeSet<&String> {
        members.iter().filter_map(|&m| self.members[m].rack.as_ref()).collect()
    }

    /// KIP-881's condition: one of the members' own racks is among the partitions', and not every partition is everywhere.
    pub(super) fn racks_matter(&self, topics: &[usize], own: &BTreeSet<&String>) -> bool {
        let places = || topics.iter().flat_map(|&t| &self.topics[t].partitions);
        let all: BTreeSet<&String> = places().flat_map(|place| &place.racks).collect();
        let everywhere = || places().all(|place| place.racks.iter().collect::<BTreeSet<_>>().len() == all.len());
        !own.is_disjoint(&all) && !everywhere()
    }
}
