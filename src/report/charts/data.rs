//! What the charts are drawn from: the files of a results folder, as `run` draws them and as anybody can draw them
//! again.

use std::path::Path;

use plotters::style::RGBColor;

use crate::report::files::{
    DelayRow, HeapRow, MarkRow, MovesRow, OutcomeRow, OwnershipRow, Provenance, ReadError, StripRow, TimelineRow,
    read_rows,
};
use crate::scenario::{Scenario, StrategySpec};
use crate::sim::Ms;

use super::Mark;
use super::axis::TimeAxis;
use super::palette::{INK, strategy_colours};
use super::points::Sweep;

/// A results folder, read.
#[derive(Clone, Debug)]
pub struct Data {
    /// The scenario's name.
    pub name: String,
    pub(super) subtitle: String,
    pub(super) strategies: Vec<(String, RGBColor)>,
    pub(super) duration: Ms,
    pub(super) bucket: Ms,
    /// The shortest and the longest of any group.
    pub(super) heartbeat: (Ms, Ms),
    pub(super) session: (Ms, Ms),
    pub(super) groups: u64,
    pub(super) outcomes: Vec<OutcomeRow<'static>>,
    pub(super) timeline: Vec<TimelineRow<'static>>,
    pub(super) strips: Vec<StripRow<'static>>,
    pub(super) delays: Vec<DelayRow<'static>>,
    pub(super) heap: Vec<HeapRow<'static>>,
    pub(super) moves: Vec<MovesRow<'static>>,
    pub(super) ownership: Vec<OwnershipRow<'static>>,
    pub(super) marks: Vec<Mark>,
    pub(super) sweep: Option<Sweep>,
    /// The time that charts with time on their axis show; `None`: the whole run.
    pub(super) shown: Option<(Ms, Ms)>,
    /// Files that are not as they should be: what is drawn from them is left out.
    pub problems: Vec<ReadError>,
}

impl Data {
    /// Reads a folder whose scenario is known already. What cannot be read is in `problems`.
    #[must_use]
    pub fn read(folder: &Path, provenance: &Provenance, scenario: &Scenario) -> Data {
        let mut problems = Vec::new();
        let outcomes: Vec<OutcomeRow<'static>> = or_problem(read_rows(folder, "outcomes.csv"), &mut problems);
        // a sweep has one row a point here, and the rest is its own affair
        let sweep = folder.join("points.csv").exists().then(|| Sweep::read(folder));
        let sweep = sweep.and_then(|read| read.map_err(|e| problems.push(e)).ok());
        let mut shape = Vec::new();
        let timeline = or_problem(read_rows(folder, "timeline.csv"), &mut shape);
        let strips = or_problem(read_rows(folder, "strips.csv"), &mut shape);
        let delays = or_problem(read_rows(folder, "delays.csv"), &mut shape);
        let heap = or_problem(read_rows(folder, "heap.csv"), &mut shape);
        // there only where a group has an assignor
        let assigns = outcomes.iter().any(|row| row.assignments.is_some());
        let moves = if assigns { or_problem(read_rows(folder, "moves.csv"), &mut shape) } else { Vec::new() };
        let ownership = if assigns { or_problem(read_rows(folder, "ownership.csv"), &mut shape) } else { Vec::new() };
        let marks: Vec<MarkRow<'static>> = or_problem(read_rows(folder, "marks.csv"), &mut shape);
        if sweep.is_none() {
            problems.extend(shape);
        }
        let first_run = marks.first().map_or(1, |row| row.run);
        let marks = marks.into_iter().filter(|row| row.run == first_run);
        let mut names: Vec<String> = Vec::new();
        for row in &outcomes {
            if !names.iter().any(|name| *name == row.strategy) {
                names.push(row.strategy.to_string());
            }
        }
        let spread = |of: fn(&crate::scenario::Group) -> crate::scenario::Span<Ms>| {
            let all = scenario.groups.iter().map(of);
            (all.clone().map(|s| s.lo).min().unwrap_or(Ms::ZERO), all.map(|s| s.hi).max().unwrap_or(Ms::ZERO))
        };
        Data {
            name: provenance.scenario.clone(),
            subtitle: subtitle(provenance, sweep.as_ref()),
            strategies: coloured(names, &scenario.strategies),
            duration: scenario.duration,
            bucket: scenario.bucket,
            heartbeat: spread(|g| g.heartbeat),
            session: spread(|g| g.session),
            groups: outcomes.iter().map(|row| row.groups).max().unwrap_or(0),
            outcomes,
            timeline,
            strips,
            delays,
            heap,
            moves,
            ownership,
            marks: marks.map(|row| Mark { at: Ms(row.at_ms), label: row.entry.into_owned() }).collect(),
            sweep,
            shown: None,
            problems,
        }
    }

