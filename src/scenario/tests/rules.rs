//! The rules of the language, one test each or more.

use super::*;
use crate::kafka::BrokerId;
use crate::sim::Ms;

// rule 1 and 10: named things, counts, families

#[test]
fn a_family_has_numbered_names_also_with_a_count_of_one() {
    let one = loaded("topics: {t: {count: 1}, u: {}}\ngroups: {g: {count: 11, topics: all}}\n").scenario;
    assert_eq!(names(one.topics.iter().map(|t| &t.name)), ["t-1", "u"]);
    assert_eq!(one.topics[0].family.as_deref(), Some("t"));
    assert_eq!(one.topics[1].family, None);
    let groups: Vec<String> = (1..=11).map(|n| format!("g-{n}")).collect();
    assert_eq!(names(one.groups.iter().map(|g| &g.name)), names(&groups));
}

#[test]
fn names_that_clash_are_an_error() {
    says(
        "topics: {t: 3, t-2: {}}\ngroups: {g: {topics: all}}\n",
        &["1:16: topics.t-2: `t-2` is there twice: of its own and as one of a family; give one of them another name"],
    );
}

#[test]
fn brokers_are_a_number_a_map_or_a_list_with_ids_from_0() {
    let brokers = |text: &str| -> Vec<(u32, Option<String>)> {
        let loaded = loaded(&format!("topics: {{t: {{rf: 1}}}}\ngroups: {{g: {{topics: all}}}}\nbrokers: {text}\n"));
        loaded.scenario.brokers.iter().map(|b| (b.id.0, b.rack.clone())).collect()
    };
    let at = |racks: &[(u32, &str)]| -> Vec<(u32, Option<String>)> {
        racks.iter().map(|(id, rack)| (*id, (!rack.is_empty()).then(|| (*rack).to_owned()))).collect()
    };
    assert_eq!(brokers("4"), at(&[(0, "a"), (1, "b"), (2, "c"), (3, "a")]));
    assert_eq!(brokers("{count: 2, rack: x}"), at(&[(0, "x"), (1, "x")]));
    assert_eq!(brokers("[{rack: x}, {count: 2}, {rack: null}]"), at(&[(0, "x"), (1, "b"), (2, "c"), (3, "")]));
    assert_eq!(brokers("{7: {rack: x}, 3: {}, 4: null}"), at(&[(3, "a"), (4, "b"), (7, "x")]));
    says("brokers: 0\n", &["1:10: brokers: the number of brokers cannot be 0; it is between 1 and 100000"]);
}

#[test]
fn a_familys_name_means_all_its_members() {
    let loaded = loaded(&with("history: [{delete-topic: {at: 1m, topic: orders}}, {leave: {at: 1m, group: shop}}]\n"));
    assert_eq!(
        loaded.scenario.groups[1].topics,
        TopicPick::These(["orders-1", "orders-2", "orders-3"].map(String::from).into())
    );
    let family = |name: &str| Pick::These(vec![Word::Family(name.to_owned())]);
    assert_eq!(loaded.scenario.history[0].verb, Verb::DeleteTopic { topics: family("orders") });
    let any = Pick::Any(Span::just(1));
    assert_eq!(loaded.scenario.history[1].verb, Verb::Leave { groups: family("shop"), members: any });
}

// rule 2: when

#[test]
fn an_entry_has_exactly_one_when() {
    says(
        &with("history: [{roll: {down: 1m}}]\n"),
        &["3:18: history[0].roll: this entry does not say when; give one of `at: 10m`, `every: 6h`, `rate: 2/day`"],
    );
    says(
        &with("history: [{crash: {at: 1m, every: 1h, until: 2h}}]\n"),
        &[
            "3:28: history[0].crash.every: an entry has one *when*, and this has `at` and `every`; take one of them away",
            "3:39: history[0].crash.until: `until` belongs to `every` or `rate`; take it away",
        ],
    );
}

