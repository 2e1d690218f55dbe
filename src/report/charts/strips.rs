//! A strip for each strategy: groups down, time across, darker where a group rebalances more often, another hue
//! where most of it is needless. So it is seen whether everyone rebalances once, or some ten times.

use plotters::style::RGBColor;

use crate::report::files::StripRow;
use crate::report::words::{plural, thousands};
use crate::sim::Ms;

use super::axis::TimeAxis;
use super::canvas::{Canvas, Drawing, Hang, Pen, cut};
use super::data::Data;
use super::legend::Legend;
use super::palette::{CALLED_FOR, INK, NEEDLESS, SOFT};

const WIDTH: i32 = 960;
const LEFT: i32 = 100;
const RIGHT: i32 = 24;
/// Between strips, with the strategy's name in it.
const GAP: i32 = 34;

/// The chart; there is nothing to draw if nobody rebalanced.
pub(super) fn chart(data: &Data) -> Result<Drawing, String> {
    let nothing = || if data.shown.is_some() { "no rebalance in this time" } else { "no rebalance" }.to_owned();
    let first_run = data.strips.first().ok_or_else(nothing)?.run;
    let rows: Vec<&StripRow<'_>> = data.strips.iter().filter(|row| row.run == first_run).collect();
    let tall = rows.iter().map(|row| row.groups).max().unwrap_or(1).max(1);
    let lines = data.groups.div_ceil(tall).max(1);
    let strip = strip_height(lines);
    let legend = legend();
    let top = legend.bottom() + 10;
    let strips = i32::try_from(data.strategies.len()).unwrap_or(1);
    let of_run = if data.outcomes.iter().any(|row| row.run != first_run) { ", its first run" } else { "" };
    let mut canvas = Canvas::titled(
        WIDTH,
        top + strips * (strip + GAP) + 56,
        &title(data, &rows),
        &format!("{}{of_run}", data.subtitle),
    );
    legend.paint(&mut canvas, true);
    let time = data.time_axis(LEFT, WIDTH - LEFT - RIGHT);
    let mut y = top;
    for (strategy, colour) in &data.strategies {
        let frame = Frame { time, groups: data.groups.max(1), lines, top: y + 20, height: strip };
        canvas.bar((LEFT, y + 5), (LEFT + 10, y + 15), *colour);
        canvas.text(&cut(strategy, 13, WIDTH - LEFT - 40), (LEFT + 16, y + 10), Pen::new(13, Hang::Left));
        frame.paint(&mut canvas, rows.iter().filter(|row| row.strategy == strategy.as_str()).copied());
        y += strip + GAP;
    }
    time.marks(&mut canvas, &data.marks, y - GAP + 20, WIDTH);
    time.hours(&mut canvas, y - GAP + 20 + 46);
    Ok(canvas.drawing())
}

/// Few lines are tall, many are a pixel or two each.
fn strip_height(lines: u64) -> i32 {
    let lines = i32::try_from(lines).unwrap_or(120).min(120);
    lines * (84 / lines).clamp(1, 16)
}

/// One strip.
struct Frame {
    time: TimeAxis,
    groups: u64,
    lines: u64,
    top: i32,
    height: i32,
}

impl Frame {
    fn paint<'a>(&self, canvas: &mut Canvas, rows: impl Iterator<Item = &'a StripRow<'a>>) {
        let tall = self.groups.div_ceil(self.lines).max(1);
        let line = i32::try_from(i64::from(self.height) / i64::try_from(self.lines).unwrap_or(1)).unwrap_or(1);
        for row in rows {
            let nth = i32::try_from((row.first - 1) / tall).unwrap_or(0);
            let top = self.top + nth * line;
            let (from, to) = (self.time.x(Ms(row.from_ms)), self.time.x(Ms(row.until_ms)));
            canvas.bar((from, top), (to.max(from + 1), top + line), colour(row));
        }
        let (right, bottom) = (self.time.x(self.time.end), self.top + self.height);
        canvas.line(
            vec![(LEFT, self.top), (LEFT, bottom), (right, bottom), (right, self.top), (LEFT, self.top)],
            SOFT,
            1,
        );
        let pen = Pen::new(11, Hang::Right).in_colour(SOFT);
        canvas.text("1", (LEFT - 8, self.top + 6), pen);
        if self.groups > 1 && self.height > 22 {
            canvas.text(&thousands(self.groups), (LEFT - 8, bottom - 6), pen);
        }
        if self.height > 50 {
            canvas.text("group", (LEFT - 8, self.top + self.height / 2), pen.in_colour(INK));
        }
    }
}

/// Bounds between the four tints, in rebalances per group.
fn tint(row: &StripRow<'_>) -> usize {
    let (n, groups) = (row.rebalances, row.groups.max(1));
    if n * 2 <= groups {
        0
    } else if n <= groups {
        1
    } else if n <= 3 * groups {
        2
    } else {
        3
    }
}

fn colour(row: &StripRow<'_>) -> RGBColor {
    let hue = if row.spurious * 2 > row.rebalances { NEEDLESS } else { CALLED_FOR };
    hue[tint(row)]
}

fn legend() -> Legend<'static> {
    let row = |first, hue| {
        let words = [first, "each group once", "up to 3 times", "more often"];
        Legend::new(words.into_iter().zip(hue).collect(), WIDTH)
    };
    row("called for: up to half of the groups", CALLED_FOR)
        .and_below(row("mostly needless: up to half of the groups", NEEDLESS))
}

/// What is seen: how many are hit, and how often the worst.
fn title(data: &Data, rows: &[&StripRow<'_>]) -> String {
    if data.shown.is_some() {
        return "Rebalances by group and time".to_owned();
    }
    let run = rows.first().map_or(1, |row| row.run);
    let worst = data.outcomes.iter().filter(|row| row.run == run).rev().max_by_key(|row| row.max_per_group);
    match worst {
        Some(row) if row.max_per_group > 1 => format!(
            "Under {} {} of {} rebalance, one of them {} times",
            row.strategy,
            thousands(row.groups_hit),
            plural(row.groups, "group"),
            thousands(row.max_per_group)
        ),
        Some(row) => format!("{} of {} rebalance, each once", thousands(row.groups_hit), plural(row.groups, "group")),
        None => "Rebalances by group and time".to_owned(),
    }
}
