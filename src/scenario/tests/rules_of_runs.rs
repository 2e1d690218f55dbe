//! The rules of the language for a run as a whole: its length, what is set from outside, strategies, sweeps.

use super::*;
use crate::scenario::{LogWindow, Since};
use crate::sim::Ms;

// rule 8: duration and what is set from outside

#[test]
fn the_default_duration_covers_the_last_effect() {
    let seconds = |text: &str| loaded(&with(text)).scenario.duration.0 / 1000 - 600;
    assert_eq!(seconds(""), 0);
    assert_eq!(seconds("history: [{touch: {at: [1m, 2h]}}]\n"), 7200);
    assert_eq!(seconds("history: [{touch: {every: 10s, times: 3}}]\n"), 30);
    assert_eq!(seconds("history: [{crash: {at: 1m, for: 1m..5m, over: 7s}}]\n"), 60 + 300 + 32 + 7);
    assert_eq!(seconds("history: [{crash: {at: 1m}}]\n"), 69);
    assert_eq!(
        seconds("history: [{roll: {at: 0s, brokers: [1, 2], down: 10s, gap: 1m, unfence: 1s}}]\n"),
        20 + 60 + 31
    );
    assert_eq!(seconds("history: [{join: {at: 1m, group: g, for: 5m}}]\n"), 360);
    assert_eq!(seconds("history: [{kill: {at: 1m, group: g}}]\n"), 105);
}

#[test]
fn nothing_may_be_at_or_after_the_end() {
    says(
        &with("duration: 1h\nwarmup: 1h\nhistory: [{roll: {at: 1h, as: late}}]\n"),
        &[
            "4:9: warmup: warmup (1h) leaves nothing of the run (1h)",
            "5:12: history[0]: `late` is at 1h, and the run ends at 1h; nothing at or after the end happens",
        ],
    );
}

#[test]
fn a_bucket_is_a_sixtieth_of_the_run_at_least_a_millisecond() {
    let bucket = |text: &str| loaded(&with(text)).scenario.bucket;
    assert_eq!(bucket("duration: 1h\n"), Ms::secs(60));
    assert_eq!(bucket("duration: 61ms\n"), Ms(2));
    assert_eq!(bucket("duration: 1ms\n"), Ms(1));
    assert_eq!(bucket("duration: 1h\nbucket: 7s\n"), Ms::secs(7));
}

// strategies

#[test]
fn labels_are_the_combinations_that_the_model_lists() {
    let text = with(
        "strategies: [kafka-3.9, kafka-4.0, kafka-4.1, kafka-4.2, kafka-4.3, redpanda, kip-1101-v1, kip-1101-v2, kip-1101-v3]\n",
    );
    let specs = loaded(&text).scenario.strategies;
    let by = |name: &str| specs.iter().find(|s| s.name == name).unwrap().clone();
    assert_eq!(by("kafka-3.9").switches.unregistered, Unregistered::Fail);
    assert_eq!((by("kafka-4.0").kind, by("kafka-4.0").switches.regex_refresh), (StrategyKind::PartitionCount, None));
    for name in ["kafka-4.1", "kafka-4.2", "kafka-4.3"] {
        assert_eq!((by(name).kind, by(name).switches), (StrategyKind::GroupHash, StrategyKind::GroupHash.defaults()));
    }
    assert_eq!(by("redpanda").switches.order, Order::Id);
    assert_eq!(by("kip-1101-v1").kind, StrategyKind::DeltaFlag);
    let v2 = by("kip-1101-v2").switches;
    assert_eq!(
        (v2.hash, v2.racks, v2.unregistered, v2.cache),
        (HashKind::KipDraft, RackReading::Set, Unregistered::Fail, Cache::Draft000)
    );
    let v3 = by("kip-1101-v3").switches;
    assert_eq!((v3.hash, v3.racks), (HashKind::Murmur3, RackReading::Set));
    assert!(specs.iter().all(|s| s.label.as_deref() == Some(&s.name)));
}

