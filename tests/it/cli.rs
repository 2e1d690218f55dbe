//! The command line from outside: what it prints where, what it writes, and with which code it ends.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Files that must be the same to the byte.
const REPRODUCIBLE: [&str; 10] = [
    "outcomes.csv",
    "causes.csv",
    "groups.csv",
    "timeline.csv",
    "bumps.csv",
    "heap.csv",
    "log.csv",
    "delays.csv",
    "strips.csv",
    "marks.csv",
];

pub(crate) const SMALL: &str = "\
# A broker comes back in another rack.
brokers: 6
topics: {orders: {count: 20, partitions: 6}}
groups: {shop: {count: 12, topics: 4 of orders}}
history: [{restart: {at: 10m, broker: 2, rack: d}}]
strategies: [full-metadata, group-hash]
expect: [missed == 0]
";

/// Runs the program in a folder.
pub(crate) fn sim(home: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rebalance-sim"));
    command.current_dir(home).args(args).env_remove("RUST_BACKTRACE").env_remove("NO_COLOR");
    command.output().unwrap()
}

pub(crate) fn home_with(name: &str, text: &str) -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join(name), text).unwrap();
    home
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

pub(crate) fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The exit code and the one thing it said.
#[track_caller]
pub(crate) fn refused(home: &Path, args: &[&str], code: i32, words: &str) {
    let output = sim(home, args);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{said}");
    assert!(said.contains(words), "{said}");
    assert!(!said.contains("panicked"), "{said}");
    assert_eq!(text(&output.stdout), "");
}

/// As on a full disk: no file may grow beyond so many blocks of 512 bytes.
#[cfg(unix)]
fn sim_with_little_room(home: &Path, blocks: u32, args: &str) -> Output {
    let program = env!("CARGO_BIN_EXE_rebalance-sim");
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec '{program}' {args}");
    Command::new("sh").current_dir(home).args(["-c", &script]).output().unwrap()
}

#[test]
#[cfg(unix)]
fn where_there_is_no_room_nothing_is_half_written_and_what_was_there_stays() {
    let home = home_with("small.yaml", SMALL);
    assert_eq!(sim(home.path(), &["run", "small.yaml", "-q"]).status.code(), Some(0));
    let folder = home.path().join("results/small");
    let before = names(&folder);
    let outcomes = fs::read(folder.join("outcomes.csv")).unwrap();
    for (blocks, args, file) in [
        (4, "run small.yaml --seed 2", "results/.unfinished"),
        (4, "report small", "report.html"),
        (4, "chart small --out charts", "charts"),
        (1, "sweep small.yaml --set 'sweep={seed: [1, 2]}' --out swept", "swept"),
    ] {
        let output = sim_with_little_room(home.path(), blocks, args);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{args}: {said}");
        assert!(said.contains("cannot write") && said.contains(file), "{args}: {said}");
        assert_eq!(names(&folder), before, "{args}");
        assert_eq!(names(&home.path().join("results")), ["small"], "{args}");
    }
    assert_eq!(fs::read(folder.join("outcomes.csv")).unwrap(), outcomes);
}

