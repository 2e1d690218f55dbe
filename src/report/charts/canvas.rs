//! A drawing in pixels, made in memory: the same data give the same bytes, and a chart that fails leaves
//! no file.

use std::fmt::Display;

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::palette::{INK, PAPER};

/// Why a chart could not be drawn.
#[derive(Debug, thiserror::Error)]
#[error("cannot draw the chart: {0}")]
pub struct DrawError(String);

impl DrawError {
    fn new(error: impl Display) -> DrawError {
        DrawError(error.to_string())
    }
}

/// Where a text hangs on its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hang {
    Left,
    Middle,
    Right,
}

/// A text's size, colour and place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pen {
    pub(super) size: u32,
    pub(super) colour: RGBColor,
    pub(super) hang: Hang,
}

impl Pen {
    pub(super) const fn new(size: u32, hang: Hang) -> Pen {
        Pen { size, colour: INK, hang }
    }

    pub(super) const fn in_colour(self, colour: RGBColor) -> Pen {
        Pen { colour, ..self }
    }
}

/// The drawing.
pub(super) struct Canvas<'a> {
    area: DrawingArea<SVGBackend<'a>, plotters::coord::Shift>,
}

impl Canvas<'_> {
    /// Draws into a text of SVG.
    pub(super) fn draw(
        size: (u32, u32),
        paint: impl FnOnce(&Canvas<'_>) -> Result<(), DrawError>,
    ) -> Result<String, DrawError> {
        let mut svg = String::new();
        {
            let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
            area.fill(&PAPER).map_err(DrawError::new)?;
            let canvas = Canvas { area };
            paint(&canvas)?;
            canvas.area.present().map_err(DrawError::new)?;
        }
        Ok(svg)
    }

    /// A filled box.
    pub(super) fn bar(&self, from: (i32, i32), to: (i32, i32), colour: RGBColor) -> Result<(), DrawError> {
        self.area.draw(&Rectangle::new([from, to], colour.filled())).map_err(DrawError::new)
    }

    /// A line through points.
    pub(super) fn line(&self, points: Vec<(i32, i32)>, colour: RGBColor, width: u32) -> Result<(), DrawError> {
        self.area.draw(&PathElement::new(points, colour.stroke_width(width))).map_err(DrawError::new)
    }

    /// A text whose middle line is at the point's height.
    pub(super) fn text(&self, text: &str, at: (i32, i32), pen: Pen) -> Result<(), DrawError> {
        let hang = match pen.hang {
            Hang::Left => HPos::Left,
            Hang::Middle => HPos::Center,
            Hang::Right => HPos::Right,
        };
        let style = ("sans-serif", pen.size).into_font().color(&pen.colour).pos(Pos::new(hang, VPos::Center));
        self.area.draw(&Text::new(text.to_owned(), at, style)).map_err(DrawError::new)
    }
}

/// About how wide a text of this size is; no font is at hand when an SVG is written.
pub(super) fn width(text: &str, size: u32) -> i32 {
    let chars = i32::try_from(text.chars().count()).unwrap_or(i32::MAX / 64);
    let size = i32::try_from(size).unwrap_or(16);
    chars.saturating_mul(size) * 56 / 100
}

/// A text cut so that it is not wider than so many pixels.
pub(super) fn cut(text: &str, size: u32, room: i32) -> String {
    if width(text, size) <= room {
        return text.to_owned();
    }
    let mut short: String = text.to_owned();
    while !short.is_empty() && width(&short, size) + width("…", size) > room {
        short.pop();
    }
    short.push('…');
    short
}

/// `value` of `whole`, as a length in pixels, rounded; nothing of nothing is no length.
pub(super) fn scaled(value: u64, whole: u64, pixels: i32) -> i32 {
    if whole == 0 {
        return 0;
    }
    let pixels = u128::try_from(pixels).unwrap_or(0);
    let length = (u128::from(value) * pixels * 2 + u128::from(whole)) / (u128::from(whole) * 2);
    i32::try_from(length).unwrap_or(i32::MAX)
}

/// A step for an axis to `most`: 1, 2 or 5 times a power of ten, at most `ticks` of them.
pub(super) fn step(most: u64, ticks: u64) -> u64 {
    let mut power: u64 = 1;
    loop {
        for digit in [1, 2, 5] {
            let step = power.saturating_mul(digit);
            if most / step <= ticks {
                return step;
            }
        }
        power = power.saturating_mul(10);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round_and_few() {
        assert_eq!(
            [0, 4, 18, 59, 99_000, u64::MAX].map(|most| step(most, 5)),
            [1, 1, 5, 10, 20_000, 5_000_000_000_000_000_000]
        );
    }

    #[test]
    fn lengths_are_rounded_and_nothing_is_nothing() {
        assert_eq!(scaled(1, 3, 100), 33);
        assert_eq!(scaled(2, 3, 100), 67);
        assert_eq!(scaled(5, 0, 100), 0);
        assert_eq!(scaled(u64::MAX, u64::MAX, 100), 100);
    }

    #[test]
    fn a_long_name_is_cut() {
        assert_eq!(cut("short", 10, 100), "short");
        let long = cut("a-very-long-strategy-name-indeed", 10, 100);
        assert!(long.ends_with('…') && width(&long, 10) <= 100, "{long}");
    }
}
