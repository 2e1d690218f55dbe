//! The time line: rebalances above, stale groups below, the history's entries as ticks between them. So it
//! is seen which change did it, and how long the wave was.

use std::collections::BTreeMap;

use plotters::style::RGBColor;

use crate::report::words::{about, count, thousands};
use crate::sim::Ms;

use super::axis::{Scale, TimeAxis};
use super::canvas::{Canvas, Drawing, Hang, Pen};
use super::data::Data;
use super::legend::Legend;
use super::palette::{INK, LINE, SOFT};

const WIDTH: i32 = 960;
const LEFT: i32 = 76;
const RIGHT: i32 = 24;
const PANEL: i32 = 180;
const GAP: i32 = 64;

/// One strategy's two lines, all runs summed.
struct Series<'a> {
    strategy: &'a str,
    colour: RGBColor,
    /// By bucket's start: rebalances and stale groups.
    buckets: BTreeMap<u64, (u64, u64)>,
}

/// The chart; there is nothing to draw if no bucket has anything.
pub(super) fn chart(data: &Data) -> Result<Drawing, String> {
    let series = series(data);
    let most = |of: fn(&(u64, u64)) -> u64| series.iter().flat_map(|s| s.buckets.values()).map(of).max().unwrap_or(0);
    let (most_rebalances, most_stale) = (most(|b| b.0), most(|b| b.1));
    if most_rebalances == 0 && most_stale == 0 {
        let when = if data.shown.is_some() { " in this time" } else { "" };
        return Err(format!("no rebalance and no stale group at the end of any bucket{when}"));
    }
    let legend = Legend::new(series.iter().map(|s| (s.strategy, s.colour)).collect(), WIDTH);
    let top = legend.bottom() + 14;
    let mut canvas = Canvas::titled(WIDTH, top + 2 * PANEL + GAP + 44, &title(&series, data.bucket), &data.subtitle);
    legend.paint(&mut canvas, false);
    let time = data.time_axis(LEFT, WIDTH - LEFT - RIGHT);
    let label = format!("rebalances per {}", about(data.bucket.0));
    panel(&mut canvas, &time, top, most_rebalances, &label, &series, |b| b.0);
    let lower = top + PANEL + GAP;
    panel(&mut canvas, &time, lower, most_stale, "stale groups", &series, |b| b.1);
    time.marks(&mut canvas, &data.marks, top + PANEL, WIDTH);
    time.hours(&mut canvas, lower + PANEL + 14);
    Ok(canvas.drawing())
}

fn series(data: &Data) -> Vec<Series<'_>> {
    let mut series: Vec<Series<'_>> = data
        .strategies
        .iter()
        .map(|(strategy, colour)| Series { strategy, colour: *colour, buckets: BTreeMap::new() })
        .collect();
    for row in &data.timeline {
        if let Some(of) = series.iter_mut().find(|s| s.strategy == row.strategy) {
            let bucket = of.buckets.entry(row.bucket_start_ms).or_default();
            bucket.0 += row.rebalances;
            bucket.1 += row.stale_groups;
        }
    }
    series
}

/// What is seen: the highest bar.
fn title(series: &[Series<'_>], bucket: Ms) -> String {
    let peaks = series.iter().flat_map(|s| s.buckets.iter().map(move |(at, b)| (b.0, *at, s.strategy)));
    // of equal ones the first strategy's first
    let peak = peaks.fold(None, |best: Option<(u64, u64, &str)>, next| match best {
        Some(best) if best.0 >= next.0 => Some(best),
        _ => Some(next),
    });
    match peak {
        Some((n, at, strategy)) if n > 0 => {
            let (at, most) = (Ms(at / 1000 * 1000).clock(), thousands(n));
            format!("At most {most} rebalances in {}: {strategy}, from {at}", about(bucket.0))
        }
        _ => "Nobody rebalances, and groups are stale".to_owned(),
    }
}

fn panel(
    canvas: &mut Canvas,
    time: &TimeAxis,
    top: i32,
    most: u64,
    label: &str,
    series: &[Series<'_>],
    of: fn(&(u64, u64)) -> u64,
) {
    let scale = Scale::from_zero(most, top + PANEL, -PANEL);
    let right = time.x(time.end);
    for n in scale.ticks(4) {
        canvas.line(vec![(LEFT, scale.at(n)), (right, scale.at(n))], LINE, 1);
        canvas.text(&count(n), (LEFT - 8, scale.at(n)), Pen::new(12, Hang::Right).in_colour(SOFT));
    }
    canvas.line(vec![(LEFT, top + PANEL), (right, top + PANEL)], INK, 1);
    canvas.text(label, (LEFT + 4, top - 8), Pen::new(12, Hang::Left).in_colour(SOFT));
    // lines that lie on each other show as stripes: the first is the broadest
    for (s, above) in series.iter().zip((0..series.len()).rev()) {
        let width = 2 + u32::try_from(above.min(5)).unwrap_or(0);
        let starts: Vec<u64> = s.buckets.keys().copied().collect();
        let mut points: Vec<(i32, i32)> = Vec::new();
        for (i, bucket) in s.buckets.values().enumerate() {
            let until = starts.get(i + 1).map_or(time.end, |next| Ms(*next));
            points.extend([Ms(starts[i]), until].map(|at| (time.x(at), scale.at(of(bucket)))));
        }
        points.dedup();
        canvas.line(points, s.colour, width);
    }
}
