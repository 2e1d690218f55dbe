//! `classic-client`: what the clients of a classic group find out, late, twice or never, beside the coordinator that
//! would have told them. The cases are reports of people who met them.

use rebalance_sim::metrics::RunOutcome;
use rebalance_sim::scenario::load_text;

use crate::support::{counts, lane, load, outcome, run, run_as, times, verdict};

/// A strategy `c`: classic-client with these switches.
fn client(switches: &str) -> String {
    format!("{{as: c, like: classic-client, {switches}}}")
}

/// The same, and the plain walk agrees to the last rebalance.
#[track_caller]
fn run_both(yaml: &str) -> RunOutcome {
    let loaded = load(yaml);
    let short = run_as(&loaded, 1, false);
    let walked = run_as(&loaded, 1, true);
    for (a, b) in short.lanes.iter().zip(&walked.lanes) {
        assert_eq!((&a.outcome, &a.bumps, &a.missed), (&b.outcome, &b.bumps, &b.missed), "{}", a.strategy);
    }
    short
}

// C01, confluentinc/librdkafka#4742: a rolling restart, and the clients rejoin at every bounce

#[test]
fn c01_a_stopped_broker_is_a_rack_that_went_for_a_client_and_nothing_for_a_coordinator() {
    let yaml = |client: &str| {
        format!(
            "brokers: 6\ntopics: {{loadgen: {{partitions: 32}}}}\ngroups: {{g1: {{members: 6, topics: [loadgen]}}}}\n\
             cluster: {{coordinators: apart}}\nhistory: [{{roll: {{at: 60s, down: 60s, gap: 2m}}}}]\n\
             strategies: [{client}, full-metadata, group-hash]\n"
        )
    };
    let null = run_both(&yaml(&client("metadata_age: 10s")));
    assert_eq!(verdict(&null, "c"), (12, 12, 0));
    let known = run_both(&yaml(&client("metadata_age: 10s, offline_rack: known")));
    assert_eq!(verdict(&known, "c"), (0, 0, 0));
    for server in ["full-metadata", "group-hash"] {
        assert_eq!(verdict(&null, server), (0, 0, 0), "{server}");
    }
    // a leader that has no rack does not look at racks (KIP-881)
    let blind = yaml(&client("metadata_age: 10s")).replace("members: 6,", "members: {m: {count: 6, rack: null}},");
    assert_eq!(verdict(&run_both(&blind), "c"), (0, 0, 0));
    assert_eq!(verdict(&run_both(&yaml(&client("metadata_age: 10s, client_rack: none"))), "c"), (0, 0, 0));
}

// C02, KAFKA-20778

#[test]
fn c02_one_bounce_is_two_rebalances_unless_racks_are_compared_by_replica() {
    let yaml = |switches: &str| {
        format!(
            "brokers: 6\ntopics: {{topic1: {{replicas: [[0, 1], [1, 2], [2, 0]]}}}}\n\
             groups: {{g: {{members: 1, topics: [topic1]}}}}\ncluster: {{coordinators: apart, leader_rebalance: off}}\n\
             history: [{{shutdown: {{at: 30s, broker: 1, for: 60s}}}}]\nduration: 10m\n\
             strategies: [{}, kafka-3.9, kafka-4.1]\n",
            client(switches)
        )
    };
    let before = run_both(&yaml("metadata_age: 10s"));
    assert_eq!(verdict(&before, "c"), (2, 2, 0));
    assert_eq!(counts(&before, "c").repeat, 0, "its clients did see another thing");
    assert_eq!(verdict(&run_both(&yaml("metadata_age: 10s, offline_rack: known")), "c"), (0, 0, 0));
    for server in ["kafka-3.9", "kafka-4.1"] {
        assert_eq!(verdict(&before, server).0, 0, "{server}");
    }
    // between two refreshes the whole bounce goes unseen
    assert_eq!(verdict(&run_both(&yaml("metadata_age: 10m")), "c"), (0, 0, 0));
}

