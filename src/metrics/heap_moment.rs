//! When a lane's heap by model is looked at.

/// When a lane's heap by model is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeapMoment {
    /// Time 0.
    Start,
    /// The end of the run.
    Final,
    /// The most between two operations.
    Peak,
    /// The most within one: the value that is being built, or the one that is being replaced, stands beside the
    /// stored one.
    Transient,
    /// As at the end, had every shard just been loaded from the log and every group looked once.
    AfterFailover,
    /// The most while every shard is loaded from the log as it is at the end.
    Load,
    /// The same before KAFKA-19716, which made snapshots during a load.
    LoadWithoutSnapshots,
}

impl HeapMoment {
    /// All, in the order in which they are written.
    pub const ALL: [HeapMoment; 7] = [
        HeapMoment::Start,
        HeapMoment::Final,
        HeapMoment::Peak,
        HeapMoment::Transient,
        HeapMoment::AfterFailover,
        HeapMoment::Load,
        HeapMoment::LoadWithoutSnapshots,
    ];

    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            HeapMoment::Start => "start",
            HeapMoment::Final => "final",
            HeapMoment::Peak => "peak",
            HeapMoment::Transient => "transient",
            HeapMoment::AfterFailover => "after-failover",
            HeapMoment::Load => "load",
            HeapMoment::LoadWithoutSnapshots => "load-without-snapshots",
        }
    }
}
