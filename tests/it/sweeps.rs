//! Sweeps from outside: their files, what an interruption leaves, parts and their merging.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

const SWEEP: &str = "\
brokers: 6
topics: {t: {count: 12, partitions: 6}}
groups: {g: {count: 12, members: 2, topics: 3 of t}}
history:
  - restart: {at: 1m, broker: 2, rack: d, as: move}
strategies: [full-metadata, group-hash]
runs: 3
sweep:
  groups.g.count: [2, 10, 1, 100]
  history.move.catch_up: 5s..15s step 5s
";

fn sim(home: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rebalance-sim"));
    command.current_dir(home).args(args).env_remove("RUST_BACKTRACE").env_remove("NO_COLOR");
    command.output().unwrap()
}

fn home_with(name: &str, text: &str) -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join(name), text).unwrap();
    home
}

#[track_caller]
fn ends(home: &Path, args: &[&str], code: i32) -> (String, String) {
    let output = sim(home, args);
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(output.status.code(), Some(code), "{err}");
    assert!(!err.contains("panicked"), "{err}");
    (out, err)
}

const FILES: [&str; 3] = ["points.csv", "outcomes.csv", "summary.csv"];

fn files(folder: &Path) -> Vec<String> {
    FILES.iter().map(|name| fs::read_to_string(folder.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))).collect()
}

fn column(text: &str, name: &str) -> Vec<String> {
    let mut lines = text.lines();
    let at = lines.next().unwrap().split(',').position(|column| column == name).unwrap();
    lines.map(|line| line.split(',').nth(at).unwrap().to_owned()).collect()
}

#[test]
fn c67_points_come_in_declared_order_with_their_values_as_written() {
    let home = home_with("s.yaml", SWEEP);
    let (out, err) = ends(home.path(), &["sweep", "s.yaml"], 0);
    assert_eq!(err, "Written to results/s.sweep/\n");
    assert!(out.starts_with("s · rebalances, mean of a run\n"), "{out}");
    let [points, outcomes, summary] = files(&home.path().join("results/s.sweep")).try_into().unwrap();
    assert!(points.starts_with("point,run,seed,status,reason,groups.g.count,history.move.catch_up\n"), "{points}");
    let mut counts = column(&points, "groups.g.count");
    counts.dedup();
    assert_eq!(counts, ["2", "10", "1", "100"]);
    assert_eq!(column(&points, "history.move.catch_up")[..7], ["5s", "5s", "5s", "10s", "10s", "10s", "15s"]);
    assert_eq!(outcomes.lines().count(), 1 + 4 * 3 * 3 * 2);
    // a point's rows carry its id, in the order of points.csv
    let mut ids = column(&outcomes, "point");
    ids.dedup();
    let mut planned = column(&points, "point");
    planned.dedup();
    assert_eq!(ids, planned);
    let differences = summary.lines().filter(|line| line.contains(",group-hash,full-metadata,rebalances,3,")).count();
    assert_eq!(differences, 12, "{summary}");
}

#[test]
fn threads_and_a_second_call_change_no_byte_and_only_what_is_missing_is_made() {
    let home = home_with("s.yaml", SWEEP);
    let run = |out: &str, threads: &str| {
        let (_, err) = ends(home.path(), &["sweep", "s.yaml", "--out", out, "--threads", threads], 0);
        (files(&home.path().join(out).join("s.sweep")), err)
    };
    let (one, _) = run("one", "1");
    assert!(one == run("two", "4").0);
    let kept = home.path().join("one/s.sweep/kept");
    let (again, err) = run("one", "2");
    assert!(again == one);
    assert!(err.starts_with("36 runs of 36 are there already\n"), "{err}");
    // a damaged file is made again, the others are not touched
    let victim = fs::read_dir(&kept).unwrap().map(|e| e.unwrap().path()).find(|p| p.extension().is_some()).unwrap();
    fs::write(&victim, "half").unwrap();
    let (again, err) = run("one", "2");
    assert!(again == one);
    assert!(err.starts_with("35 runs of 36 are there already\n"), "{err}");
    // an edit that matters makes everything again, more runs only the new ones
    fs::write(home.path().join("s.yaml"), SWEEP.replace("runs: 3", "runs: 4")).unwrap();
    let (more, err) = run("one", "2");
    assert!(err.starts_with("36 runs of 48 are there already\n"), "{err}");
    assert!(more[0].contains(one[0].lines().nth(1).unwrap()));
    fs::write(home.path().join("s.yaml"), SWEEP.replace("members: 2", "members: 3")).unwrap();
    let (_, err) = run("one", "2");
    assert_eq!(err, "Written to one/s.sweep/\n");
}

