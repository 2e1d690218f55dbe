//! `run --by step`: what each restarted broker of a roll cost, in each strategy that rebalanced anyone.

use std::collections::BTreeMap;

use crate::experiment::{Roll, Step};
use crate::metrics::{BumpVerdict, Counts, LaneOutcome, Origin, RunOutcome};
use crate::report::words::{exactly, plural, thousands};
use crate::sim::Ms;

use super::grid::{Cell, Column, Grid};
use super::line::{Screen, Tone, toned};

/// How many of the worst groups are named.
const NAMED: usize = 2;

/// The whole screen of one run: each roll, each strategy.
#[must_use]
pub fn steps_screen(run: &RunOutcome, rolls: &[Roll], screen: Screen) -> String {
    if rolls.is_empty() {
        return "There is no roll in this history.\n".to_owned();
    }
    let mut out = String::new();
    for roll in rolls {
        let length = roll.steps.last().map_or(0, |last| last.from.since(roll.steps[0].from).0);
        let name = toned(&run.entries[roll.entry as usize], Tone::Strong, screen.colour);
        let brokers = plural(roll.steps.len() as u64, "broker");
        out.push_str(&format!("{name} · roll {brokers}, {} from the first stop to the last\n", exactly(length)));
        for lane in &run.lanes {
            out.push_str(&lane_steps(run, lane, roll, screen));
        }
    }
    out
}

fn lane_steps(run: &RunOutcome, lane: &LaneOutcome, roll: &Roll, screen: Screen) -> String {
    let strategy = &lane.strategy;
    if !lane.bumps_complete {
        return format!("{strategy}: too many rebalances to tell them apart by step; add --bumps\n");
    }
    let parts: Vec<Part> = roll.steps.iter().map(|step| part(lane, roll, step)).collect();
    let all: u64 = parts.iter().map(|p| p.counts.rebalances()).sum();
    if all == 0 {
        return format!("{strategy}: no rebalance in any step\n");
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
    for (i, (step, part)) in roll.steps.iter().zip(&parts).enumerate() {
        grid.row(row(run, i, step, part));
    }
    format!("{strategy}: {}\n{}", plural(all, "rebalance"), grid.render(screen))
}

fn row(run: &RunOutcome, i: usize, step: &Step, part: &Part) -> Vec<Cell> {
    let c = &part.counts;
    let plain = |n: u64| Cell::faint_if(n == 0, thousands(n));
    let wrong = |n: u64| Cell::warn_unless(n == 0, thousands(n));
    let names = part.worst.iter().map(|&group| run.groups[group as usize].as_str()).collect::<Vec<_>>().join(", ");
    let more = if part.groups > part.worst.len() as u64 { " … (groups.csv)" } else { "" };
    vec![
        Cell::plain(thousands(i as u64 + 1)),
        Cell::plain(step.from.clock()),
        Cell::plain(step.broker.0.to_string()),
        plain(step.shards_moved),
        plain(part.groups),
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

/// What a step did in one strategy.
struct Part {
    counts: Counts,
    groups: u64,
    members: u64,
    peak_per_s: u64,
    /// Those with most rebalances, by id.
    worst: Vec<u32>,
}

fn part(lane: &LaneOutcome, roll: &Roll, step: &Step) -> Part {
    let ours = Origin::Entry(roll.entry);
    let inside = |at: Ms| (step.from..step.until).contains(&at);
    let mut counts = Counts::default();
    let mut groups: BTreeMap<u32, u64> = BTreeMap::new();
    let mut seconds: BTreeMap<u64, u64> = BTreeMap::new();
    for bump in &lane.bumps {
        let members_own = bump.verdict == BumpVerdict::Membership;
        if inside(bump.at) && !members_own && (bump.trigger == ours || bump.cause == ours) {
            counts.add(bump.verdict);
            *groups.entry(bump.group.0).or_default() += 1;
            *seconds.entry(bump.at.0 / 1000).or_default() += 1;
        }
    }
    let members = groups.keys().filter_map(|&g| lane.groups.get(g as usize)).map(|g| u64::from(g.members)).sum();
    let mut worst: Vec<(u32, u64)> = groups.iter().map(|(g, n)| (*g, *n)).collect();
    worst.sort_by_key(|&(g, n)| (std::cmp::Reverse(n), g));
    Part {
        counts,
        groups: groups.len() as u64,
        members,
        peak_per_s: seconds.values().copied().max().unwrap_or(0),
        worst: worst.into_iter().take(NAMED).map(|(g, _)| g).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kafka::BrokerId;
    use crate::report::sample;

    fn roll() -> Roll {
        let step = |broker, from, until, shards_moved| Step {
            broker: BrokerId(broker),
            from: Ms::secs(from),
            until: Ms::secs(until),
            shards_moved,
        };
        Roll { entry: 0, steps: vec![step(0, 600, 880, 17), step(1, 880, 1_200, 33), step(2, 1_200, 7_200, 16)] }
    }

    #[test]
    fn each_step_has_what_came_in_its_time() {
        insta::assert_snapshot!(steps_screen(&sample::run(1), &[roll()], Screen::PAPER));
    }

    #[test]
    fn a_strategy_without_all_its_rebalances_says_so() {
        let mut run = sample::run(1);
        run.lanes[1].bumps_complete = false;
        run.lanes[0].bumps.clear();
        let text = steps_screen(&run, &[roll()], Screen::PAPER);
        assert!(text.contains("full-metadata: no rebalance in any step\n"), "{text}");
        assert!(text.contains("group-hash: too many rebalances"), "{text}");
        assert_eq!(steps_screen(&run, &[], Screen::PAPER), "There is no roll in this history.\n");
    }
}
