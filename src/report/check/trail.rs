//! A run's rebalances in little room, so that a later one can name the first at which it parts from them: the first
//! thousand of a strategy as they are, of each further one a single character of a running digest.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::report::files::{BumpRow, Text};
use crate::sim::Ms;

/// Rebalances of a run and strategy that are kept as they are.
const WHOLE: u64 = 1_000;

/// Characters on a line.
const LINE: usize = 200;

/// Six bits of the running digest.
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// A line of a baseline's bumps.csv: one rebalance, or the marks of many from this one on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "docs/files.md says what each column is")]
pub struct TrailRow<'a> {
    pub run: u32,
    pub strategy: Text<'a>,
    pub number: u64,
    pub at_ms: u64,
    pub group: Text<'a>,
    pub verdict: Text<'a>,
    pub cause: Text<'a>,
    pub trigger: Text<'a>,
    pub marks: Text<'a>,
}

/// The running digest and its marks.
#[derive(Default)]
struct Chain(u64);

impl Chain {
    /// The next mark: it depends on this rebalance and on all before it.
    fn mark(&mut self, bump: &BumpRow<'_>) -> u8 {
        let at = bump.at_ms.unwrap_or(0);
        let words = [&bump.group, &bump.verdict, &bump.cause, &bump.trigger].map(|word| word.as_ref()).join("\n");
        let text = format!("{:016x}{at}\n{words}", self.0);
        self.0 = xxh3_64(text.as_bytes());
        ALPHABET[usize::from(self.0.to_le_bytes()[0] & 63)]
    }
}

/// The lines for the rebalances of one run and strategy, which come in their order.
#[must_use]
pub fn trail<'b>(bumps: impl Iterator<Item = BumpRow<'b>>) -> Vec<TrailRow<'static>> {
    let mut rows: Vec<TrailRow<'static>> = Vec::new();
    let mut chain = Chain::default();
    for (number, bump) in (1..).zip(bumps) {
        let mark = chain.mark(&bump);
        let at_ms = bump.at_ms.unwrap_or(0);
        let own = |text: &Text<'_>| Text::Owned(text.to_string());
        if number <= WHOLE {
            rows.push(TrailRow {
                run: bump.run,
                strategy: own(&bump.strategy),
                number,
                at_ms,
                group: own(&bump.group),
                verdict: own(&bump.verdict),
                cause: own(&bump.cause),
                trigger: own(&bump.trigger),
                marks: Text::Borrowed(""),
            });
            continue;
        }
        let full = rows.last().is_none_or(|row| row.marks.is_empty() || row.marks.len() >= LINE);
        if full {
            let strategy = own(&bump.strategy);
            rows.push(TrailRow { run: bump.run, strategy, number, at_ms, ..TrailRow::default() });
        }
        let row = rows.last_mut().expect("one was just put in");
        row.marks.to_mut().push(char::from(mark));
    }
    rows
}

/// Where two sequences of rebalances part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parting {
    /// Which rebalance of the run and strategy, from 1.
    pub number: u64,
    /// When.
    pub at: Ms,
    /// What was there or is there: group, verdict, cause.
    pub told: String,
}

/// The first rebalance at which a run parts from the lines of a baseline; `None`: all are the same. Both are of one run
/// and strategy.
#[must_use]
pub fn parting<'b>(then: &[&TrailRow<'_>], now: impl Iterator<Item = BumpRow<'b>>) -> Option<Parting> {
    let mut chain = Chain::default();
    // whole ones, then one for each mark
    let mut expected = then.iter().flat_map(|row| {
        let marks = if row.marks.is_empty() { 1 } else { row.marks.len() };
        (0..marks).map(move |i| (*row, row.marks.as_bytes().get(i).copied()))
    });
    let mut last = 0;
    for (number, bump) in (1..).zip(now) {
        let mark = chain.mark(&bump);
        let at = bump.at_ms.unwrap_or(0);
        match expected.next() {
            None => return Some(Parting { number, at: Ms(at), told: format!("{} is new", told(&bump)) }),
            Some((_, Some(expected))) if expected == mark => {}
            Some((_, Some(_))) => {
                return Some(Parting { number, at: Ms(at), told: format!("{} (it was another)", told(&bump)) });
            }
            Some((row, None)) => {
                if row.at_ms == at && row.group == bump.group {
                    let changed = [
                        (&row.verdict, &bump.verdict, ""),
                        (&row.cause, &bump.cause, "cause "),
                        (&row.trigger, &bump.trigger, "trigger "),
                    ];
                    let changes: Vec<String> = changed
                        .into_iter()
                        .filter(|(then, now, _)| then != now)
                        .map(|(then, now, what)| format!("{what}{then} → {now}"))
                        .collect();
                    if !changes.is_empty() {
                        let told = format!("{}, {}", bump.group, changes.join(", "));
                        return Some(Parting { number, at: Ms(at), told });
                    }
                } else if row.at_ms < at {
                    return Some(gone(row));
                } else {
                    return Some(Parting { number, at: Ms(at), told: format!("{} is new", told(&bump)) });
                }
            }
        }
        last = at;
    }
    expected.next().map(|(row, mark)| match mark {
        None => gone(row),
        Some(_) => Parting { number: row.number, at: Ms(last), told: "all that came after it are gone".to_owned() },
    })
}

