//! Promises of a history, checked against closed forms and against plain re-tellings.

mod cluster_laws;
mod determinism;
mod member_laws;
mod members;
mod random;
mod shards;
mod starts;
mod topics;

use crate::kafka::{BrokerId, PartitionChange, TopicEvent};

use super::history::{Arrival, Event, Happening, History};

/// Changed partitions of a delta, with their topic.
fn changed(arrival: &Arrival) -> Vec<(u32, &PartitionChange)> {
    let mut all = Vec::new();
    for change in &arrival.delta.topics {
        match &change.event {
            TopicEvent::Changed { partitions } | TopicEvent::Created { partitions, .. } => {
                all.extend(partitions.iter().map(|p| (change.topic.0, p)));
            }
            TopicEvent::Deleted => {}
        }
    }
    all
}

/// Times of all deltas, in ms.
fn times(history: &History) -> Vec<u64> {
    history.deltas.iter().map(|d| d.at.0).collect()
}

/// Events of a kind.
fn events(history: &History, kind: impl Fn(&Happening) -> bool) -> Vec<Event> {
    history.events.iter().copied().filter(|e| kind(&e.what)).collect()
}

/// Everything but deltas, as `(ms, text)`.
fn told(history: &History) -> Vec<(u64, String)> {
    let others = history.events.iter().filter(|e| !matches!(e.what, Happening::Delta(_)));
    others.map(|e| (e.at.0, format!("{:?}", e.what).replace("MemberId", "").replace("ShardId", ""))).collect()
}

fn ids(list: &[BrokerId]) -> Vec<u32> {
    list.iter().map(|b| b.0).collect()
}
