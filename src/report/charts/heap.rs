//! Who holds the memory: for each strategy two stacked bars, at the peak and after a failover.

use crate::coordinator::HOLDERS;
use crate::report::words::{bytes, ratio};

use super::axis::Scale;
use super::canvas::{Canvas, Drawing, Hang, Pen, cut, width};
use super::data::Data;
use super::legend::Legend;
use super::palette::{HOLDER_COLOURS, INK, LINE, SOFT};

const WIDTH: i32 = 960;
const BAR: i32 = 16;
const ROW: i32 = 54;
const MOMENTS: [(&str, &str); 2] = [("peak", "peak"), ("after-failover", "after a failover")];

/// Bytes by holder of one strategy at each of the moments; of several runs the largest.
type Held = [[u64; HOLDERS.len()]; MOMENTS.len()];

/// The chart; there is nothing to draw where nothing is held.
pub(super) fn chart(data: &Data) -> Result<Drawing, String> {
    let held: Vec<Held> = data.strategies.iter().map(|(strategy, _)| held(data, strategy)).collect();
    let total = |bar: &[u64; HOLDERS.len()]| bar.iter().sum::<u64>();
    let most = held.iter().flatten().map(total).max().unwrap_or(0);
    if most == 0 {
        return Err("nothing is held in any heap".to_owned());
    }
    let there = |holder: usize| held.iter().flatten().any(|bar| bar[holder] > 0);
    let entries = (0..HOLDERS.len()).filter(|i| there(*i)).map(|i| (HOLDERS[i], HOLDER_COLOURS[i]));
    let legend = Legend::new(entries.collect(), WIDTH);
    let top = legend.bottom() + 8;
    let rows = i32::try_from(held.len()).unwrap_or(1);
    let mut canvas = Canvas::titled(WIDTH, top + rows * ROW + 44, &title(data, &held), &data.subtitle);
    legend.paint(&mut canvas, true);
    let names = data.strategies.iter().map(|(s, _)| width(s, 14)).max().unwrap_or(0).clamp(60, 380) + 32;
    let moments = width(MOMENTS[1].1, 11) + 12;
    let left = names + moments;
    let x = Scale::from_zero(most, left, WIDTH - left - 90);
    let bottom = top + rows * ROW;
    for n in x.ticks(6) {
        canvas.line(vec![(x.at(n), top), (x.at(n), bottom)], LINE, 1);
        canvas.text(&bytes(n), (x.at(n), bottom + 14), Pen::new(12, Hang::Middle).in_colour(SOFT));
    }
    for ((bars, (strategy, _)), row) in held.iter().zip(&data.strategies).zip(0..) {
        let upper = top + row * ROW + 8;
        canvas.text(&cut(strategy, 14, names - 32), (names - 16, upper + BAR), Pen::new(14, Hang::Right));
        for ((bar, (_, word)), nth) in bars.iter().zip(MOMENTS).zip(0..) {
            let y = upper + nth * (BAR + 4);
            canvas.text(word, (left - 8, y + BAR / 2), Pen::new(11, Hang::Right).in_colour(SOFT));
            let mut done = 0;
            for (n, colour) in bar.iter().zip(HOLDER_COLOURS) {
                if *n > 0 {
                    let from = x.at(done);
                    canvas.bar((from, y), (x.at(done + n).max(from + 1), y + BAR), colour);
                }
                done += n;
            }
            canvas.text(&bytes(done), (x.at(done) + 8, y + BAR / 2), Pen::new(12, Hang::Left));
        }
    }
    canvas.line(vec![(left, top), (left, bottom)], INK, 1);
    Ok(canvas.drawing())
}

fn held(data: &Data, strategy: &str) -> Held {
    let mut held = Held::default();
    for ((moment, _), bar) in MOMENTS.iter().zip(&mut held) {
        let mut runs: Vec<(u32, [u64; HOLDERS.len()])> = Vec::new();
        for row in data.heap.iter().filter(|row| row.strategy == strategy && row.moment == *moment) {
            if runs.last().is_none_or(|(run, _)| *run != row.run) {
                runs.push((row.run, [0; HOLDERS.len()]));
            }
            if let (Some((_, bar)), Some(place)) = (runs.last_mut(), HOLDERS.iter().position(|h| *h == row.holder)) {
                bar[place] += row.bytes;
            }
        }
        let largest = runs.into_iter().max_by_key(|(_, bar)| bar.iter().sum::<u64>());
        *bar = largest.map_or([0; HOLDERS.len()], |(_, bar)| bar);
    }
    held
}

/// What is seen: who holds most, and what most of it is.
fn title(data: &Data, held: &[Held]) -> String {
    let totals: Vec<u64> = held.iter().map(|bars| bars[0].iter().sum()).collect();
    let most = totals.iter().enumerate().rev().max_by_key(|(_, n)| **n);
    let Some((place, n)) = most.filter(|(_, n)| **n > 0) else { return "Who holds the memory".to_owned() };
    let strategy = &data.strategies[place].0;
    let part = held[place][0].iter().enumerate().rev().max_by_key(|(_, n)| **n);
    let what =
        part.map_or(String::new(), |(holder, part)| format!(", most of it {} ({} %)", HOLDERS[holder], part * 100 / n));
    let least = totals.iter().copied().min().unwrap_or(0);
    match ratio(*n, least) {
        Some(times) if totals.len() > 1 && *n > least => {
            format!("{strategy} holds {}{what}, {times} the least", bytes(*n))
        }
        _ => format!("{strategy} holds {}{what}", bytes(*n)),
    }
}
