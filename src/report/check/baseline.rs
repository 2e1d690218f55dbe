//! Baselines: a folder with a folder for each scenario, small enough to be committed. What a run came to
//! (outcomes.csv), where its rebalances were (bumps.csv), and which file it was (about.yaml).

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::report::files::{Cells, FolderError, ReadError, header, lines, write_beside};
use crate::sim::natural_cmp;

use super::trail::TrailRow;

const OUTCOMES: &str = "outcomes.csv";
const BUMPS: &str = "bumps.csv";
const ABOUT: &str = "about.yaml";

/// What about.yaml says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct About {
    /// The scenario's file as it was given when the baseline was accepted.
    pub file: String,
    /// Program and version that made it.
    pub version: String,
}

/// A scenario's baseline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    /// The scenario's name.
    pub name: String,
    /// Where it comes from.
    pub about: About,
    /// outcomes.csv.
    pub outcomes: Cells,
    /// Its rebalances.
    pub trail: Vec<TrailRow<'static>>,
}

/// What accepting did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accepted {
    /// It was the same already.
    Kept,
    /// There was none.
    Added,
    /// There was another.
    Updated,
}

impl Baseline {
    /// Reads a scenario's baseline; `None`: there is none.
    ///
    /// # Errors
    /// If there is one that cannot be read.
    pub fn read(folder: &Path, name: &str) -> Result<Option<Baseline>, ReadError> {
        let home = folder.join(name);
        if !home.join(OUTCOMES).exists() {
            return Ok(None);
        }
        let path = home.join(ABOUT);
        let text =
            fs::read_to_string(&path).map_err(|e| ReadError::new(format!("cannot read {}: {e}", path.display())))?;
        let about = serde_yaml::from_str(&text)
            .map_err(|e| ReadError::new(format!("{}: {}", path.display(), e.without_snippet())))?;
        let path = home.join(BUMPS);
        let mut trail = Vec::new();
        let mut reader = csv::Reader::from_path(&path)
            .map_err(|e| ReadError::new(format!("cannot read {}: {e}", path.display())))?;
        for row in reader.deserialize() {
            trail.push(row.map_err(|e| ReadError::new(format!("{}: {e}", path.display())))?);
        }
        let outcomes = Cells::read(&home.join(OUTCOMES))?;
        Ok(Some(Baseline { name: name.to_owned(), about, outcomes, trail }))
    }

    /// The names of all scenarios with a baseline, in natural order.
    #[must_use]
    pub fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries
            .filter(|entry| entry.path().join(OUTCOMES).exists())
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort_by(|a, b| natural_cmp(a, b));
        names
    }

    /// The ids of its histories, run by run.
    #[must_use]
    pub fn histories(&self) -> Vec<&str> {
        let mut ids: Vec<&str> = self.outcomes.rows.iter().map(|row| self.outcomes.cell(row, "history_id")).collect();
        ids.dedup();
        ids
    }

    /// Is the scenario's file gone?
    #[must_use]
    pub fn is_orphan(&self) -> bool {
        !Path::new(&self.about.file).exists()
    }

    /// Writes a baseline.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn accept(
        folder: &Path,
        name: &str,
        about: &About,
        outcomes: &str,
        trail: &[TrailRow<'_>],
    ) -> Result<Accepted, FolderError> {
        let home = folder.join(name);
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let yaml = format!("file: {}\nversion: {}\n", quoted(&about.file), quoted(&about.version));
        let bumps = format!("{}{}", header::<TrailRow<'_>>(), lines(trail));
        let before: Option<Vec<String>> =
            [OUTCOMES, BUMPS].iter().map(|file| fs::read_to_string(home.join(file)).ok()).collect();
        if before.as_ref().is_some_and(|before| before[0] == outcomes && before[1] == bumps) {
            // its file may have moved
            put(&home.join(ABOUT), &yaml)?;
            return Ok(Accepted::Kept);
        }
        fs::create_dir_all(&home).map_err(|e| FolderError::new(&home, &e))?;
        put(&home.join(BUMPS), &bumps)?;
        put(&home.join(ABOUT), &yaml)?;
        // last: a folder with it is a baseline
        put(&home.join(OUTCOMES), outcomes)?;
        Ok(if before.is_some() { Accepted::Updated } else { Accepted::Added })
    }

    /// Takes a baseline away.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn remove(folder: &Path, name: &str) -> Result<(), FolderError> {
        let home = folder.join(name);
        for file in [OUTCOMES, BUMPS, ABOUT] {
            let path = home.join(file);
            fs::remove_file(&path).or_else(|e| match e.kind() {
                io::ErrorKind::NotFound => Ok(()),
                _ => Err(FolderError::new(&path, &e)),
            })?;
        }
        // somebody's own files keep it
        let _ = fs::remove_dir(&home);
        Ok(())
    }
}

fn put(path: &PathBuf, text: &str) -> Result<(), FolderError> {
    if fs::read_to_string(path).is_ok_and(|there| there == text) {
        return Ok(());
    }
    write_beside(path, |out| out.write_all(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_accepted_is_read_back_and_only_changes_are_written() {
        let home = tempfile::tempdir().unwrap();
        let about = About { file: "scenarios/\"a\".yaml".into(), version: "v".into() };
        let trail =
            [TrailRow { run: 1, strategy: "a, b".into(), number: 1, marks: "Ab".into(), ..TrailRow::default() }];
        let outcomes = "run,history_id\n1,abc\n1,abc\n2,def\n";
        let accept = |outcomes: &str| Baseline::accept(home.path(), "s", &about, outcomes, &trail).unwrap();
        assert_eq!(accept(outcomes), Accepted::Added);
        assert_eq!(accept(outcomes), Accepted::Kept);
        let read = Baseline::read(home.path(), "s").unwrap().unwrap();
        assert_eq!(
            (read.about.clone(), read.trail.as_slice(), read.histories()),
            (about.clone(), &trail[..], vec!["abc", "def"])
        );
        assert!(read.is_orphan());
        assert_eq!(accept("run,history_id\n1,abc\n"), Accepted::Updated);
        assert_eq!(Baseline::names(home.path()), ["s"]);
        Baseline::remove(home.path(), "s").unwrap();
        assert_eq!(Baseline::read(home.path(), "s").unwrap(), None);
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
    }
}
