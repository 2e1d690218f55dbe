//! The same bytes whatever must not matter: the plain walk or the arithmetic, other strategies beside, their
//! order, what ran before in the process. Over random scenarios; a failure prints the scenario.

use std::fmt::Write as _;

use rebalance_sim::experiment::{RunError, RunOptions, Way, run_one};
use rebalance_sim::metrics::{LaneOutcome, NoMeter, RunOutcome};
use rebalance_sim::scenario::{Loaded, load_text};

/// Random scenarios of this test, by number.
const SCENARIOS: u64 = 150;

/// `as-deployed` only where there are brokers to be deployed on.
const STRATEGIES: [&str; 11] = [
    "full-metadata",
    "partition-count",
    "topic-hash",
    "group-hash",
    "group-hash-uncached",
    "delta-flag",
    "kafka-3.9",
    "as-deployed",
    "kip-1101-v2",
    "{as: never, like: group-hash, cache: never-evicted, rehash: all-on-bump}",
    "{as: cluster, like: kafka-4.1, trigger: cluster-delta, refresh_interval: 90s}",
];

/// Share and streams groups, in three scenarios of four.
const OTHER_KINDS: [&str; 4] = [
    "",
    "  q: {count: 2, members: 1..3, topics: 1..2 of t, protocol: share}\n",
    "  a: {count: 2, members: 1..3, topics: 1..2 of t, protocol: streams, internal: [by-user-repartition, n-changelog]}\n",
    "  q: {members: 2, topics: [t-1, new-1], protocol: share, start: empty}\n  \
     a: {members: 2, topics: [t-2, new-2], protocol: streams, internal: [n-changelog], stored: absent}\n",
];

/// A small generator of its own (SplitMix64): tests draw nothing from the library.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[usize::try_from(self.below(list.len() as u64)).unwrap()]
    }
}

/// A scenario in which anything may happen; what cannot apply is left out by its selectors.
fn scenario(number: u64, strategies: &[&str]) -> String {
    sections(number, strategies).concat()
}

/// The same with its keys and its groups the other way round.
fn turned(number: u64, strategies: &[&str]) -> String {
    let mut sections = sections(number, strategies);
    let groups = sections.iter_mut().find(|s| s.starts_with("groups:")).unwrap();
    let mut lines: Vec<&str> = groups.lines().skip(1).collect();
    lines.reverse();
    *groups = format!("groups:\n{}\n", lines.join("\n"));
    sections.reverse();
    sections.concat()
}

