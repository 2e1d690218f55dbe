//! summary.csv: what the runs of a point come to. Strategies share each run's history, so that the difference of
//! two is taken run by run, and its interval is that of the differences.

use serde::{Deserialize, Serialize};

use crate::report::files::{Cells, Text};
use crate::scenario::METRICS;

use super::student::t_975;

/// A row of summary.csv, less the values of the axes. Figures have four decimals; what is undefined is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "docs/files.md says what each column is")]
pub struct SummaryRow<'a> {
    pub point: Text<'a>,
    pub strategy: Text<'a>,
    pub against: Text<'a>,
    pub column: Text<'a>,
    pub runs: u32,
    pub mean: String,
    pub sd: String,
    pub low: String,
    pub high: String,
    pub min: i128,
    pub max: i128,
}

/// What some values come to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stats {
    /// How many there are.
    pub runs: u32,
    /// Their mean.
    pub mean: f64,
    /// Standard deviation (with n − 1) and half the width of the 95 % interval; absent with one value.
    pub spread: Option<(f64, f64)>,
    /// The smallest.
    pub min: i128,
    /// The largest.
    pub max: i128,
}

/// Mean, spread and ends; `None` of nothing. `t` gives Student's quantile for degrees of freedom.
#[must_use]
#[allow(clippy::cast_precision_loss, reason = "the one step from exact sums to figures for people")]
pub fn stats(values: &[i128], t: &mut impl FnMut(u32) -> f64) -> Option<Stats> {
    let (min, max) = (*values.iter().min()?, *values.iter().max()?);
    let runs = u32::try_from(values.len()).unwrap_or(u32::MAX);
    // sums of whole numbers from the smallest on: exact, in any order
    let n = i128::from(runs);
    let sum: i128 = values.iter().map(|v| v - min).sum();
    let mean = min as f64 + sum as f64 / f64::from(runs);
    let spread = (runs > 1).then(|| {
        let squares = values.iter().try_fold(0_i128, |all, v| (v - min).checked_mul(v - min)?.checked_add(all));
        let above = squares.and_then(|s| s.checked_mul(n)?.checked_sub(sum.checked_mul(sum)?));
        // beyond what 128 bits hold, the rounding of floating point is far below what is shown
        let above = above.map_or_else(
            || {
                let of = |v: &i128| (*v - min) as f64 - sum as f64 / f64::from(runs);
                values.iter().fold(0.0, |all, v| all + of(v) * of(v)) * f64::from(runs)
            },
            |exact| exact as f64,
        );
        let sd = (above / (f64::from(runs) * f64::from(runs - 1))).sqrt();
        (sd, t(runs - 1) * sd / f64::from(runs).sqrt())
    });
    Some(Stats { runs, mean, spread, min, max })
}

/// All rows of one point, from its rows of outcomes.csv: every column of every strategy, then every difference of two
/// strategies (the later one less the earlier one).
#[must_use]
pub fn summary(point: &str, outcomes: &Cells) -> Vec<SummaryRow<'static>> {
    let mut known: Option<(u32, f64)> = None;
    let mut t = |freedom: u32| match known {
        Some((of, t)) if of == freedom => t,
        _ => known.insert((freedom, t_975(freedom))).1,
    };
    let mut strategies: Vec<&str> = Vec::new();
    for row in &outcomes.rows {
        let name = outcomes.cell(row, "strategy");
        if !strategies.contains(&name) {
            strategies.push(name);
        }
    }
    let mut rows = Vec::new();
    let mut add = |strategy: &str, against: &str, column: &str, values: &[i128]| {
        let Some(stats) = stats(values, &mut t) else { return };
        let spread =
            |pick: fn((f64, f64), f64) -> f64| stats.spread.map_or(String::new(), |s| fixed(pick(s, stats.mean)));
        rows.push(SummaryRow {
            point: point.to_owned().into(),
            strategy: strategy.to_owned().into(),
            against: against.to_owned().into(),
            column: column.to_owned().into(),
            runs: stats.runs,
            mean: fixed(stats.mean),
            sd: spread(|(sd, _), _| sd),
            low: spread(|(_, half), mean| mean - half),
            high: spread(|(_, half), mean| mean + half),
            min: stats.min,
            max: stats.max,
        });
    };
    for (at, strategy) in strategies.iter().enumerate() {
        for column in METRICS {
            let own = values(outcomes, strategy, column);
            add(strategy, "", column, &own.iter().map(|(_, value)| *value).collect::<Vec<_>>());
        }
        for against in &strategies[..at] {
            for column in METRICS {
                let (own, other) = (values(outcomes, strategy, column), values(outcomes, against, column));
                let pair = |(run, value): &(u64, i128)| {
                    other.iter().find(|(other, _)| other == run).map(|(_, before)| value - before)
                };
                add(strategy, against, column, &own.iter().filter_map(pair).collect::<Vec<_>>());
            }
        }
    }
    rows
}

/// A strategy's cells of a column with their runs; empty cells are no values.
fn values(outcomes: &Cells, strategy: &str, column: &str) -> Vec<(u64, i128)> {
    let (Some(run), Some(name), Some(at)) =
        (outcomes.column("run"), outcomes.column("strategy"), outcomes.column(column))
    else {
        return Vec::new();
    };
    let own = outcomes.rows.iter().filter(|row| row[name] == strategy);
    own.filter_map(|row| Some((row[run].parse().ok()?, row[at].parse().ok()?))).collect()
}

