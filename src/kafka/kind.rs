//! The protocols that a group may be of.

/// The protocol that a group is of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum GroupKind {
    /// KIP-848's.
    #[default]
    Consumer,
    /// The one before it.
    Classic,
    /// KIP-932's.
    Share,
    /// KIP-1071's.
    Streams,
}

impl GroupKind {
    /// All of them.
    pub const ALL: [GroupKind; 4] = [GroupKind::Consumer, GroupKind::Classic, GroupKind::Share, GroupKind::Streams];

    /// As it is written: `consumer`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            GroupKind::Consumer => "consumer",
            GroupKind::Classic => "classic",
            GroupKind::Share => "share",
            GroupKind::Streams => "streams",
        }
    }

    /// The kind of that name, in any case.
    #[must_use]
    pub fn by_name(text: &str) -> Option<GroupKind> {
        GroupKind::ALL.into_iter().find(|kind| kind.name().eq_ignore_ascii_case(text))
    }
}
