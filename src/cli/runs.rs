//! The runs of a scenario, so many at a time on threads of their own. What comes of them is taken in order, of one while
//! the others are still made; no more of them are in memory than there are threads.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use super::Failure;

/// How often somebody who waits is told how far it is.
const PACE: Duration = Duration::from_millis(200);

/// Makes runs 1 to `runs` on `threads` threads and takes what comes of each in this order, in the calling thread. While it
/// waits it calls `wait` now and then.
///
/// # Errors
/// If the system refuses a thread; the first that `take` or `wait` has. Runs that have begun are finished, no other begins.
pub(super) fn in_order<T: Send>(
    runs: u32,
    threads: u16,
    make: impl Fn(u32) -> T + Sync,
    mut take: impl FnMut(T) -> Result<(), Failure>,
    mut wait: impl FnMut() -> Result<(), Failure>,
) -> Result<(), Failure> {
    let workers = u32::from(threads).clamp(1, runs.max(1));
    let (ask, asked) = mpsc::channel::<u32>();
    let (hand, handed) = mpsc::channel();
    let (asked, make) = (&Mutex::new(asked), &make);
    thread::scope(|scope| {
        // gone when this ends, whichever way: the threads end with it
        let ask = ask;
        let ask = |run: u32| _ = ask.send(run);
        for _ in 0..workers {
            let hand = hand.clone();
            let work = move || {
                let next = || asked.lock().expect("nobody panics with it").recv();
                while let Ok(run) = next() {
                    // a defect is the calling thread's to report; nobody waits for ever
                    let made = catch_unwind(AssertUnwindSafe(|| make(run)));
                    if hand.send((run, made)).is_err() {
                        return;
                    }
                }
            };
            let started = thread::Builder::new().spawn_scoped(scope, work);
            started.map_err(|e| Failure::Machine(format!("cannot start {workers} threads: {e}")))?;
        }
        (1..=workers.min(runs)).for_each(ask);
        let mut early = BTreeMap::new();
        for run in 1..=runs {
            let made = loop {
                if let Some(made) = early.remove(&run) {
                    break made;
                }
                match handed.recv_timeout(PACE) {
                    Ok((other, made)) => drop(early.insert(other, made)),
                    Err(RecvTimeoutError::Timeout) => wait()?,
                    Err(RecvTimeoutError::Disconnected) => unreachable!("this thread has a sender itself"),
                }
            };
            take(made.unwrap_or_else(|panic| resume_unwind(panic)))?;
            if let Some(next) = run.checked_add(workers).filter(|next| *next <= runs) {
                ask(next);
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    /// What is taken of so many runs on so many threads, the first of which take longest, and how many were alive at most.
    fn taken(runs: u32, threads: u16) -> (Vec<u32>, u32) {
        let (alive, most) = (AtomicU32::new(0), AtomicU32::new(0));
        let make = |run: u32| {
            most.fetch_max(alive.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            thread::sleep(Duration::from_millis(u64::from(6 - run % 6)));
            run
        };
        let mut all = Vec::new();
        let take = |run| {
            alive.fetch_sub(1, Ordering::SeqCst);
            all.push(run);
            Ok(())
        };
        in_order(runs, threads, make, take, || Ok(())).unwrap();
        (all, most.into_inner())
    }

    #[test]
    fn runs_are_taken_in_order_and_so_many_are_alive_as_there_are_threads() {
        for threads in [1, 2, 5, 40] {
            let (all, most) = taken(30, threads);
            assert_eq!(all, (1..=30).collect::<Vec<u32>>());
            assert!(most <= u32::from(threads), "{most} were alive on {threads} threads");
        }
        assert_eq!(taken(0, 3).0, Vec::<u32>::new());
    }

    #[test]
    fn after_a_failure_no_run_begins() {
        let begun = AtomicU32::new(0);
        let take = |run: u32| if run == 3 { Err(Failure::Interrupted) } else { Ok(()) };
        let make = |run| {
            begun.fetch_max(run, Ordering::SeqCst);
            run
        };
        let failed = in_order(1000, 2, make, take, || Ok(()));
        assert!(matches!(failed, Err(Failure::Interrupted)));
        assert!(begun.into_inner() <= 4);
    }

    #[test]
    fn a_defect_in_one_run_ends_all() {
        let made = catch_unwind(|| {
            in_order(9, 3, |run| assert_ne!(run, 4, "a defect"), |()| Ok(()), || Ok(())).unwrap();
        });
        let panic = made.unwrap_err();
        assert!(panic.downcast_ref::<String>().unwrap().contains("a defect"));
    }
}
