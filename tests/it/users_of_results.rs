//! Public reports of what goes wrong with seeds and with pictures of nothing.

use std::fs;
use std::path::Path;
use std::process::Command;

const QUIET: &str = "\
brokers: 6
topics: {t: {count: 4}}
groups: {g: {count: 12, members: 2, topics: 2 of t}}
duration: 10m
";

const BUSY: &str = "\
brokers: 6
topics: {t: {count: 10}}
groups: {g: {count: 12, members: 2, topics: 3 of t}}
history: [{crash: {rate: 6/hour, for: 1m, until: 1h, as: mishap}}, {restart: {at: 2m, broker: any, rack: d, as: move}}]
";

#[track_caller]
fn sim(home: &Path, args: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rebalance-sim"));
    let output = command.current_dir(home).args(args).env_remove("DISPLAY").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn home_with(text: &str) -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("s.yaml"), text).unwrap();
    home
}

#[test]
fn c70_nothing_to_draw_is_a_file_that_says_so_and_needs_no_display() {
    let home = home_with(QUIET);
    sim(home.path(), &["run", "s.yaml", "-q"]);
    let charts = home.path().join("results/s/charts");
    let mut said = String::new();
    for entry in fs::read_dir(&charts).unwrap() {
        said.push_str(&fs::read_to_string(entry.unwrap().path()).unwrap());
    }
    assert!(said.to_lowercase().contains("no rebalances") || said.contains("nothing"), "{said}");
}

#[test]
fn c73_a_result_says_its_seed_and_is_made_again_from_what_it_says() {
    let home = home_with(BUSY);
    let read = |out: &str| fs::read_to_string(home.path().join(out).join("s/outcomes.csv")).unwrap();
    for out in ["one", "two"] {
        sim(home.path(), &["run", "s.yaml", "-q", "--runs", "3", "--seed", "11", "--out", out]);
    }
    assert_eq!(read("one"), read("two"));
    let csv = read("one");
    let column = csv.lines().next().unwrap().split(',').position(|name| name == "history_id").unwrap();
    let ids: Vec<&str> = csv.lines().skip(1).map(|line| line.split(',').nth(column).unwrap()).collect();
    let mut different = ids.clone();
    different.dedup();
    assert_eq!(different.len(), 3, "each run has a history of its own: {ids:?}");
    // provenance.yaml alone is enough: its seed and its resolved scenario
    let provenance = fs::read_to_string(home.path().join("one/s/provenance.yaml")).unwrap();
    assert!(provenance.contains("\nseed: 11\nruns: 3\n"), "{provenance}");
    let (_, resolved) = provenance.split_once("\nresolved: |2+\n").unwrap();
    let again = tempfile::tempdir().unwrap();
    let text: String = resolved.lines().map(|line| format!("{}\n", line.strip_prefix("  ").unwrap_or(line))).collect();
    fs::write(again.path().join("s.yaml"), text).unwrap();
    sim(again.path(), &["run", "s.yaml", "-q"]);
    assert_eq!(fs::read_to_string(again.path().join("results/s/outcomes.csv")).unwrap(), read("one"));
    // without a seed it is always the same one
    let screen = |out: &str| sim(home.path(), &["run", "s.yaml", "-q", "--out", out]);
    let first = screen("a");
    assert!(first.contains(" · seed 1 · "), "{first}");
    assert_eq!(read("a"), {
        screen("b");
        read("b")
    });
}
