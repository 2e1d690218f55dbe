//! A figure of outcomes.csv against the parameter that a sweep changes: the mean over runs as a line, the least to the
//! most of them as a band, one panel for each combination of the other parameters.

use std::collections::BTreeMap;

use plotters::style::RGBColor;

use crate::report::files::OutcomeRow;
use crate::report::words::{count, thousands};

use super::axis::{Scale, frame, time, time_ticks};
use super::canvas::{Canvas, Drawing, Hang, Pen, cut};
use super::data::Data;
use super::legend::Legend;
use super::palette::SOFT;
use super::points::{Places, Sweep};

const WIDTH: i32 = 960;
const LEFT: i32 = 92;
const RIGHT: i32 = 40;
/// More panels than this are not drawn; the subtitle says so.
const MOST_PANELS: usize = 6;

/// A strategy's runs at one place of the axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Runs {
    low: u64,
    high: u64,
    sum: u128,
    n: u64,
}

impl Runs {
    fn mean(&self) -> u64 {
        u64::try_from((self.sum + u128::from(self.n / 2)) / u128::from(self.n)).unwrap_or(u64::MAX)
    }
}

struct Series<'a> {
    strategy: &'a str,
    colour: RGBColor,
    /// By place on the axis.
    runs: BTreeMap<usize, Runs>,
}

struct Panel<'a> {
    /// The other parameters.
    label: String,
    series: Vec<Series<'a>>,
}

/// The chart of a metric; there is nothing to draw without a sweep.
pub(super) fn chart(data: &Data, metric: &str) -> Result<Drawing, String> {
    let sweep = data.sweep.as_ref().ok_or("these results are of a single point; `sweep` makes more")?;
    let values = sweep.values(0);
    let mut panels = panels(data, sweep, metric, &values)?;
    let all = panels.len();
    panels.truncate(MOST_PANELS);
    if panels.iter().flat_map(|p| &p.series).all(|s| s.runs.is_empty()) {
        return Err("no point of the sweep has an outcome".to_owned());
    }
    let legend = Legend::new(data.strategies.iter().map(|(s, c)| (s.as_str(), *c)).collect(), WIDTH);
    let panel = if panels.len() == 1 { 340 } else { 190 };
    let gap = 72;
    let top = legend.bottom() + 30;
    let rows = i32::try_from(panels.len()).unwrap_or(1);
    let left_out =
        if all > panels.len() { format!(", the first {} of {all} combinations", panels.len()) } else { String::new() };
    let bands = if panels.iter().flat_map(|p| &p.series).flat_map(|s| s.runs.values()).any(|r| r.n > 1) {
        "; mean of the runs, band from the least to the most"
    } else {
        ""
    };
    let mut canvas = Canvas::titled(
        WIDTH,
        top + rows * (panel + gap),
        &title(&panels, &sweep.axes[0], &values, metric),
        &format!("{}{left_out}{bands}", data.subtitle),
    );
    legend.paint(&mut canvas, false);
    let most = |p: &Panel<'_>| p.series.iter().flat_map(|s| s.runs.values()).map(|r| r.high).max().unwrap_or(0);
    for (of, row) in panels.iter().zip(0..) {
        let upper = top + row * (panel + gap);
        let y = Scale::from_zero(most(of), upper + panel, -panel).with_room();
        canvas.text(
            &cut(&of.label, 12, WIDTH - LEFT - RIGHT),
            (LEFT + 4, upper - 10),
            Pen::new(12, Hang::Left).in_colour(SOFT),
        );
        let x = across(&mut canvas, sweep, &y, (upper, upper + panel));
        let axis = Pen::new(12, Hang::Right).in_colour(SOFT);
        canvas.text(&sweep.axes[0], (WIDTH - RIGHT, upper + panel + 34), axis);
        for (s, above) in of.series.iter().zip((0..of.series.len()).rev()) {
            lines(&mut canvas, s, 2 + u32::try_from(above.min(5)).unwrap_or(0), (x.as_slice(), &y));
        }
    }
    Ok(canvas.drawing())
}

/// The frame, and where each value of the axis lies.
fn across(canvas: &mut Canvas, sweep: &Sweep, y: &Scale, (top, bottom): (i32, i32)) -> Vec<i32> {
    let room = WIDTH - LEFT - RIGHT;
    let sides = (LEFT, WIDTH - RIGHT);
    match sweep.places(0) {
        Places::Numbers(values) => {
            let x = Scale::over(values.iter().copied(), LEFT, room);
            frame(canvas, (&x, y), &x.ticks(8), sides, (top, bottom), (count, count));
            values.into_iter().map(|v| x.at(v)).collect()
        }
        Places::Times(values) => {
            let x = Scale::over(values.iter().copied(), LEFT, room);
            frame(canvas, (&x, y), &time_ticks(&x), sides, (top, bottom), (time, count));
            values.into_iter().map(|v| x.at(v)).collect()
        }
        Places::Words(values) => {
            let none = Scale::from_zero(1, LEFT, 0);
            frame(canvas, (&none, y), &[], sides, (top, bottom), (|_| String::new(), count));
            let n = i32::try_from(values.len()).unwrap_or(1).max(1);
            let at = |i: i32| LEFT + room * (2 * i + 1) / (2 * n);
            for (value, i) in values.iter().zip(0..) {
                canvas.text(
                    &cut(value, 12, room / n),
                    (at(i), bottom + 14),
                    Pen::new(12, Hang::Middle).in_colour(SOFT),
                );
            }
            (0..n).map(at).collect()
        }
    }
}

