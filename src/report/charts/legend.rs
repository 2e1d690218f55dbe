//! The names of what a chart's colours mean, above the data and never on it.

use plotters::style::RGBColor;

use super::canvas::{Canvas, Hang, Pen, width};

/// Names of lines or fills in rows below the subtitle.
pub(super) struct Legend<'a> {
    entries: Vec<(&'a str, RGBColor)>,
    places: Vec<(i32, i32)>,
}

const LEGEND_TOP: i32 = 76;
const LEGEND_ROW: i32 = 20;

impl<'a> Legend<'a> {
    pub(super) fn new(entries: Vec<(&'a str, RGBColor)>, paper: i32) -> Legend<'a> {
        let (mut x, mut row) = (24, 0);
        let mut places = Vec::new();
        for (name, _) in &entries {
            let long = 30 + width(name, 12) + 20;
            if x > 24 && x + long > paper - 24 {
                (x, row) = (24, row + 1);
            }
            places.push((x, row));
            x += long;
        }
        Legend { entries, places }
    }

    /// With these in rows of their own below.
    pub(super) fn and_below(mut self, other: Legend<'a>) -> Legend<'a> {
        let rows = self.places.last().map_or(0, |(_, row)| row + 1);
        self.places.extend(other.places.into_iter().map(|(x, row)| (x, row + rows)));
        self.entries.extend(other.entries);
        self
    }

    /// Where the chart may begin.
    pub(super) fn bottom(&self) -> i32 {
        LEGEND_TOP + self.places.last().map_or(0, |(_, row)| (row + 1) * LEGEND_ROW)
    }

    /// As lines, or as boxes.
    pub(super) fn paint(&self, canvas: &mut Canvas, boxes: bool) {
        for ((name, colour), (x, row)) in self.entries.iter().zip(&self.places) {
            let y = LEGEND_TOP + row * LEGEND_ROW;
            if boxes {
                canvas.bar((x + 8, y - 6), (x + 20, y + 6), *colour);
            } else {
                canvas.line(vec![(*x, y), (x + 24, y)], *colour, 3);
            }
            canvas.text(name, (x + 30, y), Pen::new(12, Hang::Left));
        }
    }
}
