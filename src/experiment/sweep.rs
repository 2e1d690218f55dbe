//! A sweep as a plan: which points there are, what each is called, and which of their runs a part makes. A
//! point's id is a digest of everything that decides its rows, so that a finished one can be known again.

use std::path::Path;
use std::str::FromStr;

use rayon::prelude::*;

use crate::scenario::{Axis, Diagnostics, Expectation, Loaded, load};
use crate::sim::Digest;

use super::Way;
use super::estimate::estimate;

/// More units of work than this are refused.
pub const MAX_UNITS: u64 = 1_000_000;

/// All points of a sweep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The scenario's name.
    pub name: String,
    /// Paths of the axes, in the order written.
    pub axes: Vec<String>,
    /// The points: the last axis changes fastest, zipped ones go together at the place of the first of them.
    pub points: Vec<Point>,
}

/// One combination of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// A value for each axis, as written.
    pub values: Vec<String>,
    /// Digest of the resolved scenario, its seed included.
    pub id: String,
    /// Its seed.
    pub seed: u64,
    /// How many runs it has; one where it cannot be run at all.
    pub runs: u32,
    /// Why it cannot be run.
    pub wrong: Option<String>,
    /// Memory that one of its runs is estimated to need.
    pub bytes: u64,
    /// Processor time that all of its runs are estimated to take.
    pub cpu_ns: u64,
}

/// One run of a point: what is made and kept as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unit {
    /// Which point, from 0.
    pub point: usize,
    /// Which run, from 1.
    pub run: u32,
}

impl Plan {
    /// Plans the sweep of a scenario file that was read without its axes set.
    ///
    /// # Errors
    /// If it has too many points, or two that are the same.
    pub fn new(path: &Path, sets: &[String], base: &Loaded) -> Result<Plan, String> {
        let combinations = combinations(&base.sweep)?;
        let points: Vec<Point> = combinations
            .into_par_iter()
            .map(|values| match load(path, &point_sets(sets, &base.sweep, &values)) {
                Ok(loaded) => {
                    let estimate = estimate(&loaded.scenario, Way::Measured, keep_bumps(&loaded));
                    Point {
                        id: id_of(&loaded),
                        seed: loaded.scenario.seed,
                        runs: loaded.scenario.runs,
                        wrong: None,
                        bytes: estimate.bytes(1),
                        cpu_ns: estimate.cpu_ns(),
                        values,
                    }
                }
                Err(problems) => wrong(base, values, &problems),
            })
            .collect();
        let axes = base.sweep.iter().map(|axis| axis.path.clone()).collect();
        let plan = Plan { name: base.scenario.name.clone(), axes, points };
        plan.check()?;
        Ok(plan)
    }

    fn check(&self) -> Result<(), String> {
        let units: u64 = self.points.iter().map(|point| u64::from(point.runs)).sum();
        if units > MAX_UNITS {
            return Err(format!("this sweep has {units} runs, and at most {MAX_UNITS} are made"));
        }
        let mut by_id: Vec<(&str, usize)> =
            self.points.iter().enumerate().map(|(at, point)| (point.id.as_str(), at)).collect();
        by_id.sort_unstable();
        match by_id.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => Err(format!(
                "{} and {} are the same scenario; leave one of the values out",
                self.called(pair[0].1),
                self.called(pair[1].1)
            )),
            None => Ok(()),
        }
    }

    /// All runs of all points, in order.
    #[must_use]
    pub fn units(&self) -> Vec<Unit> {
        let of = |(point, p): (usize, &Point)| (1..=p.runs).map(move |run| Unit { point, run });
        self.points.iter().enumerate().flat_map(of).collect()
    }

    /// As messages call a point: `point 2 of 3 (topics.t.partitions=0)`.
    #[must_use]
    pub fn called(&self, point: usize) -> String {
        let (number, of) = (point + 1, self.points.len());
        let values: Vec<String> =
            self.axes.iter().zip(&self.points[point].values).map(|(axis, value)| format!("{axis}={value}")).collect();
        if values.is_empty() {
            format!("point {number} of {of}")
        } else {
            format!("point {number} of {of} ({})", values.join(", "))
        }
    }
}

/// Rebalances that a run of a sweep keeps one by one: none, unless what the scenario expects is about single ones.
#[must_use]
pub fn keep_bumps(loaded: &Loaded) -> u64 {
    if loaded.expectations.iter().any(Expectation::is_filtered) { u64::MAX } else { 0 }
}

/// What `--set` says for a point.
#[must_use]
pub fn point_sets(sets: &[String], axes: &[Axis], values: &[String]) -> Vec<String> {
    let of_axes = axes.iter().zip(values).map(|(axis, value)| format!("{}={value}", axis.path));
    sets.iter().cloned().chain(of_axes).collect()
}

/// The id of the point that a scenario is. A history that comes from a file counts with its text.
#[must_use]
pub fn id_of(loaded: &Loaded) -> String {
    let mut digest = Digest::new();
    digest.text(&loaded.essence());
    if let Some(file) = &loaded.history_from {
        digest.text(&std::fs::read_to_string(&file.path).unwrap_or_default());
    }
    digest.hex()
}

/// A point whose scenario cannot be read is known by what it was to be.
fn wrong(base: &Loaded, values: Vec<String>, problems: &Diagnostics) -> Point {
    let mut digest = Digest::new();
    digest.text("wrong");
    digest.text(&base.essence());
    base.sweep.iter().zip(&values).for_each(|(axis, value)| {
        digest.text(&axis.path);
        digest.text(value);
    });
    Point {
        id: digest.hex(),
        seed: base.scenario.seed,
        runs: 1,
        wrong: Some(problems.reason()),
        bytes: 0,
        cpu_ns: 0,
        values,
    }
}

