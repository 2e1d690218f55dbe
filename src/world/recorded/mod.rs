//! The history that a KRaft cluster had: its metadata log, as `kafka-dump-log.sh --cluster-metadata-decoder` prints it.
//!
//! | file | does |
//! |---|---|
//! | `text` | lines into batches of records; a cut or damaged file says where |
//! | `record` | what a record says, of the types that coordinators and their shards depend on |
//! | `play` | the records applied, one image after the other, as [`super::make()`] would have made them |
//! | `standing` | what stands at an instant of the log, as text of a scenario |
//!
//! Real times come from the batches' `CreateTime`. What the log does not have: crashes before the broker was fenced (a
//! shard answers until then), how long a shard loads, and all that members do.

mod play;
mod record;
mod standing;
mod text;

use std::collections::BTreeMap;

use crate::scenario::{LogWindow, Since};
use crate::sim::Ms;

pub(super) use play::{Played, play};

use record::Record;

/// A metadata log that was read.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    /// Batches in order, each with at least one record that matters.
    batches: Vec<Batch>,
    /// `CreateTime` of the first and last batch of any kind, ms since 1970.
    span: Option<(u64, u64)>,
    /// Types that nobody here knows, and how often they came.
    unknown: BTreeMap<String, u64>,
}

/// Records that were written, and take effect, together.
#[derive(Clone, Debug)]
struct Batch {
    /// `CreateTime`, never less than the batch's before it.
    at: u64,
    /// Each with its line in the file.
    records: Vec<(usize, Record)>,
}

/// A file that is no whole metadata log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct RecordedError {
    /// From 1.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

impl Recorded {
    /// Is this text a dump, and not a history in JSON Lines?
    #[must_use]
    pub fn is_dump(text: &str) -> bool {
        !text.trim_start().starts_with('{')
    }

    /// Reads a dump.
    ///
    /// # Errors
    /// At the first line that cannot be, or the last where the file is cut.
    pub fn read(text: &str) -> Result<Recorded, RecordedError> {
        text::read(text)
    }

    /// Time 0 of a run, in ms since 1970.
    #[must_use]
    pub fn start(&self, since: Since) -> u64 {
        let first = self.span.map_or(0, |(first, _)| first);
        match since {
            Since::First => first,
            Since::After(time) => first.saturating_add(time.0),
            Since::At(at) => at,
        }
    }

    /// How long after time 0 the last batch was written; `None`: all of the log is before it.
    #[must_use]
    pub fn length(&self, since: Since) -> Option<Ms> {
        let (_, last) = self.span?;
        last.checked_sub(self.start(since)).map(Ms)
    }

    /// `seen 3 times, and nobody here knows what it does: SOME_RECORD`, a line for each type.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let times = |n: u64| if n == 1 { "once".to_owned() } else { format!("{n} times") };
        let line = |(name, n): (&String, &u64)| format!("left out {}: {name}, a record of unknown type", times(*n));
        self.unknown.iter().map(line).collect()
    }

    /// Names of all topics that there ever were, the offsets topic's among them.
    pub(super) fn topics(&self) -> Vec<&str> {
        self.records()
            .filter_map(|r| if let Record::Topic { name, .. } = r { Some(name.as_str()) } else { None })
            .collect()
    }

    /// All racks that brokers ever had.
    pub(super) fn racks(&self) -> Vec<&str> {
        self.records()
            .filter_map(|r| if let Record::Register { rack, .. } = r { rack.as_deref() } else { None })
            .collect()
    }

    fn records(&self) -> impl Iterator<Item = &Record> {
        self.batches.iter().flat_map(|batch| batch.records.iter().map(|(_, record)| record))
    }

    /// The first and last instant, ms since 1970.
    #[must_use]
    pub fn span(&self) -> Option<(u64, u64)> {
        self.span
    }

    /// So many batches change something from time 0 on.
    #[must_use]
    pub fn batches_from(&self, since: Since) -> usize {
        let start = self.start(since);
        self.batches.iter().filter(|batch| batch.at >= start).count()
    }

    /// The text of a scenario of the cluster at time 0, whose history is `file`, running to the log's end and a heartbeat
    /// or two beyond.
    ///
    /// # Errors
    /// Where a record contradicts those before it.
    pub fn scenario(&self, file: &str, window: LogWindow, duration: Ms) -> Result<String, RecordedError> {
        standing::scenario(self, file, window, duration)
    }
}
