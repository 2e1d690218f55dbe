//! The model that all peers are given: so many members, each with a phase of its own, every one of which beats every five
//! seconds. Whoever simulates it counts the beats.

use rustix::time::{ClockId, clock_gettime};

pub const INTERVAL_MS: u64 = 5_000;

/// Seconds of processor time that this process has taken: others may be at work on the same machine.
pub fn cpu() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// What is to be simulated.
pub struct Periodic {
    pub members: u64,
    pub seconds: u64,
}

impl Periodic {
    /// From the command line: members, seconds.
    pub fn from_args() -> Periodic {
        let number = |n: usize| std::env::args().nth(n).and_then(|text| text.parse().ok());
        Periodic { members: number(1).unwrap_or(100_000), seconds: number(2).unwrap_or(60) }
    }

    /// A member's first beat, spread over the interval. Never at 0, since a peer may not schedule at the start.
    pub fn phase_ms(&self, member: u64) -> u64 {
        member * 7919 % (INTERVAL_MS - 1) + 1
    }

    pub fn end_ms(&self) -> u64 {
        self.seconds * 1000
    }

    /// Says what came out, after making sure that it is the model.
    pub fn say(&self, who: &str, beats: u64, took: f64) {
        let of = |member| (self.end_ms() - self.phase_ms(member)) / INTERVAL_MS + 1;
        assert_eq!(beats, (0..self.members).map(of).sum::<u64>(), "{who} simulated something else");
        let rate = beats as f64 / took / 1e6;
        println!("{who}\t{beats}\t{took:.2}\t{rate:.2}");
    }
}
