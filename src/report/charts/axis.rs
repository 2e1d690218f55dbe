//! Axes: a scale from numbers to pixels, straight or by powers of ten, with round ticks; and time with the
//! history's entries.

use crate::report::words::about;
use crate::sim::Ms;

use super::Mark;
use super::canvas::{Canvas, Hang, Pen, cut, scaled, width};
use super::palette::{INK, LINE, SOFT};

/// A range as wide as this is drawn by powers of ten.
const WIDE: u64 = 50;

/// From numbers to pixels.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scale {
    low: u64,
    high: u64,
    log: bool,
    /// Where `low` lies, and how far from there `high`; negative: upwards or to the left.
    start: i32,
    length: i32,
}

impl Scale {
    /// From 0 to the most.
    pub(super) fn from_zero(most: u64, start: i32, length: i32) -> Scale {
        Scale { low: 0, high: most.max(1), log: false, start, length }
    }

    /// Over all values; by powers of ten where they are positive and far apart.
    pub(super) fn over(values: impl Iterator<Item = u64> + Clone, start: i32, length: i32) -> Scale {
        let (low, high) = (values.clone().min().unwrap_or(0), values.max().unwrap_or(1));
        if low > 0 && high / low >= WIDE {
            Scale::powers(low, high, start, length)
        } else {
            Scale::from_zero(high, start, length)
        }
    }

    /// By powers of ten; nothing is drawn at the lower end.
    pub(super) fn powers(low: u64, high: u64, start: i32, length: i32) -> Scale {
        let low = low.max(1);
        Scale { low, high: high.max(low.saturating_mul(10)), log: true, start, length }
    }

    /// A little room around what there is, so that dots do not lie on the frame.
    pub(super) fn with_room(self) -> Scale {
        if self.log {
            Scale { low: (self.low * 2 / 3).max(1), high: self.high.saturating_mul(2), ..self }
        } else {
            Scale { high: self.high.saturating_add(self.high / 12), ..self }
        }
    }

    /// The pixel.
    pub(super) fn at(&self, value: u64) -> i32 {
        let value = value.clamp(self.low, self.high);
        if self.log {
            let (low, high) = (libm::log10(float(self.low)), libm::log10(float(self.high)));
            let share = (libm::log10(float(value)) - low) / (high - low);
            return self.start + pixels(share * f64::from(self.length));
        }
        let length = scaled(value - self.low, self.high - self.low, self.length.abs());
        self.start + length * self.length.signum()
    }

    /// Round values within.
    pub(super) fn ticks(&self, most: u64) -> Vec<u64> {
        if !self.log {
            let step = step(self.high - self.low, most);
            return (self.low.div_ceil(step)..=self.high / step).map(|k| k * step).collect();
        }
        let tens: Vec<u64> = std::iter::successors(Some(1u64), |t| t.checked_mul(10)).collect();
        let inside = |ticks: &mut Vec<u64>| ticks.retain(|t| (self.low..=self.high).contains(t));
        let mut ticks = tens.clone();
        inside(&mut ticks);
        if ticks.len() < 3 {
            ticks = tens.iter().flat_map(|t| [1, 2, 5].map(|d| t.saturating_mul(d))).collect();
            inside(&mut ticks);
        }
        // every second, third … decade where there are many
        let every = ticks.len().div_ceil(usize::try_from(most.max(1)).unwrap_or(usize::MAX)).max(1);
        ticks.into_iter().step_by(every).collect()
    }
}

#[expect(clippy::cast_possible_truncation, reason = "clamped to pixels before")]
fn pixels(length: f64) -> i32 {
    length.clamp(-100_000.0, 100_000.0).round() as i32
}

#[expect(clippy::cast_precision_loss, reason = "a place on a chart needs no more than 53 bits")]
fn float(value: u64) -> f64 {
    value as f64
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

/// Time from left to right.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeAxis {
    /// Where `start` is.
    pub(super) left: i32,
    /// How long what is shown is drawn.
    pub(super) room: i32,
    /// From when on it is shown.
    pub(super) start: Ms,
    /// Until when: mostly the run's end.
    pub(super) end: Ms,
}

impl TimeAxis {
    pub(super) fn x(&self, at: Ms) -> i32 {
        let (start, end) = (self.start.0, self.end.0);
        self.left + scaled(at.0.clamp(start, end) - start, end - start, self.room)
    }

    /// The clock below.
    pub(super) fn hours(&self, canvas: &mut Canvas, y: i32) {
        for (at, text) in self.ticks() {
            canvas.text(&text, (self.x(at), y), Pen::new(12, Hang::Middle).in_colour(SOFT));
        }
    }

