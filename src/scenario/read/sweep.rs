//! `sweep:`: which path takes which values. Here only read; a part of a sweep is a scenario with the
//! values set.

use super::super::diagnostics::Problems;
use super::super::yaml::{Kind, Node};
use super::scalars::{time, whole, word};
use crate::sim::Ms;

/// Points of one axis.
const MAX_POINTS: u64 = 100_000;

/// One axis of a sweep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// As in `--set path=value`.
    pub path: String,
    /// Its values, each as it is written after `--set path=`.
    pub values: Vec<String>,
}

/// Reads `sweep:`.
pub(crate) fn sweep(node: &Node, problems: &mut Problems) -> Vec<Axis> {
    if node.is_null() {
        return Vec::new();
    }
    let Kind::Map(entries) = &node.kind else {
        let label = "write `{groups.g.count: [1, 10, 100]}`";
        problems.add(node.at, format!("sweep is a map from path to values, not {}", node.what()), label);
        return Vec::new();
    };
    let axis = |(key, node): &(super::super::yaml::Key, Node)| {
        Some(Axis { path: key.text.clone(), values: values(node, problems)? })
    };
    entries.iter().filter_map(axis).collect()
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
    let part = |text: &str| Node::quoted(node.at, text.trim());
    let numbers = [low, high, step].iter().all(|text| text.trim().bytes().all(|b| b.is_ascii_digit()));
    let mut read = |text: &str| match numbers {
        true => whole(&part(text), "an end of the range", 0, u64::MAX / 2, problems),
        false => time(&part(text), "an end of the range", problems).map(|time| time.0),
    };
    let (low, high, step) = (read(low)?, read(high)?, read(step)?);
    if low > high || step == 0 || (high - low) / step >= MAX_POINTS {
        let label = format!("from low to high, in 1 to {MAX_POINTS} steps");
        problems.add(node.at, format!("`{text}` has no points"), label);
        return None;
    }
    let show = |value: u64| if numbers { value.to_string() } else { Ms(value).to_string() };
    Some((0..=(high - low) / step).map(|i| show(low + i * step)).collect())
}
