//! Laws that hold in every history, told again plainly and checked in random ones.

use std::collections::{BTreeMap, BTreeSet};

use super::random;
use crate::kafka::{BrokerEvent, BrokerId, PartitionChange, TopicEvent, TopicId};
use crate::scenario::{Coordinators, Scenario};
use crate::sim::Ms;
use crate::world::history::{Happening, History, Step};
use crate::world::make;

const SCENARIOS: u32 = 600;

pub(super) fn every(check: impl Fn(&Scenario, &History)) {
    let mut made = 0;
    for number in 0..SCENARIOS {
        let scenario = random::scenario(number).0;
        // a scenario that names what cannot be is refused; few are
        if let Ok(history) = make(&scenario, 1) {
            made += 1;
            check(&scenario, &history);
        }
    }
    assert!(made > SCENARIOS * 3 / 4, "{made} of {SCENARIOS}");
}

/// Who leads, told again: a leader is live and in sync; where nobody leads, nobody in sync is live; and nobody but
/// a sole survivor is in sync without being live.
#[test]
fn leaders_are_live_and_in_sync_and_nobody_else_is_left_out() {
    every(|_, history| {
        let mut live: BTreeSet<BrokerId> =
            (0u32..).zip(&history.start.brokers).filter(|(_, b)| b.is_some()).map(|(id, _)| BrokerId(id)).collect();
        let mut partitions: BTreeMap<(TopicId, u32), PartitionChange> = BTreeMap::new();
        let mut last = None;
        for arrival in &history.deltas {
            assert!(last < Some(arrival.at) && arrival.at < history.duration);
            assert!(!arrival.delta.is_empty());
            last = Some(arrival.at);
            for change in &arrival.delta.brokers {
                match change.event {
                    BrokerEvent::Fenced => assert!(live.remove(&change.broker)),
                    BrokerEvent::Unfenced => assert!(live.insert(change.broker)),
                    BrokerEvent::Registered { .. } | BrokerEvent::Unregistered => {
                        assert!(!live.contains(&change.broker));
                    }
                }
            }
            for change in &arrival.delta.topics {
                match &change.event {
                    TopicEvent::Deleted => partitions.retain(|(topic, _), _| *topic != change.topic),
                    TopicEvent::Created { partitions: all, .. } => {
                        partitions.retain(|(topic, _), _| *topic != change.topic);
                        partitions.extend(all.iter().map(|p| ((change.topic, p.partition), p.clone())));
                    }
                    TopicEvent::Changed { partitions: some } => {
                        partitions.extend(some.iter().map(|p| ((change.topic, p.partition), p.clone())));
                    }
                }
            }
            for (name, p) in &partitions {
                let context = format!("{name:?} at {}: {p:?}, live {live:?}", arrival.at);
                match p.leader {
                    Some(leader) => assert!(live.contains(&leader) && p.isr.contains(&leader), "{context}"),
                    None => assert!(!p.isr.iter().any(|b| live.contains(b)), "{context}"),
                }
                assert!(p.isr.len() == 1 || p.isr.iter().all(|b| live.contains(b)), "{context}");
                let in_order = p.replicas.iter().filter(|b| p.isr.contains(b));
                assert!(in_order.eq(p.isr.iter()), "{context}");
                assert_eq!(BTreeSet::from_iter(&p.replicas).len(), p.replicas.len(), "{context}");
                assert!(p.adding.iter().chain(&p.removing).all(|b| p.replicas.contains(b)), "{context}");
            }
        }
    });
}