fn sections(number: u64, strategies: &[&str]) -> Vec<String> {
    let mut dice = Dice(number);
    let coordinators = dice.pick(&["apart", "brokers"]);
    let lag = dice.pick(&["0s", "0s", "700ms", "50ms..4s"]);
    let deltas = dice.pick(&["per-leader", "1", "3"]);
    let load = dice.pick(&["0s", "1s", "7s"]);
    let version = dice.pick(&["kafka-3.9", "kafka-4.0", "kafka-4.1"]);
    // by number, so that other draws stay what they are
    let of = |list: [&'static str; 4], by: u64| list[usize::try_from(number / by % 4).unwrap()];
    let interval = of(["", "assignment_interval: 1s, ", "assignment_interval: 15s, ", ""], 3);
    let delay = of(["", "", "initial_delay: 3s, ", ""], 5);
    let assignors = ["", ", assignor: uniform", ", assignor: range", ", assignor: rack-first"];
    let cluster = format!(
        "cluster: {{version: {version}, {interval}{delay}coordinators: {coordinators}, offsets_partitions: {}, load_time: {load}, metadata_lag: {lag}, \
         start: {{unfence: 2s, catch_up: 30s, isr_deltas: {deltas}}}}}\n",
        1 + dice.below(3)
    );
    let brokers = format!("brokers: {}\n", 4 + dice.below(4));
    let (count, rf) = (2 + dice.below(5), 1 + dice.below(3));
    let topics = format!("topics:\n  t: {{count: {count}, partitions: 1..6, rf: {rf}}}\n");
    let (count, aware) = (1 + dice.below(5), dice.pick(&["true", "false"]));
    let groups = format!(
        "groups:\n  g: {{count: {count}, members: 1..4, topics: 1..2 of t{}}}\n  \
         s: {{members: 2, topics: all, static: true, heartbeat: 3s, rack_aware: {aware}{}}}\n  \
         p: {{members: 2, pattern: \"(t|new).*\"{}}}\n",
        of(assignors, 1),
        of(assignors, 4),
        of(assignors, 2)
    );
    let others = of(OTHER_KINDS, 1);
    let share_init = of(["", "share_init: 0s, ", "share_init: 7s, ", ""], 2);
    let cluster = cluster.replace("cluster: {", &format!("cluster: {{{share_init}"));
    let groups = groups + others;
    let top = format!("seed: {number}\nduration: 20m\n");
    let history = history(&mut dice);
    let there = |s: &&&str| coordinators == "brokers" || **s != "as-deployed";
    let strategies =
        format!("strategies:\n{}", strategies.iter().filter(there).map(|s| format!("  - {s}\n")).collect::<String>());
    vec![top, cluster, brokers, topics, groups, history, strategies]
}

fn history(dice: &mut Dice) -> String {
    let mut text = String::from("history:\n");
    for entry in 0..2 + dice.below(7) {
        let at = format!("at: {}ms", 1000 + dice.below(900_000));
        let rack = dice.pick(&["", ", rack: d", ", rack: null"]);
        let to = dice.pick(&["", "", ", to: kafka-3.9", ", to: kafka-4.0", ", to: kafka-4.1", ", to: kafka-4.3"]);
        let line = match dice.below(20) {
            0 | 1 => format!("restart: {{{at}, broker: any{rack}{to}"),
            2 => format!("crash: {{{at}, broker: any, for: 100s"),
            3 => format!("shutdown: {{{at}, broker: any"),
            4 => format!("unregister: {{{at}, broker: any"),
            5 => format!("add-partitions: {{{at}, topic: any, by: 1"),
            6 => format!("create-topic: {{{at}, topic: new-{entry}, partitions: 2, rf: 2"),
            7 => format!("delete-topic: {{{at}, topic: any"),
            8 => format!("recreate-topic: {{{at}, topic: any, gap: {}", dice.pick(&["0s", "7s"])),
            9 | 10 => format!("reassign: {{{at}, moves: 2, within: any, takes: {}", dice.pick(&["0s", "20s"])),
            11 => format!("touch: {{{at}, topic: all"),
            12 => format!("join: {{{at}, group: g-1, members: 1, for: {}s", 30 + dice.below(300)),
            13 => format!("leave: {{{at}, group: any, member: any"),
            14 => format!("kill: {{{at}, group: any, member: any"),
            15 => format!("restart-member: {{{at}, group: s, member: any, for: {}s", 5 + dice.below(80)),
            16 => format!("subscribe: {{{at}, group: any, member: any, topics: [t-1, t-2]"),
            17 => format!("move-coordinator: {{{at}, shard: all, load: {}s", dice.below(30)),
            18 => format!("snapshot-reload: {{{at}"),
            _ => format!("roll: {{{at}, gap: 40s, down: 20s{rack}{to}"),
        };
        let _ = writeln!(text, "  - {line}, as: e{entry}}}");
    }
    text
}

fn load(text: &str) -> Loaded {
    load_text("random", text, &[]).unwrap_or_else(|problems| panic!("{problems}"))
}

/// None where the dice made something impossible.
fn run(loaded: &Loaded) -> Option<RunOutcome> {
    run_as(loaded, Way::Measured)
}

fn run_as(loaded: &Loaded, way: Way) -> Option<RunOutcome> {
    let options = RunOptions { way, keep_bumps: 100_000, rounds: 1, meter: &NoMeter, go_on: &|_| true };
    match run_one(&loaded.scenario, 1, options) {
        Ok(outcome) => Some(outcome),
        Err(RunError::World(_)) => None,
        Err(error) => panic!("{error}"),
    }
}

fn rows(lane: &LaneOutcome) -> String {
    let mut lane = lane.clone();
    lane.costs.clear();
    format!("{lane:#?}")
}

/// The first line in which two texts differ.
fn assert_same(a: &str, b: &str, scenario: &str, what: &str) {
    if let Some((x, y)) = a.lines().zip(b.lines()).find(|(x, y)| x != y) {
        panic!("{what}: {x} against {y}\n{scenario}");
    }
    assert_eq!(a.len(), b.len(), "{what}\n{scenario}");
}

#[test]
fn the_plain_walk_and_the_arithmetic_give_the_same_rows() {
    let (mut ran, mut moved) = (0, 0);
    for number in 0..SCENARIOS {
        let text = scenario(number, &STRATEGIES);
        let loaded = load(&text);
        let Some(short) = run(&loaded) else { continue };
        let walked = run_as(&loaded, Way::Exhaustive).unwrap();
        ran += 1;
        moved += short.lanes.iter().filter_map(|lane| lane.outcome.assigned).filter(|a| a.moves > 0).count();
        for (a, b) in short.lanes.iter().zip(&walked.lanes) {
            assert_same(&rows(a), &rows(b), &text, &format!("scenario {number}, {}", a.strategy));
        }
    }
    assert!(ran > SCENARIOS / 2, "only {ran} of the scenarios can happen");
    assert!(moved > 300, "partitions move in {moved} lanes only");
}

#[test]
fn counting_gives_the_rows_of_measuring() {
    let mut ran = 0;
    for number in 0..SCENARIOS {
        let text = scenario(number, &STRATEGIES);
        let loaded = load(&text);
        let Some(measured) = run(&loaded) else { continue };
        let in_order = run_as(&loaded, Way::InOrder).unwrap();
        let counted = run_as(&loaded, Way::Counted).unwrap();
        ran += 1;
        for ((a, b), c) in measured.lanes.iter().zip(&counted.lanes).zip(&in_order.lanes) {
            assert!(b.costs.is_empty(), "nothing is measured");
            assert_eq!([a.costs.len(), c.costs.len()], [1, 1], "a round of each");
            assert_same(&rows(a), &rows(b), &text, &format!("scenario {number}, {}", a.strategy));
            assert_same(&rows(a), &rows(c), &text, &format!("scenario {number} in order, {}", a.strategy));
        }
    }
    assert!(ran > SCENARIOS / 2, "only {ran} of the scenarios can happen");
}

#[test]
fn strategies_beside_and_their_order_move_no_row() {
    for number in 0..40 {
        let text = scenario(number, &STRATEGIES);
        let Some(all) = run(&load(&text)) else { continue };
        let mut turned = STRATEGIES;
        turned.reverse();
        let other = run(&load(&scenario(number, &turned))).unwrap();
        let alone = run(&load(&scenario(number, &["group-hash"]))).unwrap();
        assert_eq!(all.history_id, other.history_id);
        for lane in &all.lanes {
            let again = other.lanes.iter().find(|l| l.strategy == lane.strategy).unwrap();
            assert_same(&rows(lane), &rows(again), &text, &lane.strategy);
        }
        let beside = all.lanes.iter().find(|l| l.strategy == "group-hash").unwrap();
        assert_same(&rows(beside), &rows(&alone.lanes[0]), &text, "alone");
    }
}

#[test]
fn the_order_of_keys_and_groups_and_what_ran_before_move_no_row() {
    for number in 0..40 {
        let text = scenario(number, &STRATEGIES);
        let Some(one) = run(&load(&text)) else { continue };
        // another scenario runs between the two
        run(&load(&scenario(number + 1000, &["group-hash"])));
        let other = run(&load(&turned(number, &STRATEGIES))).unwrap();
        assert_eq!(one.history_id, other.history_id, "{text}");
        for (a, b) in one.lanes.iter().zip(&other.lanes) {
            assert_same(&rows(a), &rows(b), &text, &a.strategy);
        }
    }
}

#[test]
fn every_verdict_adds_up_and_the_ideal_bounds_what_was_told() {
    for number in 0..SCENARIOS {
        let text = scenario(number, &STRATEGIES);
        let Some(outcome) = run(&load(&text)) else { continue };
        let ideal = outcome.lanes[0].outcome.ideal;
        for lane in &outcome.lanes {
            let counts = &lane.outcome.counts;
            assert_eq!(lane.outcome.ideal, ideal, "the ideal is the same in every lane\n{text}");
            assert!(counts.repeat <= counts.spurious, "{text}");
            assert!(
                counts.needed + counts.late <= ideal,
                "{}: told more often than an ideal lane\n{text}",
                lane.strategy
            );
            let by_cause: u64 = lane.causes.iter().map(|c| c.counts.rebalances()).sum();
            let by_group: u64 = lane.groups.iter().map(|g| g.counts.rebalances()).sum();
            let by_bucket: u64 = lane.buckets.iter().map(|b| b.rebalances).sum();
            assert_eq!([by_cause, by_group, by_bucket], [counts.rebalances(); 3], "{}\n{text}", lane.strategy);
            let missed: u64 = lane.groups.iter().map(|g| g.counts.missed).sum();
            assert_eq!(missed, counts.missed);
        }
    }
}

#[test]
fn a_history_from_a_file_gives_the_rows_of_the_one_that_was_made() {
    for number in 0..20 {
        let loaded = load(&scenario(number, &STRATEGIES));
        let Ok(history) = rebalance_sim::world::make(&loaded.scenario, 1) else { continue };
        let mut text = Vec::new();
        rebalance_sim::world::jsonl::write(&history, &mut text).unwrap();
        let read = rebalance_sim::world::jsonl::read(&String::from_utf8(text).unwrap()).unwrap();
        assert_eq!(read.id, history.id);
        let options =
            RunOptions { way: Way::Measured, keep_bumps: 100_000, rounds: 1, meter: &NoMeter, go_on: &|_| true };
        let made = run(&loaded).unwrap();
        let again = rebalance_sim::experiment::replay(&loaded.scenario, &read, 1, 0, options).unwrap();
        for (a, b) in made.lanes.iter().zip(&again.lanes) {
            assert_eq!(rows(a), rows(b));
        }
    }
}
