//! A history's events as a group meets them: deltas, and its own shard's failovers.

use crate::metrics::ImageNo;
use crate::sim::Ms;
use crate::world::{Happening, History, Origin};

/// The place of an event in the history.
pub(super) type EventNo = u32;

/// The events of a history in which nobody comes or goes.
pub(super) struct Calendar {
    /// By image, from the first delta's: its event.
    deltas: Vec<EventNo>,
    /// By event: when.
    at: Vec<Ms>,
    /// By shard, in order.
    failovers: Vec<Vec<Failover>>,
}

/// A shard stops answering, or is active again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Failover {
    pub(super) event: EventNo,
    /// The newest image then.
    pub(super) image: ImageNo,
    /// Of one that is active again: who made it so.
    pub(super) up: Option<Origin>,
}

impl Calendar {
    /// `None` if members come or go, or groups end.
    pub(super) fn new(history: &History) -> Option<Calendar> {
        let mut failovers = vec![Vec::new(); history.shards.len()];
        let (mut deltas, mut at) = (Vec::new(), Vec::new());
        for (event, no) in history.events.iter().zip(0..) {
            at.push(event.at);
            let image = ImageNo::try_from(deltas.len()).expect("deltas fit 32 bits");
            match event.what {
                Happening::Delta(_) => deltas.push(no),
                Happening::ShardDown(shard) => {
                    failovers[shard.index()].push(Failover { event: no, image, up: None });
                }
                Happening::ShardUp { shard, .. } => {
                    let by = event.entry.map_or(Origin::Start, Origin::Entry);
                    failovers[shard.index()].push(Failover { event: no, image, up: Some(by) });
                }
                _ => return None,
            }
        }
        Some(Calendar { deltas, at, failovers })
    }

    /// Events at these instants, nothing else known of them.
    #[cfg(test)]
    pub(super) fn at_instants(at: Vec<Ms>) -> Calendar {
        Calendar { deltas: Vec::new(), at, failovers: Vec::new() }
    }

    pub(super) fn delta(&self, image: ImageNo) -> EventNo {
        self.deltas[image as usize - 1]
    }

    pub(super) fn at(&self, event: EventNo) -> Ms {
        self.at[event as usize]
    }

    /// Likewise, by place.
    pub(super) fn at_place(&self, event: usize) -> Ms {
        self.at[event]
    }

    pub(super) fn events(&self) -> usize {
        self.at.len()
    }

    pub(super) fn failovers(&self, shard: usize) -> &[Failover] {
        &self.failovers[shard]
    }
}
