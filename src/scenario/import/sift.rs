//! Goes through a file and gives every line to the reader of the tool that it is of.

use super::super::diagnostics::{At, Problems};
use super::api_versions::{self, Listing};
use super::noise::{Noise, noise};
use super::seen::Seen;
use super::table::Table;
use super::{endpoints, features, group_tables, kcat, topics};

/// A line without its end, and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'t> {
    pub(super) text: &'t str,
    pub(super) at: At,
}

const KNOWN: [&str; 4] = [
    "known are: kafka-topics.sh --describe · kafka-consumer-groups.sh --describe [--members --verbose | --state] --all-groups",
    "and --list --state --type · kafka-groups.sh --list · kafka-share-groups.sh and kafka-streams-groups.sh --describe",
    "kafka-broker-api-versions.sh · kafka-cluster.sh list-endpoints · kafka-features.sh describe · kcat -L -J",
    "(`--list` alone prints names only, of which nothing can be made)",
];

/// What the lines before have begun.
#[derive(Default)]
struct State {
    table: Option<Table>,
    listing: Option<Listing>,
    /// Lines of no known tool, one after another: the first, and how many.
    unknown: Option<(At, usize)>,
    /// A tool said that it failed; what its stack trace says besides is no further problem.
    failed: bool,
}

/// Reads a file.
pub(super) fn file(text: &str, source: u32, seen: &mut Seen, p: &mut Problems) {
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let body = &text[start..];
    if body.trim().is_empty() {
        let label = "the tool printed nothing here: look at what it said, or leave the file out";
        p.add(At::new(source, 0..0), "this file is empty", label);
        return;
    }
    if body.trim_start().starts_with('{') {
        kcat::read(text, start, source, seen, p);
        return;
    }
    let mut state = State::default();
    let mut at = start;
    for whole in body.split_inclusive('\n') {
        let text = whole.trim_end_matches(['\n', '\r']);
        state.line(Line { text, at: At::new(source, at..at + text.len()) }, seen, p);
        at += whole.len();
        if p.is_full() {
            return;
        }
    }
    state.end_listing(seen, p);
    state.end_unknown(p);
}

impl State {
    fn line(&mut self, line: Line<'_>, seen: &mut Seen, p: &mut Problems) {
        if let Some(listing) = &mut self.listing {
            match listing.take(line.text) {
                api_versions::Taken::Api => return,
                api_versions::Taken::End => {
                    self.end_listing(seen, p);
                    return;
                }
                api_versions::Taken::Other => self.end_listing(seen, p),
            }
        }
        if line.text.trim().is_empty() {
            self.end_unknown(p);
            self.table = None;
            return;
        }
        if self.known(line, seen, p) {
            self.end_unknown(p);
            return;
        }
        match &mut self.unknown {
            Some((_, count)) => *count += 1,
            None if self.failed => {}
            None => self.unknown = Some((line.at, 1)),
        }
    }

    /// Is the line of some tool?
    fn known(&mut self, line: Line<'_>, seen: &mut Seen, p: &mut Problems) -> bool {
        match noise(line.text, self.table.is_some() && !self.failed) {
            Some(Noise::Idle) => return true,
            Some(Noise::Empty(group)) => {
                let group = seen.group(group);
                group.state.get_or_insert_with(|| "Empty".to_owned());
                group.members.get_or_insert_default();
                return true;
            }
            Some(Noise::Failed) => {
                self.failed = true;
                let label = "this file holds a part at most: run the tool again";
                p.add(line.at, "the tool failed here", label);
                return true;
            }
            None => {}
        }
        if topics::line(line, seen, p) || features::line(line, seen, p) {
            self.table = None;
            return true;
        }
        if let Some(listing) = api_versions::begin(line, seen, p) {
            self.table = None;
            self.listing = listing;
            return true;
        }
        if let Some(table) = Table::header(line.text, line.at) {
            if !group_tables::is_known(&table) && !endpoints::is_known(&table) {
                let message = format!("no table known here has the columns {}", table.names());
                p.add(line.at, message, "").help.extend(KNOWN.map(str::to_owned));
            }
            seen.any_groups |= group_tables::is_known(&table);
            self.table = Some(table);
            return true;
        }
        let Some(table) = &self.table else { return false };
        if endpoints::is_known(table) {
            endpoints::row(table, line, seen, p);
        } else if group_tables::is_known(table) {
            group_tables::row(table, line, seen, p);
        }
        true
    }

    /// The list of a broker's APIs ends, or breaks off.
    fn end_listing(&mut self, seen: &mut Seen, p: &mut Problems) {
        if let Some(listing) = self.listing.take() {
            listing.end(seen, p);
        }
    }

    fn end_unknown(&mut self, p: &mut Problems) {
        let Some((at, count)) = self.unknown.take() else { return };
        let message = match count {
            1 => "this line is of no tool known here".to_owned(),
            _ => format!("these {count} lines are of no tool known here"),
        };
        p.add(at, message, "expected a line of a tool's output").help.extend(KNOWN.map(str::to_owned));
    }
}

/// A row that a table cannot have.
pub(super) fn bad_row(table: &Table, at: At, message: &str, label: &str, p: &mut Problems) {
    let label = if label.is_empty() { "is the line cut short?" } else { label };
    let problem = p.add(at, message, label);
    problem.also.push((table.at, "the table's header".to_owned()));
}