#[test]
fn a_rhythm_begins_after_one_of_its_own_steps() {
    let when =
        |text: &str| loaded(&with(&format!("history: [{{touch: {{{text}}}}}]\n"))).scenario.history[0].when.clone();
    let every = |every, from, until, times| When::Every { every: Ms::secs(every), from: Ms::secs(from), until, times };
    assert_eq!(when("every: 10s, times: 3"), every(10, 10, None, Some(3)));
    assert_eq!(when("every: 10s, from: 0s, until: 1m"), every(10, 0, Some(Ms::secs(60)), None));
    assert_eq!(when("at: [1h, 2h]"), When::At(vec![Ms::secs(3600), Ms::secs(7200)]));
    let rate =
        |count, per, each| When::Rate { count, per: Ms::secs(per), each, from: Ms::ZERO, until: None, times: Some(1) };
    assert_eq!(when("rate: 2/day, times: 1"), rate(2, 86_400, false));
    assert_eq!(when("rate: 3 / 90s per topic, times: 1"), rate(3, 90, true));
}

#[test]
fn a_process_with_no_end_is_an_error() {
    says(
        &with("history:\n  - touch: {every: 1h}\n  - crash: {rate: 1/day}\n"),
        &[
            "4:5: history[0]: `touch` goes on for ever; give it `until` or `times`, or the scenario a `duration`",
            "5:5: history[1]: `crash` goes on for ever; give it `until` or `times`, or the scenario a `duration`",
        ],
    );
    loaded(&with("duration: 1d\nhistory:\n  - touch: {every: 1h}\n  - crash: {rate: 1/day}\n"));
}

#[test]
fn per_counts_what_the_verb_is_about() {
    says(
        &with("history: [{crash: {rate: 1/day per group, until: 1d}}]\n"),
        &["3:26: history[0].crash.rate: there cannot be one such process per group; write `per broker`"],
    );
}

#[test]
fn a_second_entry_of_a_verb_needs_a_name() {
    says(
        &with("history: [{roll: {at: 1m}}, {roll: {at: 2h}}, {crash: {at: 1m, as: roll}}]\n"),
        &[
            "3:30: history[1].roll: a second entry `roll` needs a name; add `as: its-own-name`",
            "3:68: history[2].crash.as: two entries are called `roll`; give one of them another name",
        ],
    );
}

#[test]
fn names_have_no_blanks_or_brackets() {
    says(
        &with(
            "history: [{roll: {at: 1m, as: \"two words\"}}, {touch: {at: 1m, as: \"a=b\"}}, {crash: {at: 1m, as: ''}}]\n",
        ),
        &[
            "3:31: history[0].roll.as: `two words` cannot be the name of an entry; a name has no blanks in it",
            "3:67: history[1].touch.as: `a=b` cannot be the name of an entry; a name has no `=` in it",
            "3:97: history[2].crash.as: `` cannot be the name of an entry; a name has at least one letter",
        ],
    );
}

// rule 3: what

#[test]
fn targets_are_names_lists_globs_selectors_and_draws() {
    let pick = |text: &str| {
        let loaded = loaded(&with(&format!("history: [{{crash: {{at: 1m, brokers: {text}}}}}]\n")));
        let Verb::Crash { brokers, .. } = &loaded.scenario.history[0].verb else { panic!() };
        brokers.clone()
    };
    let id = |n: &str| Word::Name(n.to_owned());
    assert_eq!(pick("all"), Pick::All);
    assert_eq!(pick("2"), Pick::These(vec![id("2")]));
    assert_eq!(pick("[5, 1]"), Pick::These(vec![id("5"), id("1")]));
    assert_eq!(pick("any"), Pick::Any(Span::just(1)));
    assert_eq!(pick("any 2..3"), Pick::Any(Span { lo: 2, hi: 3 }));
    assert_eq!(pick("1 of 0|3"), Pick::Draw { count: Span::just(1), of: vec![id("0"), id("3")] });
    assert_eq!(pick("{rack: b}"), Pick::Rack(Some("b".to_owned())));
    assert_eq!(pick("{rack: null}"), Pick::Rack(None));
}

#[test]
fn more_cannot_be_drawn_than_there_are() {
    says(
        &with("history: [{crash: {at: 1m, broker: any 7}}, {touch: {at: 1m, topic: 4 of orders}}]\n"),
        &[
            "3:36: history[0].crash.broker: 7 brokers cannot be drawn; there are 6",
            "3:69: history[1].touch.topic: 4 topics cannot be drawn; there are 3",
        ],
    );
    says(
        "topics: {t: 3}\ngroups: {g: {topics: 2..4}}\n",
        &["2:22: groups.g.topics: 4 topics cannot be drawn; there are 3"],
    );
}

