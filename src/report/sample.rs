//! Made-up outcomes for the tests of this folder and of the command line.

use std::sync::Arc;

use crate::coordinator::Holders;
use crate::kafka::{BrokerId, GroupId, GroupKind, Version};
use crate::metrics::{
    AssignBooks, AssignedLane, Bucket, Bump, BumpVerdict, CauseCounts, CostRound, Counts, Dealing, GroupOutcome,
    HeapMoment, Held, LaneLog, LaneOutcome, Origin, Outcome, Roll, RunOutcome, Step, StepBooks, Strips, delays,
};
use crate::scenario::{
    Broker, Cluster, Coordinators, Entry, Group, GroupSpec, IsrDeltas, LoadTime, Members, Phase, Pick, Place,
    RollOrder, Scenario, Span, Start, StartHow, StrategyKind, StrategySpec, Topic, TopicPick, Verb, When,
};
use crate::sim::Ms;

/// Twelve groups on three brokers; a roll and a crash.
pub(crate) fn scenario() -> Scenario {
    let start = Start {
        unfence: Span::just(Ms::secs(2)),
        catch_up: Span::just(Ms::secs(30)),
        isr_deltas: IsrDeltas::PerLeader,
    };
    let broker =
        |(id, rack): (u32, &str)| Broker { id: BrokerId(id), rack: Some(rack.to_owned()), version: Version::Kafka4_1 };
    Scenario {
        name: "sample".to_owned(),
        seed: 1,
        runs: 1,
        duration: Ms::secs(7_200),
        warmup: Ms::ZERO,
        bucket: Ms::secs(720),
        cluster: Cluster {
            version: Version::Kafka4_1,
            metadata_lag: Span::just(Ms::ZERO),
            session: Ms::secs(9),
            coordinators: Coordinators::Brokers,
            offsets_partitions: 50,
            offsets_replicas: None,
            load_time: LoadTime::Fixed(Ms::secs(1)),
            leader_rebalance: Some(Ms::secs(300)),
            retention: Ms::secs(604_800),
            message_max_bytes: 1_048_588,
            share_init: Ms(100),
            assignment_interval: None,
            initial_delay: Ms::ZERO,
            start,
        },
        brokers: [(0, "a"), (1, "b"), (2, "a")].map(broker).to_vec(),
        topics: vec![Topic {
            name: "t".to_owned(),
            family: None,
            id: None,
            place: Place::Drawn { partitions: Span::just(6), rf: 3 },
        }],
        groups: (1..=12)
            .map(|i| Group {
                name: format!("g-{i}"),
                family: Some("g".into()),
                spec: Arc::new(GroupSpec {
                    members: Members::Count(Span::just(5)),
                    topics: TopicPick::These(vec!["t".to_owned()].into()),
                    pattern: None,
                    heartbeat: Span::just(Ms::secs(5)),
                    session: Span::just(Ms::secs(45)),
                    phase: Phase::Drawn,
                    is_static: false,
                    rack_aware: true,
                    patience: None,
                    assignor: None,
                    kind: GroupKind::Consumer,
                    internal: Arc::default(),
                    standing: true,
                    stored: true,
                    epoch: 1,
                    racks: vec![].into(),
                }),
            })
            .collect(),
        history: vec![entry("saturday"), entry("ghost")],
        strategies: [StrategyKind::FullMetadata, StrategyKind::GroupHash].map(StrategySpec::bare).to_vec(),
    }
}

fn entry(name: &str) -> Entry {
    Entry {
        name: name.to_owned(),
        when: When::At(vec![Ms::secs(600)]),
        over: Ms::ZERO,
        verb: Verb::Roll {
            brokers: Pick::All,
            down: Span::just(Ms::secs(60)),
            gap: Span::just(Ms::secs(300)),
            order: RollOrder::Id,
            how: StartHow::default(),
        },
        at: 0..0,
    }
}

/// A run in which full-metadata rebalances each group once and group-hash half of them again.
pub(crate) fn run(number: u32) -> RunOutcome {
    let groups: Vec<String> = (1..=12).map(|i| format!("g-{i}")).collect();
    RunOutcome {
        run: number,
        history_id: format!("5f2c91e0aa00bb{number:02x}"),
        entries: vec!["saturday".to_owned(), "ghost".to_owned()],
        groups,
        rolls: vec![roll()],
        lanes: vec![lane("full-metadata", 0), lane("group-hash", 6)],
        notes: vec![],
    }
}

fn roll() -> Roll {
    let step = |broker, from, until, shards_moved| Step {
        broker: BrokerId(broker),
        from: Ms::secs(from),
        until: Ms::secs(until),
        shards_moved,
    };
    Roll { entry: 0, to: None, steps: vec![step(0, 600, 880, 17), step(1, 880, 1_200, 33), step(2, 1_200, 7_200, 16)] }
}

