//! The seam to the machine: processor time, wall time and allocations of the calling thread. The library
//! has no clock of its own; the binary hands one in, and what is read from it goes to costs.csv alone.

/// What the calling thread has allocated so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allocated {
    /// Bytes asked for, all in all.
    pub bytes: u64,
    /// How often.
    pub count: u64,
    /// Bytes asked for less bytes given back; negative where this thread frees what another made.
    pub live: i64,
}

/// A machine's meters. All three count from an arbitrary start and are read in pairs.
pub trait Meter: Sync {
    /// Processor time of the calling thread, in nanoseconds.
    fn cpu_ns(&self) -> u64;
    /// Time that has passed, in nanoseconds.
    fn wall_ns(&self) -> u64;
    /// Allocations of the calling thread.
    fn allocated(&self) -> Allocated;
}

/// Meters that stand still: everything costs nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoMeter;

impl Meter for NoMeter {
    fn cpu_ns(&self) -> u64 {
        0
    }
    fn wall_ns(&self) -> u64 {
        0
    }
    fn allocated(&self) -> Allocated {
        Allocated::default()
    }
}
