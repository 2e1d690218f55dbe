//! From text to tree. The parser's own words are kept where they are good; where a scalar opens with a
//! character that means something to YAML, the message says to quote it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde_yaml::granit_parser::{Event, Parser, ScalarStyle, StructureStyle, options};

use super::super::diagnostics::{At, Problems};
use super::syntax::{floor, syntax_error};
use super::{Key, Kind, Node};

/// Deeper than any scenario; keeps recursion over the tree short.
const MAX_DEPTH: usize = 48;
/// Values in a file: a million groups, each with a few.
const MAX_NODES: usize = 8_000_000;
/// Values that aliases copy.
const MAX_COPIES: usize = 1_000_000;
/// Text that aliases copy.
const MAX_COPIED_TEXT: usize = 64 << 20;

/// Reads the one document of a text. `None` if it is no YAML; what is wrong is in `problems`.
pub(crate) fn parse(text: &str, source: u32, problems: &mut Problems) -> Option<Node> {
    let mut options = options! {
        emit_unresolved_aliases: true,
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
    };
    options.set_emit_comments(false);
    let mut builder = Builder::new(text, source);
    for next in Parser::new_from_str_with_options(text, options) {
        match next {
            Ok((event, span)) => {
                let range = span.byte_range().unwrap_or(0..0);
                if !builder.take(event, range, problems) {
                    return None;
                }
            }
            Err(error) => {
                let offset = error.marker().byte_offset().unwrap_or(text.len()).min(text.len());
                syntax_error(text, source, offset, &error.kind().to_string(), problems);
                return None;
            }
        }
    }
    builder.root
}

/// Reads a value given on the command line, as in a flow collection: `[1, 2]`, `5m`, `{rack: a}`.
pub(crate) fn parse_value(text: &str, source: u32, offset: usize, problems: &mut Problems) -> Option<Node> {
    let value = text.get(offset..)?;
    if value.trim().is_empty() {
        let at = At::new(source, offset..text.len());
        problems.add(at, "there is no value after `=`", "write `path=null` to take a value away");
        return None;
    }
    let mut inner = Problems::default();
    let node = parse(value, source, &mut inner);
    for mut problem in inner.list {
        problem.at = problem.at.map(|at| shifted(at, offset));
        problems.list.push(problem);
    }
    let mut node = node?;
    shift(&mut node, offset);
    Some(node)
}

fn shifted(at: At, by: usize) -> At {
    At::new(at.source, at.range().start + by..at.range().end + by)
}

fn shift(node: &mut Node, by: usize) {
    node.at = shifted(node.at, by);
    match &mut node.kind {
        Kind::Scalar { .. } => {}
        Kind::List(items) => items.iter_mut().for_each(|item| shift(item, by)),
        Kind::Map(entries) => entries.iter_mut().for_each(|(key, value)| {
            key.at = shifted(key.at, by);
            shift(value, by);
        }),
    }
}

/// A collection that is still open.
enum Open {
    List(Vec<Node>),
    Map { entries: Vec<(Key, Node)>, index: BTreeMap<String, At>, key: Option<Key>, merges: Vec<Node> },
}

struct Frame {
    open: Open,
    anchor: usize,
    start: usize,
    flow: bool,
}

struct Builder<'t> {
    text: &'t str,
    source: u32,
    stack: Vec<Frame>,
    anchors: BTreeMap<usize, Node>,
    root: Option<Node>,
    nodes: usize,
    copies: usize,
    bytes: usize,
    documents: u32,
}

impl<'t> Builder<'t> {
    fn new(text: &'t str, source: u32) -> Builder<'t> {
        let (stack, anchors) = (Vec::new(), BTreeMap::new());
        Builder { text, source, stack, anchors, root: None, nodes: 0, copies: 0, bytes: 0, documents: 0 }
    }

    fn at(&self, range: Range<usize>) -> At {
        At::new(self.source, range)
    }

    /// Takes one event; `false` where reading on makes no sense.
    fn take(&mut self, event: Event<'_>, range: Range<usize>, problems: &mut Problems) -> bool {
        match event {
            Event::StreamStart | Event::StreamEnd | Event::DocumentEnd | Event::Anchor(..) => true,
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    problems.add(self.at(range), "a scenario is one document", "a second one begins here");
                }
                self.documents == 1
            }
            Event::Scalar(text, style, anchor, tag) => {
                let at = self.at(range);
                if let Some(tag) = tag {
                    let word = format!("{}{text}", tag.original());
                    let label = format!("quote it: \"{word}\"");
                    problems.settle(at, format!("`{word}` has a tag to YAML, and a scenario has none"), label);
                }
                let plain = style == ScalarStyle::Plain;
                if matches!(style, ScalarStyle::Literal | ScalarStyle::Folded) {
                    problems.settle(at, "a block of text has no place in a scenario", "write it on one line, quoted");
                }
                let node = Node { at, kind: Kind::Scalar { text: text.into_owned(), plain } };
                self.finish(node, anchor, problems)
            }
            Event::UnresolvedAlias(name) => {
                let at = self.at(range);
                let written = if at.range().is_empty() { "*".to_owned() } else { format!("*{name}") };
                let message = format!("`{written}` is an alias to YAML, and no anchor has that name");
                problems.settle(at, message, format!("if a glob is meant, quote it: \"{written}\""));
                self.finish(Node::quoted(at, written), 0, problems)
            }
            Event::Alias(anchor) => self.alias(anchor, range, problems),
            Event::SequenceStart(style, anchor, tag) => {
                self.refuse_tag(tag.is_some(), &range, problems);
                self.open(Open::List(Vec::new()), anchor, range, style)
            }
            Event::MappingStart(style, anchor, tag) => {
                self.refuse_tag(tag.is_some(), &range, problems);
                let open = Open::Map { entries: Vec::new(), index: BTreeMap::new(), key: None, merges: Vec::new() };
                self.open(open, anchor, range, style)
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(range, problems),
            #[allow(unreachable_patterns, reason = "comments are an optional part of the parser")]
            _ => true,
        }
    }

