//! What comes from elsewhere: `base:`, `--set`, anchors; and the two public reports of silent mistakes.

use super::*;
use crate::sim::Ms;

/// Loads the last of several files.
fn files(files: &[(&str, &str)], sets: &[&str]) -> Result<Loaded, String> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    let last = folder.path().join(files.last().unwrap().0);
    load(&last, &sets).map_err(|error| error.short().replace(&format!("{}/", folder.path().display()), ""))
}

/// The groups' sizes after a `--set` on a fixed document, or what is wrong with it.
fn set(sets: &[&str]) -> Result<Scenario, String> {
    let text = "\
brokers: 4
topics: {a.b: {partitions: 1}, t: {count: 2}}
groups: {shop: {count: 2, topics: all}, g: {topics: [t-1]}}
history:
  - roll: {at: 1m, as: saturday}
  - crash: {at: 1m}
strategies: [kafka-4.1, {as: mine, like: topic-hash}]
";
    files(&[("s.yaml", text)], sets).map(|loaded| loaded.scenario)
}

#[test]
fn maps_merge_and_lists_replace() {
    let base = "cluster: {session: 8s, racks: [x, y]}\ntopics: {t: {partitions: 3}}\ngroups: {g: {topics: all}}\nhistory: [{roll: {at: 1h}}]\n";
    let over = "base: ../base.yaml\ncluster: {racks: [z]}\ntopics: {t: {rf: 2}, u: {}}\nhistory: [{touch: {at: 1m}}]\n";
    let scenario = files(&[("base.yaml", base), ("sub/over.yaml", over)], &[]).unwrap().scenario;
    assert_eq!(scenario.name, "over");
    assert_eq!(scenario.cluster.session, Ms::secs(8));
    assert!(scenario.brokers.iter().all(|b| b.rack.as_deref() == Some("z")));
    assert_eq!(scenario.topics.len(), 2);
    assert_eq!(scenario.topics[0].place, Place::Drawn { partitions: Span::just(3), rf: 2 });
    assert_eq!(scenario.history.len(), 1);
}

#[test]
fn problems_of_a_base_are_told_in_its_own_file() {
    let base = "topics: {t: {partions: 3}}\n";
    let over = "base: base.yaml\ngroups: {g: {topics: al}}\nruns: x\n";
    let error = files(&[("base.yaml", base), ("over.yaml", over)], &[]).unwrap_err();
    assert_eq!(
        error,
        "over.yaml:3:7: runs: runs is a whole number, not `x`; write it in digits only\n\
         base.yaml:1:14: topics.t.partions: a topic has no key `partions`; did you mean `partitions`?\n"
    );
}

#[test]
fn a_ring_of_bases_is_an_error() {
    let error = files(&[("b.yaml", "base: a.yaml\n"), ("a.yaml", "base: b.yaml\nseed: 2\n")], &[]).unwrap_err();
    assert_eq!(error, "b.yaml:1:7: files are each other's base: a.yaml → b.yaml → a.yaml\n");
    let gone = files(&[("a.yaml", "base: gone.yaml\nseed: 2\n")], &[]).unwrap_err();
    assert!(gone.starts_with("a.yaml:1:7: cannot read `gone.yaml`: "), "{gone}");
}

#[test]
fn set_replaces_puts_in_and_takes_away() {
    let partitions = |scenario: &Scenario, topic: usize| match scenario.topics[topic].place {
        Place::Drawn { partitions, .. } => partitions.lo,
        Place::Exact(_) => panic!(),
    };
    assert_eq!(set(&["groups.shop.count=5"]).unwrap().groups.len(), 6);
    assert_eq!(set(&["groups.g.count=5"]).unwrap().groups.len(), 7);
    assert_eq!(set(&["brokers=9"]).unwrap().brokers.len(), 9);
    assert_eq!(set(&["brokers.count=9"]).unwrap().brokers.len(), 9);
    assert_eq!(
        set(&["cluster.start.catch_up=1s..2s"]).unwrap().cluster.start.catch_up,
        Span { lo: Ms(1000), hi: Ms(2000) }
    );
    assert_eq!(partitions(&set(&["topics.a.b.partitions=7"]).unwrap(), 0), 7);
    assert_eq!(partitions(&set(&["topics.\"a.b\".partitions=7"]).unwrap(), 0), 7);
    assert_eq!(set(&["groups.shop=null"]).unwrap().groups.len(), 1);
    assert_eq!(set(&["strategies=[topic-hash]", "topics.t=3"]).unwrap().strategies.len(), 1);
}

#[test]
fn set_finds_items_of_lists_by_their_names() {
    let saturday = set(&["history.saturday.down=7s", "history.crash.for=1m"]).unwrap();
    let Verb::Roll { down, .. } = saturday.history[0].verb else { panic!() };
    assert_eq!(down, Span::just(Ms::secs(7)));
    assert!(matches!(saturday.history[1].verb, Verb::Crash { back_after: Some(_), .. }));
    assert_eq!(set(&["history.saturday=null"]).unwrap().history.len(), 1);
    assert_eq!(set(&["history.saturday.as=null"]).unwrap().history[0].name, "roll");
    let switched = set(&["strategies.mine.cache=none", "strategies.kafka-4.1.racks=set"]).unwrap();
    assert_eq!(switched.strategies[1].switches.cache, Cache::None);
    assert_eq!(
        (switched.strategies[0].name.as_str(), switched.strategies[0].switches.racks),
        ("kafka-4.1", RackReading::Set)
    );
}

