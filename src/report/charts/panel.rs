//! A panel of lines over time: a scale to the left, a label above, lines that go up and down at the buckets.

use plotters::style::RGBColor;

use crate::report::words::count;
use crate::sim::Ms;

use super::axis::{Scale, TimeAxis};
use super::canvas::{Canvas, Hang, Pen};
use super::palette::{INK, LINE, SOFT};

/// A panel's height.
pub(super) const PANEL: i32 = 180;

/// One line: where each bucket begins and its figure; absent: there is none, and the line is broken.
pub(super) struct Steps {
    pub(super) colour: RGBColor,
    pub(super) buckets: Vec<(u64, Option<u64>)>,
}

/// Paints a panel whose upper edge is at `top`; `most` is the scale's end, figures have `unit` behind them.
pub(super) fn panel(
    canvas: &mut Canvas,
    time: &TimeAxis,
    top: i32,
    most: u64,
    (label, unit): (&str, &str),
    lines: &[Steps],
) {
    let scale = Scale::from_zero(most, top + PANEL, -PANEL);
    let (left, right) = (time.left, time.x(time.end));
    for n in scale.ticks(4) {
        canvas.line(vec![(left, scale.at(n)), (right, scale.at(n))], LINE, 1);
        let text = format!("{}{unit}", count(n));
        canvas.text(&text, (left - 8, scale.at(n)), Pen::new(12, Hang::Right).in_colour(SOFT));
    }
    canvas.line(vec![(left, top + PANEL), (right, top + PANEL)], INK, 1);
    canvas.text(label, (left + 4, top - 8), Pen::new(12, Hang::Left).in_colour(SOFT));
    // lines that lie on each other show as stripes: the first is the broadest
    for (line, above) in lines.iter().zip((0..lines.len()).rev()) {
        let width = 2 + u32::try_from(above.min(5)).unwrap_or(0);
        let mut points: Vec<(i32, i32)> = Vec::new();
        for (i, (start, figure)) in line.buckets.iter().enumerate() {
            let until = line.buckets.get(i + 1).map_or(time.end, |(next, _)| Ms(*next));
            match figure {
                Some(n) => points.extend([Ms(*start), until].map(|at| (time.x(at), scale.at(*n)))),
                None => draw(canvas, std::mem::take(&mut points), line.colour, width),
            }
        }
        draw(canvas, points, line.colour, width);
    }
}

fn draw(canvas: &mut Canvas, mut points: Vec<(i32, i32)>, colour: RGBColor, width: u32) {
    points.dedup();
    canvas.line(points, colour, width);
}
