//! From text to expectation. Places within the line are kept, so that a wrong name is underlined itself.

use std::ops::Range;
use std::str::FromStr;

use super::super::Word;
use super::super::diagnostics::{At, Problems};
use super::super::read::did_you_mean;
use super::super::similar::hint;
use super::super::words::is_glob;
use super::super::yaml::Node;
use super::metric::FILTERED;
use super::{Expectation, Expr, Fraction, Known, METRICS, MetricRef, Op, Sum};
use crate::sim::Ms;

/// Deeper nesting is refused.
const MAX_DEPTH: u32 = 32;

/// Timers that may be a trigger.
const TIMERS: [&str; 2] = ["pattern-refresh", "refresh-interval"];

/// Comparisons, longer ones first.
const OPS: [(&str, Op); 6] = [
    ("==", Op::Equal),
    ("!=", Op::Unequal),
    ("<=", Op::AtMost),
    (">=", Op::AtLeast),
    ("<", Op::Less),
    (">", Op::Greater),
];

/// Reads one line.
pub(super) fn expectation(text: &str, node: &Node, known: &Known<'_>, problems: &mut Problems) -> Option<Expectation> {
    // quoted scalars begin one byte earlier than their text
    let plain = matches!(&node.kind, super::super::yaml::Kind::Scalar { plain: true, .. });
    let mut line = Line { text, rest: 0, at: node.at, shift: usize::from(!plain), known, each: false, depth: 0 };
    let left = line.sum(problems)?;
    line.blanks();
    let Some((written, op)) = OPS.into_iter().find(|(written, _)| line.text[line.rest..].starts_with(written)) else {
        let label = "compare with `==`, `!=`, `<`, `<=`, `>` or `>=`";
        problems.add(line.here(), "an expectation compares two things", label);
        return None;
    };
    line.rest += written.len();
    let right = line.sum(problems)?;
    line.blanks();
    if line.rest < text.len() {
        problems.add(line.part(line.rest..text.len()), "the expectation should end here", "");
        return None;
    }
    let each = line.each.then(|| known.strategies.clone());
    Some(Expectation { text: text.to_owned(), left, op, right, each })
}

struct Line<'t> {
    text: &'t str,
    rest: usize,
    at: At,
    shift: usize,
    known: &'t Known<'t>,
    each: bool,
    depth: u32,
}

impl<'t> Line<'t> {
    fn part(&self, range: Range<usize>) -> At {
        self.at.part(range.start + self.shift..range.end + self.shift)
    }

    fn here(&self) -> At {
        let end = self.text[self.rest..].chars().next().map_or(self.rest, |c| self.rest + c.len_utf8());
        self.part(self.rest..end)
    }

    fn blanks(&mut self) {
        self.rest += self.text[self.rest..].len() - self.text[self.rest..].trim_start().len();
    }

    fn eat(&mut self, c: char) -> bool {
        self.blanks();
        let there = self.text[self.rest..].starts_with(c);
        self.rest += if there { c.len_utf8() } else { 0 };
        there
    }

    /// Products, added and subtracted.
    fn sum(&mut self, problems: &mut Problems) -> Option<Expr> {
        let mut left = self.product(problems)?;
        loop {
            let sum = if self.eat('+') {
                Sum::Plus
            } else if self.eat('-') || self.eat('−') {
                Sum::Minus
            } else {
                return Some(left);
            };
            left = Expr::Both(Box::new(left), sum, Box::new(self.product(problems)?));
        }
    }

    fn product(&mut self, problems: &mut Problems) -> Option<Expr> {
        let mut left = self.one(problems)?;
        loop {
            let sum = if self.eat('*') {
                Sum::Times
            } else if self.eat('/') {
                Sum::Over
            } else {
                return Some(left);
            };
            left = Expr::Both(Box::new(left), sum, Box::new(self.one(problems)?));
        }
    }

