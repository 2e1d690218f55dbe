//! The file of the verb `assign`: brokers, topics, members, who owned what.

mod members;
mod topics;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use super::super::assign::AssignFile;
use super::super::diagnostics::{At, Diagnostics, Problems};
use super::super::yaml::{Kind, Node};
use super::Fields;
use super::brokers::{Defaults, brokers};
use super::cluster::racks;
use super::load::{Reading, read_file, stem};
use super::scalars::choice;
use crate::kafka::Version;

use members::{There, members};
use topics::topics;

/// Reads such a file. `known` are the assignors that there are.
///
/// # Errors
/// All that is wrong with it.
pub fn load_assign(path: &Path, known: &[&'static str]) -> Result<AssignFile, Diagnostics> {
    load_assign_text(&path.display().to_string(), &read_file(path)?, known)
}

/// As [`load_assign`], from a text; `base:` is looked for beside `name`.
///
/// # Errors
/// All that is wrong with it.
pub fn load_assign_text(name: &str, text: &str, known: &[&'static str]) -> Result<AssignFile, Diagnostics> {
    let mut reading = Reading::default();
    let Some(mut tree) = reading.whole_document(name, Path::new(name).parent().unwrap_or(Path::new("")), text) else {
        return Err(reading.fail(None));
    };
    let file = document(&mut tree, known, &mut reading.problems);
    let Some(mut file) = file.filter(|_| reading.problems.list.is_empty()) else {
        return Err(reading.fail(Some(&tree)));
    };
    file.name = stem(name);
    file.warnings = reading.warnings();
    file.sources = Arc::new(reading.sources);
    Ok(file)
}

fn document(root: &mut Node, known: &[&'static str], p: &mut Problems) -> Option<AssignFile> {
    if let Some(at) = scenario_key(root) {
        p.settle(at, "this file is a scenario: time passes in it", "`rebalance-sim run FILE` simulates it");
        return None;
    }
    let mut fields = Fields::open(root, "the top of the file", p)?;
    let abc = |at| Node::list(at, ["a", "b", "c"].map(|rack| Node::plain(at, rack)).to_vec());
    let racks = racks(fields.or_node("racks", abc), p);
    let before = p.list.len();
    let defaults = Defaults { version: Version::default(), racks: &racks };
    let brokers: BTreeMap<u32, Option<String>> =
        brokers(fields.or("brokers", "6"), &defaults, p).into_iter().map(|b| (b.id.0, b.rack)).collect();
    let mut ids: BTreeSet<u32> = brokers.keys().copied().collect();
    if p.list.len() > before {
        // what follows from wrong brokers is not told
        ids.extend(0..1_000);
    }
    let before = p.list.len();
    let help = "as in `topics: {t: {partitions: 10}}`";
    let (topics, names) =
        fields.must("topics", help, p).map(|node| topics(node, &ids, &brokers, p)).unwrap_or_default();
    let topics_fine = p.list.len() == before;
    let help = "as in `members: {C1: {topics: [t]}, C2: {topics: [t]}}`";
    let mut member_places = BTreeMap::new();
    let members = match fields.must("members", help, p) {
        Some(node) => {
            let there = There { topics: &topics, names: &names, fine: topics_fine };
            members(node, &there, &mut member_places, p)
        }
        None => Vec::new(),
    };
    let (assignors, places) = fields.opt("assignors").map(|node| assignors(node, known, p)).unwrap_or_default();
    fields.close(p);
    Some(AssignFile {
        name: String::new(),
        topics,
        members,
        assignors,
        warnings: Vec::new(),
        sources: Arc::default(),
        places,
        member_places,
    })
}

/// The first key that only a scenario has.
fn scenario_key(root: &Node) -> Option<At> {
    let Kind::Map(entries) = &root.kind else { return None };
    let words = ["groups", "history", "strategies", "duration", "expect", "sweep"];
    entries.iter().find(|(key, _)| words.contains(&key.text.as_str())).map(|(key, _)| key.at)
}

/// Reads `assignors:`, a list of them or one.
fn assignors(node: &Node, known: &[&'static str], p: &mut Problems) -> (Vec<String>, BTreeMap<String, At>) {
    let words: Vec<(&str, &str)> = known.iter().map(|name| (*name, *name)).collect();
    let items = match &node.kind {
        Kind::List(items) => items.as_slice(),
        Kind::Scalar { .. } | Kind::Map(_) => std::slice::from_ref(node),
    };
    let (mut list, mut places) = (Vec::new(), BTreeMap::new());
    for item in items {
        let Some(name) = choice(item, "an assignor", &words, p) else { continue };
        if let Some(first) = places.insert(name.to_owned(), item.at) {
            let problem = p.add(item.at, format!("`{name}` is asked for twice"), "take one of them away");
            problem.also.push((first, "first here".to_owned()));
        }
        list.push(name.to_owned());
    }
    (list, places)
}
