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
    use crate::world::sketch::touch_and_roll;

    #[test]
    fn consequences_right_after_each_other_are_one_mark() {
        let (scenario, sketch) = touch_and_roll();
        let marks = Landmarks::of(&scenario, &sketch.0).marks;
        assert_eq!(marks, [(Ms(60_000), 0), (Ms(120_000), 1), (Ms(240_000), 1)]);
    }
}
