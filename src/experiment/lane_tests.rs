//! What a lane makes of small histories: verdicts, misses and repeats in the smallest cases that have
//! them, and the plain walk beside the arithmetic.

use crate::kafka::{BrokerEvent, MemberId, NameTable};
use crate::metrics::{LaneOutcome, NoMeter, Reading, Readings, ideal};
use crate::scenario::{RackReading, StrategyKind, StrategySpec, Unregistered};
use crate::sim::Ms;
use crate::strategy::registry;
use crate::world::sketch::{Sketch, changed, created, registered};
use crate::world::{Happening, Heartbeats, History, Presence, Presences, Step};

use super::costs::BatchTimer;
use super::lane::{Lane, LaneOptions, Stage};

fn replay(history: &History, spec: &StrategySpec) -> LaneOutcome {
    let heartbeats = Heartbeats::new(history);
    let readings = Readings::new(history, Reading::of(spec).into_iter().collect());
    let names = NameTable::new(&history.names.topics, &history.names.racks);
    let stage =
        Stage { history, heartbeats: &heartbeats, readings: &readings, names: &names, rolls: &[], assigning: None };
    let run = |exhaustive| {
        let options = LaneOptions {
            counted: false,
            exhaustive,
            in_order: false,
            warmup: Ms(0),
            bucket: Ms(7_000),
            keep_bumps: 1000,
            message_max_bytes: 1_048_588,
            share_init: Ms(100),
        };
        let mut timer = BatchTimer::new(&NoMeter);
        let lane = Lane::new(stage, spec, &registry::make, options, &mut timer);
        let mut outcome = lane.replay(&|_| true).unwrap();
        outcome.outcome.ideal = ideal(history, &heartbeats, &readings, Ms(0));
        outcome
    };
    let (short, walked) = (run(false), run(true));
    assert_eq!(format!("{short:?}"), format!("{walked:?}"), "the plain walk agrees");
    short
}

fn verdicts(history: &History, spec: &StrategySpec) -> String {
    let lane = replay(history, spec);
    let bumps = lane.bumps.iter().map(|b| format!("{} {}", b.at.0, b.verdict.name()));
    let missed = lane.missed.iter().map(|m| format!("missed {}", m.opened.0));
    let text: Vec<String> = bumps.chain(missed).collect();
    text.join(", ")
}

fn spec(kind: StrategyKind) -> StrategySpec {
    StrategySpec::bare(kind)
}

/// Topics a and b with a replica on broker 0; one member that heartbeats at 1 s, 6 s, …
fn two_topics() -> Sketch {
    Sketch::new(100_000, &["a", "b", "c", "a"], &[("a", &[&[0, 1]]), ("b", &[&[0, 2]])]).group("g", &[0, 1], &[1000])
}

#[test]
fn a_growing_topic_is_told_at_the_next_heartbeat_by_everyone() {
    let sketch = two_topics().delta(10_000, 0, vec![(0, changed(&[(1, &[1, 2])]))], vec![]);
    for kind in StrategyKind::ALL {
        assert_eq!(verdicts(&sketch.0, &spec(kind)), "11000 needed", "{kind:?}");
    }
    assert_eq!(replay(&sketch.0, &spec(StrategyKind::GroupHash)).outcome.ideal, 1);
}

#[test]
fn a_rack_change_is_told_once_by_full_metadata_and_twice_through_a_cache() {
    let sketch = two_topics();
    let x = sketch.rack("x");
    let sketch = sketch
        .delta(10_000, 3, vec![], vec![(0, registered(Some(x)))])
        .delta(22_000, 3, vec![(0, changed(&[(0, &[0, 1])]))], vec![])
        .delta(32_000, 3, vec![(1, changed(&[(0, &[0, 2])]))], vec![]);
    assert_eq!(verdicts(&sketch.0, &spec(StrategyKind::FullMetadata)), "26000 needed");
    assert_eq!(verdicts(&sketch.0, &spec(StrategyKind::GroupHash)), "26000 needed, 36000 repeat");
    assert_eq!(verdicts(&sketch.0, &spec(StrategyKind::GroupHashUncached)), "26000 needed");
    assert_eq!(verdicts(&sketch.0, &spec(StrategyKind::PartitionCount)), "missed 10000");
    assert_eq!(verdicts(&sketch.0, &spec(StrategyKind::DeltaFlag)), "missed 10000");
    let lane = replay(&sketch.0, &spec(StrategyKind::GroupHash));
    assert!(lane.causes.iter().all(|c| c.cause == crate::world::Origin::Entry(3)));
}

#[test]
fn a_move_within_a_rack_fools_the_multiset_alone() {
    let sketch = two_topics().delta(10_000, 0, vec![(0, changed(&[(0, &[3, 1, 0])]))], vec![]).delta(
        20_000,
        0,
        vec![(0, changed(&[(0, &[3, 1])]))],
        vec![],
    );
    assert_eq!(verdicts(&sketch.0, &spec(StrategyKind::GroupHash)), "11000 spurious, 21000 spurious");
    let mut set = spec(StrategyKind::GroupHash);
    set.switches.racks = RackReading::Set;
    assert_eq!(verdicts(&sketch.0, &set), "");
}

