//! The time line: rebalances above, stale groups below, the history's entries as ticks between them. So it
//! is seen which change did it, and how long the wave was.

use plotters::style::RGBColor;

use crate::metrics::RunOutcome;
use crate::report::words::{about, count, thousands};
use crate::scenario::Scenario;
use crate::sim::Ms;

use super::canvas::{Canvas, DrawError, Hang, Pen, cut, scaled, step, width};
use super::palette::{INK, LINE, SOFT, strategy_colours};
use super::{Chart, Mark, Picture};

const WIDTH: i32 = 960;
const LEFT: i32 = 76;
const RIGHT: i32 = 24;
const PANEL: i32 = 180;
const GAP: i32 = 64;
const LEGEND_ROW: i32 = 20;
const ROOM: i32 = WIDTH - LEFT - RIGHT;

/// One strategy's two lines, all runs summed.
struct Series<'a> {
    strategy: &'a str,
    colour: RGBColor,
    rebalances: Vec<u64>,
    stale: Vec<u64>,
}

/// The chart; there is nothing to draw if no bucket has anything.
pub(super) fn chart(
    scenario: &Scenario,
    runs: &[RunOutcome],
    marks: &[Mark],
    subtitle: &str,
) -> Result<Chart, DrawError> {
    let series = series(scenario, runs);
    let starts: Vec<Ms> = runs
        .first()
        .and_then(|r| r.lanes.first())
        .map_or(Vec::new(), |lane| lane.buckets.iter().map(|bucket| bucket.start).collect());
    let most_rebalances = series.iter().flat_map(|s| &s.rebalances).copied().max().unwrap_or(0);
    let most_stale = series.iter().flat_map(|s| &s.stale).copied().max().unwrap_or(0);
    if starts.is_empty() || (most_rebalances == 0 && most_stale == 0) {
        let why = "no rebalance and no stale group at the end of any bucket".to_owned();
        return Ok(Chart { name: "timeline", picture: Picture::Nothing(why) });
    }
    let legend_rows = legend_rows(&series);
    let top = 68 + legend_rows * LEGEND_ROW + 10;
    let height = top + 2 * PANEL + GAP + 44;
    let size = (u32::try_from(WIDTH).unwrap_or(0), u32::try_from(height).unwrap_or(0));
    let svg = Canvas::draw(size, |canvas| {
        let title = title(&series, &starts, scenario.bucket);
        canvas.text(&cut(&title, 20, WIDTH - 48), (24, 26), Pen::new(20, Hang::Left))?;
        canvas.text(&cut(subtitle, 12, WIDTH - 48), (24, 50), Pen::new(12, Hang::Left).in_colour(SOFT))?;
        legend(canvas, &series)?;
        let time = Axis { starts: &starts, end: scenario.duration };
        let upper = Panel { top, most: most_rebalances, label: format!("rebalances per {}", about(scenario.bucket.0)) };
        let lower = Panel { top: top + PANEL + GAP, most: most_stale, label: "stale groups".to_owned() };
        for (panel, of) in [(&upper, 0), (&lower, 1)] {
            panel.frame(canvas, &time)?;
            // lines that lie on each other show as stripes: the first is the broadest
            for (s, above) in series.iter().zip((0..series.len()).rev()) {
                let width = 2 + 2 * u32::try_from(above.min(4)).unwrap_or(0);
                panel.steps(canvas, &time, if of == 0 { &s.rebalances } else { &s.stale }, s.colour, width)?;
            }
        }
        ticks(canvas, marks, &time, top)?;
        hours(canvas, &time, lower.top + PANEL + 14)
    })?;
    Ok(Chart { name: "timeline", picture: Picture::Svg(svg) })
}

fn series<'a>(scenario: &Scenario, runs: &'a [RunOutcome]) -> Vec<Series<'a>> {
    let colours = strategy_colours(&scenario.strategies);
    let Some(first) = runs.first() else {
        return Vec::new();
    };
    let sum = |lane: usize, of: fn(&crate::metrics::Bucket) -> u64| {
        let mut sums = vec![0; first.lanes[lane].buckets.len()];
        for run in runs {
            for (sum, bucket) in sums.iter_mut().zip(&run.lanes[lane].buckets) {
                *sum += of(bucket);
            }
        }
        sums
    };
    (0..first.lanes.len())
        .map(|lane| Series {
            strategy: &first.lanes[lane].strategy,
            colour: colours.get(lane).copied().unwrap_or(INK),
            rebalances: sum(lane, |b| b.rebalances),
            stale: sum(lane, |b| b.stale_groups),
        })
        .collect()
}

/// What is seen: the highest bar.
fn title(series: &[Series<'_>], starts: &[Ms], bucket: Ms) -> String {
    let peaks = series.iter().flat_map(|s| s.rebalances.iter().enumerate().map(move |(i, n)| (*n, i, s.strategy)));
    // of equal ones the first strategy's first
    let peak = peaks.fold(None, |best: Option<(u64, usize, &str)>, next| match best {
        Some(best) if best.0 >= next.0 => Some(best),
        _ => Some(next),
    });
    match peak {
        Some((n, i, strategy)) if n > 0 => {
            let (at, most) = (Ms(starts[i].0 / 1000 * 1000).clock(), thousands(n));
            format!("At most {most} rebalances in {}: {strategy}, from {at}", about(bucket.0))
        }
        _ => "Nobody rebalances, and groups are stale".to_owned(),
    }
}

struct Axis<'a> {
    starts: &'a [Ms],
    end: Ms,
}

