//! Public reports of what goes wrong around simulators: silent typos, shifting chance, seeds that lie.

use rebalance_sim::scenario::load_text;

use crate::support::{FOUR, load, outcome, problems, run, run_as};

const SMALL: &str = "brokers: 6
topics: {t: {count: 10, partitions: 6}}
groups: {g: {count: 100, members: 2, topics: 3 of t}}
history:
  - roll: {at: 1m, gap: 1m, racks: {a: d}}
";

#[test]
fn c57_misspelt_keys_are_all_told_at_once_with_what_was_meant() {
    let said = problems("brokers: 6\ntopics: {t: {partions: 10}}\ngroups: {g: {topics: [t], heartbeatt: 5s}}\n");
    for word in ["partions", "`partitions`", "heartbeatt", "`heartbeat`"] {
        assert!(said.contains(word), "{word} is missing in\n{said}");
    }
}

#[test]
fn c58_a_doubled_key_is_told_with_both_lines_and_anchors_still_work() {
    let said = problems("brokers: 6\nhistory: []\ntopics: {t: {}}\nhistory: []\n");
    assert!(said.contains("history") && said.contains('2') && said.contains('4'), "{said}");
    let said = problems("brokers: 6\ntopics: {t: {}}\ngroups:\n  g1: {topics: [t]}\n  g1: {topics: [t]}\n");
    assert!(said.contains("g1"), "{said}");
    load(
        "brokers: 6\ntopics: {t: {}}\ngroups:\n  g1: &g {topics: [t], members: 2}\n  g2: {<<: *g, members: 3}\nduration: 1m\n",
    );
}

#[test]
fn c60_c73_the_default_seed_is_fixed_and_runs_differ_but_repeat() {
    let loaded = load(SMALL);
    assert_eq!(loaded.scenario.seed, 1);
    let ids: Vec<String> = (1..=3).map(|n| run_as(&loaded, n, false).history_id).collect();
    assert!(ids[0] != ids[1] && ids[1] != ids[2] && ids[0] != ids[2]);
    for (number, id) in (1..=3).zip(&ids) {
        assert_eq!(run_as(&loaded, number, false).history_id, *id);
    }
    let other = load_text("case", SMALL, &["seed=2".to_owned()]).unwrap();
    assert_ne!(run_as(&other, 1, false).history_id, ids[0]);
}

#[test]
fn c63_an_added_group_and_broker_move_nobody_elses_row() {
    let one = run(SMALL);
    let two = run(&SMALL
        .replace("groups: {", "groups: {g101: {topics: [t-1]}, ")
        .replace("history:\n", "history:\n  - add-broker: {at: 0s, broker: 7}\n"));
    for strategy in FOUR {
        let rows = |run: &rebalance_sim::metrics::RunOutcome| -> Vec<String> {
            let lane = crate::support::lane(run, strategy);
            let named = lane.groups.iter().map(|g| (run.groups[g.group.index()].clone(), g));
            let ours = named.filter(|(name, _)| name.starts_with("g-"));
            ours.map(|(name, g)| format!("{name} {} {:?} {:?} {:?}", g.epoch, g.counts, g.first, g.last)).collect()
        };
        assert_eq!(rows(&one).len(), 100);
        assert_eq!(rows(&one), rows(&two), "{strategy}");
    }
}

#[test]
fn c68_nothing_happens_and_no_cell_is_a_nonsense_number() {
    let run = run("duration: 5m\nbrokers: 6\ntopics: {t: {}}\ngroups: {g: {topics: [t]}}\n");
    for strategy in FOUR {
        let o = outcome(&run, strategy);
        assert_eq!((o.counts.rebalances(), o.delay_ms_p50, o.delay_ms_max), (0, None, None));
    }
    let said = problems("duration: 5m\nbrokers: 6\nhistory:\n  - crash: {at: 10m, broker: 1}\n");
    assert!(said.contains("10m") && said.contains("5m"), "{said}");
    assert!(problems("brokers: 6\nhistory:\n  - crash: {at: 1500000000000, broker: 1}\n").contains("unit"));
}

#[test]
fn c10_the_order_of_lists_and_keys_moves_no_byte() {
    let one = "brokers: 6
topics:
  a: {partitions: 4}
  b: {partitions: 6}
  c: {partitions: 2}
groups:
  g1: {members: {m1: {topics: [a, b]}, m2: {topics: [b, c]}}}
  g2: {topics: [c, a], members: 3}
history:
  - roll: {at: 1m, gap: 1m, racks: {a: d}}
  - subscribe: {at: 30s, group: g2, member: m-1, topics: [a, c]}
";
    let two = "history:
  - roll: {racks: {a: d}, gap: 1m, at: 1m}
  - subscribe: {topics: [c, a], member: m-1, at: 30s, group: g2}
groups:
  g2: {members: 3, topics: [a, c]}
  g1: {members: {m2: {topics: [c, b]}, m1: {topics: [b, a]}}}
topics:
  c: {partitions: 2}
  b: {partitions: 6}
  a: {partitions: 4}
brokers: 6
";
    let (x, y) = (run(one), run(two));
    assert_eq!(x.history_id, y.history_id);
    for (a, b) in x.lanes.iter().zip(&y.lanes) {
        let blank = |lane: &rebalance_sim::metrics::LaneOutcome| {
            let mut lane = lane.clone();
            lane.costs.clear();
            format!("{lane:?}")
        };
        assert_eq!(blank(a), blank(b));
        assert_eq!(a.outcome.counts.membership, 0, "the same subscription in another order is the same");
    }
}
