//! Stops, starts and their plans (model: B.2, K.3).

use std::collections::BTreeSet;

use super::{changed, times};
use crate::kafka::{BrokerEvent, BrokerId};
use crate::scenario::{IsrDeltas, Pick, Span, Verb, When};
use crate::sim::Ms;
use crate::world::testing::{Build, cluster, cluster_of, named, restart};

fn stop_of(broker: u32) -> Build {
    let brokers = named(&broker.to_string());
    cluster().topic("t-1", 40, 3).topic("t-2", 7, 2).at(60, "stop", Verb::Shutdown { brokers, back_after: None })
}

#[test]
fn a_clean_stop_makes_one_delta_with_exactly_the_partitions_it_was_in_sync_with() {
    let history = stop_of(3).make();
    assert_eq!(times(&history), [60_000]);
    let mut expected = BTreeSet::new();
    for (topic, image) in history.start.topics.iter().enumerate() {
        for (number, replicas) in image.as_ref().unwrap().partitions.iter().enumerate() {
            if replicas.contains(&BrokerId(3)) {
                expected.insert((topic, number));
            }
        }
    }
    let found: BTreeSet<_> =
        changed(&history.deltas[0]).iter().map(|(t, p)| (*t as usize, p.partition as usize)).collect();
    assert_eq!(found, expected);
    assert!(!found.is_empty());
    for (_, partition) in changed(&history.deltas[0]) {
        assert!(partition.replicas.contains(&BrokerId(3)), "replicas stay");
        assert!(!partition.isr.contains(&BrokerId(3)));
        assert_eq!(partition.leader, partition.isr.first().copied());
    }
    assert_eq!(history.deltas[0].delta.brokers.len(), 1);
    assert_eq!(history.deltas[0].delta.brokers[0].event, BrokerEvent::Fenced);
}

#[test]
fn a_restart_comes_back_leader_by_leader_and_takes_back_its_partitions() {
    // broker 0 shares partitions with 1 and 2 only, and leads the first two
    let lists: &[&[u32]] = &[&[0, 1], &[0, 2], &[1, 0], &[3, 4]];
    let history = cluster().placed("t", lists).at(60, "bounce", restart(0, 60)).make();
    // stop, registration, unfence, leaders 1 and 2 at 15 s and 30 s, preferred leaders 5 min after that
    assert_eq!(times(&history), [60_000, 120_000, 122_000, 137_000, 152_000, 452_000]);
    let partitions = |i: usize| -> Vec<u32> { changed(&history.deltas[i]).iter().map(|(_, p)| p.partition).collect() };
    assert_eq!(partitions(0), [0, 1, 2]);
    assert_eq!((partitions(1), partitions(2)), (vec![], vec![]));
    assert_eq!(partitions(3), [0, 2], "led by 1");
    assert_eq!(partitions(4), [1], "led by 2");
    assert_eq!(partitions(5), [0, 1], "the first replica takes back what another leads");
    assert!(changed(&history.deltas[5]).iter().all(|(_, p)| p.leader == Some(BrokerId(0))));
}

#[test]
fn topics_come_in_equal_runs_where_that_is_asked_for() {
    let lists: &[&[u32]] = &[&[0, 1]];
    let mut build = cluster().at(60, "bounce", restart(0, 60));
    for i in 1..=7 {
        build = build.placed(&format!("t-{i}"), lists);
    }
    let history = build.with(|s| s.cluster.start.isr_deltas = IsrDeltas::Runs(3)).make();
    let expansions: Vec<(u64, Vec<u32>)> =
        history.deltas[3..6].iter().map(|d| (d.at.0, changed(d).iter().map(|(topic, _)| *topic).collect())).collect();
    // seven names in three runs: [0, 7/3), [7/3, 14/3), [14/3, 7), rounded down
    assert_eq!(expansions, [(132_000, vec![0, 1]), (142_000, vec![2, 3]), (152_000, vec![4, 5, 6])]);
}

#[test]
fn a_crash_is_fenced_after_the_session_and_a_quick_restart_waits_for_that() {
    let crash = |back| Verb::Crash { brokers: named("0"), back_after: Some(Span::just(Ms::secs(back))) };
    let quick = cluster().placed("t", &[&[0, 1]]).at(60, "crash", crash(3)).make();
    assert_eq!(times(&quick)[..2], [69_000, 71_000], "fence and registration coalesce");
    assert_eq!(quick.deltas[0].delta.brokers.len(), 2);
    let slow = cluster().placed("t", &[&[0, 1]]).at(60, "crash", crash(30)).make();
    assert_eq!(times(&slow)[..3], [69_000, 90_000, 92_000]);
}

