//! Natural order of names: digits count as numbers, so `g2` comes before `g10`. Ids are dealt in this
//! order, so that a file's order moves nothing.

use std::cmp::Ordering;

/// Compares two names in natural order; where they are equal as numbers (`g2`, `g02`), by text.
#[must_use]
pub fn natural_cmp(a: &str, b: &str) -> Ordering {
    pieces(a, b).then_with(|| a.cmp(b))
}

fn pieces(a: &str, b: &str) -> Ordering {
    let (mut x, mut y) = (a.as_bytes(), b.as_bytes());
    while let (Some(&p), Some(&q)) = (x.first(), y.first()) {
        if p.is_ascii_digit() && q.is_ascii_digit() {
            let (m, n) = (digits(x), digits(y));
            let (u, v) = (trim(&x[..m]), trim(&y[..n]));
            let order = u.len().cmp(&v.len()).then_with(|| u.cmp(v));
            if order.is_ne() {
                return order;
            }
            (x, y) = (&x[m..], &y[n..]);
        } else if p != q {
            return p.cmp(&q);
        } else {
            (x, y) = (&x[1..], &y[1..]);
        }
    }
    x.len().cmp(&y.len())
}

fn digits(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|b| b.is_ascii_digit()).count()
}

fn trim(number: &[u8]) -> &[u8] {
    let zeros = number.iter().take_while(|b| **b == b'0').count();
    &number[zeros..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_inside_names_count_as_numbers() {
        let mut names = ["g10", "g2", "a", "g02", "g1-10", "g1-9", "g", "é"];
        names.sort_by(|a, b| natural_cmp(a, b));
        assert_eq!(names, ["a", "g", "g1-9", "g1-10", "g02", "g2", "g10", "é"]);
    }
}