    /// Of the charts with time on their axis only `from` to `until` (absent: the run's start and end).
    ///
    /// # Errors
    /// If nothing of the run is between them: what can be asked for.
    pub fn between(&mut self, from: Option<Ms>, until: Option<Ms>) -> Result<(), String> {
        let (start, end) = (from.unwrap_or(Ms::ZERO), until.unwrap_or(self.duration).min(self.duration));
        if start >= end {
            let run = format!("the run of {} goes from 0s to {}ms", self.name, self.duration.0);
            return Err(format!(
                "there is nothing between {}ms and {}ms: {run} ({})",
                start.0,
                end.0,
                self.duration.clock()
            ));
        }
        let width = self.bucket.0;
        self.timeline.retain(|row| row.bucket_start_ms < end.0 && row.bucket_start_ms + width > start.0);
        self.ownership.retain(|row| row.bucket_start_ms < end.0 && row.bucket_start_ms + width > start.0);
        self.strips.retain(|row| row.from_ms < end.0 && row.until_ms > start.0);
        self.marks.retain(|mark| (start..=end).contains(&mark.at));
        self.subtitle += &format!(", {} to {}", start.clock(), end.clock());
        self.shown = Some((start, end));
        Ok(())
    }

    /// Has a group an assignor?
    pub(super) fn assigns(&self) -> bool {
        self.outcomes.iter().any(|row| row.assignments.is_some())
    }

    /// The time axis of its charts.
    pub(super) fn time_axis(&self, left: i32, room: i32) -> TimeAxis {
        let (start, end) = self.shown.unwrap_or((Ms::ZERO, self.duration));
        TimeAxis { left, room, start, end }
    }

    /// Is there a file that this folder's charts need and that could not be read?
    pub(super) fn lacks(&self, file: &str) -> Option<String> {
        let named = |problem: &&ReadError| problem.to_string().contains(file);
        self.problems.iter().find(named).map(ToString::to_string)
    }

    /// Several as one: every strategy of every result a series of its own.
    pub(super) fn together(all: &[Data]) -> Data {
        let mut whole = all[0].clone();
        let label = |data: &Data, strategy: &str| format!("{} · {strategy}", data.name);
        whole.name = all.iter().map(|d| d.name.as_str()).collect::<Vec<_>>().join(", ");
        whole.subtitle = format!("{} results: {}", all.len(), whole.name);
        (whole.strategies, whole.outcomes, whole.heap, whole.sweep) = (Vec::new(), Vec::new(), Vec::new(), None);
        for data in all.iter().filter(|d| d.sweep.is_none()) {
            whole.strategies.extend(data.strategies.iter().map(|(s, colour)| (label(data, s), *colour)));
            whole.outcomes.extend(data.outcomes.iter().cloned().map(|mut row| {
                row.strategy = label(data, &row.strategy).into();
                row
            }));
            whole.heap.extend(data.heap.iter().cloned().map(|mut row| {
                row.strategy = label(data, &row.strategy).into();
                row
            }));
        }
        whole
    }
}

fn or_problem<R>(read: Result<Vec<R>, ReadError>, problems: &mut Vec<ReadError>) -> Vec<R> {
    read.unwrap_or_else(|problem| {
        problems.push(problem);
        Vec::new()
    })
}

/// A strategy's colour comes from what it is; of one that the scenario does not know, from nothing.
fn coloured(names: Vec<String>, specs: &[StrategySpec]) -> Vec<(String, RGBColor)> {
    let known: Vec<StrategySpec> =
        names.iter().filter_map(|name| specs.iter().find(|spec| spec.name == *name)).cloned().collect();
    let colours = strategy_colours(&known);
    let colour = |name: &str| known.iter().position(|spec| spec.name == name).map(|place| colours[place]);
    names.into_iter().map(|name| (colour(&name).unwrap_or(INK), name)).map(|(c, name)| (name, c)).collect()
}

fn subtitle(provenance: &Provenance, sweep: Option<&Sweep>) -> String {
    let many = if provenance.runs > 1 { format!(", {} runs", provenance.runs) } else { String::new() };
    let history = match (sweep, provenance.histories.first()) {
        (None, Some(id)) => format!(", history {id}"),
        _ => String::new(),
    };
    format!("{}, seed {}{many}{history}", provenance.scenario, provenance.seed)
}
