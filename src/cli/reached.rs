//! How far runs are that other threads make: a line on the terminal with the simulated time, its rate, and what is left.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

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
    runs: Vec<Place>,
}

/// Where one run is.
#[derive(Default)]
struct Place {
    /// How many replays there are; 0: it has not begun.
    of: AtomicU64,
    /// Simulated milliseconds, over all of them. They only grow: lanes that are over together have been so far.
    done: AtomicU64,
    over: AtomicBool,
}

/// A run as the line sees it.
#[derive(Clone, Copy, Debug)]
struct Seen {
    of: u64,
    done: u64,
    over: bool,
}

impl<'a> Progress<'a> {
    /// Nothing is done of so many runs.
    pub(super) fn new(name: &'a str, runs: u32, duration: Ms, meter: &'a dyn Meter) -> Progress<'a> {
        let began = meter.wall_ns();
        Progress { name, duration, meter, began, runs: (0..runs).map(|_| Place::default()).collect() }
    }

    /// A run (from 1) says where it is.
    pub(super) fn reached(&self, run: u32, reached: Reached) {
        let place = &self.runs[run as usize - 1];
        let done = u64::from(reached.replays).saturating_mul(self.duration.0).saturating_add(reached.at.0);
        place.of.store(u64::from(reached.of), Ordering::Relaxed);
        place.done.fetch_max(done, Ordering::Relaxed);
    }

    /// A run (from 1) is over.
    pub(super) fn over(&self, run: u32) {
        self.runs[run as usize - 1].over.store(true, Ordering::Relaxed);
    }

    /// How far they are now, for somebody who waits.
    pub(super) fn line(&self) -> String {
        let passed = self.meter.wall_ns().saturating_sub(self.began) / 1_000_000;
        let seen = |place: &Place| Seen {
            of: place.of.load(Ordering::Relaxed),
            done: place.done.load(Ordering::Relaxed),
            over: place.over.load(Ordering::Relaxed),
        };
        line(self.name, self.duration, passed, &self.runs.iter().map(seen).collect::<Vec<_>>())
    }
}

/// The line after so many milliseconds: it speaks of the first run that is not over, its pace is that of all of them.
fn line(name: &str, duration: Ms, passed: u64, runs: &[Seen]) -> String {
    let Some(number) = runs.iter().position(|run| !run.over) else { return format!("{name}: writing") };
    let mut line = format!("{name}: run {} of {}", number + 1, runs.len());
    // what has not begun will take as much as the others
    let most = runs.iter().map(|run| run.of).max().unwrap_or(0);
    let whole = |run: &Seen| if run.of == 0 { most } else { run.of } * duration.0;
    let done = |run: &Seen| if run.over { whole(run) } else { run.done.min(whole(run)) };
    let sum = |each: &dyn Fn(&Seen) -> u64| runs.iter().map(|run| u128::from(each(run))).sum::<u128>();
    let (all, all_done, passed) = (sum(&whole), sum(&done), u128::from(passed));
    if all_done == 0 || passed == 0 {
        return line;
    }
    let about_number = |n: u128| about(u64::try_from(n).unwrap_or(u64::MAX));
    let Seen { of, done, .. } = runs[number];
    if of > 0 {
        let replay = (done / duration.0.max(1)).min(of - 1);
        let at = (done - replay * duration.0).min(duration.0);
        line.push_str(&format!(" · replay {} of {of} at {} of {}", replay + 1, about(at), about(duration.0)));
    }
    let (pace, left) = (all_done * 1000 / passed, passed * (all - all_done) / all_done);
    line.push_str(&format!(" · {} a second · {} left", about_number(pace), about_number(left)));
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::NoMeter;

    #[test]
    fn the_line_has_where_it_is_how_fast_and_what_is_left() {
        let day = Ms(86_400_000);
        let seen = |hours: u64, of: u64, over: bool| Seen { of, done: hours * 3_600_000, over };
        let waits = seen(0, 0, false);
        assert_eq!(line("s", day, 500, &[waits]), "s: run 1 of 1");
        // six of five days' hours in two seconds
        let one = line("s", day, 2_000, &[seen(6, 5, false)]);
        assert_eq!(one, "s: run 1 of 1 · replay 1 of 5 at 6 h of 24 h · 3 h a second · 38 s left");
        // of four runs of two replays each one is over, and two have begun
        let four = line("s", day, 1_000, &[seen(47, 2, true), seen(24, 2, false), seen(12, 2, false), waits]);
        assert_eq!(four, "s: run 2 of 4 · replay 2 of 2 at 0 s of 24 h · 3.5 d a second · 1.3 s left");
        let begins = line("s", day, 1_000, &[seen(48, 2, true), waits]);
        assert_eq!(begins, "s: run 2 of 2 · 2 d a second · 1 s left");
        let ends = line("s", day, 1_000, &[seen(48, 2, false)]);
        assert_eq!(ends, "s: run 1 of 1 · replay 2 of 2 at 24 h of 24 h · 2 d a second · 0 s left");
        assert_eq!(line("s", day, 1_000, &[seen(48, 2, true)]), "s: writing");
    }

    #[test]
    fn where_a_run_is_only_grows() {
        let progress = Progress::new("s", 2, Ms(1000), &NoMeter);
        let reached = |replays, at| progress.reached(1, Reached { replays, of: 3, at: Ms(at) });
        let done = || progress.runs[0].done.load(Ordering::Relaxed);
        reached(3, 0);
        // three replays were made together, a fourth is made after them
        reached(2, 10);
        assert_eq!(done(), 3000);
        progress.over(1);
        progress.over(2);
        assert_eq!(progress.line(), "s: writing");
    }
}
