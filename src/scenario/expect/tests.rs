//! Expectations, held against numbers that are worked out by hand.

use super::super::{load_text, tests::wrong};
use super::*;

fn read(line: &str) -> Expectation {
    let text = format!(
        "topics: {{t: {{}}}}\ngroups: {{shop: {{count: 3, topics: all}}, audit: {{topics: all}}}}\n\
         history: [{{roll: {{at: 1m, as: saturday}}}}]\nstrategies: [kafka-3.9, kafka-4.1]\nexpect:\n  - {line}\n"
    );
    let loaded = load_text("test.yaml", &text, &[]).unwrap_or_else(|error| panic!("{error}"));
    loaded.expectations[0].clone()
}

/// What is wrong with a line, without the place.
fn problem(line: &str) -> String {
    let text = format!(
        "topics: {{t: {{}}}}\ngroups: {{shop: {{count: 3, topics: all}}}}\n\
         history: [{{roll: {{at: 1m, as: saturday}}}}]\nexpect:\n  - {line}\n"
    );
    wrong(&text).replace("test.yaml:5:", "").replace("expect[0]: ", "")
}

/// kafka-3.9 has 7 of everything, kafka-4.1 has 2, and `missed` is an empty cell.
fn seven_and_two(metric: &MetricRef) -> Option<i128> {
    match (metric.metric.as_str(), metric.strategy.as_deref()) {
        ("missed", _) => None,
        (_, Some("kafka-3.9")) => Some(7),
        (_, Some("kafka-4.1")) => Some(2),
        (_, other) => panic!("{other:?}"),
    }
}

#[test]
fn arithmetic_is_on_exact_fractions_with_the_usual_precedence() {
    let held = |line: &str| read(line).evaluate(&seven_and_two).is_held();
    for line in [
        "rebalances[kafka-3.9] / 3 * 3 == 7",
        "rebalances[kafka-3.9] - 1 - 1 == 5",
        "1 + 2 * 3 == 7",
        "(1 + 2) * 3 == 9",
        "-rebalances[kafka-4.1] == 0 - 2",
        "rebalances[kafka-4.1] < rebalances[kafka-3.9] / 3",
        "0.1 + 0.2 == 0.3",
        "delay_ms_max[kafka-3.9] <= 7ms",
        "1m30s == 90000",
        "1 != 2",
        "7 >= 7",
        "8 > rebalances",
    ] {
        assert!(held(line), "{line}");
    }
    for line in ["rebalances[kafka-3.9] / 3 == 2", "1 > 1", "2 < 2", "1 == 2", "1 != 1"] {
        assert!(!held(line), "{line}");
    }
}

#[test]
fn a_broken_one_says_both_values_and_for_which_strategy() {
    let broken = read("rebalances / 2 <= 3").evaluate(&seven_and_two);
    let left = "7/2 (about 3.500)".to_owned();
    assert_eq!(broken, Held::Broken { strategy: Some("kafka-3.9".into()), left, right: "3".into() });
    let one = read("rebalances[kafka-4.1] == 3").evaluate(&seven_and_two);
    assert_eq!(one, Held::Broken { strategy: None, left: "2".into(), right: "3".into() });
}

#[test]
fn what_has_no_value_is_not_held_and_says_why() {
    let why = |line: &str| match read(line).evaluate(&seven_and_two) {
        Held::Undefined { why, .. } => why,
        held => panic!("{held:?}"),
    };
    assert_eq!(why("1 / (rebalances[kafka-4.1] - 2) > 0"), "1 is divided by zero");
    assert_eq!(why("missed[kafka-4.1, cause=saturday] == 0"), "missed[kafka-4.1, cause=saturday] is an empty cell");
    let large = format!("{} == 1", ["99999999999999999999"; 3].join(" * "));
    assert_eq!(why(&large), "the numbers are too large");
}

