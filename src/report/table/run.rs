//! The `run` screen: what was simulated, and one row for each strategy with the equation in the header.

use crate::metrics::RunOutcome;
use crate::report::words::{about, bytes, count, exactly, plural, ratio, thousands, work};
use crate::scenario::Scenario;

use super::grid::{Cell, Column, Grid};
use super::line::{Screen, Tone, folded, toned};
use super::sums::{LaneSum, sums};

/// What a reader may want to know about the columns; `run --help` ends with it.
pub const COLUMNS: &str = "\
The columns of the table:
  rebalances   group epoch bumps, as Kafka counts them; the sum of the next four
  membership   a member caused it: it joined, left, expired or changed its subscription
  needed       what the group stands on had changed, and it was told in time
  late         the same, but after more than the group's patience (one heartbeat)
  spurious     nothing that the group stands on had changed
  repeat       of these, those that an earlier rebalance had already seen
  missed       changes that nobody was told of in time and that then closed
  stale        how long a group did not know of a change, on average over all groups
  groups       groups that rebalanced at least once
  worst        rebalances of the group that had most
  peak/s       most rebalances in one second
  CPU          processor time measured here, as a multiple of the first strategy's
  model        the same by the cost model: work done × calibration
  heap         the coordinators' memory for subscription metadata, at its peak, by the model
  offsets log  bytes appended to __consumer_offsets because of rebalances and members
Where groups have an assignor:
  unchanged    rebalances after which the target assignment is the same
  assign log   bytes appended for targets and for what members have of them
With several runs, counts are summed over them; worst, peak/s and heap are the largest.
docs/files.md says what every column of the files is.";

/// The whole screen; `result` is what `explain` takes for this run's results.
#[must_use]
pub fn run_screen(scenario: &Scenario, runs: &[RunOutcome], result: &str, screen: Screen) -> String {
    let sums = sums(runs);
    let mut out = header(scenario, runs, &sums, screen);
    out.push_str(&lanes(&sums).render(screen));
    for line in closing(&sums, result) {
        out.push_str(&folded(&line, " ", screen.width));
    }
    out
}

/// What was simulated, on one line where it fits.
fn header(scenario: &Scenario, runs: &[RunOutcome], sums: &[LaneSum], screen: Screen) -> String {
    let mut racks: Vec<&str> = scenario.brokers.iter().filter_map(|b| b.rack.as_deref()).collect();
    racks.sort_unstable();
    racks.dedup();
    let mut pieces = vec![toned(&scenario.name, Tone::Strong, screen.colour), format!("seed {}", scenario.seed)];
    if runs.len() > 1 {
        pieces.push(format!("{} runs, summed", runs.len()));
    }
    let mut cluster = plural(scenario.brokers.len() as u64, "broker");
    if !racks.is_empty() {
        cluster = format!("{cluster} {}", plural(racks.len() as u64, "rack"));
    }
    pieces.push(cluster);
    pieces.push(plural(scenario.topics.len() as u64, "topic"));
    let mut groups = plural(scenario.groups.len() as u64, "group");
    if let Some(first) = runs.first().and_then(|run| run.lanes.first()) {
        groups = format!("{groups} {}", plural(first.outcome.members, "member"));
    }
    pieces.push(groups);
    pieces.push(exactly(scenario.duration.0));
    if let Some(sum) = sums.first() {
        pieces.push(match sum.heartbeats {
            1 => "1 heartbeat".to_owned(),
            n => format!("{} heartbeats", count(n)),
        });
    }
    if let Some(run) = runs.first() {
        let id = run.history_id.get(..8).unwrap_or(&run.history_id);
        let more = if runs.len() > 1 { format!(" … ({})", runs.len()) } else { String::new() };
        pieces.push(format!("history {id}{more}"));
    }
    folded(&pieces, " · ", screen.width)
}

