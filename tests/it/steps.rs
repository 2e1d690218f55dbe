//! A roll's steps: steps.csv and `run --by step`, held against the books that are kept in another way.

use std::fs;

use rebalance_sim::metrics::{Counts, Origin, RunOutcome};

use crate::cli::{home_with, sim, text};
use crate::support::{load, run_as};

/// A roll that upgrades, one that renames racks over another's unregistered broker, one that changes nothing.
const ROLLS: &str = "\
cluster: {version: kafka-4.0, metadata_lag: 10ms..900ms}
brokers: 6
topics: {t: {count: 12, partitions: 6}}
groups: {g: {count: 40, members: 1..4, topics: 3 of t}}
history:
  - crash: {at: 10m, broker: 5, for: 5m}
  - roll: {at: 30m, to: kafka-4.1, as: up}
  - roll: {at: 3h, racks: {a: d}, as: rename}
  - roll: {at: 6h, as: plain}
  - join: {at: 3h, group: any 5, for: 20m}
strategies: [as-deployed, full-metadata, kafka-4.1, delta-flag]
";

fn of_roll(run: &RunOutcome, lane: usize, entry: u32) -> Counts {
    let ours = Origin::Entry(entry);
    let mut sum = Counts::default();
    for of in run.lanes[lane].causes.iter().filter(|c| c.cause == ours || c.trigger == ours) {
        sum.membership += of.counts.membership;
        sum.needed += of.counts.needed;
        sum.late += of.counts.late;
        sum.spurious += of.counts.spurious;
        sum.repeat += of.counts.repeat;
        sum.missed += of.counts.missed;
    }
    sum
}

#[test]
fn the_steps_of_a_roll_sum_to_its_rows_of_causes_and_to_its_rebalances_one_by_one() {
    let loaded = load(ROLLS);
    let run = run_as(&loaded, 1, false);
    assert_eq!(run.rolls.iter().map(|roll| roll.steps.len()).collect::<Vec<_>>(), [6, 6, 6]);
    let (mut some, mut missed) = (0, 0);
    for (place, lane) in run.lanes.iter().enumerate() {
        for (roll, steps) in run.rolls.iter().zip(&lane.steps) {
            let mut sum = Counts::default();
            for (step, part) in roll.steps.iter().zip(steps) {
                let c = &part.counts;
                sum.membership += c.membership;
                sum.needed += c.needed;
                sum.late += c.late;
                sum.spurious += c.spurious;
                sum.repeat += c.repeat;
                sum.missed += c.missed;
                // the list of rebalances tells the same of each step
                let ours = Origin::Entry(roll.entry);
                let inside: Vec<_> = lane
                    .bumps
                    .iter()
                    .filter(|b| (step.from..step.until).contains(&b.at) && (b.cause == ours || b.trigger == ours))
                    .collect();
                let mut groups: Vec<u32> = inside.iter().map(|b| b.group.0).collect();
                groups.sort_unstable();
                groups.dedup();
                assert_eq!((inside.len() as u64, groups.len() as u64), (c.rebalances(), part.groups.all));
                let busiest = inside.iter().map(|b| inside.iter().filter(|o| o.at.0 / 1000 == b.at.0 / 1000).count());
                assert_eq!(busiest.max().unwrap_or(0) as u64, part.peak_per_s);
                assert!(part.members >= part.groups.all && part.members <= 5 * part.groups.all);
                let times = |group: u32| inside.iter().filter(|b| b.group.0 == group).count();
                let most = groups.iter().map(|g| times(*g)).max();
                assert_eq!(part.worst.first().map(|g| times(g.0)), most);
            }
            assert_eq!(sum, of_roll(&run, place, roll.entry), "{} {:?}", lane.strategy, run.entries);
            some += u64::from(sum.rebalances() > 0);
            missed += sum.missed;
        }
    }
    assert!(some >= 4 && missed > 0, "{some} {missed}");
    let walked = run_as(&loaded, 1, true);
    for (a, b) in run.lanes.iter().zip(&walked.lanes) {
        assert_eq!(a.steps, b.steps);
    }
}

#[test]
fn steps_csv_is_written_for_runs_that_roll_and_printed_the_same_and_read_by_nobody_by_mistake() {
    let home = home_with("rolls.yaml", ROLLS);
    let printed = sim(home.path(), &["run", "rolls.yaml", "-q", "--by", "step", "--format", "csv"]);
    assert_eq!(printed.status.code(), Some(0), "{}", text(&printed.stderr));
    let folder = home.path().join("results/rolls");
    let file = fs::read_to_string(folder.join("steps.csv")).unwrap();
    assert_eq!(file, text(&printed.stdout));
    assert_eq!(file.lines().count(), 1 + 4 * 3 * 6);
    let provenance = fs::read_to_string(folder.join("provenance.yaml")).unwrap();
    assert!(provenance.contains("steps.csv"), "{provenance}");
    // the verbs that read results back
    for verb in [&["report", "rolls", "--quick", "-q"][..], &["groups", "rolls"], &["chart", "rolls", "-q"]] {
        let output = sim(home.path(), verb);
        assert_eq!(output.status.code(), Some(0), "{verb:?} {}", text(&output.stderr));
    }
    assert_eq!(sim(home.path(), &["check", "rolls.yaml", "--accept"]).status.code(), Some(0));
    assert_eq!(sim(home.path(), &["check", "rolls.yaml"]).status.code(), Some(0));
    // without a roll there is no such file, also where one was
    let still = ["run", "rolls.yaml", "-q", "--set", "history=[]", "--set", "duration=1h"];
    assert_eq!(sim(home.path(), &still).status.code(), Some(0));
    assert!(!folder.join("steps.csv").exists());
    let table = sim(home.path(), &[&still[..], &["--by", "step"]].concat());
    assert_eq!(text(&table.stdout), "There is no roll in this history.\n");
}

#[test]
fn the_screen_names_the_release_and_says_in_a_line_what_all_steps_did() {
    let home = home_with("rolls.yaml", ROLLS);
    let output = sim(home.path(), &["run", "rolls.yaml", "-q", "--by", "step", "--strategies", "as-deployed"]);
    let said = text(&output.stdout);
    assert!(
        said.contains("up · roll 6 brokers to kafka-4.1, 29 m 59 s 490 ms from the first stop to the last\n"),
        "{said}"
    );
    assert!(said.contains("as-deployed: 40 rebalances, all spurious\n"), "{said}");
    let plain = said.split_once("plain · roll 6 brokers, ").expect("the third roll").1;
    assert!(plain.ends_with("from the first stop to the last\nas-deployed: no rebalance in any step\n"), "{said}");
}
