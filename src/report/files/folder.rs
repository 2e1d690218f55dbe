//! A results folder as one thing: everything is written into a folder beside it, and takes its place when
//! all of it is there. A run that fails or is interrupted leaves what was there before.

use std::fs::{self, Permissions};
use std::io;
use std::path::{Path, PathBuf};

/// Every name that a run may write into its folder; what else lies there belongs to somebody else and stays.
pub const OURS: [&str; 18] = [
    "outcomes.csv",
    "causes.csv",
    "groups.csv",
    "timeline.csv",
    "heap.csv",
    "log.csv",
    "delays.csv",
    "strips.csv",
    "marks.csv",
    "steps.csv",
    "moves.csv",
    "ownership.csv",
    "bumps.csv",
    "bumps.txt",
    "costs.csv",
    "charts",
    "report.html",
    PROVENANCE,
];

/// Written last: a folder with it is whole.
pub const PROVENANCE: &str = "provenance.yaml";

/// Why a results folder cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {why}", path.display())]
pub struct FolderError {
    /// The folder or file.
    pub path: PathBuf,
    /// What the system says, or what lies in the way.
    pub why: String,
}

impl FolderError {
    /// From what the system says.
    #[must_use]
    pub fn new(path: &Path, error: &io::Error) -> FolderError {
        FolderError { path: path.to_owned(), why: error.to_string() }
    }
}

/// A folder in the making.
#[derive(Debug)]
pub struct Staging {
    temp: tempfile::TempDir,
    target: PathBuf,
}

impl Staging {
    /// Begins `parent/name` by making a folder beside it, which shows that it can be written before any work is done.
    ///
    /// # Errors
    /// If the parent cannot be made or written, or the target is a file or cannot be written.
    pub fn begin(parent: &Path, name: &str) -> Result<Staging, FolderError> {
        fs::create_dir_all(parent).map_err(|e| FolderError::new(parent, &e))?;
        let target = parent.join(name);
        match fs::metadata(&target) {
            Ok(found) if !found.is_dir() => {
                return Err(FolderError { path: target, why: "a file is in the way of this folder".to_owned() });
            }
            Ok(_) => {
                // permission bits do not tell the whole truth (read-only mounts, root), a file does
                tempfile::tempfile_in(&target).map_err(|e| FolderError::new(&target, &e))?;
            }
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => return Err(FolderError::new(&target, &e)),
        }
        let temp = builder().tempdir_in(parent).map_err(|e| FolderError::new(parent, &e))?;
        Ok(Staging { temp, target })
    }

    /// Where to write.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.temp.path()
    }

    /// Where it will be.
    #[must_use]
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Puts what was written in the target's place; returns the target. A new target appears whole. In an old one each
    /// file is replaced by renaming, [`PROVENANCE`] is away meanwhile, and files of an earlier run that this one
    /// does not have are removed.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn commit(self) -> Result<PathBuf, FolderError> {
        let Staging { temp, target } = self;
        let failed = |e: io::Error| FolderError::new(&target, &e);
        if !target.exists() {
            fs::rename(temp.path(), &target).map_err(failed)?;
            // nothing is left for it to remove
            let _gone = temp.keep();
            return Ok(target);
        }
        remove(&target.join(PROVENANCE)).map_err(failed)?;
        for name in OURS {
            let (from, to) = (temp.path().join(name), target.join(name));
            if from.is_file() {
                if to.is_dir() {
                    remove(&to).map_err(failed)?;
                }
                fs::rename(&from, &to).map_err(failed)?;
            } else {
                remove(&to).map_err(failed)?;
                if from.exists() {
                    fs::rename(&from, &to).map_err(failed)?;
                }
            }
        }
        drop(temp);
        Ok(target)
    }
}

/// Like `mkdir`: the user's umask decides who may read.
#[cfg(unix)]
fn builder() -> tempfile::Builder<'static, 'static> {
    use std::os::unix::fs::PermissionsExt;
    let mut builder = plain_builder();
    builder.permissions(Permissions::from_mode(0o777));
    builder
}

#[cfg(not(unix))]
fn builder() -> tempfile::Builder<'static, 'static> {
    plain_builder()
}

fn plain_builder() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".unfinished-");
    builder
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(e) => Err(e),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn an_unfinished_folder_leaves_nothing() {
        let home = tempfile::tempdir().unwrap();
        let staging = Staging::begin(home.path(), "r").unwrap();
        fs::write(staging.path().join("outcomes.csv"), "x").unwrap();
        drop(staging);
        assert!(names(home.path()).is_empty());
    }

    #[test]
    fn a_second_run_replaces_its_own_files_and_leaves_others_alone() {
        let home = tempfile::tempdir().unwrap();
        for (file, chart) in [("bumps.csv", "old.svg"), ("bumps.txt", "new.svg")] {
            let staging = Staging::begin(home.path(), "r").unwrap();
            fs::write(staging.path().join(file), "x").unwrap();
            fs::write(staging.path().join(PROVENANCE), "x").unwrap();
            fs::create_dir(staging.path().join("charts")).unwrap();
            fs::write(staging.path().join("charts").join(chart), "x").unwrap();
            let target = staging.commit().unwrap();
            fs::write(target.join("my-notes.md"), "mine").unwrap();
        }
        let target = home.path().join("r");
        assert_eq!(names(&target), ["bumps.txt", "charts", "my-notes.md", "provenance.yaml"]);
        assert_eq!(names(&target.join("charts")), ["new.svg"]);
        assert_eq!(names(home.path()), ["r"]);
    }

    #[test]
    fn a_file_in_the_way_is_refused_before_the_run() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("r"), "a file").unwrap();
        let error = Staging::begin(home.path(), "r").unwrap_err();
        assert!(error.to_string().ends_with("/r: a file is in the way of this folder"), "{error}");
        let error = Staging::begin(&home.path().join("r"), "s").unwrap_err();
        assert!(error.to_string().starts_with("cannot write "), "{error}");
        assert_eq!(names(home.path()), ["r"]);
    }

    #[cfg(unix)]
    #[test]
    fn the_folder_may_be_read_by_whom_the_umask_lets() {
        use std::os::unix::fs::PermissionsExt;
        let home = tempfile::tempdir().unwrap();
        let plain = home.path().join("plain");
        fs::create_dir(&plain).unwrap();
        let made = Staging::begin(home.path(), "r").unwrap().commit().unwrap();
        let mode = |p: &Path| fs::metadata(p).unwrap().permissions().mode();
        assert_eq!(mode(&made), mode(&plain));
    }
}
