//! `check` and `compare` from outside: what turns red, what does not, and with which code.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const GUARDED: &str = "\
# A zone is renamed broker by broker.
brokers: 6
topics: {t: {count: 20, partitions: 6}}
groups: {shop: {count: 30, members: 2, topics: 4 of t}}
history: [{roll: {at: 10m, gap: 2m, racks: {a: d}, as: saturday}}]
strategies: [full-metadata, {as: mine, like: kafka-4.1}]
expect: [missed == 0]
";

fn sim(home: &Path, args: &[&str], variables: &[(&str, &Path)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rebalance-sim"));
    command.current_dir(home).args(args).env_remove("RUST_BACKTRACE").env_remove("GITHUB_STEP_SUMMARY");
    command.envs(variables.iter().copied()).output().unwrap()
}

/// What it printed and said, with the code that it has to end with.
#[track_caller]
fn ends(home: &Path, args: &[&str], code: i32) -> (String, String) {
    let output = sim(home, args, &[]);
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(output.status.code(), Some(code), "{out}{err}");
    assert!(!err.contains("panicked"), "{err}");
    (out, err)
}

/// A home with an accepted scenario.
fn guarded() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    write(home.path(), GUARDED);
    let (out, err) = ends(home.path(), &["check", "--accept", "guarded.yaml"], 0);
    assert_eq!(out, "added guarded\n");
    assert_eq!(err, "results/baseline: 0 kept, 1 added, 0 updated, 0 removed\n");
    home
}

fn write(home: &Path, text: &str) {
    fs::write(home.join("guarded.yaml"), text).unwrap();
}

#[test]
fn c72_a_missing_baseline_is_a_failure_of_its_own_kind() {
    let home = tempfile::tempdir().unwrap();
    write(home.path(), GUARDED);
    let (out, err) = ends(home.path(), &["check", "guarded.yaml"], 4);
    assert_eq!(out, "");
    assert!(err.contains("baseline not found: results/baseline"), "{err}");
    ends(home.path(), &["check"], 4);
    ends(home.path(), &["check", "--accept", "guarded.yaml", "-q"], 0);
    // a strategy without one: the others are compared
    write(home.path(), &GUARDED.replace("full-metadata,", "full-metadata, topic-hash,"));
    let (out, err) = ends(home.path(), &["check"], 4);
    assert_eq!(out, "NEW  guarded  topic-hash  is not in the baseline; --accept takes it in   18 other cells equal\n");
    assert!(err.contains("error: 1 row without a baseline"), "{err}");
    // a scenario without one beside others
    write(home.path(), GUARDED);
    fs::write(home.path().join("other.yaml"), GUARDED.replace("10m", "11m")).unwrap();
    let (out, _) = ends(home.path(), &["check", "guarded.yaml", "other.yaml"], 4);
    assert_eq!(out, "ok   guarded  18 cells equal\nNEW  other  has no baseline; --accept makes one\n");
}

#[test]
fn what_is_as_it_was_is_green_also_made_twice_and_from_results() {
    let home = guarded();
    let (out, err) = ends(home.path(), &["check"], 0);
    assert_eq!((out.as_str(), err.as_str()), ("ok   guarded  18 cells equal\n", "1 scenario: 18 cells as they were\n"));
    ends(home.path(), &["check", "guarded.yaml", "--twice", "-q"], 0);
    ends(home.path(), &["run", "guarded.yaml", "-q"], 0);
    let (out, _) = ends(home.path(), &["check", "--results", "results", "guarded.yaml"], 0);
    assert_eq!(out, "ok   guarded  18 cells equal\n");
    let (out, err) = ends(home.path(), &["check", "--accept", "-q"], 0);
    assert_eq!((out.as_str(), err.as_str()), ("", ""));
    let (_, err) = ends(home.path(), &["check", "--results", "elsewhere"], 2);
    assert!(err.contains("cannot read elsewhere/guarded/outcomes.csv"), "{err}");
}

#[test]
fn a_strategy_that_rebalances_otherwise_turns_red_and_the_first_rebalance_is_named() {
    let home = guarded();
    // the name stays, what it does is another thing: as if its code had changed
    write(home.path(), &GUARDED.replace("like: kafka-4.1", "like: kafka-4.1, rehash: all-on-bump"));
    let (out, err) = ends(home.path(), &["check"], 1);
    let first = out.lines().next().unwrap();
    assert!(first.starts_with("FAIL guarded  mine  rebalances "), "{out}");
    assert!(first.contains(" → ") && first.contains("   first: 0:"), "{out}");
    assert!(first.contains("shop-") && first.contains("cause saturday"), "{out}");
    assert!(!out.contains("full-metadata"), "{out}");
    assert!(err.contains("If that is meant: rebalance-sim check --accept"), "{err}");
    // the same from results
    ends(home.path(), &["run", "guarded.yaml", "-q"], 0);
    assert_eq!(ends(home.path(), &["check", "--results", "results"], 1).0, out);
    let (accepted, _) = ends(home.path(), &["check", "--accept"], 0);
    assert!(accepted.ends_with("updated guarded\n") && accepted.starts_with("FAIL guarded  mine"), "{accepted}");
    ends(home.path(), &["check"], 0);
}

