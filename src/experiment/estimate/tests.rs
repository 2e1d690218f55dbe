//! What estimates come to, and what they name.

use super::*;
use crate::scenario::load_text;

fn of(text: &str) -> Estimate {
    let loaded = load_text("s", text, &[]).unwrap_or_else(|e| panic!("{}", e.short()));
    estimate(&loaded.scenario, Way::Measured, 100_000)
}

const MANY: &str = "
topics: {t: {count: 1000, partitions: 100}}
groups: {g: {count: 100000, topics: all}}
history: [{touch: {at: 1m, topic: t-7}}]
";

#[test]
fn full_metadata_of_many_groups_is_too_much_and_the_dominant_product_is_named() {
    let estimate = of(&format!("{MANY}strategies: [full-metadata]\n"));
    assert!(estimate.bytes(1) > 300_000_000_000, "{estimate:?}");
    assert_eq!(estimate.memory_by(), "groups × topics × partitions (100,000 × 1,000 × 100)");
}

#[test]
fn one_hash_per_group_of_the_same_fits() {
    let estimate = of(&format!("{MANY}strategies: [group-hash]\n"));
    assert!(estimate.bytes(1) < 2 << 30, "{estimate:?}");
    assert_eq!(estimate.memory_by(), "groups × topics (100,000 × 1,000)");
}

#[test]
fn too_many_events_are_told_by_the_entry_that_makes_them() {
    let text = "
topics: {t: {count: 1}}
groups: {g: {topics: [t-1]}}
history: [{touch: {every: 100ms, until: 30d, topic: t-1}}]
";
    let estimate = of(text);
    assert!(estimate.bytes(1) > 20_000_000_000, "{estimate:?}");
    assert_eq!(estimate.memory_by(), "changes of partitions (155,519,994), most by touch (25,919,999 times)");
}

#[test]
fn the_benchmarks_are_estimated_within_a_factor_of_two() {
    // seconds on a fast and on a slow machine, and MiB, as docs/performance.md has them; of rebalances that a scenario's
    // `expect:` keeps one by one the estimate can only say how many there are at most
    let million = (include_str!("../../../benches/scale/million.yaml"), Way::Counted, [94, 217], Some(1_965));
    let billions = (include_str!("../../../benches/scale/billions.yaml"), Way::Counted, [5, 15], Some(192));
    let measured = (include_str!("../../../scenarios/ten-thousand-groups.yaml"), Way::Measured, [22, 48], None);
    for (text, way, seconds, mib) in [million, billions, measured] {
        let loaded = load_text("s", text, &[]).unwrap_or_else(|e| panic!("{}", e.short()));
        let estimate = estimate(&loaded.scenario, way, 100_000);
        let (cpu, memory) = (estimate.cpu_ns(), estimate.bytes(1));
        let near = |here: u64, truth: u64| here >= truth / 2 && here <= truth * 2;
        for seconds in seconds {
            assert!(near(cpu, seconds * 1_000_000_000), "{seconds} s: {cpu} ns");
        }
        assert!(mib.is_none_or(|mib| near(memory, mib << 20)), "{mib:?} MiB: {memory}");
    }
}

#[test]
fn a_small_scenario_takes_next_to_nothing() {
    let estimate = of("topics: {t: {}}\ngroups: {g: {topics: [t]}}\nhistory: [{touch: {at: 1m, topic: t}}]\n");
    assert!(estimate.bytes(1) < 1_000_000 && estimate.cpu_ns() < 1_000_000_000, "{estimate:?}");
}

#[test]
fn targets_count_where_a_group_has_an_assignor() {
    let text = |assignor: &str| {
        format!(
            "
topics: {{t: {{count: 100, partitions: 1000}}}}
groups: {{g: {{count: 3, members: 1000, topics: all{assignor}}}, other: {{topics: [t-1]}}}}
history: [{{touch: {{every: 10s, until: 10m, topic: t-7}}}}]
strategies: [group-hash]
"
        )
    };
    let (without, with) = (of(&text("")), of(&text(", assignor: uniform")));
    assert_eq!(with.memory_by(), "groups with an assignor × partitions (3 × 100,000)");
    assert!(with.bytes(1) - without.bytes(1) > 3 * 100_000 * 100, "{with:?}");
    assert!(with.time_by().starts_with("target assignments × partitions ("), "{with:?}");
    assert!(with.cpu_ns() > 100 * without.cpu_ns(), "{with:?} {without:?}");
}

#[test]
fn nothing_overflows() {
    assert_eq!(share(&[("a", u64::MAX), ("b", u64::MAX)], 7).amount, u64::MAX);
    assert_eq!(of(MANY).bytes(u64::MAX), u64::MAX);
}
