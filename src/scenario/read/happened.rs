//! `history: {from: FILE}`.

use std::path::PathBuf;

use super::super::diagnostics::{At, Problems};
use super::super::yaml::{Kind, Node};
use super::super::{Cluster, HappenedFile, LogWindow, Since};
use super::Fields;
use super::census::Census;
use super::entries::{Entries, entries};
use super::scalars::{time, word};
use crate::sim::Ms;

/// The file, and where its name stands; `None` where the history is a list.
pub(super) fn happened(node: &mut Node, problems: &mut Problems) -> Option<(At, HappenedFile)> {
    if !matches!(node.kind, Kind::Map(_)) || node.get("from").is_none() {
        return None;
    }
    let at = node.at;
    let mut fields = Fields::open(node, "history", problems)?;
    let from = fields.must("from", "a file, as in `{from: history.jsonl}`, or write a list of entries", problems);
    let path = from.and_then(|node| Some((node.at, PathBuf::from(word(node, "a file", problems)?))));
    let since = fields.opt("since").map_or(Since::First, |node| since(node, problems));
    let gap = fields.opt("gap").and_then(|node| time(node, "gap", problems)).unwrap_or(Ms::ZERO);
    fields.opt("also");
    fields.close(problems);
    let (at, path) = path.unwrap_or((at, PathBuf::new()));
    Some((at, HappenedFile { path, log: LogWindow { since, gap } }))
}

/// `also:`: what members did of themselves, which no metadata log has.
pub(super) fn also(node: &mut Node, census: &Census, cluster: &Cluster, problems: &mut Problems) -> Entries {
    let Kind::Map(fields) = &mut node.kind else { return Entries { entries: Vec::new(), places: Vec::new() } };
    let Some((_, list)) = fields.iter_mut().find(|(key, _)| key.text == "also") else {
        return Entries { entries: Vec::new(), places: Vec::new() };
    };
    let read = entries(list, census, cluster, problems);
    for (entry, at) in read.entries.iter().zip(&read.places).filter(|(entry, _)| !entry.verb.is_of_members()) {
        let message = format!("`{}` is no member's doing", entry.name);
        problems.add(*at, message, "the log says what happened to brokers, topics and coordinators; take it away");
    }
    read
}

/// A time after the first batch, or an instant as the log has it.
fn since(node: &Node, problems: &mut Problems) -> Since {
    match node.text().filter(|text| text.len() >= 12 && text.bytes().all(|b| b.is_ascii_digit())) {
        Some(text) => text.parse().map_or(Since::First, Since::At),
        None => time(node, "since", problems).map_or(Since::First, Since::After),
    }
}
