//! A lane's coordinator: the image, the shards, the groups.

use crate::kafka::record::{self, RecordSize};
use crate::kafka::{GroupId, GroupKind, MemberId, MetadataImage, NameTable, ShardId, SubscriptionId, TopicId};
use crate::sim::Ms;
use crate::strategy::{ChangedTopic, GroupView, Stored, Strategy, TopicIndex, View};
use crate::world::{History, Origin};

use super::RecordType;
use super::deployed::{Deployed, Releases};
use super::heap::CachePrice;
use super::log::{Batch, TooLarge};
use super::patterns::Patterns;
use super::share::ShareState;
use super::subscribed::Subscribed;
use super::{Due, Group, Heap, Log};

/// What a coordinator is made with.
pub struct Setting<'a> {
    /// What happens.
    pub history: &'a History,
    /// Names by id.
    pub names: &'a NameTable,
    /// What runs on a shard: one for all, or one for each of [`crate::kafka::Version::ALL`].
    pub deployed: Vec<Deployed<'a>>,
    /// `message.max.bytes` of `__consumer_offsets`.
    pub message_max_bytes: u64,
    /// How long the initialisation of share partitions takes.
    pub share_init: Ms,
}

/// All shards of one lane.
pub struct Coordinator<'a> {
    pub(super) setting: Setting<'a>,
    /// The newest image.
    pub image: MetadataImage,
    /// Its number.
    pub image_no: u32,
    pub(super) releases: Releases,
    pub(super) shards: Vec<Shard>,
    pub(super) groups: Vec<Group>,
    /// By group: must it look again at its next heartbeat, and who made it so? Apart from the groups, since a delta
    /// asks all watchers of all that it changes.
    pub(super) dues: Vec<Option<Due>>,
    /// By group: where it lives, and what it is.
    homes: Vec<(ShardId, GroupKind)>,
    /// Who is in its group in this lane.
    pub(super) members: Subscribed<'a>,
    /// What has been appended since it was last emptied.
    pub appended: Log,
    pub(super) heap: Heap,
    /// The first batch that Kafka would not have taken.
    pub too_large: Option<TooLarge>,
    /// Share groups whose requests to initialise partitions have been sent since this was last taken.
    pub share_sent: Vec<GroupId>,
    /// All share groups.
    pub(super) share_groups: Vec<GroupId>,
    pub(super) marked: Vec<usize>,
}

pub(super) struct Shard {
    /// `None` while the shard does not answer.
    pub strategy: Option<Box<dyn Strategy>>,
    /// Does it have a strategy that compares ([`Strategy::compares`])?
    pub compares: bool,
    /// Which of [`Setting::deployed`] it is, and who brought that.
    pub runs: (usize, Origin),
    pub index: TopicIndex,
    /// Topics with at least one group.
    pub watched: u32,
    /// `lastMetadataImageWithNewTopics`, and who made it so.
    pub new_topics: (u32, Origin),
    pub groups: Vec<GroupId>,
    /// What its cache counts as.
    pub cached: CachePrice,
    pub index_map_bytes: u64,
    /// Records in its log, nothing compacted.
    pub records: u64,
}

