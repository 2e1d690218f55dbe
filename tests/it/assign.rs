//! The verb `assign`: what it prints, what it refuses, and that its shipped files are no scenarios to other verbs.

use std::path::{Path, PathBuf};

use rebalance_sim::coordinator::assignor::{Assignor, Figures, Input, Owner, figures};
use rebalance_sim::scenario::{AssignFile, load_assign, load_assign_text};

use crate::cli::{home_with, refused, sim, text};

/// A group's file that must be right.
pub(crate) fn group(yaml: &str) -> Input {
    Input::of(&read(yaml)).unwrap()
}

fn read(yaml: &str) -> AssignFile {
    let names = Assignor::ALL.map(Assignor::name);
    load_assign_text("case", yaml, &names).unwrap_or_else(|problems| panic!("{problems}"))
}

/// What an assignor makes of it.
pub(crate) fn deal(input: &Input, assignor: Assignor) -> (Vec<Owner>, Figures) {
    let owners = assignor.assign(input).unwrap();
    let figures = figures(input, &owners);
    (owners, figures)
}

fn shipped() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/assign");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    files
}

fn problems(yaml: &str) -> String {
    let names = Assignor::ALL.map(Assignor::name);
    load_assign_text("bad.yaml", yaml, &names).expect_err("this was read without a word").short()
}

#[test]
fn every_shipped_file_is_dealt_by_the_assignors_that_it_names() {
    let names = Assignor::ALL.map(Assignor::name);
    assert!(shipped().len() >= 5);
    for path in shipped() {
        let file = load_assign(&path, &names).unwrap_or_else(|problems| panic!("{problems}"));
        assert!(!file.assignors.is_empty() && file.warnings.is_empty(), "{}", path.display());
        let input = Input::of(&file).unwrap();
        for name in &file.assignors {
            let (_, figures) = deal(&input, Assignor::named(name).unwrap());
            let all = input.partitions().count() as u64;
            assert_eq!(figures.partitions + figures.unassigned, all, "{} {name}", path.display());
        }
    }
}

#[test]
fn a_table_says_who_has_what() {
    let home = tempfile::tempdir().unwrap();
    let file = shipped().into_iter().find(|p| p.ends_with("ten-partitions.yaml")).unwrap();
    let output = sim(home.path(), &["assign", file.to_str().unwrap(), "--assignor", "legacy-range"]);
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
    let expected = "\
ten-partitions · 2 members · 1 topic 10 partitions
assignor      owners  idle  partitions  each  imbalance  in a topic  brokers each
legacy-range       3     0          10   3–4          1           1           3–4

legacy-range  partitions  which
C1-0                   4  t 0–3
C2-0                   3  t 4–6
C2-1                   3  t 7–9
";
    assert_eq!(text(&output.stdout), expected);
}

