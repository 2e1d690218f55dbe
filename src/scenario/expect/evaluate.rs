//! Does an expectation hold?

use std::cmp::Ordering;

use super::{Expectation, Expr, Fraction, MetricRef, Op, Sum};

/// The answer. Neither `Broken` nor `Undefined` is fine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Held {
    /// It holds.
    Held,
    /// It does not: both sides as numbers, and for which strategy, if the expectation names none.
    Broken {
        /// The first strategy for which it does not.
        strategy: Option<String>,
        /// What the left side comes to.
        left: String,
        /// What the right side comes to.
        right: String,
    },
    /// It has no value, such as a division by zero; counts as broken.
    Undefined {
        /// The first strategy for which it has none.
        strategy: Option<String>,
        /// Why not.
        why: String,
    },
}

impl Held {
    /// Is it fine?
    #[must_use]
    pub fn is_held(&self) -> bool {
        *self == Held::Held
    }
}

impl Expectation {
    /// Does it filter any metric? Then single rebalances are needed to evaluate it.
    #[must_use]
    pub fn is_filtered(&self) -> bool {
        filtered(&self.left) || filtered(&self.right)
    }

    /// Evaluates it. `lookup` gives the value of a metric of one strategy, `None` for an empty cell.
    pub fn evaluate(&self, lookup: &dyn Fn(&MetricRef) -> Option<i128>) -> Held {
        let Some(each) = &self.each else { return self.once(None, lookup) };
        let answers = each.iter().map(|strategy| self.once(Some(strategy), lookup));
        answers.into_iter().find(|held| !held.is_held()).unwrap_or(Held::Held)
    }

    fn once(&self, strategy: Option<&str>, lookup: &dyn Fn(&MetricRef) -> Option<i128>) -> Held {
        let named = strategy.map(str::to_owned);
        let sides = value(&self.left, strategy, lookup).and_then(|l| Ok((l, value(&self.right, strategy, lookup)?)));
        let (left, right) = match sides {
            Ok(sides) => sides,
            Err(why) => return Held::Undefined { strategy: named, why },
        };
        let Some(order) = left.compare(right) else {
            return Held::Undefined { strategy: named, why: "the numbers are too large".to_owned() };
        };
        let holds = match self.op {
            Op::Equal => order == Ordering::Equal,
            Op::Unequal => order != Ordering::Equal,
            Op::Less => order == Ordering::Less,
            Op::AtMost => order != Ordering::Greater,
            Op::Greater => order == Ordering::Greater,
            Op::AtLeast => order != Ordering::Less,
        };
        if holds {
            return Held::Held;
        }
        Held::Broken { strategy: named, left: left.to_string(), right: right.to_string() }
    }
}

fn filtered(expr: &Expr) -> bool {
    match expr {
        Expr::Number(_) => false,
        Expr::Metric(metric) => !metric.is_whole(),
        Expr::Minus(inner) => filtered(inner),
        Expr::Both(left, _, right) => filtered(left) || filtered(right),
    }
}

fn value(expr: &Expr, strategy: Option<&str>, lookup: &dyn Fn(&MetricRef) -> Option<i128>) -> Result<Fraction, String> {
    let large = || "the numbers are too large".to_owned();
    match expr {
        Expr::Number(number) => Ok(*number),
        Expr::Minus(inner) => value(inner, strategy, lookup)?.minus().ok_or_else(large),
        Expr::Metric(metric) => {
            let mut metric = (**metric).clone();
            if metric.strategy.is_none() {
                metric.strategy = strategy.map(str::to_owned);
            }
            lookup(&metric).map(Fraction::whole).ok_or_else(|| format!("{metric} is an empty cell"))
        }
        Expr::Both(left, sum, right) => {
            let (l, r) = (value(left, strategy, lookup)?, value(right, strategy, lookup)?);
            match sum {
                Sum::Plus => l.add(r).ok_or_else(large),
                Sum::Minus => r.minus().and_then(|r| l.add(r)).ok_or_else(large),
                Sum::Times => l.mul(r).ok_or_else(large),
                Sum::Over if r.is_zero() => Err(format!("{l} is divided by zero")),
                Sum::Over => l.div(r).ok_or_else(large),
            }
        }
    }
}
