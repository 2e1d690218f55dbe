//! Stacked bars by verdict, one for each strategy: to the right what it did, to the left what it missed. So
//! it is seen at a glance who is wrong, and which way.

use plotters::style::RGBColor;

use crate::report::table::LaneSum;
use crate::report::words::{count, thousands};

use super::canvas::{Canvas, DrawError, Hang, Pen, cut, scaled, step, width};
use super::palette::{INK, LATE, LINE, MEMBERSHIP, MISSED, NEEDED, REPEAT, SOFT, SPURIOUS};
use super::{Chart, Picture};

const WIDTH: i32 = 960;
const ROW: i32 = 34;
const TOP: i32 = 96;
const BOTTOM: i32 = 48;

/// The chart; there is nothing to draw if nobody rebalanced and nothing was missed.
pub(super) fn chart(sums: &[LaneSum], subtitle: &str) -> Result<Chart, DrawError> {
    let most = sums.iter().map(|s| s.counts.rebalances()).max().unwrap_or(0);
    let most_missed = sums.iter().map(|s| s.counts.missed).max().unwrap_or(0);
    if most == 0 && most_missed == 0 {
        return Ok(Chart {
            name: "verdicts",
            picture: Picture::Nothing("no rebalance, and no change missed".to_owned()),
        });
    }
    let rows = i32::try_from(sums.len()).unwrap_or(i32::MAX / ROW / 2);
    let size = (u32::try_from(WIDTH).unwrap_or(0), u32::try_from(TOP + rows * ROW + BOTTOM).unwrap_or(0));
    let svg = Canvas::draw(size, |canvas| paint(canvas, sums, subtitle, most, most_missed))?;
    Ok(Chart { name: "verdicts", picture: Picture::Svg(svg) })
}

/// What is seen.
fn title(sums: &[LaneSum]) -> String {
    let most = |of: fn(&LaneSum) -> u64| sums.iter().rev().max_by_key(|s| of(s)).filter(|s| of(s) > 0);
    if let Some(s) = most(|s| s.counts.spurious) {
        let (needless, all) = (thousands(s.counts.spurious), thousands(s.counts.rebalances()));
        return format!("{needless} of {}'s {all} rebalances are needless", s.strategy);
    }
    if let Some(s) = most(|s| s.counts.missed) {
        return format!("{} misses {} changes", s.strategy, thousands(s.counts.missed));
    }
    if let Some(s) = most(|s| s.counts.late) {
        return format!("{} of {}'s rebalances come late", thousands(s.counts.late), s.strategy);
    }
    "Every rebalance was called for, and none is missing".to_owned()
}

fn parts(sum: &LaneSum) -> [(u64, RGBColor, &'static str); 5] {
    let c = &sum.counts;
    [
        (c.membership, MEMBERSHIP, "membership"),
        (c.needed, NEEDED, "needed"),
        (c.late, LATE, "late"),
        (c.spurious - c.repeat, SPURIOUS, "spurious"),
        (c.repeat, REPEAT, "repeat"),
    ]
}

fn paint(canvas: &Canvas<'_>, sums: &[LaneSum], subtitle: &str, most: u64, most_missed: u64) -> Result<(), DrawError> {
    let names = sums.iter().map(|s| width(&s.strategy, 14)).max().unwrap_or(0).clamp(60, 300) + 32;
    // room for the figure beside a bar to the left
    let left = names + if most_missed > 0 { width(&thousands(most_missed), 12) + 12 } else { 0 };
    let room = WIDTH - left - 90;
    let whole = most.saturating_add(most_missed).max(1);
    let zero = left + scaled(most_missed, whole, room);
    let bottom = TOP + i32::try_from(sums.len()).unwrap_or(0) * ROW;
    let title = title(sums);
    canvas.text(&cut(&title, 20, WIDTH - 48), (24, 26), Pen::new(20, Hang::Left))?;
    canvas.text(&cut(subtitle, 12, WIDTH - 48), (24, 50), Pen::new(12, Hang::Left).in_colour(SOFT))?;
    legend(canvas, sums, most_missed > 0)?;
    // the axis: rebalances to the right of zero, missed changes to the left
    let tick = step(whole, 8);
    for side in [1, -1] {
        let end = if side == 1 { most } else { most_missed };
        for n in (0..=end / tick).map(|k| k * tick) {
            let x = zero + side * scaled(n, whole, room);
            canvas.line(vec![(x, TOP - 4), (x, bottom)], LINE, 1)?;
            canvas.text(&count(n), (x, bottom + 12), Pen::new(12, Hang::Middle).in_colour(SOFT))?;
        }
    }
    for (sum, row) in sums.iter().zip(0..) {
        let (top, middle) = (TOP + row * ROW + 6, TOP + row * ROW + ROW / 2);
        canvas.text(&cut(&sum.strategy, 14, names - 32), (names - 16, middle), Pen::new(14, Hang::Right))?;
        let mut done = 0;
        for (n, colour, _) in parts(sum) {
            if n > 0 {
                let from = zero + scaled(done, whole, room);
                let to = (zero + scaled(done + n, whole, room)).max(from + 1);
                canvas.bar((from, top), (to, top + ROW - 12), colour)?;
            }
            done += n;
        }
        let end = zero + scaled(done, whole, room) + 6;
        canvas.text(&thousands(done), (end, middle), Pen::new(12, Hang::Left))?;
        if sum.counts.missed > 0 {
            let from = (zero - scaled(sum.counts.missed, whole, room)).min(zero - 1);
            canvas.bar((from, top), (zero, top + ROW - 12), MISSED)?;
            canvas.text(&thousands(sum.counts.missed), (from - 6, middle), Pen::new(12, Hang::Right))?;
        }
    }
    canvas.line(vec![(zero, TOP - 4), (zero, bottom)], INK, 1)?;
    if most_missed > 0 {
        canvas.text("◀ missed changes", (zero - 8, bottom + 32), Pen::new(12, Hang::Right).in_colour(SOFT))?;
    }
    canvas.text("rebalances ▶", (zero + 8, bottom + 32), Pen::new(12, Hang::Left).in_colour(SOFT))
}

/// Only what there is.
fn legend(canvas: &Canvas<'_>, sums: &[LaneSum], missed: bool) -> Result<(), DrawError> {
    let mut x = 24;
    let mut entries = Vec::new();
    for i in 0..5 {
        let all: u64 = sums.iter().map(|s| parts(s)[i].0).sum();
        if let (true, Some(first)) = (all > 0, sums.first()) {
            let (_, colour, word) = parts(first)[i];
            entries.push((colour, word));
        }
    }
    if missed {
        entries.push((MISSED, "missed"));
    }
    for (colour, word) in entries {
        canvas.bar((x, 68), (x + 12, 80), colour)?;
        canvas.text(word, (x + 18, 74), Pen::new(12, Hang::Left))?;
        x += 18 + width(word, 12) + 22;
    }
    Ok(())
}
