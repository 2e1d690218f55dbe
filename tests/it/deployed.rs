//! `as-deployed`: on each shard what its leader's release does, and what each release leaves to the next.

use rebalance_sim::coordinator::RecordType;
use rebalance_sim::metrics::{Origin, RunOutcome};

use crate::support::{counts, lane, load, run, run_as, verdict};

/// A fleet of one release, and what happens to it.
fn fleet(version: &str, history: &str) -> String {
    format!(
        "cluster: {{version: {version}}}\nbrokers: 6\ntopics: {{t: {{count: 10, partitions: 6}}}}\n\
         groups: {{g: {{count: 60, members: 2, topics: 3 of t}}}}\nduration: 7h\nhistory:\n{history}\
         strategies: [as-deployed, kafka-3.9, kafka-4.0, kafka-4.1]\n"
    )
}

const UP_DOWN_UP: &str = "  - roll: {at: 1h, to: kafka-4.1, as: up}\n  - roll: {at: 3h, to: kafka-4.0, as: down}\n  \
                          - roll: {at: 5h, to: kafka-4.1, as: again}\n";

/// Rebalances by the entry behind them.
fn by_cause(run: &RunOutcome) -> Vec<(&str, u64)> {
    let of = &lane(run, "as-deployed").causes;
    of.iter()
        .map(|c| match c.cause {
            Origin::Entry(entry) => (run.entries[entry as usize].as_str(), c.counts.rebalances()),
            other => panic!("{other:?}"),
        })
        .collect()
}

#[test]
fn a_fleet_of_one_release_does_what_that_release_does() {
    for release in ["kafka-3.9", "kafka-4.0", "kafka-4.1"] {
        let run = run(&fleet(release, "  - roll: {at: 1h, racks: {a: d}}\n  - add-partitions: {at: 4h, topic: t-1}\n"));
        let (own, deployed) = (lane(&run, release), lane(&run, "as-deployed"));
        assert!(own.outcome.counts.rebalances() > 0, "{release}");
        assert_eq!((&own.outcome, &own.bumps), (&deployed.outcome, &deployed.bumps), "{release}");
    }
}

#[test]
fn an_upgrade_from_4_0_rebalances_every_group_once_for_nothing_and_a_plain_roll_nobody() {
    let up = run(&fleet("kafka-4.0", "  - roll: {at: 1h, to: kafka-4.1, as: up}\n"));
    assert_eq!(verdict(&up, "as-deployed"), (60, 60, 0));
    assert_eq!((counts(&up, "as-deployed").repeat, by_cause(&up)), (0, vec![("up", 60)]));
    assert_eq!(lane(&up, "as-deployed").outcome.max_per_group, 1);
    for version in ["kafka-3.9", "kafka-4.0", "kafka-4.1"] {
        assert_eq!(verdict(&run(&fleet(version, "  - roll: {at: 1h}\n")), "as-deployed"), (0, 0, 0), "{version}");
    }
}

#[test]
fn up_down_and_up_again_costs_a_rebalance_each_time() {
    let run = run(&fleet("kafka-4.0", UP_DOWN_UP));
    assert_eq!(by_cause(&run), [("up", 60), ("down", 60), ("again", 60)]);
    assert_eq!(verdict(&run, "as-deployed"), (180, 180, 0));
    assert_eq!(counts(&run, "as-deployed").repeat, 0, "another release's value is caught up with, not repeated");
}

#[test]
fn who_brought_the_release_is_the_cause_and_who_moved_the_shard_the_trigger() {
    let history = "  - restart: {at: 1h, broker: 0, to: kafka-4.1, as: up}\n  \
                   - move-coordinator: {at: 3h, shard: all, to: 0, as: move}\n";
    // of three brokers each has a replica of every shard: all can move to broker 0
    let fleet = fleet("kafka-4.0", history).replace("brokers: 6", "brokers: 3");
    let run = run(&fleet.replace("kafka-4.0}", "kafka-4.0, leader_rebalance: off}"));
    assert_eq!(by_cause(&run), [("up", 60)]);
    let Origin::Entry(trigger) = lane(&run, "as-deployed").causes[0].trigger else { panic!() };
    assert_eq!(run.entries[trigger as usize], "move");
}

#[test]
fn from_3_9_to_4_0_and_back_racks_are_ignored_and_then_missed() {
    // 4.0 reads 3.9's maps and sees no difference; 3.9 reads 4.0's as maps without racks. Between the two rolls every
    // group rebalances on 4.0, which writes its own map over 3.9's.
    let history = "  - roll: {at: 1h, to: kafka-4.0, as: up}\n  - add-partitions: {at: 3h, topic: all, as: grow}\n  \
                   - roll: {at: 5h, to: kafka-3.9, as: down}\n";
    let with = run(&fleet("kafka-3.9", history));
    assert_eq!(by_cause(&with), [("grow", 60), ("down", 60)]);
    // without it 3.9 finds its own maps again
    let without =
        run(&fleet("kafka-3.9", &history.replace("  - add-partitions: {at: 3h, topic: all, as: grow}\n", "")));
    assert_eq!(verdict(&without, "as-deployed").0, 0);
}

#[test]
fn a_map_that_4_1_finds_is_tombstoned_once() {
    let run = run(&fleet("kafka-4.0", UP_DOWN_UP));
    let log = &lane(&run, "as-deployed").log;
    let maps = log.appended.of(RecordType::PartitionMetadata);
    // two upgrades tombstone 60 maps each; the way down writes 60
    assert_eq!((maps.tombstones, maps.records), (120, 180));
    assert_eq!(log.live.of(RecordType::PartitionMetadata).records, 0);
}

#[test]
fn the_plain_walk_agrees_to_the_byte() {
    let loaded = load(&fleet("kafka-4.0", UP_DOWN_UP));
    let (short, walked) = (run_as(&loaded, 1, false), run_as(&loaded, 1, true));
    let (a, b) = (lane(&short, "as-deployed"), lane(&walked, "as-deployed"));
    assert_eq!((&a.outcome, &a.heap, &a.log), (&b.outcome, &b.heap, &b.log));
}
