//! What runs cost at size, each beside its target: `cargo bench --bench scale`, or some of them by name:
//! `cargo bench --bench scale -- billions walk`. `million` takes a while and is made only when named; `groups=50000`
//! makes it smaller. Whole commands of the release binary, on a quiet machine; compare ratios of one run.
#![expect(clippy::disallowed_methods, reason = "a benchmark reads the machine's clock")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rebalance_sim::experiment::{Lane, LaneOptions, NoTimer, Stage};
use rebalance_sim::kafka::NameTable;
use rebalance_sim::metrics::Readings;
use rebalance_sim::scenario::{StrategyKind, StrategySpec, load_text};
use rebalance_sim::sim::Ms;
use rebalance_sim::strategy::Nothing;
use rebalance_sim::world::{self, Heartbeats};

/// What a command took: seconds of wall and of processor time, and the most memory in MiB.
#[derive(Clone, Copy, Debug, Default)]
struct Took {
    wall: f64,
    cpu: f64,
    mib: u64,
}

struct Bench {
    folder: PathBuf,
    results: PathBuf,
    wanted: Vec<String>,
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/scale");
    let results = std::env::temp_dir().join(format!("rebalance-sim-scale-{}", std::process::id()));
    let bench = Bench { folder, results, wanted };
    println!("{:<46}{:>22}   target", "", "here");
    bench.billions();
    bench.durations();
    bench.million();
    bench.walk();
    bench.around_a_strategy();
    bench.start();
    bench.threads();
    let _ = fs::remove_dir_all(&bench.results);
}

fn say(what: &str, here: &str, target: &str) {
    println!("{what:<46}{here:>22}   {target}");
}

fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}

impl Bench {
    fn is_wanted(&self, name: &str, by_default: bool) -> bool {
        let named = self.wanted.iter().any(|wanted| wanted == name);
        named || (by_default && self.wanted.iter().all(|wanted| wanted.contains('=')))
    }

    /// Runs the program and watches what it takes.
    fn run(&self, file: &str, args: &[&str]) -> Took {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rebalance-sim"));
        command.arg("run").arg(self.folder.join(file)).args(args).arg("--quiet").arg("--out").arg(&self.results);
        let began = Instant::now();
        let mut child = command.stdout(Stdio::null()).spawn().expect("the program starts");
        let mut took = Took::default();
        let status = loop {
            if let Some(status) = child.try_wait().expect("it can be waited for") {
                break status;
            }
            took = seen(child.id()).unwrap_or(took);
            std::thread::sleep(Duration::from_millis(5));
        };
        assert!(status.success(), "{file} {args:?} failed");
        Took { wall: began.elapsed().as_secs_f64(), ..took }
    }

    fn billions(&self) {
        if !self.is_wanted("billions", true) {
            return;
        }
        let took = self.run("billions.yaml", &["--counted"]);
        say(
            "8.6 billion heartbeats, six strategies, counted",
            &format!("{:.1} s CPU, {} MiB", took.cpu, took.mib),
            "10 s, 2048 MiB",
        );
    }

    fn durations(&self) {
        if !self.is_wanted("durations", true) {
            return;
        }
        let hour = self.run("roll.yaml", &["--counted"]);
        let days = self.run("roll.yaml", &["--counted", "--set", "duration=240h"]);
        let ratio = days.cpu / hour.cpu;
        say("the same events in 240 h against 1 h", &format!("{ratio:.2} × ({:.1} s)", hour.cpu), "1.2 ×");
    }

    fn million(&self) {
        if !self.is_wanted("million", false) {
            return;
        }
        let groups = self.wanted.iter().find_map(|w| w.strip_prefix("groups=")).unwrap_or("1000000");
        let took =
            self.run("million.yaml", &["--counted", "--set", &format!("groups.g.count={groups}"), "--max-time", "30d"]);
        say(
            &format!("{groups} groups for a day, counted"),
            &format!("{:.0} s CPU, {} MiB", took.cpu, took.mib),
            "120 s, 2048 MiB (a million)",
        );
    }

