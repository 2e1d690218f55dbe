//! The files of a results folder: what they hold, how they come into being, how they are read back.
//! docs/files.md says what every column is.

mod assign_rows;
mod beside;
mod cells;
mod costs;
mod details;
mod folder;
mod provenance;
mod read;
mod rows;
mod shapes;
mod step_rows;
#[cfg(test)]
mod tests;
mod writer;

pub use assign_rows::{MovesRow, OwnershipRow};
pub use beside::{UNFINISHED, write_beside};
pub use cells::{Cells, line, lines};
pub use costs::{CostRow, HeapRow, LogRow, MEDIAN};
pub use details::{BumpRow, CauseRow, GroupRow, TimelineRow};
pub use folder::{FolderError, OURS, PROVENANCE, Staging};
pub use provenance::{FileRows, Machine, Provenance, Source};
pub use read::{ReadError, read_provenance, read_rows, result_folder};
pub use rows::{Keys, OutcomeRow, Text, origin_text};
pub use shapes::{DelayRow, MarkRow, StripRow};
pub use step_rows::StepRow;
pub use writer::{BUMPS_IF_FEWER, BUMPS_LIMIT, Files, Written, header};
