//! What a sweep leaves behind: finished runs kept one by one, then points.csv, outcomes.csv and summary.csv,
//! which are made from what is kept and so have the same bytes however it came to be there.

mod best;
mod files;
mod kept;
mod parts;
mod screen;
mod student;
mod summary;

pub use best::{Wanted, best};
pub use files::{Written, manifest, write};
pub use kept::{Done, Kept, Status};
pub use parts::{PART_FILE, PLAN_FILE, PartNote, Parts, merge};
pub use screen::sweep_screen;
pub use student::t_975;
pub use summary::{Stats, SummaryRow, stats, summary};
