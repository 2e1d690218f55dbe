//! From files and `--set` to a scenario: base files merged, sets applied, everything read.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::diagnostics::{At, Diagnostics, Problem, Problems, Source};
use super::super::expect::{Expectation, HeldColumn};
use super::super::yaml::{Kind, Node, apply_set, emit, merge, parse, path_of, paths_of};
use super::super::{HappenedFile, Scenario};
use super::sweep::{Axis, written_axes};
use super::top::document;

/// Larger files are refused.
const MAX_FILE: u64 = 64 << 20;

/// What a `--set` is called among the sources.
const SET: &str = "--set";

/// Files on files.
const MAX_BASES: usize = 16;

/// A scenario that was read, and what a caller may want besides.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What it means.
    pub scenario: Scenario,
    /// `expect:`.
    pub expectations: Vec<Expectation>,
    /// `baseline:`: columns that `check` holds; `None`: its own choice.
    pub baseline: Option<Vec<HeldColumn>>,
    /// Is there a `sweep:`?
    pub has_sweep: bool,
    /// Its axes, in the order written.
    pub sweep: Vec<Axis>,
    /// `history: {from: FILE}`.
    pub history_from: Option<HappenedFile>,
    /// The file as written.
    pub text: String,
    /// With its base, every `--set` and every default in; reads as the same scenario.
    pub resolved: String,
    /// What is odd but not wrong, a line each.
    pub warnings: Vec<String>,
    sources: Arc<Vec<Source>>,
    tree: Arc<Node>,
    places: Vec<At>,
}

impl Loaded {
    /// The files that it was read from, the one that was given first.
    pub fn files(&self) -> impl Iterator<Item = &Source> {
        self.sources.iter().filter(|source| source.name != SET)
    }

    /// All that decides what a run comes to, as text: the scenario with every default filled in, without what only
    /// says how many runs are made and what they are held against. Two that are equal give the same rows.
    #[must_use]
    pub fn essence(&self) -> String {
        let mut tree = (*self.tree).clone();
        if let Kind::Map(entries) = &mut tree.kind {
            entries.retain(|(key, _)| !matches!(key.text.as_str(), "runs" | "sweep" | "baseline"));
        }
        emit(&tree)
    }

    /// A problem with a history entry (by number, from 0) that shows only once the world is made, such
    /// as a broker stopped that is down already.
    #[must_use]
    pub fn entry_error(&self, entry: usize, message: &str) -> Diagnostics {
        let at = self.places.get(entry).copied();
        let name = self.scenario.history.get(entry).map_or(String::new(), |entry| entry.name.clone());
        let problem = Problem {
            at,
            path: at.and_then(|at| path_of(&self.tree, at)).unwrap_or_else(|| format!("history.{name}")),
            message: message.to_owned(),
            label: String::new(),
            also: Vec::new(),
            help: Vec::new(),
        };
        Diagnostics::new(vec![problem], self.sources.clone())
    }
}

/// Reads a scenario file. `sets` are `path=value`, applied in order.
///
/// # Errors
/// All that is wrong with it.
pub fn load(path: &Path, sets: &[String]) -> Result<Loaded, Diagnostics> {
    let text = read_file(path)?;
    load_from(&path.display().to_string(), path.parent().unwrap_or(Path::new("")), text, sets)
}

/// Reads a scenario from a text; `base:` is looked for in the current folder.
///
/// # Errors
/// All that is wrong with it.
pub fn load_text(name: &str, text: &str, sets: &[String]) -> Result<Loaded, Diagnostics> {
    if text.len() as u64 > MAX_FILE {
        let message = format!("`{name}` has {} bytes, and a scenario at most {MAX_FILE}", text.len());
        return Err(Diagnostics::plain(message, Vec::new()));
    }
    load_from(name, Path::new(""), text.to_owned(), sets)
}

/// Reads a scenario file with a text of what happened laid over it, which is called `name`: brokers, topics and the
/// history are the text's; what the file has for a history stands beside it, under `also:`.
///
/// # Errors
/// All that is wrong with either.
pub fn load_over(path: &Path, name: &str, over: &str, sets: &[String]) -> Result<Loaded, Diagnostics> {
    let text = read_file(path)?;
    let mut reading = Reading::default();
    let folder = path.parent().unwrap_or(Path::new(""));
    let below = reading.whole_document(&path.display().to_string(), folder, &text);
    let above = reading.whole_document(name, Path::new(""), over);
    let (Some(below), Some(above)) = (below, above) else { return Err(reading.fail(None)) };
    let tree = happening_over(below, above);
    read_tree(reading, name, tree, text, sets)
}

