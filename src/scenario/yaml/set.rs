//! `--set path=value`: one place of the document replaced, put in, or (with `null`) taken away. The path
//! is matched against the keys that are there, so that names with dots in them can be reached.

use super::super::diagnostics::{At, Problems, Source};
use super::{Key, Kind, Node, parse_value};

/// Longer paths have no place in a scenario.
const MAX_PIECES: usize = 32;

/// One step from a value into it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Key(String),
    Item(usize),
}

/// A piece of a path between dots; a quoted one is a name of its own, whatever is in it.
struct Piece {
    text: String,
    quoted: bool,
}

/// Applies a `--set`, whose text is source number `source`.
pub(crate) fn apply_set(root: &mut Node, set: &Source, source: u32, problems: &mut Problems) {
    let whole = At::new(source, 0..set.text.len());
    let Some((pieces, value_at)) = split(&set.text) else {
        problems.add(whole, "`--set` takes `path=value`", "as in `--set groups.shop.count=10`");
        return;
    };
    if pieces.is_empty() || pieces.len() > MAX_PIECES || pieces.iter().any(|p| p.text.is_empty()) {
        let at = At::new(source, 0..value_at - 1);
        problems.add(at, "this is no path", "write the keys from the top, with dots: `groups.shop.count`");
        return;
    }
    let Some(value) = parse_value(&set.text, source, value_at, problems) else { return };
    let path_at = At::new(source, 0..value_at - 1);
    let mut found = Vec::new();
    ways(root, &pieces, &mut Vec::new(), &mut found);
    let remove = value.is_null();
    match found.as_slice() {
        [steps] if remove => take_away(root, steps),
        [steps] => put(root, steps, value),
        [] if remove => {
            problems.add(path_at, "there is nothing to take away", "no such key or name in the document");
        }
        [] => create(root, &pieces, value, path_at, problems),
        _ => {
            let message = format!("this path can be read in {} ways", found.len());
            problems.add(path_at, message, "put the name that has a dot in it into quotes: topics.\"a.b\".rf");
        }
    }
}

/// Splits at the first `=` outside quotes, and the part before it at dots outside quotes.
fn split(text: &str) -> Option<(Vec<Piece>, usize)> {
    let (mut pieces, mut piece, mut quoted, mut open) = (Vec::new(), String::new(), false, None);
    for (at, c) in text.char_indices() {
        match (c, open) {
            (c, Some(q)) if c == q => open = None,
            (c, Some(_)) => piece.push(c),
            ('"' | '\'', None) if piece.is_empty() => (open, quoted) = (Some(c), true),
            ('.' | '=', None) => {
                pieces.push(Piece { text: std::mem::take(&mut piece), quoted });
                quoted = false;
                if c == '=' {
                    return Some((pieces, at + 1));
                }
            }
            (c, None) => piece.push(c),
        }
    }
    None
}

/// The first pieces as one name; `None` if a quoted one is among several.
fn joined(pieces: &[Piece]) -> Option<String> {
    let whole = pieces.len() == 1 || pieces.iter().all(|p| !p.quoted);
    whole.then(|| pieces.iter().map(|p| p.text.as_str()).collect::<Vec<_>>().join("."))
}

/// All ways to read the pieces as a path to a value that is there, longest names first.
fn ways(node: &Node, pieces: &[Piece], steps: &mut Vec<Step>, found: &mut Vec<Vec<Step>>) {
    if pieces.is_empty() {
        found.push(steps.clone());
        return;
    }
    for count in (1..=pieces.len()).rev() {
        let Some(name) = joined(&pieces[..count]) else { continue };
        for (more, child) in children(node, &name) {
            let length = steps.len();
            steps.extend(more);
            ways(child, &pieces[count..], steps, found);
            steps.truncate(length);
        }
    }
}

/// The values that a name leads to: a map's key, or the items of a list that have the name.
fn children<'n>(node: &'n Node, name: &str) -> Vec<(Vec<Step>, &'n Node)> {
    match &node.kind {
        Kind::Scalar { .. } => Vec::new(),
        Kind::Map(_) => node.get(name).map(|child| (vec![Step::Key(name.to_owned())], child)).into_iter().collect(),
        Kind::List(items) => {
            let mut found = Vec::new();
            for (index, item) in items.iter().enumerate() {
                match (item_name(item), verb(item)) {
                    (Some(own), _) if own == name => found.push((vec![Step::Item(index)], item)),
                    (None, Some((verb, body))) if entry_name(verb, body) == name => {
                        found.push((vec![Step::Item(index), Step::Key(verb.to_owned())], body));
                    }
                    _ => {}
                }
            }
            found
        }
    }
}