#[test]
fn a_deleted_topic_is_missed_by_the_flag() {
    let sketch = two_topics().delta(10_000, 0, vec![(0, crate::kafka::TopicEvent::Deleted)], vec![]);
    assert_eq!(verdicts(&sketch.0, &spec(StrategyKind::GroupHash)), "11000 needed");
    assert_eq!(verdicts(&sketch.0, &spec(StrategyKind::DeltaFlag)), "missed 10000");
}

#[test]
fn an_unregistered_replica_is_found_late_and_fails_where_nobody_skips_it() {
    let sketch = two_topics().delta(10_000, 0, vec![], vec![(0, BrokerEvent::Unregistered)]).delta(
        60_000,
        1,
        vec![(1, changed(&[(0, &[0, 2])]))],
        vec![],
    );
    assert_eq!(verdicts(&sketch.0, &spec(StrategyKind::GroupHash)), "61000 late");
    let mut fails = spec(StrategyKind::FullMetadata);
    fails.switches.unregistered = Unregistered::Fail;
    let lane = replay(&sketch.0, &fails);
    // 61, 66, 71, 76, 81, 86, 91, 96 s
    assert_eq!((lane.outcome.failures, lane.outcome.refreshes, lane.outcome.counts.missed), (8, 8, 1));
}

#[test]
fn a_failing_group_goes_on_where_its_topic_leaves_the_dead_broker() {
    let sketch = two_topics()
        .delta(10_000, 0, vec![], vec![(0, BrokerEvent::Unregistered)])
        .delta(20_000, 1, vec![(1, changed(&[(0, &[0, 2])]))], vec![])
        .event(33_000, Step::Member, Some(4), Happening::Leave(MemberId(1)))
        .delta(50_000, 2, vec![(0, changed(&[(0, &[3, 1])])), (1, changed(&[(0, &[3, 2])]))], vec![]);
    let mut history = sketch.group("h", &[0], &[2000, 3000]).0;
    // m-1 of h leaves at 33 s: no heartbeat from there. The moves bring the racks of time 0 back: both groups missed it
    let mut presences = Presences::new(history.duration);
    for p in history.presences.iter() {
        presences.push(Presence { until: if p.member == MemberId(1) { Ms(33_000) } else { p.until }, ..p });
    }
    history.presences = presences;
    let mut fails = spec(StrategyKind::FullMetadata);
    fails.switches.unregistered = Unregistered::Fail;
    let lane = replay(&history, &fails);
    // g: 21, 26, 31, 36, 41, 46 s; the leave: 33.0, 33.5 … 50.0 (the delta of 50 s comes first and heals it)
    assert_eq!(lane.outcome.failures, 6 + 34);
    assert_eq!(verdicts(&history, &fails), "50000 membership, missed 10000, missed 10000");
}

#[test]
fn a_failover_makes_everybody_look_again_and_the_flag_forget() {
    let sketch = two_topics()
        .delta(11_500, 0, vec![(0, changed(&[(1, &[1, 2])]))], vec![])
        .failover(12_000, 18_000, 1)
        .loaded(18_000, 6000, 1);
    // the heartbeat at 16 s is refused; patience waits for the first accepted one
    assert_eq!(verdicts(&sketch.0, &spec(StrategyKind::FullMetadata)), "21000 needed");
    assert_eq!(verdicts(&sketch.0, &spec(StrategyKind::DeltaFlag)), "missed 11500");
    assert_eq!(replay(&sketch.0, &spec(StrategyKind::GroupHash)).outcome.heartbeats_refused, 1);
}

#[test]
fn a_created_topic_reaches_a_pattern_after_ten_seconds_at_most() {
    let sketch = Sketch::new(700_000, &["a", "b"], &[("t1", &[&[0]]), ("t2", &[])])
        .pattern_group("g", &[0, 1], &[1000])
        .delta(52_000, 0, vec![(1, created(7, &[&[1]]))], vec![]);
    assert_eq!(verdicts(&sketch.0, &spec(StrategyKind::GroupHash)), "56000 needed");
    let lane = replay(&sketch.0, &spec(StrategyKind::GroupHash));
    // at 56 s for the new topic, at 661 s by the timer
    assert_eq!((lane.outcome.pattern_refreshes, lane.outcome.pattern_matches), (2, 4));
}

#[test]
fn what_comes_back_before_a_heartbeat_was_no_change() {
    let sketch = two_topics().delta(12_000, 0, vec![(0, changed(&[(0, &[0, 2])]))], vec![]).delta(
        13_000,
        0,
        vec![(0, changed(&[(0, &[0, 1])]))],
        vec![],
    );
    assert_eq!(verdicts(&sketch.0, &spec(StrategyKind::GroupHash)), "");
    let lane = replay(&sketch.0, &spec(StrategyKind::GroupHash));
    assert_eq!((lane.outcome.stale_group_ms, lane.outcome.ideal, lane.outcome.refreshes), (1000, 0, 1));
}
