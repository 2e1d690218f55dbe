//! The runs of a sweep that are to be made: on so many threads, each kept as soon as it is finished.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

use rayon::prelude::*;

use crate::experiment::Way;
use crate::experiment::sweep::{Plan, Unit, id_of, keep_bumps, point_sets};
use crate::report::expect;
use crate::report::files::{Keys, OutcomeRow, lines};
use crate::report::sweep::{Done, Kept, Status};
use crate::report::words::about;
use crate::scenario::{Loaded, load};

use super::super::engine::{self, Options};
use super::super::{Console, Failure, Host, interrupt};
use super::SweepArgs;

/// The runs that are to be made, and what they need.
pub(super) struct Work<'a> {
    pub(super) args: &'a SweepArgs,
    pub(super) sets: &'a [String],
    pub(super) base: &'a Loaded,
    pub(super) plan: &'a Plan,
    pub(super) kept: &'a Kept,
    pub(super) host: &'a Host<'a>,
    pub(super) stop: AtomicBool,
}

impl Work<'_> {
    /// Makes runs and keeps each as it is finished. An interruption ends it early and is no failure.
    pub(super) fn make(&self, units: &[Unit], threads: usize, console: &mut Console<'_>) -> Result<(), Failure> {
        if units.is_empty() {
            return Ok(());
        }
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|e| Failure::Machine(format!("cannot start {threads} threads: {e}")))?;
        let failure: Mutex<Option<Failure>> = Mutex::new(None);
        let (sender, receiver) = mpsc::channel();
        std::thread::scope(|scope| -> Result<(), Failure> {
            let failure = &failure;
            let pool = &pool;
            scope.spawn(move || {
                let one = |sender: &mut Sender<()>, unit: &Unit| {
                    if self.stop.load(Ordering::Relaxed) || interrupt::asked() {
                        return;
                    }
                    match self.one(*unit) {
                        Ok(()) => drop(sender.send(())),
                        Err(Failure::Interrupted) => {}
                        Err(other) => {
                            self.stop.store(true, Ordering::Relaxed);
                            failure.lock().expect("nobody panics with it").get_or_insert(other);
                        }
                    }
                };
                pool.install(|| units.par_iter().with_max_len(1).for_each_with(sender, one));
            });
            let told = self.tell(units.len(), &receiver, console);
            if told.is_err() {
                self.stop.store(true, Ordering::Relaxed);
            }
            told
        })?;
        console.progress("")?;
        match failure.into_inner().expect("nobody panics with it") {
            Some(failure) => Err(failure),
            None => Ok(()),
        }
    }

    /// Says how far it is until all workers are gone.
    fn tell(&self, all: usize, done: &mpsc::Receiver<()>, console: &mut Console<'_>) -> Result<(), Failure> {
        let began = self.host.meter.wall_ns();
        let mut count = 0_u64;
        loop {
            match done.recv_timeout(Duration::from_millis(200)) {
                Ok(()) => count += 1 + done.try_iter().count() as u64,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            if self.args.quiet || !console.live {
                continue;
            }
            let ms = (self.host.meter.wall_ns().saturating_sub(began) / 1_000_000).max(1);
            let rest = (all as u64).saturating_sub(count);
            let pace = if count == 0 {
                String::new()
            } else {
                let tenths = count * 10_000 / ms;
                format!(" · {}.{} runs/s · {} left", tenths / 10, tenths % 10, about(ms * rest / count / 1000 * 1000))
            };
            console.progress(&format!("{}: {count} of {all} runs{pace}", self.plan.name))?;
        }
    }

    fn one(&self, unit: Unit) -> Result<(), Failure> {
        // a defect in one point must not cost the others
        let done = catch_unwind(AssertUnwindSafe(|| self.simulate(unit)))
            .unwrap_or_else(|panic| Ok(error(format!("the program failed: {}; please report it", words(&*panic)))))?;
        Ok(self.kept.put(&self.plan.points[unit.point].id, unit.run, &done)?)
    }

    fn simulate(&self, unit: Unit) -> Result<Done, Failure> {
        let point = &self.plan.points[unit.point];
        if let Some(why) = &point.wrong {
            return Ok(error(why.clone()));
        }
        let sets = point_sets(self.sets, &self.base.sweep, &point.values);
        let changed = || Failure::Input(format!("{} was changed while its sweep was made", self.args.file.display()));
        let loaded = load(&self.args.file, &sets).map_err(|_| changed())?;
        if id_of(&loaded) != point.id {
            return Err(changed());
        }
        let options = Options {
            way: Way::Measured,
            keep_bumps: keep_bumps(&loaded),
            rounds: 1,
            meter: self.host.meter,
            reached: &|_| (),
        };
        let outcome = match engine::simulate(&loaded, unit.run, options) {
            Ok(simulated) => simulated.outcome,
            Err(Failure::Diagnosed(problems)) => return Ok(error(problems.reason())),
            Err(Failure::Input(text)) => return Ok(error(text)),
            Err(other) => return Err(other),
        };
        let keys = |strategy| Keys { scenario: &self.plan.name, point: &point.id, run: unit.run, strategy };
        let rows: Vec<OutcomeRow<'_>> =
            outcome.lanes.iter().map(|l| OutcomeRow::new(keys(&l.strategy), l, &outcome.history_id)).collect();
        let broken = expect::broken(&loaded.scenario, &loaded.expectations, &outcome);
        let status = if broken.is_empty() { Status::Ok } else { Status::Broken };
        Ok(Done { status, reason: broken.join(" · "), rows: lines(&rows) })
    }
}

fn error(reason: String) -> Done {
    Done { status: Status::Error, reason, rows: String::new() }
}

fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("without a word").split_whitespace().collect::<Vec<_>>().join(" ")
}
