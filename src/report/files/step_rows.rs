//! The rows of steps.csv: a roll's plan with what each step costs a strategy.

use serde::{Deserialize, Serialize};

use crate::metrics::{LaneOutcome, Origin, Roll, RunOutcome, StepCounts};

use super::rows::{Keys, Text, origin_text};

/// A row of steps.csv.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "docs/files.md says what each column is")]
pub struct StepRow<'a> {
    pub scenario: Text<'a>,
    pub point: Text<'a>,
    pub run: u32,
    pub strategy: Text<'a>,
    pub roll: Text<'a>,
    pub step: u64,
    pub from_ms: u64,
    pub until_ms: u64,
    pub broker: u32,
    pub shards_moved: u64,
    pub rebalances: u64,
    pub needed: u64,
    pub late: u64,
    pub spurious: u64,
    pub repeat: u64,
    pub missed: u64,
    pub groups_hit: u64,
    pub groups_needed: u64,
    pub groups_late: u64,
    pub groups_spurious: u64,
    pub groups_repeat: u64,
    pub peak_per_s: u64,
    pub members_disturbed: u64,
    pub worst: Text<'a>,
}

impl<'a> StepRow<'a> {
    /// Every step of every roll in one lane, in order.
    pub fn all(keys: Keys<'a>, run: &'a RunOutcome, lane: &LaneOutcome) -> Vec<StepRow<'a>> {
        let rolls = run.rolls.iter().zip(&lane.steps);
        rolls
            .flat_map(|(roll, parts)| {
                let row = |(place, part)| StepRow::new(keys, run, roll, place, part);
                parts.iter().enumerate().map(row).collect::<Vec<_>>()
            })
            .collect()
    }

    fn new(keys: Keys<'a>, run: &'a RunOutcome, roll: &Roll, place: usize, part: &StepCounts) -> StepRow<'a> {
        let (step, c) = (&roll.steps[place], &part.counts);
        let worst: Vec<&str> = part.worst.iter().map(|group| run.groups[group.index()].as_str()).collect();
        StepRow {
            scenario: keys.scenario.into(),
            point: keys.point.into(),
            run: keys.run,
            strategy: keys.strategy.into(),
            roll: origin_text(run, Origin::Entry(roll.entry)).into(),
            step: place as u64 + 1,
            from_ms: step.from.0,
            until_ms: step.until.0,
            broker: step.broker.0,
            shards_moved: step.shards_moved,
            rebalances: c.rebalances(),
            needed: c.needed,
            late: c.late,
            spurious: c.spurious,
            repeat: c.repeat,
            missed: c.missed,
            groups_hit: part.groups.all,
            groups_needed: part.groups.needed,
            groups_late: part.groups.late,
            groups_spurious: part.groups.spurious,
            groups_repeat: part.groups.repeat,
            peak_per_s: part.peak_per_s,
            members_disturbed: part.members,
            worst: worst.join(";").into(),
        }
    }
}
