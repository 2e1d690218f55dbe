//! `history FILE`: everything that happens in a run, as JSON Lines.

use std::path::PathBuf;

use crate::world::jsonl;

use super::{Console, Failure, engine, results};

#[derive(Debug, clap::Args)]
pub(super) struct HistoryArgs {
    /// A scenario
    file: PathBuf,
    /// Another seed than the scenario's
    #[arg(long)]
    seed: Option<u64>,
    /// Which run, from 1
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    run: u32,
    /// Replace a value of the scenario
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
}

pub(super) fn run(args: &HistoryArgs, console: &mut Console<'_>) -> Result<(), Failure> {
    let mut set = args.set.clone();
    set.extend(args.seed.map(|seed| format!("seed={seed}")));
    let loaded = results::load_all(std::slice::from_ref(&args.file), &set, console)?;
    let history = engine::history(&loaded[0], args.run)?;
    let mut text = Vec::new();
    jsonl::write(&history, &mut text).map_err(|e| Failure::Machine(format!("cannot write the history: {e}")))?;
    console.data(&String::from_utf8_lossy(&text))
}
