//! `schema`: the JSON Schema of scenario files.

use crate::scenario;

use super::{Console, Failure};

#[derive(Debug, clap::Args)]
pub(super) struct SchemaArgs {}

pub(super) fn run(_args: &SchemaArgs, console: &mut Console<'_>) -> Result<(), Failure> {
    console.data(&format!("{}\n", scenario::schema().trim_end()))
}
