//! Stacked bars of partitions that moved, one for each strategy, by what caused it; a strip below says how many of
//! them for nothing.

use plotters::style::RGBColor;

use crate::report::words::{count, thousands};

use super::axis::Scale;
use super::canvas::{Canvas, Drawing, Hang, Pen, cut, width};
use super::data::Data;
use super::legend::Legend;
use super::palette::{CAUSES, INK, LINE, MEMBERSHIP, SOFT, SPURIOUS};

const WIDTH: i32 = 960;
const ROW: i32 = 40;
const BAR: i32 = 22;
const STRIP: i32 = 5;

/// One strategy's bar, all runs summed: moves by cause, as in the legend, and how many of all were wasted.
struct Bar<'a> {
    strategy: &'a str,
    moves: Vec<u64>,
    wasted: u64,
}

impl Bar<'_> {
    fn total(&self) -> u64 {
        self.moves.iter().sum()
    }
}

/// The chart; there is nothing to draw where nothing moved.
pub(super) fn chart(data: &Data) -> Result<Drawing, String> {
    let causes = causes(data);
    let bars = bars(data, &causes);
    let most = bars.iter().map(Bar::total).max().unwrap_or(0);
    if most == 0 {
        return Err("no partition moves to another member".to_owned());
    }
    let mut entries: Vec<(&str, RGBColor)> = causes.clone();
    if bars.iter().any(|bar| bar.wasted > 0) {
        entries.push(("of these for nothing", SPURIOUS));
    }
    let legend = Legend::new(entries, WIDTH);
    let top = legend.bottom() + 4;
    let rows = i32::try_from(bars.len()).unwrap_or(i32::MAX / ROW / 2);
    let bottom = top + rows * ROW;
    let mut canvas = Canvas::titled(WIDTH, bottom + 44, &title(&bars), &data.subtitle);
    legend.paint(&mut canvas, true);
    let left = bars.iter().map(|b| width(b.strategy, 14)).max().unwrap_or(0).clamp(60, 380) + 32;
    let x = Scale::from_zero(most, left, WIDTH - left - 100);
    for n in x.ticks(6) {
        canvas.line(vec![(x.at(n), top), (x.at(n), bottom)], LINE, 1);
        canvas.text(&count(n), (x.at(n), bottom + 14), Pen::new(12, Hang::Middle).in_colour(SOFT));
    }
    for (bar, row) in bars.iter().zip(0..) {
        let upper = top + row * ROW + 6;
        let middle = upper + BAR / 2;
        canvas.text(&cut(bar.strategy, 14, left - 32), (left - 16, middle), Pen::new(14, Hang::Right));
        let mut done = 0;
        for (n, (_, colour)) in bar.moves.iter().zip(&causes) {
            if *n > 0 {
                let from = x.at(done);
                canvas.bar((from, upper), (x.at(done + n).max(from + 1), upper + BAR), *colour);
            }
            done += n;
        }
        if bar.wasted > 0 {
            let end = x.at(bar.wasted).max(left + 1);
            canvas.bar((left, upper + BAR + 1), (end, upper + BAR + 1 + STRIP), SPURIOUS);
        }
        canvas.text(&thousands(done), (x.at(done) + 8, middle), Pen::new(12, Hang::Left));
    }
    canvas.line(vec![(left, top), (left, bottom)], INK, 1);
    canvas.text("partitions moved ▶", (left + 8, bottom + 32), Pen::new(12, Hang::Left).in_colour(SOFT));
    Ok(canvas.drawing())
}

/// The causes of most moves, as many as there are colours for, and `others`; each with its colour.
fn causes(data: &Data) -> Vec<(&str, RGBColor)> {
    let mut sums: Vec<(&str, u64)> = Vec::new();
    for row in &data.moves {
        match sums.iter_mut().find(|(cause, _)| *cause == row.cause) {
            Some((_, moves)) => *moves += row.moves,
            None => sums.push((&row.cause, row.moves)),
        }
    }
    sums.retain(|(_, moves)| *moves > 0);
    // among equal ones the first in the file comes first
    sums.sort_by_key(|(_, moves)| std::cmp::Reverse(*moves));
    let others = sums.len() > CAUSES.len();
    let mut named: Vec<(&str, RGBColor)> = sums.iter().map(|(cause, _)| *cause).zip(CAUSES).collect();
    if others {
        named.push((OTHERS, MEMBERSHIP));
    }
    named
}

const OTHERS: &str = "other causes";

fn bars<'a>(data: &'a Data, causes: &[(&str, RGBColor)]) -> Vec<Bar<'a>> {
    let place = |cause: &str| causes.iter().position(|(name, _)| *name == cause);
    let bar = |strategy: &'a str| {
        let mut bar = Bar { strategy, moves: vec![0; causes.len()], wasted: 0 };
        for row in data.moves.iter().filter(|row| row.strategy == strategy) {
            if let Some(place) = place(&row.cause).or_else(|| place(OTHERS)) {
                bar.moves[place] += row.moves;
            }
            bar.wasted += row.moves_wasted;
        }
        bar
    };
    data.strategies.iter().map(|(strategy, _)| bar(strategy)).collect()
}

/// What is seen: who moves most for nothing, or who moves most.
fn title(bars: &[Bar<'_>]) -> String {
    let most = |of: fn(&Bar<'_>) -> u64| bars.iter().rev().max_by_key(|b| of(b)).filter(|b| of(b) > 0);
    if let Some(bar) = most(|b| b.wasted) {
        let (wasted, all) = (thousands(bar.wasted), thousands(bar.total()));
        return format!("{wasted} of {all} partitions that {} moves are moved for nothing", bar.strategy);
    }
    let totals: Vec<u64> = bars.iter().map(Bar::total).collect();
    match most(|b| b.total()) {
        Some(bar) if totals.iter().all(|n| *n == totals[0]) && totals.len() > 1 => {
            format!("{} partitions move, none for nothing, whatever the strategy", thousands(bar.total()))
        }
        Some(bar) => format!("At most {} partitions move ({}), none for nothing", thousands(bar.total()), bar.strategy),
        None => "No partition moves".to_owned(),
    }
}
