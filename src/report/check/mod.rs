//! The regression check: what a scenario came to, held against what it came to when somebody last agreed.

mod baseline;
mod finding;
mod github;
mod hold;
mod junit;
mod trail;
mod twice;

pub use baseline::{About, Accepted, Baseline};
pub use finding::{Finding, State};
pub use github::{annotations, step_summary};
pub use hold::{Checked, Seen, hold};
pub use junit::junit;
pub use trail::{Parting, TrailRow, parting, trail};
pub use twice::{Checkpoints, checkpoints, first_difference};