#[test]
fn c61_what_else_is_swept_moves_no_row_of_a_point() {
    let rows = |sweep: &str, threads: &str| {
        let home = home_with(
            "s.yaml",
            &SWEEP.replace(
                "\nsweep:\n  groups.g.count: [2, 10, 1, 100]\n  history.move.catch_up: 5s..15s step 5s",
                sweep,
            ),
        );
        ends(home.path(), &["sweep", "s.yaml", "--threads", threads], 0);
        let outcomes = fs::read_to_string(home.path().join("results/s.sweep/outcomes.csv")).unwrap();
        let ours: Vec<String> =
            outcomes.lines().filter(|l| l.split(',').nth(4) == Some("7")).map(str::to_owned).collect();
        assert_eq!(ours.len(), 6, "{outcomes}");
        ours
    };
    let alone = rows("\nsweep: {groups.g.count: [7]}", "1");
    for (sweep, threads) in [("[50, 7]", "1"), ("[7, 50]", "1"), ("[50, 7, 3]", "4")] {
        assert_eq!(rows(&format!("\nsweep: {{groups.g.count: {sweep}}}"), threads), alone, "{sweep}");
    }
    // `run` comes to the same, but for the point's id
    let home = home_with("s.yaml", SWEEP);
    ends(home.path(), &["run", "s.yaml", "-q", "--set", "groups.g.count=7"], 0);
    let plain = fs::read_to_string(home.path().join("results/s/outcomes.csv")).unwrap();
    let without = |line: &str| {
        line.split(',').enumerate().filter(|(i, _)| *i != 1).map(|(_, c)| c.to_owned()).collect::<Vec<_>>()
    };
    let plain: Vec<_> = plain.lines().skip(1).map(without).collect();
    assert_eq!(plain, alone.iter().map(|line| without(line)).collect::<Vec<_>>());
}

#[test]
fn c66_a_point_that_cannot_be_run_is_a_row_and_the_end_is_1() {
    let text = SWEEP.replace(
        "\nsweep:\n  groups.g.count: [2, 10, 1, 100]\n  history.move.catch_up: 5s..15s step 5s",
        "\nsweep: {topics.t.partitions: [10, 0, 100]}",
    );
    let home = home_with("s.yaml", &text.replace("runs: 3", "runs: 1"));
    let (out, err) = ends(home.path(), &["sweep", "s.yaml"], 1);
    assert!(err.contains("error: point 2 of 3 (topics.t.partitions=0): "), "{err}");
    assert!(!err.contains("--set:"), "{err}");
    let points = fs::read_to_string(home.path().join("results/s.sweep/points.csv")).unwrap();
    assert_eq!(column(&points, "status"), ["ok", "error", "ok"]);
    assert!(out.contains("error"), "{out}");
    let outcomes = fs::read_to_string(home.path().join("results/s.sweep/outcomes.csv")).unwrap();
    assert_eq!(outcomes.lines().count(), 1 + 2 * 2);
    // what shows only once the world is made is a row too; a base that is wrong is wrong input
    let down = text.replace(
        "as: move}",
        "as: move}\n  - crash: {at: 2m, broker: 3, for: 10m}\n  - crash: {at: 3m, broker: 4, as: other, for: 1m}",
    );
    let down = down.replace("topics.t.partitions: [10, 0, 100]", "history.other.broker: [4, 3]");
    fs::write(home.path().join("d.yaml"), down).unwrap();
    let (_, err) = ends(home.path(), &["sweep", "d.yaml"], 1);
    assert!(err.contains("point 2 of 2 (history.other.broker=3), run 1 of 3: "), "{err}");
    let (_, err) = ends(home.path(), &["sweep", "s.yaml", "--set", "brokers=none"], 2);
    assert!(err.contains("brokers"), "{err}");
}

