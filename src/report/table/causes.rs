//! `run --by cause`: what changed and what made it visible, one column for each strategy. Two columns of
//! names, or the entry that shows a change gets the blame of the one that made it.

use std::collections::BTreeMap;

use crate::metrics::{BumpVerdict, Counts, Origin, RunOutcome};
use crate::report::files::origin_text;
use crate::report::words::{about, thousands};

use super::grid::{Cell, Column, Grid};
use super::line::{Screen, Tone};

/// More rows than this do not fit a screen; causes.csv has them all.
const ROWS: usize = 60;

/// An origin as the screen has it: all groups' own lines are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    Entry(u32),
    Groups,
    PatternRefresh,
    RefreshInterval,
    Start,
}

impl Source {
    fn of(origin: Origin) -> Source {
        match origin {
            Origin::Entry(entry) => Source::Entry(entry),
            Origin::Group(_) => Source::Groups,
            Origin::PatternRefresh => Source::PatternRefresh,
            Origin::RefreshInterval => Source::RefreshInterval,
            Origin::Start => Source::Start,
        }
    }

    fn text(self, run: &RunOutcome) -> String {
        match self {
            Source::Entry(entry) => origin_text(run, Origin::Entry(entry)).to_owned(),
            Source::Groups => "(a group's own members)".to_owned(),
            Source::PatternRefresh => origin_text(run, Origin::PatternRefresh).to_owned(),
            Source::RefreshInterval => origin_text(run, Origin::RefreshInterval).to_owned(),
            Source::Start => origin_text(run, Origin::Start).to_owned(),
        }
    }
}

type Pair = (Source, Source);

/// The whole screen, all runs summed.
#[must_use]
pub fn cause_screen(runs: &[RunOutcome], screen: Screen) -> String {
    let Some(first) = runs.first() else {
        return String::new();
    };
    let lanes: Vec<(BTreeMap<Pair, Counts>, BTreeMap<Pair, u64>)> =
        (0..first.lanes.len()).map(|lane| (counts(runs, lane), late_delays(runs, lane))).collect();
    let mut pairs: Vec<Pair> = lanes.iter().flat_map(|(counts, _)| counts.keys().copied()).collect();
    pairs.sort_unstable();
    pairs.dedup();
    if pairs.is_empty() {
        return "Nothing to tell apart: no rebalance, and no change missed.\n".to_owned();
    }
    let mut columns = vec![Column::text("cause"), Column::text("trigger")];
    columns.extend(first.lanes.iter().map(|lane| Column::text(lane.strategy.as_str())));
    let mut grid = Grid::new(columns);
    let mut last = None;
    for &pair in pairs.iter().take(ROWS) {
        let (cause, trigger) = pair;
        let mut row = vec![
            Cell::plain(if last == Some(cause) { String::new() } else { cause.text(first) }),
            Cell::plain(if cause == trigger { "itself".to_owned() } else { trigger.text(first) }),
        ];
        last = Some(cause);
        for (counts, delays) in &lanes {
            row.push(cell(counts.get(&pair), delays.get(&pair).copied()));
        }
        grid.row(row);
    }
    let mut out = grid.render(screen);
    if pairs.len() > ROWS {
        out.push_str(&format!("… and {} more pairs in causes.csv\n", thousands((pairs.len() - ROWS) as u64)));
    }
    out
}

fn counts(runs: &[RunOutcome], lane: usize) -> BTreeMap<Pair, Counts> {
    let mut sums: BTreeMap<Pair, Counts> = BTreeMap::new();
    for of in runs.iter().flat_map(|run| &run.lanes[lane].causes) {
        let sum = sums.entry((Source::of(of.cause), Source::of(of.trigger))).or_default();
        sum.membership += of.counts.membership;
        sum.needed += of.counts.needed;
        sum.late += of.counts.late;
        sum.spurious += of.counts.spurious;
        sum.repeat += of.counts.repeat;
        sum.missed += of.counts.missed;
    }
    sums
}

/// The middle delay of late rebalances, where all of them were kept.
fn late_delays(runs: &[RunOutcome], lane: usize) -> BTreeMap<Pair, u64> {
    let mut delays: BTreeMap<Pair, Vec<u64>> = BTreeMap::new();
    if runs.iter().all(|run| run.lanes[lane].bumps_complete) {
        for bump in runs.iter().flat_map(|run| &run.lanes[lane].bumps) {
            if let (BumpVerdict::Late, Some(delay)) = (bump.verdict, bump.delay) {
                delays.entry((Source::of(bump.cause), Source::of(bump.trigger))).or_default().push(delay.0);
            }
        }
    }
    let middle = |mut all: Vec<u64>| {
        all.sort_unstable();
        all[(all.len() - 1) / 2]
    };
    delays.into_iter().map(|(pair, all)| (pair, middle(all))).collect()
}

fn cell(counts: Option<&Counts>, late_delay: Option<u64>) -> Cell {
    let Some(c) = counts else {
        return Cell { text: "–".to_owned(), tone: Tone::Faint };
    };
    let late = match late_delay {
        Some(delay) => format!("late ({})", about(delay)),
        None => "late".to_owned(),
    };
    let parts: Vec<String> = [
        (c.membership, "membership"),
        (c.needed, "needed"),
        (c.late, late.as_str()),
        (c.spurious - c.repeat, "spurious"),
        (c.repeat, "repeat"),
        (c.missed, "missed"),
    ]
    .into_iter()
    .filter(|(n, _)| *n > 0)
    .map(|(n, word)| format!("{} {word}", thousands(n)))
    .collect();
    if parts.is_empty() {
        return Cell { text: "–".to_owned(), tone: Tone::Faint };
    }
    Cell::warn_unless(c.late + c.spurious + c.missed == 0, parts.join(" + ")).undimmed()
}

impl Cell {
    /// Plain where it would be faint.
    fn undimmed(self) -> Cell {
        Cell { tone: if self.tone == Tone::Faint { Tone::Plain } else { self.tone }, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn cause_and_trigger_are_told_apart() {
        insta::assert_snapshot!(cause_screen(&[sample::run(1)], Screen::PAPER));
    }

    #[test]
    fn no_rebalance_at_all_is_said() {
        let mut run = sample::run(1);
        run.lanes.iter_mut().for_each(|lane| lane.causes.clear());
        let text = cause_screen(&[run], Screen::PAPER);
        assert_eq!(text, "Nothing to tell apart: no rebalance, and no change missed.\n");
    }
}
