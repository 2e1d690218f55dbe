//! The conductor: one history, every strategy in a lane of its own. No arithmetic here.

mod beats;
mod failing;
mod finish;
mod lane;
mod members;
mod sight;
mod wakes;

pub use lane::{Lane, LaneOptions, NoTimer, Stage, Timer};
pub use sight::Sight;
