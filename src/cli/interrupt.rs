//! Ctrl-C (and SIGTERM, which a scheduler sends): the first one asks the run to stop at its next chance, the second one stops the process; neither
//! leaves half a file where results are.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// From here on Ctrl-C asks to stop. Where no handler can be had, it stops the process, as ever.
pub(super) fn listen() {
    let _ = ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::SeqCst) {
            if let Ok(folders) = UNFINISHED.lock() {
                folders.iter().for_each(|folder| drop(fs::remove_dir_all(folder)));
            }
            std::process::exit(130);
        }
    });
}

/// Has somebody asked to stop?
pub(super) fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// A folder that a second Ctrl-C takes away.
pub(super) fn unfinished(folder: &Path) {
    if let Ok(mut folders) = UNFINISHED.lock() {
        folders.push(folder.to_owned());
    }
}
