//! What Kafka's own coordinator did, kept in `tests/vectors/kafka/`, one file for each release: our lanes must do the
//! same, bump by bump, hash by hash, byte by byte. The files are written by `conformance/verify.sh`, from the release's
//! own classes; nothing in them is computed here.

use std::fs;
use std::path::Path;

use rebalance_sim::conformance::{
    Compared, Deal, DealFact, DealKind, Fact, Release, compare, ours, random_scenario, random_scenario_of_all_kinds,
    read_facts,
};
use rebalance_sim::scenario::{Loaded, StrategySpec, load, load_text};
use rebalance_sim::world;

use crate::scenarios::shipped;

fn facts(release: Release) -> Vec<Fact> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/kafka").join(format!("{}.jsonl", release.name()));
    let text = fs::read_to_string(path).unwrap();
    read_facts(&text).unwrap()
}

fn scenario(release: Release, name: &str) -> Loaded {
    if let Some(number) = name.strip_prefix("random ") {
        let text = random_scenario(release, number.parse().unwrap());
        return load_text("random", &text, &[]).unwrap_or_else(|problems| panic!("{problems}"));
    }
    if let Some(number) = name.strip_prefix("kinds ") {
        let text = random_scenario_of_all_kinds(release, number.parse().unwrap());
        return load_text("random", &text, &[]).unwrap_or_else(|problems| panic!("{problems}"));
    }
    let path = shipped().into_iter().find(|path| path.file_stem().is_some_and(|stem| stem == name));
    load(&path.unwrap_or_else(|| panic!("no scenario {name}")), &[]).unwrap_or_else(|problems| panic!("{problems}"))
}

fn held(release: Release, spec: &StrategySpec, fact: &Fact) -> Compared {
    let loaded = scenario(release, &fact.scenario);
    let history = world::make(&loaded.scenario, 1).unwrap_or_else(|error| panic!("{}", error.message));
    assert_eq!(history.id, fact.history, "{} {}: Kafka was asked about another history", release.name(), fact.scenario);
    let lane = ours(&loaded.scenario, &history, spec, &|| true).unwrap();
    compare(&history, release, &lane, &fact.answer())
}

#[test]
fn every_kept_answer_of_kafka_is_ours_too() {
    for release in Release::ALL {
        let (mut scenarios, mut bumps) = (0, 0);
        for fact in facts(release) {
            let Compared { rows, differences, .. } = held(release, &release.strategy(), &fact);
            assert!(differences.is_empty(), "{} {}: {differences:#?}", release.name(), fact.scenario);
            (scenarios, bumps) = (scenarios + 1, bumps + rows.len());
        }
        assert!(scenarios >= 40 && bumps > 100, "{}: {scenarios} scenarios, {bumps} bumps", release.name());
    }
}

#[test]
fn the_comparison_tells_releases_apart() {
    for (release, other) in
        [(Release::V3_9, Release::V4_0), (Release::V4_0, Release::V4_1), (Release::V4_1, Release::V3_9)]
    {
        let differ =
            facts(release).iter().filter(|f| !held(release, &other.strategy(), f).differences.is_empty()).count();
        assert!(differ > 10, "{differ} of the answers of {} do not fit {}", release.name(), other.name());
    }
}

/// What Kafka's own assignors made of random groups, in `assignors.jsonl`: ours choose the same partitions.
#[test]
fn random_groups_are_dealt_as_kafka_s_own_assignors_deal_them() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/kafka/assignors.jsonl");
    let text = fs::read_to_string(path).unwrap();
    let mut of_kind = std::collections::BTreeMap::new();
    for line in text.lines() {
        let fact: DealFact = serde_json::from_str(line).unwrap();
        let kind = DealKind::named(&fact.kind).unwrap();
        let held = Deal::random(kind, fact.number).held(&fact.dealt).unwrap();
        assert!(held.ours.valid && held.kafka.valid && held.same, "{} {}: {held:?}", fact.kind, fact.number);
        *of_kind.entry(fact.kind).or_insert(0) += 1;
    }
    assert!(of_kind.len() == DealKind::ALL.len() && of_kind.values().all(|n| *n >= 20), "{of_kind:?}");
}

#[test]
fn random_scenarios_of_all_kinds_are_read_and_nearly_all_can_happen() {
    let made = (1..=60).filter(|number| {
        let text = random_scenario_of_all_kinds(Release::V4_2, *number);
        let loaded = load_text("random", &text, &[]).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
        world::make(&loaded.scenario, 1).is_ok()
    });
    assert!(made.count() > 50);
}
