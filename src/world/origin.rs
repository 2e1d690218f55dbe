//! Who is behind something: the word in the columns `cause` and `trigger`.

use crate::kafka::{EntryIndex, GroupId};

/// What is behind a change (its cause) or made it visible (its trigger).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// A `history:` entry.
    Entry(EntryIndex),
    /// The group's own lines in `groups:` (a member's `join:`, a standing member's first pattern).
    Group(GroupId),
    /// The timer of pattern refreshes: `pattern-refresh`.
    PatternRefresh,
    /// The metadata refresh interval: `refresh-interval`.
    RefreshInterval,
    /// What the group stood on at time 0: `start` (only with `stored: absent`).
    Start,
}
