//! Single values: names, whole numbers, times, spans of both, yes or no, one of a few words.

use std::str::FromStr;

use super::super::Span;
use super::super::diagnostics::Problems;
use super::super::similar::hint;
use super::super::words::{no_name, reads_as};
use super::super::yaml::Node;
use crate::kafka::Version;
use crate::sim::Ms;

/// No time of a scenario is longer, so that no sum of them overflows: a hundred years.
pub(crate) const LONGEST: Ms = Ms(100 * 365 * 86_400_000);

/// The text of a single value.
pub(crate) fn word<'n>(node: &'n Node, what: &str, problems: &mut Problems) -> Option<&'n str> {
    match node.text() {
        Some(text) if !node.is_null() => Some(text),
        _ => {
            problems.add(node.at, format!("{what} is meant here, not {}", node.what()), "");
            None
        }
    }
}

/// A name of something (`noun` says of what), as it may be given or referred to.
pub(crate) fn name(node: &Node, noun: &str, problems: &mut Problems) -> Option<String> {
    let Some(text) = node.text() else {
        problems.add(node.at, format!("the name of {noun} is meant here, not {}", node.what()), "");
        return None;
    };
    check_name(text, is_plain(node), node.at, noun, problems).then(|| text.to_owned())
}

/// Is this a scalar that stands without quotes?
pub(crate) fn is_plain(node: &Node) -> bool {
    matches!(&node.kind, super::super::yaml::Kind::Scalar { plain: true, .. })
}

/// Holds a name against the rules for names.
pub(crate) fn check_name(
    text: &str,
    plain: bool,
    at: super::super::diagnostics::At,
    noun: &str,
    problems: &mut Problems,
) -> bool {
    if let (true, Some(other)) = (plain, reads_as(text)) {
        let message = format!("`{text}` is {other} to YAML, and the name of {noun} is meant here");
        problems.add(at, message, format!("write \"{text}\""));
        return false;
    }
    if let Some(why) = no_name(text) {
        problems.add(at, format!("`{text}` cannot be the name of {noun}"), why);
        return false;
    }
    true
}

/// A rack: a name, or nothing.
pub(crate) fn rack(node: &Node, problems: &mut Problems) -> Option<Option<String>> {
    if node.is_null() { Some(None) } else { name(node, "a rack", problems).map(Some) }
}

/// A whole number within bounds.
pub(crate) fn whole<T>(node: &Node, what: &str, low: T, high: T, problems: &mut Problems) -> Option<T>
where
    T: Copy + Ord + TryFrom<u64> + Into<u64>,
{
    let text = word(node, &format!("{what}, a whole number,"), problems)?;
    whole_text(text, node, what, low, high, problems)
}

fn whole_text<T>(text: &str, node: &Node, what: &str, low: T, high: T, problems: &mut Problems) -> Option<T>
where
    T: Copy + Ord + TryFrom<u64> + Into<u64>,
{
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let leading = text.len() > 1 && text.starts_with('0');
    if !digits || leading {
        let label = if digits { "without zeros in front" } else { "write it in digits only" };
        problems.add(node.at, format!("{what} is a whole number, not `{text}`"), label);
        return None;
    }
    let value = text.parse::<u64>().ok().and_then(|n| T::try_from(n).ok()).filter(|n| (low..=high).contains(n));
    if value.is_none() {
        let (low, high): (u64, u64) = (low.into(), high.into());
        let message = format!("{what} cannot be {text}");
        problems.add(node.at, message, format!("it is between {low} and {high}"));
    }
    value
}

/// A whole number, or `a..b`.
pub(crate) fn whole_span(node: &Node, what: &str, low: u32, high: u32, problems: &mut Problems) -> Option<Span<u32>> {
    let text = word(node, &format!("{what}, a whole number or `a..b`,"), problems)?;
    let Some((from, to)) = text.split_once("..") else {
        return whole_text(text, node, what, low, high, problems).map(Span::just);
    };
    let from = whole_text(from.trim(), node, what, low, high, problems);
    let to = whole_text(to.trim(), node, what, low, high, problems);
    ordered(from?, to?, node, problems)
}

/// A time with its unit.
pub(crate) fn time(node: &Node, what: &str, problems: &mut Problems) -> Option<Ms> {
    let text = word(node, &format!("{what}, a time,"), problems)?;
    time_text(text, node, what, problems)
}

fn time_text(text: &str, node: &Node, what: &str, problems: &mut Problems) -> Option<Ms> {
    match Ms::from_str(text) {
        Ok(time) if time <= LONGEST => Some(time),
        Ok(_) => {
            problems.add(node.at, format!("{what} cannot be {text}"), "a hundred years at most");
            None
        }
        Err(error) => {
            let error = error.to_string();
            let (message, label) = match error.split_once(": write") {
                Some((message, label)) => (message, format!("write{label}")),
                None => (error.as_str(), String::new()),
            };
            problems.add(node.at, message, label);
            None
        }
    }
}

/// A time of at least 1 ms.
pub(crate) fn some_time(node: &Node, what: &str, problems: &mut Problems) -> Option<Ms> {
    let time = time(node, what, problems)?;
    if time == Ms::ZERO {
        problems.add(node.at, format!("{what} cannot be 0"), "at least 1ms");
        return None;
    }
    Some(time)
}

/// A time, or `a..b`, both with units.
pub(crate) fn time_span(node: &Node, what: &str, problems: &mut Problems) -> Option<Span<Ms>> {
    let text = word(node, &format!("{what}, a time or `a..b`,"), problems)?;
    let Some((from, to)) = text.split_once("..") else {
        return time_text(text, node, what, problems).map(Span::just);
    };
    let from = time_text(from.trim(), node, what, problems);
    let to = time_text(to.trim(), node, what, problems);
    ordered(from?, to?, node, problems)
}

fn ordered<T: Copy + Ord>(lo: T, hi: T, node: &Node, problems: &mut Problems) -> Option<Span<T>> {
    if lo > hi {
        problems.add(node.at, "the first end is greater than the second", "write the smaller one first");
        return None;
    }
    Some(Span { lo, hi })
}

/// `true` or `false`; other words for them are refused, since YAMLs differ in them.
pub(crate) fn yes_no(node: &Node, what: &str, problems: &mut Problems) -> Option<bool> {
    let text = word(node, &format!("{what}, `true` or `false`,"), problems)?;
    match text {
        "true" | "True" | "TRUE" => Some(true),
        "false" | "False" | "FALSE" => Some(false),
        other => {
            problems.add(node.at, format!("{what} is true or false, not `{other}`"), "write `true` or `false`");
            None
        }
    }
}

/// One of a few words.
pub(crate) fn choice<T: Copy>(node: &Node, what: &str, words: &[(&str, T)], problems: &mut Problems) -> Option<T> {
    let names: Vec<&str> = words.iter().map(|(name, _)| *name).collect();
    let text = word(node, &format!("{what}, one of {},", names.join(", ")), problems)?;
    let found = words.iter().find(|(name, _)| *name == text).map(|(_, value)| *value);
    if found.is_none() {
        problems.add(node.at, format!("{what} cannot be `{text}`"), hint(text, &names));
    }
    found
}

/// A release.
pub(crate) fn version(node: &Node, problems: &mut Problems) -> Option<Version> {
    choice(node, "a version", &Version::ALL.map(|v| (v.name(), v)), problems)
}
