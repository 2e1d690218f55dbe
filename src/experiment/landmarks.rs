//! What stands out in a history: when each entry did something, and the steps of its rolls. For time axes
//! and for the table of a roll's steps.

use crate::kafka::{BrokerEvent, BrokerId, EntryIndex};
use crate::scenario::{Scenario, Verb};
use crate::sim::Ms;
use crate::world::{Happening, History};

/// No more marks than this are kept; a time axis cannot show more.
const MAX_MARKS: usize = 1_000;

/// What stands out in a history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Landmarks {
    /// When an entry did something that it had not been doing right before, in order of time.
    pub marks: Vec<(Ms, EntryIndex)>,
    /// Rolls, in the order of entries.
    pub rolls: Vec<Roll>,
}

/// A roll.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roll {
    /// Its entry.
    pub entry: EntryIndex,
    /// Its brokers, in the order in which they stopped.
    pub steps: Vec<Step>,
}

/// A broker of a roll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Which broker.
    pub broker: BrokerId,
    /// Its stop reached the coordinators.
    pub from: Ms,
    /// The next one's stop did, or the run ended.
    pub until: Ms,
    /// Coordinator shards that got another leader meanwhile.
    pub shards_moved: u64,
}

impl Landmarks {
    /// Of a history that this scenario made.
    #[must_use]
    pub fn of(scenario: &Scenario, history: &History) -> Landmarks {
        let is_roll = |entry: usize| scenario.history.get(entry).is_some_and(|e| matches!(e.verb, Verb::Roll { .. }));
        let rolls = (0..history.names.entries.len())
            .filter(|&entry| is_roll(entry))
            .filter_map(|entry| roll(history, EntryIndex::try_from(entry).ok()?))
            .collect();
        Landmarks { marks: marks(scenario, history), rolls }
    }
}

/// Consequences of one entry that follow each other within this share of the run are one mark.
const SHARE: u64 = 60;

fn marks(scenario: &Scenario, history: &History) -> Vec<(Ms, EntryIndex)> {
    let mut all: Vec<(Ms, EntryIndex)> = Vec::new();
    for arrival in &history.deltas {
        let topics = arrival.delta.topics.iter().map(|t| t.entry);
        all.extend(topics.chain(arrival.delta.brokers.iter().map(|b| b.entry)).map(|entry| (arrival.at, entry)));
    }
    // a delta's parts have entries of their own, its event has one only by courtesy
    let own = history.events.iter().filter(|e| !matches!(e.what, Happening::Delta(_)));
    all.extend(own.filter_map(|e| Some((e.at, e.entry?))));
    all.sort_unstable();
    all.dedup();
    let close = Ms(scenario.duration.0 / SHARE);
    let mut last: Vec<Option<Ms>> = vec![None; history.names.entries.len()];
    let mut marks = Vec::new();
    for (at, entry) in all {
        let before = last[entry as usize].replace(at);
        if before.is_none_or(|before| at.since(before) > close) && marks.len() < MAX_MARKS {
            marks.push((at, entry));
        }
    }
    marks
}

fn roll(history: &History, entry: EntryIndex) -> Option<Roll> {
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
    (!steps.is_empty()).then_some(Roll { entry, steps })
}

fn moved(history: &History, from: Ms, until: Ms) -> u64 {
    // the first leader of each shard is no move
    let moves = history.shards.iter().flat_map(|shard| shard.leaders.iter().skip(1));
    moves.filter(|(at, _)| (from..until).contains(at)).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::load_text;
    use crate::world::sketch::{Sketch, changed};

    /// A touch (entry 0) and a roll (entry 1) of two brokers.
    fn history() -> (Scenario, History) {
        let text = "
duration: 10m
brokers: 3
topics: {t: {}}
groups: {g: {topics: [t]}}
history:
  - touch: {at: 1m, topic: t}
  - roll: {at: 2m, brokers: [0, 1], gap: 1m}
";
        let scenario = load_text("s", text, &[]).unwrap_or_else(|e| panic!("{}", e.short())).scenario;
        let touched = || vec![(0, changed(&[(0, &[0, 1, 2])]))];
        let sketch = Sketch::new(600_000, &["a", "b", "c"], &[("t", &[&[0, 1, 2]])])
            .group("g", &[0], &[1_000])
            .delta(60_000, 0, touched(), vec![])
            .delta(120_000, 1, touched(), vec![(0, BrokerEvent::Fenced)])
            .delta(121_000, 1, touched(), vec![(0, BrokerEvent::Unfenced)])
            .delta(240_000, 1, touched(), vec![(1, BrokerEvent::Fenced)]);
        let mut history = sketch.0;
        let lead = |at: u64, broker: u32| (Ms(at), Some(BrokerId(broker)));
        history.shards[0].leaders = vec![lead(0, 0), lead(120_000, 1), lead(240_000, 2), lead(500_000, 0)];
        (scenario, history)
    }

    #[test]
    fn a_roll_has_a_step_for_each_broker_that_stopped() {
        let (scenario, history) = history();
        let rolls = Landmarks::of(&scenario, &history).rolls;
        let step = |broker, from, until, shards_moved| Step {
            broker: BrokerId(broker),
            from: Ms(from),
            until: Ms(until),
            shards_moved,
        };
        assert_eq!(rolls, [Roll { entry: 1, steps: vec![step(0, 120_000, 240_000, 1), step(1, 240_000, 600_000, 2)] }]);
    }

    #[test]
    fn consequences_right_after_each_other_are_one_mark() {
        let (scenario, history) = history();
        let marks = Landmarks::of(&scenario, &history).marks;
        assert_eq!(marks, [(Ms(60_000), 0), (Ms(120_000), 1), (Ms(240_000), 1)]);
    }
}
