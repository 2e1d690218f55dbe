//! Parts of a sweep put together: each part's folder says what the whole is (plan.csv) and which piece it holds
//! (part.yaml), so that nothing else is needed, and what is missing, doubled or foreign is told.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::experiment::sweep::{Part, Plan, Point, Unit};
use crate::report::files::{Cells, OutcomeRow, header, line};

use super::kept::{Done, Status};

/// The whole sweep, in every part's folder.
pub const PLAN_FILE: &str = "plan.csv";

/// Which part a folder is.
pub const PART_FILE: &str = "part.yaml";

/// What part.yaml says.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct PartNote {
    /// The scenario's name.
    pub scenario: String,
    /// Program and version.
    pub version: String,
    /// Which part, from 1.
    pub part: u32,
    /// Of how many.
    pub of: u32,
}

impl PartNote {
    /// As it is written.
    #[must_use]
    pub fn to_yaml(&self) -> String {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let mut out =
            String::from("# Which part of a sweep this folder is; `rebalance-sim merge` joins all of them.\n");
        let _ = writeln!(out, "scenario: {}\nversion: {}", quoted(&self.scenario), quoted(&self.version));
        let _ = writeln!(out, "part: {}\nof: {}", self.part, self.of);
        out
    }
}

/// All parts of a sweep.
#[derive(Clone, Debug)]
pub struct Parts {
    /// The whole.
    pub plan: Plan,
    /// Program and version that made them.
    pub version: String,
    done: BTreeMap<Unit, Done>,
}

impl Parts {
    /// What a run came to.
    #[must_use]
    pub fn get(&self, unit: Unit) -> Option<Done> {
        self.done.get(&unit).cloned()
    }
}

/// Reads the folders of all parts, in any order.
///
/// # Errors
/// If parts are missing, doubled, not finished, or not of one sweep.
pub fn merge(folders: &[PathBuf]) -> Result<Parts, String> {
    let mut notes: Vec<(PartNote, &Path)> = Vec::new();
    let mut plan_text: Option<String> = None;
    for folder in folders {
        let note = read_note(folder)?;
        let plan = read(&folder.join(PLAN_FILE))?;
        if let Some((first, path)) = notes.first() {
            let differs = if note.version != first.version {
                Some(format!("was made by {}, and the other by {}", note.version, first.version))
            } else if plan_text.as_ref() != Some(&plan) || note.scenario != first.scenario {
                Some("is of another sweep (another scenario, seed or axes: compare their plan.csv)".to_owned())
            } else if note.of != first.of {
                Some(format!("is one of {} parts, and the other one of {}", note.of, first.of))
            } else {
                None
            };
            if let Some(why) = differs {
                return Err(format!("{} does not belong to {}: it {why}", folder.display(), path.display()));
            }
        }
        if let Some((_, other)) = notes.iter().find(|(other, _)| other.part == note.part) {
            return Err(format!(
                "part {} of {} is given twice: {} and {}",
                note.part,
                note.of,
                other.display(),
                folder.display()
            ));
        }
        plan_text = Some(plan);
        notes.push((note, folder));
    }
    let (Some((first, _)), Some(plan_text)) = (notes.first(), plan_text) else {
        return Err("no parts are given".to_owned());
    };
    let missing: Vec<String> =
        (1..=first.of).filter(|n| notes.iter().all(|(note, _)| note.part != *n)).map(|n| n.to_string()).collect();
    if !missing.is_empty() {
        let s = if missing.len() > 1 { "s" } else { "" };
        return Err(format!("part{s} {} of {} missing", missing.join(", "), first.of));
    }
    let plan = read_plan(&first.scenario, &plan_text)?;
    let units = plan.units();
    let mut done = BTreeMap::new();
    for (note, folder) in &notes {
        let own = Part { index: note.part, of: note.of }.own(&units);
        read_part(&plan, &own, folder, &mut done)?;
    }
    Ok(Parts { version: first.version.clone(), plan, done })
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path)
        .map_err(|e| format!("cannot read {}: {e}; parts are made by `rebalance-sim sweep --part i/n`", path.display()))
}

fn read_note(folder: &Path) -> Result<PartNote, String> {
    let path = folder.join(PART_FILE);
    let note: PartNote =
        serde_yaml::from_str(&read(&path)?).map_err(|e| format!("{}: {}", path.display(), e.without_snippet()))?;
    if note.part == 0 || note.part > note.of {
        return Err(format!("{}: there is no part {} of {}", path.display(), note.part, note.of));
    }
    Ok(note)
}

/// The plan as [`super::manifest`] wrote it.
fn read_plan(name: &str, text: &str) -> Result<Plan, String> {
    let wrong = |why: &str| format!("{PLAN_FILE} is not as `rebalance-sim sweep` writes it: {why}");
    let cells = Cells::parse(text).map_err(|why| wrong(&why))?;
    if cells.columns.get(..3).is_none_or(|keys| keys != ["point", "run", "seed"]) {
        return Err(wrong("it has other columns"));
    }
    let mut points: Vec<Point> = Vec::new();
    for row in &cells.rows {
        match points.last_mut() {
            Some(last) if last.id == row[0] => last.runs += 1,
            _ => points.push(Point {
                values: row[3..].to_vec(),
                id: row[0].clone(),
                seed: row[2].parse().map_err(|_| wrong("a seed is no number"))?,
                runs: 1,
                wrong: None,
                bytes: 0,
                cpu_ns: 0,
            }),
        }
    }
    Ok(Plan { name: name.to_owned(), axes: cells.columns[3..].to_vec(), points })
}

/// What a part holds, which has to be exactly what is its own.
fn read_part(plan: &Plan, own: &[Unit], folder: &Path, done: &mut BTreeMap<Unit, Done>) -> Result<(), String> {
    let points = Cells::read(&folder.join("points.csv")).map_err(|e| e.to_string())?;
    let outcomes = Cells::read(&folder.join("outcomes.csv")).map_err(|e| e.to_string())?;
    if line(&outcomes.columns) != header::<OutcomeRow<'_>>() {
        return Err(format!("{}/outcomes.csv has the columns of another version", folder.display()));
    }
    let mut rows: BTreeMap<(&str, &str), String> = BTreeMap::new();
    for row in &outcomes.rows {
        let key = (outcomes.cell(row, "point"), outcomes.cell(row, "run"));
        rows.entry(key).or_default().push_str(&line(row));
    }
    let named = |unit: &Unit| (plan.points[unit.point].id.clone(), unit.run.to_string());
    let found = points.rows.iter().map(|r| (points.cell(r, "point").to_owned(), points.cell(r, "run").to_owned()));
    if !found.eq(own.iter().map(named)) {
        return Err(format!("{}/points.csv does not hold the runs of its part; make the part again", folder.display()));
    }
    let mut open = 0;
    for (row, unit) in points.rows.iter().zip(own) {
        let key = (points.cell(row, "point"), points.cell(row, "run"));
        match Status::of(points.cell(row, "status")) {
            None => open += 1,
            Some(status) => {
                let rows = rows.remove(&key).unwrap_or_default();
                if rows.is_empty() != (status == Status::Error) {
                    return Err(format!("{}: the rows of {} are missing", folder.display(), plan.called(unit.point)));
                }
                done.insert(*unit, Done { status, reason: points.cell(row, "reason").to_owned(), rows });
            }
        }
    }
    if open > 0 {
        return Err(format!(
            "{} is not finished: {open} of its {} runs are missing; run it again",
            folder.display(),
            own.len()
        ));
    }
    Ok(())
}
