//! Tests only: a small cluster under hand, and a group held against it as a shard would.

use smallvec::SmallVec;

use crate::kafka::{BrokerId, GroupId, MetadataImage, NameTable, RackId, Registration, TopicId, TopicImage, Uuid};
use crate::scenario::{StrategyKind, StrategySpec, Switches};

use super::registry::make;
use super::{ChangedTopic, GroupView, Stored, Strategy, TopicIndex, UnregisteredReplica, Verdict, View, Why, Work};

pub(super) const GROUP: GroupId = GroupId(0);

/// A strategy with one group that watches topics 0 .., over an image that tests change by hand.
pub(super) struct Bench {
    pub(super) names: NameTable,
    pub(super) image: MetadataImage,
    /// Counts deltas and looks: tests change the image by hand.
    pub(super) image_no: u32,
    pub(super) watchers: TopicIndex,
    pub(super) topics: Vec<TopicId>,
    pub(super) strategy: Box<dyn Strategy>,
    pub(super) stored: Stored,
    pub(super) work: Work,
}

/// A strategy with its defaults but for what is said.
pub(super) fn with(kind: StrategyKind, change: impl FnOnce(&mut Switches)) -> StrategySpec {
    let mut spec = StrategySpec::bare(kind);
    change(&mut spec.switches);
    spec
}

impl Bench {
    /// Topics named a, b, c …, each by the replicas of its partitions; broker i has rack `racks[i]`. The group
    /// stands: its value is stored and the cache is warm.
    pub(super) fn standing(spec: &StrategySpec, racks: &[u32], topics: &[&[&[u32]]]) -> Bench {
        let letters: Vec<String> = ('a'..='z').take(topics.len()).map(String::from).collect();
        let rack_names: Vec<String> = (0..9).map(|i| format!("r{i}")).collect();
        let mut bench = Bench {
            names: NameTable::new(&letters, &rack_names),
            image: MetadataImage::default(),
            image_no: 0,
            watchers: TopicIndex::new(topics.len()),
            topics: (0..topics.len()).map(TopicId::at).collect(),
            strategy: make(spec),
            stored: Stored::Absent,
            work: Work::default(),
        };
        bench.image.brokers = racks.iter().map(|&r| Some(Registration { rack: Some(RackId(r)) })).collect();
        bench.image.topics = vec![None; topics.len()];
        for (topic, partitions) in bench.topics.clone().into_iter().zip(topics) {
            bench.create(topic, 1 + u64::from(topic.0), partitions);
            bench.watchers.watch(topic, GROUP);
        }
        let Bench { names, image, topics, strategy, .. } = &mut bench;
        bench.stored = strategy.fresh(&group(topics), &View { image, image_no: 0, names, values: None });
        bench
    }

    pub(super) fn create(&mut self, topic: TopicId, id: u64, partitions: &[&[u32]]) {
        let partitions = partitions.iter().map(|r| r.iter().map(|&b| BrokerId(b)).collect()).collect();
        self.image.topics[topic.index()] = Some(TopicImage { id: Uuid { msb: 7, lsb: id }, partitions });
    }

    pub(super) fn reassign(&mut self, topic: u32, partition: usize, replicas: &[u32]) {
        let image = self.image.topics[topic as usize].as_mut().unwrap();
        image.partitions[partition] = replicas.iter().map(|&b| BrokerId(b)).collect::<SmallVec<_>>();
    }

    pub(super) fn rack(&mut self, broker: usize, rack: u32) {
        self.image.brokers[broker] = Some(Registration { rack: Some(RackId(rack)) });
    }

    /// A delta with these topics arrives; how many groups it marks.
    pub(super) fn delta(&mut self, changed: &[ChangedTopic]) -> usize {
        self.image_no += 1;
        let mut marked = Vec::new();
        self.strategy.on_new_image(changed, &self.watchers, &mut marked);
        marked.iter().map(|place| self.watchers.watchers(changed[*place].topic).len()).sum()
    }

    /// Recomputes, stores nothing.
    pub(super) fn look(&mut self, why: Why) -> Result<Verdict, UnregisteredReplica> {
        self.image_no += 1;
        let Bench { names, image, image_no, topics, strategy, stored, work, .. } = self;
        let view = View { image, image_no: *image_no, names, values: None };
        let mut verdict = strategy.recompute(&group(topics), &view, stored, why, work)?;
        verdict.value.get_or_insert_with(|| stored.clone());
        Ok(verdict)
    }

    /// A heartbeat of a group that is due: recomputes, stores what differs, and says whether it did.
    pub(super) fn heartbeat(&mut self) -> bool {
        let verdict = self.look(Why::Heartbeat).unwrap();
        if verdict.differs {
            self.stored = verdict.value.unwrap();
        }
        verdict.differs
    }

    /// What the strategy would find had it just been made: its value with an empty cache.
    pub(super) fn fresh(&self, spec: &StrategySpec) -> Stored {
        let view = View { image: &self.image, image_no: 0, names: &self.names, values: None };
        let verdict =
            make(spec).recompute(&group(&self.topics), &view, &Stored::Absent, Why::Heartbeat, &mut Work::default());
        verdict.unwrap().value.unwrap_or_default()
    }
}

fn group(topics: &[TopicId]) -> GroupView<'_> {
    GroupView { group: GROUP, topics }
}

/// A topic touched by a TopicsDelta, and no more than that.
pub(super) fn touched(topic: u32) -> ChangedTopic {
    ChangedTopic {
        topic: TopicId(topic),
        cluster_only: false,
        by_cluster: false,
        deleted: false,
        new_partitions: false,
        reassigning: false,
        replicas_differ: false,
    }
}
