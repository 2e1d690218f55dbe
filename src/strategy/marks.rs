//! Who must look again after a new image: the watchers of every changed or deleted topic (model: A.3).

use crate::scenario::Trigger;

use super::ChangedTopic;

/// Does this strategy take the topic as changed?
pub(super) fn counts(changed: &ChangedTopic, trigger: Trigger) -> bool {
    match trigger {
        Trigger::TopicDelta => !changed.cluster_only,
        Trigger::ClusterDelta => true,
    }
}

/// Marks all topics that count, for strategies that have nothing else to drop.
pub(super) fn mark_all(changed: &[ChangedTopic], trigger: Trigger, marked: &mut Vec<usize>) {
    marked.extend(changed.iter().enumerate().filter(|(_, c)| counts(c, trigger)).map(|(place, _)| place));
}
