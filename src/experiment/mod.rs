//! The conductor: one history, every strategy in a lane of its own. No arithmetic here.

mod assign_hooks;
mod assigning;
mod beats;
mod classic;
mod costs;
mod dealing;
mod deeds;
pub mod estimate;
mod explain;
mod failing;
mod finish;
mod happenings;
mod landmarks;
mod lane;
#[cfg(test)]
mod lane_tests;
mod members;
mod narrate;
mod ownership;
mod run;
mod sight;
mod steady;
pub mod sweep;
mod timer;
mod wakes;
#[cfg(test)]
mod wakes_tests;
mod walk;
mod way;

pub use assigning::AssignPlan;
pub use explain::{Explained, ExplainedBump, all_bumps, explain_group, first_parting, sights_of};
pub use landmarks::Landmarks;
pub use lane::{GoOn, Lane, LaneOptions, Stage};
pub use narrate::Narrator;
pub use run::{Reached, RunError, RunOptions, replay, run_one};
pub use sight::{Dealt, Sight};
pub use timer::{NoTimer, Timer};
pub use way::Way;
