//! The conductor: one history, every strategy in a lane of its own. No arithmetic here.

mod lane;
mod wakes;

pub use lane::{Lane, LaneOptions, NoTimer, Stage, Timer};
