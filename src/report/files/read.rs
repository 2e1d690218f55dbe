//! Reads results back, and says what is wrong with a folder that is not as `run` wrote it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::folder::PROVENANCE;
use super::provenance::Provenance;
use super::writer::header;

/// Why results cannot be read; names the file and what was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ReadError(String);

impl ReadError {
    /// With these words.
    #[must_use]
    pub fn new(text: String) -> ReadError {
        ReadError(text)
    }
}

/// The folder that a person means: a path, or the name of a scenario in `results/`.
///
/// # Errors
/// If neither is a folder.
pub fn result_folder(result: &str) -> Result<PathBuf, ReadError> {
    let (path, named) = (Path::new(result), Path::new("results").join(result));
    if path.is_dir() && (path.join(PROVENANCE).exists() || !named.is_dir()) {
        return Ok(path.to_owned());
    }
    if named.is_dir() {
        return Ok(named);
    }
    Err(ReadError(if path.exists() {
        format!("{result} is a file; results are a folder, as `rebalance-sim run` writes into results/")
    } else {
        format!("there is no folder {result} and no {}; `rebalance-sim run` makes one", named.display())
    }))
}

/// All rows of one of its CSV files.
///
/// # Errors
/// If it is missing, foreign, cut short, or of an older version that lacks columns.
pub fn read_rows<R>(folder: &Path, name: &str) -> Result<Vec<R>, ReadError>
where
    R: DeserializeOwned + Serialize + Default,
{
    let path = folder.join(name);
    let text = read_text(&path, || {
        format!("{} is missing: {} is no results folder, or was written only half", path.display(), folder.display())
    })?;
    check_header::<R>(&path, text.lines().next().unwrap_or(""))?;
    let again = "run the scenario again";
    if !text.ends_with('\n') {
        return Err(ReadError(format!("{} is cut short in its last line; {again}", path.display())));
    }
    let mut rows = Vec::new();
    for row in csv::Reader::from_reader(text.as_bytes()).deserialize() {
        rows.push(row.map_err(|e| ReadError(format!("{}: {}; {again}", path.display(), row_error(&e))))?);
    }
    let expected = recorded_rows(folder, name);
    if let Some(expected) = expected.filter(|n| *n != rows.len() as u64) {
        return Err(ReadError(format!(
            "{} has {} rows and {PROVENANCE} says {expected}: it was cut short, or comes from another run; {again}",
            path.display(),
            rows.len()
        )));
    }
    Ok(rows)
}

/// A results folder's provenance.
///
/// # Errors
/// If it is missing or not as `run` wrote it.
pub fn read_provenance(folder: &Path) -> Result<Provenance, ReadError> {
    let path = folder.join(PROVENANCE);
    let text = read_text(&path, || {
        format!("{} is missing: {} is no results folder, or was written only half", path.display(), folder.display())
    })?;
    serde_yaml::from_str(&text).map_err(|e| {
        let what = e.without_snippet().to_string();
        ReadError(format!("{} is not as `rebalance-sim run` writes it: {what}", path.display()))
    })
}

fn read_text(path: &Path, missing: impl FnOnce() -> String) -> Result<String, ReadError> {
    fs::read_to_string(path).map_err(|e| {
        ReadError(match e.kind() {
            io::ErrorKind::NotFound => missing(),
            io::ErrorKind::InvalidData => format!("{} is no text", path.display()),
            _ => format!("cannot read {}: {e}", path.display()),
        })
    })
}

fn check_header<R: Serialize + Default>(path: &Path, found: &str) -> Result<(), ReadError> {
    let expected = header::<R>();
    let expected: Vec<&str> = expected.trim_end().split(',').collect();
    let found: Vec<&str> = found.trim_end().split(',').collect();
    // new columns come at the end, so a newer file is understood
    if found.starts_with(&expected) {
        return Ok(());
    }
    Err(ReadError(if expected.starts_with(&found) && !found.is_empty() && found != [""] {
        format!(
            "{} is of an older version and lacks the columns {}; run the scenario again",
            path.display(),
            expected[found.len()..].join(", ")
        )
    } else {
        format!(
            "{} is not as `rebalance-sim run` writes it: expected the columns {} …, found {}",
            path.display(),
            expected[..5.min(expected.len())].join(", "),
            if found == [""] { "nothing".to_owned() } else { found[..5.min(found.len())].join(", ") }
        )
    }))
}

