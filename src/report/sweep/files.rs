//! points.csv, outcomes.csv and summary.csv of a sweep, written from finished runs, in the order of the plan.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use crate::experiment::sweep::{Plan, Unit};
use crate::report::files::{Cells, FolderError, OutcomeRow, header, line, lines, write_beside};

use super::kept::{Done, Status};
use super::summary::{SummaryRow, summary};

/// What stands in front of the axes in points.csv.
const KEYS: [&str; 5] = ["point", "run", "seed", "status", "reason"];

/// What the files came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// File and its rows.
    pub files: Vec<(&'static str, u64)>,
    /// What did not end well, a line each.
    pub failed: Vec<String>,
    /// Runs that are finished.
    pub finished: usize,
    /// Runs that are not.
    pub missing: usize,
    /// Points with a run that did not end well, by place.
    pub failed_points: BTreeSet<usize>,
    /// The rows of summary.csv for the columns asked for, differences left out.
    pub shown: Vec<SummaryRow<'static>>,
}

/// The heads of the axes' columns; an axis that has the name of another column is told apart from it.
pub(super) fn axis_columns(plan: &Plan) -> Vec<String> {
    let head = |path: &String| if KEYS.contains(&path.as_str()) { format!("sweep.{path}") } else { path.clone() };
    plan.axes.iter().map(head).collect()
}

/// Every run of a sweep with its seed and the values of its point, as CSV.
#[must_use]
pub fn manifest(plan: &Plan, units: &[Unit]) -> String {
    let heads = ["point", "run", "seed"].map(str::to_owned).into_iter().chain(axis_columns(plan));
    let mut text = line(heads);
    for unit in units {
        let point = &plan.points[unit.point];
        let keys = [point.id.clone(), unit.run.to_string(), point.seed.to_string()];
        text.push_str(&line(keys.iter().chain(&point.values)));
    }
    text
}

