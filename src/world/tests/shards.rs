//! Shards on brokers and apart (model: K.4).

use super::{events, told};
use crate::kafka::{BrokerId, ShardId};
use crate::scenario::{LoadTime, Pick, ShardPick, Span, Verb};
use crate::sim::Ms;
use crate::world::history::{Happening, History, Step};
use crate::world::make;
use crate::world::testing::{Build, cluster, cluster_of, named, restart};

fn led_by(history: &History, broker: u32) -> Vec<usize> {
    let leads = |i: &usize| history.shards[*i].leaders[0].1 == Some(BrokerId(broker));
    (0..history.shards.len()).filter(leads).collect()
}

#[test]
fn a_stop_moves_exactly_the_shards_that_the_broker_led_and_its_return_takes_them_back() {
    let history = cluster().at(60, "bounce", restart(2, 60)).make();
    let mine = led_by(&history, 2);
    assert!(!mine.is_empty() && mine.len() < 50);
    for (shard, line) in history.shards.iter().enumerate() {
        if mine.contains(&shard) {
            // away at the stop; back 5 min after 120 + 2 + 30; a second of load each time
            let down = [(60_000, 61_000), (452_000, 453_000)].map(|(a, b)| (Ms(a), Ms(b)));
            assert_eq!(line.down, down);
            assert_eq!(line.leaders.len(), 3);
            assert_ne!(line.leaders[1].1, Some(BrokerId(2)));
            assert_eq!(line.leaders[2], (Ms(452_000), Some(BrokerId(2))));
        } else {
            assert_eq!((line.down.len(), line.leaders.len()), (0, 1));
        }
    }
    assert!(events(&history, |w| matches!(w, Happening::ShardDown(_))).iter().all(|e| e.step == Step::Failover));
    assert!(events(&history, |w| matches!(w, Happening::ShardUp { .. })).iter().all(|e| e.step == Step::LoadEnd));
    assert!(history.deltas.iter().all(|d| d.delta.topics.is_empty()), "the offsets topic is no topic");
}

#[test]
fn a_crashed_leader_answers_nobody_until_its_shards_have_moved_and_loaded() {
    let crash = Verb::Crash { brokers: named("2"), back_after: None };
    let history = cluster().at(60, "crash", crash).make();
    for shard in led_by(&history, 2) {
        assert_eq!(history.shards[shard].down, [(Ms(60_000), Ms(70_000))], "9 s of session and 1 s of load");
        assert_eq!(history.shards[shard].leaders[1].0, Ms(69_000));
    }
}

#[test]
fn a_shard_without_a_leader_waits_for_one_and_then_loads() {
    let history = cluster_of(1).at(60, "bounce", restart(0, 60)).make();
    for line in &history.shards {
        assert_eq!(line.down, [(Ms(60_000), Ms(123_000))]);
        let leaders: Vec<_> = line.leaders.iter().map(|(at, b)| (at.0, b.map(|b| b.0))).collect();
        assert_eq!(leaders, [(0, Some(0)), (60_000, None), (122_000, Some(0))]);
    }
    let gone = Verb::Shutdown { brokers: Pick::All, back_after: None };
    let never = cluster_of(1).at(60, "gone", gone).make();
    assert_eq!(never.shards[0].down, [(Ms(60_000), Ms::NEVER)]);
}

#[test]
fn a_load_of_no_time_ends_in_the_instant_in_which_it_begins() {
    let history =
        cluster().at(60, "bounce", restart(2, 60)).with(|s| s.cluster.load_time = LoadTime::Fixed(Ms::ZERO)).make();
    let shard = led_by(&history, 2)[0];
    assert_eq!(history.shards[shard].down[0], (Ms(60_000), Ms(60_000)));
    let of_shard = events(&history, |w| match w {
        Happening::ShardDown(s) | Happening::ShardUp { shard: s, .. } => s.index() == shard,
        _ => false,
    });
    assert_eq!(of_shard[0].what, Happening::ShardDown(ShardId(u32::try_from(shard).unwrap())));
    assert!(matches!(of_shard[1].what, Happening::ShardUp { load: Ms::ZERO, .. }));
    assert_eq!((of_shard[0].step, of_shard[1].step), (Step::Failover, Step::Failover));
}