    fn one(&mut self, problems: &mut Problems) -> Option<Expr> {
        self.depth += 1;
        if self.depth > MAX_DEPTH * 8 {
            problems.add(self.at, "this expectation is too long", "");
            return None;
        }
        self.blanks();
        if self.eat('(') {
            let inner = self.sum(problems)?;
            if !self.eat(')') {
                problems.add(self.here(), "a `)` is missing here", "");
                return None;
            }
            return Some(inner);
        }
        if self.eat('-') || self.eat('−') {
            return Some(Expr::Minus(Box::new(self.one(problems)?)));
        }
        let start = self.rest;
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        let length = self.text[start..].find(|c| !word(c)).unwrap_or(self.text.len() - start);
        let token = &self.text[start..start + length];
        if token.is_empty() {
            problems.add(self.here(), "a number or a metric is meant here", "");
            return None;
        }
        self.rest += length;
        if token.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return self.number(token, start, problems).map(Expr::Number);
        }
        self.metric(token, start, problems)
    }

    /// Digits with at most one point, or a time, which counts in milliseconds.
    fn number(&self, token: &str, start: usize, problems: &mut Problems) -> Option<Fraction> {
        let (whole, part) = token.split_once('.').unwrap_or((token, ""));
        let digits = format!("{whole}{part}");
        let decimal = digits.bytes().all(|b| b.is_ascii_digit()) && part.len() < 19;
        let tenths = u32::try_from(part.len()).ok().map(|n| 10_i128.saturating_pow(n));
        let number = if decimal {
            digits.parse().ok().zip(tenths).and_then(|(above, below)| Fraction::new(above, below))
        } else {
            Ms::from_str(token).ok().map(|time| Fraction::whole(i128::from(time.0)))
        };
        if number.is_none() {
            problems.add(self.part(start..start + token.len()), format!("`{token}` is no number"), "");
        }
        number
    }

    fn metric(&mut self, token: &str, start: usize, problems: &mut Problems) -> Option<Expr> {
        let place = self.part(start..start + token.len());
        let known = METRICS.contains(&token);
        if !known {
            problems.add(place, format!("there is no metric `{token}`"), hint(token, &METRICS));
        }
        let mut metric = MetricRef {
            metric: token.to_owned(),
            strategy: None,
            group: None,
            cause: None,
            trigger: None,
            window: None,
        };
        let mut fine = known;
        if self.eat('[') {
            let from = self.rest;
            let Some(length) = self.text[from..].find(']') else {
                problems.add(self.part(from - 1..self.text.len()), "a `]` is missing", "");
                return None;
            };
            let inside = &self.text[from..from + length];
            let mut offset = from;
            for piece in inside.split(',') {
                let lead = piece.len() - piece.trim_start().len();
                let range = offset + lead..offset + lead + piece.trim().len();
                fine &= self.filter(&mut metric, range, problems);
                offset += piece.len() + 1;
            }
            self.rest = from + length + 1;
        }
        if known && !metric.is_whole() && !FILTERED.contains(&token) {
            let label = format!("filters hold for {}", FILTERED.join(", "));
            problems.add(place, format!("`{token}` cannot be filtered"), label);
            fine = false;
        }
        self.each |= metric.strategy.is_none();
        fine.then(|| Expr::Metric(Box::new(metric)))
    }

    /// One word between brackets: a strategy, `group=`, `cause=`, `trigger=`, or a window.
    fn filter(&self, metric: &mut MetricRef, range: Range<usize>, problems: &mut Problems) -> bool {
        let (piece, at) = (&self.text[range.clone()], self.part(range));
        let twice = |there: bool, problems: &mut Problems| {
            if there {
                problems.add(at, format!("`{piece}` is one too many"), "one of each kind");
            }
            !there
        };
        if let Some((key, name)) = piece.split_once('=') {
            let (key, name) = (key.trim(), name.trim());
            return match key {
                "group" => twice(metric.group.is_some(), problems) && self.group(metric, name, at, problems),
                "cause" => {
                    metric.cause = Some(name.to_owned());
                    self.entry(name, &[], at, problems)
                }
                "trigger" => {
                    metric.trigger = Some(name.to_owned());
                    self.entry(name, &TIMERS, at, problems)
                }
                other => {
                    let label = hint(other, &["group", "cause", "trigger"]);
                    problems.add(at, format!("there is no filter `{other}`"), label);
                    false
                }
            };
        }
        if let Some((from, until)) = piece.split_once("..") {
            if !twice(metric.window.is_some(), problems) {
                return false;
            }
            return match (Ms::from_str(from), Ms::from_str(until)) {
                (Ok(from), Ok(until)) if from < until => {
                    metric.window = Some((from, until));
                    true
                }
                (Ok(_), Ok(_)) => {
                    problems.add(at, "nothing is in this window", "write the earlier end first");
                    false
                }
                (Err(error), _) | (_, Err(error)) => {
                    problems.add(at, error.to_string(), "");
                    false
                }
            };
        }
        if !twice(metric.strategy.is_some(), problems) {
            return false;
        }
        metric.strategy = Some(piece.to_owned());
        let names: Vec<&str> = self.known.strategies.iter().map(String::as_str).collect();
        let there = names.contains(&piece) || self.known.any_strategy;
        if !there {
            problems.add(at, format!("no strategy of this scenario is called `{piece}`"), hint(piece, &names));
        }
        there
    }

    fn group(&self, metric: &mut MetricRef, name: &str, at: At, problems: &mut Problems) -> bool {
        let groups = &self.known.census.groups;
        let word = if is_glob(name) {
            Word::Glob(name.to_owned())
        } else if groups.is_family(name) {
            Word::Family(name.to_owned())
        } else {
            Word::Name(name.to_owned())
        };
        let there = match &word {
            Word::Glob(glob) => groups.matching(glob) > 0,
            Word::Family(_) => true,
            Word::Name(name) => groups.has(name),
        };
        let there = there || self.known.census.groups_wrong;
        if !there {
            problems.add(at, format!("no group is called `{name}`"), did_you_mean(name, &[groups]));
        }
        metric.group = Some(word);
        there
    }

    /// An entry of the history, a group (members of `groups:` join and expire by themselves), or a timer.
    fn entry(&self, name: &str, timers: &[&str], at: At, problems: &mut Problems) -> bool {
        let entries = self.known.entries.iter().map(String::as_str);
        let groups = &self.known.census.groups;
        let words: Vec<&str> = entries.chain(timers.iter().copied()).collect();
        let there = words.contains(&name) || self.known.any_entry || groups.has(name) || groups.is_family(name);
        if !there {
            problems.add(at, format!("no entry of the history is called `{name}`"), hint(name, &words));
        }
        there
    }
}
