//! The rolls of a history: which brokers they stopped and when. What a table of a roll's steps is made over.

use crate::kafka::{BrokerEvent, BrokerId, EntryIndex, Version};
use crate::scenario::{Scenario, Verb};
use crate::sim::Ms;
use crate::world::History;

/// A roll.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roll {
    /// Its entry.
    pub entry: EntryIndex,
    /// The release that its brokers come back with, if they change it.
    pub to: Option<Version>,
    /// Its brokers, in the order in which they stopped; never none.
    pub steps: Vec<Step>,
}

/// A broker of a roll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Which broker.
    pub broker: BrokerId,
    /// Its stop reached the coordinators.
    pub from: Ms,
    /// The next one's stop did, or the run ended. Not included.
    pub until: Ms,
    /// Coordinator shards that got another leader meanwhile.
    pub shards_moved: u64,
}

impl Roll {
    /// The place of the step that `at` falls into; what comes before the first one counts with it.
    #[must_use]
    pub fn step_at(&self, at: Ms) -> usize {
        self.steps.partition_point(|step| step.from <= at).saturating_sub(1)
    }
}

/// Every roll of a history that this scenario made, in the order of entries; without those that stopped nobody.
#[must_use]
pub fn rolls(scenario: &Scenario, history: &History) -> Vec<Roll> {
    let of_entry = |entry: usize| match scenario.history.get(entry).map(|e| &e.verb) {
        Some(Verb::Roll { how, .. }) => roll(history, EntryIndex::try_from(entry).ok()?, how.to),
        _ => None,
    };
    (0..history.names.entries.len()).filter_map(of_entry).collect()
}

fn roll(history: &History, entry: EntryIndex, to: Option<Version>) -> Option<Roll> {
    let stops = history.deltas.iter().flat_map(|arrival| {
        let fenced = arrival.delta.brokers.iter().filter(|b| b.entry == entry && b.event == BrokerEvent::Fenced);
        fenced.map(|b| (arrival.at, b.broker))
    });
    let stops: Vec<(Ms, BrokerId)> = stops.collect();
    let steps: Vec<Step> = stops
        .iter()
        .enumerate()
        .map(|(i, &(from, broker))| {
            let until = stops.get(i + 1).map_or(history.duration, |next| next.0);
            Step { broker, from, until, shards_moved: moved(history, from, until) }
        })
        .collect();
    (!steps.is_empty()).then_some(Roll { entry, to, steps })
}

fn moved(history: &History, from: Ms, until: Ms) -> u64 {
    // the first leader of each shard is no move
    let moves = history.shards.iter().flat_map(|shard| shard.leaders.iter().skip(1));
    moves.filter(|(at, _)| (from..until).contains(at)).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::sketch::touch_and_roll;

    #[test]
    fn a_roll_has_a_step_for_each_broker_that_stopped() {
        let (scenario, sketch) = touch_and_roll();
        let mut history = sketch.0;
        let lead = |at: u64, broker: u32| (Ms(at), Some(BrokerId(broker)));
        history.shards[0].leaders = vec![lead(0, 0), lead(120_000, 1), lead(240_000, 2), lead(500_000, 0)];
        let step = |broker, from, until, shards_moved| Step {
            broker: BrokerId(broker),
            from: Ms(from),
            until: Ms(until),
            shards_moved,
        };
        let steps = vec![step(0, 120_000, 240_000, 1), step(1, 240_000, 600_000, 2)];
        assert_eq!(rolls(&scenario, &history), [Roll { entry: 1, to: Some(Version::Kafka4_2), steps }]);
    }
}
