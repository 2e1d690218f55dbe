//! The binary: arguments in, exit code out. The machine's clocks and the counting allocator live here and
//! nowhere else; the library gets them as a [`Meter`].

mod alloc;

use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use rebalance_sim::cli::{self, Host};
use rebalance_sim::metrics::{Allocated, Meter};
use rustix::time::{ClockId, clock_gettime};

/// This machine.
struct ThisMachine;

impl Meter for ThisMachine {
    fn cpu_ns(&self) -> u64 {
        read(ClockId::ThreadCPUTime)
    }

    fn wall_ns(&self) -> u64 {
        read(ClockId::Monotonic)
    }

    fn allocated(&self) -> Allocated {
        alloc::allocated()
    }
}

fn read(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    let (s, ns) = (u64::try_from(time.tv_sec).unwrap_or(0), u64::try_from(time.tv_nsec).unwrap_or(0));
    s * 1_000_000_000 + ns
}

#[expect(clippy::disallowed_methods, reason = "the one place that reads the calendar, for provenance.yaml")]
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

fn main() -> ExitCode {
    let host = Host { meter: &ThisMachine, unix_s: now() };
    ExitCode::from(cli::run(std::env::args_os(), &host))
}
