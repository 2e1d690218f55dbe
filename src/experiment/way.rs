//! The ways to make a run. All give the same files but for what is measured.

/// How the strategies replay a history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Way {
    /// Everything that a strategy does is really done, and measured. Where nobody comes or goes, groups come one after the
    /// other, and the strategies' work apart from the books.
    #[default]
    Measured,
    /// As measured, every group's events in order of time (`--in-order`).
    InOrder,
    /// Every topic's value is worked out once, nothing is measured (`--counted`).
    Counted,
    /// As in order, and every heartbeat is walked (`--exhaustive`).
    Exhaustive,
}