fn lanes(sums: &[LaneSum]) -> Grid {
    let assigned = sums.iter().any(|sum| sum.unchanged.is_some());
    let mut columns = vec![
        Column::text(""),
        Column::figure("rebalances"),
        Column::figure("membership").joined(" = ", "   "),
        Column::figure("needed").joined(" + ", "   "),
        Column::figure("late").joined(" + ", "   "),
        Column::figure("spurious").joined(" + ", "   "),
        Column::figure("(repeat)").joined(" ", " "),
    ];
    if assigned {
        columns.push(Column::figure("unchanged").joined("  ", "  "));
    }
    columns.extend([
        Column::figure("missed").apart(),
        Column::figure("stale").joined("  ", "  "),
        Column::figure("groups").apart(),
        Column::figure("worst").joined(" ", " "),
        Column::figure("peak/s").joined(" ", " "),
        Column::figure("CPU").apart(),
        Column::figure("model").joined("  ", "  "),
        Column::figure("heap").joined("  ", "  "),
        Column::figure("offsets log").joined("  ", "  "),
    ]);
    if assigned {
        columns.push(Column::figure("assign log").joined("  ", "  "));
    }
    let mut grid = Grid::new(columns);
    let first = base(sums);
    for sum in sums {
        let c = &sum.counts;
        let plain = |n: u64| Cell::faint_if(n == 0, thousands(n));
        let wrong = |n: u64| Cell::warn_unless(n == 0, thousands(n));
        let dash = |text: Option<String>| Cell::faint_if(text.is_none(), text.unwrap_or_else(|| "–".to_owned()));
        let mut cells = vec![
            Cell { text: sum.strategy.clone(), tone: Tone::Strong },
            plain(c.rebalances()),
            plain(c.membership),
            plain(c.needed),
            wrong(c.late),
            wrong(c.spurious),
            wrong(c.repeat),
        ];
        if assigned {
            cells.push(plain(sum.unchanged.unwrap_or(0)));
        }
        cells.extend([
            wrong(c.missed),
            dash(sum.stale_ms_per_group().map(about)),
            plain(sum.groups_hit),
            plain(sum.max_per_group),
            plain(sum.peak_per_s),
            dash(first.and_then(|f| ratio(sum.cpu_ns?, f.cpu_ns?))),
            dash(first.and_then(|f| ratio(sum.cpu_model_ns, f.cpu_model_ns))),
            Cell::faint_if(sum.heap_bytes_peak == 0, bytes(sum.heap_bytes_peak)),
            Cell::faint_if(sum.offsets_log_bytes == 0, bytes(sum.offsets_log_bytes)),
        ]);
        if assigned {
            let log = sum.assign_log_bytes.unwrap_or(0);
            cells.push(Cell::faint_if(log == 0, bytes(log)));
        }
        grid.row(cells);
    }
    grid
}

/// Whose processor time is 1.00×: the first strategy that costs any.
fn base(sums: &[LaneSum]) -> Option<&LaneSum> {
    sums.iter().find(|sum| sum.cpu_model_ns > 0).or(sums.first())
}

