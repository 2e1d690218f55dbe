//! A group whose partitions are to be dealt, with nothing happening to it: what the verb `assign` reads.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::diagnostics::{At, Diagnostics, Problem, Source};
use crate::kafka::{BrokerId, Uuid};

/// A partition and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssignPlace {
    /// The first of its replicas.
    pub leader: BrokerId,
    /// The racks of its replicas, those that have one.
    pub racks: Vec<String>,
}

/// A topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssignTopic {
    /// Its name.
    pub name: String,
    /// Its id, where the file gives one.
    pub id: Option<Uuid>,
    /// Its partitions by number.
    pub partitions: Vec<AssignPlace>,
}

/// A member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssignMember {
    /// Its name, which is its id.
    pub name: String,
    /// Its rack.
    pub rack: Option<String>,
    /// Static, so that assignors sort it before dynamic ones.
    pub is_static: bool,
    /// The topics that it subscribes to: those named, and those that its pattern matches.
    pub topics: Vec<String>,
    /// Streams of each of them (`num.streams`), where they are not one.
    pub threads: BTreeMap<String, u32>,
    /// What it owned so far.
    pub owns: BTreeMap<String, Vec<u32>>,
    /// The generation that it owned that in.
    pub generation: u32,
}

/// What the file says.
#[derive(Clone, Debug)]
pub struct AssignFile {
    /// Its name without folder and ending.
    pub name: String,
    /// Topics, in natural order of names.
    pub topics: Vec<AssignTopic>,
    /// Members, in natural order of names.
    pub members: Vec<AssignMember>,
    /// Assignors that the file asks for, in its order; none: it leaves that to the reader.
    pub assignors: Vec<String>,
    /// What is odd but not wrong, a line each.
    pub warnings: Vec<String>,
    pub(super) sources: Arc<Vec<Source>>,
    /// Where assignors stand, and where members do.
    pub(super) places: BTreeMap<String, At>,
    pub(super) member_places: BTreeMap<String, At>,
}

impl AssignFile {
    /// The problem that an assignor cannot deal to this group, shown at its name in the file (or at the first of the
    /// members, if it was not the file that asked for it) and at the `members` that it is about.
    #[must_use]
    pub fn refusal(&self, assignor: &str, message: String, members: &[&str]) -> Diagnostics {
        let of_members = members.iter().filter_map(|name| self.member_places.get(*name));
        let mut marks = self.places.get(assignor).into_iter().chain(of_members).copied();
        let problem = Problem {
            at: marks.next(),
            path: String::new(),
            message,
            label: String::new(),
            also: marks.map(|at| (at, String::new())).collect(),
            help: Vec::new(),
        };
        Diagnostics::new(vec![problem], self.sources.clone())
    }
}