/// Lays what happened over what was written.
fn happening_over(mut below: Node, mut above: Node) -> Node {
    let Kind::Map(entries) = &mut below.kind else { return above };
    let history = entries.iter().position(|(key, _)| key.text == "history").map(|place| entries.remove(place));
    entries.retain(|(key, _)| !matches!(key.text.as_str(), "brokers" | "topics" | "duration"));
    if let (Some((mut key, list)), Kind::Map(news)) = (history.filter(|(_, node)| !node.is_null()), &mut above.kind) {
        let happened = news.iter_mut().find(|(key, _)| key.text == "history");
        if let Some((_, Node { kind: Kind::Map(fields), .. })) = happened {
            key.text = "also".to_owned();
            fields.push((key, list));
        }
    }
    merge(below, above)
}

fn load_from(name: &str, folder: &Path, text: String, sets: &[String]) -> Result<Loaded, Diagnostics> {
    let mut reading = Reading::default();
    match reading.whole_document(name, folder, &text) {
        Some(tree) => read_tree(reading, name, tree, text, sets),
        None => Err(reading.fail(None)),
    }
}

fn read_tree(
    mut reading: Reading,
    name: &str,
    mut tree: Node,
    text: String,
    sets: &[String],
) -> Result<Loaded, Diagnostics> {
    if let Some(at) = group_to_deal(&tree) {
        let label = "`rebalance-sim assign FILE` deals its partitions";
        reading.problems.add(
            at,
            "this file is a group whose partitions are to be dealt, and no time passes in it",
            label,
        );
        return Err(reading.fail(None));
    }
    for set in sets {
        let id = reading.source(SET.to_owned(), set.clone());
        apply_set(&mut tree, &reading.sources[id as usize], id, &mut reading.problems);
    }
    let written = tree.get("sweep").is_some().then(|| tree.clone());
    let meant = document(&mut tree, &stem(name), &mut reading.problems);
    if let Some(written) = written.filter(|_| reading.problems.list.is_empty()) {
        check_axes(&written, &mut reading.problems);
    }
    let Some(meant) = meant.filter(|_| reading.problems.list.is_empty()) else {
        return Err(reading.fail(Some(&tree)));
    };
    let resolved = emit(&tree);
    let warnings = reading.warnings();
    Ok(Loaded {
        has_sweep: !meant.sweep.is_empty(),
        scenario: meant.scenario,
        expectations: meant.expectations,
        baseline: meant.baseline,
        sweep: meant.sweep,
        history_from: meant.history_from.map(|(at, file)| {
            let path = beside(&reading.sources[at.source as usize].name, file.path);
            HappenedFile { path, ..file }
        }),
        text,
        resolved,
        warnings,
        sources: Arc::new(reading.sources),
        tree: Arc::new(tree),
        places: meant.places,
    })
}

/// The name of what a file holds: without its folder and ending.
pub(super) fn stem(name: &str) -> String {
    Path::new(name).file_stem().map_or(name.into(), |stem| stem.to_string_lossy()).into_owned()
}

/// Where it shows that a file is one for `assign`: members stand at the top only there.
fn group_to_deal(tree: &Node) -> Option<At> {
    let Kind::Map(entries) = &tree.kind else { return None };
    let there = |word: &str| entries.iter().find(|(key, _)| key.text == word).map(|(key, _)| key.at);
    there("members").filter(|_| there("groups").is_none() && there("history").is_none())
}

/// A path that a file gives, found from its folder.
fn beside(source: &str, file: PathBuf) -> PathBuf {
    match Path::new(source).parent().filter(|_| source != SET) {
        Some(folder) => folder.join(file),
        None => file,
    }
}

/// The paths of a sweep have to lead somewhere; whether a value fits is the point's own business.
fn check_axes(written: &Node, problems: &mut Problems) {
    let Some(sweep) = written.get("sweep") else { return };
    for (key, values, _) in written_axes(sweep) {
        let mut tree = written.clone();
        if let Kind::Map(entries) = &mut tree.kind {
            entries.retain(|(key, _)| key.text != "sweep");
        }
        let value = match &values.kind {
            Kind::List(items) => items.first().map_or(String::new(), |item| emit(item).trim_end().to_owned()),
            Kind::Scalar { text, .. } => text.split("..").next().unwrap_or("").to_owned(),
            Kind::Map(_) => continue,
        };
        let set = Source { name: SET.to_owned(), text: format!("{}={value}", key.text) };
        let source = u32::MAX;
        let path = At::new(source, 0..key.text.len());
        let mut found = Problems::default();
        apply_set(&mut tree, &set, source, &mut found);
        document(&mut tree, "", &mut found);
        for problem in found.list.into_iter().filter(|p| p.at == Some(path)) {
            problems.add(key.at, problem.message, problem.label);
        }
    }
}