fn told(bump: &BumpRow<'_>) -> String {
    words(&bump.group, &bump.verdict, &bump.cause, &bump.trigger)
}

fn gone(row: &TrailRow<'_>) -> Parting {
    let told = format!("{} is gone", words(&row.group, &row.verdict, &row.cause, &row.trigger));
    Parting { number: row.number, at: Ms(row.at_ms), told }
}

fn words(group: &str, verdict: &str, cause: &str, trigger: &str) -> String {
    let seen = if trigger == cause || trigger.is_empty() { String::new() } else { format!(" seen through {trigger}") };
    format!("{group}, {verdict}, cause {cause}{seen},")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bump(i: u64) -> BumpRow<'static> {
        BumpRow {
            run: 1,
            strategy: "a".into(),
            at_ms: Some(1000 * i),
            group: format!("g-{}", i % 7).into(),
            verdict: "repeat".into(),
            cause: "roll".into(),
            trigger: "roll".into(),
            ..BumpRow::default()
        }
    }

    fn part(then: &[BumpRow<'static>], now: &[BumpRow<'static>]) -> Option<String> {
        let rows = trail(then.iter().cloned());
        let rows: Vec<&TrailRow<'_>> = rows.iter().collect();
        parting(&rows, now.iter().cloned()).map(|p| format!("{} {} {}", p.number, p.at.clock(), p.told))
    }

    #[test]
    fn a_thousand_are_kept_whole_and_the_rest_as_a_character_each() {
        let rows = trail((1..=1500).map(bump));
        assert_eq!(rows.len(), 1000 + 3);
        assert_eq!((rows[1000].number, rows[1000].at_ms, rows[1002].marks.len()), (1001, 1_001_000, 100));
        let all: Vec<_> = (1..=1500).map(bump).collect();
        assert_eq!(part(&all, &all), None);
        assert_eq!(part(&[], &[]), None);
    }

    #[test]
    fn the_first_that_is_new_gone_or_other_is_named() {
        let all: Vec<_> = (1..=5).map(bump).collect();
        let without = |i: usize| [&all[..i], &all[i + 1..]].concat();
        assert_eq!(part(&without(2), &all).unwrap(), "3 0:00:03 g-3, repeat, cause roll, is new");
        assert_eq!(part(&all, &without(2)).unwrap(), "3 0:00:03 g-3, repeat, cause roll, is gone");
        assert_eq!(part(&all, &all[..4]).unwrap(), "5 0:00:05 g-5, repeat, cause roll, is gone");
        assert_eq!(part(&all, &[]).unwrap(), "1 0:00:01 g-1, repeat, cause roll, is gone");
        assert_eq!(part(&all[..4], &all).unwrap(), "5 0:00:05 g-5, repeat, cause roll, is new");
        let mut other = all.clone();
        other[3].verdict = "late".into();
        other[3].trigger = "saturday".into();
        assert_eq!(part(&all, &other).unwrap(), "4 0:00:04 g-4, repeat → late, trigger roll → saturday");
    }

    #[test]
    fn among_many_the_place_is_found_by_the_marks_or_right_after_it() {
        let all: Vec<_> = (1..=5000).map(bump).collect();
        let mut late = 0;
        for place in (1001..4900).step_by(97) {
            let mut other = all.clone();
            other[place].verdict = "late".into();
            let told = part(&all, &other).unwrap();
            let number: usize = told.split(' ').next().unwrap().parse().unwrap();
            assert!(number > place && number < place + 5, "{place}: {told}");
            late += usize::from(number != place + 1);
        }
        assert!(late <= 3, "one mark in 64 is the same by chance, not {late} of 41");
        let ended = part(&all, &all[..3000]).unwrap();
        assert!(ended.contains("0:50:00 all that came after it are gone"), "{ended}");
    }
}