#[test]
fn a_switch_that_a_strategy_does_not_use_is_an_error() {
    says(
        &with(
            "strategies:\n  - {as: x, like: delta-flag, trigger: cluster-delta}\n  - {as: z, like: kafka-4.1, rack: set, hash: murmur}\n  - {like: topic-hash, cache: none}\n  - kafka-9\n  - topic-hash\n  - topic-hash\n  - {as: c, like: classic-client, racks: set, watches: all, metadata_age: 30}\n",
        ),
        &[
            "4:31: strategies[0].trigger: delta-flag does not use the switch `trigger`; it uses flag, regex_refresh",
            "5:30: strategies[1].rack: a strategy has no key `rack`; did you mean `racks`?",
            "5:47: strategies[1].hash: hash cannot be `murmur`; did you mean `murmur3`?",
            "6:5: strategies[2]: a strategy with switches of its own needs a name of its own; add `as: NAME`",
            "7:5: strategies[3]: there is no strategy or label `kafka-9`; did you mean `kafka-3.9`?",
            "8:5: strategies[4]: two strategies are called `topic-hash`; add `as: its-own-name`",
            "9:5: strategies[5]: two strategies are called `topic-hash`; add `as: its-own-name`",
            "10:35: strategies[6].racks: classic-client does not use the switch `racks`; it uses metadata_age, client_rack, offline_rack, watches, static_leader, pattern_rejoin, snapshot",
            "10:56: strategies[6].watches: watches cannot be `all`; one of: union, own, owned",
            "10:75: strategies[6].metadata_age: a time needs its unit; write `30ms`, `30s`, `30m`, `30h` or `30d`",
        ],
    );
}

// sweeps, and a history from a file

#[test]
fn a_sweep_has_paths_that_lead_somewhere() {
    says(
        &with("sweep: {groups.g.cuont: [1], cluster.session: 1s..9s, seed: [], runs: 1..5 step 2}\n"),
        &[
            "3:47: sweep.cluster.session: `1s..9s` is no axis; write `[1, 10, 100]` or `10s..60s step 10s`",
            "3:61: sweep.seed: this axis has no values; list some",
        ],
    );
    says(
        &with("sweep: {groups.g.cuont: [1]}\n"),
        &["3:9: sweep.groups.g.cuont: a group has no key `cuont`; did you mean `count`?"],
    );
    assert_eq!(loaded(&with("sweep: {runs: 1..5 step 2}\n")).sweep[0].values, ["1", "3", "5"]);
}

#[test]
fn a_history_can_come_from_a_file() {
    let loaded = loaded(&with("duration: 1h\nhistory: {from: \"happened.jsonl\"}\n"));
    let file = loaded.history_from.unwrap();
    assert_eq!((file.path.as_path(), file.log), (std::path::Path::new("happened.jsonl"), LogWindow::default()));
    assert!(loaded.scenario.history.is_empty());
}

#[test]
fn a_log_has_its_window_and_members_do_things_besides() {
    let log =
        "duration: 1h\nhistory: {from: log.txt, since: 1796044304115, gap: 10ms, also: [leave: {at: 5m, group: g}]}\n";
    let one = loaded(&with(log));
    let window = LogWindow { since: Since::At(1_796_044_304_115), gap: Ms(10) };
    assert_eq!(one.history_from.unwrap().log, window);
    assert_eq!(one.scenario.history[0].name, "leave");
    let relative = loaded(&with("duration: 1h\nhistory: {from: log.txt, since: 90s}\n"));
    assert_eq!(relative.history_from.unwrap().log.since, Since::After(Ms::secs(90)));
    says(
        &with("duration: 1h\nhistory: {from: log.txt, also: [touch: {at: 5m, topic: t}]}\n"),
        &[
            "4:33: history.also[0]: `touch` is no member's doing; the log says what happened to brokers, topics and coordinators; take it away",
        ],
    );
}

#[test]
fn what_follows_from_another_problem_is_not_told_again() {
    says(
        "brokers: 0
topics: {orders: {count: 3, partitions: 0}, audit: {replicas: [[0, 1]]}}
groups: {shop: {topics: 5 of orders, heartbeat: 5}, g: {topics: [audit]}}
history:
  - crash: {at: 1m, broker: 4, fro: 1m, as: first}
  - leave: {at: 1m, group: shop}
expect: [\"missed[group-hash, cause=first, group=shop] == 0\"]
",
        &[
            "1:10: brokers: the number of brokers cannot be 0; it is between 1 and 100000",
            "2:41: topics.orders.partitions: partitions cannot be 0; it is between 1 and 1000000",
            "3:49: groups.shop.heartbeat: a time needs its unit; write `5ms`, `5s`, `5m`, `5h` or `5d`",
            "5:32: history[0].crash.fro: `crash` has no key `fro`; did you mean `from`?",
        ],
    );
}

#[test]
fn groups_that_write_the_same_draw_from_one_list() {
    let text = "topics: {t: 9}\ngroups: {a: {topics: 2 of t}, b: {topics: 3 of t}, c: {topics: 2}, d: {topics: 1}}\n";
    let lists: Vec<std::sync::Arc<[String]>> = loaded(text)
        .scenario
        .groups
        .iter()
        .map(|group| match &group.topics {
            TopicPick::Draw { of, .. } => of.clone(),
            TopicPick::These(_) => panic!(),
        })
        .collect();
    assert!(std::sync::Arc::ptr_eq(&lists[0], &lists[1]));
    assert!(std::sync::Arc::ptr_eq(&lists[2], &lists[3]));
}
