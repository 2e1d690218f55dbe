//! Shards as they stand at time 0 and, since nobody comes or goes, for good: their groups and the topics that these
//! subscribe to.

use crate::kafka::{GroupId, TopicId, heap, java};
use crate::world::History;

use super::super::lane::Stage;
use super::path::{Path, Walker};

/// One shard.
#[derive(Default)]
pub(super) struct Shard {
    /// In order of id.
    pub(super) groups: Vec<GroupId>,
    /// Topics that somebody subscribes to, in order of id.
    pub(super) watched: Vec<TopicId>,
    /// What its `groupsByTopics` takes.
    pub(super) index: u64,
}

/// All shards.
pub(super) fn shards(stage: Stage<'_>, walker: &mut Walker<'_>) -> Vec<Shard> {
    let history: &History = stage.history;
    let mut shards: Vec<Shard> = history.shards.iter().map(|_| Shard::default()).collect();
    for (place, group) in history.groups.iter().enumerate() {
        shards[group.shard.index()].groups.push(GroupId::at(place));
    }
    let mut path = Path::default();
    for shard in &mut shards {
        let mut pairs: Vec<(TopicId, GroupId)> = Vec::new();
        for &group in &shard.groups {
            walker.subscribe(&mut path, group);
            pairs.extend(path.topics.iter().map(|topic| (*topic, group)));
        }
        pairs.sort_unstable();
        let code = |group: &GroupId| java::string_hash(&history.names.groups[group.index()]);
        let mut sets = 0;
        for of_topic in pairs.chunk_by(|a, b| a.0 == b.0) {
            shard.watched.push(of_topic[0].0);
            sets += heap::timeline_set(of_topic.iter().map(|(_, group)| code(group)));
        }
        if !shard.watched.is_empty() {
            let names = shard.watched.iter().map(|topic| stage.names.topic(*topic).hash_code);
            shard.index = heap::topic_index(names, [sets]);
        }
    }
    shards
}
