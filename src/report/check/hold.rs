//! A scenario's cells held against its baseline, by strategy, run and the column's name. Where the history is
//! another one, the figures cannot be compared, and that is a finding of its own kind.

use crate::report::files::Cells;
use crate::report::words::{plural, thousands};
use crate::scenario::{HeldColumn, METRICS, Tolerance};

use super::baseline::Baseline;
use super::finding::{Finding, State};
use super::trail::{Parting, TrailRow};

/// The counts that are held where a scenario has no `baseline:`.
const COUNTS: [&str; 9] =
    ["rebalances", "membership", "needed", "late", "spurious", "repeat", "missed", "groups_hit", "max_per_group"];

/// Columns that are no figures.
const KEYS: [&str; 5] = ["scenario", "point", "run", "strategy", "history_id"];

/// What a scenario came to now.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// outcomes.csv as text.
    pub outcomes: String,
    /// Its rebalances, for a new baseline.
    pub trail: Vec<TrailRow<'static>>,
    /// Where runs and strategies part from the baseline.
    pub partings: Vec<(u32, String, Parting)>,
    /// Expectations that are broken.
    pub broken: Vec<String>,
}

/// A scenario that was held against its baseline.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// Its name.
    pub scenario: String,
    /// Its file.
    pub file: String,
    /// Every run and strategy that was looked at.
    pub strategies: Vec<(u32, String)>,
    /// What is not as it was.
    pub findings: Vec<Finding>,
    /// What is worth saying and no failure.
    pub notes: Vec<String>,
    /// Cells that are as they were.
    pub equal: u64,
}

/// Holds a scenario against its baseline. `held`: the scenario's own `baseline:`. `none`: there are no baselines at all.
#[must_use]
pub fn hold(
    name: &str,
    file: &str,
    held: Option<&[HeldColumn]>,
    baseline: Option<&Baseline>,
    seen: &Seen,
    none: bool,
) -> Checked {
    let now = Cells::parse(&seen.outcomes).expect("what this program writes, it reads");
    let mut checked = Checked { scenario: name.to_owned(), file: file.to_owned(), ..Checked::default() };
    checked.strategies = now.rows.iter().map(|row| (run_of(&now, row), now.cell(row, "strategy").to_owned())).collect();
    for line in &seen.broken {
        checked.find(State::Broken, None, "", line.clone());
    }
    let Some(baseline) = baseline else {
        let state = if none { State::NoBaseline } else { State::New };
        checked.find(state, None, "", "has no baseline; --accept makes one".to_owned());
        return checked;
    };
    if baseline.name != name {
        checked.notes.push(format!("renamed from {}", baseline.name));
    }
    let counts: Vec<HeldColumn>;
    let held = match held {
        Some(held) => held,
        None => {
            counts = COUNTS.map(|name| HeldColumn { name: name.to_owned(), tolerance: Tolerance::Exact }).to_vec();
            &counts
        }
    };
    let then = &baseline.outcomes;
    let mut other_columns: Vec<&str> = Vec::new();
    for row in &then.rows {
        let (run, strategy) = (run_of(then, row), then.cell(row, "strategy"));
        let Some(found) = now.rows.iter().find(|r| run_of(&now, r) == run && now.cell(r, "strategy") == strategy)
        else {
            checked.find(State::Gone, Some(run), strategy, "is in the baseline and not in the scenario".to_owned());
            continue;
        };
        let ids = (then.cell(row, "history_id"), now.cell(found, "history_id"));
        if ids.0 != ids.1 {
            let told = checked.findings.iter().any(|f| f.state == State::History && f.run == Some(run));
            if !told {
                let short = |id: &str| id.chars().take(8).collect::<String>();
                let message = format!(
                    "history changed ({}… → {}…): the tool or the scenario, not the strategy",
                    short(ids.0),
                    short(ids.1)
                );
                checked.find(State::History, Some(run), "", message);
            }
            continue;
        }
        for column in held {
            checked.cell(run, strategy, column, then.cell(row, &column.name), now.cell(found, &column.name));
        }
        let free = |name: &&str| !KEYS.contains(name) && held.iter().all(|column| column.name != **name);
        for name in then.columns.iter().map(String::as_str).filter(free) {
            if now.column(name).is_some()
                && then.cell(row, name) != now.cell(found, name)
                && !other_columns.contains(&name)
            {
                other_columns.push(name);
            }
        }
    }
    for (run, strategy) in checked.strategies.clone() {
        if !then.rows.iter().any(|row| run_of(then, row) == run && then.cell(row, "strategy") == strategy) {
            checked.find(State::New, Some(run), &strategy, "is not in the baseline; --accept takes it in".to_owned());
        }
    }
    checked.name_partings(seen);
    checked.say_columns(then, &now, &other_columns);
    let several = checked.strategies.iter().any(|(run, _)| *run > 1);
    if !several {
        checked.findings.iter_mut().for_each(|finding| finding.run = None);
    }
    checked
}

