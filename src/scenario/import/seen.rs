//! What the files say of a cluster, whichever tool says it. Two files may say the same; where they contradict each
//! other about something that lasts (a replica list, a rack), that is a problem.

use std::collections::{BTreeMap, BTreeSet};

use super::super::diagnostics::{At, Problems};
pub(super) use crate::kafka::GroupKind;

/// All that is seen.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) brokers: BTreeMap<u32, SeenBroker>,
    pub(super) topics: BTreeMap<String, SeenTopic>,
    pub(super) groups: BTreeMap<String, SeenGroup>,
    /// `metadata.version` that a broker's software supports at most, such as `4.1-IV1`.
    pub(super) supported: Option<String>,
    /// Was some list of groups, or table of them, there at all?
    pub(super) any_groups: bool,
    /// Was some description of topics there at all?
    pub(super) any_topics: bool,
}

/// A broker that some tool lists.
#[derive(Debug)]
pub(super) struct SeenBroker {
    pub(super) at: At,
    /// `None`: nothing says; `Some(None)`: it has none.
    pub(super) rack: Option<Option<String>>,
    /// Does it say that it is fenced?
    pub(super) fenced: bool,
    /// Did it fail to answer?
    pub(super) silent: bool,
    /// The APIs that it offers, as printed.
    pub(super) apis: Option<Vec<String>>,
}

/// A topic that some tool describes.
#[derive(Debug)]
pub(super) struct SeenTopic {
    pub(super) at: At,
    pub(super) id: Option<String>,
    /// How many partitions it is said to have.
    pub(super) promised: Option<u32>,
    pub(super) partitions: BTreeMap<u32, SeenPartition>,
    /// Could a line of it not be read?
    pub(super) broken: bool,
}

/// A partition.
#[derive(Debug)]
pub(super) struct SeenPartition {
    pub(super) at: At,
    /// `None`: it has no leader now.
    pub(super) leader: Option<u32>,
    pub(super) replicas: Vec<u32>,
    pub(super) isr: Vec<u32>,
    /// Is a reassignment of it under way?
    pub(super) moving: bool,
}

/// Topics, each with the greatest partition seen.
pub(super) type Topics = BTreeMap<String, u32>;

/// A group that some tool lists or describes.
#[derive(Debug, Default)]
pub(super) struct SeenGroup {
    /// As a list says it.
    pub(super) kind: Option<GroupKind>,
    /// As the columns of its members' table show it.
    pub(super) shown_kind: Option<GroupKind>,
    /// `Empty`, `Stable` …
    pub(super) state: Option<String>,
    /// The assignor's name.
    pub(super) strategy: Option<String>,
    pub(super) coordinator: Option<u32>,
    /// `#MEMBERS` of its state.
    pub(super) counted: Option<u32>,
    /// Its members by id, if some table lists them.
    pub(super) members: Option<BTreeMap<String, SeenMember>>,
    /// Assigned partitions are printed without their topics, as 3.9 does.
    pub(super) nameless: bool,
    /// Topics assigned to a member by the table of offsets, and those members.
    pub(super) consumed: Topics,
    pub(super) consumers: BTreeSet<String>,
    /// Topics with committed offsets and nobody behind them.
    pub(super) committed: Topics,
}

/// A member.
#[derive(Debug, Default)]
pub(super) struct SeenMember {
    pub(super) is_static: bool,
    pub(super) topics: Topics,
}

/// Adds a partition of a topic.
pub(super) fn add_topic(topics: &mut Topics, topic: &str, partition: u32) {
    match topics.get_mut(topic) {
        Some(greatest) => *greatest = partition.max(*greatest),
        None => {
            topics.insert(topic.to_owned(), partition);
        }
    }
}

impl Seen {
    /// The group of a name, new or not.
    pub(super) fn group(&mut self, name: &str) -> &mut SeenGroup {
        self.any_groups = true;
        if !self.groups.contains_key(name) {
            self.groups.insert(name.to_owned(), SeenGroup::default());
        }
        self.groups.get_mut(name).expect("it was just put in")
    }

    /// The topic of a name, new or not.
    pub(super) fn topic(&mut self, name: &str, at: At) -> &mut SeenTopic {
        self.any_topics = true;
        let new = || SeenTopic { at, id: None, promised: None, partitions: BTreeMap::new(), broken: false };
        self.topics.entry(name.to_owned()).or_insert_with(new)
    }

    /// Takes a broker; `rack` is `None` where the tool does not say.
    pub(super) fn broker(
        &mut self,
        id: u32,
        at: At,
        rack: Option<Option<String>>,
        p: &mut Problems,
    ) -> &mut SeenBroker {
        let new = || SeenBroker { at, rack: None, fenced: false, silent: false, apis: None };
        let broker = self.brokers.entry(id).or_insert_with(new);
        match (&broker.rack, rack) {
            (Some(old), Some(new)) if *old != new => {
                let named =
                    |rack: &Option<String>| rack.as_ref().map_or("no rack".to_owned(), |r| format!("rack `{r}`"));
                let message = format!("broker {id} has {} here and {} before", named(&new), named(old));
                let problem = p.add(at, message, "are these files of one cluster, and of one time?");
                problem.also.push((broker.at, "before".to_owned()));
            }
            (Some(_), _) | (None, None) => {}
            (None, Some(new)) => (broker.rack, broker.at) = (Some(new), at),
        }
        broker
    }
}

impl SeenTopic {
    /// Takes a partition.
    pub(super) fn partition(&mut self, number: u32, partition: SeenPartition, p: &mut Problems) {
        match self.partitions.get_mut(&number) {
            Some(old) if old.replicas != partition.replicas => {
                let message = format!("partition {number} has other replicas here than before");
                let problem = p.add(partition.at, message, "are these files of one cluster, and of one time?");
                problem.also.push((old.at, "before".to_owned()));
            }
            Some(old) => old.moving |= partition.moving,
            None => {
                self.partitions.insert(number, partition);
            }
        }
    }
}