/// Texts read so far, and what is wrong with them.
#[derive(Default)]
pub(super) struct Reading {
    pub(super) sources: Vec<Source>,
    pub(super) problems: Problems,
}

impl Reading {
    /// The tree of a text that is called `name`, with its bases, which are looked for in `folder`.
    pub(super) fn whole_document(&mut self, name: &str, folder: &Path, text: &str) -> Option<Node> {
        let id = self.source(name.to_owned(), text.to_owned());
        let mut chain = vec![(canonical(Path::new(name)), name.to_owned())];
        self.document(id, folder, &mut chain)
    }

    fn source(&mut self, name: String, text: String) -> u32 {
        self.sources.push(Source { name, text });
        u32::try_from(self.sources.len() - 1).unwrap_or(u32::MAX)
    }

    /// The tree of a source, laid upon that of its base. `chain` holds the files on the way here.
    fn document(&mut self, id: u32, folder: &Path, chain: &mut Vec<(PathBuf, String)>) -> Option<Node> {
        let before = self.problems.list.len();
        let text = std::mem::take(&mut self.sources[id as usize].text);
        let tree = parse(&text, id, &mut self.problems);
        self.sources[id as usize].text = text;
        let Some(mut tree) = tree else {
            if self.problems.list.len() == before {
                self.problems.add(
                    At::new(id, 0..0),
                    "this file is empty",
                    "`rebalance-sim new` writes one to start from",
                );
            }
            return None;
        };
        let Some(base) = self.base(&mut tree) else { return Some(tree) };
        let (at, file) = base;
        let path = folder.join(&file);
        let shown = path.display().to_string();
        let whole = canonical(&path);
        if let Some(place) = chain.iter().position(|(other, _)| *other == whole) {
            let round: Vec<&str> =
                chain[place..].iter().map(|(_, name)| name.as_str()).chain([shown.as_str()]).collect();
            self.problems.add(at, format!("files are each other's base: {}", round.join(" → ")), "");
            return Some(tree);
        }
        if chain.len() >= MAX_BASES {
            self.problems.add(at, format!("more than {MAX_BASES} files stand on each other"), "");
            return Some(tree);
        }
        let text = match read_file(&path) {
            Ok(text) => text,
            Err(error) => {
                let message = error.problems().first().map_or(String::new(), |p| p.message.clone());
                self.problems.add(at, message, "a base is looked for beside the file that names it");
                return Some(tree);
            }
        };
        chain.push((whole, shown.clone()));
        let id = self.source(shown, text);
        let below = self.document(id, path.parent().unwrap_or(Path::new("")), chain);
        chain.pop();
        Some(match below {
            Some(below) => merge(below, tree),
            None => tree,
        })
    }

    /// Takes `base:` out of a document.
    fn base(&mut self, tree: &mut Node) -> Option<(At, String)> {
        let Kind::Map(entries) = &mut tree.kind else { return None };
        let place = entries.iter().position(|(key, _)| key.text == "base")?;
        let (_, node) = entries.remove(place);
        match node.text() {
            Some(text) if !node.is_null() => Some((node.at, text.to_owned())),
            Some(_) => None,
            None => {
                self.problems.add(node.at, format!("base is one file, not {}", node.what()), "");
                None
            }
        }
    }

    pub(super) fn fail(self, tree: Option<&Node>) -> Diagnostics {
        let found = Diagnostics::new(self.problems.told(), Arc::new(self.sources));
        let Some(tree) = tree else { return found };
        let paths = paths_of(tree, &found.places());
        found.located(paths)
    }

    pub(super) fn warnings(&mut self) -> Vec<String> {
        let found = std::mem::take(&mut self.problems.warnings);
        let sources = Arc::new(self.sources.clone());
        let one = |(at, message): (At, String)| {
            let problem = Problem {
                at: Some(at),
                path: String::new(),
                message,
                label: String::new(),
                also: Vec::new(),
                help: Vec::new(),
            };
            Diagnostics::new(vec![problem], sources.clone()).short().trim_end().to_owned()
        };
        found.into_iter().map(one).collect()
    }
}

/// The same for two names of one file.
fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// A file's text, if it is one of reasonable size.
pub(super) fn read_file(path: &Path) -> Result<String, Diagnostics> {
    let cannot = |why: String| Diagnostics::plain(format!("cannot read `{}`: {why}", path.display()), Vec::new());
    let size = std::fs::metadata(path).map_err(|error| cannot(error.to_string()))?.len();
    if size > MAX_FILE {
        return Err(cannot(format!("it has {size} bytes, and a scenario at most {MAX_FILE}")));
    }
    let bytes = std::fs::read(path).map_err(|error| cannot(error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..valid].iter().filter(|b| **b == b'\n').count() + 1;
        cannot(format!("it is not UTF-8 in line {line}"))
    })
}
