//! Who times the strategies of a lane.

/// Told when strategies work, so that somebody can time it: around whole batches, never a single call.
pub trait Timer {
    /// Strategies begin to work.
    fn start(&mut self);
    /// They have done so many calls.
    fn stop(&mut self, calls: u64);
    /// An assignor begins to compute a target.
    fn start_dealing(&mut self) {}
    /// It has computed it.
    fn stop_dealing(&mut self) {}
    /// The replay begins, or a part of it that leaves nothing behind for the next.
    fn begin(&mut self) {}
    /// It is over and everything of it is still there.
    fn finish(&mut self);
}

/// Times nothing.
pub struct NoTimer;

impl Timer for NoTimer {
    fn start(&mut self) {}
    fn stop(&mut self, _calls: u64) {}
    fn finish(&mut self) {}
}
