//! Public reports about who gets what, as inputs with right answers: those that need an assignment and no time.

use std::collections::{BTreeMap, BTreeSet};

use rebalance_sim::coordinator::assignor::{Assignor, Figures, Input, Owner};

use crate::assign::{deal, group};

/// What each member owned, as the next file has it.
type Owned = BTreeMap<String, BTreeMap<String, BTreeSet<usize>>>;

/// A group's file of its topics and members (a name, and what stands in its map), each with what it owned before.
fn file(topics: &str, members: &[(&str, &str)], owned: &Owned) -> String {
    let mut text = format!("topics: {topics}\nmembers:\n");
    for (name, keys) in members {
        let owns: Vec<String> = owned
            .get(*name)
            .into_iter()
            .flatten()
            .map(|(topic, list)| {
                format!("{topic}: [{}]", list.iter().map(usize::to_string).collect::<Vec<_>>().join(", "))
            })
            .collect();
        let keys = if keys.is_empty() { String::new() } else { format!("{keys}, ") };
        text.push_str(&format!("  {name}: {{{keys}owns: {{{}}}}}\n", owns.join(", ")));
    }
    text
}

fn owned(input: &Input, owners: &[Owner]) -> Owned {
    let mut all = Owned::new();
    for owner in owners {
        for tp in &owner.partitions {
            let of = all.entry(input.members()[owner.member].id.clone()).or_default();
            of.entry(input.topics()[tp.topic].name.clone()).or_default().insert(tp.partition);
        }
    }
    all
}

/// Steps of a group's life, each dealt on top of the one before; the figures of each.
fn steps(assignor: Assignor, steps: &[(&str, &[(&str, &str)])]) -> Vec<Figures> {
    let mut before = Owned::new();
    let mut all = Vec::new();
    for (topics, members) in steps {
        // nobody owns what is not there any more
        before.values_mut().for_each(|of| of.retain(|topic, _| topics.contains(&format!("{topic}:"))));
        let input = group(&file(topics, members, &before));
        let (owners, figures) = deal(&input, assignor);
        before = owned(&input, &owners);
        all.push(figures);
    }
    all
}

/// Sizes by member, in order of names.
fn sizes(yaml: &str, assignor: Assignor) -> Vec<usize> {
    deal(&group(yaml), assignor).0.iter().map(|o| o.partitions.len()).collect()
}

#[test]
fn c25_a_deleted_topic_of_a_pattern_leaves_three_partitions() {
    let members = [("m", "pattern: \"ab.*\"")];
    let both = "{ab1: {partitions: 3}, ab2: {partitions: 3}, other: {}}";
    for assignor in [Assignor::Uniform, Assignor::ServerRange] {
        let figures = steps(assignor, &[(both, &members), ("{ab1: {partitions: 3}, other: {}}", &members)]);
        assert_eq!(figures.iter().map(|f| f.partitions).collect::<Vec<_>>(), [6, 3]);
        assert_eq!((figures[1].moves, figures[1].unassigned), (0, 0));
    }
}

#[test]
fn c26_who_drops_its_pattern_owns_nothing_and_the_other_all() {
    let topics = "{x1: {partitions: 4}}";
    for assignor in [Assignor::Uniform, Assignor::ServerRange] {
        let with = [("m1", "pattern: \"x.*\""), ("m2", "pattern: \"x.*\"")];
        let without = [("m1", "pattern: \"x.*\""), ("m2", "pattern: \"\"")];
        let figures = steps(assignor, &[(topics, &with), (topics, &without)]);
        assert_eq!((figures[0].least, figures[0].most), (2, 2));
        assert_eq!((figures[1].least, figures[1].most, figures[1].moves, figures[1].between_members), (0, 4, 2, 0));
    }
}

