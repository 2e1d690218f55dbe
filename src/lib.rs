//! A deterministic simulator of what makes Kafka's group coordinator rebalance.
//!
//! What happens to a cluster and its members does not depend on what a rebalance trigger does. So it is
//! made **once** per run, from the scenario and the seed, into a [`world::History`]; then every strategy
//! replays that same history in a lane of its own, and a judge holds its rebalances against the truth.
//!
//! ```text
//! scenario.yaml ─▶ Scenario ─▶ World ─▶ History ─▶ Lane × strategies ─▶ Books ─▶ rows ─▶ CSV · charts
//!  (as written)   (as meant)  processes            shards + strategy    + judge
//! ```
//!
//! A folder may use only folders with a smaller number (`tests/` holds this table):
//!
//! | layer | folder | is |
//! |---|---|---|
//! | 0 | [`sim`] | time, chance, order, digests; knows no Kafka |
//! | 1 | [`kafka`] | the nouns: ids, image, delta, records, hashes |
//! | 2 | [`scenario`] | what people write: file, meaning, diagnostics |
//! | 3 | [`world`] | the processes that make history; the only place that draws |
//! | 4 | [`strategy`] | when to rebalance: one file per strategy |
//! | 5 | [`coordinator`] | shard, refresh, patterns, log |
//! | 6 | [`metrics`] | truth, judge, books, heap, costs |
//! | 7 | [`experiment`] | lane, run: the conductor |
//! | 8 | [`conformance`] | random scenarios, and what Kafka's own coordinator made of a history beside ours |
//! | 9 | [`report`] | rows, tables, charts |
//! | 10 | [`cli`] | one file per verb |
#![forbid(unsafe_code)]

pub mod cli;
pub mod conformance;
pub mod coordinator;
pub mod experiment;
pub mod kafka;
pub mod metrics;
pub mod report;
pub mod scenario;
pub mod sim;
pub mod strategy;
pub mod world;