/// Writes the files for these runs; `get` gives what is finished. summary.csv is there only of a whole sweep that is
/// finished. `columns` are what [`Written::shown`] is about.
///
/// # Errors
/// If the system refuses.
pub fn write(
    folder: &Path,
    plan: &Plan,
    units: &[Unit],
    whole: bool,
    columns: &[&str],
    get: &mut dyn FnMut(Unit) -> Option<Done>,
) -> Result<Written, FolderError> {
    let mut written = Written::default();
    let mut points = line(KEYS.iter().map(|key| (*key).to_owned()).chain(axis_columns(plan)));
    let mut sums = line(header::<SummaryRow<'_>>().trim_end().split(',').map(str::to_owned).chain(axis_columns(plan)));
    let (mut outcome_rows, mut summary_rows) = (0, 0);
    write_beside(&folder.join("outcomes.csv"), |out| {
        let head = header::<OutcomeRow<'_>>();
        out.write_all(head.as_bytes())?;
        let mut of_point = head.clone();
        for (i, unit) in units.iter().enumerate() {
            let point = &plan.points[unit.point];
            let done = get(*unit);
            let (status, reason) = match &done {
                Some(done) => (done.status.name(), done.reason.as_str()),
                None => ("incomplete", ""),
            };
            let keys = [&point.id, &unit.run.to_string(), &point.seed.to_string(), status, reason];
            points.push_str(&line(keys.into_iter().chain(point.values.iter().map(String::as_str))));
            written.note(plan, *unit, done.as_ref());
            if let Some(done) = done {
                out.write_all(done.rows.as_bytes())?;
                outcome_rows += done.rows.matches('\n').count() as u64;
                of_point.push_str(&done.rows);
            }
            if units.get(i + 1).is_none_or(|next| next.point != unit.point) {
                let rows = summary(&point.id, &Cells::parse(&of_point).map_err(io::Error::other)?);
                for row in &rows {
                    sums.push_str(lines(std::slice::from_ref(row)).trim_end());
                    point.values.iter().for_each(|value| sums.push_str(&format!(",{}", line([value]).trim_end())));
                    sums.push('\n');
                }
                summary_rows += rows.len() as u64;
                written.shown.extend(
                    rows.into_iter().filter(|row| columns.contains(&row.column.as_ref()) && row.against.is_empty()),
                );
                of_point.clone_from(&head);
            }
        }
        Ok(())
    })?;
    write_beside(&folder.join("points.csv"), |out| out.write_all(points.as_bytes()))?;
    written.files = vec![("points.csv", units.len() as u64), ("outcomes.csv", outcome_rows)];
    let path = folder.join("summary.csv");
    if whole && written.missing == 0 {
        write_beside(&path, |out| out.write_all(sums.as_bytes()))?;
        written.files.push(("summary.csv", summary_rows));
    } else if let Err(e) = fs::remove_file(&path)
        && e.kind() != io::ErrorKind::NotFound
    {
        return Err(FolderError::new(&path, &e));
    }
    Ok(written)
}

impl Written {
    fn note(&mut self, plan: &Plan, unit: Unit, done: Option<&Done>) {
        let Some(done) = done else {
            self.missing += 1;
            return;
        };
        self.finished += 1;
        if done.status != Status::Ok {
            let runs = plan.points[unit.point].runs;
            let run = if runs > 1 { format!(", run {} of {runs}", unit.run) } else { String::new() };
            self.failed_points.insert(unit.point);
            self.failed.push(format!("{}{run}: {}", plan.called(unit.point), done.reason));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::sweep::Point;

    fn plan() -> Plan {
        let point = |id: &str, value: &str| Point {
            values: vec![value.to_owned()],
            id: id.to_owned(),
            seed: 1,
            runs: 1,
            wrong: None,
            bytes: 0,
            cpu_ns: 0,
        };
        Plan {
            name: "s".into(),
            axes: vec!["topics.t.partitions".into()],
            points: vec![point("p1", "10"), point("p2", "0"), point("p3", "100")],
        }
    }

    fn rows(point: &str, rebalances: u64) -> String {
        let row = OutcomeRow {
            scenario: "s".into(),
            point: point.to_owned().into(),
            run: 1,
            strategy: "a".into(),
            rebalances,
            ..OutcomeRow::default()
        };
        lines(&[row])
    }

    #[test]
    fn c66_a_failed_point_is_a_row_with_its_reason_and_in_no_figure() {
        let home = tempfile::tempdir().unwrap();
        let plan = plan();
        let mut get = |unit: Unit| {
            let id = plan.points[unit.point].id.as_str();
            Some(match unit.point {
                1 => Done { status: Status::Error, reason: "no partitions, none".into(), rows: String::new() },
                n => Done { status: Status::Ok, reason: String::new(), rows: rows(id, 10 * n as u64 + 5) },
            })
        };
        let written = write(home.path(), &plan, &plan.units(), true, &["rebalances"], &mut get).unwrap();
        assert_eq!(written.failed, ["point 2 of 3 (topics.t.partitions=0): no partitions, none"]);
        assert_eq!(
            fs::read_to_string(home.path().join("points.csv")).unwrap(),
            "point,run,seed,status,reason,topics.t.partitions\np1,1,1,ok,,10\np2,1,1,error,\"no partitions, none\",0\np3,1,1,ok,,100\n"
        );
        let summary = Cells::read(&home.path().join("summary.csv")).unwrap();
        let means: Vec<&str> = summary
            .rows
            .iter()
            .filter(|row| summary.cell(row, "column") == "rebalances")
            .map(|row| summary.cell(row, "mean"))
            .collect();
        assert_eq!(means, ["5.0000", "25.0000"]);
        assert_eq!(summary.cell(&summary.rows[0], "topics.t.partitions"), "10");
    }

    #[test]
    fn an_unfinished_sweep_has_valid_files_that_say_so_and_no_summary() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("summary.csv"), "of yesterday").unwrap();
        let plan = plan();
        let mut get = |unit: Unit| {
            (unit.point == 0).then(|| Done { status: Status::Ok, reason: String::new(), rows: rows("p1", 5) })
        };
        let written = write(home.path(), &plan, &plan.units(), true, &["rebalances"], &mut get).unwrap();
        assert_eq!((written.finished, written.missing), (1, 2));
        let points = fs::read_to_string(home.path().join("points.csv")).unwrap();
        assert!(points.contains("\np3,1,1,incomplete,,100\n"), "{points}");
        assert_eq!(Cells::read(&home.path().join("outcomes.csv")).unwrap().rows.len(), 1);
        assert!(!home.path().join("summary.csv").exists());
    }

    #[test]
    fn an_axis_named_like_a_column_is_told_apart() {
        let mut plan = plan();
        plan.axes = vec!["seed".into()];
        assert!(manifest(&plan, &plan.units()).starts_with("point,run,seed,sweep.seed\np1,1,1,10\n"));
    }
}