#[test]
fn a_broker_that_comes_back_in_another_rack_is_seen_by_both_kinds_of_client() {
    let yaml = |switches: &str| {
        format!(
            "brokers: 6\ntopics: {{t: {{replicas: [[0, 1]]}}}}\ngroups: {{g: {{members: 1, topics: [t]}}}}\n\
             cluster: {{coordinators: apart}}\nhistory: [{{restart: {{at: 30s, broker: 1, down: 60s, rack: d}}}}]\n\
             strategies: [{}]\n",
            client(switches)
        )
    };
    let known = run_both(&yaml("metadata_age: 10s, offline_rack: known"));
    assert_eq!((counts(&known, "c").rebalances(), counts(&known, "c").spurious), (1, 0));
    let null = run_both(&yaml("metadata_age: 10s"));
    assert_eq!((counts(&null, "c").rebalances(), counts(&null, "c").spurious), (2, 1));
}

// C08, confluentinc/librdkafka#2261

#[test]
fn c08_members_that_ask_only_for_what_they_own_lose_and_find_a_topic_at_every_refresh() {
    let yaml = |switches: &str, phase: &str| {
        format!(
            "brokers: 1\ntopics: {{a: {{partitions: 12, rf: 1}}, b: {{partitions: 5, rf: 1}}}}\n\
             groups: {{g: {{members: 8, topics: [a, b], phase: {phase}}}}}\ncluster: {{coordinators: apart}}\n\
             duration: 61s\nstrategies: [{}, full-metadata]\n",
            client(switches)
        )
    };
    // at 9 s, 19 s, …, 59 s
    let aligned = run_both(&yaml("metadata_age: 10s, watches: owned", "4500ms"));
    assert_eq!(verdict(&aligned, "c"), (6, 6, 0));
    let apart = run_both(&yaml("metadata_age: 10s, watches: owned", "drawn"));
    let many = verdict(&apart, "c").0;
    assert!((6..=18).contains(&many) && verdict(&apart, "c").1 == many, "{many}");
    assert_eq!(verdict(&run_both(&yaml("metadata_age: 10s", "drawn")), "c").0, 0);
    assert_eq!(verdict(&aligned, "full-metadata").0, 0);
}

// C09, aio-libs/aiokafka#108

#[test]
fn c09_a_snapshot_that_keeps_the_old_topics_costs_a_second_rebalance() {
    let yaml = |switches: &str| {
        format!(
            "brokers: 3\ntopics: {{t1: {{partitions: 2}}, t2: {{partitions: 2}}}}\n\
             groups: {{g: {{members: 1, topics: [t1], phase: 0s}}}}\ncluster: {{coordinators: apart}}\n\
             history: [{{subscribe: {{at: 20s, group: g, topics: [t2]}}}}]\nduration: 1m\nstrategies: [{}, group-hash]\n",
            client(switches)
        )
    };
    let reset = run_both(&yaml("metadata_age: 10s"));
    assert_eq!((verdict(&reset, "c"), counts(&reset, "c").membership), ((1, 0, 0), 1));
    let kept = run_both(&yaml("metadata_age: 10s, snapshot: kept"));
    assert_eq!((verdict(&kept, "c"), times(&kept, "c")), ((2, 1, 0), vec![20_000, 30_000]));
    assert_eq!(verdict(&reset, "group-hash").0, 1);
}

// C18, KAFKA-13435 and KIP-814