#[test]
fn c39_a_wave_of_joins_moves_much_one_by_one_and_nothing_at_once() {
    let names: Vec<String> = (0..100).map(|i| format!("m{i:02}")).collect();
    let members: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
    let topics = "{t: {partitions: 200}}";
    for assignor in [Assignor::Uniform, Assignor::Sticky] {
        let wave = |each: usize| -> u64 {
            let dealt: Vec<(&str, &[(&str, &str)])> =
                (1..=100 / each).map(|n| (topics, &members[..n * each])).collect();
            let figures = steps(assignor, &dealt);
            let last = figures.last().unwrap();
            assert_eq!((last.least, last.most), (2, 2), "{}: 2 per member however it came", assignor.name());
            figures.iter().skip(1).map(|f| f.between_members).sum()
        };
        let (one_by_one, by_fifty, at_once) = (wave(1), wave(50), wave(100));
        assert!(one_by_one > by_fifty && by_fifty > at_once, "{one_by_one} {by_fifty} {at_once}");
        // fifty members of four partitions each give half of them away
        assert_eq!((by_fifty, at_once), (100, 0));
    }
}

#[test]
fn c42_what_is_balanced_stays() {
    let mut members = vec![("A", ""), ("B", ""), ("C", "")];
    let before = Owned::from([
        ("A".into(), BTreeMap::from([("t".into(), BTreeSet::from([0, 3]))])),
        ("B".into(), BTreeMap::from([("t".into(), BTreeSet::from([1]))])),
        ("C".into(), BTreeMap::from([("t".into(), BTreeSet::from([2, 4]))])),
    ]);
    let topics = "{t: {partitions: 5}}";
    let (_, figures) = deal(&group(&file(topics, &members, &before)), Assignor::Uniform);
    assert_eq!((figures.moves, figures.imbalance_total()), (0, 1));
    members.push(("D", ""));
    let (owners, figures) = deal(&group(&file(topics, &members, &before)), Assignor::Uniform);
    assert_eq!(figures.moves, 1);
    let mut sizes: Vec<usize> = owners.iter().map(|o| o.partitions.len()).collect();
    sizes.sort_unstable();
    assert_eq!(sizes, [1, 1, 1, 2]);
}

#[test]
fn c43_from_three_to_four_as_even_as_from_none_to_four() {
    let members = [("m1", ""), ("m2", ""), ("m3", ""), ("m4", "")];
    let topics = "{a: {partitions: 84}, b: {partitions: 84}}";
    for assignor in [Assignor::Uniform, Assignor::Sticky] {
        let slow = steps(assignor, &[1, 2, 3, 4].map(|n| (topics, &members[..n])));
        let at_once = steps(assignor, &[(topics, &members[..])]);
        for figures in [slow[3], at_once[0]] {
            assert_eq!((figures.least, figures.most), (42, 42), "{}", assignor.name());
        }
        assert_eq!((slow[3].moves, slow[3].between_members), (42, 42), "{}", assignor.name());
    }
}

#[test]
fn c44_nothing_moves_between_members_that_stay() {
    let members = [("C1", ""), ("C2", ""), ("C3", "")];
    let topics = "{t: {partitions: 10}}";
    let figures = steps(Assignor::Sticky, &[1, 2, 3, 2].map(|n| (topics, &members[..n])));
    assert_eq!((figures[2].moves, figures[2].least, figures[2].most), (3, 3, 4));
    // what the third had is nobody's when it has left
    assert_eq!((figures[3].moves, figures[3].between_members), (3, 0));
    // all that moved at the third join went to the third
    let before = group(&file(topics, &members[..2], &Owned::new()));
    let first = owned(&before, &deal(&before, Assignor::Sticky).0);
    let joined = group(&file(topics, &members, &first));
    let after = owned(&joined, &deal(&joined, Assignor::Sticky).0);
    for name in ["C1", "C2"] {
        assert!(after[name]["t"].is_subset(&first[name]["t"]), "{name} got something of the other");
    }
}

#[test]
fn c45_equal_totals_and_a_topic_on_one_member_are_both_visible() {
    let topics = "{t1: {partitions: 24}, t2: {partitions: 24}, t3: {partitions: 96}}";
    let members = [("m1", ""), ("m2", "")];
    for (assignor, per_topic) in [(Assignor::Sticky, 48), (Assignor::Range, 0), (Assignor::RoundRobin, 0)] {
        let figures = steps(assignor, &[(topics, &members[..1]), (topics, &members)]);
        assert_eq!((figures[1].least, figures[1].most, figures[1].imbalance_total()), (72, 72, 0));
        assert_eq!(figures[1].imbalance_per_topic_max, per_topic, "{}", assignor.name());
    }
}