    fn ticks(&self) -> Vec<(Ms, String)> {
        const STEPS: [u64; 14] =
            [1, 10, 60, 300, 600, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400, 172_800, 604_800, 2_592_000];
        let (start, end) = (self.start.0, self.end.0);
        let long = end - start;
        let tick = STEPS.into_iter().map(|s| s * 1000).find(|s| long / s <= 8).unwrap_or((long / 8).max(1));
        let text = |at: Ms| if tick >= 86_400_000 { format!("{} d", at.0 / 86_400_000) } else { at.clock() };
        (start.div_ceil(tick)..=end / tick).map(|k| Ms(k * tick)).map(|at| (at, text(at))).collect()
    }

    /// The history's entries as ticks down from `y`; labels that would run into each other are left out.
    pub(super) fn marks(&self, canvas: &mut Canvas, marks: &[Mark], y: i32, paper: i32) {
        let mut free = [self.left - 8; 2];
        let mut drawn: Option<i32> = None;
        for mark in marks {
            let x = self.x(mark.at);
            if drawn == Some(x) && free.iter().all(|f| *f > x) {
                continue;
            }
            canvas.line(vec![(x, y), (x, y + 8)], INK, 1);
            drawn = Some(x);
            let label = cut(&mark.label, 11, 160);
            let long = width(&label, 11);
            let at = x.min(paper - long - 4);
            if let Some((row, place)) = free.iter_mut().enumerate().find(|(_, place)| **place <= at) {
                *place = at + long + 10;
                let below = y + 17 + 14 * i32::try_from(row).unwrap_or(0);
                canvas.text(&label, (at, below), Pen::new(11, Hang::Left));
            }
        }
    }
}

/// How a scale's ticks are written.
pub(super) type Words = fn(u64) -> String;

/// Round times within a scale.
pub(super) fn time_ticks(scale: &Scale) -> Vec<u64> {
    const ROUND: [u64; 20] = [
        1,
        10,
        100,
        200,
        500,
        1_000,
        2_000,
        5_000,
        10_000,
        30_000,
        60_000,
        300_000,
        600_000,
        1_800_000,
        3_600_000,
        21_600_000,
        86_400_000,
        604_800_000,
        2_592_000_000,
        31_536_000_000,
    ];
    if scale.log {
        let inside: Vec<u64> = ROUND.into_iter().filter(|t| (scale.low..=scale.high).contains(t)).collect();
        let every = inside.len().div_ceil(9).max(1);
        return inside.into_iter().step_by(every).collect();
    }
    let step = ROUND.into_iter().find(|step| scale.high / step <= 8).unwrap_or(scale.high.max(1));
    (0..=scale.high / step).map(|k| k * step).collect()
}

/// A frame of two scales: lines at ticks, figures beside them.
pub(super) fn frame(
    canvas: &mut Canvas,
    (x, y): (&Scale, &Scale),
    x_ticks: &[u64],
    (left, right): (i32, i32),
    (top, bottom): (i32, i32),
    words: (Words, Words),
) {
    for n in y.ticks(6) {
        canvas.line(vec![(left, y.at(n)), (right, y.at(n))], LINE, 1);
        canvas.text(&words.1(n), (left - 8, y.at(n)), Pen::new(12, Hang::Right).in_colour(SOFT));
    }
    let mut free = i32::MIN;
    for &n in x_ticks {
        let (at, text) = (x.at(n), words.0(n));
        canvas.line(vec![(at, top), (at, bottom)], LINE, 1);
        let half = width(&text, 12) / 2;
        if at - half > free {
            canvas.text(&text, (at, bottom + 14), Pen::new(12, Hang::Middle).in_colour(SOFT));
            free = at + half + 4;
        }
    }
    canvas.line(vec![(left, top), (left, bottom), (right, bottom)], INK, 1);
}

/// A time as an axis has it.
pub(super) fn time(ms: u64) -> String {
    if ms == 0 { "0".to_owned() } else { about(ms) }
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
    fn a_wide_range_is_drawn_by_powers_of_ten_and_a_narrow_one_from_zero() {
        let wide = Scale::over([1u64, 10, 10_000].into_iter(), 100, 400);
        assert!(wide.log);
        assert_eq!([1, 10, 100, 1_000, 10_000].map(|v| wide.at(v)), [100, 200, 300, 400, 500]);
        assert_eq!(wide.ticks(8), [1, 10, 100, 1_000, 10_000]);
        assert_eq!(wide.at(0), 100, "nothing lies at the lower end");
        let narrow = Scale::over([20u64, 30, 40].into_iter(), 500, -400);
        assert_eq!([0, 10, 40].map(|v| narrow.at(v)), [500, 400, 100]);
        assert_eq!(narrow.ticks(4), [0, 10, 20, 30, 40]);
        let short = Scale::powers(3, 100, 0, 100);
        assert_eq!(short.ticks(8), [5, 10, 20, 50, 100]);
    }
}