#[test]
fn a_broken_expectation_fails_its_point_and_keeps_its_rows() {
    let home = home_with("s.yaml", &format!("expect: ['rebalances[group-hash] < 40']\n{SWEEP}"));
    let (_, err) = ends(home.path(), &["sweep", "s.yaml"], 1);
    assert!(err.contains("(groups.g.count=100, history.move.catch_up=5s), run 1 of 3: expected in run 1: "), "{err}");
    let [points, outcomes, _] = files(&home.path().join("results/s.sweep")).try_into().unwrap();
    assert_eq!(column(&points, "status").iter().filter(|s| *s == "broken").count(), 9, "{points}");
    assert_eq!(outcomes.lines().count(), 1 + 72);
}

#[test]
fn two_points_that_are_the_same_are_told() {
    let home = home_with("s.yaml", SWEEP);
    let (_, err) = ends(home.path(), &["sweep", "s.yaml", "--set", "sweep={groups.g.count: [5, 7, 5]}"], 2);
    assert!(err.contains("point 1 of 3 (groups.g.count=5) and point 3 of 3 (groups.g.count=5) are the same"), "{err}");
}

#[test]
fn axes_under_zip_go_in_step() {
    let home = home_with("s.yaml", SWEEP);
    let set = "sweep={zip: {groups.g.count: [2, 3], groups.g.members: [7, 8]}, seed: [1, 2]}";
    let (out, _) = ends(home.path(), &["sweep", "s.yaml", "--runs", "1", "--plan", "--set", set], 0);
    let values: Vec<Vec<&str>> = out.lines().map(|l| l.split(',').skip(2).collect()).collect();
    assert_eq!(values[0], ["seed", "groups.g.count", "groups.g.members", "sweep.seed"]);
    assert_eq!(values[1..], [["1", "2", "7", "1"], ["2", "2", "7", "2"], ["1", "3", "8", "1"], ["2", "3", "8", "2"]]);
    let uneven = "sweep={zip: {groups.g.count: [2, 3], groups.g.members: [7]}}";
    let (_, err) = ends(home.path(), &["sweep", "s.yaml", "--plan", "--set", uneven], 2);
    assert!(err.contains("go in step"), "{err}");
}

#[test]
fn an_unwritable_target_is_refused_before_any_work() {
    let home = home_with("s.yaml", SWEEP);
    fs::write(home.path().join("results"), "a file").unwrap();
    let (_, err) = ends(home.path(), &["sweep", "s.yaml"], 3);
    assert!(err.contains("cannot write results/s.sweep"), "{err}");
}

/// Large enough to be met in the middle of its work.
fn long(points: u32) -> String {
    format!(
        "brokers: 12\ntopics: {{t: {{count: 60, partitions: 12}}}}\ngroups: {{g: {{count: 150, members: 5, topics: 10 of t}}}}\n\
         history: [{{roll: {{at: 1m, gap: 2m, racks: {{a: d}}}}}}]\nstrategies: [full-metadata, group-hash]\n\
         sweep: {{seed: 1..{points} step 1}}\n"
    )
}

fn finished(folder: &Path) -> usize {
    let names = fs::read_dir(folder.join("kept")).into_iter().flatten().map(|e| e.unwrap().file_name());
    names.filter(|name| name.to_string_lossy().ends_with(".json")).count()
}

