//! What only the making of a history can find wrong with a scenario: an entry that names something which
//! cannot take part at its instant.

use crate::sim::Ms;

/// A scenario that cannot happen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at {at}: {message}")]
pub struct WorldError {
    /// The `history:` entry, by its place in the list; `None`: something that stands at time 0.
    pub entry: Option<usize>,
    /// When it would have happened.
    pub at: Ms,
    /// What is wrong and what to change.
    pub message: String,
}

impl WorldError {
    /// Something wrong with what stands at time 0.
    pub(super) fn at_start(message: impl Into<String>) -> WorldError {
        WorldError { entry: None, at: Ms::ZERO, message: message.into() }
    }
}
