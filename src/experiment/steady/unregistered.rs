//! Does a topic ever stand on a broker that is not registered? A strategy that fails there goes in order of time.

use crate::kafka::{BrokerEvent, MetadataImage, TopicId};
use crate::world::History;

/// Anywhere over a history?
pub(super) fn anywhere(history: &History) -> bool {
    let mut image = history.start.clone();
    let all = (0..history.names.topics.len()).map(TopicId::at);
    if all.clone().any(|topic| meets(topic, &image)) {
        return true;
    }
    history.deltas.iter().any(|arrival| {
        image.apply(&arrival.delta);
        let gone = arrival.delta.brokers.iter().any(|change| matches!(change.event, BrokerEvent::Unregistered));
        let changed = arrival.delta.topics.iter().map(|change| change.topic);
        if gone {
            all.clone().any(|topic| meets(topic, &image))
        } else {
            changed.clone().any(|topic| meets(topic, &image))
        }
    })
}

fn meets(topic: TopicId, image: &MetadataImage) -> bool {
    let partitions = image.topic(topic).into_iter().flat_map(|content| &content.partitions);
    partitions.flatten().any(|broker| image.registration(*broker).is_none())
}
