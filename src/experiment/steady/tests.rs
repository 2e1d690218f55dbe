//! Groups one after the other against the lane that goes in order of time, on random histories in which nobody comes or
//! goes: the same rows, to the last bump and byte.

use std::fmt::Write as _;

use super::*;
use crate::kafka::NameTable;
use crate::metrics::{Readings, rolls};
use crate::scenario::{Scenario, load_text};
use crate::strategy::registry;
use crate::world::{self, Heartbeats};

use super::super::NoTimer;
use super::super::lane::Lane;
use super::super::run::readings_of;

/// What fits, and beside each something that a switch changes.
const STRATEGIES: [&str; 15] = [
    "full-metadata",
    "partition-count",
    "topic-hash",
    "group-hash",
    "group-hash-uncached",
    "delta-flag",
    "{as: flag, like: delta-flag, flag: replicas-differ}",
    "{as: multi, like: full-metadata, racks: multiset, include_topic_id: false, unregistered: skip}",
    "{as: set, like: group-hash, racks: set, unregistered: skip, hash: xxh3}",
    "{as: cluster, like: group-hash, trigger: cluster-delta}",
    "{as: cluster-map, like: topic-hash, trigger: cluster-delta, cache: none}",
    "{as: text, like: topic-hash, cache: draft-000}",
    "{as: blind, like: topic-hash, racks: ignored}",
    // these two do not fit
    "as-deployed",
    "{as: fresh, like: group-hash, rehash: all-on-bump}",
];

struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) % n
    }

    fn one<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[usize::try_from(self.below(list.len() as u64)).unwrap()]
    }
}

fn scenario(number: u64) -> String {
    let mut dice = Dice(number);
    let mut text = format!("seed: {number}\nduration: 20m\n{}", dice.one(&["", "warmup: 4m\n", "bucket: 7s\n"]));
    let (shards, lag, load) =
        (1 + dice.below(4), dice.one(&["0s", "0s", "50ms..4s"]), dice.one(&["0s", "1s", "7s", "50s"]));
    let (deltas, where_) = (dice.one(&["per-leader", "1", "3"]), dice.one(&["apart", "brokers", "brokers"]));
    let _ = writeln!(
        text,
        "cluster: {{coordinators: {where_}, offsets_partitions: {shards}, load_time: {load}, metadata_lag: {lag}, \
         start: {{unfence: 2s, catch_up: {}, isr_deltas: {deltas}}}}}\nbrokers: {}",
        dice.one(&["30s", "0s"]),
        3 + dice.below(5)
    );
    let _ =
        writeln!(text, "topics:\n  t: {{count: {}, partitions: 1..6, rf: {}}}", 2 + dice.below(9), 1 + dice.below(3));
    let _ = writeln!(
        text,
        "groups:\n  g: {{count: {}, members: 1..4, topics: 1..2 of t, heartbeat: {}}}\n  \
         w: {{count: 3, members: 2, topics: all, rack_aware: false, heartbeat: 7s, patience: 20s}}\n  \
         m: {{members: {{a: {{topics: [t-1]}}, b: {{topics: [t-2, new-1]}}, c: {{topics: [nowhere]}}}}}}\nhistory:",
        1 + dice.below(30),
        dice.one(&["5s", "3s", "1ms", "200ms"])
    );
    for entry in 0..1 + dice.below(9) {
        let ms = 1000 + dice.below(1_000_000);
        let at = format!("at: {ms}ms");
        let rack = dice.one(&["", ", rack: d", ", rack: null", ", racks: {a: b}"]);
        let line = match dice.below(17) {
            0..3 => format!("restart: {{{at}, broker: any{rack}"),
            3 => format!("crash: {{{at}, broker: any, for: {}", dice.one(&["4s", "100s"])),
            4 => format!("add-partitions: {{{at}, topic: any, by: 2"),
            5 => format!("create-topic: {{{at}, topic: new-{}, partitions: 2, rf: 2", dice.below(2)),
            6 => format!("delete-topic: {{{at}, topic: any"),
            7 => format!("recreate-topic: {{{at}, topic: any, gap: {}", dice.one(&["0s", "7s"])),
            8 => format!("reassign: {{{at}, moves: 2, within: any, takes: {}", dice.one(&["0s", "20s"])),
            9 => format!("touch: {{{at}, topic: {}", dice.one(&["any", "all"])),
            10 => format!("move-coordinator: {{{at}, shard: {}, load: {}s", dice.one(&["all", "any"]), dice.below(30)),
            11 => format!("snapshot-reload: {{{at}"),
            12 => format!("set-rf: {{{at}, topic: any, rf: {}, takes: 8s", 1 + dice.below(3)),
            13 => format!("add-broker: {{{at}, broker: {}{}", 20 + entry, dice.one(&["", ", rack: d"])),
            14 if number.is_multiple_of(3) => {
                format!(
                    "shutdown: {{{at}, broker: any, as: d{entry}}}\n  - unregister: {{at: {}ms, broker: all",
                    ms + 60_000
                )
            }
            _ => format!("roll: {{{at}, gap: 40s, down: 20s{rack}"),
        };
        let _ = writeln!(text, "  - {line}, as: e{entry}}}");
    }
    let there = |s: &&&str| where_ == "brokers" || **s != "as-deployed";
    text.push_str("strategies:\n");
    STRATEGIES.iter().filter(there).for_each(|strategy| writeln!(text, "  - {strategy}").unwrap());
    text
}

