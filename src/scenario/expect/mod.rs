//! `expect:`: what has to hold in every run, `metric[strategy, filters] op expression`, on exact
//! fractions; and `baseline:`, the columns that a later run is held against.

mod baseline;
mod evaluate;
mod fraction;
mod metric;
mod parse;

pub(crate) use baseline::baseline;
pub use baseline::{HeldColumn, Tolerance};
pub use evaluate::Held;
pub use metric::{METRICS, MetricRef};

use super::diagnostics::Problems;
use super::read::Census;
use super::yaml::{Kind, Node};
use fraction::Fraction;

/// One expectation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// As written.
    pub text: String,
    left: Expr,
    op: Op,
    right: Expr,
    /// A metric without a strategy: it is to hold for each of these.
    each: Option<Vec<String>>,
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

/// Arithmetic on metrics.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Expr {
    Number(Fraction),
    Metric(Box<MetricRef>),
    Minus(Box<Expr>),
    Both(Box<Expr>, Sum, Box<Expr>),
}

/// An arithmetic operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sum {
    Plus,
    Minus,
    Times,
    Over,
}

/// What an expectation may speak of.
pub(crate) struct Known<'a> {
    pub(crate) strategies: Vec<String>,
    /// Some strategy could not be read, so that not all their names are known.
    pub(crate) any_strategy: bool,
    pub(crate) entries: Vec<String>,
    /// Likewise some entry, or the history comes from a file.
    pub(crate) any_entry: bool,
    pub(crate) census: &'a Census,
}

/// Reads `expect:`.
pub(crate) fn expectations(node: &Node, known: &Known<'_>, problems: &mut Problems) -> Vec<Expectation> {
    let single = [node.clone()];
    let items: &[Node] = match &node.kind {
        Kind::List(items) => items,
        Kind::Scalar { .. } if node.is_null() => &[],
        Kind::Scalar { .. } | Kind::Map(_) => &single,
    };
    items.iter().filter_map(|item| expectation(item, known, problems)).collect()
}

fn expectation(node: &Node, known: &Known<'_>, problems: &mut Problems) -> Option<Expectation> {
    let Some(text) = node.text().filter(|_| !node.is_null()) else {
        let message = format!("an expectation is one line of text, not {}", node.what());
        problems.add(node.at, message, "write `expect:` as a block list: `- rebalances == 0`, or quote the line");
        return None;
    };
    parse::expectation(text, node, known, problems)
}

#[cfg(test)]
mod tests;
