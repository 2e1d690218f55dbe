//! `base:`: maps merge, lists and single values replace.

use std::collections::BTreeMap;

use super::{Key, Kind, Node};

/// Lays `over` upon `base`. Keys of the base keep their places, new ones follow.
pub(crate) fn merge(base: Node, over: Node) -> Node {
    let at = over.at;
    let kind = match (base.kind, over.kind) {
        (Kind::Map(entries), Kind::Map(news)) => Kind::Map(merge_maps(entries, news)),
        (_, kind) => kind,
    };
    Node { at, kind }
}

fn merge_maps(mut entries: Vec<(Key, Node)>, news: Vec<(Key, Node)>) -> Vec<(Key, Node)> {
    let places: BTreeMap<String, usize> = entries.iter().enumerate().map(|(i, (k, _))| (k.text.clone(), i)).collect();
    for (key, value) in news {
        match places.get(&key.text) {
            Some(&place) => {
                let old = std::mem::replace(&mut entries[place].1, Node::plain(value.at, ""));
                entries[place] = (key, merge(old, value));
            }
            None => entries.push((key, value)),
        }
    }
    entries
}