/// Both ways of all lanes that fit; how many there are.
fn hold(text: &str, keep_bumps: usize) -> usize {
    let loaded = load_text("steady", text, &[]).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
    let scenario: &Scenario = &loaded.scenario;
    let Ok(history) = world::make(scenario, 1) else { return 0 };
    let heartbeats = Heartbeats::new(&history);
    let readings = Readings::new(&history, scenario.strategies.iter().flat_map(readings_of).collect());
    let names = NameTable::new(&history.names.topics, &history.names.racks);
    let rolls = rolls(scenario, &history);
    let stage = Stage {
        history: &history,
        heartbeats: &heartbeats,
        readings: &readings,
        names: &names,
        rolls: &rolls,
        assigning: None,
    };
    let options = LaneOptions {
        exhaustive: false,
        in_order: false,
        counted: true,
        warmup: scenario.warmup,
        bucket: scenario.bucket,
        keep_bumps,
        message_max_bytes: scenario.cluster.message_max_bytes,
        share_init: scenario.cluster.share_init,
    };
    let Steady::Done(lanes) = replay(stage, &scenario.strategies, options, &|_| true) else { return 0 };
    for (spec, lane) in scenario.strategies.iter().zip(&lanes) {
        let Some(lane) = lane else { continue };
        let plain = Lane::new(stage, spec, &registry::make, options, &mut NoTimer).replay(&|_| true).unwrap();
        let (plain, steady) = (format!("{plain:#?}"), format!("{lane:#?}"));
        if let Some(at) = plain.lines().zip(steady.lines()).position(|(a, b)| a != b) {
            let near = |rows: &str| rows.lines().skip(at.saturating_sub(12)).take(16).collect::<Vec<_>>().join("\n");
            panic!("{}: plain {}\nsteady {}\n{text}", spec.name, near(&plain), near(&steady));
        }
        assert_eq!(plain.len(), steady.len(), "{}\n{text}", spec.name);
        let done = work(stage, &|| registry::make(spec), scenario.warmup, &mut NoTimer, &|_| true).unwrap();
        assert!(done.is_booked(lane), "{}: {done:?} is not {:?}\n{text}", spec.name, lane.outcome);
    }
    lanes.iter().flatten().count()
}

#[test]
fn groups_one_after_the_other_give_the_rows_of_order_in_time() {
    let lanes: Vec<usize> = (0..40)
        .flat_map(|by| {
            [(by * 3, 1_000_000), (by * 3 + 1, 7), (by * 3 + 2, 0)].map(|(number, keep)| hold(&scenario(number), keep))
        })
        .collect();
    let (held, runs) = (lanes.iter().sum::<usize>(), lanes.iter().filter(|lanes| **lanes > 0).count());
    assert!(runs > 80 && held > 12 * runs, "{held} lanes of {runs} scenarios were held against each other");
}
