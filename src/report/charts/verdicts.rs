//! Stacked bars by verdict, one for each strategy: to the right what it did, to the left what it missed. So
//! it is seen at a glance who is wrong, and which way.

use plotters::style::RGBColor;

use crate::metrics::Counts;
use crate::report::words::{count, thousands};

use super::axis::step;
use super::canvas::{Canvas, Drawing, Hang, Pen, cut, scaled, width};
use super::data::Data;
use super::legend::Legend;
use super::palette::{INK, LATE, LINE, MEMBERSHIP, MISSED, NEEDED, REPEAT, SOFT, SPURIOUS};

const WIDTH: i32 = 960;
const ROW: i32 = 34;
const BOTTOM: i32 = 48;

/// One strategy's bar, all runs and points summed.
struct Bar<'a> {
    strategy: &'a str,
    counts: Counts,
}

/// The chart; there is nothing to draw if nobody rebalanced and nothing was missed.
pub(super) fn chart(data: &Data) -> Result<Drawing, String> {
    let bars = bars(data);
    let most = bars.iter().map(|b| b.counts.rebalances()).max().unwrap_or(0);
    let most_missed = bars.iter().map(|b| b.counts.missed).max().unwrap_or(0);
    if most == 0 && most_missed == 0 {
        return Err("no rebalance, and no change missed".to_owned());
    }
    let legend = Legend::new(entries(&bars), WIDTH);
    let top = legend.bottom() + 4;
    let rows = i32::try_from(bars.len()).unwrap_or(i32::MAX / ROW / 2);
    let mut canvas = Canvas::titled(WIDTH, top + rows * ROW + BOTTOM, &title(&bars), &data.subtitle);
    legend.paint(&mut canvas, true);
    paint(&mut canvas, &bars, top, most, most_missed);
    Ok(canvas.drawing())
}

fn bars(data: &Data) -> Vec<Bar<'_>> {
    let sum = |strategy: &str| {
        let mut sum = Counts::default();
        for row in data.outcomes.iter().filter(|row| row.strategy == strategy) {
            sum.membership += row.membership;
            sum.needed += row.needed;
            sum.late += row.late;
            sum.spurious += row.spurious;
            sum.repeat += row.repeat;
            sum.missed += row.missed;
        }
        sum
    };
    data.strategies.iter().map(|(strategy, _)| Bar { strategy, counts: sum(strategy) }).collect()
}

/// What is seen.
fn title(bars: &[Bar<'_>]) -> String {
    let most = |of: fn(&Bar<'_>) -> u64| bars.iter().rev().max_by_key(|b| of(b)).filter(|b| of(b) > 0);
    if let Some(b) = most(|b| b.counts.spurious) {
        let (needless, all) = (thousands(b.counts.spurious), thousands(b.counts.rebalances()));
        return format!("{needless} of {}'s {all} rebalances are needless", b.strategy);
    }
    if let Some(b) = most(|b| b.counts.missed) {
        return format!("{} misses {} changes", b.strategy, thousands(b.counts.missed));
    }
    if let Some(b) = most(|b| b.counts.late) {
        return format!("{} of {}'s rebalances come late", thousands(b.counts.late), b.strategy);
    }
    "Every rebalance was called for, and none is missing".to_owned()
}

fn parts(counts: &Counts) -> [(u64, RGBColor, &'static str); 5] {
    [
        (counts.membership, MEMBERSHIP, "membership"),
        (counts.needed, NEEDED, "needed"),
        (counts.late, LATE, "late"),
        (counts.spurious - counts.repeat, SPURIOUS, "spurious"),
        (counts.repeat, REPEAT, "repeat"),
    ]
}

/// Only what there is.
fn entries(bars: &[Bar<'_>]) -> Vec<(&'static str, RGBColor)> {
    let there = |place: usize| bars.iter().any(|b| parts(&b.counts)[place].0 > 0);
    let words = parts(&Counts::default());
    let mut entries: Vec<_> = (0..5).filter(|i| there(*i)).map(|i| (words[i].2, words[i].1)).collect();
    if bars.iter().any(|b| b.counts.missed > 0) {
        entries.push(("missed", MISSED));
    }
    entries
}

fn paint(canvas: &mut Canvas, bars: &[Bar<'_>], top: i32, most: u64, most_missed: u64) {
    let names = bars.iter().map(|b| width(b.strategy, 14)).max().unwrap_or(0).clamp(60, 380) + 32;
    // room for the figure beside a bar to the left
    let left = names + if most_missed > 0 { width(&thousands(most_missed), 12) + 12 } else { 0 };
    let room = WIDTH - left - 90;
    let whole = most.saturating_add(most_missed).max(1);
    let zero = left + scaled(most_missed, whole, room);
    let bottom = top + i32::try_from(bars.len()).unwrap_or(0) * ROW;
    // the axis: rebalances to the right of zero, missed changes to the left
    let tick = step(whole, 8);
    for side in [1, -1] {
        let end = if side == 1 { most } else { most_missed };
        for n in (0..=end / tick).map(|k| k * tick) {
            let x = zero + side * scaled(n, whole, room);
            canvas.line(vec![(x, top - 4), (x, bottom)], LINE, 1);
            canvas.text(&count(n), (x, bottom + 12), Pen::new(12, Hang::Middle).in_colour(SOFT));
        }
    }
    for (bar, row) in bars.iter().zip(0..) {
        let (upper, middle) = (top + row * ROW + 6, top + row * ROW + ROW / 2);
        canvas.text(&cut(bar.strategy, 14, names - 32), (names - 16, middle), Pen::new(14, Hang::Right));
        let mut done = 0;
        for (n, colour, _) in parts(&bar.counts) {
            if n > 0 {
                let from = zero + scaled(done, whole, room);
                let to = (zero + scaled(done + n, whole, room)).max(from + 1);
                canvas.bar((from, upper), (to, upper + ROW - 12), colour);
            }
            done += n;
        }
        let end = zero + scaled(done, whole, room) + 6;
        canvas.text(&thousands(done), (end, middle), Pen::new(12, Hang::Left));
        if bar.counts.missed > 0 {
            let from = (zero - scaled(bar.counts.missed, whole, room)).min(zero - 1);
            canvas.bar((from, upper), (zero, upper + ROW - 12), MISSED);
            canvas.text(&thousands(bar.counts.missed), (from - 6, middle), Pen::new(12, Hang::Right));
        }
    }
    canvas.line(vec![(zero, top - 4), (zero, bottom)], INK, 1);
    if most_missed > 0 {
        canvas.text("◀ missed changes", (zero - 8, bottom + 32), Pen::new(12, Hang::Right).in_colour(SOFT));
    }
    canvas.text("rebalances ▶", (zero + 8, bottom + 32), Pen::new(12, Hang::Left).in_colour(SOFT));
}