impl<'a> Coordinator<'a> {
    /// Every group stands (model: K.4): values fresh, topic hashes cached, deadlines as after a refresh at 0.
    #[must_use]
    pub fn new(setting: Setting<'a>) -> Coordinator<'a> {
        let history = setting.history;
        let mut shards = Vec::new();
        shards.resize_with(history.shards.len(), || Shard {
            strategy: None,
            compares: false,
            runs: (0, Origin::Start),
            index: TopicIndex::new(history.names.topics.len()),
            watched: 0,
            new_topics: (0, Origin::Start),
            groups: Vec::new(),
            cached: CachePrice::default(),
            index_map_bytes: 0,
            records: 0,
        });
        let mut coordinator = Coordinator {
            image: history.start.clone(),
            image_no: 0,
            releases: Releases::new(history),
            shards,
            groups: history.groups.iter().map(|_| Group::default()).collect(),
            dues: vec![None; history.groups.len()],
            homes: history.groups.iter().map(|spec| (spec.shard, spec.kind)).collect(),
            members: Subscribed::new(history),
            appended: Log::default(),
            heap: Heap::default(),
            too_large: None,
            share_sent: Vec::new(),
            share_groups: Vec::new(),
            marked: Vec::new(),
            setting,
        };
        for shard in (0..history.shards.len()).map(ShardId::at) {
            coordinator.deploy(shard, Ms::ZERO);
        }
        for group in (0..history.groups.len()).map(GroupId::at) {
            coordinator.stand(group);
        }
        coordinator.price_all();
        coordinator.check_standing();
        coordinator
    }

    fn stand(&mut self, id: GroupId) {
        let history = self.setting.history;
        let spec = &history.groups[id.index()];
        self.shards[spec.shard.index()].groups.push(id);
        if spec.kind == GroupKind::Share {
            self.share_groups.push(id);
        }
        if !spec.stands {
            return;
        }
        let first = spec.first_member.index();
        let mut group = Group { exists: true, epoch: spec.epoch, ..Group::default() };
        for member in first..first + spec.members as usize {
            if history.members[member].standing {
                group.subscribers.add(history.members[member].subscription);
            }
        }
        let patterns = group.subscribers.patterns(&history.subscriptions);
        if !patterns.is_empty() {
            group.patterns = Some(Box::new(Patterns::standing(&patterns, history, &self.image)));
        }
        group.topics = self.topics_of(&group);
        group.deadline = self.deployed(id).refresh_interval;
        let shard = &mut self.shards[spec.shard.index()];
        for topic in &group.topics {
            shard.watched += u32::from(shard.index.watchers(*topic).is_empty());
            shard.index.watch(*topic, id);
        }
        let strategy = shard.strategy.as_mut().expect("every shard is active at time 0");
        let values = self.setting.deployed[shard.runs.0].values.as_ref();
        let view = View { image: &self.image, image_no: self.image_no, names: self.setting.names, values };
        let seen = GroupView { group: id, topics: &group.topics };
        let value = strategy.fresh(&seen, &view);
        group.stored = if spec.stored { value } else { strategy.absent(&seen, &view) };
        group.stored_by = spec.stored.then_some(self.setting.deployed[shard.runs.0].kind);
        group.map_logged = matches!(group.stored, Stored::Map(_));
        group.share = (spec.kind == GroupKind::Share).then(|| Box::new(ShareState::standing(&group, &self.image)));
        group.validated = spec.stored && self.validates(id) && self.is_whole(id, &group.topics);
        self.groups[id.index()] = group;
    }

    /// A group's topics: its members' names and resolved patterns, in Java's order of names.
    pub(super) fn topics_of(&self, group: &Group) -> Vec<TopicId> {
        let all = &self.setting.history.subscriptions;
        let mut topics = group.subscribers.names(all);
        if let Some(patterns) = &group.patterns {
            let wanted = group.subscribers.patterns(all);
            topics.extend(wanted.iter().flat_map(|p| patterns.topics(*p)));
        }
        topics.sort_unstable_by_key(|t| self.setting.names.topic(*t).rank);
        topics.dedup();
        topics
    }

    /// A group that was empty for its retention is removed; true if it was there.
    pub fn on_group_gone(&mut self, id: GroupId) -> bool {
        if !self.groups[id.index()].exists || self.groups[id.index()].subscribers.members() > 0 {
            return false;
        }
        // a streams group keeps its topology for as long as it is there
        self.set_topics(id, Vec::new());
        let group = std::mem::take(&mut self.groups[id.index()]);
        self.dues[id.index()] = None;
        let batch = self.group_tombstones(id, group.map_logged);
        let shard = self.shard_of(id).index();
        if let Some(strategy) = &mut self.shards[shard].strategy {
            strategy.forget(id);
        }
        self.heap.drop_value(&group.held);
        self.append(id, &batch);
        true
    }

    /// Of these changed topics, how many somebody watches.
    #[must_use]
    pub fn watched(&self, changed: &[ChangedTopic]) -> u64 {
        let watched = |c: &&ChangedTopic| self.shards.iter().any(|s| !s.index.watchers(c.topic).is_empty());
        changed.iter().filter(|c| !c.cluster_only).filter(watched).count() as u64
    }

    /// The image that the group's shard takes a topic's value from.
    pub fn read_from(&self, id: GroupId) -> impl Fn(TopicId) -> u32 + Copy + '_ {
        let (now, strategy) = (self.image_no, self.shards[self.shard_of(id).index()].strategy.as_deref());
        move |topic| strategy.map_or(now, |s| s.read_from(topic, now))
    }

    /// Groups that the coordinator knows, and how many of them are empty.
    #[must_use]
    pub fn known_groups(&self) -> (u64, u64) {
        let known = self.groups.iter().filter(|g| g.exists);
        let empty = known.clone().filter(|g| g.subscribers.members() == 0).count();
        (known.count() as u64, empty as u64)
    }

    /// The group's shard.
    #[must_use]
    pub fn shard_of(&self, id: GroupId) -> ShardId {
        self.homes[id.index()].0
    }

    /// Must the group look again at its next heartbeat, and who made it so?
    #[must_use]
    pub fn due(&self, id: GroupId) -> Option<Due> {
        self.dues[id.index()]
    }

    /// A group.
    #[must_use]
    pub fn group(&self, id: GroupId) -> &Group {
        &self.groups[id.index()]
    }

    /// Is the member in its group, in this lane?
    #[must_use]
    pub fn has_member(&self, member: MemberId) -> bool {
        self.members.of(member).is_some()
    }

    /// What a member of a group subscribes to, if it is in it.
    #[must_use]
    pub fn subscription(&self, member: MemberId) -> Option<SubscriptionId> {
        self.members.of(member)
    }

    /// The groups that are subscribed to a topic.
    pub fn watchers(&self, topic: TopicId) -> impl Iterator<Item = GroupId> + '_ {
        self.shards.iter().flat_map(move |shard| shard.index.watchers(topic)).copied()
    }

    /// The group's name, its length in every key.
    pub(super) fn name_bytes(&self, id: GroupId) -> u32 {
        u32::try_from(self.setting.history.names.groups[id.index()].len()).expect("names are short")
    }

    /// The protocol that the group is of.
    #[must_use]
    pub fn kind(&self, id: GroupId) -> GroupKind {
        self.homes[id.index()].1
    }

    /// What a removed group leaves in the log, whether or not there was any of it: every release does so.
    fn group_tombstones(&self, id: GroupId, map_logged: bool) -> Batch {
        let size = RecordSize { key: self.group_key(id), value: None };
        let mut batch: Batch = [RecordType::GroupMetadata, RecordType::TargetAssignmentMetadata]
            .map(|kind| (kind, size))
            .into_iter()
            .collect();
        if self.kind(id) == GroupKind::Streams {
            batch.push((RecordType::StreamsTopology, size));
        }
        if self.kind(id) != GroupKind::Streams || map_logged {
            batch.push((RecordType::PartitionMetadata, size));
        }
        batch
    }

    /// Key bytes of a group's records.
    pub(super) fn group_key(&self, id: GroupId) -> u64 {
        record::group_key(u64::from(self.name_bytes(id)))
    }
}