#[test]
fn what_is_wrong_with_a_set_is_underlined_in_it() {
    let error = |sets: &[&str]| set(sets).unwrap_err();
    assert_eq!(
        error(&["groups.shop.cuont=5"]),
        "--set:1:1: groups.shop.cuont: a group has no key `cuont`; did you mean `count`?\n"
    );
    assert_eq!(
        error(&["history.sunday.at=5m"]),
        "--set:1:1: `sunday` is not there; items of a list are found by their `as`, name or label\n"
    );
    assert_eq!(error(&["runs"]), "--set:1:1: `--set` takes `path=value`; as in `--set groups.shop.count=10`\n");
    assert_eq!(
        error(&["cluster.session=10"]),
        "--set:1:17: cluster.session: a time needs its unit; write `10ms`, `10s`, `10m`, `10h` or `10d`\n"
    );
    assert_eq!(
        error(&["groups.none=null"]),
        "--set:1:1: there is nothing to take away; no such key or name in the document\n"
    );
    let twice = "topics: {a: {b.c: 1}, a.b: {c: 2}}\n";
    let two = files(&[("s.yaml", twice)], &["topics.a.b.c=3"]).unwrap_err();
    assert!(two.contains("this path can be read in 2 ways; put the name that has a dot in it into quotes"), "{two}");
}

// C57
#[test]
fn misspelt_keys_are_all_refused_with_what_was_meant() {
    let text = "\
topics: {t: {partions: 10}}
groups:
  g: {topics: all, heartbeat_intervall_ms: 5s}
members: 5
";
    assert_eq!(
        wrong(text),
        "test.yaml:1:14: topics.t.partions: a topic has no key `partions`; did you mean `partitions`?\n\
         test.yaml:3:20: groups.g.heartbeat_intervall_ms: a group has no key `heartbeat_intervall_ms`; did you mean `heartbeat`?\n\
         test.yaml:4:1: members: a scenario has no key `members`; `members` belongs to a group\n"
    );
    let listed = wrong("topics: [{name: t, partions: 10}]\ngroups: {g: {topics: all}}\n");
    assert!(
        listed
            .contains("test.yaml:1:20: topics[0].partions: a topic has no key `partions`; did you mean `partitions`?")
    );
    assert!(listed.contains("topics is a map keyed by name, not a list"), "{listed}");
}

// C58
#[test]
fn keys_that_stand_twice_are_refused_with_both_lines() {
    let events = "topics: {t: {}}\nhistory: []\ngroups: {g: {topics: all}}\nhistory: [{roll: {at: 1m}}]\n";
    assert_eq!(wrong(events), "test.yaml:4:1: `history` stands twice, in lines 2 and 4; take one of them away\n");
    let groups = "topics: {t: {}}\ngroups:\n  g1: {topics: all}\n  g2: {topics: all}\n  g1: {topics: all}\n";
    assert_eq!(wrong(groups), "test.yaml:5:3: `g1` stands twice, in lines 3 and 5; take one of them away\n");
}

// C58, its third
#[test]
fn anchors_and_merge_keys_stay_allowed() {
    let text = "\
topics: {t: {}}
groups:
  a: &usual {topics: all, members: 3, heartbeat: 3s}
  b: {<<: *usual, members: 7}
  c: {<<: [{members: 1}, *usual]}
  d: *usual
";
    let groups = loaded(text).scenario.groups;
    let counts: Vec<&Members> = groups.iter().map(|g| &g.members).collect();
    assert_eq!(counts, [3, 7, 1, 3].map(|n| Members::Count(Span::just(n))).iter().collect::<Vec<_>>());
    assert!(groups.iter().all(|g| g.heartbeat == Span::just(Ms::secs(3))));
}

#[test]
fn a_bomb_of_aliases_is_refused_quickly() {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let items = vec![format!("*a{}", level - 1); 9].join(", ");
        text.push_str(&format!("a{level}: &a{level} [{items}]\n"));
    }
    assert!(wrong(&text).contains("the aliases of this file make it too large"));
    let deep = format!("a: {}", "[".repeat(100_000));
    assert!(wrong(&deep).contains("this is no YAML"), "{}", wrong(&deep));
}

#[test]
fn an_empty_file_a_second_document_and_a_tag_are_told() {
    assert_eq!(wrong(""), "test.yaml:1:1: this file is empty; `rebalance-sim new` writes one to start from\n");
    assert_eq!(wrong("# nothing\n"), wrong(""));
    assert_eq!(
        wrong("seed: 1\n---\nseed: 2\n"),
        "test.yaml:2:1: a scenario is one document; a second one begins here\n"
    );
    assert!(wrong("seed: !x 1\n").contains("tag"));
    assert_eq!(wrong("[1, 2]"), "test.yaml:1:1: a scenario is a map, not a list; write `{key: value, ...}`\n");
}

#[test]
fn a_byte_order_mark_and_carriage_returns_do_no_harm() {
    let text = "\u{feff}topics: {t: {}}\r\ngroups:\r\n  g: {topics: all}\r\n";
    assert_eq!(loaded(text).scenario.groups.len(), 1);
    let wrong = wrong("\u{feff}sed: 1\r\n");
    assert_eq!(wrong, "test.yaml:1:1: sed: a scenario has no key `sed`; did you mean `seed`?\n");
}
