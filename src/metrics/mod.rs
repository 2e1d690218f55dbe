//! The truth, the judge that holds rebalances against it, the books, and the costs by model.

mod books;
mod catch_up;
pub mod delays;
mod ideal;
mod judge;
mod outcome;
mod probe;
mod readings;
mod rolls;
mod steps;
mod strips;
mod told;
mod value_lines;

pub use books::Books;
pub use catch_up::CatchUp;
pub use ideal::ideal;
pub use judge::{Judge, Rebalance};
pub use outcome::{
    Assigned, Bucket, Bump, BumpVerdict, CauseCounts, CostRound, Counts, GroupOutcome, HeapMoment, LaneLog,
    LaneOutcome, MissedChange, Origin, Outcome, RunOutcome, per_cent,
};
pub use probe::{Allocated, Meter, NoMeter};
pub use readings::{DeltaFacts, ImageNo, Reading, Readings};
pub use rolls::{Roll, Step, rolls};
pub use steps::{StepBooks, StepCounts, StepGroups};
pub use strips::{Cell, Strips};
pub use told::{Told, Touched};
pub use value_lines::{Span, ValueLines};