impl Checked {
    fn find(&mut self, state: State, run: Option<u32>, strategy: &str, message: String) {
        self.findings.push(Finding {
            scenario: self.scenario.clone(),
            file: self.file.clone(),
            state,
            run,
            strategy: strategy.to_owned(),
            column: String::new(),
            then: String::new(),
            now: String::new(),
            message,
        });
    }

    fn cell(&mut self, run: u32, strategy: &str, column: &HeldColumn, then: &str, now: &str) {
        let near = match (then.parse(), now.parse()) {
            (Ok(then), Ok(now)) => column.tolerance.allows(then, now),
            _ => then == now,
        };
        if near {
            self.equal += 1;
            return;
        }
        let shown = |cell: &str| match cell.parse() {
            Ok(number) => thousands(number),
            Err(_) => "nothing".to_owned(),
        };
        let tolerance = match column.tolerance {
            Tolerance::Exact => String::new(),
            other => format!(" (more than ±{other})"),
        };
        let message = format!("{} {} → {}{tolerance}", column.name, shown(then), shown(now));
        self.find(State::Differs, Some(run), strategy, message);
        let finding = self.findings.last_mut().expect("one was just put in");
        (finding.column, finding.then, finding.now) = (column.name.clone(), then.to_owned(), now.to_owned());
    }

    /// The first rebalance at which they part goes to the first finding of its run and strategy; where the counts are
    /// the same it is a note.
    fn name_partings(&mut self, seen: &Seen) {
        let rehistoried: Vec<Option<u32>> =
            self.findings.iter().filter(|f| f.state == State::History).map(|f| f.run).collect();
        for (run, strategy, parting) in &seen.partings {
            if rehistoried.contains(&Some(*run)) {
                continue;
            }
            let first = format!("first: {} {}", parting.at.clock(), parting.told);
            let of = |f: &Finding, state| f.state == state && f.run == Some(*run) && f.strategy == *strategy;
            match self.findings.iter().position(|f| of(f, State::Differs)) {
                Some(at) => self.findings[at].message.push_str(&format!("   {first}")),
                None if self.findings.iter().any(|f| of(f, State::New)) => {}
                None => self.notes.push(format!("{strategy}: the same counts from other rebalances; {first}")),
            }
        }
    }

    fn say_columns(&mut self, then: &Cells, now: &Cells, other: &[&str]) {
        let added = now.columns.iter().filter(|name| then.column(name).is_none()).count() as u64;
        if added > 0 {
            self.notes.push(format!("{} (ignored)", plural(added, "new column")));
        }
        if !other.is_empty() {
            let known = other.iter().filter(|name| METRICS.contains(name)).copied().collect::<Vec<_>>();
            self.notes.push(format!("not held, and not as they were: {}", known.join(", ")));
        }
    }
}

