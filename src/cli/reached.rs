//! How far runs are that other threads make: a line on the terminal with the simulated time, its rate, and what is left.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::experiment::Reached;
use crate::metrics::Meter;
use crate::report::words::about;
use crate::sim::Ms;

/// Where the runs of a scenario are.
pub(super) struct Progress<'a> {
    /// The scenario.
    name: &'a str,
    duration: Ms,
    meter: &'a dyn Meter,
    began: u64,
    /// Of each run: replays that are over, replays, and the simulated instant of the present one.
    runs: Vec<[AtomicU64; 3]>,
}

impl<'a> Progress<'a> {
    /// Nothing is done of so many runs.
    pub(super) fn new(name: &'a str, runs: u32, duration: Ms, meter: &'a dyn Meter) -> Progress<'a> {
        let began = meter.wall_ns();
        let runs = (0..runs).map(|_| [const { AtomicU64::new(0) }; 3]).collect();
        Progress { name, duration, meter, began, runs }
    }

    /// A run (from 1) says where it is.
    pub(super) fn reached(&self, run: u32, reached: Reached) {
        let new = [u64::from(reached.replays), u64::from(reached.of), reached.at.0];
        let places = &self.runs[run as usize - 1];
        places.iter().zip(new).for_each(|(place, value)| place.store(value, Ordering::Relaxed));
    }

    /// A run (from 1) is over.
    pub(super) fn over(&self, run: u32) {
        let [replays, of, at] = &self.runs[run as usize - 1];
        replays.store(of.load(Ordering::Relaxed), Ordering::Relaxed);
        at.store(0, Ordering::Relaxed);
    }

    /// How far they are now, for somebody who waits.
    pub(super) fn line(&self) -> String {
        let passed = self.meter.wall_ns().saturating_sub(self.began) / 1_000_000;
        let runs: Vec<_> = self.runs.iter().map(|run| [0, 1, 2].map(|i| run[i].load(Ordering::Relaxed))).collect();
        line(self.name, self.duration, passed, &runs)
    }
}

/// The line after so many milliseconds: it speaks of the first run that is not over, its pace is that of all of them.
fn line(name: &str, duration: Ms, passed: u64, runs: &[[u64; 3]]) -> String {
    let unfinished = runs.iter().position(|[replays, of, _]| *of == 0 || replays < of);
    let number = unfinished.unwrap_or(runs.len().saturating_sub(1));
    let what = format!("{name}: run {} of {}", number + 1, runs.len());
    // what has not begun will take as much as the others
    let most = runs.iter().map(|[_, of, _]| *of).max().unwrap_or(0);
    let sum = |each: &dyn Fn(&[u64; 3]) -> u64| runs.iter().map(|run| u128::from(each(run))).sum::<u128>();
    let done = sum(&|[replays, _, at]| replays * duration.0 + at);
    let all = sum(&|[_, of, _]| if *of == 0 { most } else { *of } * duration.0);
    let Some([replays, of, at]) = runs.get(number).filter(|[_, of, _]| *of > 0 && done > 0 && passed > 0) else {
        return what;
    };
    let passed = u128::from(passed);
    let about_number = |n: u128| about(u64::try_from(n).unwrap_or(u64::MAX));
    format!(
        "{what} · replay {} of {of} at {} of {} · {} a second · {} left",
        (replays + 1).min(*of),
        about(*at),
        about(duration.0),
        about_number(done * 1000 / passed),
        about_number(passed * all.saturating_sub(done) / done)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_has_where_it_is_how_fast_and_what_is_left() {
        let day = Ms(86_400_000);
        let at = |hours: u64| hours * 3_600_000;
        assert_eq!(line("s", day, 500, &[[0, 0, 0]]), "s: run 1 of 1");
        // six of five days' hours in two seconds
        let one = line("s", day, 2_000, &[[0, 5, at(6)]]);
        assert_eq!(one, "s: run 1 of 1 · replay 1 of 5 at 6 h of 24 h · 3 h a second · 38 s left");
        // of four runs of two replays each one is over, and two have begun
        let four = line("s", day, 1_000, &[[2, 2, 0], [1, 2, at(0)], [0, 2, at(12)], [0, 0, 0]]);
        assert_eq!(four, "s: run 2 of 4 · replay 2 of 2 at 0 s of 24 h · 3.5 d a second · 1.3 s left");
        assert_eq!(line("s", day, 1_000, &[[2, 2, 0], [0, 0, 0]]), "s: run 2 of 2");
        let over = line("s", day, 1_000, &[[2, 2, 0]]);
        assert_eq!(over, "s: run 1 of 1 · replay 2 of 2 at 0 s of 24 h · 2 d a second · 0 s left");
    }
}