/// Lines that lie on each other show as stripes: the first is the broadest.
fn lines(canvas: &mut Canvas, series: &Series<'_>, width: u32, (x, y): (&[i32], &Scale)) {
    let at = |of: fn(&Runs) -> u64| -> Vec<(i32, i32)> {
        series.runs.iter().map(|(place, runs)| (x[*place], y.at(of(runs)))).collect()
    };
    let mut band = at(|r| r.low);
    band.extend(at(|r| r.high).into_iter().rev());
    if series.runs.values().any(|r| r.n > 1) {
        canvas.area(band, series.colour, 0.2);
    }
    let means = at(Runs::mean);
    if means.len() <= 60 {
        means.iter().for_each(|place| canvas.dot(*place, width + 1, series.colour));
    }
    canvas.line(means, series.colour, width);
}

fn panels<'a>(data: &'a Data, sweep: &Sweep, metric: &str, values: &[String]) -> Result<Vec<Panel<'a>>, String> {
    let mut panels: BTreeMap<Vec<usize>, Panel<'a>> = BTreeMap::new();
    let others: Vec<Vec<String>> = (1..sweep.axes.len()).map(|axis| sweep.values(axis)).collect();
    let value = reader(metric)?;
    for row in &data.outcomes {
        let Some(point) = sweep.points.get(row.point.as_ref()) else { continue };
        let Some(place) = values.iter().position(|v| *v == point[0]) else { continue };
        let key = others.iter().zip(&point[1..]).filter_map(|(all, v)| all.iter().position(|o| o == v)).collect();
        let label = || {
            let pairs = sweep.axes[1..].iter().zip(&point[1..]).map(|(axis, value)| format!("{axis} = {value}"));
            std::iter::once(metric.to_owned()).chain(pairs).collect::<Vec<_>>().join(" · ")
        };
        let series = || data.strategies.iter().map(|(s, c)| Series { strategy: s, colour: *c, runs: BTreeMap::new() });
        let panel = panels.entry(key).or_insert_with(|| Panel { label: label(), series: series().collect() });
        let Some(of) = panel.series.iter_mut().find(|s| s.strategy == row.strategy) else { continue };
        let Some(n) = value(row) else { continue };
        let runs = of.runs.entry(place).or_insert(Runs { low: u64::MAX, high: 0, sum: 0, n: 0 });
        *runs = Runs { low: runs.low.min(n), high: runs.high.max(n), sum: runs.sum + u128::from(n), n: runs.n + 1 };
    }
    Ok(panels.into_values().collect())
}

/// How a column is read from a row.
type Column = Box<dyn Fn(&OutcomeRow<'_>) -> Option<u64>>;

/// Columns of outcomes.csv that a chart can show.
#[must_use]
pub fn figures() -> Vec<String> {
    let row = serde_json::to_value(OutcomeRow::default()).unwrap_or_default();
    let columns = row.as_object().into_iter().flatten();
    let figures = columns.filter(|(name, value)| (value.is_u64() && *name != "run") || value.is_null());
    figures.map(|(name, _)| name.clone()).collect()
}

/// Reads a column of outcomes.csv by its name.
fn reader(metric: &str) -> Result<Column, String> {
    if !figures().iter().any(|figure| figure == metric) {
        return Err(format!("outcomes.csv has no figure {metric}"));
    }
    let metric = metric.to_owned();
    Ok(Box::new(move |row| serde_json::to_value(row).ok()?.get(&metric)?.as_u64()))
}

/// What is seen: who changes most from one end to the other.
fn title(panels: &[Panel<'_>], axis: &str, values: &[String], metric: &str) -> String {
    let ends = |s: &Series<'_>| {
        let (first, last) = (s.runs.first_key_value()?, s.runs.last_key_value()?);
        Some((first.1.mean(), last.1.mean(), *first.0, *last.0))
    };
    let all = panels.iter().flat_map(|p| p.series.iter().map(move |s| (p, s))).rev();
    let most = all.filter_map(|(p, s)| Some((p, s, ends(s)?))).max_by_key(|(_, _, (a, b, ..))| a.abs_diff(*b));
    match most {
        Some((p, s, (a, b, first, last))) if a != b => format!(
            "{}: {metric} from {} to {} as {axis} goes from {} to {}{}",
            s.strategy,
            thousands(a),
            thousands(b),
            values[first],
            values[last],
            p.label.split_once(" · ").map_or(String::new(), |(_, others)| format!(" ({others})"))
        ),
        Some(_) => format!("{axis} does not change {metric}"),
        None => format!("{metric} by {axis}"),
    }
}