/// What to take from the table, and how to go on; each line as pieces that may be parted.
fn closing(sums: &[LaneSum], result: &str) -> Vec<Vec<String>> {
    let mut lines = Vec::new();
    if let Some(first) = base(sums).filter(|s| s.cpu_model_ns > 0 || s.cpu_ns.is_some()) {
        let mut costs = Vec::new();
        if let Some(ns) = first.cpu_ns {
            costs.push(format!("{} measured here", work(ns)));
        }
        costs.push(format!("{} by the model", work(first.cpu_model_ns)));
        lines.push(words(&format!("CPU 1.00× is {}'s: {}.", first.strategy, costs.join(", "))));
    }
    // the first among equals: lanes keep their declared order
    let most = |of: fn(&LaneSum) -> u64| sums.iter().rev().max_by_key(|s| of(s)).filter(|s| of(s) > 0);
    let why = |strategy: &str| format!("Why: rebalance-sim explain {result} --strategy {strategy}");
    if let Some(sum) = most(|s| s.counts.repeat) {
        let mut line = words(&if sum.counts.repeat == 1 {
            format!("1 of {}'s rebalances repeats a change that an earlier one had already seen.", sum.strategy)
        } else {
            format!(
                "{} of {}'s rebalances repeat a change that an earlier one had already seen.",
                thousands(sum.counts.repeat),
                sum.strategy
            )
        });
        line.push(format!("  {}", why(&sum.strategy)));
        lines.push(line);
    } else if let Some(sum) = most(|s| s.counts.spurious) {
        let mut line = words(&format!(
            "{} of {}'s rebalances {} needless: nothing that the group stands on had changed.",
            thousands(sum.counts.spurious),
            sum.strategy,
            if sum.counts.spurious == 1 { "was" } else { "were" }
        ));
        line.push(format!("  {}", why(&sum.strategy)));
        lines.push(line);
    } else if sums.iter().all(|s| s.counts.rebalances() == 0 && s.counts.missed == 0) && !sums.is_empty() {
        lines.push(words("No strategy rebalanced anyone, and none missed a change."));
    }
    if let Some(sum) = most(|s| s.initialised) {
        let text = format!(
            "{} of {}'s membership rebalances hand out share partitions that were just initialised.",
            thousands(sum.initialised),
            sum.strategy
        );
        lines.push(words(&text));
    }
    if let Some(sum) = most(|s| s.unchanged.unwrap_or(0)) {
        let (unchanged, all) = (sum.unchanged.unwrap_or(0), sum.counts.rebalances());
        let of = if unchanged == all { "All".to_owned() } else { thousands(unchanged) };
        let text = format!("{of} of {}'s rebalances left the target assignment as it was.", sum.strategy);
        lines.push(words(&text));
    }
    lines
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    fn show(runs: &[RunOutcome], width: usize) -> String {
        run_screen(&sample::scenario(), runs, "sample", Screen { width, colour: false })
    }

    #[test]
    fn the_equation_stands_in_the_header() {
        insta::assert_snapshot!(show(&[sample::run(1)], 140));
    }

    #[test]
    fn eighty_columns_get_three_blocks() {
        insta::assert_snapshot!(show(&[sample::run(1)], 80));
    }

    #[test]
    fn twelve_strategies_with_long_names_stay_readable() {
        let names: Vec<String> = (1..=12).map(|i| format!("kafka-4.1-with-set-and-rehash-all-on-bump-{i}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let run = sample::run_with(&names);
        for width in [80, 100, 140] {
            let text = show(std::slice::from_ref(&run), width);
            // a command stays on one line, to be copied
            let widest = text.lines().filter(|l| !l.contains("Why: ")).map(|l| l.chars().count()).max().unwrap();
            assert!(widest <= width, "{widest} > {width}\n{text}");
            for name in &names {
                assert!(text.contains(name), "{name}\n{text}");
            }
        }
        insta::assert_snapshot!(show(&[run], 100));
    }

    #[test]
    fn what_rebalances_cost_is_shown_where_groups_have_an_assignor() {
        let mut run = sample::run(1);
        let assigned = |unchanged, assign_log_bytes| crate::metrics::Assigned {
            unchanged,
            assign_log_bytes,
            ..crate::metrics::Assigned::default()
        };
        run.lanes[0].outcome.assigned = Some(assigned(12, 4_096));
        run.lanes[1].outcome.assigned = Some(assigned(17, 8_192));
        let text = show(std::slice::from_ref(&run), 160);
        let head: Vec<&str> = text.lines().nth(1).unwrap().split_whitespace().collect();
        assert!(head.windows(2).any(|pair| pair == ["(repeat)", "unchanged"]), "{text}");
        assert!(text.lines().any(|line| line.ends_with("offsets log  assign log")), "{text}");
        assert!(text.contains("17 of group-hash's rebalances left the target assignment as it was."), "{text}");
        assert!(!show(&[sample::run(1)], 160).contains("unchanged"));
    }

    #[test]
    fn nothing_happened_is_said_in_words_and_no_ratio_is_made_up() {
        let mut run = sample::run_with(&["a", "b"]);
        for lane in &mut run.lanes {
            lane.outcome = crate::metrics::Outcome::default();
            lane.costs.clear();
        }
        insta::assert_snapshot!(show(&[run], 140));
    }

    #[test]
    fn several_runs_are_summed() {
        let runs = [sample::run(1), sample::run(2)];
        let sums = sums(&runs);
        assert_eq!(sums[1].counts.rebalances(), 36);
        assert_eq!(sums[1].max_per_group, 2);
        assert_eq!(sums[1].cpu_ns, Some(140_000));
        let text = show(&runs, 140);
        assert!(text.contains("2 runs, summed"), "{text}");
    }
}