#[test]
fn run_prints_the_table_and_writes_every_file() {
    let home = home_with("small.yaml", SMALL);
    let output = sim(home.path(), &["run", "small.yaml"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "Written to results/small/\n");
    let table = text(&output.stdout);
    assert!(table.contains("rebalances = membership + needed + late + spurious (repeat) │ missed"), "{table}");
    assert!(table.contains("Why: rebalance-sim explain small --strategy group-hash"), "{table}");
    assert!(!table.contains('\x1b'), "no colours into a pipe");
    let folder = home.path().join("results/small");
    assert_eq!(
        names(&folder),
        [
            "bumps.csv",
            "causes.csv",
            "charts",
            "costs.csv",
            "delays.csv",
            "groups.csv",
            "heap.csv",
            "log.csv",
            "marks.csv",
            "outcomes.csv",
            "provenance.yaml",
            "strips.csv",
            "timeline.csv"
        ]
    );
    let charts = ["delays.svg", "heap.svg", "plane.svg", "strips.svg", "timeline.svg", "verdicts.svg"];
    assert_eq!(names(&folder.join("charts")), charts);
    assert_eq!(names(&home.path().join("results")), ["small"], "nothing is left beside it");
}

#[test]
fn a_second_run_writes_the_same_bytes_but_for_the_machine_bound_files() {
    let home = home_with("small.yaml", SMALL);
    let read = || {
        sim(home.path(), &["run", "small.yaml", "-q"]);
        let folder = home.path().join("results/small");
        let mut files = Vec::new();
        for name in REPRODUCIBLE {
            files.push(fs::read(folder.join(name)).unwrap());
        }
        for chart in names(&folder.join("charts")) {
            files.push(fs::read(folder.join("charts").join(chart)).unwrap());
        }
        files
    };
    assert_eq!(read(), read());
}

#[test]
fn threads_change_no_byte() {
    let home = home_with("small.yaml", &format!("runs: 3\n{SMALL}"));
    for (out, threads) in [("one", "1"), ("two", "2")] {
        let output = sim(home.path(), &["run", "small.yaml", "-q", "--out", out, "--threads", threads]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }
    for name in REPRODUCIBLE.into_iter().chain(["charts/verdicts.svg"]) {
        let read = |out: &str| fs::read_to_string(home.path().join(out).join("small").join(name)).unwrap();
        assert!(read("one") == read("two"), "{name}");
        if name == "outcomes.csv" {
            let runs: Vec<String> = read("one").lines().skip(1).map(|l| l.split(',').nth(2).unwrap().into()).collect();
            assert_eq!(runs, ["1", "1", "2", "2", "3", "3"]);
        }
    }
}

#[test]
fn other_formats_print_the_columns_of_the_files() {
    let home = home_with("small.yaml", SMALL);
    let output = sim(home.path(), &["run", "small.yaml", "--format", "csv", "-q"]);
    assert_eq!(text(&output.stderr), "");
    let file = fs::read_to_string(home.path().join("results/small/outcomes.csv")).unwrap();
    assert_eq!(text(&output.stdout), file);
    let output = sim(home.path(), &["run", "small.yaml", "--format", "csv", "-q", "--by", "cause"]);
    let file = fs::read_to_string(home.path().join("results/small/causes.csv")).unwrap();
    assert_eq!(text(&output.stdout), file);
    let output = sim(home.path(), &["run", "small.yaml", "--format", "json", "-q"]);
    let rows: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(rows[1]["strategy"], "group-hash");
    let output = sim(home.path(), &["groups", "small", "--format", "csv", "--top", "0"]);
    assert_eq!(text(&output.stdout).lines().count(), 25);
}

#[test]
fn rows_of_several_scenarios_are_one_list() {
    let home = home_with("small.yaml", SMALL);
    fs::write(home.path().join("other.yaml"), SMALL).unwrap();
    let run = |format| sim(home.path(), &["run", "small.yaml", "other.yaml", "--format", format, "-q"]).stdout;
    let file = |name| fs::read_to_string(home.path().join(format!("results/{name}/outcomes.csv"))).unwrap();
    let csv = run("csv");
    let below: String = file("other").lines().skip(1).map(|line| format!("{line}\n")).collect();
    assert_eq!(text(&csv), file("small") + &below);
    let json: serde_json::Value = serde_json::from_slice(&run("json")).unwrap();
    let names: Vec<&str> = json.as_array().unwrap().iter().map(|row| row["scenario"].as_str().unwrap()).collect();
    assert_eq!(names, ["small", "small", "other", "other"]);
}

#[test]
fn what_is_no_figure_and_no_key_is_told_what_is() {
    let home = home_with("small.yaml", SMALL);
    sim(home.path(), &["run", "small.yaml", "-q"]);
    let output = sim(home.path(), &["chart", "small", "--metric", "foo"]);
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    assert!(said.starts_with("error: outcomes.csv has no figure foo; --metric may be "), "{said}");
    assert!(said.contains(" rebalances,") && !said.contains(" run,") && !said.contains("strategy"), "{said}");
    let said = text(&sim(home.path(), &["run", "small.yaml", "--set", "foo=1"]).stderr).to_owned();
    let (_, keys) = said.split_once("may be here: ").unwrap();
    let mut keys: Vec<&str> = keys.lines().next().unwrap().split(", ").collect();
    let all = keys.len();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), all, "{said}");
}