#[test]
fn c18_a_static_leader_that_came_back_watches_again_since_kip_814() {
    let yaml = |switches: &str, grow: &str| {
        format!(
            "brokers: 3\ntopics: {{t: {{partitions: 6}}}}\ngroups: {{g: {{members: 1, static: true, topics: [t]}}}}\n\
             cluster: {{coordinators: apart}}\nhistory:\n  - restart-member: {{at: 60s, group: g, for: 20s}}\n  \
             - add-partitions: {{at: {grow}, topic: t, to: 9}}\nduration: 20m\nstrategies: [{}, group-hash]\n",
            client(switches)
        )
    };
    let before = run_both(&yaml("static_leader: forgets", "120s"));
    assert_eq!(verdict(&before, "c"), (0, 0, 1));
    let since = run_both(&yaml("static_leader: watches", "120s"));
    assert_eq!((verdict(&since, "c"), counts(&since, "c").late), ((1, 0, 0), 1));
    let at = times(&since, "group-hash");
    assert!(at.len() == 1 && at[0] <= 125_000, "{at:?}");
    // what changes while it is away is in its new snapshot, and in nobody's assignment
    assert_eq!(verdict(&run_both(&yaml("static_leader: watches", "70s")), "c"), (0, 0, 1));
}

// C19, Blizzard/node-rdkafka#898

#[test]
fn c19_every_group_finds_new_partitions_and_a_session_shorter_than_a_heartbeat_is_refused() {
    let yaml = "brokers: 3\ntopics: {t: {partitions: 16}}\ngroups: {g: {count: 4, members: 12, static: true, topics: [t]}}\n\
                cluster: {coordinators: apart}\nhistory: [{add-partitions: {at: 100s, topic: t, to: 28}}]\nduration: 15m\n\
                strategies: [classic-client, group-hash]\n";
    let run = run_both(yaml);
    assert_eq!((verdict(&run, "classic-client"), counts(&run, "classic-client").late), ((4, 0, 0), 4));
    assert!(times(&run, "classic-client").iter().all(|at| (100_000..=400_000).contains(at)));
    assert!(times(&run, "group-hash").iter().all(|at| *at <= 105_000));
    let wrong = yaml.replace("static: true,", "static: true, heartbeat: 15s, session: 3s,");
    let said = load_text("case", &wrong, &[]).expect_err("a session of three seconds").to_string();
    assert!(
        said.contains("heartbeat") && said.contains("session") && said.contains("15s") && said.contains("3s"),
        "{said}"
    );
}

// C20, segmentio/kafka-go#646

#[test]
fn c20_a_noticed_change_is_a_new_generation() {
    let run = run_both(
        "brokers: 3\ntopics: {t: {partitions: 1}}\ngroups: {g: {members: 2, topics: [t]}}\n\
         cluster: {coordinators: apart}\nhistory: [{add-partitions: {at: 30s, topic: t, to: 3}}]\n\
         strategies: [{as: c, like: classic-client, metadata_age: 5s}, group-hash]\n",
    );
    for strategy in ["c", "group-hash"] {
        assert_eq!((verdict(&run, strategy), lane(&run, strategy).groups[0].epoch), ((1, 0, 0), 2), "{strategy}");
    }
}

// C21, segmentio/kafka-go#1351

#[test]
fn c21_a_leader_that_watches_its_own_topics_alone_misses_the_others() {
    let yaml = |switches: &str| {
        format!(
            "brokers: 3\ntopics: {{A: {{partitions: 2}}, B: {{partitions: 2}}}}\n\
             groups: {{g: {{members: {{m1: {{topics: [A]}}, m2: {{topics: [B]}}}}}}}}\ncluster: {{coordinators: apart}}\n\
             history: [{{add-partitions: {{at: 40s, topic: B, to: 4}}}}]\nduration: 15m\nstrategies: [{}, full-metadata]\n",
            client(switches)
        )
    };
    let own = run_both(&yaml("watches: own"));
    assert_eq!(verdict(&own, "c"), (0, 0, 1));
    assert_eq!(verdict(&run_both(&yaml("watches: union")), "c"), (1, 0, 0));
    assert_eq!(verdict(&own, "full-metadata"), (1, 0, 0));
}

// C22, segmentio/kafka-go#800

