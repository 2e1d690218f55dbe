//! What comes out: rows and files, tables for a screen, charts.

pub mod assigned;
pub mod charts;
pub mod check;
pub mod compare;
pub mod expect;
pub mod explained;
pub mod files;
pub mod html;
pub mod published;
#[cfg(test)]
pub(crate) mod sample;
pub mod side_by_side;
pub mod sweep;
pub mod table;
pub mod words;
