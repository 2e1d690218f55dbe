//! CPU against memory, a dot a strategy, as large as the log it writes; with several sizes of the same an arrow from
//! few groups to many. This is the KIP's table of words, and where it flips.

use plotters::style::RGBColor;

use crate::report::words::{bytes, plural, ratio, thousands, work};

use super::axis::{Scale, frame};
use super::canvas::{Canvas, Drawing, Hang, Pen};
use super::data::Data;
use super::legend::Legend;
use super::palette::{INK, SOFT};

const WIDTH: i32 = 960;
const LEFT: i32 = 92;
const RIGHT: i32 = 40;
const HEIGHT: i32 = 400;

/// A strategy at one size, runs averaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Spot {
    groups: u64,
    heap: u64,
    cpu_ns: u64,
    log: u64,
}

struct Series<'a> {
    strategy: &'a str,
    colour: RGBColor,
    /// From few groups to many.
    spots: Vec<Spot>,
}

/// The chart, over one result or several.
pub(super) fn chart(all: &[Data]) -> Result<Drawing, String> {
    let series = series(all);
    let spots = || series.iter().flat_map(|s| &s.spots);
    if spots().next().is_none() {
        return Err("no outcome".to_owned());
    }
    if spots().all(|s| s.cpu_ns == 0) {
        return Err("no strategy had anything to do, so none cost anything".to_owned());
    }
    let legend = Legend::new(series.iter().map(|s| (s.strategy, s.colour)).collect(), WIDTH);
    let top = legend.bottom() + 34;
    let sub = match all {
        [one] => one.subtitle.clone(),
        many => {
            format!("{} results: {}", many.len(), many.iter().map(|d| d.name.as_str()).collect::<Vec<_>>().join(", "))
        }
    };
    let mut canvas = Canvas::titled(WIDTH, top + HEIGHT + 56, &title(&series), &sub);
    legend.paint(&mut canvas, false);
    let x = Scale::over(spots().map(|s| s.heap.max(1)), LEFT, WIDTH - LEFT - RIGHT).with_room();
    let y = Scale::over(spots().map(|s| s.cpu_ns.max(1)), top + HEIGHT, -HEIGHT).with_room();
    frame(&mut canvas, (&x, &y), &x.ticks(8), (LEFT, WIDTH - RIGHT), (top, top + HEIGHT), (bytes, work));
    let soft = Pen::new(12, Hang::Left).in_colour(SOFT);
    canvas.text("processor time by the cost model", (LEFT + 4, top - 10), soft);
    canvas.text(
        "heap at its peak, by the model",
        (WIDTH - RIGHT, top + HEIGHT + 36),
        Pen { hang: Hang::Right, ..soft },
    );
    sizes(&mut canvas, top - 10, spots().map(|s| s.log));
    for s in &series {
        let at = |spot: &Spot| (x.at(spot.heap.max(1)), y.at(spot.cpu_ns.max(1)));
        let path: Vec<(i32, i32)> = s.spots.iter().map(at).collect();
        let grows = s.spots.first().map(|spot| spot.groups) != s.spots.last().map(|spot| spot.groups);
        if grows {
            canvas.line(path.clone(), s.colour, 2);
        }
        // the last dot is drawn before the arrow's head, so that the head is seen
        for (spot, place) in s.spots.iter().zip(&path).rev() {
            canvas.dot(*place, radius(spot.log), s.colour);
        }
        if let [.., before, last] = path.as_slice()
            && grows
        {
            arrow(&mut canvas, *before, *last, s.colour);
        }
    }
    ends(&mut canvas, &series, &x, &y);
    Ok(canvas.drawing())
}