#[test]
fn a_broken_expectation_ends_with_one_and_keeps_the_results() {
    let home = home_with("small.yaml", &SMALL.replace("missed == 0", "rebalances <= 12"));
    let output = sim(home.path(), &["run", "small.yaml", "-q"]);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(said.starts_with("error: small: expected in run 1: rebalances <= 12; group-hash: "), "{said}");
    assert!(home.path().join("results/small/outcomes.csv").exists());
}

#[test]
fn what_cannot_be_read_is_named_and_nothing_is_written() {
    let home = home_with("small.yaml", SMALL);
    fs::write(home.path().join("empty.yaml"), "").unwrap();
    fs::write(home.path().join("wrong.yaml"), "brokers: 6\ntopcs: {t: {}}\n").unwrap();
    fs::create_dir(home.path().join("folder.yaml")).unwrap();
    for (file, words) in [
        ("absent.yaml", "absent.yaml"),
        ("folder.yaml", "folder.yaml"),
        ("empty.yaml", "empty.yaml"),
        ("wrong.yaml", "did you mean"),
    ] {
        refused(home.path(), &["run", file], 2, words);
        refused(home.path(), &["validate", "small.yaml", file], 2, words);
    }
    let said = text(&sim(home.path(), &["validate", "absent.yaml", "wrong.yaml"]).stderr);
    assert!(said.contains("absent.yaml") && said.contains("wrong.yaml"), "all problems of all files: {said}");
    assert!(!home.path().join("results").exists());
}

#[test]
fn what_cannot_happen_is_shown_in_the_file() {
    let twice = "brokers: 6
topics: {t: {}}
groups: {g: {topics: [t]}}
history:
  - shutdown: {at: 1m, broker: 2}
  - crash: {at: 2m, broker: 2}
";
    let home = home_with("twice.yaml", twice);
    for verb in ["run", "validate", "history"] {
        refused(home.path(), &[verb, "twice.yaml"], 2, "twice.yaml:6:");
    }
    assert_eq!(names(home.path()), ["results", "twice.yaml"]);
    assert_eq!(names(&home.path().join("results")), [""; 0]);
}

#[test]
fn a_folder_that_cannot_be_written_is_refused_before_the_run() {
    let home = home_with("small.yaml", SMALL);
    fs::write(home.path().join("file"), "").unwrap();
    refused(home.path(), &["run", "small.yaml", "--out", "file"], 3, "cannot write");
    fs::create_dir(home.path().join("out")).unwrap();
    fs::write(home.path().join("out/small"), "").unwrap();
    refused(home.path(), &["run", "small.yaml", "--out", "out"], 3, "a file is in the way of this folder");
    assert_eq!(names(&home.path().join("out")), ["small"]);
}

#[test]
fn too_much_memory_is_refused_with_the_figure_and_what_dominates() {
    let many = "
topics: {t: {count: 1000, partitions: 100}}
groups: {g: {count: 100000, topics: all}}
history: [{touch: {at: 1m, topic: t-7}}]
strategies: [full-metadata]
";
    let home = home_with("many.yaml", many);
    let words = "dominant: groups × topics × partitions (100,000 × 1,000 × 100)";
    refused(home.path(), &["run", "many.yaml", "--max-memory", "2G"], 3, words);
    assert!(!home.path().join("results").exists());
}

#[test]
fn two_scenarios_of_one_name_are_refused() {
    let home = home_with("small.yaml", SMALL);
    fs::create_dir(home.path().join("more")).unwrap();
    fs::write(home.path().join("more/small.yaml"), SMALL).unwrap();
    refused(home.path(), &["run", "small.yaml", "more/small.yaml"], 2, "two scenarios are called small");
}

