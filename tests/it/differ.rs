//! `differ`: what it finds is a scenario that anybody can run, and still shows the difference.

use std::fs;

use crate::cli::{sim, text};
use crate::support::{lane, run};

#[test]
fn what_is_found_is_a_scenario_in_which_the_two_part_and_the_same_one_again() {
    let home = tempfile::tempdir().unwrap();
    let find = || sim(home.path(), &["differ", "kafka-4.0", "{as: lists, like: kafka-4.1}"]);
    let (first, second) = (find(), find());
    assert_eq!(first.status.code(), Some(0), "{}", text(&first.stderr));
    let yaml = text(&first.stdout);
    assert_eq!(yaml, text(&second.stdout));
    assert!(yaml.starts_with("# kafka-4.0 and lists part: one entry"), "{yaml}");
    assert!(yaml.contains("first part at"), "it says where: {yaml}");
    let run = run(&yaml);
    let when = |strategy| lane(&run, strategy).bumps.iter().map(|b| (b.at, b.group)).collect::<Vec<_>>();
    assert_ne!(when("kafka-4.0"), when("lists"));
    fs::write(home.path().join("found.yaml"), &yaml).unwrap();
    let validated = sim(home.path(), &["validate", "found.yaml"]);
    assert_eq!(validated.status.code(), Some(0), "{}", text(&validated.stderr));
}

#[test]
fn more_kinds_have_other_verbs_and_a_ticket_has_the_scenario_in_it() {
    let home = tempfile::tempdir().unwrap();
    let output = sim(home.path(), &["differ", "kafka-3.9", "kafka-4.1", "--kinds", "3", "--markdown"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let ticket = text(&output.stdout);
    assert_eq!((ticket.matches("### kafka-3.9 and").count(), ticket.matches("```yaml").count()), (3, 3), "{ticket}");
    let mut verbs: Vec<Vec<&str>> = Vec::new();
    for scenario in ticket.split("```yaml").skip(1) {
        let history = scenario.split("```").next().unwrap().split("history:\n").nth(1).unwrap();
        let entries = history.lines().filter_map(|line| line.trim().strip_prefix("- "));
        let mut of: Vec<&str> = entries.filter_map(|entry| entry.split(':').next()).collect();
        of.sort_unstable();
        of.dedup();
        assert!(!verbs.contains(&of), "{of:?}");
        verbs.push(of);
    }
}

#[test]
fn the_same_trigger_under_two_names_never_parts() {
    let home = tempfile::tempdir().unwrap();
    let output = sim(home.path(), &["differ", "kafka-4.1", "kafka-4.2", "--tries", "40"]);
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(0), ""));
    assert_eq!(text(&output.stderr), "kafka-4.1 and kafka-4.2 do not part on 40 random scenarios\n");
}

#[test]
fn strategies_and_releases_that_there_are_not_end_with_two() {
    let home = tempfile::tempdir().unwrap();
    let cases = [
        (["kafka-4.0", "kafka-41"], "did you mean `kafka-4.1`?"),
        (["kafka-4.0", "kafka-4.0"], "two strategies are called `kafka-4.0`"),
        (["kafka-4.0", "jars:kafka-9"], "`kafka-9` is no release; there are kafka-3.9"),
        (["{like: kafka-4.1, racks: set}", "kafka-4.1"], "add `as: NAME`"),
    ];
    for (pair, says) in cases {
        let output = sim(home.path(), &["differ", pair[0], pair[1]]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(says), "{said}");
    }
}
