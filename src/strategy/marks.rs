//! Who must look again after a new image: the watchers of every changed or deleted topic (model: A.3).

use crate::scenario::Trigger;

use super::{ChangedTopic, Mark, TopicIndex};

/// Does this strategy take the topic as changed?
pub(super) fn counts(changed: &ChangedTopic, trigger: Trigger) -> bool {
    match trigger {
        Trigger::TopicDelta => !changed.cluster_only,
        Trigger::ClusterDelta => true,
    }
}

/// Marks every watcher of a topic; a group of several changed topics stands once for each.
pub(super) fn mark(changed: &ChangedTopic, watchers: &TopicIndex, marked: &mut Vec<Mark>) {
    let topic = changed.topic;
    marked.extend(watchers.watchers(topic).iter().map(|&group| Mark { group, topic }));
}

/// Marks the watchers of all topics that count, for strategies that have nothing else to drop.
pub(super) fn mark_all(changed: &[ChangedTopic], trigger: Trigger, watchers: &TopicIndex, marked: &mut Vec<Mark>) {
    changed.iter().filter(|changed| counts(changed, trigger)).for_each(|changed| mark(changed, watchers, marked));
}
