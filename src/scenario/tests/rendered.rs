//! How messages look. `SNAPSHOTS=overwrite cargo test` writes them anew.

use snapbox::{assert_data_eq, str};

use super::*;

fn rendered(text: &str) -> String {
    match load_text("week.yaml", text, &[]) {
        Ok(_) => panic!("this should be wrong:\n{text}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_misspelt_key_is_underlined_with_the_one_that_was_meant() {
    let text = "\
topics: {t: {partions: 10}}
groups:
  g: {topics: all, heartbeat_intervall_ms: 5000}
partitions: 7
";
    assert_data_eq!(
        rendered(text),
        str![[r#"
error: topics.t.partions: a topic has no key `partions`
 --> week.yaml:1:14
  |
1 | topics: {t: {partions: 10}}
  |              ^^^^^^^^ did you mean `partitions`?

error: groups.g.heartbeat_intervall_ms: a group has no key `heartbeat_intervall_ms`
 --> week.yaml:3:20
  |
3 |   g: {topics: all, heartbeat_intervall_ms: 5000}
  |                    ^^^^^^^^^^^^^^^^^^^^^^ did you mean `heartbeat`?

error: partitions: a scenario has no key `partitions`
 --> week.yaml:4:1
  |
4 | partitions: 7
  | ^^^^^^^^^^ `partitions` belongs to a topic
"#]]
    );
}

#[test]
fn a_key_that_stands_twice_is_shown_in_both_places() {
    let text = "seed: 1\ntopics: {t: {}}\ngroups: {g: {topics: all}}\nseed: 2\n";
    assert_data_eq!(
        rendered(text),
        str![[r#"
error: `seed` stands twice, in lines 1 and 4
 --> week.yaml:4:1
  |
1 | seed: 1
  | ---- first here
...
4 | seed: 2
  | ^^^^ take one of them away
"#]]
    );
}

#[test]
fn a_time_without_a_unit_says_which_there_are() {
    let text =
        "topics: {t: {}}\ngroups: {g: {topics: all, heartbeat: 5, session: 1s..3}}\nhistory:\n  - roll: {at: 10}\n";
    assert_data_eq!(
        rendered(text),
        str![[r#"
error: groups.g.heartbeat: a time needs its unit
 --> week.yaml:2:38
  |
2 | groups: {g: {topics: all, heartbeat: 5, session: 1s..3}}
  |                                      ^ write `5ms`, `5s`, `5m`, `5h` or `5d`

error: groups.g.session: a time needs its unit
 --> week.yaml:2:50
  |
2 | groups: {g: {topics: all, heartbeat: 5, session: 1s..3}}
  |                                                  ^^^^^ write `3ms`, `3s`, `3m`, `3h` or `3d`

error: history[0].roll.at: a time needs its unit
 --> week.yaml:4:16
  |
4 |   - roll: {at: 10}
  |                ^^ write `10ms`, `10s`, `10m`, `10h` or `10d`
"#]]
    );
}

#[test]
fn two_keys_that_contradict_each_other_are_both_shown() {
    let text = "topics: {t: {}}\ngroups:\n  g:\n    topics: all\n    heartbeat: 45s\n    # a session is longer\n    session: 45s\n";
    assert_data_eq!(
        rendered(text),
        str![[r#"
error: groups.g.heartbeat: heartbeat (45s) must be shorter than session (45s), or members expire between two heartbeats
 --> week.yaml:5:16
  |
5 |     heartbeat: 45s
  |                ^^^ heartbeat: 45s
6 |     # a session is longer
7 |     session: 45s
  |              --- session: 45s
"#]]
    );
}

#[test]
fn an_expectation_is_underlined_at_the_word_that_is_wrong() {
    let text = "\
topics: {t: {}}
groups: {shop: {count: 3, topics: all}}
history: [{roll: {at: 1m, as: saturday}}]
expect:
  - spurius == 0
  - spurious[group-hsh] == 0
  - missed[group-hash, cause=sunday, group=shap] <= 3
  - heap_bytes_peak[group=shop] < 5
";
    assert_data_eq!(
        rendered(text),
        str![[r#"
error: expect[0]: there is no metric `spurius`
 --> week.yaml:5:5
  |
5 |   - spurius == 0
  |     ^^^^^^^ did you mean `spurious`?

error: expect[1]: no strategy of this scenario is called `group-hsh`
 --> week.yaml:6:14
  |
6 |   - spurious[group-hsh] == 0
  |              ^^^^^^^^^ did you mean `group-hash`?

error: expect[2]: no entry of the history is called `sunday`
 --> week.yaml:7:24
  |
7 |   - missed[group-hash, cause=sunday, group=shap] <= 3
  |                        ^^^^^^^^^^^^ one of: saturday

error: expect[2]: no group is called `shap`
 --> week.yaml:7:38
  |
7 |   - missed[group-hash, cause=sunday, group=shap] <= 3
  |                                      ^^^^^^^^^^ did you mean `shop`?

error: expect[3]: `heap_bytes_peak` cannot be filtered
 --> week.yaml:8:5
  |
8 |   - heap_bytes_peak[group=shop] < 5
  |     ^^^^^^^^^^^^^^^ filters hold for rebalances, membership, needed, late, spurious, repeat, missed, groups_hit, max_per_group, peak_per_s, delay_ms_p50, delay_ms_p99, delay_ms_max
"#]]
    );
}

#[test]
fn what_yaml_itself_refuses_is_explained() {
    assert_data_eq!(
        rendered("topics: {t: {}}\ngroups: {g: {topics: *}}\nhistory: []\n"),
        str![[r#"
error: this is no YAML: while scanning an anchor or alias, did not find expected alphabetic or numeric character
 --> week.yaml:2:22
  |
2 | groups: {g: {topics: *}}
  |                      ^
  |
  = help: `*` is an alias to YAML: quote it, "*"
"#]]
    );
    assert_data_eq!(
        rendered("topics: {t: {}}\ngroups: {g: {topics: @x}}\n"),
        str![[r#"
error: this is no YAML: unexpected character: `@'
 --> week.yaml:2:22
  |
2 | groups: {g: {topics: @x}}
  |                      ^
  |
  = help: `@x` opens with a character that means something to YAML: quote it, "@x"
"#]]
    );
    assert_data_eq!(
        rendered("topics: {t: {}\ngroups: {g: {topics: all}}\n"),
        str![[r#"
error: this is no YAML: while parsing a flow mapping, did not find expected ',' or '}'
 --> week.yaml:2:1
  |
1 | topics: {t: {}
  |         - opened here, and not closed
2 | groups: {g: {topics: all}}
  | ^
"#]]
    );
    assert_data_eq!(
        rendered("seed: \"1\n"),
        str![[r#"
error: this is no YAML: unclosed quote
 --> week.yaml:1:7
  |
1 | seed: "1
  |       ^
"#]]
    );
}

#[test]
fn a_word_that_yaml_reads_as_something_else_is_no_name() {
    let text = "\
cluster: {racks: [a, no, null]}
topics: {1e3: {}, t: {}}
groups: {on: {topics: all}, g: {topics: 010}}
history: [{crash: {at: 1m, as: 1:30}}]
";
    assert_data_eq!(
        rendered(text),
        str![[r#"
error: cluster.racks[1]: `no` is a truth value to YAML, and the name of a rack is meant here
 --> week.yaml:1:22
  |
1 | cluster: {racks: [a, no, null]}
  |                      ^^ write "no"

error: topics.1e3: `1e3` is a number to YAML, and the name of a topic is meant here
 --> week.yaml:2:10
  |
2 | topics: {1e3: {}, t: {}}
  |          ^^^ write "1e3"

error: groups.on: `on` is a truth value to YAML, and the name of a group is meant here
 --> week.yaml:3:10
  |
3 | groups: {on: {topics: all}, g: {topics: 010}}
  |          ^^ write "on"

error: groups.g.topics: how many topics is a whole number, not `010`
 --> week.yaml:3:41
  |
3 | groups: {on: {topics: all}, g: {topics: 010}}
  |                                         ^^^ without zeros in front

error: history[0].crash.as: `1:30` is a number to YAML, and the name of an entry is meant here
 --> week.yaml:4:32
  |
4 | history: [{crash: {at: 1m, as: 1:30}}]
  |                                ^^^^ write "1:30"
"#]]
    );
}

#[test]
fn an_entry_that_the_world_refuses_is_underlined_in_its_file() {
    let text = "topics: {t: {}}\ngroups: {g: {topics: all}}\nhistory:\n  - crash: {at: 1m, broker: 1}\n  - crash:\n      at: 2m\n      broker: 1\n      as: again\n";
    let loaded = load_text("week.yaml", text, &[]).unwrap();
    assert_data_eq!(
        loaded.entry_error(1, "broker 1 is down already").to_string(),
        str![[r#"
error: history[1]: broker 1 is down already
 --> week.yaml:5:5
  |
5 |   - crash:
  |     ^^^^^^
"#]]
    );
}

#[test]
fn common_slips_of_yaml_come_with_a_way_out() {
    let help = |text: &str| {
        let all = rendered(text);
        all.lines().filter_map(|line| line.split_once("= help: ")).map(|(_, help)| help.to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(help("groups: {g: {pattern: [a-z]+}}\n"), ["text that opens with `[` or `{` has to be quoted"]);
    assert_eq!(
        help("expect: [missed[group-hash, 1h..2h] == 0]\n"),
        ["`expect:` is a block list, a line each: `- missed[...] == 0`; or quote the text"]
    );
    assert_eq!(help("topics:\n\tt: {}\n"), ["indent with blanks"]);
    assert_eq!(
        help("groups:\n  g:\n    topics: all\n   members: 3\n"),
        ["is this line indented like those it belongs to?"]
    );
    assert_eq!(
        help("groups:\n  g: topics: all\n"),
        ["one `key: value` on a line: begin a new line, or write `{key: value}`"]
    );
    let glued = rendered("topics: {t: {}}\ngroups: {g: {topics:all}}\n");
    assert!(glued.contains("put a blank after the colon: `topics: all`"), "{glued}");
    for (text, quoted) in [("|x", "\"|x\""), ("%x", "\"%x\""), ("!x", "\"!x\""), ("*x", "\"*x\""), (">x", "\">x\"")] {
        let told = rendered(&format!("topics: {{t: {{}}}}\ngroups:\n  g:\n    topics: {text}\n"));
        assert!(
            told.contains(&format!("quote it, {quoted}")) || told.contains(&format!("quote it: {quoted}")),
            "{told}"
        );
        assert_eq!(told.matches("error:").count(), 1, "{told}");
    }
}
