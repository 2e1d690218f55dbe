//! Finished runs of a sweep, a file each, written whole: a process may be killed at any moment, and what was
//! finished is there when the same sweep is asked for again.

use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::report::files::{FolderError, UNFINISHED, write_beside};

/// How a run of a point ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// As it should.
    Ok,
    /// It has rows, and does not keep what the scenario expects.
    Broken,
    /// It has no rows.
    Error,
}

impl Status {
    /// As points.csv has it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Status::Ok => "ok",
            Status::Broken => "broken",
            Status::Error => "error",
        }
    }

    /// The other way round.
    #[must_use]
    pub fn of(name: &str) -> Option<Status> {
        [Status::Ok, Status::Broken, Status::Error].into_iter().find(|status| status.name() == name)
    }
}

/// A finished run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Done {
    /// How it ended.
    pub status: Status,
    /// Why it did not end well.
    pub reason: String,
    /// Its lines of outcomes.csv.
    pub rows: String,
}

/// A file's content: who made it, and what.
#[derive(Serialize, Deserialize)]
struct Page {
    build: String,
    point: String,
    run: u32,
    done: Done,
}

/// The folder of a sweep, held by one process at a time.
#[derive(Debug)]
pub struct Kept {
    folder: PathBuf,
    build: String,
    _lock: File,
}

impl Kept {
    /// Opens the folder `kept/` in `home`, and takes away what a killed process left unfinished. `build` is the program
    /// that makes the rows: what another one has kept is not taken for its own.
    ///
    /// # Errors
    /// If it cannot be written, or another process works in it.
    pub fn open(home: &Path, build: &str) -> Result<Kept, FolderError> {
        let folder = home.join("kept");
        fs::create_dir_all(&folder).map_err(|e| FolderError::new(&folder, &e))?;
        let path = folder.join("lock");
        let lock = File::create(&path).map_err(|e| FolderError::new(&path, &e))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(FolderError { path: home.to_owned(), why: "another process works in it".to_owned() });
            }
            Err(TryLockError::Error(e)) => return Err(FolderError::new(&path, &e)),
        }
        for place in [home, &folder] {
            for entry in fs::read_dir(place).map_err(|e| FolderError::new(place, &e))?.flatten() {
                if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
                    fs::remove_file(entry.path()).map_err(|e| FolderError::new(&entry.path(), &e))?;
                }
            }
        }
        Ok(Kept { folder, build: build.to_owned(), _lock: lock })
    }

    fn path(&self, point: &str, run: u32) -> PathBuf {
        self.folder.join(format!("{point}-{run}.json"))
    }

    /// A run that is finished; `None` if it is not, or was finished by another build, or its file is damaged.
    #[must_use]
    pub fn get(&self, point: &str, run: u32) -> Option<Done> {
        let text = fs::read_to_string(self.path(point, run)).ok()?;
        let (sum, body) = text.split_once('\n')?;
        if sum != digest(body) {
            return None;
        }
        let page: Page = serde_json::from_str(body).ok()?;
        (page.build == self.build && page.point == point && page.run == run).then_some(page.done)
    }

    /// Keeps a run.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn put(&self, point: &str, run: u32, done: &Done) -> Result<(), FolderError> {
        let page = Page { build: self.build.clone(), point: point.to_owned(), run, done: done.clone() };
        let body = serde_json::to_string(&page).expect("text and numbers are JSON");
        write_beside(&self.path(point, run), |out| write!(out, "{}\n{body}", digest(&body)))
    }
}

fn digest(body: &str) -> String {
    format!("{:016x}", xxh3_64(body.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done() -> Done {
        Done { status: Status::Broken, reason: "missed == 0; 1 on the left".into(), rows: "s,p,1,\"a, b\",7\n".into() }
    }

    #[test]
    fn what_is_kept_is_found_again_by_the_same_build_alone() {
        let home = tempfile::tempdir().unwrap();
        let kept = Kept::open(home.path(), "one").unwrap();
        kept.put("abc", 2, &done()).unwrap();
        assert_eq!(kept.get("abc", 2), Some(done()));
        assert_eq!((kept.get("abc", 1), kept.get("abd", 2)), (None, None));
        let busy = Kept::open(home.path(), "one").unwrap_err().to_string();
        assert!(busy.ends_with(": another process works in it"), "{busy}");
        drop(kept);
        assert_eq!(Kept::open(home.path(), "two").unwrap().get("abc", 2), None);
        assert_eq!(Kept::open(home.path(), "one").unwrap().get("abc", 2), Some(done()));
    }

    #[test]
    fn a_torn_file_is_not_taken_for_a_finished_run_and_leftovers_go() {
        let home = tempfile::tempdir().unwrap();
        let kept = Kept::open(home.path(), "one").unwrap();
        kept.put("abc", 1, &done()).unwrap();
        let path = home.path().join("kept/abc-1.json");
        let whole = fs::read(&path).unwrap();
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            assert_eq!(kept.get("abc", 1), None, "{length}");
        }
        drop(kept);
        fs::write(home.path().join("kept/.unfinished-x"), "half").unwrap();
        fs::write(home.path().join(".unfinished-y"), "half").unwrap();
        Kept::open(home.path(), "one").unwrap();
        assert!(!home.path().join("kept/.unfinished-x").exists() && !home.path().join(".unfinished-y").exists());
    }
}
