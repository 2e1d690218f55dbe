//! `sweep:`: which path takes which values. Here only read; a point of a sweep is a scenario with the
//! values set.

use super::super::diagnostics::Problems;
use super::super::yaml::{Key, Kind, Node};
use super::scalars::{time, word};
use crate::sim::Ms;

/// Points of one axis.
const MAX_POINTS: u64 = 100_000;

/// The key under which axes go in step. It is no path, since no scenario has such a key at its top.
pub(crate) const ZIP: &str = "zip";

/// Digits after the point that a range may have.
const MAX_DECIMALS: usize = 9;

/// One axis of a sweep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// As in `--set path=value`.
    pub path: String,
    /// Its values, each as it is written after `--set path=`.
    pub values: Vec<String>,
    /// It goes in step with the other zipped ones, instead of being crossed with them.
    pub zipped: bool,
}

/// The axes as they are written: path, values, and whether they stand under `zip:`.
pub(crate) fn written_axes(node: &Node) -> Vec<(&Key, &Node, bool)> {
    let Kind::Map(entries) = &node.kind else { return Vec::new() };
    let mut axes = Vec::new();
    for (key, values) in entries {
        match &values.kind {
            Kind::Map(zipped) if key.text == ZIP => axes.extend(zipped.iter().map(|(key, values)| (key, values, true))),
            _ => axes.push((key, values, false)),
        }
    }
    axes
}

/// Reads `sweep:`.
pub(crate) fn sweep(node: &Node, problems: &mut Problems) -> Vec<Axis> {
    if node.is_null() {
        return Vec::new();
    }
    if !matches!(node.kind, Kind::Map(_)) {
        let label = "write `{groups.g.count: [1, 10, 100]}`";
        problems.add(node.at, format!("sweep is a map from path to values, not {}", node.what()), label);
        return Vec::new();
    }
    let mut axes: Vec<Axis> = Vec::new();
    let mut in_step: Option<usize> = None;
    for (key, node, zipped) in written_axes(node) {
        let Some(values) = values(node, problems) else { continue };
        if zipped && *in_step.get_or_insert(values.len()) != values.len() {
            let first = axes.iter().find(|axis| axis.zipped).map_or("", |axis| axis.path.as_str());
            let label = format!("`{first}` has {}, and axes under zip: go in step", in_step.unwrap_or(0));
            problems.add(node.at, format!("this axis has {} values", values.len()), label);
        }
        if axes.iter().any(|axis| axis.path == key.text) {
            problems.add(key.at, format!("there are two axes `{}`", key.text), "leave one out");
        }
        axes.push(Axis { path: key.text.clone(), values, zipped });
    }
    axes
}

fn values(node: &Node, problems: &mut Problems) -> Option<Vec<String>> {
    if let Kind::List(items) = &node.kind {
        if items.is_empty() {
            problems.add(node.at, "this axis has no values", "list some");
            return None;
        }
        return Some(items.iter().map(|item| super::super::yaml::emit(item).trim_end().to_owned()).collect());
    }
    let text = word(node, "a list of values, or `a..b step c`", problems)?;
    let Some((range, step)) = text.split_once(" step ") else {
        problems.add(node.at, format!("`{text}` is no axis"), "write `[1, 10, 100]` or `10s..60s step 10s`");
        return None;
    };
    let Some((low, high)) = range.split_once("..") else {
        problems.add(node.at, format!("`{range}` is no range"), "write `10s..60s step 10s`");
        return None;
    };
    let texts = [low, high, step].map(str::trim);
    let decimals = texts.map(decimals);
    let numbers = match decimals {
        [Some(a), Some(b), Some(c)] => Some(a.max(b).max(c)),
        _ => None,
    };
    let mut read = |text: &str| match numbers {
        Some(scale) => scaled(text, scale).or_else(|| {
            problems.add(node.at, format!("`{text}` is too large a number"), "");
            None
        }),
        None => time(&Node::quoted(node.at, text), "an end of the range", problems).map(|time| time.0),
    };
    let (low, high, step) = (read(texts[0])?, read(texts[1])?, read(texts[2])?);
    if low > high || step == 0 || (high - low) / step >= MAX_POINTS {
        let label = format!("from low to high, in 1 to {MAX_POINTS} steps");
        problems.add(node.at, format!("`{text}` has no points"), label);
        return None;
    }
    let show = |value: u64| numbers.map_or_else(|| Ms(value).to_string(), |scale| unscaled(value, scale));
    Some((0..=(high - low) / step).map(|i| show(low + i * step)).collect())
}

/// How many digits a number has after its point; `None`: it is no number.
fn decimals(text: &str) -> Option<usize> {
    let (whole, part) = text.split_once('.').map_or((text, None), |(whole, part)| (whole, Some(part)));
    let digits = |t: &str| !t.is_empty() && t.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) {
        return None;
    }
    part.map_or(Some(0), |part| (digits(part) && part.len() <= MAX_DECIMALS).then_some(part.len()))
}

/// A decimal number as a count of its last digit, so that steps add up exactly.
fn scaled(text: &str, scale: usize) -> Option<u64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    format!("{whole}{part:0<scale$}").parse().ok().filter(|n| *n <= u64::MAX / 2)
}

fn unscaled(value: u64, scale: usize) -> String {
    let digits = format!("{value:0>width$}", width = scale + 1);
    let (whole, part) = digits.split_at(digits.len() - scale);
    let part = part.trim_end_matches('0');
    if part.is_empty() { whole.to_owned() } else { format!("{whole}.{part}") }
}

#[cfg(test)]
mod tests {
    use super::super::super::diagnostics::At;
    use super::*;

    fn points(text: &str) -> Vec<String> {
        let mut problems = Problems::default();
        let found = values(&Node::quoted(At::new(0, 0..0), text), &mut problems);
        found.unwrap_or_else(|| panic!("{text}: {:?}", problems.list))
    }

    #[test]
    fn c71_a_range_keeps_its_last_point_and_shows_it_as_it_would_be_written() {
        assert_eq!(points("0..0.3 step 0.1"), ["0", "0.1", "0.2", "0.3"]);
        assert_eq!(points("1..10 step 3"), ["1", "4", "7", "10"]);
        assert_eq!(points("1..11 step 3"), ["1", "4", "7", "10"]);
        assert_eq!(points("0.5..2 step 0.25"), ["0.5", "0.75", "1", "1.25", "1.5", "1.75", "2"]);
        assert_eq!(points("10s..1m step 25s"), ["10s", "35s", "1m"]);
        // the sums that lose a point, or show a tail of digits, in floating point
        let many = points("0..0.3 step 0.00001");
        assert_eq!((many.len() - 1, many.last().map(String::as_str)), (30_000, Some("0.3")));
    }
}