    fn walk(&self) {
        if !self.is_wanted("walk", true) {
            return;
        }
        let walked = self.run("walk.yaml", &["--exhaustive"]);
        let arithmetic = self.run("walk.yaml", &[]);
        let beats = 100_000.0 * 720.0 * 2.0;
        let rate = beats / (walked.cpu - arithmetic.cpu) / 1e6;
        say("heartbeats walked, 100,000 members", &format!("{rate:.1} million/s"), "20 million/s");
    }

    /// Everything but the strategy, of measured mode, with clocks that cost nothing.
    fn around_a_strategy(&self) {
        if !self.is_wanted("around", true) {
            return;
        }
        let text = "
brokers: 6
topics: {t: {partitions: 2000}}
groups: {g: {members: 500, topics: [t]}}
history: [{add-partitions: {every: 1m, times: 10000, topic: t, by: 1}}]
strategies: [group-hash]
";
        let loaded = load_text("around", text, &[]).unwrap_or_else(|problems| panic!("{problems}"));
        let history = world::make(&loaded.scenario, 1).expect("it can happen");
        let heartbeats = Heartbeats::new(&history);
        let readings = Readings::new(&history, Vec::new());
        let names = NameTable::new(&history.names.topics, &history.names.racks);
        let stage = Stage {
            history: &history,
            heartbeats: &heartbeats,
            readings: &readings,
            names: &names,
            rolls: &[],
            assigning: None,
        };
        let options = LaneOptions {
            exhaustive: false,
            counted: false,
            warmup: Ms::ZERO,
            bucket: loaded.scenario.bucket,
            keep_bumps: 0,
            message_max_bytes: u64::MAX,
            share_init: loaded.scenario.cluster.share_init,
        };
        let spec = StrategySpec::bare(StrategyKind::DeltaFlag);
        let one = || {
            let mut timer = NoTimer;
            let began = Instant::now();
            let lane = Lane::new(stage, &spec, &|_| Box::new(Nothing), options, &mut timer).replay(&|_| true);
            let refreshes = lane.expect("nobody stops it").outcome.refreshes;
            began.elapsed().as_secs_f64() * 1e9 / f64::from(u32::try_from(refreshes).expect("a bench is small"))
        };
        let ns = median((0..7).map(|_| one()).collect());
        say("around a strategy, one group of 500 members", &format!("{ns:.0} ns a refresh"), "300 ns");
    }

    fn start(&self) {
        if !self.is_wanted("start", true) {
            return;
        }
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/quickstart.yaml");
        let text = fs::read_to_string(file).expect("a scenario is shipped");
        let made = || {
            let began = Instant::now();
            let loaded = load_text("quickstart", &text, &[]).unwrap_or_else(|problems| panic!("{problems}"));
            std::hint::black_box(world::make(&loaded.scenario, 1).expect("it can happen").events.len());
            began.elapsed().as_secs_f64() * 1e3
        };
        let started = || {
            let began = Instant::now();
            let mut command = Command::new(env!("CARGO_BIN_EXE_rebalance-sim"));
            assert!(command.arg("--version").stdout(Stdio::null()).status().expect("it starts").success());
            began.elapsed().as_secs_f64() * 1e3
        };
        let [made, started] = [median((0..15).map(|_| made()).collect()), median((0..15).map(|_| started()).collect())];
        say("start to first event, quickstart", &format!("{started:.1} + {made:.1} ms"), "5 ms");
    }

    fn threads(&self) {
        if !self.is_wanted("threads", true) {
            return;
        }
        let pair = || {
            let one = self.run("roll.yaml", &["--counted", "--set", "runs=2"]).wall;
            let two = self.run("roll.yaml", &["--counted", "--set", "runs=2", "--threads", "2"]).wall;
            one / two
        };
        let ratio = median((0..5).map(|_| pair()).collect());
        say("two runs on two threads against one", &format!("{ratio:.2} ×"), "1.9 ×");
    }
}

/// What a process has taken so far.
fn seen(id: u32) -> Option<Took> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks: f64 = fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?;
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = most.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(Took { wall: 0.0, cpu: ticks / 100.0, mib: kib / 1024 })
}
