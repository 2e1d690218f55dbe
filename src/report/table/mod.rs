//! Tables for a screen, at any width. What they say is data (standard output); hints are told apart by the
//! command line.

mod causes;
mod grid;
mod groups;
mod line;
mod matrix;
mod run;
mod steps;
mod sums;

pub use causes::cause_screen;
pub use grid::{Cell, Column, Grid};
pub use groups::{groups_screen, worst_groups};
pub use line::{Screen, Tone, folded, toned};
pub use matrix::{MatrixRow, matrix_screen};
pub use run::{COLUMNS, run_screen};
pub use steps::steps_screen;
pub use sums::{LaneSum, sums};
