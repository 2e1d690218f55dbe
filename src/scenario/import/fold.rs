//! Families: names that count from 1 without a gap and have the same to say become one line with `count:`. All that a
//! run draws, it draws by the single names, which a family has too, so that nothing comes out otherwise.

use std::collections::{BTreeMap, BTreeSet};

use super::super::words::no_name;
use crate::sim::natural_cmp;

/// From so many on a family is the shorter way.
const SMALLEST: u32 = 3;

/// A line of a list of named things.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Folded<'a, T> {
    pub(super) name: &'a str,
    /// How many, if it is a family.
    pub(super) count: Option<u32>,
    pub(super) what: &'a T,
}

/// Folds what is the same by the given order of names; comes out in natural order. `taken` holds names that a family
/// must not have, since it would be meant where they stand.
pub(super) fn fold<'a, T: PartialEq>(
    things: impl Iterator<Item = (&'a str, &'a T)>,
    taken: &BTreeSet<&str>,
) -> Vec<Folded<'a, T>> {
    let all: BTreeMap<&str, &T> = things.collect();
    let families = families(&all, taken);
    let in_family = |name: &str| {
        numbered(name).is_some_and(|(base, number)| families.get(base).is_some_and(|count| number <= *count))
    };
    let singles = all.iter().filter(|(name, _)| !in_family(name));
    let mut lines: Vec<Folded<'a, T>> = singles.map(|(name, what)| Folded { name, count: None, what: *what }).collect();
    for (base, count) in &families {
        let first = all.get_key_value(format!("{base}-1").as_str());
        lines.extend(first.map(|(_, what)| Folded { name: base, count: Some(*count), what: *what }));
    }
    lines.sort_by(|a, b| natural_cmp(a.name, b.name));
    lines
}

/// The families there are, with how many belong to each.
fn families<'a, T: PartialEq>(all: &BTreeMap<&'a str, &'a T>, taken: &BTreeSet<&str>) -> BTreeMap<&'a str, u32> {
    let mut by_base: BTreeMap<&str, BTreeMap<u32, &T>> = BTreeMap::new();
    for (name, what) in all {
        if let Some((base, number)) = numbered(name) {
            by_base.entry(base).or_default().insert(number, what);
        }
    }
    let mut families = BTreeMap::new();
    for (base, members) in by_base {
        let free = !all.contains_key(base) && !taken.contains(base) && no_name(base).is_none();
        let Some(first) = members.get(&1).filter(|_| free) else { continue };
        let alike = (1u32..).zip(&members).take_while(|(want, (number, what))| want == *number && **what == *first);
        let count = u32::try_from(alike.count()).unwrap_or(u32::MAX);
        if count >= SMALLEST {
            families.insert(base, count);
        }
    }
    families
}

/// `name-7` as a family's name and a number; written as a family would write it.
fn numbered(name: &str) -> Option<(&str, u32)> {
    let (base, digits) = name.rsplit_once('-')?;
    let number: u32 = digits.parse().ok()?;
    (number > 0 && number.to_string() == digits).then_some((base, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(things: &[(&'static str, u8)], taken: &[&str]) -> Vec<String> {
        let lines = fold(things.iter().map(|(name, what)| (*name, what)), &taken.iter().copied().collect());
        lines
            .iter()
            .map(|l| format!("{}{}={}", l.name, l.count.map_or(String::new(), |n| format!("×{n}")), l.what))
            .collect()
    }

    #[test]
    fn what_is_the_same_and_counts_from_1_is_folded() {
        let things = [("g-1", 7), ("g-2", 7), ("g-3", 7), ("g-4", 8), ("g-10", 7), ("h-1", 7), ("h-2", 7), ("x", 7)];
        assert_eq!(folded(&things, &[]), ["g×3=7", "g-4=8", "g-10=7", "h-1=7", "h-2=7", "x=7"]);
    }

    #[test]
    fn a_family_whose_name_means_something_else_is_not_folded() {
        let three = [("g-1", 7), ("g-2", 7), ("g-3", 7)];
        assert_eq!(folded(&three, &["g"]), ["g-1=7", "g-2=7", "g-3=7"]);
        assert_eq!(folded(&[&three[..], &[("g", 7)]].concat(), &[]), ["g=7", "g-1=7", "g-2=7", "g-3=7"]);
        assert_eq!(folded(&[("all-1", 7), ("all-2", 7), ("all-3", 7)], &[]), ["all-1=7", "all-2=7", "all-3=7"]);
    }

    #[test]
    fn other_ways_to_write_a_number_make_no_family() {
        assert_eq!(folded(&[("g-01", 7), ("g-02", 7), ("g-03", 7)], &[]), ["g-01=7", "g-02=7", "g-03=7"]);
        assert_eq!(folded(&[("g-0", 7), ("g-1", 7), ("g-2", 7)], &[]), ["g-0=7", "g-1=7", "g-2=7"]);
        assert_eq!(folded(&[("g-2", 7), ("g-3", 7), ("g-4", 7)], &[]), ["g-2=7", "g-3=7", "g-4=7"]);
    }
}
