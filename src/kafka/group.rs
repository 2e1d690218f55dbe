//! What members subscribe to.

use super::{PatternId, TopicId};

/// A member's subscription: topic names, a pattern, or both.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subscription {
    /// Names, in order of id, each once; they need not exist.
    pub names: Vec<TopicId>,
    /// A pattern over whole topic names.
    pub pattern: Option<PatternId>,
}

/// A pattern with the names that it matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// RE2 syntax, matched against the whole name.
    pub text: String,
    /// Every topic name of the run that it matches, in order of id, existing or not.
    pub matches: Vec<TopicId>,
}
