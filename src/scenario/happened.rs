//! `history: {from: FILE}`: what happened, instead of what is to happen.

use std::path::PathBuf;

use crate::sim::Ms;

/// Where a history is read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HappenedFile {
    /// A history in JSON Lines, or a cluster's metadata log as `kafka-dump-log.sh` prints it; found from the folder of
    /// the file that names it.
    pub path: PathBuf,
    /// How the log is read, if anything is said about it.
    pub log: LogWindow,
}

/// Which part of a metadata log is the run, and which of its batches one image has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogWindow {
    /// Time 0 of the run: what came before stands then.
    pub since: Since,
    /// Batches that come less than this after the first of an image belong to it; 0: those of one millisecond.
    pub gap: Ms,
}

/// An instant of a log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Since {
    /// Its first batch.
    #[default]
    First,
    /// So long after its first batch.
    After(Ms),
    /// Milliseconds since 1970, as the log's `CreateTime` has them.
    At(u64),
}
