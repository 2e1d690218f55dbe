//! Published tables, with this simulator's own figures beside what was written.

mod kip;
mod racks;
mod sheet;

pub use kip::{KipCell, Point, kip_table};
pub use racks::rack_table;
pub use sheet::Sheet;
