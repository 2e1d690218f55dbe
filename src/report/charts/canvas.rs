//! A drawing in pixels, kept as a list of strokes: the same data give the same bytes, as SVG or as PNG, and a chart
//! that fails leaves no file. Text in a PNG is set in the font of `assets/font`; no system font is asked for.

use std::fmt::Display;
use std::path::Path;
use std::sync::Once;

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::palette::{INK, PAPER};

const FONT: &str = "sans-serif";
/// A PNG has this many pixels for each of the drawing.
const PNG_SCALE: u32 = 2;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

type Point = (i32, i32);

#[derive(Clone, Debug, PartialEq)]
enum Stroke {
    Bar(Point, Point, RGBColor),
    Line(Vec<Point>, RGBColor, u32),
    Area(Vec<Point>, RGBColor, f64),
    Dot(Point, u32, RGBColor),
    Text(String, Point, Pen),
}

/// A drawing that is finished.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    size: (u32, u32),
    strokes: Vec<Stroke>,
}

impl Drawing {
    /// As SVG.
    ///
    /// # Errors
    /// If it cannot be drawn.
    pub fn svg(&self) -> Result<String, DrawError> {
        let mut svg = String::new();
        self.onto(&SVGBackend::with_string(&mut svg, self.size).into_drawing_area(), 1)?;
        Ok(svg)
    }

    /// Writes a PNG.
    ///
    /// # Errors
    /// If it cannot be drawn or written.
    pub fn write_png(&self, path: &Path) -> Result<(), DrawError> {
        let size = (self.size.0 * PNG_SCALE, self.size.1 * PNG_SCALE);
        self.onto(&BitMapBackend::new(path, size).into_drawing_area(), PNG_SCALE)
    }

    fn onto<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, plotters::coord::Shift>,
        scale: u32,
    ) -> Result<(), DrawError> {
        register_font()?;
        area.fill(&PAPER).map_err(DrawError::new)?;
        let times = i32::try_from(scale).unwrap_or(1);
        let at = |point: &Point| (point.0 * times, point.1 * times);
        for stroke in &self.strokes {
            let drawn = match stroke {
                Stroke::Bar(from, to, colour) => area.draw(&Rectangle::new([at(from), at(to)], colour.filled())),
                Stroke::Line(points, colour, width) => {
                    let points: Vec<Point> = points.iter().map(at).collect();
                    area.draw(&PathElement::new(points, colour.stroke_width(width * scale)))
                }
                Stroke::Area(points, colour, strength) => {
                    let points: Vec<Point> = points.iter().map(at).collect();
                    area.draw(&Polygon::new(points, colour.mix(*strength)))
                }
                Stroke::Dot(point, radius, colour) => {
                    area.draw(&Circle::new(at(point), radius * scale, colour.filled()))
                }
                Stroke::Text(text, point, pen) => {
                    let hang = match pen.hang {
                        Hang::Left => HPos::Left,
                        Hang::Middle => HPos::Center,
                        Hang::Right => HPos::Right,
                    };
                    let font = (FONT, pen.size * scale).into_font();
                    let style = font.color(&pen.colour).pos(Pos::new(hang, VPos::Center));
                    area.draw(&Text::new(text.clone(), at(point), style))
                }
            };
            drawn.map_err(DrawError::new)?;
        }
        area.present().map_err(DrawError::new)
    }
}

fn register_font() -> Result<(), DrawError> {
    static ONCE: Once = Once::new();
    let mut failed = false;
    ONCE.call_once(|| {
        let bytes = include_bytes!("../../../assets/font/DejaVuSans.ttf");
        failed = plotters::style::register_font(FONT, FontStyle::Normal, bytes).is_err();
    });
    if failed { Err(DrawError("the font in assets/font cannot be read".to_owned())) } else { Ok(()) }
}

/// The drawing in the making.
pub(super) struct Canvas {
    width: i32,
    height: i32,
    strokes: Vec<Stroke>,
}

impl Canvas {
    /// Empty paper.
    pub(super) const fn new(width: i32, height: i32) -> Canvas {
        Canvas { width, height, strokes: Vec::new() }
    }

    /// Title and subtitle, as every chart has them.
    pub(super) fn titled(width: i32, height: i32, title: &str, subtitle: &str) -> Canvas {
        let mut canvas = Canvas::new(width, height);
        let size = [20, 18, 16, 14].into_iter().find(|s| self::width(title, *s) <= width - 48).unwrap_or(14);
        canvas.text(&cut(title, size, width - 48), (24, 26), Pen::new(size, Hang::Left));
        canvas.text(&cut(subtitle, 12, width - 48), (24, 50), Pen::new(12, Hang::Left).in_colour(super::palette::SOFT));
        canvas
    }

    /// It is finished.
    pub(super) fn drawing(self) -> Drawing {
        let size = |pixels: i32| u32::try_from(pixels).unwrap_or(0).max(1);
        Drawing { size: (size(self.width), size(self.height)), strokes: self.strokes }
    }

    /// A filled box.
    pub(super) fn bar(&mut self, from: Point, to: Point, colour: RGBColor) {
        self.strokes.push(Stroke::Bar(from, to, colour));
    }

    /// A line through points.
    pub(super) fn line(&mut self, points: Vec<Point>, colour: RGBColor, width: u32) {
        if points.len() > 1 {
            self.strokes.push(Stroke::Line(points, colour, width));
        }
    }

    /// A dashed line, straight down.
    pub(super) fn dashes(&mut self, x: i32, (top, bottom): (i32, i32), colour: RGBColor) {
        let mut y = top;
        while y < bottom {
            self.line(vec![(x, y), (x, (y + 4).min(bottom))], colour, 1);
            y += 8;
        }
    }

    /// A filled shape that lets through what is behind it.
    pub(super) fn area(&mut self, points: Vec<Point>, colour: RGBColor, strength: f64) {
        if points.len() > 2 {
            self.strokes.push(Stroke::Area(points, colour, strength));
        }
    }

    /// A disc.
    pub(super) fn dot(&mut self, at: Point, radius: u32, colour: RGBColor) {
        self.strokes.push(Stroke::Dot(at, radius, colour));
    }

    /// A text whose middle line is at the point's height.
    pub(super) fn text(&mut self, text: &str, at: Point, pen: Pen) {
        self.strokes.push(Stroke::Text(text.to_owned(), at, pen));
    }
}

/// About how wide a text of this size is, with room: no font is at hand when an SVG is written.
pub(super) fn width(text: &str, size: u32) -> i32 {
    let chars = i32::try_from(text.chars().count()).unwrap_or(i32::MAX / 64);
    let size = i32::try_from(size).unwrap_or(16);
    chars.saturating_mul(size) * 58 / 100
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

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn a_png_is_drawn_without_any_font_of_the_system_and_twice_the_same() {
        let mut canvas = Canvas::titled(200, 80, "A title", "x");
        canvas.dot((100, 60), 5, INK);
        let drawing = canvas.drawing();
        let home = tempfile::tempdir().unwrap();
        let bytes = ["a.png", "b.png"].map(|name| {
            drawing.write_png(&home.path().join(name)).unwrap();
            std::fs::read(home.path().join(name)).unwrap()
        });
        assert!(bytes[0].starts_with(b"\x89PNG") && bytes[0] == bytes[1]);
        // the title is there: more than paper and a dot
        assert!(bytes[0].len() > 1_000, "{}", bytes[0].len());
    }
}
