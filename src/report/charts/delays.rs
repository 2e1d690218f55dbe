//! How late rebalances tell what changed: for each strategy the share that has come within a time, with the heartbeat
//! interval and the session timeout marked.

use std::collections::BTreeMap;

use plotters::style::RGBColor;

use crate::report::words::about;
use crate::sim::Ms;

use super::axis::{Scale, frame, time, time_ticks};
use super::canvas::{Canvas, Drawing, Hang, Pen, width};
use super::data::Data;
use super::legend::Legend;
use super::palette::{INK, SOFT};

const WIDTH: i32 = 960;
const LEFT: i32 = 76;
const RIGHT: i32 = 40;
const HEIGHT: i32 = 320;

struct Series<'a> {
    strategy: &'a str,
    colour: RGBColor,
    /// By the bin's upper end.
    bins: BTreeMap<u64, u64>,
}

impl Series<'_> {
    fn total(&self) -> u64 {
        self.bins.values().sum()
    }

    /// The delay that so many percent of them have at most.
    fn percentile(&self, percent: u64) -> Option<u64> {
        let rank = (self.total() * percent).div_ceil(100).max(1);
        let mut seen = 0;
        self.bins
            .iter()
            .find(|(_, n)| {
                seen += **n;
                seen >= rank
            })
            .map(|(end, _)| *end)
    }
}

/// The chart; there is nothing to draw without a needed or late rebalance.
pub(super) fn chart(data: &Data) -> Result<Drawing, String> {
    let mut series: Vec<Series<'_>> = data
        .strategies
        .iter()
        .map(|(strategy, colour)| Series { strategy, colour: *colour, bins: BTreeMap::new() })
        .collect();
    for row in &data.delays {
        if let Some(of) = series.iter_mut().find(|s| s.strategy == row.strategy) {
            *of.bins.entry(row.upto_ms).or_default() += row.rebalances;
        }
    }
    series.retain(|s| s.total() > 0);
    if series.is_empty() {
        return Err("no rebalance told of a change, so none was late or in time".to_owned());
    }
    let legend = Legend::new(series.iter().map(|s| (s.strategy, s.colour)).collect(), WIDTH);
    let top = legend.bottom() + 40;
    let mut canvas = Canvas::titled(WIDTH, top + HEIGHT + 56, &title(&series), &data.subtitle);
    legend.paint(&mut canvas, false);
    let marks = [data.heartbeat, data.session].map(|(low, high)| [low.0, high.0]);
    let ends = series.iter().flat_map(|s| s.bins.keys().copied()).chain(marks.concat()).filter(|ms| *ms > 0);
    let low = ends.clone().min().unwrap_or(1_000);
    let x = Scale::powers(low, ends.max().unwrap_or(1_000), LEFT, WIDTH - LEFT - RIGHT).with_room();
    let y = Scale::from_zero(100, top + HEIGHT, -HEIGHT);
    frame(
        &mut canvas,
        (&x, &y),
        &time_ticks(&x),
        (LEFT, WIDTH - RIGHT),
        (top, top + HEIGHT),
        (time, |n| format!("{n} %")),
    );
    let soft = Pen::new(12, Hang::Left).in_colour(SOFT);
    canvas.text("of the rebalances that tell of a change", (LEFT + 4, top - 26), soft);
    canvas.text("have come after at most", (WIDTH - RIGHT, top + HEIGHT + 36), Pen { hang: Hang::Right, ..soft });
    for (word, span) in [("heartbeat", data.heartbeat), ("session", data.session)] {
        mark(&mut canvas, &x, (top, top + HEIGHT), word, span);
    }
    for (s, above) in series.iter().zip((0..series.len()).rev()) {
        let width = 2 + u32::try_from(above.min(5)).unwrap_or(0);
        let (total, mut seen) = (s.total(), 0);
        let mut points = vec![(LEFT, y.at(0))];
        for (end, n) in &s.bins {
            points.push((x.at(*end), y.at(seen * 100 / total)));
            seen += n;
            points.push((x.at(*end), y.at(seen * 100 / total)));
        }
        points.push((WIDTH - RIGHT, y.at(100)));
        points.dedup();
        canvas.line(points, s.colour, width);
    }
    Ok(canvas.drawing())
}

/// An interval that all groups have, or the shortest and the longest.
fn mark(canvas: &mut Canvas, x: &Scale, (top, bottom): (i32, i32), word: &str, (low, high): (Ms, Ms)) {
    let text = if low == high {
        format!("{word} {}", about(low.0))
    } else {
        format!("{word} {} to {}", about(low.0), about(high.0))
    };
    for at in [low, high] {
        canvas.dashes(x.at(at.0), (top, bottom), INK);
    }
    let half = width(&text, 11) / 2;
    let middle = ((x.at(low.0) + x.at(high.0)) / 2).clamp(LEFT + half, WIDTH - half - 4);
    canvas.text(&text, (middle, top - 8), Pen::new(11, Hang::Middle));
}

/// What is seen: the slowest strategy's half and last.
fn title(series: &[Series<'_>]) -> String {
    let slowest = series.iter().rev().max_by_key(|s| s.percentile(100));
    match slowest.map(|s| (s.strategy, s.percentile(50), s.percentile(100))) {
        Some((strategy, Some(half), Some(last))) => {
            format!(
                "Half of {strategy}'s rebalances come within {} of the change, the last after {}",
                time(half),
                time(last)
            )
        }
        _ => "How late rebalances come".to_owned(),
    }
}
