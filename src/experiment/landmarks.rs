//! What stands out in a history: when each entry did something. For time axes.

use crate::kafka::EntryIndex;
use crate::scenario::Scenario;
use crate::sim::Ms;
use crate::world::{Happening, History};

/// No more marks than this are kept; a time axis cannot show more.
const MAX_MARKS: usize = 1_000;

/// What stands out in a history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Landmarks {
    /// When an entry did something that it had not been doing right before, in order of time.
    pub marks: Vec<(Ms, EntryIndex)>,
}

impl Landmarks {
    /// Of a history that this scenario made.
    #[must_use]
    pub fn of(scenario: &Scenario, history: &History) -> Landmarks {
        Landmarks { marks: marks(scenario, history) }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kafka::BrokerEvent;
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
        (scenario, sketch.0)
    }

    #[test]
    fn consequences_right_after_each_other_are_one_mark() {
        let (scenario, history) = history();
        let marks = Landmarks::of(&scenario, &history).marks;
        assert_eq!(marks, [(Ms(60_000), 0), (Ms(120_000), 1), (Ms(240_000), 1)]);
    }
}
