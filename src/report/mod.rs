//! What comes out: rows and files, tables for a screen, charts.

pub mod files;
pub mod words;