#[test]
fn another_history_is_told_apart_from_another_strategy() {
    let home = guarded();
    write(home.path(), &GUARDED.replace("gap: 2m", "gap: 3m"));
    let (out, _) = ends(home.path(), &["check"], 1);
    assert!(out.starts_with("HIST guarded  history changed ("), "{out}");
    assert!(out.contains("…): the tool or the scenario, not the strategy"), "{out}");
    assert_eq!(out.lines().count(), 1, "{out}");
}

#[test]
fn a_strategy_or_a_scenario_that_is_gone_is_told() {
    let home = guarded();
    write(home.path(), &GUARDED.replace("full-metadata, ", ""));
    let (out, _) = ends(home.path(), &["check"], 1);
    assert!(out.starts_with("GONE guarded  full-metadata  is in the baseline and not in the scenario"), "{out}");
    fs::remove_file(home.path().join("guarded.yaml")).unwrap();
    let (out, _) = ends(home.path(), &["check"], 1);
    assert_eq!(out, "GONE guarded  there is no guarded.yaml any more; --accept removes its baseline\n");
    let (out, err) = ends(home.path(), &["check", "--accept"], 0);
    assert_eq!(
        out,
        "GONE guarded  there is no guarded.yaml any more; --accept removes its baseline\nremoved guarded\n"
            .split_once('\n')
            .unwrap()
            .1
    );
    assert_eq!(err, "results/baseline: 0 kept, 0 added, 0 updated, 1 removed\n");
    assert!(!home.path().join("results/baseline/guarded").exists());
}

#[test]
fn a_renamed_file_and_a_new_column_stay_green() {
    let home = guarded();
    let folder = home.path().join("results/baseline/guarded");
    // as an older version wrote it, with a column less
    let outcomes = fs::read_to_string(folder.join("outcomes.csv")).unwrap();
    let at = outcomes.lines().next().unwrap().split(',').position(|c| c == "load_ms_max").unwrap();
    let less = |line: &str| {
        let cells = line.split(',').enumerate().filter(|(i, _)| *i != at).map(|(_, c)| c).collect::<Vec<_>>();
        cells.join(",") + "\n"
    };
    fs::write(folder.join("outcomes.csv"), outcomes.lines().map(less).collect::<String>()).unwrap();
    let (out, _) = ends(home.path(), &["check"], 0);
    assert_eq!(out, "ok   guarded  18 cells equal   1 new column (ignored)\n");
    fs::rename(home.path().join("guarded.yaml"), home.path().join("renamed.yaml")).unwrap();
    for args in [&["check"][..], &["check", "renamed.yaml"]] {
        let (out, _) = ends(home.path(), args, 0);
        assert_eq!(out, "ok   renamed  18 cells equal   renamed from guarded; 1 new column (ignored)\n");
    }
    let (out, _) = ends(home.path(), &["check", "--accept", "-q"], 0);
    assert_eq!(out, "updated renamed (renamed from guarded)\n");
    assert!(!folder.exists());
    assert_eq!(ends(home.path(), &["check"], 0).0, "ok   renamed  18 cells equal\n");
}

#[test]
fn a_broken_expectation_is_red_whatever_the_baseline_says() {
    let home = guarded();
    write(home.path(), &GUARDED.replace("missed == 0", "rebalances == 0"));
    let (out, _) = ends(home.path(), &["check"], 1);
    assert!(out.starts_with("FAIL guarded  expected in run 1: rebalances == 0; "), "{out}");
    let (_, err) = ends(home.path(), &["check", "--accept"], 1);
    assert!(err.contains("expected in run 1"), "{err}");
}

#[test]
fn only_the_columns_of_baseline_are_held_and_a_tolerance_is_one_that_is_written() {
    let home = tempfile::tempdir().unwrap();
    let other = |text: &str| text.replace("like: kafka-4.1", "like: kafka-4.1, rehash: all-on-bump");
    let held = format!("{GUARDED}baseline: [missed, {{rebalances: 100%}}]\n");
    write(home.path(), &held);
    ends(home.path(), &["check", "--accept", "guarded.yaml", "-q"], 0);
    write(home.path(), &other(&held));
    let (out, _) = ends(home.path(), &["check"], 0);
    assert!(
        out.starts_with("ok   guarded  4 cells equal   mine: the same counts from other rebalances; first: "),
        "{out}"
    );
    assert!(out.contains("not held, and not as they were: "), "{out}");
    write(home.path(), &other(&held).replace("100%", "1%"));
    let (out, _) = ends(home.path(), &["check"], 1);
    assert!(out.contains(" (more than ±1%)"), "{out}");
}