fn lane(strategy: &str, repeats: u32) -> LaneOutcome {
    let mut bumps: Vec<Bump> = (0..12)
        .map(|g| Bump {
            at: Ms(601_000 + u64::from(g) * 100),
            group: GroupId(g),
            epoch: 2,
            verdict: BumpVerdict::Late,
            cause: Origin::Entry(1),
            trigger: Origin::Entry(0),
            delay: Some(Ms::secs(500)),
            hash: None,
        })
        .collect();
    bumps.extend((0..repeats).map(|g| Bump {
        at: Ms(900_000 + u64::from(g)),
        group: GroupId(g),
        epoch: 3,
        verdict: BumpVerdict::Repeat,
        cause: Origin::Entry(0),
        trigger: Origin::Entry(0),
        delay: None,
        hash: None,
    }));
    let count = |of: &dyn Fn(&Bump) -> bool| {
        let mut counts = Counts::default();
        bumps.iter().filter(|b| of(b)).for_each(|b| counts.add(b.verdict));
        counts
    };
    let pair = |cause: u32, groups_hit: u64| CauseCounts {
        cause: Origin::Entry(cause),
        trigger: Origin::Entry(0),
        counts: count(&|b| b.cause == Origin::Entry(cause)),
        groups_hit,
    };
    let mut causes = vec![pair(0, u64::from(repeats)), pair(1, 12)];
    causes.retain(|c| c.groups_hit > 0);
    let group = |g: u32| GroupOutcome {
        group: GroupId(g),
        shard: g % 3,
        members: 5,
        topics: 1,
        epoch: if g < repeats { 3 } else { 2 },
        counts: count(&|b| b.group == GroupId(g)),
        first: bumps.iter().find(|b| b.group == GroupId(g)).map(|b| b.at),
        last: bumps.iter().rfind(|b| b.group == GroupId(g)).map(|b| b.at),
        main_cause: Some(Origin::Entry(if g < repeats { 0 } else { 1 })),
        kind: GroupKind::Consumer,
    };
    let bucket = |i: u64| Bucket {
        start: Ms(i * 720_000),
        heartbeats: 8_640,
        refreshes: 24,
        rebalances: bumps.iter().filter(|b| b.at.0 / 720_000 == i).count() as u64,
        spurious: bumps.iter().filter(|b| b.at.0 / 720_000 == i && b.verdict == BumpVerdict::Repeat).count() as u64,
        stale_groups: if i == 0 { 12 } else { 0 },
        bytes_hashed: 100,
        offsets_log_bytes: 1_000,
    };
    let mut strips = Strips::new(12, Ms::secs(7_200), Ms::secs(720));
    bumps.iter().for_each(|bump| strips.add(bump));
    let mut steps = StepBooks::new(&[roll()]);
    bumps.iter().for_each(|bump| steps.bump(bump, 5));
    let factor = if repeats == 0 { 4 } else { 1 };
    let outcome = Outcome {
        groups: 12,
        members: 60,
        heartbeats: 86_400,
        refreshes: 240,
        counts: count(&|_| true),
        ideal: 12,
        stale_group_ms: 12 * 500_000,
        groups_hit: 12,
        max_per_group: if repeats > 0 { 2 } else { 1 },
        peak_per_s: 10,
        delay_ms_p50: Some(500_000),
        delay_ms_p99: Some(500_000),
        delay_ms_max: Some(500_000),
        cpu_model_ns: 30_000 * factor,
        heap_bytes_final: 8_000 * factor,
        heap_bytes_peak: 8_140 * factor,
        offsets_log_records: 40,
        offsets_log_bytes: 3_912,
        offsets_batch_bytes: 7_000,
        groups_end: 12,
        ..Outcome::default()
    };
    LaneOutcome {
        strategy: strategy.to_owned(),
        outcome,
        causes,
        groups: std::sync::Arc::new((0..12).map(group).collect()),
        buckets: (0..10).map(bucket).collect(),
        bumps,
        bumps_complete: true,
        missed: vec![],
        heap: vec![(
            HeapMoment::Peak,
            Holders { racks: 1_000 * factor, maps: 7_140 * factor, index: 0, ..Holders::default() },
        )],
        log: LaneLog::default(),
        delays: vec![(delays::upper_end(500_000), 12)],
        strips,
        steps: steps.finish(),
        too_large: None,
        assigned: AssignedLane::default(),
        costs: vec![CostRound { round: 1, cpu_ns: 70_000 * factor, calls: 240, ..CostRound::default() }],
    }
}

/// The same run with assignors: each rebalance has its target, those of group-hash's repeats for nothing, and from the
/// third bucket on a third of everything is read across racks.
pub(crate) fn assigned_run(number: u32) -> RunOutcome {
    let mut run = run(number);
    for lane in &mut run.lanes {
        let repeats = lane.outcome.counts.repeat;
        let mut books = AssignBooks::new(Ms::secs(7_200), Ms::ZERO, Ms::secs(720));
        let once = (Origin::Entry(1), Origin::Entry(0));
        for group in 0..12 {
            let moves = if group < 10 { 4 } else { 0 };
            books.dealt(Ms(601_000), once, Dealing { moves, disturbed: 2, same: moves == 0, needless: false });
        }
        for _ in 0..repeats {
            let again = (Origin::Entry(0), Origin::Entry(0));
            books.dealt(Ms(900_000), again, Dealing { moves: 1, disturbed: 2, same: false, needless: true });
        }
        let held = |unassigned, remote, imbalance| Held { unassigned, local: 72 - remote, remote, imbalance };
        books.held(Ms::ZERO, Ms(601_000), &held(0, 0, 0));
        books.held(Ms(601_000), Ms(606_000), &held(1, 0, 1));
        books.held(Ms(606_000), Ms(1_440_000), &held(0, 0, if repeats > 0 { 2 } else { 1 }));
        books.held(Ms(1_440_000), Ms::secs(7_200), &held(0, 24, 1));
        lane.assigned = books.close();
        lane.outcome.assigned = Some(lane.assigned.totals);
    }
    run
}

/// The same run under other names of strategies, for screens.
pub(crate) fn run_with(names: &[&str]) -> RunOutcome {
    let mut run = run(1);
    run.lanes = names.iter().enumerate().map(|(i, name)| lane(name, u32::try_from(i).unwrap() % 7)).collect();
    run
}
