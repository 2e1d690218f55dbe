//! Who is there: the names that the rest of a scenario may speak of. Taken before entries are read, from
//! `brokers:`, `topics:` and `groups:` and from the entries that bring new ones.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::super::similar::nearest;
use super::super::words::glob_matches;
use super::super::yaml::{Kind, Node};
use super::topics::MAX_TOPICS;
use crate::sim::natural_cmp;

/// Names of one kind, single or made by families.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    singles: BTreeSet<String>,
    families: BTreeMap<String, u32>,
}

impl Names {
    pub(crate) fn add(&mut self, name: &str) -> bool {
        self.singles.insert(name.to_owned())
    }

    pub(crate) fn add_family(&mut self, name: &str, count: u32) {
        let larger = self.families.get(name).copied().unwrap_or(0).max(count);
        self.families.insert(name.to_owned(), larger);
    }

    /// Is there such a name, of its own or in a family?
    pub(crate) fn has(&self, name: &str) -> bool {
        self.singles.contains(name) || self.member_of(name).is_some()
    }

    /// The family that makes this name.
    pub(crate) fn member_of(&self, name: &str) -> Option<&str> {
        let (family, number) = name.rsplit_once('-')?;
        let n: u32 = number.parse().ok().filter(|n: &u32| n.to_string() == number)?;
        let (family, count) = self.families.get_key_value(family)?;
        (1..=*count).contains(&n).then_some(family)
    }

    pub(crate) fn is_family(&self, name: &str) -> bool {
        self.families.contains_key(name)
    }

    /// How many a family has.
    pub(crate) fn family_size(&self, name: &str) -> Option<u32> {
        self.families.get(name).copied()
    }

    pub(crate) fn len(&self) -> u64 {
        self.singles.len() as u64 + self.families.values().map(|n| u64::from(*n)).sum::<u64>()
    }

    /// Every name, in natural order.
    pub(crate) fn all(&self) -> Arc<[String]> {
        let made = self.families.iter().flat_map(|(family, count)| family_names(family, *count));
        let mut names: Vec<String> = self.singles.iter().cloned().chain(made).collect();
        names.sort_by(|a, b| natural_cmp(a, b));
        names.dedup();
        names.into()
    }

    /// How many names a glob matches.
    pub(crate) fn matching(&self, glob: &str) -> u64 {
        let singles = self.singles.iter().filter(|name| glob_matches(glob, name)).count() as u64;
        let in_family = |(family, count): (&String, &u32)| -> u64 {
            // the usual `family-*` needs no walk
            if glob.strip_suffix("-*") == Some(family) {
                return u64::from(*count);
            }
            family_names(family, *count).filter(|name| glob_matches(glob, name)).count() as u64
        };
        singles + self.families.iter().map(in_family).sum::<u64>()
    }

    /// Words that a wrong name may have meant.
    pub(crate) fn suggestions(&self) -> Vec<&str> {
        self.families.keys().chain(self.singles.iter().take(10_000)).map(String::as_str).collect()
    }
}

/// What a wrong name may have meant, as a question; nothing if nothing is like it.
pub(crate) fn did_you_mean(text: &str, lists: &[&Names]) -> String {
    let words: Vec<&str> = lists.iter().flat_map(|names| names.suggestions()).collect();
    // of a family the numbers are told too: `ordesr-2` is like `orders-1 … orders-3`
    let family = text.rsplit_once('-').and_then(|(base, _)| {
        let base = nearest(base, words.iter().copied())?;
        let size = lists.iter().find_map(|names| names.family_size(base))?;
        Some(format!("did you mean `{base}-1` … `{base}-{size}`?"))
    });
    let whole = || nearest(text, words.iter().copied()).map(|other| format!("did you mean `{other}`?"));
    family.or_else(whole).unwrap_or_default()
}

/// `name-1 … name-N`.
pub(crate) fn family_names(family: &str, count: u32) -> impl Iterator<Item = String> {
    (1..=count).map(move |n| format!("{family}-{n}"))
}

