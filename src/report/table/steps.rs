//! `run --by step`: what each restarted broker of a roll cost, in each strategy that rebalanced anyone.

use crate::metrics::{Counts, Roll, RunOutcome, Step, StepCounts};
use crate::report::words::{exactly, plural, thousands};

use super::grid::{Cell, Column, Grid};
use super::line::{Screen, Tone, toned};

/// How many of the worst groups are named.
const NAMED: usize = 2;

/// The whole screen of one run: each roll, each strategy.
#[must_use]
pub fn steps_screen(run: &RunOutcome, screen: Screen) -> String {
    if run.rolls.is_empty() {
        return "There is no roll in this history.\n".to_owned();
    }
    let mut out = String::new();
    for (place, roll) in run.rolls.iter().enumerate() {
        let length = roll.steps.last().map_or(0, |last| last.from.since(roll.steps[0].from).0);
        let name = toned(&run.entries[roll.entry as usize], Tone::Strong, screen.colour);
        let brokers = plural(roll.steps.len() as u64, "broker");
        let to = roll.to.map_or(String::new(), |to| format!(" to {}", to.name()));
        out.push_str(&format!("{name} · roll {brokers}{to}, {} from the first stop to the last\n", exactly(length)));
        for lane in &run.lanes {
            out.push_str(&lane_steps(run, &lane.strategy, roll, &lane.steps[place], screen));
        }
    }
    out
}

fn lane_steps(run: &RunOutcome, strategy: &str, roll: &Roll, parts: &[StepCounts], screen: Screen) -> String {
    if parts.iter().all(|p| p.counts == Counts::default()) {
        return format!("{strategy}: {}\n", total(parts));
    }
    let mut grid = Grid::new(vec![
        Column::figure("step"),
        Column::figure("time"),
        Column::figure("broker"),
        Column::figure("shards moved"),
        Column::figure("groups"),
        Column::figure("rebalances").apart(),
        Column::figure("needed").joined(" = ", "   "),
        Column::figure("late").joined(" + ", "   "),
        Column::figure("spurious").joined(" + ", "   "),
        Column::figure("(repeat)").joined(" ", " "),
        Column::figure("peak/s").apart(),
        Column::figure("members disturbed").joined("  ", "  "),
        Column::text("worst affected").joined("  ", "  "),
    ]);
    for (i, (step, part)) in roll.steps.iter().zip(parts).enumerate() {
        grid.row(row(run, i, step, part));
    }
    format!("{strategy}: {}\n{}", total(parts), grid.render(screen))
}

fn row(run: &RunOutcome, i: usize, step: &Step, part: &StepCounts) -> Vec<Cell> {
    let c = &part.counts;
    let plain = |n: u64| Cell::faint_if(n == 0, thousands(n));
    let wrong = |n: u64| Cell::warn_unless(n == 0, thousands(n));
    let named = part.worst.iter().take(NAMED).map(|group| run.groups[group.index()].as_str());
    let names = named.collect::<Vec<_>>().join(", ");
    let more = if part.groups.all > NAMED as u64 { " …" } else { "" };
    vec![
        Cell::plain(thousands(i as u64 + 1)),
        Cell::plain(step.from.clock()),
        Cell::plain(step.broker.0.to_string()),
        plain(step.shards_moved),
        plain(part.groups.all),
        plain(c.rebalances()),
        plain(c.needed),
        wrong(c.late),
        wrong(c.spurious),
        wrong(c.repeat),
        plain(part.peak_per_s),
        plain(part.members),
        Cell::plain(format!("{names}{more}")),
    ]
}

/// What all steps did, by verdict, in words.
fn total(parts: &[StepCounts]) -> String {
    let sum = |of: fn(&StepCounts) -> u64| parts.iter().map(of).sum::<u64>();
    let all = sum(|p| p.counts.rebalances());
    let verdicts = [
        (sum(|p| p.counts.membership), "membership"),
        (sum(|p| p.counts.needed), "needed"),
        (sum(|p| p.counts.late), "late"),
        (sum(|p| p.counts.spurious - p.counts.repeat), "spurious"),
        (sum(|p| p.counts.repeat), "repeat"),
    ];
    let there: Vec<(u64, &str)> = verdicts.into_iter().filter(|(n, _)| *n > 0).collect();
    let missed = match sum(|p| p.counts.missed) {
        0 => String::new(),
        n => format!("; {} missed", plural(n, "change")),
    };
    let said = match there[..] {
        [] => "no rebalance in any step".to_owned(),
        [(1, verdict)] => format!("1 rebalance, {verdict}"),
        [(_, verdict)] => format!("{}, all {verdict}", plural(all, "rebalance")),
        _ => {
            let parts: Vec<String> = there.iter().map(|(n, verdict)| format!("{} {verdict}", thousands(*n))).collect();
            format!("{}: {}", plural(all, "rebalance"), parts.join(", "))
        }
    };
    format!("{said}{missed}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn each_step_has_what_came_in_its_time() {
        insta::assert_snapshot!(steps_screen(&sample::run(1), Screen::PAPER));
    }

    #[test]
    fn a_strategy_that_rebalanced_nobody_is_one_line() {
        let mut run = sample::run(1);
        run.lanes[0].steps[0].iter_mut().for_each(|step| *step = StepCounts::default());
        let text = steps_screen(&run, Screen::PAPER);
        assert!(text.contains("full-metadata: no rebalance in any step\ngroup-hash: 18 rebalances: 12 late"), "{text}");
        run.lanes[0].steps[0][1].counts.missed = 3;
        assert!(steps_screen(&run, Screen::PAPER).contains("no rebalance in any step; 3 changes missed\n"));
        run.rolls.clear();
        assert_eq!(steps_screen(&run, Screen::PAPER), "There is no roll in this history.\n");
    }
}