#[test]
fn results_that_are_not_there_or_not_whole_are_told_apart() {
    let home = home_with("small.yaml", SMALL);
    refused(home.path(), &["groups", "small"], 2, "there is no folder small and no results/small");
    refused(home.path(), &["groups", "small.yaml"], 2, "small.yaml is a file");
    refused(home.path(), &["groups", "."], 2, "groups.csv is missing");
    refused(home.path(), &["explain", "."], 2, "provenance.yaml is missing");
    sim(home.path(), &["run", "small.yaml", "-q"]);
    let path = home.path().join("results/small/groups.csv");
    let whole = fs::read_to_string(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 10]).unwrap();
    refused(home.path(), &["groups", "small"], 2, "is cut short in its last line");
    let lines: Vec<&str> = whole.lines().collect();
    fs::write(&path, format!("{}\n", lines[..5].join("\n"))).unwrap();
    refused(home.path(), &["groups", "small"], 2, "groups.csv has 4 rows and provenance.yaml says 24");
    fs::write(&path, whole).unwrap();
    refused(home.path(), &["groups", "small", "--strategy", "x"], 2, "it has full-metadata, group-hash");
}

#[test]
fn a_template_is_written_once_and_runs() {
    let home = tempfile::tempdir().unwrap();
    let output = sim(home.path(), &["new", "weekend"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    refused(home.path(), &["new", "weekend"], 2, "is there already and is not overwritten");
    refused(home.path(), &["new", "../weekend"], 2, "is no name for a scenario");
    let output = sim(home.path(), &["run", "scenarios/weekend.yaml", "-q"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let list = text(&sim(home.path(), &["list"]).stdout);
    assert!(list.lines().nth(1).unwrap().starts_with("weekend "), "{list}");
    refused(home.path(), &["list", "nowhere"], 2, "cannot read nowhere");
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let home = home_with("small.yaml", SMALL);
    for args in [&["run", "small.yaml"][..], &["completions", "bash"], &["schema"], &["--help"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rebalance-sim"));
        let mut child =
            command.current_dir(home.path()).args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let said = text(&output.stderr);
        assert!(output.status.success() && !said.contains("panicked") && !said.contains("error"), "{args:?}: {said}");
    }
}

#[test]
fn a_printed_scenario_runs_to_the_same_history() {
    let home = home_with("small.yaml", SMALL);
    let output = sim(home.path(), &["run", "small.yaml", "--print-scenario"]);
    assert!(!home.path().join("results").exists());
    fs::create_dir(home.path().join("full")).unwrap();
    fs::write(home.path().join("full/small.yaml"), &output.stdout).unwrap();
    let table = |file: &str| text(&sim(home.path(), &["run", file, "-q", "--format", "csv"]).stdout);
    assert_eq!(table("small.yaml"), table("full/small.yaml"));
}

#[test]
fn options_stand_for_what_they_set() {
    let home = home_with("small.yaml", SMALL);
    let csv = |args: &[&str]| {
        let mut all = vec!["run", "small.yaml", "-q", "--format", "csv"];
        all.extend(args);
        let output = sim(home.path(), &all);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    assert_eq!(csv(&["--seed", "7"]), csv(&["--set", "seed=7"]));
    assert_ne!(csv(&["--seed", "7"]), csv(&[]));
    assert_eq!(csv(&["--runs", "2"]).lines().count(), 5);
    let only = csv(&["--strategies", "group-hash"]);
    assert_eq!(only.lines().nth(1), csv(&[]).lines().nth(2), "another lane moves no row");
    let others = csv(&["--strategies", "kafka-4.1,kafka-3.9"]);
    let strategies: Vec<&str> = others.lines().skip(1).map(|l| l.split(',').nth(3).unwrap()).collect();
    assert_eq!(strategies, ["kafka-4.1", "kafka-3.9"]);
    assert_eq!(csv(&["--exhaustive"]), csv(&[]));
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_with_130_and_leaves_no_file() {
    let big = "
brokers: 30
topics: {t: {count: 500, partitions: 10}}
groups: {app: {count: 2000, members: 10, topics: 10 of t}}
history: [{roll: {at: 10m, gap: 2m, racks: {a: eu-1a, b: eu-1b, c: eu-1c}}}]
runs: 100
";
    let home = home_with("big.yaml", big);
    let mut command = Command::new(env!("CARGO_BIN_EXE_rebalance-sim"));
    command.current_dir(home.path()).args(["run", "big.yaml"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // the folder in the making appears right before the work begins
    while fs::read_dir(home.path().join("results")).map_or(0, Iterator::count) == 0 {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it could be interrupted");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    std::thread::sleep(std::time::Duration::from_millis(200));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "interrupted; what was not finished is not written\n");
    assert_eq!(names(&home.path().join("results")), [""; 0]);
}
