//! A map being read: which keys may stand in it, which do, and what the others default to.

use super::super::diagnostics::{At, Problems};
use super::super::similar::nearest_key;
use super::super::yaml::{Key, Kind, Node};

/// Places of the language and the keys that may stand there, singular forms; see the language's table.
pub(crate) const PLACES: &[(&str, &[&str])] = &[
    ("the top of the file", TOP),
    ("cluster", CLUSTER),
    ("cluster.start", &["unfence", "catch_up", "isr_deltas"]),
    ("a broker", &["rack", "version", "count"]),
    ("a topic", &["count", "partitions", "rf", "replicas", "id"]),
    ("a group", GROUP),
    ("a member", &["topics", "pattern", "rack", "static", "phase", "count", "join"]),
];

const TOP: &[&str] = &[
    "base",
    "seed",
    "runs",
    "duration",
    "warmup",
    "bucket",
    "cluster",
    "brokers",
    "topics",
    "groups",
    "history",
    "strategies",
    "sweep",
    "expect",
    "baseline",
];

const CLUSTER: &[&str] = &[
    "version",
    "racks",
    "metadata_lag",
    "session",
    "coordinators",
    "offsets_partitions",
    "load_time",
    "leader_rebalance",
    "retention",
    "message_max_bytes",
    "share_init",
    "assignment_interval",
    "initial_delay",
    "start",
];

const GROUP: &[&str] = &[
    "count",
    "members",
    "topics",
    "pattern",
    "heartbeat",
    "session",
    "phase",
    "static",
    "rack_aware",
    "protocol",
    "internal",
    "patience",
    "assignor",
    "start",
    "stored",
    "epoch",
    "racks",
];

/// A map whose keys are fixed words.
pub(crate) struct Fields<'n> {
    place: String,
    at: At,
    entries: &'n mut Vec<(Key, Node)>,
    asked: Vec<&'static str>,
}

impl<'n> Fields<'n> {
    /// Opens a map; nothing at all is an empty one. `place` is what a message calls it.
    pub(crate) fn open(node: &'n mut Node, place: &str, problems: &mut Problems) -> Option<Fields<'n>> {
        if node.is_null() {
            node.kind = Kind::Map(Vec::new());
        }
        let (at, what) = (node.at, node.what());
        match &mut node.kind {
            Kind::Map(entries) => Some(Fields { place: place.to_owned(), at, entries, asked: Vec::new() }),
            Kind::Scalar { .. } | Kind::List(_) => {
                problems.add(at, format!("{place} is a map, not {what}"), "write `{key: value, ...}`");
                None
            }
        }
    }

    /// Where the map stands.
    pub(crate) fn at(&self) -> At {
        self.at
    }

    /// The value of a key, if the file gives one.
    pub(crate) fn opt(&mut self, key: &'static str) -> Option<&mut Node> {
        self.asked.push(key);
        self.entries.iter_mut().find(|(k, _)| k.text == key).map(|(_, node)| node)
    }

    /// As [`Fields::opt`], under any of several spellings; two of them at once is a problem.
    pub(crate) fn either(&mut self, keys: &[&'static str], problems: &mut Problems) -> Option<&mut Node> {
        self.asked.extend(keys);
        let mut found: Option<usize> = None;
        for (index, (key, _)) in self.entries.iter().enumerate() {
            if keys.contains(&key.text.as_str()) {
                if let Some(first) = found {
                    let first = &self.entries[first].0;
                    let message = format!("`{}` and `{}` mean the same", first.text, key.text);
                    problems.add(key.at, message, "take one of them away").also.push((first.at, String::new()));
                } else {
                    found = Some(index);
                }
            }
        }
        found.map(|index| &mut self.entries[index].1)
    }

    /// Is the key there? Does not count as asking for it.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.entries.iter().any(|(k, _)| k.text == key)
    }

    /// Where the key stands, if it is there.
    pub(crate) fn key_at(&self, key: &str) -> Option<At> {
        self.entries.iter().find(|(k, _)| k.text == key).map(|(k, _)| k.at)
    }

    /// The value of a key; put in where the file gives none.
    pub(crate) fn or(&mut self, key: &'static str, default: &str) -> &mut Node {
        self.or_node(key, |at| Node::plain(at, default))
    }

    /// As [`Fields::or`], for defaults that are no single words.
    pub(crate) fn or_node(&mut self, key: &'static str, default: impl FnOnce(At) -> Node) -> &mut Node {
        self.asked.push(key);
        let place = self.entries.iter().position(|(k, _)| k.text == key).unwrap_or_else(|| {
            let at = self.at;
            self.entries.push((Key { text: key.to_owned(), plain: true, at }, default(at)));
            self.entries.len() - 1
        });
        &mut self.entries[place].1
    }

    /// A key that must be there.
    pub(crate) fn must(&mut self, key: &'static str, help: &str, problems: &mut Problems) -> Option<&mut Node> {
        if !self.has(key) {
            self.asked.push(key);
            problems.add(self.at, format!("{} needs `{key}`", self.place), help);
            return None;
        }
        self.opt(key)
    }

    /// Overwrites or puts in a value that was worked out.
    pub(crate) fn set(&mut self, key: &'static str, text: String) {
        let at = self.at;
        *self.or(key, "") = Node::plain(at, text);
    }

    /// Done: whatever was not asked for does not belong here. Keys are put into the order of asking.
    pub(crate) fn close(self, problems: &mut Problems) {
        let known = &self.asked;
        for (key, _) in self.entries.iter() {
            if known.contains(&key.text.as_str()) {
                continue;
            }
            let elsewhere = || {
                let mut places = PLACES.iter().filter(|(_, keys)| keys.contains(&key.text.as_str()));
                places.next().map(|(place, _)| format!("`{}` belongs to {place}", key.text))
            };
            let glued = key.text.split_once(':').filter(|(word, _)| known.contains(word));
            if let Some((word, rest)) = glued {
                let label = format!("put a blank after the colon: `{word}: {rest}`");
                problems.add(key.at, format!("{} has no key `{}`", self.place, key.text), label);
                continue;
            }
            let near = nearest_key(&key.text, known).map(|other| format!("did you mean `{other}`?"));
            let all = || {
                // some are asked for more than once
                let each = known.iter().enumerate().filter(|(place, key)| !known[..*place].contains(key));
                let each: Vec<&str> = each.map(|(_, key)| *key).collect();
                format!("may be here: {}", each.join(", "))
            };
            let label = near.or_else(elsewhere).unwrap_or_else(all);
            problems.add(key.at, format!("{} has no key `{}`", self.place, key.text), label);
        }
        let place = |key: &Key| known.iter().position(|k| *k == key.text).unwrap_or(usize::MAX);
        self.entries.sort_by_key(|(key, _)| place(key));
    }
}
