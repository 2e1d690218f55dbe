//! Writes the CSV files of a results folder, run after run: rows in order of run, lanes in declared
//! order, groups in natural order. Nothing of the machine is in them but in costs.csv.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::metrics::{LaneOutcome, Origin, RunOutcome};
use crate::sim::Ms;

use super::super::words::thousands;
use super::assign_rows::{MovesRow, OwnershipRow};
use super::costs::{CostRow, HeapRow, LogRow};
use super::details::{BumpRow, CauseRow, GroupRow, TimelineRow};
use super::folder::FolderError;
use super::provenance::Machine;
use super::rows::{Keys, OutcomeRow, origin_text};
use super::shapes::{DelayRow, MarkRow, StripRow};
use super::step_rows::StepRow;

/// bumps.csv is written without being asked for below this many rebalances in all lanes and runs.
pub const BUMPS_IF_FEWER: u64 = 100_000;

/// No more rows than this in bumps.csv, asked for or not.
pub const BUMPS_LIMIT: u64 = 1_000_000;

/// What is in the files, for provenance.yaml and the screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// File and its rows, in order of files.
    pub files: Vec<(&'static str, u64)>,
    /// What a person should know about them.
    pub notes: Vec<String>,
}

/// The CSV files in the making.
pub struct Files<'a> {
    folder: &'a Path,
    scenario: &'a str,
    machine: &'a Machine,
    bumps_asked: bool,
    outcomes: Table,
    causes: Table,
    groups: Table,
    timeline: Table,
    heap: Table,
    log: Table,
    delays: Table,
    strips: Table,
    marks: Table,
    /// Of runs that have a roll.
    steps: Option<Table>,
    /// Of runs in which a group has an assignor.
    moves: Option<Table>,
    ownership: Option<Table>,
    costs: Table,
    bumps: Table,
    /// All rebalances, written or not.
    bumps_total: u64,
    last_run: u32,
}

impl<'a> Files<'a> {
    /// Begins the files, each with its header.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn begin(
        folder: &'a Path,
        scenario: &'a str,
        machine: &'a Machine,
        bumps_asked: bool,
    ) -> Result<Files<'a>, FolderError> {
        Ok(Files {
            folder,
            scenario,
            machine,
            bumps_asked,
            outcomes: Table::begin::<OutcomeRow<'_>>(folder, "outcomes.csv")?,
            causes: Table::begin::<CauseRow<'_>>(folder, "causes.csv")?,
            groups: Table::begin::<GroupRow<'_>>(folder, "groups.csv")?,
            timeline: Table::begin::<TimelineRow<'_>>(folder, "timeline.csv")?,
            heap: Table::begin::<HeapRow<'_>>(folder, "heap.csv")?,
            log: Table::begin::<LogRow<'_>>(folder, "log.csv")?,
            delays: Table::begin::<DelayRow<'_>>(folder, "delays.csv")?,
            strips: Table::begin::<StripRow<'_>>(folder, "strips.csv")?,
            marks: Table::begin::<MarkRow<'_>>(folder, "marks.csv")?,
            steps: None,
            moves: None,
            ownership: None,
            costs: Table::begin::<CostRow<'_>>(folder, "costs.csv")?,
            bumps: Table::begin::<BumpRow<'_>>(folder, "bumps.csv")?,
            bumps_total: 0,
            last_run: 0,
        })
    }

    /// Appends one run.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn append(&mut self, run: &RunOutcome) -> Result<(), FolderError> {
        assert!(run.run > self.last_run, "runs come in order: {} after {}", run.run, self.last_run);
        self.last_run = run.run;
        // before any of them is written: most runs that have too many have them in one go
        self.bumps_total += run.lanes.iter().map(bumps_of).sum::<u64>();
        for lane in &run.lanes {
            let keys = Keys { scenario: self.scenario, point: "", run: run.run, strategy: &lane.strategy };
            self.outcomes.row(&OutcomeRow::new(keys, lane, &run.history_id))?;
            for of in &lane.causes {
                self.causes.row(&CauseRow::new(keys, run, of))?;
            }
            assert!(lane.groups.is_sorted_by_key(|g| g.group), "groups come in order of id");
            for of in lane.groups.iter() {
                self.groups.row(&GroupRow::new(keys, run, of))?;
            }
            for of in &lane.buckets {
                self.timeline.row(&TimelineRow::new(keys, of))?;
            }
            for (moment, held) in &lane.heap {
                for row in HeapRow::all(keys, *moment, held) {
                    self.heap.row(&row)?;
                }
            }
            for row in LogRow::all(keys, &lane.log) {
                self.log.row(&row)?;
            }
            for bin in &lane.delays {
                self.delays.row(&DelayRow::new(keys, *bin))?;
            }
            for cell in lane.strips.cells() {
                self.strips.row(&StripRow::new(keys, run, &cell))?;
            }
            for row in StepRow::all(keys, run, lane) {
                begun::<StepRow<'_>>(&mut self.steps, self.folder, "steps.csv")?.row(&row)?;
            }
            self.append_assigned(keys, run, lane)?;
            for of in &lane.costs {
                self.costs.row(&CostRow::new(keys, of, &self.machine.os, &self.machine.cpu))?;
            }
            if !lane.costs.is_empty() {
                self.costs.row(&CostRow::median(keys, &lane.costs, &self.machine.os, &self.machine.cpu))?;
            }
            self.append_bumps(keys, run, lane)?;
        }
        Ok(())
    }

    /// Says when the entries of a run's history did something.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn mark(&mut self, run: &RunOutcome, marks: &[(Ms, u32)]) -> Result<(), FolderError> {
        for (at, entry) in marks {
            let entry = origin_text(run, Origin::Entry(*entry)).into();
            let row = MarkRow { scenario: self.scenario.into(), point: "".into(), run: run.run, at_ms: at.0, entry };
            self.marks.row(&row)?;
        }
        Ok(())
    }

    /// Where a group has an assignor, both files, also if nothing ever moved.
    fn append_assigned(&mut self, keys: Keys<'_>, run: &RunOutcome, lane: &LaneOutcome) -> Result<(), FolderError> {
        if lane.outcome.assigned.is_none() {
            return Ok(());
        }
        let moves = begun::<MovesRow<'_>>(&mut self.moves, self.folder, "moves.csv")?;
        for row in MovesRow::all(keys, run, lane) {
            moves.row(&row)?;
        }
        let ownership = begun::<OwnershipRow<'_>>(&mut self.ownership, self.folder, "ownership.csv")?;
        for row in OwnershipRow::all(keys, lane) {
            ownership.row(&row)?;
        }
        Ok(())
    }

    fn append_bumps(&mut self, keys: Keys<'_>, run: &RunOutcome, lane: &LaneOutcome) -> Result<(), FolderError> {
        if !self.bumps_asked && self.bumps_total >= BUMPS_IF_FEWER {
            return Ok(());
        }
        for of in &lane.bumps {
            if self.bumps.rows >= BUMPS_LIMIT {
                break;
            }
            self.bumps.row(&BumpRow::new(keys, run, of))?;
        }
        Ok(())
    }

    /// Closes the files and decides what becomes of bumps.csv.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn finish(mut self) -> Result<Written, FolderError> {
        let mut notes = Vec::new();
        let bumps = if !self.bumps_asked && self.bumps_total >= BUMPS_IF_FEWER {
            let note = format!(
                "bumps.csv is left out: {} rebalances, and it is written below {} of them or with --bumps",
                thousands(self.bumps_total),
                thousands(BUMPS_IF_FEWER)
            );
            let path = self.bumps.path.clone();
            drop(self.bumps);
            fs::remove_file(&path).map_err(|e| FolderError::new(&path, &e))?;
            let path = self.folder.join("bumps.txt");
            fs::write(&path, format!("{note}\n")).map_err(|e| FolderError::new(&path, &e))?;
            notes.push(note);
            None
        } else {
            let written = self.bumps.rows;
            if written < self.bumps_total {
                let keys = Keys { scenario: self.scenario, point: "", run: self.last_run, strategy: "" };
                self.bumps.row(&BumpRow::cut_off(keys, written, self.bumps_total))?;
                notes.push(format!(
                    "bumps.csv holds {written} of {} rebalances and says so at its end",
                    self.bumps_total
                ));
            }
            Some(self.bumps)
        };
        let mut files = Vec::new();
        let all = [
            self.outcomes,
            self.causes,
            self.groups,
            self.timeline,
            self.heap,
            self.log,
            self.delays,
            self.strips,
            self.marks,
            self.costs,
        ];
        for table in all.into_iter().chain(self.steps).chain(self.moves).chain(self.ownership).chain(bumps) {
            files.push(table.close()?);
        }
        Ok(Written { files, notes })
    }
}