#[test]
fn deltas_apply_to_the_image_that_they_build_on() {
    every(|_, history| {
        let mut image = history.start.clone();
        for arrival in &history.deltas {
            for change in &arrival.delta.topics {
                let before = image.topic(change.topic);
                match &change.event {
                    TopicEvent::Deleted => assert!(before.is_some()),
                    TopicEvent::Created { partitions, .. } => {
                        assert!(partitions.iter().map(|p| p.partition).eq(0..u32::try_from(partitions.len()).unwrap()));
                    }
                    TopicEvent::Changed { partitions } => {
                        let count = before.unwrap().partitions.len();
                        let new: Vec<u32> =
                            partitions.iter().map(|p| p.partition).filter(|p| *p as usize >= count).collect();
                        assert!(new.iter().copied().eq((u32::try_from(count).unwrap()..).take(new.len())));
                        assert!(partitions.is_sorted_by(|a, b| a.partition < b.partition));
                    }
                }
            }
            image.apply(&arrival.delta);
        }
    });
}

#[test]
fn events_come_in_order_and_agree_with_the_shards_lines() {
    every(|scenario, history| {
        let place = |e: &crate::world::history::Event| (e.at, e.step);
        assert!(history.events.is_sorted_by_key(place));
        let deltas =
            history.events.iter().filter_map(|e| if let Happening::Delta(i) = e.what { Some((e.at, i)) } else { None });
        assert!(deltas.eq(history.deltas.iter().map(|d| d.at).zip(0..)));
        for (shard, line) in history.shards.iter().enumerate() {
            assert!(line.down.iter().all(|(from, to)| from <= to));
            assert!(line.down.is_sorted_by(|a, b| a.1 <= b.0));
            assert_eq!(line.leaders.is_empty(), scenario.cluster.coordinators == Coordinators::Apart);
            let mut told = Vec::new();
            for event in &history.events {
                match event.what {
                    Happening::ShardDown(s) if s.index() == shard => told.push((event.at, Ms::NEVER)),
                    Happening::ShardUp { shard: s, load } if s.index() == shard => {
                        let last = told.last_mut().unwrap();
                        last.1 = event.at;
                        assert!(event.at.since(last.0) >= load);
                        assert_eq!(event.step == Step::Failover, load == Ms::ZERO);
                    }
                    _ => {}
                }
            }
            assert_eq!(told, line.down);
        }
    });
}

/// The laws would hold in an empty world, too: what the random scenarios bring about, counted.
#[test]
fn random_scenarios_bring_about_everything() {
    let counts = std::cell::RefCell::new(BTreeMap::<String, u32>::new());
    every(|_, history| {
        let mut counts = counts.borrow_mut();
        let mut count = |what: String| *counts.entry(what).or_default() += 1;
        for event in &history.events {
            let kind = format!("{:?}", event.what);
            count(format!("{:?} {}", event.step, kind.split([' ', '(']).next().unwrap()));
        }
        for arrival in &history.deltas {
            arrival.delta.brokers.iter().for_each(|b| {
                count(format!("{:?}", b.event).split(' ').next().unwrap().to_owned());
            });
            for change in &arrival.delta.topics {
                match &change.event {
                    TopicEvent::Deleted => count("deleted".into()),
                    TopicEvent::Created { .. } => count("created".into()),
                    TopicEvent::Changed { partitions } => {
                        let moving = partitions.iter().any(|p| !p.adding.is_empty() || !p.removing.is_empty());
                        let leaderless = partitions.iter().any(|p| p.leader.is_none());
                        count(format!("changed, moving {moving}, leaderless {leaderless}"));
                    }
                }
            }
        }
    });
    let counts = counts.into_inner();
    for what in [
        "Delta Delta",
        "Failover ShardDown",
        "Failover ShardUp",
        "LoadEnd ShardUp",
        "Expiry Expire",
        "Expiry GroupGone",
        "Member Join",
        "Member Leave",
        "Member Silent",
        "Member Away",
        "Member Back",
        "Member Subscribe",
        "Heartbeat Join",
        "Heartbeat Back",
        "Heartbeat Subscribe",
        "Registered",
        "Unregistered",
        "Fenced",
        "Unfenced",
        "deleted",
        "created",
        "changed, moving true, leaderless false",
        "changed, moving false, leaderless true",
        "changed, moving true, leaderless true",
    ] {
        assert!(counts.get(what).is_some_and(|n| *n >= 10), "{what}: {counts:?}");
    }
}
