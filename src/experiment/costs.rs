//! What strategies really cost here: processor time and allocations around whole batches of calls, never
//! a single one (a clock read costs as much as many refreshes). The do-nothing lane, which does everything
//! around a strategy and nothing inside, is measured the same way and subtracted. An assignor's target is a batch of
//! its own: it deals a whole group.

use crate::metrics::{Allocated, CostRound, Meter};

use super::timer::Timer;

/// Adds up what batches of calls cost.
pub(super) struct BatchTimer<'m> {
    meter: &'m dyn Meter,
    began: (u64, Allocated),
    /// Live bytes before what is replayed was made.
    live: i64,
    /// What it held at the end, of all its parts.
    held: i64,
    cpu_ns: u64,
    alloc_bytes: u64,
    alloc_count: u64,
    calls: u64,
    /// Of assignors: processor time, allocated bytes, targets.
    dealing: (u64, u64, u64),
}

impl<'m> BatchTimer<'m> {
    /// Nothing measured yet.
    pub(super) fn new(meter: &'m dyn Meter) -> BatchTimer<'m> {
        let began = (0, Allocated::default());
        let (live, dealing) = (meter.allocated().live, (0, 0, 0));
        BatchTimer { meter, began, live, held: 0, cpu_ns: 0, alloc_bytes: 0, alloc_count: 0, calls: 0, dealing }
    }

    /// The row of one round; `replay_ns` is the whole lane's.
    pub(super) fn row(&self, round: u32, build_ns: u64, replay_ns: u64) -> CostRound {
        CostRound {
            round,
            cpu_ns: self.cpu_ns,
            calls: self.calls,
            alloc_bytes: self.alloc_bytes,
            alloc_count: self.alloc_count,
            heap_bytes_real: u64::try_from(self.held).unwrap_or(0),
            build_ns,
            replay_ns,
            assign_cpu_ns: self.dealing.0,
            assign_calls: self.dealing.2,
            assign_alloc_bytes: self.dealing.1,
        }
    }
}

impl Timer for BatchTimer<'_> {
    fn start(&mut self) {
        self.began = (self.meter.cpu_ns(), self.meter.allocated());
    }

    fn stop(&mut self, calls: u64) {
        let (cpu_ns, allocated) = self.began;
        self.cpu_ns += self.meter.cpu_ns().saturating_sub(cpu_ns);
        let now = self.meter.allocated();
        self.alloc_bytes += now.bytes.saturating_sub(allocated.bytes);
        self.alloc_count += now.count.saturating_sub(allocated.count);
        self.calls += calls;
    }

    fn start_dealing(&mut self) {
        self.start();
    }

    fn stop_dealing(&mut self) {
        let (cpu_ns, allocated) = self.began;
        self.dealing.0 += self.meter.cpu_ns().saturating_sub(cpu_ns);
        self.dealing.1 += self.meter.allocated().bytes.saturating_sub(allocated.bytes);
        self.dealing.2 += 1;
    }

    fn begin(&mut self) {
        self.live = self.meter.allocated().live;
    }

    fn finish(&mut self) {
        self.held += self.meter.allocated().live - self.live;
    }
}

/// A lane's cost without what the do-nothing lane costs; the wall stays as it is.
pub(super) fn without(row: CostRound, nothing: &CostRound) -> CostRound {
    CostRound {
        cpu_ns: row.cpu_ns.saturating_sub(nothing.cpu_ns),
        alloc_bytes: row.alloc_bytes.saturating_sub(nothing.alloc_bytes),
        alloc_count: row.alloc_count.saturating_sub(nothing.alloc_count),
        heap_bytes_real: row.heap_bytes_real.saturating_sub(nothing.heap_bytes_real),
        ..row
    }
}
