//! The truth, the judge that holds rebalances against it, the books, and the costs by model.

mod assign_books;
mod assigned;
mod books;
mod catch_up;
mod cost_round;
pub mod delays;
mod heap_moment;
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
mod verdict;

pub use assign_books::{AssignBooks, AssignedLane, Dealing, Held, MovesBy, OwnershipBucket};
pub use assigned::{Assigned, per_cent};
pub use books::Books;
pub use catch_up::CatchUp;
pub use cost_round::CostRound;
pub use heap_moment::HeapMoment;
pub use ideal::{ideal, ideal_in_order};
pub use judge::{Judge, Rebalance};
pub use outcome::{Bucket, CauseCounts, GroupOutcome, LaneLog, LaneOutcome, Origin, Outcome, RunOutcome};
pub use probe::{Allocated, Meter, NoMeter};
pub use readings::{DeltaFacts, ImageNo, Reading, Readings};
pub use rolls::{Roll, Step, rolls};
pub use steps::{StepBooks, StepCounts, StepGroups};
pub use strips::{Cell, Strips};
pub use told::{Told, Touched};
pub use value_lines::{Span, ValueLines};
pub use verdict::{Bump, BumpVerdict, Counts, MissedChange};
