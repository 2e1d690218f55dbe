//! The time line: rebalances above, stale groups below, the history's entries as ticks between them. So it
//! is seen which change did it, and how long the wave was.

use std::collections::BTreeMap;

use plotters::style::RGBColor;

use crate::report::words::{about, thousands};
use crate::sim::Ms;

use super::canvas::{Canvas, Drawing};
use super::data::Data;
use super::legend::Legend;
use super::panel::{PANEL, Steps, panel};

const WIDTH: i32 = 960;
const LEFT: i32 = 76;
const RIGHT: i32 = 24;
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
    let lines = |of: fn(&(u64, u64)) -> u64| -> Vec<Steps> {
        let steps = |s: &Series<'_>| s.buckets.iter().map(|(at, bucket)| (*at, Some(of(bucket)))).collect();
        series.iter().map(|s| Steps { colour: s.colour, buckets: steps(s) }).collect()
    };
    panel(&mut canvas, &time, top, most_rebalances, (&label, ""), &lines(|b| b.0));
    let lower = top + PANEL + GAP;
    panel(&mut canvas, &time, lower, most_stale, ("stale groups", ""), &lines(|b| b.1));
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
