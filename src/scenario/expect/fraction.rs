//! Exact fractions of 128-bit integers; what does not fit is no number.

use std::cmp::Ordering;
use std::fmt;

/// Numerator and a positive denominator, without a common factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fraction {
    above: i128,
    below: i128,
}

impl Fraction {
    pub(super) fn whole(n: i128) -> Fraction {
        Fraction { above: n, below: 1 }
    }

    /// `None` with nothing below, or where it does not fit.
    pub(super) fn new(above: i128, below: i128) -> Option<Fraction> {
        if below == 0 {
            return None;
        }
        let factor = i128::try_from(gcd(above.unsigned_abs(), below.unsigned_abs())).ok()?.max(1);
        let (above, below) = (above.checked_div(factor)?, below.checked_div(factor)?);
        if below < 0 {
            return Some(Fraction { above: above.checked_neg()?, below: below.checked_neg()? });
        }
        Some(Fraction { above, below })
    }

    pub(super) fn is_zero(self) -> bool {
        self.above == 0
    }

    pub(super) fn minus(self) -> Option<Fraction> {
        Some(Fraction { above: self.above.checked_neg()?, below: self.below })
    }

    pub(super) fn add(self, other: Fraction) -> Option<Fraction> {
        let above = self.above.checked_mul(other.below)?.checked_add(other.above.checked_mul(self.below)?)?;
        Fraction::new(above, self.below.checked_mul(other.below)?)
    }

    pub(super) fn mul(self, other: Fraction) -> Option<Fraction> {
        // across first, so that less overflows
        let (a, b) = (Fraction::new(self.above, other.below)?, Fraction::new(other.above, self.below)?);
        Fraction::new(a.above.checked_mul(b.above)?, a.below.checked_mul(b.below)?)
    }

    pub(super) fn div(self, other: Fraction) -> Option<Fraction> {
        self.mul(Fraction::new(other.below, other.above)?)
    }

    pub(super) fn compare(self, other: Fraction) -> Option<Ordering> {
        let (a, b) = (self.above.checked_mul(other.below)?, other.above.checked_mul(self.below)?);
        Some(a.cmp(&b))
    }
}

/// `7`, or `7/3 (about 2.333)`.
impl fmt::Display for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.below == 1 {
            return write!(f, "{}", self.above);
        }
        let sign = if self.above < 0 { "-" } else { "" };
        let (whole, rest) = (
            self.above.unsigned_abs() / self.below.unsigned_abs(),
            self.above.unsigned_abs() % self.below.unsigned_abs(),
        );
        match rest.checked_mul(1000) {
            Some(rest) => {
                let thousandths = rest / self.below.unsigned_abs();
                write!(f, "{}/{} (about {sign}{whole}.{thousandths:03})", self.above, self.below)
            }
            None => write!(f, "{}/{}", self.above, self.below),
        }
    }
}

fn gcd(a: u128, b: u128) -> u128 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
