//! Where in the document a place of a file is: `topics.t.rf`, `history[2].roll`. Looked up for all
//! problems in one walk, and only once there are some, so that reading carries no paths along.

use super::super::diagnostics::At;
use super::{Kind, Node};

/// The way from the root to a place: to the smallest key or value that holds it.
pub(crate) fn path_of(root: &Node, at: At) -> Option<String> {
    paths_of(root, &[at]).pop().flatten()
}

/// As [`path_of`], of many places.
pub(crate) fn paths_of(root: &Node, places: &[At]) -> Vec<Option<String>> {
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by_key(|&index| places[index]);
    let mut search = Search { places, order, best: vec![None; places.len()], steps: Vec::new() };
    search.walk(root, None);
    search.best.into_iter().map(|best| best.map(|(_, path)| path)).collect()
}

/// One step of the way.
enum Step<'n> {
    Key(&'n str),
    Item(usize),
}

struct Search<'n> {
    places: &'n [At],
    /// Indices of the places, in their order.
    order: Vec<usize>,
    /// Size and path of the smallest that holds each place.
    best: Vec<Option<(u32, String)>>,
    steps: Vec<Step<'n>>,
}

impl<'n> Search<'n> {
    /// Filled-in defaults stand where their map stands, and are passed over.
    fn walk(&mut self, node: &'n Node, parent: Option<At>) {
        if parent == Some(node.at) {
            return;
        }
        self.offer(node.at, matches!(node.kind, Kind::Scalar { .. }));
        match &node.kind {
            Kind::Scalar { .. } => {}
            Kind::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.steps.push(Step::Item(index));
                    self.walk(item, Some(node.at));
                    self.steps.pop();
                }
            }
            Kind::Map(entries) => {
                for (key, value) in entries {
                    // an entry of the history, from its verb to its end
                    if value.at.source == key.at.source {
                        self.offer(At { end: value.at.end, ..key.at }, false);
                    }
                    self.steps.push(Step::Key(&key.text));
                    if key.at != node.at {
                        self.offer(key.at, true);
                    }
                    self.walk(value, Some(node.at));
                    self.steps.pop();
                }
            }
        }
    }

    /// This place for those that it is, or that lie in it.
    fn offer(&mut self, at: At, inside: bool) {
        let first = self
            .order
            .partition_point(|&index| (self.places[index].source, self.places[index].start) < (at.source, at.start));
        for &index in &self.order[first..] {
            let place = self.places[index];
            if place.source != at.source || place.start > at.end {
                break;
            }
            let size = at.end - at.start;
            let smaller = self.best[index].as_ref().is_none_or(|(least, _)| size < *least);
            if smaller && (place == at || (inside && at.holds(place))) {
                self.best[index] = Some((size, self.path()));
            }
        }
    }

    fn path(&self) -> String {
        let mut path = String::new();
        for step in &self.steps {
            match step {
                Step::Item(index) => path.push_str(&format!("[{index}]")),
                Step::Key(key) => {
                    path.push_str(if path.is_empty() { "" } else { "." });
                    path.push_str(key);
                }
            }
        }
        path
    }
}
