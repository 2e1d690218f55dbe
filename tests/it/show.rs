//! Results shown again: charts, the page, published tables; and folders that are not as they should be.

use std::fs;
use std::path::Path;

use crate::cli::{SMALL, home_with, names, refused, sim, text};

/// A home with results/small/.
fn results() -> tempfile::TempDir {
    let home = home_with("small.yaml", SMALL);
    let output = sim(home.path(), &["run", "small.yaml", "-q"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    home
}

fn bytes(folder: &Path) -> Vec<(String, Vec<u8>)> {
    names(folder).into_iter().map(|name| (name.clone(), fs::read(folder.join(name)).unwrap())).collect()
}

#[test]
fn charts_drawn_again_are_the_same_bytes_and_others_files_stay() {
    let home = results();
    let charts = home.path().join("results/small/charts");
    let before = bytes(&charts);
    for name in names(&charts) {
        fs::remove_file(charts.join(name)).unwrap();
    }
    fs::write(charts.join("heap.txt"), "of an earlier run").unwrap();
    fs::write(charts.join("mine.md"), "mine").unwrap();
    let output = sim(home.path(), &["chart", "small"]);
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), "Written to results/small/charts/\n"));
    assert_eq!(fs::read_to_string(charts.join("mine.md")).unwrap(), "mine");
    fs::remove_file(charts.join("mine.md")).unwrap();
    assert!(bytes(&charts) == before, "{:?}", names(&charts));
}

