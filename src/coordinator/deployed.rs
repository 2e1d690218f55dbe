//! Which release runs on which broker, and so what decides on a shard: that of its leader (model: K.4,
//! versions). A strategy that is the same everywhere has one setting for all shards.

use crate::kafka::{BrokerEvent, GroupId, MetadataDelta, ShardId, Version};
use crate::scenario::{ShareRules, StrategyKind};
use crate::sim::Ms;
use crate::strategy::{Strategy, Values, View};
use crate::world::{History, Origin};

use super::core::Coordinator;

/// What runs on a shard.
pub struct Deployed<'a> {
    /// Which trigger: a value that another one stored is of another version.
    pub kind: StrategyKind,
    /// Do streams groups' records say that the topology has been seen whole (Kafka 4.2 and later)?
    pub streams_validates: bool,
    /// Does a streams group that loses a member store no hash (Kafka 4.1)?
    pub streams_forgets: bool,
    /// Does a new group wait until its first member's pattern is resolved (Kafka 4.3 and later)?
    pub awaits_first_pattern: bool,
    /// What share groups do.
    pub share: ShareRules,
    /// Makes it, empty.
    pub make: Box<dyn Fn() -> Box<dyn Strategy> + 'a>,
    /// `refresh_interval`.
    pub refresh_interval: Ms,
    /// `regex_refresh`; `None`: off.
    pub regex_refresh: Option<Ms>,
    /// Counted mode: values of topics that are worked out once.
    pub values: Option<Values<'a>>,
}

impl<'a> Coordinator<'a> {
    /// An empty strategy on the shard, of its leader's release.
    pub(super) fn deploy(&mut self, shard: ShardId, at: Ms) {
        let (version, by) = self.releases.of_shard(self.setting.history, shard, at);
        let which = if self.setting.deployed.len() > 1 { version as usize } else { 0 };
        let shard = &mut self.shards[shard.index()];
        shard.runs = (which, by);
        let strategy = (self.setting.deployed[which].make)();
        shard.compares = strategy.compares();
        shard.strategy = Some(strategy);
    }

    /// What a strategy on the shard reads.
    pub(super) fn view(&self, shard: usize) -> View<'_> {
        let values = self.setting.deployed[self.shards[shard].runs.0].values.as_ref();
        View { image: &self.image, image_no: self.image_no, names: self.setting.names, values }
    }

    /// What runs on the group's shard (or ran there last), as a number that stands for it.
    #[must_use]
    pub fn runs(&self, id: GroupId) -> usize {
        self.shards[self.shard_of(id).index()].runs.0
    }

    /// What runs on the group's shard (or ran there last).
    pub(super) fn deployed(&self, id: GroupId) -> &Deployed<'a> {
        &self.setting.deployed[self.runs(id)]
    }
}

/// The releases of the brokers, now.
pub(super) struct Releases {
    /// By broker that ever registered: its release, and who brought it.
    brokers: Vec<Option<(Version, Origin)>>,
}

impl Releases {
    pub(super) fn new(history: &History) -> Releases {
        Releases { brokers: history.releases.iter().map(|version| Some((*version, Origin::Start))).collect() }
    }

    /// Brokers that register bring their release; the entry counts only if it is another one.
    pub(super) fn on_delta(&mut self, delta: &MetadataDelta) {
        for change in &delta.brokers {
            if let BrokerEvent::Registered { version, .. } = change.event {
                let index = change.broker.index();
                if index >= self.brokers.len() {
                    self.brokers.resize(index + 1, None);
                }
                if self.brokers[index].is_none_or(|(before, _)| before != version) {
                    self.brokers[index] = Some((version, Origin::Entry(change.entry)));
                }
            }
        }
    }

    /// The release of the shard's leader at `at`, and who brought it; a shard that lives on no broker runs the default.
    pub(super) fn of_shard(&self, history: &History, shard: ShardId, at: Ms) -> (Version, Origin) {
        let leaders = &history.shards[shard.index()].leaders;
        let place = leaders.partition_point(|(from, _)| *from <= at);
        let leader = place.checked_sub(1).and_then(|place| leaders[place].1);
        let found = leader.and_then(|broker| self.brokers.get(broker.index()).copied().flatten());
        found.unwrap_or((Version::default(), Origin::Start))
    }
}