#[test]
fn csv_and_json_have_a_row_for_each_partition_or_for_each_assignor() {
    let home = home_with("g.yaml", "topics: {t: {partitions: 3}}\nmembers: {a: {rack: a, owns: {t: 0}}, b: {}}\n");
    let out = |args: &[&str]| {
        let output = sim(home.path(), &[&["assign", "g.yaml", "--assignor", "uniform,legacy-range"], args].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let expected = "\
group,assignor,topic,partition,member,thread,broker,local,moved
g,uniform,t,0,a,,0,true,false
g,uniform,t,1,b,,1,,true
g,uniform,t,2,b,,2,,true
g,legacy-range,t,0,a,0,0,true,false
g,legacy-range,t,1,a,0,1,true,true
g,legacy-range,t,2,b,0,2,,true
";
    assert_eq!(out(&["--format", "csv"]), expected);
    let summary = "\
group,assignor,owners,idle,partitions,unassigned,least,most,imbalance_total,imbalance_per_topic_max,local_pct,brokers_least,brokers_most,moves,moves_between_members,refused
g,uniform,2,0,3,0,1,2,1,1,100.0,1,2,2,0,
g,legacy-range,2,0,3,0,1,2,1,1,100.0,1,2,2,0,
";
    assert_eq!(out(&["--format", "csv", "--summary"]), summary);
    let json = out(&["--format", "json", "--summary"]);
    assert!(json.starts_with("[\n  {\n    \"group\": \"g\",\n    \"assignor\": \"uniform\","), "{json}");
    let json = out(&["--format", "json"]);
    assert_eq!(json.matches("\"partition\"").count(), 6, "{json}");
}

#[test]
fn what_is_wrong_is_told_with_its_place_and_what_may_have_been_meant() {
    let wrong = "topics: {t: {partitions: 10}, u: {partitons: 3}, v: 5}
members:
  C1: {threads: 0}
  C2: {topic: [t]}
assignors: [legacy-rang, uniform, uniform]
colour: red
";
    let said = problems(wrong);
    for line in [
        "bad.yaml:1:35: topics.u.partitons: a topic has no key `partitons`; did you mean `partitions`?",
        "bad.yaml:1:53: topics.v: a number alone could mean topics or partitions; write `v: {partitions: 5}`",
        "bad.yaml:3:17: members.C1.threads: threads cannot be 0; it is between 1 and 10000",
        "bad.yaml:4:8: members.C2.topic: a member has no key `topic`; did you mean `topics`?",
        "bad.yaml:5:13: assignors[0]: an assignor cannot be `legacy-rang`; did you mean `legacy-range`?",
        "bad.yaml:5:35: assignors[2]: `uniform` is asked for twice; take one of them away",
        "bad.yaml:6:1: colour: the top of the file has no key `colour`",
    ] {
        assert!(said.contains(line), "{line}\nis missing in\n{said}");
    }
    let wrong = "topics: {orders: {partitions: 10}, audit: {}}
members:
  C1: {topics: [ordesr], owns: {audti: 0, orders: [3..10]}, threads: {audti: 2}}
  C2: {pattern: \"x.*\"}
  C3: {topics: zz-*}
";
    let said = problems(wrong);
    for line in [
        "bad.yaml:3:17: members.C1.topics[0]: there is no topic `ordesr`; did you mean `orders`?",
        "bad.yaml:3:33: members.C1.owns.audti: there is no topic `audti`; did you mean `audit`?",
        "bad.yaml:3:52: members.C1.owns.orders[0]: there is no partition 10 in `orders`; it has partitions 0 to 9",
        "bad.yaml:3:71: members.C1.threads.audti: this member does not subscribe to `audti`; did you mean `audit`?",
        "bad.yaml:4:17: members.C2.pattern: no topic matches this pattern; it is matched against the whole name",
        "bad.yaml:5:16: members.C3.topics: no topic matches `zz-*`",
    ] {
        assert!(said.contains(line), "{line}\nis missing in\n{said}");
    }
    assert!(problems("members: {a: {}}\n").contains("the top of the file needs `topics`"));
    assert!(problems("topics: {t: {}}\n").contains("the top of the file needs `members`"));
}

#[test]
fn an_assignor_that_cannot_is_an_error_if_it_was_asked_for_and_a_line_if_not() {
    let yaml = "topics: {t: {}, u: {}}\nmembers:\n  C1: {threads: {t: 2, u: 1}}\n  C2: {topics: t}\n";
    let home = home_with("g.yaml", yaml);
    let words = "legacy-round-robin wants every member to subscribe to the same topics: C1 and C2 do not";
    refused(home.path(), &["assign", "g.yaml", "--assignor", "legacy-round-robin"], 2, words);
    let output = sim(home.path(), &["assign", "g.yaml"]);
    let said = text(&output.stdout);
    assert!(output.status.success() && said.contains(&format!("\n{words}\n")), "{said}");
    let equal = format!("{}assignors: legacy-round-robin\n", yaml.replace("C2: {topics: t}", "C2: {}"));
    std::fs::write(home.path().join("h.yaml"), equal).unwrap();
    let words = "legacy-round-robin wants a member to have as many threads for every topic: C1 has 2 for t and 1 for u";
    refused(home.path(), &["assign", "h.yaml"], 2, words);
    refused(home.path(), &["assign", "h.yaml"], 2, "h.yaml:5:12");
    refused(home.path(), &["assign", "h.yaml", "--assignor", "rang"], 2, "possible values");
    refused(home.path(), &["assign", "absent.yaml"], 2, "cannot read `absent.yaml`");
}

#[test]
fn threads_of_a_topic_are_dealt_to_as_the_zookeeper_consumer_did() {
    let input =
        group("topics: {t: {partitions: 6}, u: {partitions: 2}}\nmembers: {C1: {threads: {t: 2, u: 1}}, C2: {}}\n");
    let (owners, _) = deal(&input, Assignor::LegacyRange);
    let sizes: Vec<(Option<u32>, usize, usize)> = owners
        .iter()
        .map(|o| {
            let of = |topic: usize| o.partitions.iter().filter(|tp| tp.topic == topic).count();
            (o.thread, of(0), of(1))
        })
        .collect();
    // C1-0, C1-1, C2-0: t to all three, u to C1-0 and C2-0
    assert_eq!(sizes, [(Some(0), 2, 1), (Some(1), 2, 0), (Some(0), 2, 1)]);
}

#[test]
fn more_members_than_partitions_are_idle_and_that_is_said() {
    let home = home_with("g.yaml", "topics: {t: {partitions: 2}}\nmembers: {a: {}, b: {}, c: {}, d: {topics: []}}\n");
    let said = text(&sim(home.path(), &["assign", "g.yaml", "--assignor", "uniform"]).stdout);
    assert!(said.contains("idle: there are fewer partitions than owners"), "{said}");
    assert!(said.contains("subscribes to nothing"), "{said}");
    let twice = "topics: {t: {}}\nmembers: {a: {owns: {t: 1}}, b: {owns: {t: 1}}}\n";
    std::fs::write(home.path().join("twice.yaml"), twice).unwrap();
    let output = sim(home.path(), &["assign", "twice.yaml"]);
    let words = "partition 1 of t is owned twice: neither keeps it";
    assert!(output.status.success() && text(&output.stderr).contains(words), "{}", text(&output.stderr));
}

#[test]
fn a_group_to_deal_to_is_no_scenario_and_the_other_way_round() {
    let home = home_with("g.yaml", "# Who?\ntopics: {t: {}}\nmembers: {a: {}}\n");
    refused(home.path(), &["run", "g.yaml"], 2, "`rebalance-sim assign FILE` deals its partitions");
    refused(home.path(), &["validate", "g.yaml"], 2, "`rebalance-sim assign FILE` deals its partitions");
    let list = text(&sim(home.path(), &["list", "."]).stdout);
    assert!(list.contains("Who?") && !list.contains("wrong"), "{list}");
    std::fs::write(home.path().join("s.yaml"), crate::cli::SMALL).unwrap();
    refused(home.path(), &["assign", "s.yaml"], 2, "`rebalance-sim run FILE` simulates it");
}
