//! What was left out because it could not apply, and when that is an error instead. A target that came by
//! `all`, a selector, a draw, `rate` or `every` is left out and counted; one named by its own name is an
//! error, if the scenario alone decides it, that is, if nothing drawn had a hand in its state.

use std::collections::BTreeMap;

use crate::kafka::EntryIndex;
use crate::scenario::{Entry, When};
use crate::sim::{Chance, Ms, Stream, address};

use super::error::WorldError;

/// One time at which an entry happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Occurrence {
    /// The entry.
    pub(super) entry: EntryIndex,
    /// Its name: the purpose of its draws.
    pub(super) name: String,
    /// From 1; with `rate: … per TARGET`, of that target.
    pub(super) number: u64,
    /// With `rate: … per TARGET`, the target.
    pub(super) target: Option<String>,
    /// Does it stand `at` a time that somebody wrote?
    pub(super) written: bool,
    /// Does chance decide when it happens, to whom, or for how long?
    pub(super) by_chance: bool,
    /// When it happens.
    pub(super) at: Ms,
}

impl Occurrence {
    /// An entry's occurrence.
    pub(super) fn new(index: EntryIndex, entry: &Entry, number: u64, target: Option<String>, at: Ms) -> Occurrence {
        let written = matches!(entry.when, When::At(_));
        let by_chance = super::whens::is_by_chance(entry);
        Occurrence { entry: index, name: entry.name.clone(), number, target, written, by_chance, at }
    }

    /// The stream of one of this occurrence's draws.
    pub(super) fn stream(&self, chance: &Chance, parts: &[&str]) -> Stream {
        let number = self.number.to_string();
        let mut all = vec![self.target.as_deref().unwrap_or(""), &number];
        all.extend(parts);
        chance.stream(&self.name, &address(&all))
    }

    /// An error of this occurrence.
    pub(super) fn error(&self, message: impl Into<String>) -> WorldError {
        WorldError { entry: Some(self.entry as usize), at: self.at, message: message.into() }
    }
}

/// Why a target cannot apply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unfit {
    /// Whose state is in the way: `broker 3`.
    pub(super) who: String,
    /// Its state: `is down`.
    pub(super) why: String,
    /// Did anything drawn have a hand in that state?
    pub(super) by_chance: bool,
}

/// What was left out, counted by entry and reason.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes(BTreeMap<(EntryIndex, String, String), u64>);

impl Notes {
    /// A target cannot apply: an error if it was named and the scenario alone decides it, else left out.
    pub(super) fn leave_out(&mut self, occurrence: &Occurrence, named: bool, unfit: &Unfit) -> Result<(), WorldError> {
        if named && occurrence.written && !unfit.by_chance {
            return Err(occurrence.error(format!("{} {}", unfit.who, unfit.why)));
        }
        self.count(occurrence, &unfit.why);
        Ok(())
    }

    /// Counts something that an occurrence left out.
    pub(super) fn count(&mut self, occurrence: &Occurrence, why: &str) {
        *self.0.entry((occurrence.entry, occurrence.name.clone(), why.to_owned())).or_default() += 1;
    }

    /// One line for each entry and reason.
    pub(super) fn lines(&self) -> Vec<String> {
        let times = |n: u64| if n == 1 { "once".to_owned() } else { format!("{n} times") };
        self.0.iter().map(|((_, name, why), n)| format!("{name}: left out {}: {why}", times(*n))).collect()
    }

    /// Takes over another pass's notes.
    pub(super) fn absorb(&mut self, other: Notes) {
        for (key, count) in other.0 {
            *self.0.entry(key).or_default() += count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn occurrence(written: bool) -> Occurrence {
        let (name, target) = ("stop".to_owned(), None);
        Occurrence { entry: 2, name, number: 1, target, written, by_chance: false, at: Ms(7) }
    }

    fn down(by_chance: bool) -> Unfit {
        Unfit { who: "broker 3".into(), why: "is down".into(), by_chance }
    }

    #[test]
    fn only_what_was_named_and_what_the_scenario_alone_decides_is_an_error() {
        let mut notes = Notes::default();
        let error = notes.leave_out(&occurrence(true), true, &down(false)).unwrap_err();
        assert_eq!((error.entry, error.at, error.message.as_str()), (Some(2), Ms(7), "broker 3 is down"));
        notes.leave_out(&occurrence(true), true, &down(true)).unwrap();
        notes.leave_out(&occurrence(true), false, &down(false)).unwrap();
        notes.leave_out(&occurrence(false), true, &down(false)).unwrap();
        assert_eq!(notes.lines(), ["stop: left out 3 times: is down"]);
    }
}