fn series(all: &[Data]) -> Vec<Series<'_>> {
    let mut series: Vec<Series<'_>> = Vec::new();
    for data in all {
        for (strategy, colour) in &data.strategies {
            let place = series.iter().position(|s| s.strategy == strategy).unwrap_or_else(|| {
                series.push(Series { strategy, colour: *colour, spots: Vec::new() });
                series.len() - 1
            });
            series[place].spots.extend(spots(data, strategy));
        }
    }
    series.iter_mut().for_each(|s| s.spots = by_groups(std::mem::take(&mut s.spots)));
    // a classic group's coordinator keeps nothing and does nothing, and a scale of powers has no place for that
    let costs = |s: &Series<'_>| s.spots.iter().any(|spot| spot.heap > 0 || spot.cpu_ns > 0);
    if series.iter().any(costs) {
        series.retain(costs);
    }
    series
}

/// From few groups to many, one for each number of them; of one number only, as many as there are.
fn by_groups(mut spots: Vec<Spot>) -> Vec<Spot> {
    spots.sort_by_key(|spot| spot.groups);
    if spots.windows(2).all(|pair| pair[0].groups == pair[1].groups) {
        return spots;
    }
    let mean = |same: &[Spot]| {
        let of = |figure: fn(&Spot) -> u64| same.iter().map(figure).sum::<u64>() / same.len() as u64;
        Spot { groups: same[0].groups, heap: of(|s| s.heap), cpu_ns: of(|s| s.cpu_ns), log: of(|s| s.log) }
    };
    spots.chunk_by(|a, b| a.groups == b.groups).map(mean).collect()
}

/// One for each point, runs averaged.
fn spots(data: &Data, strategy: &str) -> Vec<Spot> {
    let mut sums: Vec<(&str, u64, Spot)> = Vec::new();
    for row in data.outcomes.iter().filter(|row| row.strategy == strategy) {
        let place = sums.iter().position(|(point, ..)| *point == row.point).unwrap_or_else(|| {
            sums.push((&row.point, 0, Spot { groups: 0, heap: 0, cpu_ns: 0, log: 0 }));
            sums.len() - 1
        });
        let (_, n, sum) = &mut sums[place];
        *n += 1;
        sum.groups += row.groups;
        sum.heap += row.heap_bytes_peak;
        sum.cpu_ns += row.cpu_model_ns;
        sum.log += row.offsets_log_bytes;
    }
    let mean = |(_, n, s): (&str, u64, Spot)| Spot {
        groups: s.groups / n,
        heap: s.heap / n,
        cpu_ns: s.cpu_ns / n,
        log: s.log / n,
    };
    sums.into_iter().map(mean).collect()
}

/// A pixel more for each doubling beyond a kilobyte.
fn radius(log: u64) -> u32 {
    4 + (log / 1_000).checked_ilog2().unwrap_or(0).min(24) * 2 / 3
}

/// What the sizes of the dots mean, at the right above the frame.
fn sizes(canvas: &mut Canvas, y: i32, logs: impl Iterator<Item = u64> + Clone) {
    let most = logs.max().unwrap_or(0);
    let examples: Vec<u64> =
        [1_000u64, 1_000_000, 1_000_000_000].into_iter().filter(|n| *n <= most.max(1_000)).collect();
    let mut x = WIDTH - RIGHT;
    for log in examples.iter().rev() {
        let text = bytes(*log);
        canvas.text(&text, (x, y), Pen::new(12, Hang::Right).in_colour(SOFT));
        let r = i32::try_from(radius(*log)).unwrap_or(4);
        x -= super::canvas::width(&text, 12) + 8 + r;
        canvas.dot((x, y), radius(*log), SOFT);
        x -= r + 14;
    }
    canvas.text("log written:", (x, y), Pen::new(12, Hang::Right).in_colour(SOFT));
}

