//! Parts of a run, in this process.

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::Instant;

use rebalance_sim::experiment::{RunOptions, Way, replay};
use rebalance_sim::metrics::{NoMeter, Readings, ideal};
use rebalance_sim::scenario::{Scenario, load_text};
use rebalance_sim::sim::Ms;
use rebalance_sim::world::{self, Heartbeats, History};
use rustix::time::{ClockId, clock_gettime};

use super::Target::AtMost;
use super::{Bench, alloc, median, say};

/// What it took to replay a history.
struct Replayed {
    /// How often groups looked, in the first lane.
    refreshes: u64,
    /// Bytes held at the most, as far as it was asked.
    most: i64,
    /// Seconds of processor time, from when everything is there that is worked out once for all lanes and the ideal, to where
    /// it was asked last.
    cpu: f64,
    /// From the beginning, to the same.
    with_readings: f64,
}

/// Replays a history as a command does it, in one thread, with meters that cost nothing.
fn replayed(scenario: &Scenario, history: &History, way: Way) -> Replayed {
    let (most, began, asked) = (AtomicI64::new(0), OnceLock::new(), Mutex::new(0.0));
    let go_on = |_| {
        began.get_or_init(cpu);
        most.fetch_max(alloc::allocated().live, Ordering::Relaxed);
        *asked.lock().expect("one thread") = cpu();
        true
    };
    let options = RunOptions { way, keep_bumps: 0, rounds: 1, meter: &NoMeter, go_on: &go_on };
    let start = cpu();
    let run = replay(scenario, history, 1, 0, options).expect("nobody stops it");
    let asked = asked.into_inner().expect("one thread");
    let cpu = asked - began.get().expect("it was asked at the beginning");
    Replayed { refreshes: run.lanes[0].outcome.refreshes, most: most.into_inner(), cpu, with_readings: asked - start }
}

fn scenario(name: &str, text: &str) -> Scenario {
    load_text(name, text, &[]).unwrap_or_else(|problems| panic!("{problems}")).scenario
}

/// Seconds of processor time of this thread: others may be at work on the machine.
fn cpu() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let whole = f64::from(u32::try_from(time.tv_sec).expect("a bench is short"));
    whole + f64::from(u32::try_from(time.tv_nsec).expect("less than a second")) / 1e9
}

fn float(number: u64) -> f64 {
    f64::from(u32::try_from(number).expect("a bench is small"))
}

impl Bench {
    /// Everything but the strategy, of measured mode, with clocks that cost nothing. A strategy that hardly does anything
    /// stands for what is around one.
    pub(super) fn around_a_strategy(&self) {
        if !self.is_wanted("around", true) {
            return;
        }
        // ten thousand minutes: what a lane takes to begin is little beside them
        let text = "
duration: 7d
brokers: 6
topics: {t: {partitions: 2000}}
groups: {g: {members: 500, topics: [t]}}
history: [{add-partitions: {every: 1m, times: 10000, topic: t, by: 1}}]
strategies: [delta-flag, partition-count, {as: set, like: delta-flag, flag: replicas-differ},
             {as: cluster, like: partition-count, trigger: cluster-delta}]
";
        let four = scenario("around", text);
        let history = world::make(&four, 1).expect("it can happen");
        let ns = |strategies: usize| {
            let mut scenario = four.clone();
            scenario.strategies.truncate(strategies);
            // the books, the lane that does nothing, and the lanes of strategies that hardly do anything
            let one = |_| {
                let took = replayed(&scenario, &history, Way::Measured);
                [took.cpu, took.with_readings].map(|cpu| cpu * 1e9 / float(took.refreshes * strategies as u64))
            };
            let all: Vec<[f64; 2]> = (0..15).map(one).collect();
            [0, 1].map(|which| median(all.iter().map(|of| of[which]).collect()))
        };
        let ([four, with_readings], [alone, _]) = (ns(4), ns(1));
        say("around a strategy, a refresh of 500 members", four, "ns", AtMost(300.0));
        say("  and what is worked out once for all groups", with_readings, "ns", AtMost(300.0));
        say("  the only strategy", alone, "ns", AtMost(300.0));
    }

