//! Random scenarios with everything in them, for laws that must hold in all.

use crate::scenario::{
    Grow, IsrDeltas, LoadTime, Moves, Pick, Place, RollOrder, ShardPick, Span, StartHow, TopicPick, Verb, When, Within,
};
use crate::sim::{Chance, Ms, Stream};
use crate::world::testing::{Build, cluster_of};

/// Scenario number `number`.
pub(super) fn scenario(number: u32) -> Build {
    let mut s = Chance::new(99, number).stream("random scenario", "");
    let brokers = 1 + u32::try_from(s.below(7)).unwrap();
    let mut build = cluster_of(brokers);
    for i in 0..1 + s.below(4) {
        let rf = 1 + u32::try_from(s.below(u64::from(brokers.min(3)))).unwrap();
        build = build.topic(&format!("t-{i}"), 1 + u32::try_from(s.below(6)).unwrap(), rf);
    }
    for i in 0..s.below(5) {
        build = build.group(&format!("g-{i}"), u32::try_from(s.below(4)).unwrap(), &["t-0", "t-1"]);
        let (is_static, standing) = (s.below(2) == 0, s.below(4) > 0);
        build = build.with_group(&format!("g-{i}"), |g| (g.is_static, g.standing) = (is_static, standing));
    }
    let n = s.below(8);
    for i in 0..n {
        let verb = verb(&mut s, i);
        let when = match s.below(3) {
            0 => When::At(vec![Ms(s.below(3_600_000)), Ms(s.below(600) * 1000)]),
            1 => {
                let every = Ms(1 + s.below(900_000));
                When::Every { every, from: Ms(s.below(1000) * 1000), until: None, times: Some(30) }
            }
            _ => {
                let (count, each) = (1 + s.below(20), s.below(2) == 0);
                When::Rate { count, per: Ms::secs(3600), each, from: Ms::ZERO, until: None, times: None }
            }
        };
        build = build.entry(&format!("entry-{i}"), when, verb);
        if s.below(4) == 0 {
            build.0.history.last_mut().unwrap().over = Ms(s.below(120_000));
        }
    }
    settings(build, &mut s)
}

fn settings(build: Build, s: &mut Stream) -> Build {
    build.with(|scenario| {
        let cluster = &mut scenario.cluster;
        cluster.offsets_partitions = 1 + u32::try_from(s.below(4)).unwrap();
        cluster.load_time =
            [LoadTime::Fixed(Ms::ZERO), LoadTime::Fixed(Ms(s.below(60_000))), LoadTime::Auto][s.index(3)];
        cluster.retention = Ms(s.below(1_500_000));
        cluster.start.isr_deltas = [IsrDeltas::PerLeader, IsrDeltas::Runs(3)][s.index(2)];
        cluster.start.catch_up = Span { lo: Ms(0), hi: Ms(s.below(60_000)) };
        if s.below(3) == 0 {
            cluster.metadata_lag = Span { lo: Ms(0), hi: Ms(s.below(2000)) };
        }
        if s.below(3) == 0 {
            cluster.coordinators = crate::scenario::Coordinators::Apart;
        }
    })
}

fn verb(s: &mut Stream, i: u64) -> Verb {
    let one = || Pick::Any(Span { lo: 1, hi: 2 });
    let pick = |s: &mut Stream| if s.below(3) == 0 { Pick::All } else { one() };
    let secs = |s: &mut Stream, n: u64| Span { lo: Ms::ZERO, hi: Ms(s.below(n) * 1000 + s.below(2) * 7) };
    match s.below(34) {
        0 => Verb::Roll {
            brokers: Pick::All,
            down: secs(s, 90),
            gap: secs(s, 300),
            order: RollOrder::Drawn,
            how: how(s),
        },
        1 => Verb::Restart { brokers: pick(s), down: secs(s, 90), how: how(s) },
        2 => {
            let back_after = (s.below(2) == 0).then(|| secs(s, 400));
            Verb::Shutdown { brokers: one(), back_after }
        }
        3 | 4 => Verb::Crash { brokers: one(), back_after: Some(secs(s, 60)) },
        5 => Verb::Start { brokers: Pick::All, how: how(s) },
        6 => Verb::Unregister { brokers: pick(s) },
        7 => Verb::AddPartitions { topics: one(), grow: Grow::By(Span { lo: 1, hi: 3 }), replicas: None },
        8 => {
            let place = Place::Drawn { partitions: Span { lo: 1, hi: 4 }, rf: 1 };
            Verb::CreateTopic { names: vec![format!("new-{i}"), "t-9".into()], place }
        }
        9 => Verb::DeleteTopic { topics: one() },
        10 => {
            let gap = Ms(s.below(3) * 4000);
            Verb::RecreateTopic { topics: one(), gap, partitions: None, rf: None, replicas: None }
        }
        11 | 12 => {
            let within = [Within::Rack, Within::Any][s.index(2)];
            let moves = Moves::Drawn { topics: Pick::All, moves: Span { lo: 1, hi: 8 }, within };
            let (wave, pause) = (Some(3), Ms::secs(1));
            Verb::Reassign { moves, wave, pause, takes: secs(s, 200) }
        }
        13 => Verb::SetRf {
            topics: one(),
            partitions: None,
            rf: 1 + u32::try_from(s.below(3)).unwrap(),
            takes: secs(s, 90),
        },
        14 => Verb::ElectLeaders { topics: pick(s), partitions: None },
        15 => Verb::IsrShrink { topics: pick(s), partitions: None, brokers: one() },
        16 => Verb::IsrExpand { topics: pick(s), partitions: None, brokers: one() },
        17 => Verb::SnapshotReload,
        18 => Verb::MoveCoordinator { shards: ShardPick::Any(1), to: None, load: Some(Ms(s.below(300_000))) },
        verb => member_verb(s, (verb - 19) % 5),
    }
}

fn member_verb(s: &mut Stream, verb: u64) -> Verb {
    let one = || Pick::Any(Span::just(1));
    let of = ["t-0", "t-1", "t-2", "t-7"].map(String::from).to_vec().into();
    let topics = Some(TopicPick::Draw { count: Span { lo: 0, hi: 3 }, of });
    match verb {
        0 => Verb::Join {
            groups: one(),
            members: Span { lo: 0, hi: 3 },
            topics,
            pattern: None,
            rack: None,
            is_static: None,
            leave_after: Some(Span { lo: Ms(0), hi: Ms(s.below(400_000)) }),
        },
        1 => Verb::Leave { groups: one(), members: one() },
        2 => Verb::Kill { groups: one(), members: one() },
        3 => Verb::RestartMember { groups: Pick::All, members: one(), away: Span { lo: Ms(0), hi: Ms::secs(100) } },
        _ => Verb::Subscribe { groups: Pick::All, members: one(), topics, pattern: None },
    }
}

fn how(s: &mut Stream) -> StartHow {
    let racks = vec![("a".to_owned(), Some("z".to_owned())), ("b".to_owned(), None)];
    StartHow { racks: if s.below(2) == 0 { racks } else { vec![] }, ..StartHow::default() }
}
