//! The truth, the judge that holds rebalances against it, the books, and the costs by model.

mod outcome;

pub use outcome::{
    Bucket, Bump, BumpVerdict, CauseCounts, CostRound, Counts, GroupOutcome, LaneOutcome, MissedChange, Origin,
    Outcome, RunOutcome,
};