    /// What the million groups take for each member and each group more: their history, and what is counted once a run.
    /// Few topics, so that little else is in it.
    pub(super) fn making(&self) {
        if !self.is_wanted("making", true) {
            return;
        }
        let text = fs::read_to_string(self.folder.join("million.yaml")).expect("it is beside this");
        let took = |groups: u32| {
            let mut text = text.clone();
            for (old, new) in
                [("{count: 10000,", "{count: 200,".to_owned()), ("count: 1000000", format!("count: {groups}"))]
            {
                assert!(text.contains(old), "{old}");
                text = text.replace(old, &new);
            }
            let scenario = scenario("million", &text);
            let began = cpu();
            let history = world::make(&scenario, 1).expect("it can happen");
            let heartbeats = Heartbeats::new(&history);
            let made = cpu() - began;
            let readings = Readings::new(&history, Vec::new());
            let began = cpu();
            black_box(ideal(&history, &heartbeats, &readings, Ms::ZERO));
            (made, cpu() - began)
        };
        let ((made_few, ideal_few), (made, ideal)) = (took(20_000), took(220_000));
        say("the million's history, each member", (made - made_few) * 1e6 / 2e6, "µs", AtMost(1.5));
        say("  its ideal, each group", (ideal - ideal_few) * 1e6 / 2e5, "µs", AtMost(10.0));
    }

    /// What is held for each member and each group more, at the most, while a counted lane is replayed.
    pub(super) fn memory(&self) {
        if !self.is_wanted("memory", true) {
            return;
        }
        let held = |groups: u32, members: u32| {
            let text = format!(
                "
duration: 1h
brokers: 6
topics: {{t: {{count: 100, partitions: 10}}}}
groups: {{g: {{count: {groups}, members: {members}, topics: 5 of t}}}}
history: [{{roll: {{at: 1m, gap: 4m, down: 30s, racks: {{a: d, b: e, c: f}}}}}}]
strategies: [group-hash]
"
            );
            let scenario = scenario("memory", &text);
            let before = alloc::allocated().live;
            let history = world::make(&scenario, 1).expect("it can happen");
            let heartbeats = Heartbeats::new(&history);
            let alone = alloc::allocated().live - before;
            drop(heartbeats);
            let most = replayed(&scenario, &history, Way::Counted).most;
            (bytes(alone), bytes(most - before))
        };
        // so many that every shard's cache has every topic: what each group more takes is its own
        let (few, many, more) = (held(20_000, 10), held(20_000, 30), held(60_000, 10));
        let each = |few: f64, many: f64, more: f64| {
            let member = (many - few) / 400_000.0;
            (member, (more - few) / 40_000.0 - 10.0 * member)
        };
        let (history, all) = (each(few.0, many.0, more.0), each(few.1, many.1, more.1));
        say("memory of a member, history and counted lane", all.0, "B", AtMost(16.0));
        say("  the history alone", history.0, "B", AtMost(16.0));
        say("memory of a group on 5 topics", all.1, "B", AtMost(200.0));
        say("  the history alone", history.1, "B", AtMost(200.0));
    }

    /// From nothing to where the first event could be replayed.
    pub(super) fn start(&self) {
        if !self.is_wanted("start", true) {
            return;
        }
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/quickstart.yaml");
        let text = fs::read_to_string(file).expect("a scenario is shipped");
        let made = || {
            let began = Instant::now();
            black_box(world::make(&scenario("quickstart", &text), 1).expect("it can happen").events.len());
            began.elapsed().as_secs_f64() * 1e3
        };
        let started = || {
            let began = Instant::now();
            let mut command = Command::new(env!("CARGO_BIN_EXE_rebalance-sim"));
            assert!(command.arg("--version").stdout(Stdio::null()).status().expect("it starts").success());
            began.elapsed().as_secs_f64() * 1e3
        };
        let [made, started] = [median((0..15).map(|_| made()).collect()), median((0..15).map(|_| started()).collect())];
        say("start to first event, quickstart", started + made, "ms", AtMost(5.0));
    }
}

fn bytes(number: i64) -> f64 {
    f64::from(i32::try_from(number).expect("a bench holds less than 2 GiB"))
}
