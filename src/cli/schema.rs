//! `schema`: the JSON Schema of scenario files.

use super::{Console, Failure, engine};

#[derive(Debug, clap::Args)]
pub(super) struct SchemaArgs {}

pub(super) fn run(_args: &SchemaArgs, console: &mut Console<'_>) -> Result<(), Failure> {
    let schema = engine::schema()?;
    console.data(&schema)
}