/// A list item's own name: `as`, `name`, what it is like, or the word itself.
fn item_name(item: &Node) -> Option<&str> {
    item.text().or_else(|| ["as", "name", "like"].iter().find_map(|key| item.get(key)).and_then(Node::text))
}

/// An entry of `history:` is a map with one key, its verb.
fn verb(item: &Node) -> Option<(&str, &Node)> {
    match &item.kind {
        Kind::Map(entries) if entries.len() == 1 => entries.first().map(|(key, body)| (key.text.as_str(), body)),
        Kind::Map(_) | Kind::List(_) | Kind::Scalar { .. } => None,
    }
}

fn entry_name<'n>(verb: &'n str, body: &'n Node) -> &'n str {
    body.get("as").and_then(Node::text).unwrap_or(verb)
}

fn step<'n>(node: &'n mut Node, to: &Step) -> Option<&'n mut Node> {
    match (&mut node.kind, to) {
        (Kind::Map(entries), Step::Key(key)) => entries.iter_mut().find(|(k, _)| k.text == *key).map(|(_, n)| n),
        (Kind::List(items), Step::Item(index)) => items.get_mut(*index),
        _ => None,
    }
}

fn put(root: &mut Node, steps: &[Step], value: Node) {
    let mut node = root;
    for to in steps {
        let Some(next) = step(node, to) else { return };
        node = next;
    }
    *node = value;
}

fn take_away(root: &mut Node, steps: &[Step]) {
    let mut steps = steps;
    // an entry's path ends inside it, at its verb; taken away is the whole item
    if let [.., Step::Item(_), Step::Key(_)] = steps {
        let (last, rest) = (steps.len() - 1, steps);
        let item = rest[..last].iter().try_fold(&*root, |node, to| match (&node.kind, to) {
            (Kind::Map(entries), Step::Key(key)) => entries.iter().find(|(k, _)| k.text == *key).map(|(_, n)| n),
            (Kind::List(items), Step::Item(index)) => items.get(*index),
            _ => None,
        });
        if item.is_some_and(|item| item_name(item).is_none() && verb(item).is_some()) {
            steps = &rest[..last];
        }
    }
    let Some((last, way)) = steps.split_last() else { return };
    let mut node = root;
    for to in way {
        let Some(next) = step(node, to) else { return };
        node = next;
    }
    match (&mut node.kind, last) {
        (Kind::Map(entries), Step::Key(key)) => entries.retain(|(k, _)| k.text != *key),
        (Kind::List(items), Step::Item(index)) if *index < items.len() => drop(items.remove(*index)),
        _ => {}
    }
}

/// Follows what is there, longest names first, and puts in what is not.
fn create(root: &mut Node, pieces: &[Piece], value: Node, at: At, problems: &mut Problems) {
    let mut node = root;
    let mut rest = pieces;
    'down: while !rest.is_empty() {
        for count in (1..=rest.len()).rev() {
            let Some(name) = joined(&rest[..count]) else { continue };
            let Some((steps, _)) = children(node, &name).into_iter().next() else { continue };
            for to in &steps {
                let Some(next) = step(node, to) else { return };
                node = next;
            }
            rest = &rest[count..];
            continue 'down;
        }
        break;
    }
    for piece in rest {
        open_up(node, at);
        let Kind::Map(entries) = &mut node.kind else {
            let message = format!("`{}` is not there", piece.text);
            problems.add(at, message, "items of a list are found by their `as`, name or label");
            return;
        };
        // a shorthand may just have turned out to hold it: `brokers: 40` is a count
        let place = entries.iter().position(|(key, _)| key.text == piece.text).unwrap_or_else(|| {
            entries.push((Key { text: piece.text.clone(), plain: !piece.quoted, at }, Node::map(at)));
            entries.len() - 1
        });
        node = &mut entries[place].1;
    }
    *node = value;
}

/// Makes a map of what stands for one: nothing, a count, a strategy's name.
fn open_up(node: &mut Node, at: At) {
    let Kind::Scalar { text, .. } = &node.kind else { return };
    let key = |text: &str| Key { text: text.to_owned(), plain: true, at };
    let entries = if node.is_null() {
        Vec::new()
    } else if text.bytes().all(|b| b.is_ascii_digit()) {
        vec![(key("count"), node.clone())]
    } else {
        vec![(key("as"), node.clone()), (key("like"), node.clone())]
    };
    node.kind = Kind::Map(entries);
}