/// A head at the last point.
#[expect(clippy::cast_possible_truncation, reason = "a few pixels")]
fn arrow(canvas: &mut Canvas, (x0, y0): (i32, i32), (x1, y1): (i32, i32), colour: RGBColor) {
    let (dx, dy) = (f64::from(x1 - x0), f64::from(y1 - y0));
    let long = libm::sqrt(dx * dx + dy * dy);
    if long < 1.0 {
        return;
    }
    let (ux, uy) = (dx / long, dy / long);
    let at = |along: f64, across: f64| {
        (x1 + (ux * along - uy * across).round() as i32, y1 + (uy * along + ux * across).round() as i32)
    };
    canvas.area(vec![at(22.0, 0.0), at(2.0, 9.0), at(2.0, -9.0)], INK, 0.25);
    canvas.area(vec![at(20.0, 0.0), at(3.0, 7.0), at(3.0, -7.0)], colour, 1.0);
}

/// How many groups the ends of an arrow stand for, at the first strategy that has one.
fn ends(canvas: &mut Canvas, series: &[Series<'_>], x: &Scale, y: &Scale) {
    let grows = |s: &&Series<'_>| s.spots.first().map(|f| f.groups) != s.spots.last().map(|l| l.groups);
    let long = series.iter().find(grows);
    if let Some([first, .., last]) = long.map(|s| s.spots.as_slice()) {
        for (spot, word) in [(first, "group"), (last, "group")] {
            let text = plural(spot.groups, word);
            let at = (x.at(spot.heap.max(1)), y.at(spot.cpu_ns.max(1)) - 20);
            let hang = if at.0 > WIDTH - RIGHT - 120 { Hang::Right } else { Hang::Left };
            canvas.text(&text, at, Pen::new(11, hang).in_colour(INK));
        }
    }
}

/// What is seen: the dearest and the cheapest, and whether they change places.
fn title(series: &[Series<'_>]) -> String {
    let at = |last: bool| -> Vec<(&str, Spot)> {
        let end = |s: &Series<'_>| if last { s.spots.last().copied() } else { s.spots.first().copied() };
        series.iter().filter_map(|s| Some((s.strategy, end(s)?))).collect()
    };
    let dearest = |spots: &[(&str, Spot)]| spots.iter().rev().max_by_key(|s| s.1.cpu_ns).map(|s| s.0.to_owned());
    let (few, many) = (at(false), at(true));
    let sizes = |spots: &[(&str, Spot)]| spots.first().map_or(0, |s| s.1.groups);
    if let (Some(a), Some(b)) = (dearest(&few), dearest(&many))
        && a != b
    {
        let (few, many) = (plural(sizes(&few), "group"), thousands(sizes(&many)));
        return format!("{a} takes most time with {few}, {b} with {many}");
    }
    let cpu = many.iter().rev().max_by_key(|s| s.1.cpu_ns);
    let heap = many.iter().rev().max_by_key(|s| s.1.heap);
    match (cpu, heap) {
        (Some(alone), _) if many.len() == 1 => {
            format!("{} takes {} and {} of memory", alone.0, work(alone.1.cpu_ns), bytes(alone.1.heap))
        }
        (Some(cpu), Some(heap)) => {
            let least = |of: fn(&Spot) -> u64| many.iter().map(|s| of(&s.1)).min().unwrap_or(0);
            let times = |n: u64, least: u64| ratio(n, least).map_or(String::new(), |r| format!(" ({r} the least)"));
            let (time, memory) = (times(cpu.1.cpu_ns, least(|s| s.cpu_ns)), times(heap.1.heap, least(|s| s.heap)));
            if cpu.0 == heap.0 {
                format!("{} takes most time{time} and most memory{memory}", cpu.0)
            } else {
                format!("{} takes most time{time}, {} most memory{memory}", cpu.0, heap.0)
            }
        }
        _ => "Time and memory".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_strategy_alone_is_compared_with_nobody() {
        let spot = Spot { groups: 3, heap: 17_000, cpu_ns: 6_600_000, log: 1 };
        let series = |strategy| Series { strategy, colour: INK, spots: vec![spot] };
        assert_eq!(title(&[series("a")]), "a takes 6.6 ms and 17 kB of memory");
        assert!(title(&[series("a"), series("b")]).starts_with("a takes most time (1.00× the least)"));
    }
}