#[test]
fn what_nobody_has_is_named_with_what_is_near() {
    says(
        &with(
            "history: [{crash: {at: 1m, broker: 9}}, {touch: {at: 1m, topic: ordesr-2}}, {leave: {at: 1m, group: shp, member: m-9}}, {restart: {at: 1m, broker: {rack: d}}}, {kill: {at: 1m, group: zz-*}}]\n",
        ),
        &[
            "3:36: history[0].crash.broker: there is no broker 9; ids are 0 to 5",
            "3:65: history[1].touch.topic: there is no topic `ordesr-2`; did you mean `orders-1` … `orders-3`?",
            "3:101: history[2].leave.group: there is no group `shp`; did you mean `shop`?",
            "3:114: history[2].leave.member: there is no member `m-9`; did you mean `m-1` … `m-5`?",
            "3:155: history[3].restart.broker.rack: no broker ever has the rack `d`",
            "3:184: history[4].kill.group: no group matches `zz-*`",
        ],
    );
}

#[test]
fn a_topic_that_comes_later_can_be_spoken_of() {
    let text = "topics: {t: {}}\ngroups: {g: {topics: [t, late]}}\nhistory: [{create-topic: {at: 1m, name: late}}, {touch: {at: 2m, topic: late}}]\n";
    assert!(loaded(text).warnings.is_empty());
    let never = loaded("topics: {orders: {}}\ngroups: {g: {topics: [orders, order]}}\n");
    assert_eq!(
        never.warnings,
        ["test.yaml:2:31: topic `order` is subscribed to, and nothing ever creates it; did you mean `orders`?"]
    );
}

#[test]
fn create_topic_makes_families_too() {
    let text = with(
        "history: [{create-topic: {at: 1m, topic: new, count: 3, over: 3s, partitions: 2}}, {touch: {at: 2m, topics: [new-3, new]}}]\n",
    );
    let loaded = loaded(&text);
    let Verb::CreateTopic { names, place } = &loaded.scenario.history[0].verb else { panic!() };
    assert_eq!(names, &["new-1", "new-2", "new-3"]);
    assert_eq!(place, &Place::Drawn { partitions: Span::just(2), rf: 3 });
    says(
        &with("history: [{create-topic: {at: 1m, topic: t}}]\n"),
        &["3:42: history[0].create-topic.topic: topic `t` is there already; create one with another name"],
    );
}

// rule 4: units and spans

#[test]
fn spans_have_both_ends_included_and_in_order() {
    let lag = |text: &str| loaded(&with(&format!("cluster: {{metadata_lag: {text}}}\n"))).scenario.cluster.metadata_lag;
    assert_eq!(lag("50ms..2s"), Span { lo: Ms(50), hi: Ms(2000) });
    says(
        &with("cluster: {metadata_lag: 2s..50ms, session: 1.5s}\n"),
        &[
            "3:25: cluster.metadata_lag: the first end is greater than the second; write the smaller one first",
            "3:44: cluster.session: `1.5s` is no time; write a whole number and a unit, as in 500ms, 90s, 5m, 24h, 7d or 1h30m",
        ],
    );
}

// rule 5 and the table: verbs and their keys

