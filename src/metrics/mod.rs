//! The truth, the judge that holds rebalances against it, the books, and the costs by model.

mod outcome;
mod probe;

pub use outcome::{
    Bucket, Bump, BumpVerdict, CauseCounts, CostRound, Counts, GroupOutcome, LaneOutcome, MissedChange, Origin,
    Outcome, RunOutcome,
};
pub use probe::{Allocated, Meter, NoMeter};
