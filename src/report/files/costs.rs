//! The rows of heap.csv, log.csv and costs.csv: what a strategy takes of memory, disk and processor.

use serde::{Deserialize, Serialize};

use crate::coordinator::{HOLDERS, Holders, RecordType};
use crate::metrics::{CostRound, HeapMoment, LaneLog};

use super::rows::{Keys, Text};

/// A row of heap.csv.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "docs/files.md says what each column is")]
pub struct HeapRow<'a> {
    pub scenario: Text<'a>,
    pub point: Text<'a>,
    pub run: u32,
    pub strategy: Text<'a>,
    pub moment: Text<'a>,
    pub holder: Text<'a>,
    pub bytes: u64,
}

impl<'a> HeapRow<'a> {
    /// A moment's rows, one for each holder.
    pub fn all(keys: Keys<'a>, moment: HeapMoment, held: &Holders) -> impl Iterator<Item = HeapRow<'a>> {
        HOLDERS.into_iter().zip(held.by_holder()).map(move |(holder, bytes)| HeapRow {
            scenario: keys.scenario.into(),
            point: keys.point.into(),
            run: keys.run,
            strategy: keys.strategy.into(),
            moment: moment.name().into(),
            holder: holder.into(),
            bytes,
        })
    }
}

/// A row of log.csv.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "docs/files.md says what each column is")]
pub struct LogRow<'a> {
    pub scenario: Text<'a>,
    pub point: Text<'a>,
    pub run: u32,
    pub strategy: Text<'a>,
    pub record: Text<'a>,
    pub record_type: u32,
    pub appended_records: u64,
    pub appended_tombstones: u64,
    pub appended_bytes: u64,
    pub appended_framed_bytes: u64,
    pub live_records: u64,
    pub live_bytes: u64,
    pub live_framed_bytes: u64,
}

impl<'a> LogRow<'a> {
    /// A row for each type of record; those of share and streams groups where there are any.
    pub fn all(keys: Keys<'a>, log: &LaneLog) -> impl Iterator<Item = LogRow<'a>> {
        let there = |kind: &RecordType| log.appended.of(*kind).records + log.live.of(*kind).records > 0;
        let kinds = RecordType::ALL.into_iter().filter(move |kind| !kind.is_of_others() || there(kind));
        kinds.map(move |kind| {
            let (appended, live) = (log.appended.of(kind), log.live.of(kind));
            LogRow {
                scenario: keys.scenario.into(),
                point: keys.point.into(),
                run: keys.run,
                strategy: keys.strategy.into(),
                record: kind.name().into(),
                record_type: kind.number(),
                appended_records: appended.records,
                appended_tombstones: appended.tombstones,
                appended_bytes: appended.bytes,
                appended_framed_bytes: appended.framed_bytes,
                live_records: live.records,
                live_bytes: live.bytes,
                live_framed_bytes: live.framed_bytes,
            }
        })
    }
}

/// What stands for the round in costs.csv's row of medians.
pub const MEDIAN: &str = "median";

/// A row of costs.csv.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "docs/files.md says what each column is")]
pub struct CostRow<'a> {
    pub scenario: Text<'a>,
    pub point: Text<'a>,
    pub run: u32,
    pub strategy: Text<'a>,
    pub round: Text<'a>,
    pub cpu_ns: u64,
    pub calls: u64,
    pub alloc_bytes: u64,
    pub alloc_count: u64,
    pub heap_bytes_real: u64,
    pub build_ns: u64,
    pub replay_ns: u64,
    pub os: Text<'a>,
    pub cpu: Text<'a>,
    pub assign_cpu_ns: u64,
    pub assign_calls: u64,
    pub assign_alloc_bytes: u64,
}

impl<'a> CostRow<'a> {
    /// One round of measuring.
    #[must_use]
    pub fn new(keys: Keys<'a>, of: &CostRound, os: &'a str, cpu: &'a str) -> CostRow<'a> {
        CostRow::called(of.round.to_string().into(), keys, of, os, cpu)
    }

    /// The median of all rounds, column by column.
    #[must_use]
    pub fn median(keys: Keys<'a>, rounds: &[CostRound], os: &'a str, cpu: &'a str) -> CostRow<'a> {
        CostRow::called(MEDIAN.into(), keys, &CostRound::median(rounds), os, cpu)
    }

    fn called(round: Text<'a>, keys: Keys<'a>, of: &CostRound, os: &'a str, cpu: &'a str) -> CostRow<'a> {
        CostRow {
            scenario: keys.scenario.into(),
            point: keys.point.into(),
            run: keys.run,
            strategy: keys.strategy.into(),
            round,
            cpu_ns: of.cpu_ns,
            calls: of.calls,
            alloc_bytes: of.alloc_bytes,
            alloc_count: of.alloc_count,
            heap_bytes_real: of.heap_bytes_real,
            build_ns: of.build_ns,
            replay_ns: of.replay_ns,
            os: os.into(),
            cpu: cpu.into(),
            assign_cpu_ns: of.assign_cpu_ns,
            assign_calls: of.assign_calls,
            assign_alloc_bytes: of.assign_alloc_bytes,
        }
    }
}