/// Four decimals, and no minus before nothing.
fn fixed(value: f64) -> String {
    let text = format!("{value:.4}");
    if text == "-0.0000" { "0.0000".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[i128]) -> Stats {
        stats(values, &mut t_975).unwrap()
    }

    #[test]
    fn mean_deviation_and_interval_are_those_of_a_worked_example() {
        // 2 4 4 4 5 5 7 9: mean 5, sum of squares 32, sd √(32/7); t of 7 is 2.3646
        let s = of(&[2, 4, 4, 4, 5, 5, 7, 9]);
        let (sd, half) = s.spread.unwrap();
        assert_eq!((s.runs, fixed(s.mean), fixed(sd), s.min, s.max), (8, "5.0000".into(), "2.1381".into(), 2, 9));
        assert!((half - 2.3646 * sd / 8_f64.sqrt()).abs() < 1e-4);
        let shifted = of(&[2, 4, 4, 4, 5, 5, 7, 9].map(|v: i128| v - 1_000_000_000_000));
        assert_eq!(shifted.spread, s.spread, "what is added to all moves no spread");
        assert_eq!(of(&[7]).spread, None);
        assert_eq!(of(&[3, 3]).spread, Some((0.0, 0.0)));
        assert!(stats(&[], &mut t_975).is_none());
        let huge = of(&[0, i128::from(u64::MAX), 0, i128::from(u64::MAX)]);
        assert!((huge.spread.unwrap().0 / 1.065e19 - 1.0).abs() < 1e-3);
    }

    #[test]
    fn differences_are_taken_run_by_run_and_empty_cells_left_out() {
        let text = "point,run,strategy,rebalances,delay_ms_p50\np,1,a,10,\np,1,b,13,5\np,2,a,20,7\np,2,b,23,9\n";
        let rows = summary("p", &Cells::parse(text).unwrap());
        let row = |strategy: &str, against: &str, column: &str| {
            let row = rows.iter().find(|r| r.strategy == strategy && r.against == against && r.column == column);
            row.map(|r| format!("{} {} {} {} {}", r.runs, r.mean, r.sd, r.low, r.high))
        };
        assert_eq!(row("a", "", "rebalances").unwrap().split(' ').take(2).collect::<Vec<_>>(), ["2", "15.0000"]);
        // each strategy is wide, their difference is not
        assert_eq!(row("b", "a", "rebalances").unwrap(), "2 3.0000 0.0000 3.0000 3.0000");
        assert_eq!(row("a", "", "delay_ms_p50").unwrap(), "1 7.0000   ");
        assert_eq!(row("b", "a", "delay_ms_p50").unwrap(), "1 2.0000   ");
        assert_eq!(row("a", "b", "rebalances"), None);
        assert_eq!(row("a", "", "missed"), None, "no column, no row");
    }

    /// A generator of its own (SplitMix64).
    struct Dice(u64);

    impl Dice {
        fn next(&mut self) -> u64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = self.0;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        }

        fn open01(&mut self) -> f64 {
            #[allow(clippy::cast_precision_loss, reason = "53 bits fit")]
            let value = ((self.next() >> 11) as f64 + 0.5) / 9_007_199_254_740_992.0;
            value
        }

        /// Normally distributed around 5,000, rounded as counts are (Box and Muller).
        fn count(&mut self) -> i128 {
            let radius = (-2.0 * libm::log(self.open01())).sqrt();
            let normal = radius * libm::cos(std::f64::consts::TAU * self.open01());
            #[allow(clippy::cast_possible_truncation, reason = "a count")]
            let count = (5_000.0 + 700.0 * normal).round() as i128;
            count
        }
    }

    #[test]
    fn intervals_cover_the_truth_in_94_to_96_of_100_experiments() {
        for (runs, seed) in [(2_usize, 1), (3, 2), (5, 3), (10, 4), (20, 5)] {
            let mut dice = Dice(seed);
            let experiments = 20_000;
            let t = t_975(u32::try_from(runs).unwrap() - 1);
            let mut covered = [0_u32; 2];
            for _ in 0..experiments {
                // two strategies that share what the run is like and differ by 1,000 and noise of their own
                let shared: Vec<i128> = (0..runs).map(|_| dice.count()).collect();
                let other: Vec<i128> = shared.iter().map(|v| v + (dice.count() - 5_000) / 7 + 1_000).collect();
                let apart: Vec<i128> = other.iter().zip(&shared).map(|(b, a)| b - a).collect();
                for (hit, (values, truth)) in covered.iter_mut().zip([(&shared, 5_000.0), (&apart, 1_000.0)]) {
                    let s = stats(values, &mut |_| t).unwrap();
                    *hit += u32::from((s.mean - truth).abs() <= s.spread.unwrap().1);
                }
            }
            for hit in covered {
                let share = f64::from(hit) / f64::from(experiments);
                assert!((0.94..=0.96).contains(&share), "{runs} runs: {share}");
            }
        }
    }
}
