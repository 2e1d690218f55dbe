//! The same scenario gives the same history; what is added moves nothing else (design: 7, 8).

use crate::scenario::{Grow, Pick, Span, Verb, When};
use crate::sim::Ms;
use crate::world::history::History;
use crate::world::testing::{Build, cluster, restart};

fn rich() -> Build {
    let rate =
        |count, per| When::Rate { count, per: Ms::secs(per), each: false, from: Ms::ZERO, until: None, times: None };
    let down = Some(Span::just(Ms::secs(90)));
    cluster()
        .topic("t-1", 12, 3)
        .topic("t-2", 6, 2)
        .topic("t-10", 3, 3)
        .group("g-1", 3, &["t-1", "t-2"])
        .group("g-2", 2, &["t-10", "gone"])
        .entry("mishap", rate(6, 3600), Verb::Crash { brokers: Pick::Any(Span::just(1)), back_after: down })
        .entry(
            "growth",
            rate(10, 3600),
            Verb::AddPartitions {
                topics: Pick::Any(Span::just(1)),
                grow: Grow::By(Span { lo: 1, hi: 4 }),
                replicas: None,
            },
        )
        .at(600, "bounce", restart(2, 60))
}

#[test]
fn a_scenario_made_twice_gives_one_id_and_another_run_another() {
    let scenario = rich().0;
    let id = |run| crate::world::make(&scenario, run).unwrap().id;
    assert_eq!(id(1), id(1));
    assert_ne!(id(1), id(2));
    assert_eq!(id(1).len(), 16);
    let seeded = rich().with(|s| s.seed = 2).make();
    assert_ne!(seeded.id, id(1));
}

fn of_group(history: &History, name: &str) -> Vec<String> {
    let id = history.names.groups.iter().position(|n| n == name).unwrap();
    let group = &history.groups[id];
    let first = group.first_member.index();
    let members = first..first + group.members as usize;
    let presences = history.presences.iter().filter(|p| members.contains(&p.member.index()));
    presences.map(|p| format!("{:?} {:?}", p.first, p.until)).collect()
}

fn of_topic(history: &History, name: &str) -> String {
    let id = history.names.topics.iter().position(|n| n == name).unwrap();
    format!("{:?}", history.start.topics[id])
}

#[test]
fn a_group_and_a_topic_more_move_no_other_draw() {
    let plain = rich().make();
    let more = rich().topic("t-0", 6, 3).group("g-0", 4, &["t-0"]).group("g-1a", 2, &["t-1"]).make();
    for group in ["g-1", "g-2"] {
        assert_eq!(of_group(&plain, group), of_group(&more, group));
    }
    for topic in ["t-1", "t-2", "t-10"] {
        assert_eq!(of_topic(&plain, topic), of_topic(&more, topic));
    }
}

#[test]
fn an_entry_more_moves_no_other_entrys_draws() {
    let plain = rich().make();
    let more = rich().at(5, "touch", Verb::Touch { topics: Pick::All, partitions: None }).make();
    let rest: Vec<_> = more.deltas.iter().filter(|d| d.at != Ms::secs(5)).collect();
    assert_eq!(rest, plain.deltas.iter().collect::<Vec<_>>());
}

#[test]
fn the_order_of_groups_and_topics_in_a_file_changes_no_byte() {
    // a reader hands them over in natural order; whatever order they are built in
    let ids = [["t-1", "t-2", "t-10"], ["t-10", "t-1", "t-2"], ["t-2", "t-10", "t-1"]].map(|order| {
        let mut build = cluster();
        for (topic, group) in order.iter().zip(order.map(|t| format!("g{t}"))) {
            build = build.group(&group, 3, &[topic]).topic(topic, 5, 3);
        }
        build.at(60, "bounce", restart(1, 60)).make().id
    });
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
}

#[test]
fn every_random_scenario_is_made_twice_alike() {
    for number in 0..60 {
        let scenario = super::random::scenario(number).0;
        let text = |h: Result<History, _>| {
            h.map(|h| (h.id.clone(), format!("{h:?}"))).map_err(|e: crate::world::WorldError| e)
        };
        assert_eq!(text(crate::world::make(&scenario, 3)), text(crate::world::make(&scenario, 3)));
    }
}