#[cfg(unix)]
#[test]
fn c64_an_interrupted_sweep_keeps_what_is_finished_and_goes_on_to_the_same_bytes() {
    let home = home_with("l.yaml", &long(20));
    ends(home.path(), &["sweep", "l.yaml", "--out", "whole", "-q"], 0);
    let whole = files(&home.path().join("whole/l.sweep"));
    let folder = home.path().join("results/l.sweep");
    for signal in ["-INT", "-TERM"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rebalance-sim"));
        command.current_dir(home.path()).args(["sweep", "l.yaml", "--threads", "1"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let before = finished(&folder);
        while finished(&folder) < before + 3 {
            assert!(child.try_wait().unwrap().is_none(), "it ended before it could be interrupted");
            std::thread::sleep(Duration::from_millis(2));
        }
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(130), "{err}");
        let count = finished(&folder);
        let said = format!(
            "interrupted; {count} of 20 runs are finished and kept in results/l.sweep/; the same command makes the rest\n"
        );
        assert!(err.ends_with(&said), "{err}");
        let points = fs::read_to_string(folder.join("points.csv")).unwrap();
        let status = column(&points, "status");
        assert_eq!(status.len(), 20);
        assert_eq!(status.iter().filter(|s| *s == "ok").count(), count);
        assert_eq!(status.iter().filter(|s| *s == "incomplete").count(), 20 - count);
        let outcomes = fs::read_to_string(folder.join("outcomes.csv")).unwrap();
        assert_eq!(outcomes.lines().count(), 1 + 2 * count);
        assert!(!folder.join("provenance.yaml").exists() && !folder.join("summary.csv").exists());
    }
    ends(home.path(), &["sweep", "l.yaml"], 0);
    assert!(files(&folder) == whole);
    assert!(folder.join("provenance.yaml").exists());
}

/// Kills a sweep again and again at moments of chance, then lets it end.
fn killed_and_resumed(points: u32, kills: u32) {
    let home = home_with("l.yaml", &long(points));
    ends(home.path(), &["sweep", "l.yaml", "--out", "whole", "-q"], 0);
    let folder = home.path().join("results/l.sweep");
    let mut dice = 0x9e37_79b9_u64;
    let mut done = 0;
    while done < kills {
        // a new file's name changes nothing; the binary's own work is what is met at a moment of chance
        let mut command = Command::new(env!("CARGO_BIN_EXE_rebalance-sim"));
        let mut child = command.current_dir(home.path()).args(["sweep", "l.yaml", "-q"]).spawn().unwrap();
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(Duration::from_millis((dice >> 33) % 400));
        if child.try_wait().unwrap().is_some() {
            // it came to its end: take most of it away again, so that there is something to kill
            for (i, entry) in fs::read_dir(folder.join("kept")).unwrap().enumerate() {
                if i % 8 != 0 {
                    fs::remove_file(entry.unwrap().path()).unwrap();
                }
            }
            continue;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        done += 1;
    }
    ends(home.path(), &["sweep", "l.yaml", "-q"], 0);
    assert!(files(&folder) == files(&home.path().join("whole/l.sweep")));
    let left = fs::read_dir(folder.join("kept")).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
    assert_eq!(left.filter(|name| name.starts_with(".unfinished")).count(), 0);
}

#[test]
fn a_sweep_that_was_killed_six_times_ends_with_the_bytes_of_one_that_was_not() {
    killed_and_resumed(24, 6);
}

#[test]
#[ignore = "minutes long: cargo test --release --test it fifty -- --ignored"]
fn a_sweep_of_200_points_that_was_killed_fifty_times_ends_with_the_bytes_of_one_that_was_not() {
    killed_and_resumed(200, 50);
}

#[test]
fn parts_in_any_order_give_the_bytes_of_one_process_whatever_n_is() {
    let home = home_with("s.yaml", SWEEP);
    ends(home.path(), &["sweep", "s.yaml", "-q"], 0);
    let whole = files(&home.path().join("results/s.sweep"));
    for of in [1, 3, 5] {
        let out = format!("parts-{of}");
        let mut parts: Vec<String> = (1..=of).map(|i| format!("{out}/s.part-{i}-of-{of}")).collect();
        for index in 1..=of {
            let part = format!("{index}/{of}");
            ends(home.path(), &["sweep", "s.yaml", "-q", "--out", &out, "--part", &part], 0);
        }
        parts.reverse();
        let mut args = vec!["merge", "--out", &out, "-q"];
        args.extend(parts.iter().map(String::as_str));
        let (table, _) = ends(home.path(), &args, 0);
        assert!(table.starts_with("s · rebalances"), "{table}");
        assert!(files(&home.path().join(&out).join("s.sweep")) == whole, "{of} parts");
    }
}

#[test]
fn parts_that_are_missing_doubled_foreign_or_unfinished_are_refused() {
    let home = home_with("s.yaml", SWEEP);
    for part in ["1/2", "2/2"] {
        ends(home.path(), &["sweep", "s.yaml", "-q", "--part", part], 0);
    }
    ends(home.path(), &["sweep", "s.yaml", "-q", "--part", "2/2", "--seed", "2", "--out", "other"], 0);
    let (one, two, other) = ("results/s.part-1-of-2", "results/s.part-2-of-2", "other/s.part-2-of-2");
    let (_, err) = ends(home.path(), &["merge", one], 2);
    assert!(err.contains("part 2 of 2 missing"), "{err}");
    let (_, err) = ends(home.path(), &["merge", one, two, one], 2);
    assert!(err.contains("part 1 of 2 is given twice"), "{err}");
    let (_, err) = ends(home.path(), &["merge", one, other], 2);
    assert!(err.contains("does not belong to") && err.contains("another sweep"), "{err}");
    let points = home.path().join(two).join("points.csv");
    let text = fs::read_to_string(&points).unwrap();
    fs::write(&points, text.replacen(",ok,", ",incomplete,", 2)).unwrap();
    let (_, err) = ends(home.path(), &["merge", one, two], 2);
    assert!(err.contains("2 of its 18 runs are missing; run it again"), "{err}");
    let (_, err) = ends(home.path(), &["merge", "results/nothing"], 2);
    assert!(err.contains("--part i/n"), "{err}");
}

#[test]
fn a_part_is_taken_from_what_the_cluster_says() {
    let home = home_with("s.yaml", SWEEP);
    let plan = |variables: &[(&str, &str)], part: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rebalance-sim"));
        command.current_dir(home.path()).args(["sweep", "s.yaml", "--plan", "--part", part]);
        let output = command.envs(variables.iter().copied()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let second = plan(&[], "2/4");
    assert_eq!(plan(&[("SLURM_ARRAY_TASK_ID", "1"), ("SLURM_ARRAY_TASK_COUNT", "4")], "auto"), second);
    assert_eq!(plan(&[("JOB_COMPLETION_INDEX", "1")], "auto/4"), second);
    assert_eq!(second.lines().count(), 1 + 9);
}

#[test]
fn the_best_point_is_named_and_a_strategy_that_is_not_there_refused_before_any_work() {
    let home = home_with("s.yaml", SWEEP);
    let (_, err) = ends(home.path(), &["sweep", "s.yaml", "--best", "rebalances"], 2);
    assert!(err.contains("write rebalances[full-metadata], or another of full-metadata, group-hash"), "{err}");
    let (_, err) = ends(home.path(), &["sweep", "s.yaml", "--best", "rebalances[kafka-4.1]"], 2);
    assert!(err.contains("there is no strategy kafka-4.1; there are full-metadata, group-hash"), "{err}");
    assert!(!home.path().join("results").exists());
    let best = ["--best", "rebalances[group-hash]", "--best", "peak_per_s[group-hash]"];
    let (out, _) = ends(home.path(), &[&["sweep", "s.yaml", "-q"][..], &best].concat(), 0);
    let line = out.lines().find(|line| line.starts_with("Least ")).expect("the best point");
    // against the file: one group, of which nobody has fewer
    assert!(line.contains("groups.g.count=1, "), "{out}");
    let summary = fs::read_to_string(home.path().join("results/s.sweep/summary.csv")).unwrap();
    let means = |row: &&str| row.contains(",group-hash,,rebalances,3,");
    let mean = |row: &str| row.split(',').nth(5).unwrap().parse::<f64>().unwrap();
    let least = summary.lines().filter(means).map(mean).fold(f64::INFINITY, f64::min);
    assert!(line.contains(&format!("): {least} ±")) || line.contains(&format!("): {least:.1} ±")), "{line} {least}");
    // rows stay rows
    let csv = [&["sweep", "s.yaml", "--format", "csv"][..], &best].concat();
    let (out, err) = ends(home.path(), &csv, 0);
    assert_eq!(out.lines().count(), 1 + 12 * 2, "{out}");
    assert!(err.contains("\nLeast rebalances[group-hash], then peak_per_s[group-hash]: point "), "{err}");
}
