//! A scenario from what Kafka's own tools print of a cluster (and `kcat -L -J`). Every file is gone through line by
//! line; a line says by its look which tool it is of, so that files may come in any order, and hold several tools'
//! output one after another. What is seen is put together, what nothing says gets the language's default, and the text
//! that comes out says which is which. What is wrong with any file is told with its place; then nothing comes out.

mod api_versions;
mod assignment;
mod checks;
mod endpoints;
mod features;
mod fold;
mod group_tables;
mod header;
mod kcat;
mod keyed;
mod names;
mod noise;
mod resolve;
mod seen;
mod sift;
mod table;
mod topics;
mod write;

use std::sync::Arc;

use crate::kafka::GroupKind;

use super::diagnostics::{Diagnostics, Problems, Source};

/// How a cluster is imported.
#[derive(Clone, Debug, Default)]
pub struct ImportOptions {
    /// Give topics, groups and racks other names of the same length.
    pub anonymise: bool,
    /// Keep groups of these types only; all if empty.
    pub only: Vec<GroupKind>,
    /// Write the topics' ids. No count depends on them, but hashes do.
    pub topic_ids: bool,
}

/// What came out.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The scenario.
    pub yaml: String,
    /// Its sizes, on a line.
    pub sizes: String,
    /// What a reader of results has to know, a line each.
    pub notes: Vec<String>,
}

/// Reads what tools printed of one cluster and writes it as a scenario.
///
/// # Errors
/// All that is wrong with the files.
pub fn import(files: Vec<Source>, options: &ImportOptions) -> Result<Imported, Diagnostics> {
    let mut problems = Problems::default();
    let mut seen = seen::Seen::default();
    for (id, file) in (0u32..).zip(&files) {
        sift::file(&file.text, id, &mut seen, &mut problems);
    }
    checks::check(&seen, &mut problems);
    if !problems.list.is_empty() {
        return Err(Diagnostics::new(problems.told(), Arc::new(files)));
    }
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    let mut found = resolve::resolve(&seen, options);
    names::rename(&mut found, options.anonymise);
    let yaml = write::scenario(&found, &header::text(&found, &names, options), options);
    Ok(Imported { yaml, sizes: header::sizes(&found), notes: found.notes })
}
