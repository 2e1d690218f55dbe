//! The points of a sweep, from points.csv: which values of its axes each has. Its first columns are `point, run, seed,
//! status, reason`; each one after them is an axis.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::report::files::ReadError;
use crate::sim::{Ms, natural_cmp};

/// Columns before the axes.
const KEYS: [&str; 5] = ["point", "run", "seed", "status", "reason"];

/// A sweep's axes and points.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sweep {
    /// Names of the axes, as paths.
    pub(super) axes: Vec<String>,
    /// By point: its value on each axis.
    pub(super) points: BTreeMap<String, Vec<String>>,
}

/// The values of an axis in order, and how they are placed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Places {
    /// Whole numbers.
    Numbers(Vec<u64>),
    /// Times, in milliseconds.
    Times(Vec<u64>),
    /// Anything else: side by side.
    Words(Vec<String>),
}

impl Sweep {
    /// Reads the file.
    ///
    /// # Errors
    /// If it is not as a sweep writes it.
    pub(super) fn read(folder: &Path) -> Result<Sweep, ReadError> {
        let path = folder.join("points.csv");
        let wrong = |what: String| ReadError::new(format!("{}: {what}; make the sweep again", path.display()));
        let text = fs::read_to_string(&path).map_err(|e| wrong(e.to_string()))?;
        if !text.ends_with('\n') {
            return Err(wrong("it is cut short in its last line".to_owned()));
        }
        let mut csv = csv::Reader::from_reader(text.as_bytes());
        let head: Vec<String> = csv.headers().map_err(|e| wrong(e.to_string()))?.iter().map(str::to_owned).collect();
        if !head.iter().map(String::as_str).take(KEYS.len()).eq(KEYS) || head.len() == KEYS.len() {
            return Err(wrong(format!(
                "expected the columns {} and one for each axis, found {}",
                KEYS.join(", "),
                head.join(", ")
            )));
        }
        let mut points = BTreeMap::new();
        for row in csv.records() {
            let row = row.map_err(|e| wrong(e.to_string()))?;
            let values = row.iter().skip(KEYS.len()).map(str::to_owned).collect();
            points.insert(row.get(0).unwrap_or("").to_owned(), values);
        }
        Ok(Sweep { axes: head[KEYS.len()..].to_vec(), points })
    }

    /// An axis's values, each once, sorted as what they are.
    pub(super) fn values(&self, axis: usize) -> Vec<String> {
        let mut values: Vec<String> = self.points.values().map(|v| v[axis].clone()).collect();
        values.sort_by(|a, b| match (size(a), size(b)) {
            (Some(a), Some(b)) => a.cmp(&b),
            _ => natural_cmp(a, b),
        });
        values.dedup();
        values
    }

    /// How the values of an axis are placed.
    pub(super) fn places(&self, axis: usize) -> Places {
        let values = self.values(axis);
        let numbers: Option<Vec<u64>> = values.iter().map(|v| v.replace('_', "").parse().ok()).collect();
        let times: Option<Vec<u64>> = values.iter().map(|v| Some(v.parse::<Ms>().ok()?.0)).collect();
        match (numbers, times) {
            (Some(numbers), _) => Places::Numbers(numbers),
            (None, Some(times)) => Places::Times(times),
            (None, None) => Places::Words(values),
        }
    }
}

/// A number, or a time in milliseconds.
fn size(value: &str) -> Option<u64> {
    value.replace('_', "").parse().ok().or_else(|| Some(value.parse::<Ms>().ok()?.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Sweep, String> {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("points.csv"), text).unwrap();
        Sweep::read(home.path()).map_err(|e| e.to_string())
    }

    #[test]
    fn axes_are_what_stands_behind_the_keys_and_their_values_sort_as_what_they_are() {
        let sweep = read(
            "point,run,seed,status,reason,groups.g.count,history.roll.gap,strategies\n1,1,1,ok,,1000,15m,b\n2,1,1,ok,,9,90s,a\n2,2,1,ok,,9,90s,a\n",
        )
        .unwrap();
        assert_eq!(sweep.axes, ["groups.g.count", "history.roll.gap", "strategies"]);
        assert_eq!(sweep.places(0), Places::Numbers(vec![9, 1000]));
        assert_eq!(sweep.places(1), Places::Times(vec![90_000, 900_000]));
        assert_eq!(sweep.places(2), Places::Words(vec!["a".into(), "b".into()]));
        assert_eq!(sweep.points.len(), 2);
    }

    #[test]
    fn a_foreign_file_is_named_with_what_was_expected() {
        let error = read("a,b\n1,2\n").unwrap_err();
        assert!(error.contains("points.csv: expected the columns point, run, seed, status, reason and one"), "{error}");
        assert!(read("point,run,seed,status,reason,x\n1,1").unwrap_err().contains("cut short"));
    }
}
