//! How far runs are that other threads make: a line on the terminal with the simulated time, its rate, and what is left.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use crate::experiment::Reached;
use crate::metrics::Meter;
use crate::sim::Ms;

use super::{Console, Failure};
use crate::report::words::about;

/// How often the line is written again.
const PACE: Duration = Duration::from_millis(200);

/// Where a batch of runs is.
pub(super) struct Progress<'a> {
    /// What the line begins with.
    what: String,
    duration: Ms,
    meter: &'a dyn Meter,
    began: u64,
    /// Of each run: replays that are over, replays, and the simulated instant of the present one.
    runs: Vec<[AtomicU64; 3]>,
}

impl<'a> Progress<'a> {
    /// Nothing is done of so many runs.
    pub(super) fn new(what: String, runs: usize, duration: Ms, meter: &'a dyn Meter) -> Progress<'a> {
        let began = meter.wall_ns();
        let runs = (0..runs).map(|_| [const { AtomicU64::new(0) }; 3]).collect();
        Progress { what, duration, meter, began, runs }
    }

    /// A run says where it is.
    pub(super) fn reached(&self, run: usize, reached: Reached) {
        let new = [u64::from(reached.replays), u64::from(reached.of), reached.at.0];
        self.runs[run].iter().zip(new).for_each(|(place, value)| place.store(value, Ordering::Relaxed));
    }

    /// Writes the line until the work is over.
    pub(super) fn watch(&self, is_over: impl Fn() -> bool, console: &mut Console<'_>) -> Result<(), Failure> {
        while !is_over() {
            thread::park_timeout(PACE);
            let passed = self.meter.wall_ns().saturating_sub(self.began) / 1_000_000;
            let runs = self.runs.iter().map(|run| [0, 1, 2].map(|i| run[i].load(Ordering::Relaxed)));
            console.progress(&line(&self.what, self.duration, passed, runs))?;
        }
        Ok(())
    }
}

/// The line after so many milliseconds.
fn line(what: &str, duration: Ms, passed: u64, runs: impl Iterator<Item = [u64; 3]>) -> String {
    let (mut done, mut all) = (0, 0);
    let mut slowest: Option<(u64, u64, u64, u64)> = None;
    for [replays, of, at] in runs {
        let here = replays * duration.0 + at;
        done += here;
        all += of * duration.0;
        if of > 0 && slowest.is_none_or(|(other, ..)| here < other) {
            slowest = Some((here, replays, of, at));
        }
    }
    let Some((_, replays, of, at)) = slowest.filter(|_| done > 0 && passed > 0) else {
        return what.to_owned();
    };
    let left = u128::from(passed) * u128::from(all - done) / u128::from(done);
    let rate = u128::from(done) * 1000 / u128::from(passed);
    let number = |n: u128| u64::try_from(n).unwrap_or(u64::MAX);
    format!(
        "{what} · replay {} of {of} at {} of {} · {} a second · {} left",
        replays + 1,
        about(at),
        about(duration.0),
        about(number(rate)),
        about(number(left))
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_has_where_it_is_how_fast_and_what_is_left() {
        let day = Ms(86_400_000);
        let at = |hours: u64| hours * 3_600_000;
        assert_eq!(line("s: run 1 of 1", day, 500, [[0, 0, 0]].into_iter()), "s: run 1 of 1");
        // six of five days' hours in two seconds
        let one = line("s: run 1 of 1", day, 2_000, [[0, 5, at(6)]].into_iter());
        assert_eq!(one, "s: run 1 of 1 · replay 1 of 5 at 6 h of 24 h · 3 h a second · 38 s left");
        let two = line("s: run 3 of 8", day, 1_000, [[1, 2, at(12)], [1, 2, at(0)]].into_iter());
        assert_eq!(two, "s: run 3 of 8 · replay 2 of 2 at 0 s of 24 h · 2.5 d a second · 600 ms left");
    }
}