fn run_of(cells: &Cells, row: &[String]) -> u32 {
    cells.cell(row, "run").parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::Ms;

    const THEN: &str =
        "scenario,point,run,strategy,rebalances,missed,heap_bytes_peak,history_id\ns,,1,a,100,0,5,h\ns,,1,b,7,0,5,h\n";

    fn held(columns: &[(&str, Tolerance)]) -> Vec<HeldColumn> {
        columns.iter().map(|(name, tolerance)| HeldColumn { name: (*name).to_owned(), tolerance: *tolerance }).collect()
    }

    fn lines(then: &str, now: &str, columns: Option<&[HeldColumn]>) -> (Vec<String>, Vec<String>, u64) {
        let baseline = Baseline { name: "s".into(), outcomes: Cells::parse(then).unwrap(), ..Baseline::default() };
        let parting = Parting { number: 1, at: Ms(363_000), told: "shop-88, repeat, cause saturday, is new".into() };
        let seen = Seen { outcomes: now.to_owned(), partings: vec![(1, "a".into(), parting)], ..Seen::default() };
        let checked = hold("s", "s.yaml", columns, Some(&baseline), &seen, false);
        (checked.findings.iter().map(Finding::line).collect(), checked.notes, checked.equal)
    }

    #[test]
    fn a_count_that_changed_is_told_with_the_first_rebalance_at_which_they_part() {
        let columns = held(&[("rebalances", Tolerance::Exact), ("missed", Tolerance::Exact)]);
        let (lines, notes, equal) = lines(THEN, &THEN.replace("a,100,0", "a,1314,0"), Some(&columns));
        assert_eq!(
            lines,
            ["FAIL s  a  rebalances 100 → 1,314   first: 0:06:03 shop-88, repeat, cause saturday, is new"]
        );
        assert_eq!((notes, equal), (vec![], 3));
    }

    #[test]
    fn only_what_is_held_turns_red_and_a_tolerance_is_one_that_is_written() {
        let now = THEN.replace("a,100,0,5", "a,104,0,9");
        let columns = held(&[("rebalances", Tolerance::Percent(5))]);
        let (found, notes, equal) = lines(THEN, &now, Some(&columns));
        assert_eq!((found, equal), (vec![], 2));
        assert_eq!(
            notes,
            [
                "a: the same counts from other rebalances; first: 0:06:03 shop-88, repeat, cause saturday, is new",
                "not held, and not as they were: heap_bytes_peak"
            ]
        );
        let columns = held(&[("rebalances", Tolerance::Within(3))]);
        assert!(lines(THEN, &now, Some(&columns)).0[0].contains("rebalances 100 → 104 (more than ±3)"));
    }

    #[test]
    fn another_history_a_lost_and_a_new_strategy_are_states_of_their_own() {
        let (found, ..) = lines(THEN, &THEN.replace(",h\n", ",i\n").replace("a,100", "a,3"), None);
        assert_eq!(found, ["HIST s  history changed (h… → i…): the tool or the scenario, not the strategy"]);
        let (found, _, equal) = lines(THEN, &THEN.replace(",b,7", ",c,7"), None);
        assert_eq!(
            found,
            [
                "GONE s  b  is in the baseline and not in the scenario",
                "NEW  s  c  is not in the baseline; --accept takes it in"
            ]
        );
        assert_eq!(equal, 9, "the others are compared");
        let new_column = THEN.replace("history_id", "moves,history_id").replace(",h\n", ",1,h\n");
        let (found, notes, _) = lines(THEN, &new_column, None);
        assert_eq!((found.len(), notes[1].as_str()), (0, "1 new column (ignored)"));
    }

    #[test]
    fn a_cell_that_is_empty_now_differs_from_a_number() {
        let columns = held(&[("rebalances", Tolerance::Percent(100))]);
        let (found, ..) = lines(THEN, &THEN.replace("a,100", "a,"), Some(&columns));
        assert!(found[0].contains("rebalances 100 → nothing"), "{found:?}");
    }
}