#[test]
fn c22_a_topic_that_comes_later_is_one_rebalance_and_its_absence_none() {
    let run = run_both(
        "brokers: 3\ntopics: {other: {}}\ngroups: {g: {members: 1, topics: [orders], phase: 0s}}\n\
         cluster: {coordinators: apart}\nhistory: [{create-topic: {at: 30s, name: orders, partitions: 6}}]\n\
         strategies: [{as: c, like: classic-client, metadata_age: 20s}, group-hash]\n",
    );
    assert_eq!((times(&run, "c"), times(&run, "group-hash")), (vec![40_000], vec![30_000]));
}

// C23, confluentinc/librdkafka#3615

#[test]
fn c23_what_a_coordinator_tells_in_a_heartbeat_waits_for_a_clients_refresh_and_is_merged() {
    let run = run_both(
        "brokers: 3\ntopics: {other: {}}\ngroups: {g: {members: 3, topics: [t1, t2, t3]}}\n\
         cluster: {coordinators: apart}\nhistory:\n  - create-topic: {at: 10s, name: t1, as: one}\n  \
         - create-topic: {at: 40s, name: t2, as: two}\n  - create-topic: {at: 70s, name: t3, as: three}\nduration: 15m\n\
         strategies: [classic-client, group-hash]\n",
    );
    assert_eq!(verdict(&run, "group-hash").0, 3);
    assert!(outcome(&run, "group-hash").delay_ms_max.unwrap() <= 5_000);
    let client = outcome(&run, "classic-client");
    assert!((1..=3).contains(&client.counts.rebalances()) && client.counts.spurious == 0, "{client:?}");
    let slowest = client.delay_ms_max.unwrap();
    assert!(slowest > 5_000 && slowest <= 300_000, "{slowest}");
}

// C40, KAFKA-7126

#[test]
fn c40_one_new_topic_is_found_by_every_member_unless_all_refresh_when_one_rejoins() {
    let phases: Vec<String> = (0..100).map(|i| format!("{}ms", i * 50)).collect();
    let yaml = |switches: &str| {
        format!(
            "brokers: 3\ntopics: {{events-1: {{}}}}\ngroups: {{g: {{members: 100, pattern: \"events-.*\", phase: [{}]}}}}\n\
             cluster: {{coordinators: apart}}\nhistory: [{{create-topic: {{at: 1000s, name: events-2}}}}]\nduration: 30m\n\
             strategies: [{}, group-hash]\n",
            phases.join(", "),
            client(switches)
        )
    };
    let each = run_both(&yaml("pattern_rejoin: keeps"));
    let (many, spurious, missed) = verdict(&each, "c");
    // all but the leader, which refreshes when the first of them brings it a topic that it does not watch yet
    assert_eq!((many, spurious, missed), (99, 98, 0));
    let once = run_both(&yaml("pattern_rejoin: refreshes"));
    assert_eq!(verdict(&once, "c"), (1, 0, 0));
    // refreshes at 3 s, 6 s, … of every five minutes
    assert_eq!(times(&once, "c"), [1_002_000]);
    assert_eq!(verdict(&once, "group-hash").0, 1);
}

// and what no report says, but follows

#[test]
fn a_change_while_the_coordinator_is_away_waits_for_it() {
    let run = run_both(
        "brokers: 3\ntopics: {t: {partitions: 2}}\ngroups: {g: {members: 1, topics: [t], phase: 0s}}\n\
         cluster: {coordinators: apart}\nhistory:\n  - add-partitions: {at: 55s, topic: t, by: 1}\n  \
         - move-coordinator: {at: 50s, shard: all, load: 30s}\nduration: 5m\n\
         strategies: [{as: c, like: classic-client, metadata_age: 20s}]\n",
    );
    // seen at the refresh of 60 s, done when the load ends
    assert_eq!((times(&run, "c"), verdict(&run, "c")), (vec![80_000], (1, 0, 0)));
}