impl Axis<'_> {
    fn x(&self, at: Ms) -> i32 {
        LEFT + scaled(at.0.min(self.end.0), self.end.0, ROOM)
    }
}

struct Panel {
    top: i32,
    most: u64,
    label: String,
}

impl Panel {
    fn y(&self, n: u64) -> i32 {
        self.top + PANEL - scaled(n, self.most.max(1), PANEL)
    }

    fn frame(&self, canvas: &Canvas<'_>, time: &Axis<'_>) -> Result<(), DrawError> {
        let tick = step(self.most.max(1), 4);
        for n in (0..=self.most.max(1) / tick).map(|k| k * tick) {
            canvas.line(vec![(LEFT, self.y(n)), (time.x(time.end), self.y(n))], LINE, 1)?;
            canvas.text(&count(n), (LEFT - 8, self.y(n)), Pen::new(12, Hang::Right).in_colour(SOFT))?;
        }
        canvas.line(vec![(LEFT, self.top + PANEL), (time.x(time.end), self.top + PANEL)], INK, 1)?;
        canvas.text(&self.label, (LEFT + 4, self.top - 8), Pen::new(12, Hang::Left).in_colour(SOFT))
    }

    /// A line that keeps its height over each bucket.
    fn steps(
        &self,
        canvas: &Canvas<'_>,
        time: &Axis<'_>,
        values: &[u64],
        colour: RGBColor,
        width: u32,
    ) -> Result<(), DrawError> {
        let mut points: Vec<(i32, i32)> = Vec::new();
        for (i, &n) in values.iter().enumerate() {
            let from = time.starts[i];
            let to = time.starts.get(i + 1).copied().unwrap_or(time.end);
            points.extend([(time.x(from), self.y(n)), (time.x(to), self.y(n))]);
        }
        points.dedup();
        canvas.line(points, colour, width)
    }
}

/// The history's entries between the panels; labels that would run into each other are left out.
fn ticks(canvas: &Canvas<'_>, marks: &[Mark], time: &Axis<'_>, top: i32) -> Result<(), DrawError> {
    let mut free = [LEFT - 8; 2];
    let mut drawn: Option<i32> = None;
    for mark in marks {
        let x = time.x(mark.at);
        if drawn == Some(x) && free.iter().all(|f| *f > x) {
            continue;
        }
        canvas.line(vec![(x, top + PANEL), (x, top + PANEL + 8)], INK, 1)?;
        drawn = Some(x);
        let label = cut(&mark.label, 11, 160);
        let long = width(&label, 11);
        let at = x.min(WIDTH - long - 4);
        if let Some((row, place)) = free.iter_mut().enumerate().find(|(_, place)| **place <= at) {
            *place = at + long + 10;
            let y = top + PANEL + 17 + 14 * i32::try_from(row).unwrap_or(0);
            canvas.text(&label, (at, y), Pen::new(11, Hang::Left))?;
        }
    }
    Ok(())
}

/// The clock below.
fn hours(canvas: &Canvas<'_>, time: &Axis<'_>, y: i32) -> Result<(), DrawError> {
    const STEPS: [u64; 14] =
        [1, 10, 60, 300, 600, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400, 172_800, 604_800, 2_592_000];
    let end = time.end.0;
    let tick = STEPS.into_iter().map(|s| s * 1000).find(|s| end / s <= 8).unwrap_or((end / 8).max(1));
    for at in (0..=end / tick).map(|k| Ms(k * tick)) {
        let text = if tick >= 86_400_000 { format!("{} d", at.0 / 86_400_000) } else { at.clock() };
        canvas.text(&text, (time.x(at), y), Pen::new(12, Hang::Middle).in_colour(SOFT))?;
    }
    Ok(())
}

/// Where each strategy's name stands: x and row.
fn legend_places(series: &[Series<'_>]) -> Vec<(i32, i32)> {
    let (mut x, mut row) = (24, 0);
    let mut places = Vec::new();
    for s in series {
        let long = 30 + width(s.strategy, 12) + 20;
        if x > 24 && x + long > WIDTH - 24 {
            (x, row) = (24, row + 1);
        }
        places.push((x, row));
        x += long;
    }
    places
}

fn legend_rows(series: &[Series<'_>]) -> i32 {
    legend_places(series).last().map_or(0, |(_, row)| row + 1)
}

fn legend(canvas: &Canvas<'_>, series: &[Series<'_>]) -> Result<(), DrawError> {
    for (s, (x, row)) in series.iter().zip(legend_places(series)) {
        let y = 74 + row * LEGEND_ROW;
        canvas.line(vec![(x, y), (x + 24, y)], s.colour, 3)?;
        canvas.text(s.strategy, (x + 30, y), Pen::new(12, Hang::Left))?;
    }
    Ok(())
}