/// What a row's error says, with its line.
fn row_error(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { pos, expected_len, len } => {
            let line = pos.as_ref().map_or(0, csv::Position::line);
            format!("line {line} has {len} cells instead of {expected_len}")
        }
        csv::ErrorKind::Deserialize { pos, err } => {
            let line = pos.as_ref().map_or(0, csv::Position::line);
            format!("line {line}: {err}")
        }
        _ => error.to_string(),
    }
}

/// How many rows the file had when it was written; absent where nobody says so.
fn recorded_rows(folder: &Path, name: &str) -> Option<u64> {
    let provenance = read_provenance(folder).ok()?;
    provenance.files.iter().find(|f| f.name == name).map(|f| f.rows)
}

#[cfg(test)]
mod tests {
    use super::super::details::GroupRow;
    use super::super::provenance::FileRows;
    use super::*;

    const ROW: &str = "s,,1,group-hash,g-1,0,5,1,3,2,0,0,1,1,1,0,601000,900000,saturday,consumer\n";

    fn read(text: &str, recorded: Option<u64>) -> Result<Vec<GroupRow<'static>>, String> {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("groups.csv"), text).unwrap();
        if let Some(rows) = recorded {
            let files = vec![FileRows { name: "groups.csv".into(), rows }];
            let provenance = Provenance { files, ..Provenance::default() };
            fs::write(home.path().join(PROVENANCE), provenance.to_yaml()).unwrap();
        }
        let here = format!("{}/", home.path().display());
        read_rows(home.path(), "groups.csv").map_err(|e| e.to_string().replace(&here, ""))
    }

    #[test]
    fn what_run_wrote_is_read_back_also_with_columns_of_a_newer_version() {
        let head = header::<GroupRow<'_>>();
        let rows = read(&format!("{head}{ROW}"), Some(1)).unwrap();
        assert_eq!((rows[0].group.as_ref(), rows[0].last_ms), ("g-1", Some(900_000)));
        let newer = format!("{},moves\n{},7\n", head.trim_end(), ROW.trim_end());
        assert_eq!(read(&newer, None).unwrap(), rows);
    }

    #[test]
    fn a_wrong_file_is_told_apart_from_a_cut_and_from_an_old_one() {
        let head = header::<GroupRow<'_>>();
        let cases = [
            (
                "",
                None,
                "groups.csv is not as `rebalance-sim run` writes it: expected the columns scenario, point, run, strategy, group …, found nothing",
            ),
            (
                "a,b\n1,2\n",
                None,
                "groups.csv is not as `rebalance-sim run` writes it: expected the columns scenario, point, run, strategy, group …, found a, b",
            ),
            (
                "scenario,point,run,strategy,group,shard,members,topics,epoch,rebalances,membership,needed,late,spurious,repeat,missed,first_ms\n",
                None,
                "groups.csv is of an older version and lacks the columns last_ms, main_cause, protocol; run the scenario again",
            ),
            (&format!("{head}s,,1,gro"), None, "groups.csv is cut short in its last line; run the scenario again"),
            (&format!("{head}s,,1\n"), None, "groups.csv: line 2 has 3 cells instead of 20; run the scenario again"),
            (
                &format!("{head}{ROW}"),
                Some(2),
                "groups.csv has 1 rows and provenance.yaml says 2: it was cut short, or comes from another run; run the scenario again",
            ),
            (
                &format!("{head}{}", ROW.replace("601000", "soon")),
                None,
                "groups.csv: line 2: field 16: invalid digit found in string; run the scenario again",
            ),
        ];
        for (text, recorded, message) in cases {
            assert_eq!(read(text, recorded).unwrap_err(), message);
        }
    }

    #[test]
    fn a_missing_folder_or_file_is_named() {
        let error = result_folder("no-such-scenario").unwrap_err().to_string();
        assert_eq!(
            error,
            "there is no folder no-such-scenario and no results/no-such-scenario; `rebalance-sim run` makes one"
        );
        let home = tempfile::tempdir().unwrap();
        let error = read_rows::<GroupRow<'_>>(home.path(), "groups.csv").unwrap_err().to_string();
        assert!(error.contains("groups.csv is missing: "), "{error}");
        let error = read_provenance(home.path()).unwrap_err().to_string();
        assert!(error.contains("provenance.yaml is missing: "), "{error}");
    }
}