#[test]
fn a_png_needs_no_display_and_no_font_of_the_system() {
    let home = results();
    let output = sim(home.path(), &["chart", "small", "--format", "png", "--out", "pictures", "-q"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let pictures = bytes(&home.path().join("pictures"));
    assert_eq!(pictures.len(), 6);
    assert!(pictures.iter().all(|(name, png)| name.ends_with(".png") && png.starts_with(b"\x89PNG\r\n")));
}

#[test]
fn several_results_are_drawn_together_and_a_bad_one_is_named() {
    let home = results();
    fs::copy(home.path().join("small.yaml"), home.path().join("other.yaml")).unwrap();
    sim(home.path(), &["run", "other.yaml", "-q"]);
    let output = sim(home.path(), &["chart", "small", "other", "nobody", "-q"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("there is no folder nobody"), "{said}");
    let drawn = names(&home.path().join("charts"));
    assert!(
        ["verdicts.svg", "plane.svg", "timeline-small.svg", "strips-other.svg"]
            .iter()
            .all(|n| drawn.iter().any(|d| d == n)),
        "{drawn:?}"
    );
    let verdicts = fs::read_to_string(home.path().join("charts/verdicts.svg")).unwrap();
    assert!(verdicts.contains("small · group-hash") && verdicts.contains("other · group-hash"));
}

/// What becomes of a file's text; nothing: of the file.
type Spoil = fn(&str) -> Option<String>;

#[test]
fn a_folder_that_is_not_as_run_wrote_it_ends_with_two_and_the_rest_is_drawn() {
    let cases: [(&str, Spoil, &str, &str); 4] = [
        ("timeline.csv", |_| None, "timeline.csv is missing", "timeline"),
        (
            "heap.csv",
            |_| Some("a,b\n1,2\n".into()),
            "heap.csv is not as `rebalance-sim run` writes it: expected the columns scenario",
            "heap",
        ),
        ("strips.csv", |t| Some(t[..t.len() - 7].into()), "strips.csv is cut short in its last line", "strips"),
        (
            "delays.csv",
            |t| Some(t.replace(",rebalances\n", "\n")),
            "delays.csv is of an older version and lacks the columns rebalances",
            "delays",
        ),
    ];
    let home = results();
    let folder = home.path().join("results/small");
    for (file, spoilt, words, chart) in cases {
        let good = fs::read_to_string(folder.join(file)).unwrap();
        match spoilt(&good) {
            Some(text) => fs::write(folder.join(file), text).unwrap(),
            None => fs::remove_file(folder.join(file)).unwrap(),
        }
        for verb in [&["chart", "small"][..], &["report", "small", "--quick"]] {
            let output = sim(home.path(), verb);
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{said}");
            assert!(said.contains(words), "{said}");
        }
        let drawn = names(&folder.join("charts"));
        assert!(
            drawn.contains(&format!("{chart}.txt")) && drawn.iter().filter(|n| n.ends_with(".svg")).count() == 5,
            "{drawn:?}"
        );
        let page = fs::read_to_string(folder.join("report.html")).unwrap();
        assert!(page.contains("class=\"problem\"") && page.matches("<svg").count() == 5);
        fs::write(folder.join(file), good).unwrap();
    }
    fs::remove_file(folder.join("provenance.yaml")).unwrap();
    refused(home.path(), &["chart", "small"], 2, "provenance.yaml is missing");
    refused(home.path(), &["report", "small"], 2, "provenance.yaml is missing");
}

#[cfg(target_os = "linux")]
#[test]
fn a_target_that_cannot_be_written_ends_with_three_and_leaves_nothing() {
    let home = results();
    fs::write(home.path().join("file"), "in the way").unwrap();
    refused(home.path(), &["chart", "small", "--out", "file/charts", "-q"], 3, "cannot write file/charts");
    refused(home.path(), &["chart", "small", "--out", "/proc/charts", "-q"], 3, "cannot write /proc/charts");
    refused(home.path(), &["report", "small", "--out", "/proc/report.html", "-q"], 3, "cannot write /proc/report.html");
    assert_eq!(fs::read_to_string(home.path().join("file")).unwrap(), "in the way");
    assert_eq!(names(home.path()), ["file", "results", "small.yaml"]);
}

#[test]
fn the_page_has_everything_in_one_file() {
    let home = results();
    let output = sim(home.path(), &["report", "small"]);
    assert_eq!(
        (output.status.code(), text(&output.stderr).as_str()),
        (Some(0), "Written to results/small/report.html\n")
    );
    let page = fs::read_to_string(home.path().join("results/small/report.html")).unwrap();
    for words in [
        "<svg",
        "outcomes.csv",
        "causes.csv",
        "groups.csv",
        "costs.csv",
        "heap.csv",
        "log.csv",
        "Its worst group",
        "Why not once",
        "topics: {orders:",
        "history",
        "repeat",
    ] {
        assert!(page.contains(words), "{words}");
    }
    for outside in ["src=\"http", "href=\"http", "@import", "<link"] {
        assert!(!page.contains(outside), "{outside}");
    }
    // a run that comes after takes the page of the old results away
    sim(home.path(), &["run", "small.yaml", "-q"]);
    assert!(!home.path().join("results/small/report.html").exists());
}

#[test]
fn a_batch_that_kafka_refuses_ends_the_run_with_one_and_names_group_record_size_and_limit() {
    let home = home_with(
        "large.yaml",
        "cluster: {coordinators: apart, message_max_bytes: 20000}\nduration: 1m\nbrokers: 6\ntopics: {t: {count: 50, partitions: 10}}\ngroups: {g: {topics: all}}\nstrategies: [full-metadata, group-hash]\n",
    );
    let output = sim(home.path(), &["run", "large.yaml", "-q"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let output = sim(home.path(), &["run", "large.yaml", "-q", "--set", "cluster.message_max_bytes=2000"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    for words in [
        "large: full-metadata: group g would write a ConsumerGroupPartitionMetadata record",
        "message.max.bytes is 2,000",
        "1 such batch",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(!said.contains("group-hash:"), "{said}");
    assert!(home.path().join("results/large/outcomes.csv").exists(), "the others' results are good");
}

#[test]
fn published_tables_are_printed_with_what_was_divided() {
    let home = tempfile::tempdir().unwrap();
    let output = sim(home.path(), &["table", "kafka-17578"]);
    let said = text(&output.stdout);
    assert!(said.contains("654,400 / 822,860 = 79.5 %") && said.contains("654,400 / 1,477,260 = 44.3 %"), "{said}");
    let output = sim(home.path(), &["table", "kip", "--groups", "1,50", "--rounds", "1", "--markdown"]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    for words in
        ["| full-metadata | 1 × 1 |", "| topic-hash | 1 × 50 |", "| group-hash-uncached | 50 × 50 |", "High | High |"]
    {
        assert!(said.contains(words), "{words}: {said}");
    }
    refused(home.path(), &["table", "kip", "--groups", "0"], 2, "a table needs at least one group");
}

#[test]
fn every_run_can_be_explained_and_no_other() {
    let home = home_with("small.yaml", SMALL);
    let output = sim(home.path(), &["run", "small.yaml", "--runs", "2", "-q"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let told = |args: &[&str]| {
        let output = sim(home.path(), &[&["explain", "small", "--strategy", "group-hash"], args].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    assert_eq!(told(&[]), told(&["--run", "1"]));
    assert_ne!(told(&["--run", "1"]), told(&["--run", "2"]), "another seed's groups");
    refused(home.path(), &["explain", "small", "--run", "3"], 2, "there is no run 3 in these results; there are 2");
    refused(home.path(), &["explain", "small", "--run", "0"], 2, "0 is not in 1..");
}

#[test]
fn c70_a_time_that_the_run_does_not_have_is_told_with_the_one_it_has() {
    let home = results();
    refused(
        home.path(),
        &["chart", "small", "--from", "3h"],
        2,
        "the run of small goes from 0s to 1292000ms (0:21:32)",
    );
    refused(
        home.path(),
        &["chart", "small", "--from", "10m", "--until", "5m"],
        2,
        "nothing between 600000ms and 300000ms",
    );
    refused(home.path(), &["chart", "small", "--from", "10"], 2, "write `10ms`");
    let drawn = |args: &[&str]| {
        let output = sim(home.path(), &[&["chart", "small", "-q", "--out", "cut"], args].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        fs::read_to_string(home.path().join("cut/timeline.svg"))
    };
    let (whole, cut) = (drawn(&[]).unwrap(), drawn(&["--from", "10m", "--until", "15m"]).unwrap());
    assert_ne!(whole, cut);
    assert!(cut.contains("0:10:00 to 0:15:00") && !cut.contains(">0:20:00<"), "{cut}");
    // the broker stops at 10m, is back at 11m, and leads again at 992s
    let late = drawn(&["--from", "665s"]).unwrap();
    assert_eq!((whole.matches("restart").count(), late.matches("restart").count()), (3, 1), "{late}");
    assert_eq!(drawn(&["--from", "0s"]).unwrap().matches("<polyline").count(), whole.matches("<polyline").count());
    // before anything happens there is nothing to draw, and a file says so
    assert!(drawn(&["--until", "5m"]).is_err());
    let note = fs::read_to_string(home.path().join("cut/timeline.txt")).unwrap();
    assert!(note.contains("no rebalance and no stale group at the end of any bucket in this time"), "{note}");
}