fn moved(build: Build, seconds: &[u64], load: Option<Ms>) -> History {
    let verb = || Verb::MoveCoordinator { shards: ShardPick::These(vec![0]), to: None, load };
    let build = seconds.iter().enumerate().fold(build, |b, (i, s)| b.at(*s, &format!("move-{i}"), verb()));
    build.make()
}

#[test]
fn a_second_move_during_a_load_starts_the_load_anew() {
    for build in [cluster(), cluster().apart()] {
        let history = moved(build, &[60, 70], Some(Ms::secs(20)));
        assert_eq!(history.shards[0].down, [(Ms(60_000), Ms(90_000))]);
        let ups = events(&history, |w| matches!(w, Happening::ShardUp { .. }));
        assert_eq!((ups.len(), ups[0].entry), (1, Some(1)));
        assert_eq!(ups[0].what, Happening::ShardUp { shard: ShardId(0), load: Ms(20_000) });
    }
}

#[test]
fn a_shard_moves_to_the_next_in_sync_replica_in_turn() {
    let history = moved(cluster(), &[60, 70, 80], None);
    let leaders: Vec<_> = history.shards[0].leaders.iter().map(|(_, b)| b.unwrap().0).collect();
    assert_eq!(leaders.len(), 4);
    assert_eq!(leaders[3], leaders[0], "round the three of them");
    assert_eq!(std::collections::BTreeSet::from_iter(&leaders).len(), 3);
    let to = |broker| {
        let verb = Verb::MoveCoordinator { shards: ShardPick::These(vec![0]), to: Some(BrokerId(broker)), load: None };
        make(&cluster().at(60, "move", verb).0, 1)
    };
    let unable: Vec<u32> = (0..6).filter(|b| to(*b).is_err()).collect();
    assert_eq!(unable.len(), 4, "its leader, and three that hold no replica");
}

#[test]
fn nothing_but_a_move_touches_shards_that_live_apart() {
    let all = Verb::Restart { brokers: Pick::All, down: Span::just(Ms::secs(60)), how: Default::default() };
    let history = cluster().apart().at(60, "all", all).make();
    assert!(told(&history).is_empty());
    assert!(history.shards.iter().all(|line| line.leaders.is_empty()));
}

#[test]
fn shards_hear_of_moves_when_the_image_arrives_but_of_crashes_at_once() {
    let lag = |s: &mut crate::scenario::Scenario| s.cluster.metadata_lag = Span::just(Ms(300));
    let stop = cluster().with(lag).at(60, "bounce", restart(2, 600)).make();
    let crash = Verb::Crash { brokers: named("2"), back_after: None };
    let crash = cluster().with(lag).at(60, "crash", crash).make();
    let shard = led_by(&stop, 2)[0];
    assert_eq!(stop.shards[shard].down[0], (Ms(60_300), Ms(61_300)));
    assert_eq!(crash.shards[shard].down[0], (Ms(60_000), Ms(70_300)));
    assert_eq!(stop.deltas[0].at, Ms(60_300));
}

#[test]
fn the_history_of_a_load_of_its_own_length_counts_its_records() {
    let build = |members| {
        cluster().apart().group("g", members, &["t"]).with(|s| {
            s.cluster.load_time = LoadTime::Auto;
            s.cluster.offsets_partitions = 1;
        })
    };
    let load = |members| {
        let verb = Verb::MoveCoordinator { shards: ShardPick::All, to: None, load: None };
        let history = build(members).at(60, "move", verb).make();
        history.shards[0].down[0].1.since(history.shards[0].down[0].0)
    };
    // one epoch and a record for each member, 4,500 in a millisecond, rounded up
    assert_eq!([load(1), load(4499), load(4500), load(9000)], [Ms(1), Ms(1), Ms(2), Ms(3)]);
}