/// All rebalances of a lane, kept one by one or not.
fn bumps_of(lane: &LaneOutcome) -> u64 {
    if lane.bumps_complete { lane.bumps.len() as u64 } else { lane.outcome.counts.rebalances() }
}

/// A file that not every run has, begun when it is first asked for.
fn begun<'t, R: Serialize + Default>(
    table: &'t mut Option<Table>,
    folder: &Path,
    name: &'static str,
) -> Result<&'t mut Table, FolderError> {
    match table {
        Some(table) => Ok(table),
        none => Ok(none.insert(Table::begin::<R>(folder, name)?)),
    }
}

/// One CSV file in the making.
struct Table {
    path: PathBuf,
    name: &'static str,
    csv: csv::Writer<File>,
    rows: u64,
}

impl Table {
    fn begin<R: Serialize + Default>(folder: &Path, name: &'static str) -> Result<Table, FolderError> {
        let path = folder.join(name);
        let mut file = File::create(&path).map_err(|e| FolderError::new(&path, &e))?;
        file.write_all(header::<R>().as_bytes()).map_err(|e| FolderError::new(&path, &e))?;
        let csv = csv::WriterBuilder::new().has_headers(false).buffer_capacity(1 << 16).from_writer(file);
        Ok(Table { path, name, csv, rows: 0 })
    }

    fn row<R: Serialize>(&mut self, row: &R) -> Result<(), FolderError> {
        self.rows += 1;
        self.csv.serialize(row).map_err(|e| FolderError { path: self.path.clone(), why: e.to_string() })
    }

    fn close(mut self) -> Result<(&'static str, u64), FolderError> {
        self.csv.flush().map_err(|e| FolderError::new(&self.path, &e))?;
        Ok((self.name, self.rows))
    }
}

/// A row's header line: the names of its fields.
#[must_use]
pub fn header<R: Serialize + Default>() -> String {
    let mut csv = csv::Writer::from_writer(Vec::new());
    csv.serialize(R::default()).expect("a row of plain values serializes");
    let text = String::from_utf8(csv.into_inner().expect("a vector takes all bytes")).expect("names are ASCII");
    let end = text.find('\n').expect("a header ends its line");
    text[..=end].to_owned()
}