    fn refuse_tag(&self, tagged: bool, range: &Range<usize>, problems: &mut Problems) {
        if tagged {
            problems.add(self.at(range.clone()), "tags (`!word`) have no place in a scenario", "leave the tag out");
        }
    }

    fn open(&mut self, open: Open, anchor: usize, range: Range<usize>, style: StructureStyle) -> bool {
        self.stack.push(Frame { open, anchor, start: range.start, flow: style == StructureStyle::Flow });
        true
    }

    fn close(&mut self, range: Range<usize>, problems: &mut Problems) -> bool {
        let Some(frame) = self.stack.pop() else { return true };
        let last = match &frame.open {
            Open::List(items) => items.last().map(|n| n.at),
            Open::Map { entries, .. } => entries.last().map(|(_, n)| n.at),
        };
        let last = last.filter(|at| at.source == self.source).map_or(frame.start, |at| at.range().end);
        let end = if frame.flow { range.end } else { last.max(frame.start) };
        let at = self.at(frame.start..end.max(frame.start));
        let kind = match frame.open {
            Open::List(items) => Kind::List(items),
            Open::Map { entries, merges, .. } => Kind::Map(self.merged(entries, merges, problems)),
        };
        self.finish(Node { at, kind }, frame.anchor, problems)
    }

    /// `<<`: what the map itself does not say is taken from the merged maps, the first that says it.
    fn merged(&self, mut entries: Vec<(Key, Node)>, merges: Vec<Node>, problems: &mut Problems) -> Vec<(Key, Node)> {
        if merges.is_empty() {
            return entries;
        }
        let mut known: BTreeSet<String> = entries.iter().map(|(k, _)| k.text.clone()).collect();
        let mut sources = Vec::new();
        for merge in merges {
            match merge.kind {
                Kind::List(items) => sources.extend(items),
                Kind::Scalar { .. } | Kind::Map(_) => sources.push(merge),
            }
        }
        for node in sources {
            let at = node.at;
            let Kind::Map(others) = node.kind else {
                problems.add(at, "`<<` takes a map, or a list of maps", "write `<<: *anchor`");
                continue;
            };
            for (key, value) in others {
                if known.insert(key.text.clone()) {
                    entries.push((key, value));
                }
            }
        }
        entries
    }

    fn alias(&mut self, anchor: usize, range: Range<usize>, problems: &mut Problems) -> bool {
        let at = self.at(range);
        let Some(node) = self.anchors.get(&anchor).cloned() else {
            problems.add(at, "an alias cannot stand inside what it names", "");
            return false;
        };
        let (nodes, bytes) = weight(&node);
        self.copies += nodes;
        self.bytes += bytes;
        if self.copies > MAX_COPIES || self.bytes > MAX_COPIED_TEXT {
            problems.add(at, "the aliases of this file make it too large", "");
            return false;
        }
        self.finish(node, 0, problems)
    }

    fn finish(&mut self, node: Node, anchor: usize, problems: &mut Problems) -> bool {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            problems.add(node.at, format!("a scenario has at most {MAX_NODES} values"), "use `count:`");
            return false;
        }
        if anchor > 0 {
            self.anchors.insert(anchor, node.clone());
        }
        let Some(frame) = self.stack.last_mut() else {
            self.root = Some(node);
            return true;
        };
        match &mut frame.open {
            Open::List(items) => items.push(node),
            Open::Map { entries, index, key, merges } => match key.take() {
                Some(k) if k.text == "<<" && k.plain => merges.push(node),
                Some(k) => match index.get(&k.text) {
                    Some(&first) => duplicate(self.text, &k, first, problems),
                    None => {
                        index.insert(k.text.clone(), k.at);
                        entries.push((k, node));
                    }
                },
                None => match node.kind {
                    Kind::Scalar { text, plain } => *key = Some(Key { text, plain, at: node.at }),
                    Kind::List(_) | Kind::Map(_) => {
                        problems.add(node.at, "a key is a single word", "");
                        *key = Some(Key { text: String::new(), plain: false, at: node.at });
                    }
                },
            },
        }
        true
    }
}

fn duplicate(text: &str, key: &Key, first: At, problems: &mut Problems) {
    let line = |at: At| text[..floor(text, at.range().start)].bytes().filter(|b| *b == b'\n').count() + 1;
    let message = format!("`{}` stands twice, in lines {} and {}", key.text, line(first), line(key.at));
    let problem = problems.add(key.at, message, "take one of them away");
    problem.also.push((first, "first here".to_owned()));
}

/// How many values and how much text a tree holds.
fn weight(node: &Node) -> (usize, usize) {
    let add = |(a, b): (usize, usize), (c, d): (usize, usize)| (a + c, b + d);
    match &node.kind {
        Kind::Scalar { text, .. } => (1, text.len()),
        Kind::List(items) => items.iter().map(weight).fold((1, 0), add),
        Kind::Map(entries) => entries.iter().map(|(k, n)| add((0, k.text.len()), weight(n))).fold((1, 0), add),
    }
}