/// Each verb at least once.
pub(super) const EVERY_VERB: &str = "\
topics: {orders: 3, t: {}}
groups: {shop: {count: 2, topics: orders}, g: {topics: [t]}}
brokers: 7
duration: 1d
history:
  - roll: {at: 1m, brokers: all, down: 30s..60s, gap: 1m, order: by-rack, racks: {a: x}, to: kafka-4.2}
  - restart: {at: 1m, broker: 1, down: 5s, rack: b}
  - shutdown: {at: 1m, broker: 2}
  - crash: {at: 1m, broker: 3, for: 1m..2m}
  - start: {at: 1h, broker: 2, rack: null, unfence: 1s, catch_up: 5s, isr_deltas: 3}
  - unregister: {at: 1m, broker: 4}
  - add-broker: {at: 1h, brokers: [9, 8], rack: x}
  - add-partitions: {at: 1m, topic: t, to: 9}
  - add-partitions: {at: 2m, topic: t, replicas: [[0, 1], [1, 2]], as: exactly}
  - create-topic: {at: 1m, topic: u, replicas: {0: [0, 8]}}
  - delete-topic: {at: 1m, topic: orders-1}
  - recreate-topic: {at: 1m, topic: t, gap: 5s, partitions: 4}
  - reassign: {at: 1m, topic: t, partition: 0, replicas: [1, 2, 3], takes: 0s}
  - reassign: {at: 1m, topic: t, replicas: {1: [1, 2], 0: [2]}, as: several}
  - reassign: {at: 1m, moves: 3, within: rack, wave: 2, pause: 3s, as: drawn}
  - set-rf: {at: 1m, topic: t, rf: 2}
  - elect-leaders: {at: 1m}
  - touch: {at: 1m, topic: t, partitions: [0, 1]}
  - isr-shrink: {at: 1m, topic: __consumer_offsets, partition: 3, broker: 1}
  - isr-expand: {at: 2m, topic: t, broker: 1}
  - snapshot-reload: {at: 1m}
  - join: {at: 1m, group: g, members: 2..3, topics: [t], rack: a, static: true, for: 1m}
  - leave: {at: 1m, group: shop, member: m-1}
  - kill: {at: 1m, group: shop-1, member: any 2}
  - restart-member: {at: 1m, group: shop-*, member: all, for: 10s}
  - subscribe: {at: 1m, group: g, member: m-2, pattern: \"ord.*\"}
  - move-coordinator: {at: 1m, shard: [1, 2], load: 20s}
  - move-coordinator: {at: 1m, group: g, to: 2, as: by-group}
  - move-coordinator: {at: 1m, broker: 1, as: by-broker}
";

#[test]
fn every_verb_reads_and_prints() {
    let text = EVERY_VERB;
    let first = loaded(text);
    assert_eq!(first.scenario.history.len(), 29);
    let again = loaded(&first.resolved);
    assert_eq!(placeless(&again.scenario), Scenario { name: "test".into(), ..placeless(&first.scenario) });
    let verb = |name: &str| first.scenario.history.iter().find(|e| e.name == name).unwrap().verb.clone();
    let Verb::Reassign { moves: Moves::Exact { to, .. }, .. } = verb("several") else { panic!() };
    assert_eq!(to, [(0, vec![BrokerId(2)]), (1, vec![BrokerId(1), BrokerId(2)])]);
    let Verb::AddBroker { brokers, .. } = verb("add-broker") else { panic!() };
    assert_eq!(brokers, [BrokerId(8), BrokerId(9)]);
    let Verb::AddPartitions { grow, .. } = verb("exactly") else { panic!() };
    assert_eq!(grow, Grow::By(Span::just(2)));
}

#[test]
fn a_verb_that_is_none_is_named_with_what_is_near() {
    says(
        &with(
            "history:\n  - rol: {at: 1m}\n  - crash: {at: 1m, fo: 1h}\n  - {roll: {at: 1m}, at: 2m}\n  - restart: 5m\n",
        ),
        &[
            "4:5: history[0].rol: there is no verb `rol`; did you mean `roll`?",
            "5:21: history[1].crash.fo: `crash` has no key `fo`; did you mean `for`?",
            "6:22: history[2].at: an entry has one verb; begin another entry: `- verb: {...}`, or indent it under the verb",
            "7:14: history[3].restart: `restart` is a map, not a single value; write `{key: value, ...}`",
        ],
    );
}

// rule 7 and groups

#[test]
fn members_are_a_count_or_named() {
    let group = |text: &str| loaded(&format!("topics: {{t: 2}}\ngroups: {{g: {text}}}\n")).scenario.groups[0].clone();
    assert_eq!(group("{topics: all, members: 2..40}").members, Members::Count(Span { lo: 2, hi: 40 }));
    let named = group(
        "{topics: all, phase: [1s, 2s], members: {w: 2, b: {rack: null, static: true, topics: [t-2], join: 5s, phase: 9s}}}",
    );
    let Members::Named(list) = &named.members else { panic!() };
    assert_eq!(names(list.iter().map(|m| &m.name)), ["b", "w-1", "w-2"]);
    assert_eq!((list[0].rack.as_deref(), list[0].is_static, list[0].join), (None, true, Some(Ms::secs(5))));
    assert_eq!(list[0].topics, Some(TopicPick::These(["t-2".to_owned()].into())));
    assert_eq!(list.iter().map(|m| m.rack.as_deref()).collect::<Vec<_>>(), [None, Some("b"), Some("c")]);
    let phases: Vec<Phase> = list.iter().map(|m| m.phase.clone()).collect();
    assert_eq!(phases, [9, 2, 1].map(|s| Phase::Each(vec![Ms::secs(s)])));
}

#[test]
fn impossible_values_are_all_told() {
    says(
        "brokers: 2
runs: 0
topics: {t: {partitions: 0}, u: {rf: 3}, v: {replicas: [[0, 0], [5]]}, w: {replicas: {1: [0]}}, x: {count: 0}}
groups:
  g: {topics: all, heartbeat: 0s}
  h: {}
  i: {pattern: \"a(b\", epoch: 0, assignor: rang}
  j: {topics: all, members: {count: 5}}
warmup: 2d
",
        &[
            "2:7: runs: runs cannot be 0; it is between 1 and 1000000",
            "3:26: topics.t.partitions: partitions cannot be 0; it is between 1 and 1000000",
            "3:38: topics.u.rf: rf 3 is more than there are brokers (2); at most 2",
            "3:61: topics.v.replicas[0][1]: broker 0 is in this list twice",
            "3:66: topics.v.replicas[1][0]: there is no broker 5",
            "3:86: topics.w.replicas: partition 0 is missing; partitions count from 0 without a gap",
            "3:108: topics.x.count: count cannot be 0; it is between 1 and 1000000",
            "5:31: groups.g.heartbeat: heartbeat cannot be 0; at least 1ms",
            "6:6: groups.h: this group subscribes to nothing; say `topics:` (`all`, names, a number, `5 of NAME`) or `pattern:`",
            "7:16: groups.i.pattern: `a(b` is no pattern: unclosed group; RE2 syntax, matched against the whole name",
            "7:30: groups.i.epoch: epoch cannot be 0; it is between 1 and 1073725440",
            "7:43: groups.i.assignor: assignor cannot be `rang`; did you mean `range`?",
            "8:30: groups.j.members.count: `count` would be the name of a member here; write `members: 5`, or a name with its own count: `{m: {count: 5}}`",
        ],
    );
}

#[test]
fn where_the_coordinators_are_can_be_said() {
    let text = |topic: &str| {
        format!(
            "cluster: {{offsets_partitions: 2}}\nbrokers: 3\ntopics: {{__consumer_offsets: {topic}, t: {{}}}}\ngroups: {{g: {{topics: all}}}}\n"
        )
    };
    let placed = loaded(&text("{replicas: [[2, 0], [1, 2]]}"));
    let lists = placed.scenario.cluster.offsets_replicas.clone().unwrap();
    assert_eq!(lists.iter().map(|list| list[0].0).collect::<Vec<_>>(), [2, 1]);
    // it stays no topic of the scenario: `all` is without it
    assert_eq!(placed.scenario.topics.len(), 1);
    let again = loaded(&placed.resolved);
    assert_eq!(placeless(&again.scenario), placeless(&placed.scenario));
    assert_eq!(
        wrong(&text("{replicas: [[2, 0]]}")),
        "test.yaml:3:10: topics.__consumer_offsets: `__consumer_offsets` has 1 partitions here, and offsets_partitions is 2; \
         write `cluster: {offsets_partitions: 1}`\n"
    );
    for topic in ["{}", "{partitions: 2}", "5"] {
        let said = wrong(&text(topic));
        assert!(said.contains("it comes by itself; only its `replicas` can be given"), "{said}");
    }
    assert!(wrong(&text("{replicas: [[2], [7]]}")).contains("there is no broker 7"));
    assert!(wrong(&text("{replicas: [[2], [1]], rf: 1}")).contains("no key `rf`"));
}