#[test]
fn machines_get_junit_annotations_a_summary_and_json() {
    let home = guarded();
    write(home.path(), &GUARDED.replace("like: kafka-4.1", "like: kafka-4.1, rehash: all-on-bump"));
    let summary = home.path().join("summary.md");
    let args = ["check", "--github", "--junit", "junit.xml"];
    let output = sim(home.path(), &args, &[("GITHUB_STEP_SUMMARY", &summary)]);
    let out = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(out.contains("\n::error file=guarded.yaml,title=FAIL guarded::mine  rebalances "), "{out}");
    let summary = fs::read_to_string(summary).unwrap();
    assert!(summary.contains("| guarded | FAIL | mine  rebalances "), "{summary}");
    let junit = fs::read_to_string(home.path().join("junit.xml")).unwrap();
    assert!(junit.contains("<testsuites name=\"rebalance-sim check\" tests=\"3\" failures=\"1\">"), "{junit}");
    let (out, err) = ends(home.path(), &["check", "--format", "json", "-q"], 1);
    let findings: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(findings[0]["state"], "differs");
    assert_eq!((&findings[0]["strategy"], &findings[0]["column"]), (&"mine".into(), &"rebalances".into()));
    assert!(err.starts_with("error: "), "{err}");
    let (out, _) = ends(home.path(), &["check", "--format", "csv", "-q"], 1);
    assert!(
        out.starts_with(
            "scenario,file,state,run,strategy,column,then,now,message\nguarded,guarded.yaml,differs,,mine,rebalances,"
        ),
        "{out}"
    );
}

#[test]
fn two_results_are_compared_and_only_what_was_asked_for_fails() {
    let home = guarded();
    ends(home.path(), &["run", "guarded.yaml", "-q", "--out", "a"], 0);
    write(home.path(), &GUARDED.replace("like: kafka-4.1", "like: kafka-4.1, rehash: all-on-bump"));
    ends(home.path(), &["run", "guarded.yaml", "-q", "--out", "b"], 0);
    let compare = |more: &[&str], code: i32| {
        let mut args = vec!["compare", "a/guarded", "b/guarded"];
        args.extend(more);
        ends(home.path(), &args, code)
    };
    let (out, err) = compare(&["--columns", "rebalances,missed"], 0);
    assert!(out.lines().nth(1).unwrap().starts_with("mine run 1  rebalances"), "{out}");
    assert!(err.contains(" cells equal, ") && !err.contains("note:"), "{err}");
    let (out, _) = compare(&["--columns", "rebalances", "--format", "csv", "--all"], 0);
    assert!(out.starts_with("point,run,strategy,column,a,b,change,percent\n,1,full-metadata,rebalances,"), "{out}");
    let (out, _) = compare(&["--columns", "rebalances", "--format", "markdown"], 0);
    assert!(out.starts_with("| strategy | column | a/guarded | b/guarded | change | |\n|---|---|---:|---:|---:|---:|\n| mine run 1 | rebalances | "), "{out}");
    let (out, _) = compare(&["--format", "json", "-q"], 0);
    assert!(serde_json::from_str::<serde_json::Value>(&out).unwrap()[0]["change"].is_number());
    compare(&["--fail-on", "missed,late>5%", "-q"], 0);
    let (_, err) = compare(&["--fail-on", "missed,rebalances", "-q"], 1);
    assert!(err.starts_with("error: mine run 1  rebalances "), "{err}");
    let (_, err) = compare(&["--fail-on", "rebalnces"], 2);
    assert!(err.contains("there is no column rebalnces"), "{err}");
    ends(home.path(), &["compare", "a/guarded", "nowhere"], 2);
}

#[test]
fn every_shipped_scenario_but_the_benchmark_has_a_small_baseline() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut bytes = 0;
    for path in crate::scenarios::shipped() {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let folder = root.join("results/baseline").join(name);
        if name == "ten-thousand-groups" {
            assert!(!folder.exists());
            continue;
        }
        let about = fs::read_to_string(folder.join("about.yaml")).unwrap_or_else(|e| panic!("{name}: {e}"));
        let file = path.strip_prefix(root).unwrap().display().to_string();
        assert!(about.contains(&format!("file: \"{file}\"\n")), "{about}");
        bytes += ["outcomes.csv", "bumps.csv"].map(|f| fs::metadata(folder.join(f)).unwrap().len()).iter().sum::<u64>();
    }
    assert!(bytes < 4 << 20, "{bytes} bytes are much to commit");
}