/// Everybody.
#[derive(Clone, Debug, Default)]
pub(crate) struct Census {
    /// Brokers at time 0.
    pub(crate) brokers: BTreeSet<u32>,
    /// Brokers that some entry adds.
    pub(crate) added: BTreeSet<u32>,
    /// Brokers that some entry unregisters, by id; `all_unregistered` if by anything else.
    pub(crate) unregisters: bool,
    /// Topics at time 0.
    pub(crate) topics: Names,
    /// All of them, in natural order.
    pub(crate) all_topics: Arc<[String]>,
    /// Something is wrong with topics or groups, so that a name that is not there tells nothing.
    pub(crate) topics_wrong: bool,
    pub(crate) groups_wrong: bool,
    /// Lists that groups draw from, by how they are written: 100,000 groups may well write the same.
    drawn_from: RefCell<BTreeMap<String, Arc<[String]>>>,
    /// Does a file say what happens to the cluster? Then topics may come that nobody here speaks of.
    pub(crate) happened: bool,
    /// Topics that some entry creates.
    pub(crate) created: Names,
    /// Does some entry delete topics?
    pub(crate) deletes: bool,
    /// Groups.
    pub(crate) groups: Names,
    /// Members by name, over all groups.
    pub(crate) members: Names,
    /// Does some entry make members join?
    pub(crate) joins: bool,
    /// Racks that anything has.
    pub(crate) racks: BTreeSet<String>,
    /// Does some entry change the rack of a broker?
    pub(crate) moves_racks: bool,
}

impl Census {
    /// With the brokers and the racks of time 0.
    pub(crate) fn new(brokers: BTreeSet<u32>, racks: BTreeSet<String>) -> Census {
        Census { brokers, racks, ..Census::default() }
    }

    /// Takes the topics of time 0.
    pub(crate) fn set_topics(&mut self, names: Names, wrong: bool) {
        self.all_topics = names.all();
        self.topics = names;
        self.topics_wrong = wrong;
    }

    /// The list that a group draws from, made once for all that write the same.
    pub(crate) fn drawn_from(
        &self,
        written: &str,
        make: impl FnOnce() -> Option<Vec<String>>,
    ) -> Option<Arc<[String]>> {
        if let Some(list) = self.drawn_from.borrow().get(written) {
            return Some(list.clone());
        }
        let mut names = make()?;
        names.sort_by(|a, b| natural_cmp(a, b));
        names.dedup();
        let list: Arc<[String]> = names.into();
        self.drawn_from.borrow_mut().insert(written.to_owned(), list.clone());
        Some(list)
    }

    /// Every broker there ever is.
    pub(crate) fn broker_ids(&self) -> BTreeSet<u32> {
        self.brokers.union(&self.added).copied().collect()
    }

    /// Looks through the entries for what they bring. Whatever is wrong with them is told later.
    pub(crate) fn look_ahead(&mut self, history: &Node) {
        let Kind::List(items) = &history.kind else { return };
        for item in items {
            let Kind::Map(entries) = &item.kind else { continue };
            for (verb, body) in entries {
                self.look_at(&verb.text, body);
            }
        }
    }

    fn look_at(&mut self, verb: &str, body: &Node) {
        for key in ["rack", "racks"] {
            if let Some(node) = body.get(key) {
                self.moves_racks = true;
                for text in texts(node) {
                    self.racks.insert(text.to_owned());
                }
            }
        }
        match verb {
            "add-broker" => {
                self.moves_racks = true;
                let ids = ["broker", "brokers"].into_iter().filter_map(|key| body.get(key)).flat_map(texts);
                self.added.extend(ids.filter_map(|text| text.parse::<u32>().ok()));
            }
            "unregister" => self.unregisters = true,
            "delete-topic" => self.deletes = true,
            "join" => self.joins = true,
            "create-topic" => {
                let count = body.get("count").and_then(Node::text).and_then(|text| text.parse().ok());
                let count = count.map(|count: u32| count.min(MAX_TOPICS));
                let names = ["topic", "topics", "name"].into_iter().filter_map(|key| body.get(key)).flat_map(texts);
                for name in names {
                    match count {
                        Some(count) => self.created.add_family(name, count),
                        None => {
                            self.created.add(name);
                        }
                    }
                }
            }
            _ => {}
        }
    }
}

/// The single values of a value, a list or a map.
fn texts(node: &Node) -> Vec<&str> {
    match &node.kind {
        Kind::Scalar { text, .. } if !node.is_null() => vec![text],
        Kind::Scalar { .. } => Vec::new(),
        Kind::List(items) => items.iter().filter(|n| !n.is_null()).filter_map(Node::text).collect(),
        Kind::Map(entries) => entries.iter().filter(|(_, n)| !n.is_null()).filter_map(|(_, n)| n.text()).collect(),
    }
}
