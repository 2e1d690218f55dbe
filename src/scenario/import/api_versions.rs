//! `kafka-broker-api-versions.sh`: for each broker a line with its id and rack, and the APIs that it offers. What they
//! are is nothing to us; that two brokers differ in them is.

use std::sync::LazyLock;

use regex::Regex;

use super::super::diagnostics::{At, Problems};
use super::seen::Seen;
use super::sift::Line;

static BROKER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\S+:\d+ \(id: (-?\d+) rack: (.*?)(?: isFenced: (true|false))?\) -> (\(|ERROR: .*)$")
        .expect("it is one")
});

static API: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^\s+\w+\(-?\d+\): ").expect("it is one"));

/// A broker whose APIs follow.
#[derive(Debug)]
pub(super) struct Listing {
    broker: u32,
    at: At,
    apis: Vec<String>,
    ended: bool,
}

/// What a line within a listing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    Api,
    End,
    Other,
}

/// Begins with a broker's line; `Some(None)`: one that says all there is.
pub(super) fn begin(line: Line<'_>, seen: &mut Seen, p: &mut Problems) -> Option<Option<Listing>> {
    let Some(found) = BROKER.captures(line.text) else {
        let is_one = line.text.contains(" (id: ") && line.text.contains(" rack: ");
        if is_one {
            let label = "expected `HOST:PORT (id: N rack: NAME) -> (`; is the line cut short?";
            p.add(line.at, "a broker's line that breaks off", label);
        }
        return is_one.then_some(None);
    };
    let text = |group: usize| found.get(group).map_or("", |m| m.as_str());
    let Ok(id) = text(1).parse::<u32>() else {
        p.add(line.at, format!("{} is no broker's id", text(1)), "is this the listing of a bootstrap address only?");
        return Some(None);
    };
    let rack = (text(2) != "null").then(|| text(2).to_owned());
    let broker = seen.broker(id, line.at, Some(rack), p);
    broker.fenced |= text(3) == "true";
    if text(4) != "(" {
        broker.silent = true;
        return Some(None);
    }
    Some(Some(Listing { broker: id, at: line.at, apis: Vec::new(), ended: false }))
}

impl Listing {
    /// Takes a line.
    pub(super) fn take(&mut self, line: &str) -> Taken {
        if line.trim() == ")" {
            self.ended = true;
            Taken::End
        } else if API.is_match(line) {
            // the comma is between two, and their order is the same everywhere
            self.apis.push(line.trim().trim_end_matches(',').to_owned());
            Taken::Api
        } else {
            Taken::Other
        }
    }

    /// It is over.
    pub(super) fn end(self, seen: &mut Seen, p: &mut Problems) {
        if !self.ended {
            let message = format!("what broker {} offers breaks off", self.broker);
            p.add(self.at, message, "the list that begins here has no `)` at its end: is the file cut short?");
        } else if let Some(broker) = seen.brokers.get_mut(&self.broker) {
            broker.apis = Some(self.apis);
        }
    }
}
