//! The examples of the language's description, to the letter.

use super::*;
use crate::kafka::{BrokerId, Version};
use crate::sim::Ms;

/// Loads an example from a folder where its base stands too.
fn example(name: &str, text: &str) -> Loaded {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    put("prod.yaml", PROD);
    put("scenarios/rack-relabel.yaml", PROD);
    put(name, text);
    let loaded = load(&folder.path().join(name), &[]).unwrap_or_else(|error| panic!("{error}"));
    round_trip(&loaded);
    loaded
}

fn round_trip(loaded: &Loaded) {
    let again = load_text(&loaded.scenario.name, &loaded.resolved, &[]);
    let again = again.unwrap_or_else(|error| panic!("{error}\n\n{}", loaded.resolved));
    assert_eq!(placeless(&again.scenario), placeless(&loaded.scenario), "{}", loaded.resolved);
    assert_eq!(again.expectations, loaded.expectations);
    assert_eq!(again.baseline, loaded.baseline);
    assert_eq!(again.resolved, loaded.resolved);
}

#[test]
fn a_base_gives_what_the_file_leaves_out() {
    let saturday = example("saturday.yaml", include_str!("saturday.yaml")).scenario;
    assert_eq!(saturday.name, "saturday");
    assert_eq!((saturday.brokers.len(), saturday.topics.len(), saturday.groups.len()), (6, 3, 4));
    // six brokers down 1 m each, five gaps of 5 m, back in 32 s, and ten minutes
    assert_eq!(saturday.duration, Ms::secs(600 + 6 * 60 + 5 * 300 + 32 + 600));
    assert_eq!(saturday.bucket, Ms(saturday.duration.0.div_ceil(60)));
    assert_eq!(saturday.strategies, default_strategies());
}

#[test]
fn a_roll_renames_zones() {
    let zones = example("zones.yaml", include_str!("zones.yaml")).scenario;
    let Verb::Roll { how, .. } = &zones.history[0].verb else { panic!("{:?}", zones.history) };
    let pairs = [("a", "eu-1a"), ("b", "eu-1b"), ("c", "eu-1c")];
    assert_eq!(how.racks, pairs.map(|(old, new)| (old.to_owned(), Some(new.to_owned()))));
    let names: Vec<&str> = zones.strategies.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["kafka-3.9", "kafka-4.0", "kafka-4.1"]);
}

#[test]
fn a_balancer_moves_partitions_in_waves() {
    let balancer = example("balancer.yaml", include_str!("balancer.yaml")).scenario;
    assert_eq!((balancer.brokers.len(), balancer.topics.len(), balancer.groups.len()), (40, 600, 3000));
    // twenty waves of 2 m, nineteen pauses of 1 s
    assert_eq!(balancer.duration, Ms::secs(600 + 20 * 120 + 19 + 600));
    let TopicPick::Draw { count, of } = &balancer.groups[0].topics else { panic!() };
    assert_eq!((count.lo, count.hi, of.len()), (5, 5, 600));
}

#[test]
fn the_kips_table_is_a_sweep() {
    let table = example("kip-table.yaml", include_str!("kip-table.yaml"));
    assert!(table.has_sweep);
    assert_eq!(table.sweep[0].path, "groups.g.count");
    assert_eq!(table.sweep[0].values, ["1", "10", "100", "1000", "10000"]);
    assert_eq!(table.scenario.groups[0].topics, TopicPick::These((1..=50).map(|n| format!("t-{n}")).collect()));
}

#[test]
fn a_month_of_mishaps_is_two_processes() {
    let mishaps = example("mishaps.yaml", include_str!("mishaps.yaml")).scenario;
    assert_eq!(mishaps.runs, 20);
    let crash = &mishaps.history[0];
    let each =
        When::Rate { count: 1, per: Ms::secs(14 * 86_400), each: true, from: Ms::ZERO, until: None, times: None };
    assert_eq!(crash.when, each);
    assert_eq!(crash.verb, Verb::Crash { brokers: Pick::All, back_after: Some(Span::just(Ms::secs(1200))) });
    let Verb::AddPartitions { topics, grow, .. } = &mishaps.history[1].verb else { panic!() };
    assert_eq!((topics, grow), (&Pick::Any(Span::just(1)), &Grow::By(Span::just(1))));
}

#[test]
fn strategies_take_switches_of_their_own() {
    let trigger = example("trigger.yaml", include_str!("trigger.yaml")).scenario;
    let base = trigger.strategies[0].switches;
    let racks = Switches { racks: RackReading::Set, ..base };
    let rehash = Switches { rehash: Rehash::AllOnBump, ..base };
    let cluster = Switches { trigger: Trigger::ClusterDelta, ..base };
    let got: Vec<Switches> = trigger.strategies.iter().map(|s| s.switches).collect();
    assert_eq!(got, [base, racks, rehash, cluster]);
}

#[test]
fn expectations_hold_for_each_strategy() {
    let ci = example("ci.yaml", include_str!("ci.yaml"));
    assert_eq!(ci.expectations.len(), 2);
    let zero =
        ci.expectations[0].evaluate(&|metric| Some(i128::from(metric.strategy.as_deref() == Some("group-hash"))));
    assert_eq!(zero, Held::Broken { strategy: Some("group-hash".into()), left: "1".into(), right: "0".into() });
}

#[test]
fn as_deployed_needs_brokers_to_be_deployed_on() {
    let text = "cluster: {coordinators: apart}\nstrategies: [kafka-4.1, as-deployed]\n";
    let told = wrong(text);
    assert!(told.contains("`as-deployed` runs what a shard's broker runs"), "{told}");
}

#[test]
fn the_rich_one_means_what_it_says() {
    let rich = example("rich.yaml", include_str!("rich.yaml"));
    let scenario = &rich.scenario;
    assert_eq!(scenario.cluster.version, Version::Kafka4_0);
    assert_eq!(scenario.cluster.metadata_lag, Span { lo: Ms(50), hi: Ms(300) });
    assert_eq!((scenario.brokers.len(), scenario.topics.len(), scenario.groups.len()), (40, 600, 2930));
    assert_eq!(
        scenario.topics[0].place,
        Place::Exact(vec![[0, 1, 2].map(BrokerId).to_vec(), [1, 2, 0].map(BrokerId).to_vec()])
    );
    let audit = &scenario.groups[0];
    assert_eq!((audit.name.as_str(), audit.is_static), ("audit", true));
    assert_eq!(audit.phase, Phase::Each([0, 1, 2].map(Ms::secs).to_vec()));
    let names: Vec<&str> = scenario.history.iter().map(|e| e.name.as_str()).collect();
    let expected = [
        "crash",
        "ghost",
        "balancer",
        "create-topic",
        "add-partitions",
        "mishap",
        "restart-member",
        "saturday",
        "rename",
    ];
    assert_eq!(names, expected);
    let Verb::Roll { brokers, how, .. } = &scenario.history[8].verb else { panic!() };
    assert_eq!(brokers, &Pick::Rack(Some("eu-1c".into())));
    assert_eq!(how.rack, Some(Some("eu-1d".into())));
    assert_eq!(rich.sweep[1].values, ["10s", "35s", "1m"]);
    assert_eq!(rich.expectations.len(), 4);
    assert_eq!(scenario.strategies[3].by_release().len(), Version::ALL.len());
    assert_eq!(rich.baseline.as_ref().unwrap().len(), 6);
}

#[test]
fn the_template_is_a_scenario() {
    let loaded = loaded(&template("mine"));
    round_trip(&loaded);
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
}