/// Every combination of the axes' values.
fn combinations(axes: &[Axis]) -> Result<Vec<Vec<String>>, String> {
    // an axis of its own, or all the zipped ones at the place of the first
    let mut wheels: Vec<Vec<usize>> = Vec::new();
    let mut zip: Option<usize> = None;
    for (at, axis) in axes.iter().enumerate() {
        match zip.filter(|_| axis.zipped) {
            Some(wheel) => wheels[wheel].push(at),
            None => {
                if axis.zipped {
                    zip = Some(wheels.len());
                }
                wheels.push(vec![at]);
            }
        }
    }
    let turns: Vec<usize> = wheels.iter().map(|wheel| axes[wheel[0]].values.len()).collect();
    let total = turns.iter().try_fold(1_u64, |product, n| product.checked_mul(*n as u64));
    let total = total.filter(|n| *n <= MAX_UNITS).ok_or_else(|| {
        let factors: Vec<String> = turns.iter().map(usize::to_string).collect();
        format!("this sweep has {} points, and at most {MAX_UNITS} are made", factors.join(" × "))
    })?;
    let mut all = Vec::new();
    for number in 0..total {
        let mut rest = usize::try_from(number).unwrap_or(usize::MAX);
        let mut values = vec![String::new(); axes.len()];
        for (wheel, n) in wheels.iter().zip(&turns).rev() {
            for &at in wheel {
                values[at].clone_from(&axes[at].values[rest % n]);
            }
            rest /= n;
        }
        all.push(values);
    }
    Ok(all)
}

/// Which piece of a sweep: `2/4`, numbered from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Which, from 1.
    pub index: u32,
    /// Of how many.
    pub of: u32,
}

impl Part {
    /// The part's own units: every n-th, so that parts are alike in size and in kind.
    #[must_use]
    pub fn own(self, units: &[Unit]) -> Vec<Unit> {
        let (skip, step) = (self.index as usize - 1, self.of as usize);
        units.iter().copied().skip(skip).step_by(step).collect()
    }
}

impl FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> Result<Part, String> {
        let wrong = || format!("`{text}` is no part: write 2/4 for the second of four");
        let (index, of) = text.split_once('/').ok_or_else(wrong)?;
        let part = Part { index: index.parse().map_err(|_| wrong())?, of: of.parse().map_err(|_| wrong())? };
        if part.index == 0 || part.index > part.of || u64::from(part.of) > MAX_UNITS {
            return Err(format!("`{text}` is no part: they are numbered from 1 to {}", part.of));
        }
        Ok(part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::load_text;

    fn axis(path: &str, values: &[&str], zipped: bool) -> Axis {
        Axis { path: path.to_owned(), values: values.iter().map(|v| (*v).to_owned()).collect(), zipped }
    }

    #[test]
    fn axes_are_crossed_with_the_last_fastest_and_zipped_ones_go_in_step() {
        let axes = [axis("a", &["2", "10"], false), axis("b", &["x", "y"], true), axis("c", &["p", "q"], true)];
        let all: Vec<String> = combinations(&axes).unwrap().iter().map(|values| values.join(" ")).collect();
        assert_eq!(all, ["2 x p", "2 y q", "10 x p", "10 y q"]);
        assert_eq!(combinations(&[]).unwrap(), [Vec::<String>::new()], "no axis: one point");
        let wide: Vec<&str> = vec!["1"; 2000];
        let error = combinations(&[axis("a", &wide, false), axis("b", &wide, false)]).unwrap_err();
        assert_eq!(error, "this sweep has 2000 × 2000 points, and at most 1000000 are made");
    }

    #[test]
    fn parts_are_disjoint_and_together_everything_whatever_n_is() {
        let units: Vec<Unit> = (0..7).flat_map(|point| (1..=3).map(move |run| Unit { point, run })).collect();
        for of in 1..30 {
            let mut all: Vec<Unit> = (1..=of).flat_map(|index| Part { index, of }.own(&units)).collect();
            all.sort_unstable();
            assert_eq!(all, units, "{of}");
        }
        assert_eq!("2/4".parse(), Ok(Part { index: 2, of: 4 }));
        for wrong in ["", "2", "0/4", "5/4", "a/b", "1/0", "1/99999999"] {
            assert!(wrong.parse::<Part>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_id_depends_on_what_decides_the_rows_and_on_nothing_else() {
        let text = "topics: {t: {}}\ngroups: {g: {topics: [t]}}\nhistory: [{touch: {at: 1m, topic: t}}]\n";
        let id = |name: &str, text: &str, sets: &[&str]| {
            let sets: Vec<String> = sets.iter().map(|s| (*s).to_owned()).collect();
            id_of(&load_text(name, text, &sets).unwrap_or_else(|problems| panic!("{problems}")))
        };
        let plain = id("a", text, &[]);
        assert_eq!(plain, id("b", &format!("# another comment\n{text}"), &["runs=20", "baseline=[missed]"]));
        assert_eq!(plain, id("a", text, &["sweep={seed: [1, 2]}"]));
        assert_eq!(plain, id("a", text, &["seed=1"]), "a default that is written down");
        for set in
            ["seed=2", "groups.g.members=4", "history.touch.at=61s", "strategies=[kafka-4.1]", "expect=[missed == 0]"]
        {
            assert_ne!(plain, id("a", text, &[set]), "{set}");
        }
    }
}
