//! A member's assignment as a table has it: `orders:0,1;clicks:2` since 4.1, `orders(0,1), clicks(2)` before. 3.9
//! forgets the names: `(0,1), (2)`.

use std::sync::LazyLock;

use regex::Regex;

static OLD: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^([A-Za-z0-9._-]*)\((\d+(?:,\d+)*)\)(?:, ?|$)").expect("it is one"));

/// A topic's partitions; the name is empty where the tool left it out.
pub(super) type Assigned<'t> = Vec<(&'t str, Vec<u32>)>;

/// Reads a cell; nothing where it is no assignment.
pub(super) fn assignment(cell: &str) -> Option<Assigned<'_>> {
    if cell.is_empty() || cell == "-" {
        return Some(Vec::new());
    }
    if cell.contains('(') { old(cell) } else { new(cell) }
}

fn new(cell: &str) -> Option<Assigned<'_>> {
    cell.split(';').map(|part| part.rsplit_once(':')).map(|part| Some((part?.0, numbers(part?.1)?))).collect()
}

fn old(mut cell: &str) -> Option<Assigned<'_>> {
    let mut all = Vec::new();
    while !cell.is_empty() {
        let found = OLD.captures(cell)?;
        let (_, [name, list]) = found.extract();
        all.push((name, numbers(list)?));
        cell = &cell[found[0].len()..];
    }
    Some(all)
}

/// At least one number.
fn numbers(list: &str) -> Option<Vec<u32>> {
    list.split(',').map(|n| n.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_release_s_way_is_read() {
        let two = Some(vec![("orders", vec![0, 1]), ("pay.v-1_x", vec![2])]);
        assert_eq!(assignment("orders:0,1;pay.v-1_x:2"), two);
        assert_eq!(assignment("orders(0,1), pay.v-1_x(2)"), two);
        assert_eq!(assignment("(0,1), (2)"), Some(vec![("", vec![0, 1]), ("", vec![2])]));
        assert_eq!(assignment("-"), Some(vec![]));
    }

    #[test]
    fn what_is_cut_is_none() {
        for cell in ["orders:0,1;pay", "orders:0,", "orders(0,1), pay(2", "orders(0,1), pay", "orders", "orders:0,x"] {
            assert_eq!(assignment(cell), None, "{cell}");
        }
    }
}
