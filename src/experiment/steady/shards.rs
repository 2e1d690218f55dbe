//! Shards as they stand at time 0 and, since nobody comes or goes, for good: their groups and the topics that these
//! subscribe to.

use crate::kafka::{GroupId, TopicId, heap, java};
use crate::world::History;

use super::super::lane::Stage;
use super::path::Path;

/// One shard.
#[derive(Default)]
pub(super) struct Shard {
    /// In order of id.
    pub(super) groups: Vec<GroupId>,
    /// Topics that somebody subscribes to, in order of id.
    pub(super) watched: Vec<TopicId>,
    /// Of each of them the groups that do, in order of id; and where they begin, and behind the last, the end.
    by_topic: Vec<GroupId>,
    starts: Vec<u32>,
    /// What its `groupsByTopics` takes.
    pub(super) index: u64,
}

impl Shard {
    /// Topics with the groups that subscribe to them, in order.
    pub(super) fn subscribed(&self) -> impl Iterator<Item = (TopicId, &[GroupId])> {
        let groups = self.starts.windows(2).map(|of| &self.by_topic[of[0] as usize..of[1] as usize]);
        self.watched.iter().copied().zip(groups)
    }
}

/// All shards.
pub(super) fn shards(stage: Stage<'_>) -> Vec<Shard> {
    let history: &History = stage.history;
    let mut shards: Vec<Shard> = history.shards.iter().map(|_| Shard::default()).collect();
    for (place, group) in history.groups.iter().enumerate() {
        shards[group.shard.index()].groups.push(GroupId::at(place));
    }
    let mut path = Path::default();
    for shard in &mut shards {
        let mut pairs: Vec<(TopicId, GroupId)> = Vec::new();
        for &group in &shard.groups {
            path.subscribe(stage, group);
            pairs.extend(path.topics.iter().map(|topic| (*topic, group)));
        }
        pairs.sort_unstable();
        shard.by_topic = pairs.iter().map(|(_, group)| *group).collect();
        shard.starts.push(0);
        let code = |group: &GroupId| java::string_hash(&history.names.groups[group.index()]);
        let mut sets = 0;
        for of_topic in pairs.chunk_by(|a, b| a.0 == b.0) {
            shard.watched.push(of_topic[0].0);
            let before = shard.starts.last().expect("it begins with one");
            shard.starts.push(before + u32::try_from(of_topic.len()).expect("groups fit 32 bits"));
            sets += heap::timeline_set(of_topic.iter().map(|(_, group)| code(group)));
        }
        if !shard.watched.is_empty() {
            let names = shard.watched.iter().map(|topic| stage.names.topic(*topic).hash_code);
            shard.index = heap::topic_index(names, [sets]);
        }
    }
    shards
}
