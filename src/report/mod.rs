//! What comes out: rows and files, tables for a screen, charts.

pub mod charts;
pub mod expect;
pub mod explained;
pub mod files;
#[cfg(test)]
pub(crate) mod sample;
pub mod side_by_side;
pub mod table;
pub mod words;