#[test]
fn filters_are_read_as_written() {
    let line = "spurious[kafka-4.1, group=shop, cause=saturday, trigger=pattern-refresh, 1h..3h] == 0";
    let seen = std::cell::RefCell::new(None);
    read(line).evaluate(&|metric| {
        *seen.borrow_mut() = Some(metric.clone());
        Some(0)
    });
    let metric = seen.into_inner().unwrap();
    assert_eq!(metric.group, Some(super::super::Word::Family("shop".into())));
    assert!(metric.takes_group("shop-3", Some("shop")) && !metric.takes_group("audit", None));
    let hour = |n: u64| crate::sim::Ms::secs(3600 * n);
    assert!(metric.takes_time(hour(1)) && !metric.takes_time(hour(3)) && !metric.takes_time(crate::sim::Ms::ZERO));
    assert_eq!(metric.to_string(), line.replace(" == 0", ""));
    assert!(!metric.is_whole());
}

#[test]
fn every_wrong_word_is_underlined_where_it_stands() {
    for (line, message) in [
        ("rebalances = 0", "16: an expectation compares two things; compare with `==`, `!=`, `<`, `<=`, `>` or `>=`"),
        ("rebalances == 0 0", "21: the expectation should end here"),
        ("rebalances == ", "18: a number or a metric is meant here"),
        ("rebalances == x", "19: there is no metric `x`"),
        ("rebalances[group-hash, topic-hash] == 0", "28: `topic-hash` is one too many; one of each kind"),
        ("rebalances[3h..1h] == 0", "16: nothing is in this window; write the earlier end first"),
        ("rebalances[grp=shop] == 0", "16: there is no filter `grp`; one of: group, cause, trigger"),
        ("rebalances[group-hash == 0", "15: a `]` is missing"),
        ("(rebalances == 0", "17: a `)` is missing here"),
        (
            "ideal[cause=saturday] == 0",
            "5: `ideal` cannot be filtered; filters hold for rebalances, membership, needed, late, spurious, repeat, missed, groups_hit, max_per_group, peak_per_s, delay_ms_p50, delay_ms_p99, delay_ms_max",
        ),
        ("rebalances == 1.2.3", "19: `1.2.3` is no number"),
    ] {
        assert_eq!(problem(line), format!("{message}\n"), "{line}");
    }
}

#[test]
fn a_flow_list_is_told_to_be_a_block_list() {
    let text = "topics: {t: {}}\ngroups: {g: {topics: all}}\nexpect: [missed[group-hash, 1h..2h] == 0]\n";
    let short = wrong(text);
    assert!(short.contains("block list") || short.contains("no YAML"), "{short}");
}

#[test]
fn a_baseline_names_columns() {
    let text = "topics: {t: {}}\ngroups: {g: {topics: all}}\nbaseline: [rebalances, mised]\n";
    assert_eq!(wrong(text), "test.yaml:3:24: baseline[1]: there is no column `mised`; did you mean `missed`?\n");
    let text = text.replace("rebalances, mised", "rebalances, {missed: 3, late: 1}, {late: few}");
    assert_eq!(
        wrong(&text),
        "test.yaml:3:24: baseline[1]: a column and its tolerance are meant here; write `{stale_group_ms: 5%}`\n\
         test.yaml:3:53: baseline[2].late: `few` is no tolerance; write a whole number, `10`, or a share, `5%`\n"
    );
}

#[test]
fn fractions_agree_with_cross_multiplication() {
    let all: Vec<(i128, i128)> = (-4..=4).flat_map(|a| (1..=4).map(move |b| (a, b))).collect();
    for &(a, b) in &all {
        for &(c, d) in &all {
            let (x, y) = (Fraction::new(a, b).unwrap(), Fraction::new(c, -d).unwrap().minus().unwrap());
            assert_eq!(x.add(y), Fraction::new(a * d + c * b, b * d));
            assert_eq!(x.mul(y), Fraction::new(a * c, b * d));
            assert_eq!(x.div(y), if c == 0 { None } else { Fraction::new(a * d, b * c) });
            assert_eq!(x.compare(y), Some((a * d).cmp(&(c * b))));
        }
    }
}
