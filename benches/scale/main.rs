//! What runs cost at size, each beside its target: `cargo bench --bench scale`, or some of them by name:
//! `cargo bench --bench scale -- billions walk`. `million` takes a while and is made only when named; `groups=50000`
//! makes it smaller. Whole commands of the release binary, and parts of it in this process (`inside.rs`), on a quiet
//! machine; compare ratios of one run.
#![expect(clippy::disallowed_methods, reason = "a benchmark reads the machine's clock")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[path = "../../src/alloc.rs"]
mod alloc;
mod inside;

use Target::{AtLeast, AtMost};

/// What a command took: seconds of wall and of processor time, and the most memory in MiB.
#[derive(Clone, Copy, Debug, Default)]
struct Took {
    wall: f64,
    cpu: f64,
    mib: u64,
}

impl Took {
    fn mib(&self) -> f64 {
        f64::from(u32::try_from(self.mib).expect("a machine has less"))
    }
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
    println!("{:<50}{:>18}  {:>18}   of it", "", "here", "target");
    bench.billions();
    bench.durations();
    bench.million();
    bench.walk();
    bench.around_a_strategy();
    bench.making();
    bench.memory();
    bench.start();
    bench.threads();
    let _ = fs::remove_dir_all(&bench.results);
}

/// What a figure is to be, in the unit that it is given in.
#[derive(Clone, Copy)]
enum Target {
    AtMost(f64),
    AtLeast(f64),
}

/// Prints a figure, its target and how much of the target it is.
fn say(what: &str, here: f64, unit: &str, target: Target) {
    let (sign, value, met) = match target {
        AtMost(most) => ("≤", most, here <= most),
        AtLeast(least) => ("≥", least, here >= least),
    };
    let decimals = if here < 100.0 { 2 } else { 0 };
    let (here_is, target_is) = (format!("{here:.decimals$} {unit}"), format!("{sign} {value} {unit}"));
    let ratio = here / value;
    println!("{what:<50}{here_is:>18}  {target_is:>18}   {ratio:.2} ×{}", if met { "" } else { "  not met" });
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
        say("8.6 billion heartbeats, six strategies, counted", took.cpu, "s CPU", AtMost(10.0));
        say("  memory", took.mib(), "MiB", AtMost(2048.0));
    }

    fn durations(&self) {
        if !self.is_wanted("durations", true) {
            return;
        }
        let hour = self.run("roll.yaml", &["--counted"]);
        let days = self.run("roll.yaml", &["--counted", "--set", "duration=240h"]);
        say(
            &format!("the same events in 240 h against 1 h ({:.1} s)", hour.cpu),
            days.cpu / hour.cpu,
            "×",
            AtMost(1.2),
        );
    }

    fn million(&self) {
        if !self.is_wanted("million", false) {
            return;
        }
        let groups = self.wanted.iter().find_map(|w| w.strip_prefix("groups=")).unwrap_or("1000000");
        let took =
            self.run("million.yaml", &["--counted", "--set", &format!("groups.g.count={groups}"), "--max-time", "30d"]);
        let part = groups.parse::<f64>().expect("a number of groups") / 1e6;
        say(&format!("{groups} groups for a day, counted"), took.cpu, "s CPU", AtMost(120.0 * part));
        say("  memory", took.mib(), "MiB", AtMost(2048.0));
    }

    fn walk(&self) {
        if !self.is_wanted("walk", true) {
            return;
        }
        let walked = self.run("walk.yaml", &["--exhaustive"]);
        let arithmetic = self.run("walk.yaml", &[]);
        let beats = 100_000.0 * 720.0 * 2.0;
        let rate = beats / (walked.cpu - arithmetic.cpu) / 1e6;
        say("heartbeats walked, 100,000 members", rate, "million/s", AtLeast(20.0));
    }

    fn threads(&self) {
        if !self.is_wanted("threads", true) {
            return;
        }
        let pair = |file: &str| {
            let one = self.run(file, &["--counted", "--set", "runs=2"]).wall;
            let two = self.run(file, &["--counted", "--set", "runs=2", "--threads", "2"]).wall;
            one / two
        };
        let long = median((0..3).map(|_| pair("billions.yaml")).collect());
        say("two runs of billions.yaml on two threads", long, "×", AtLeast(1.9));
        // a run of less than a second is over about as soon as its charts are drawn
        let short = median((0..9).map(|_| pair("roll.yaml")).collect());
        say("  of roll.yaml", short, "×", AtLeast(1.9));
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
