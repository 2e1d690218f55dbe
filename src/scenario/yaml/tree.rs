//! The tree: scalars as written (plain or quoted), lists, maps in order. Duplicate keys are already
//! refused, merge keys and aliases already resolved.

use super::super::diagnostics::At;

/// A key of a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) text: String,
    pub(crate) plain: bool,
    pub(crate) at: At,
}

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) at: At,
    pub(crate) kind: Kind,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Scalar { text: String, plain: bool },
    List(Vec<Node>),
    Map(Vec<(Key, Node)>),
}

impl Node {
    pub(crate) fn plain(at: At, text: impl Into<String>) -> Node {
        Node { at, kind: Kind::Scalar { text: text.into(), plain: true } }
    }

    pub(crate) fn quoted(at: At, text: impl Into<String>) -> Node {
        Node { at, kind: Kind::Scalar { text: text.into(), plain: false } }
    }

    pub(crate) fn list(at: At, items: Vec<Node>) -> Node {
        Node { at, kind: Kind::List(items) }
    }

    pub(crate) fn map(at: At) -> Node {
        Node { at, kind: Kind::Map(Vec::new()) }
    }

    /// `null`, `~` or nothing, not quoted.
    pub(crate) fn is_null(&self) -> bool {
        matches!(&self.kind, Kind::Scalar { text, plain: true } if matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL"))
    }

    /// The text of a scalar.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Scalar { text, .. } => Some(text),
            Kind::List(_) | Kind::Map(_) => None,
        }
    }

    /// The value of a key of a map.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        match &self.kind {
            Kind::Map(entries) => entries.iter().find(|(k, _)| k.text == key).map(|(_, node)| node),
            Kind::Scalar { .. } | Kind::List(_) => None,
        }
    }

    /// As a message calls it.
    pub(crate) fn what(&self) -> &'static str {
        match &self.kind {
            Kind::Scalar { .. } if self.is_null() => "nothing",
            Kind::Scalar { .. } => "a single value",
            Kind::List(_) => "a list",
            Kind::Map(_) => "a map",
        }
    }
}

/// The way from the root to the smallest key or value that holds this place: `topics.t.rf`, `history[2].roll`.
pub(crate) fn path_of(root: &Node, at: At) -> Option<String> {
    let mut best = None;
    walk(root, None, at, &mut String::new(), &mut best);
    best.map(|(_, path)| path)
}

/// Filled-in defaults stand where their map stands, and are passed over.
fn walk(node: &Node, parent: Option<At>, at: At, path: &mut String, best: &mut Option<(u32, String)>) {
    if parent == Some(node.at) {
        return;
    }
    let single = matches!(node.kind, Kind::Scalar { .. });
    if node.at == at || (single && node.at.holds(at)) {
        offer(node.at, path, best);
    }
    let length = path.len();
    match &node.kind {
        Kind::Scalar { .. } => {}
        Kind::List(items) => {
            for (index, item) in items.iter().enumerate() {
                path.push_str(&format!("[{index}]"));
                walk(item, Some(node.at), at, path, best);
                path.truncate(length);
            }
        }
        Kind::Map(entries) => {
            for (key, value) in entries {
                let pair = At { end: value.at.end, ..key.at };
                if pair == at && value.at.source == at.source {
                    offer(pair, path, best);
                }
                if length > 0 {
                    path.push('.');
                }
                path.push_str(&key.text);
                if key.at != node.at && key.at.holds(at) {
                    offer(key.at, path, best);
                }
                walk(value, Some(node.at), at, path, best);
                path.truncate(length);
            }
        }
    }
}

fn offer(place: At, path: &str, best: &mut Option<(u32, String)>) {
    let size = place.end - place.start;
    if best.as_ref().is_none_or(|(least, _)| size < *least) {
        *best = Some((size, path.to_owned()));
    }
}
