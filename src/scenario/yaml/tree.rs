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