#[test]
fn a_sole_replica_loses_its_leader_and_gets_it_back_at_the_unfence() {
    let history = cluster().placed("t", &[&[0], &[0, 1]]).at(60, "bounce", restart(0, 60)).make();
    let first: Vec<_> = changed(&history.deltas[0]).into_iter().map(|(_, p)| p.clone()).collect();
    assert_eq!((first[0].leader, first[0].isr.len()), (None, 1));
    let unfence = changed(&history.deltas[2]);
    assert_eq!(unfence.len(), 1);
    assert_eq!((unfence[0].1.partition, unfence[0].1.leader), (0, Some(BrokerId(0))));
    assert_eq!(times(&history)[3], 152_000, "partition 1 alone is in the plan");
}

#[test]
fn a_partition_without_a_leader_waits_for_the_unfence_that_gives_it_one() {
    // 0 stops, then 1, alone in the ISR; 0 comes back before 1 does
    let stop =
        |broker: &str, back| Verb::Shutdown { brokers: named(broker), back_after: Some(Span::just(Ms::secs(back))) };
    let history = cluster_of(3)
        .placed("t", &[&[0, 1]])
        .at(60, "first", stop("0", 100))
        .at(70, "second", stop("1", 200))
        .with(|s| s.cluster.leader_rebalance = None)
        .make();
    // 0 unfences at 162 and finds nobody leading; 1 unfences at 272 and leads; 0 is in sync 30 s later
    let of_t: Vec<u64> = history.deltas.iter().filter(|d| !changed(d).is_empty()).map(|d| d.at.0).collect();
    assert_eq!(of_t, [60_000, 70_000, 272_000, 302_000]);
    let last = history.deltas.last().unwrap();
    assert_eq!(last.delta.topics[0].entry, 0, "an expansion belongs to the entry that started the broker");
}

#[test]
fn a_second_stop_voids_the_rest_of_the_plan() {
    let history = cluster()
        .placed("t", &[&[0, 1], &[0, 2]])
        .at(60, "bounce", restart(0, 60))
        .at(140, "again", Verb::Shutdown { brokers: named("0"), back_after: None })
        .make();
    assert_eq!(times(&history), [60_000, 120_000, 122_000, 137_000, 140_000]);
    let last: Vec<u32> = changed(&history.deltas[4]).iter().map(|(_, p)| p.partition).collect();
    assert_eq!(last, [0], "it was back in the ISR of the first only");
}

#[test]
fn what_happens_at_one_instant_is_one_delta() {
    let all = Verb::Restart { brokers: Pick::All, down: Span::just(Ms::secs(60)), how: Default::default() };
    let history = cluster().topic("t", 12, 3).at(60, "all", all).make();
    assert_eq!(times(&history)[..3], [60_000, 120_000, 122_000]);
    assert_eq!(history.deltas[0].delta.brokers.len(), 6);
    let lost = changed(&history.deltas[0]);
    assert!(lost.iter().all(|(_, p)| p.leader.is_none() && p.isr.len() == 1), "the last one stays in sync");
    assert!(changed(&history.deltas[2]).iter().all(|(_, p)| p.leader == p.isr.first().copied()));
}

#[test]
fn a_stopped_broker_named_by_its_own_id_cannot_be_stopped_again() {
    let twice = stop_of(3).at(70, "again", Verb::Shutdown { brokers: named("3"), back_after: None });
    let error = crate::world::make(&twice.0, 1).unwrap_err();
    assert_eq!((error.entry, error.at), (Some(1), Ms::secs(70)));
    assert!(error.message.contains("broker 3 is down"), "{}", error.message);
    let all = stop_of(3).at(70, "all", Verb::Shutdown { brokers: Pick::All, back_after: None }).make();
    assert_eq!(all.notes, ["all: left out once: is down"]);
    let every = When::Every { every: Ms::secs(10), from: Ms::secs(10), until: None, times: Some(3) };
    let repeated = cluster().entry("stop", every, Verb::Shutdown { brokers: named("3"), back_after: None }).make();
    assert_eq!(repeated.notes, ["stop: left out 2 times: is down"]);
}