#[test]
fn a_join_that_the_leaders_old_metadata_serves_leaves_a_change_open() {
    // partitions are added at 30 s; a member joins at 60 s, and the leader assigns with what it knew at 0 s; its refresh
    // at 100 s finds them, and that is no needless rebalance
    let run = run_both(
        "brokers: 3\ntopics: {t: {partitions: 2}}\ngroups: {g: {members: 1, topics: [t], phase: 0s}}\n\
         cluster: {coordinators: apart}\nhistory:\n  - add-partitions: {at: 30s, topic: t, by: 1}\n  \
         - join: {at: 60s, group: g}\nduration: 5m\n\
         strategies: [{as: c, like: classic-client, metadata_age: 100s}, group-hash]\n",
    );
    let c = counts(&run, "c");
    assert_eq!((times(&run, "c"), c.membership, c.late, c.spurious, c.missed), (vec![60_000, 100_000], 1, 1, 0, 0));
}

#[test]
fn when_the_leader_goes_another_one_watches() {
    let run = run_both(
        "brokers: 3\ntopics: {t: {partitions: 2}}\ngroups: {g: {members: 3, topics: [t]}}\n\
         cluster: {coordinators: apart}\nhistory:\n  - kill: {at: 30s, group: g, member: g-1}\n  \
         - add-partitions: {at: 10m, topic: t, by: 1}\nduration: 20m\nstrategies: [classic-client]\n"
            .replace("g-1", "m-1")
            .as_str(),
    );
    let c = counts(&run, "classic-client");
    assert_eq!((c.membership, c.late, c.missed), (1, 1, 0));
}

#[test]
fn the_plain_walk_agrees_over_everything_that_can_happen() {
    let yaml = |switches: &str, seed: u32| {
        format!(
            "seed: {seed}\nbrokers: 6\ntopics: {{t: {{count: 10, partitions: 1..6}}, events: {{count: 4}}}}\ngroups:\n  \
             g: {{count: 20, members: 1..5, topics: 3 of t}}\n  s: {{count: 5, members: 3, static: true, topics: 2 of t}}\n  \
             p: {{count: 5, members: 1..4, pattern: \"events-.*\"}}\nhistory:\n  - crash: {{rate: 1/2h per broker, for: 5m}}\n  \
             - add-partitions: {{every: 20m, topic: any, by: 1}}\n  - create-topic: {{at: 2h, name: events-new}}\n  \
             - delete-topic: {{at: 3h, topic: events-2}}\n  - restart-member: {{rate: 2/hour per group, group: s-*, for: 20s}}\n  \
             - restart-member: {{rate: 1/hour per group, group: g-*, for: 40s, as: dynamic}}\n  \
             - kill: {{rate: 1/5h per group, group: p-*}}\n  - roll: {{at: 4h, racks: {{a: d}}}}\n  \
             - subscribe: {{at: 5h, group: g-1, topics: [t-1, t-2]}}\nduration: 8h\nstrategies: [{}]\n",
            client(switches)
        )
    };
    let all = [
        "metadata_age: 5m",
        "metadata_age: 7s, offline_rack: known",
        "watches: owned, pattern_rejoin: keeps",
        "watches: own, static_leader: forgets, snapshot: kept",
    ];
    for (seed, switches) in (1..).zip(all) {
        let run = run_both(&yaml(switches, seed));
        let c = counts(&run, "c");
        assert!(c.membership > 0 && c.needed + c.late > 0, "{switches}: {c:?}");
    }
}

#[test]
fn other_lanes_are_what_they_are_without_it() {
    let yaml = |strategies: &str| {
        format!(
            "brokers: 6\ntopics: {{t: {{count: 10}}}}\ngroups: {{g: {{count: 20, topics: 3 of t}}}}\n\
             history: [{{roll: {{at: 10m, racks: {{a: d}}}}}}]\nstrategies: [{strategies}]\n"
        )
    };
    let (with, without) = (run(&yaml("classic-client, kafka-4.1")), run(&yaml("kafka-4.1")));
    assert_eq!(lane(&with, "kafka-4.1").bumps, lane(&without, "kafka-4.1").bumps);
    assert_eq!(outcome(&with, "kafka-4.1"), outcome(&without, "kafka-4.1"));
}