#[test]
fn c46_range_s_arithmetic_and_the_pile_on_the_first() {
    let lists = |partitions: usize| -> Vec<Vec<usize>> {
        let yaml = format!("topics: {{t: {{partitions: {partitions}}}}}\nmembers: {{C1: {{}}, C2: {{threads: 2}}}}\n");
        let (owners, _) = deal(&group(&yaml), Assignor::LegacyRange);
        owners.iter().map(|o| o.partitions.iter().map(|tp| tp.partition).collect()).collect()
    };
    let slices = |slices: [std::ops::Range<usize>; 3]| slices.map(Iterator::collect::<Vec<usize>>);
    assert_eq!(lists(10), slices([0..4, 4..7, 7..10]));
    assert_eq!(lists(11), slices([0..4, 4..8, 8..11]));
    let piled =
        "topics: {a: {partitions: 4}, b: {partitions: 1}, c: {partitions: 1}}\nmembers: {x: {}, \"y\": {}, z: {}}\n";
    assert_eq!(sizes(piled, Assignor::Range), [4, 1, 1]);
    assert_eq!(sizes(piled, Assignor::ServerRange), [4, 1, 1]);
    assert_eq!(sizes(piled, Assignor::RoundRobin), [2, 2, 2]);
}

#[test]
fn c48_ten_on_one_topic_and_fifteen_on_the_other_end_with_the_same_loads_in_any_order() {
    let topics = "{t: {partitions: 30}, u: {partitions: 30}}";
    for assignor in [Assignor::Sticky, Assignor::CooperativeSticky, Assignor::Uniform] {
        for reversed in [false, true] {
            let names: Vec<String> = (0..25).map(|i| format!("m{:02}", if reversed { 24 - i } else { i })).collect();
            let keys = |i: usize| if i < 10 { "topics: t" } else { "topics: u" };
            let members: Vec<(&str, &str)> = names.iter().enumerate().map(|(i, n)| (n.as_str(), keys(i))).collect();
            let mut before = Owned::new();
            // one by one; and once more, so that cooperative members get what others have given up
            for n in (1..=25).chain([25]) {
                let input = group(&file(topics, &members[..n], &before));
                before = owned(&input, &deal(&input, assignor).0);
            }
            for (i, name) in names.iter().enumerate() {
                let own: usize = before[name].values().map(BTreeSet::len).sum();
                assert_eq!(own, if i < 10 { 3 } else { 2 }, "{} {name}", assignor.name());
            }
        }
    }
}

#[test]
fn c49_each_topic_has_its_one_subscriber() {
    let yaml = "topics: {requested: {partitions: 3}, progress: {partitions: 3}}
members: {m1: {topics: requested}, m2: {topics: progress}}
";
    for assignor in [Assignor::RoundRobin, Assignor::Range, Assignor::Uniform] {
        let input = group(yaml);
        let (owners, figures) = deal(&input, assignor);
        assert_eq!(figures.unassigned, 0);
        let got = owned(&input, &owners);
        assert_eq!(got["m1"]["requested"].len(), 3, "{}", assignor.name());
        assert_eq!(got["m2"]["progress"].len(), 3, "{}", assignor.name());
    }
}

#[test]
fn c50_rack_first_follows_growth_and_reassignment() {
    let members = [("m1", "rack: r0"), ("m2", "rack: r1"), ("m3", "rack: r2")];
    let cluster = |lists: &str| {
        format!("{{t: {{replicas: {lists}}}}}\nbrokers: {{0: {{rack: r0}}, 1: {{rack: r1}}, 2: {{rack: r2}}}}")
    };
    let lists = ["[[0]]", "[[0], [1], [1]]", "[[0], [1], [1], [2], [2], [2]]", "[[2], [1], [1], [0], [0], [0]]"];
    let expected = [vec![1, 0, 0], vec![1, 2, 0], vec![1, 2, 3], vec![3, 2, 1]];
    let mut before = Owned::new();
    for (list, sizes) in lists.into_iter().zip(expected) {
        let input = group(&file(&cluster(list), &members, &before));
        let (owners, figures) = deal(&input, Assignor::RackFirst);
        assert_eq!(owners.iter().map(|o| o.partitions.len()).collect::<Vec<_>>(), sizes, "{list}");
        assert_eq!((figures.local, figures.racked), (figures.partitions, figures.partitions), "{list}");
        before = owned(&input, &owners);
    }
}
