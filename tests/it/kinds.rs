//! Share and streams groups (KIP-932, KIP-1071) beside consumer groups: what their coordinators do otherwise. Each small
//! run is walked heartbeat by heartbeat as well.

use rebalance_sim::coordinator::{RecordType, Written};
use rebalance_sim::kafka::GroupId;
use rebalance_sim::metrics::{Bump, LaneOutcome, RunOutcome};
use rebalance_sim::scenario::load_text;
use rebalance_sim::sim::Ms;

use crate::support::{lane, problems, run_as};

const ALL: &str =
    "strategies: [full-metadata, partition-count, topic-hash, group-hash, group-hash-uncached, delta-flag]\n";

/// The whole outcome, the same by the arithmetic and by the plain walk.
fn outcome(text: &str) -> RunOutcome {
    let cluster = "cluster: {coordinators: apart, offsets_partitions: 1}\nbrokers: 6\n";
    let text = if text.contains("cluster:") { text.to_owned() } else { format!("{cluster}{text}") };
    let loaded = load_text("kinds", &text, &[]).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
    let (short, walked) = (run_as(&loaded, 1, false), run_as(&loaded, 1, true));
    for (a, b) in short.lanes.iter().zip(&walked.lanes) {
        assert_eq!(rows(a), rows(b), "the plain walk agrees");
    }
    short
}

fn rows(lane: &LaneOutcome) -> String {
    let mut lane = lane.clone();
    lane.costs.clear();
    format!("{lane:?}")
}

/// `65000 needed` of one group, in order.
fn bumps(run: &RunOutcome, strategy: &str, group: &str) -> Vec<String> {
    let id = GroupId::at(run.groups.iter().position(|name| name == group).unwrap());
    let own = lane(run, strategy).bumps.iter().filter(|bump| bump.group == id);
    own.map(|Bump { at: Ms(at), verdict, .. }| format!("{at} {}", verdict.name())).collect()
}

fn written(run: &RunOutcome, strategy: &str, kind: RecordType) -> Written {
    *lane(run, strategy).log.appended.of(kind)
}

#[test]
fn a_share_group_rebalances_for_the_topic_and_again_for_its_new_partitions() {
    let run = outcome(&format!(
        "topics: {{t: {{partitions: 4}}}}\n\
         groups: {{q: {{members: 2, topics: [t], protocol: share, phase: [0s, 1s]}}}}\n\
         history: [add-partitions: {{at: 62s, topic: t, by: 2}}]\n{ALL}"
    ));
    // 65 s sees the topic and asks, 65.1 s has the answer, 66 s hands out: in every lane
    for lane in &run.lanes {
        assert_eq!(bumps(&run, &lane.strategy, "q"), ["65000 needed", "66000 membership"], "{}", lane.strategy);
        assert_eq!(lane.outcome.initialised, 1);
        let state = lane.log.appended.of(RecordType::ShareStatePartitionMetadata);
        assert_eq!(state.records, 2, "asked for, and there");
    }
}

#[test]
fn a_flag_that_misses_a_recreated_topic_finds_its_partitions_initialised() {
    let run = outcome(
        "topics: {t: {partitions: 4}}\n\
         groups:\n  q: {members: 1, topics: [t], protocol: share, phase: 0s}\n  c: {members: 1, topics: [t], phase: 0s}\n\
         history: [delete-topic: {at: 62s, topic: t, as: gone}, create-topic: {at: 82s, topic: t, partitions: 4, as: again}]\n\
         strategies: [delta-flag]\n",
    );
    assert_eq!(bumps(&run, "delta-flag", "c"), ["85000 late"]);
    assert_eq!(bumps(&run, "delta-flag", "q"), ["85000 late", "90000 membership"]);
}

#[test]
fn the_hash_of_share_and_streams_groups_takes_its_eight_bytes_even_where_it_is_none() {
    let group =
        |name: &str, protocol: &str| format!("  {name}: {{members: 1, topics: [nowhere], start: empty{protocol}}}\n");
    let groups = [group("c", ""), group("q", ", protocol: share"), group("a", ", protocol: streams")].concat();
    let run = outcome(&format!(
        "duration: 1m\ntopics: {{t: {{partitions: 4}}}}\ngroups:\n{groups}\
         strategies: [kafka-4.0, kafka-4.1, kafka-4.2, kip-1101-v1, kip-1101-v2, kip-1101-v3]\n"
    ));
    let sizes = |strategy: &str| {
        [RecordType::GroupMetadata, RecordType::ShareGroupMetadata, RecordType::StreamsGroupMetadata].map(|kind| {
            let Written { records, bytes, .. } = written(&run, strategy, kind);
            assert_eq!(records, 1, "{strategy}");
            // type, length and the one letter of the name
            bytes - 5
        })
    };
    // a hash of 0 is left out where it is a tag; 4.2 tells of the settings as well
    assert_eq!(sizes("kafka-4.1"), [7, 15, 15]);
    assert_eq!(sizes("kafka-4.2"), [7, 15, 15 + 27]);
    assert_eq!(sizes("kip-1101-v3"), [7, 15, 15]);
    for without in ["kafka-4.0", "kip-1101-v1", "kip-1101-v2"] {
        assert_eq!(sizes(without), [7, 7, 7], "{without}");
    }
}

#[test]
fn a_streams_group_looks_again_at_every_heartbeat_until_it_rebalances() {
    let run = outcome(
        "duration: 20m\ntopics: {t: {partitions: 4}}\n\
         groups:\n  a: {members: 2, topics: [t], protocol: streams, internal: [s-changelog], phase: [0s, 1s]}\n  \
         c: {members: 2, topics: [t], phase: [0s, 1s]}\n\
         history:\n  - touch: {at: 62s, topic: t}\n  - add-partitions: {at: 602s, topic: t, by: 1}\n\
         strategies: [full-metadata, group-hash, group-hash-uncached, delta-flag]\n",
    );
    // the consumer group looks at 65 and 605 s; the streams group at 65, 66, 70, 71 … 600, 601 s, and at 605 s
    let looks = 2 + 2 * 108 + 1;
    for strategy in ["full-metadata", "group-hash", "group-hash-uncached"] {
        assert_eq!(lane(&run, strategy).outcome.refreshes, looks, "{strategy}");
        assert_eq!(bumps(&run, strategy, "a"), ["605000 needed"], "{strategy}");
    }
    assert_eq!(lane(&run, "delta-flag").outcome.refreshes, 2);
    // from the cache, all but t twice; without it both topics every time, and the consumer group's one
    assert_eq!(lane(&run, "group-hash").outcome.topics_hashed, 2);
    assert_eq!(lane(&run, "group-hash-uncached").outcome.topics_hashed, 2 + 2 * (2 * 108 + 1));
}

#[test]
fn a_streams_group_that_has_formed_looks_until_it_rebalances_again() {
    let run = outcome(
        "duration: 3m\ntopics: {t: {partitions: 4}}\n\
         groups:\n  a: {members: 1, topics: [t], protocol: streams, start: empty}\n\
         history:\n  - restart-member: {at: 62s, group: a, member: any, for: 10s}\n  - touch: {at: 122s, topic: t}\n\
         strategies: [kafka-4.1, kafka-4.2, delta-flag]\n",
    );
    // 4.1 stores no hash when its only member leaves; since it is due, the return stores it, and the touch tells nothing
    for strategy in ["kafka-4.1", "kafka-4.2"] {
        assert_eq!(bumps(&run, strategy, "a").len(), 3, "{:?}", bumps(&run, strategy, "a"));
        assert!(lane(&run, strategy).outcome.refreshes > 10, "{}", lane(&run, strategy).outcome.refreshes);
    }
    assert!(lane(&run, "delta-flag").outcome.refreshes < 5);
}

#[test]
fn from_4_3_on_a_group_of_one_pattern_waits_until_it_matches() {
    let run = outcome(
        "duration: 3m\ntopics: {t: {partitions: 4}}\n\
         groups:\n  p: {members: 1, pattern: \"new-.*\", start: empty}\n\
         history: [create-topic: {at: 62s, topic: new-1, partitions: 4}]\n\
         strategies: [kafka-4.2, kafka-4.3]\n",
    );
    let (before, since) = (bumps(&run, "kafka-4.2", "p"), bumps(&run, "kafka-4.3", "p"));
    assert_eq!((before.len(), since.len()), (2, 1), "{before:?} {since:?}");
    assert_eq!(before.last(), since.last());
}

#[test]
fn a_load_makes_a_streams_group_look_at_every_heartbeat_too() {
    let run = outcome(
        "duration: 10m\ntopics: {t: {partitions: 4}}\n\
         groups: {a: {members: 1, topics: [t], protocol: streams, phase: 0s}}\n\
         history: [move-coordinator: {at: 62s, shard: all, load: 1s}]\nstrategies: [kafka-4.1, kip-1101-v1]\n",
    );
    // 65, 70 … 595 s
    assert_eq!(lane(&run, "kafka-4.1").outcome.refreshes, 107);
    assert_eq!(lane(&run, "kip-1101-v1").outcome.refreshes, 0);
    assert!(run.lanes.iter().all(|lane| lane.outcome.counts.rebalances() == 0));
}

#[test]
fn what_an_application_writes_for_itself_counts_for_it_alone() {
    let run = outcome(&format!(
        "topics: {{t: {{partitions: 4}}}}\n\
         groups:\n  a: {{count: 2, members: 1, topics: [t], protocol: streams, internal: [by-x-repartition, s-changelog], phase: 0s}}\n  \
         c: {{members: 1, topics: [t], phase: 0s}}\n\
         history: [add-partitions: {{at: 62s, topic: [a-1-s-changelog, a-2-by-x-repartition], by: 1}}]\n{ALL}"
    ));
    for lane in &run.lanes {
        let of = |group| bumps(&run, &lane.strategy, group);
        assert_eq!(
            (of("a-1"), of("a-2"), of("c").len()),
            (vec!["65000 needed".into()], vec!["65000 needed".into()], 0)
        );
    }
    // t, and two of its own
    assert_eq!(run.lanes[0].groups.iter().map(|group| group.topics).collect::<Vec<_>>(), [3, 3, 1]);
}

#[test]
fn a_streams_group_that_loses_a_member_stores_what_it_had_and_tells_a_change_twice() {
    let run = outcome(
        "duration: 5m\ntopics: {t: {partitions: 4}}\n\
         groups:\n  a: {members: 2, topics: [t], protocol: streams, phase: [0s, 1s]}\n  \
         c: {members: 2, topics: [t], phase: [0s, 1s]}\n  q: {members: 2, topics: [t], protocol: share, phase: [0s, 1s]}\n\
         history:\n  - add-partitions: {at: 62s, topic: t, by: 1}\n  - leave: {at: 63s, group: all, member: m-1}\n\
         strategies: [group-hash, full-metadata]\n",
    );
    for strategy in ["group-hash", "full-metadata"] {
        // the leave's rebalance already assigns what is there; the stored value says so one heartbeat later
        assert_eq!(bumps(&run, strategy, "a"), ["63000 membership", "66000 repeat"], "{strategy}");
        assert_eq!(bumps(&run, strategy, "c"), ["63000 membership"], "{strategy}");
        // its new partitions are asked for at 66 s
        assert_eq!(bumps(&run, strategy, "q"), ["63000 membership", "71000 membership"], "{strategy}");
    }
}

#[test]
fn a_member_that_joins_a_streams_group_rebalances_it_unread() {
    let run = outcome(
        "duration: 5m\ntopics: {t: {partitions: 4}}\n\
         groups:\n  a: {members: 1, topics: [t], protocol: streams, phase: 0s}\n\
         history: [join: {at: 62s, group: a}]\nstrategies: [group-hash-uncached]\n",
    );
    assert_eq!(bumps(&run, "group-hash-uncached", "a"), ["62000 membership"]);
    assert_eq!(lane(&run, "group-hash-uncached").outcome.topics_hashed, 0);
}

#[test]
fn who_leaves_a_share_group_of_4_1_costs_it_two_rebalances_unless_its_partitions_were_shared() {
    let text = |partitions: u32| {
        format!(
            "duration: 5m\ntopics: {{t: {{partitions: {partitions}}}}}\n\
             groups: {{q: {{members: 3, topics: [t], protocol: share, phase: [0s, 1s, 2s]}}}}\n\
             history: [leave: {{at: 63s, group: q, member: m-1}}]\nstrategies: [kafka-4.1, kafka-4.2, kafka-4.3, kip-1101-v3]\n"
        )
    };
    let (own, shared) = (outcome(&text(3)), outcome(&text(2)));
    for strategy in ["kafka-4.1", "kafka-4.2"] {
        assert_eq!(bumps(&own, strategy, "q"), ["63000 membership", "66000 spurious"], "{strategy}");
    }
    for strategy in ["kafka-4.3", "kip-1101-v3"] {
        assert_eq!(bumps(&own, strategy, "q"), ["63000 membership"], "{strategy}");
    }
    assert!(shared.lanes.iter().all(|lane| lane.outcome.counts.rebalances() == 1));
}

/// KAFKA-20291 (C39): while a target is being made a share group must not rebalance at every heartbeat.
#[test]
fn a_share_group_of_4_3_rebalances_once_a_join_and_what_is_initialised_meanwhile_goes_with_the_next() {
    let run = outcome(
        "topics: {t: {partitions: 200}}\n\
         groups: {q: {members: 0, topics: [t], protocol: share, start: empty}}\n\
         history: [join: {at: 10s, group: q, members: 100, over: 2s}]\nstrategies: [kafka-4.3]\n",
    );
    let counts = lane(&run, "kafka-4.3").outcome.counts;
    assert_eq!((counts.membership, counts.spurious, lane(&run, "kafka-4.3").outcome.initialised), (100, 0, 0));
}

#[test]
fn an_answer_that_a_failover_swallows_is_asked_for_again_after_thirty_seconds_or_ten() {
    let run = outcome(
        "duration: 5m\ncluster: {coordinators: apart, offsets_partitions: 1, share_init: 3s}\nbrokers: 6\n\
         topics: {t: {partitions: 4}}\n\
         groups: {q: {members: 1, topics: [t], protocol: share, phase: 0s}}\n\
         history:\n  - add-partitions: {at: 62s, topic: t, by: 1}\n  - move-coordinator: {at: 66s, shard: all, load: 1s}\n\
         strategies: [kafka-4.1, kafka-4.2]\n",
    );
    // asked for at 65 s, loaded at 67 s, asked again at the first heartbeat from 97 s (4.1: 77 s), there three later
    assert_eq!(bumps(&run, "kafka-4.2", "q"), ["65000 needed", "105000 membership"]);
    assert_eq!(bumps(&run, "kafka-4.1", "q"), ["65000 needed", "85000 membership"]);
}

#[test]
fn an_upgrade_from_4_1_to_4_2_rebalances_every_streams_group_once_and_nobody_else() {
    let run = outcome(
        "cluster: {version: kafka-4.1, offsets_partitions: 6}\nbrokers: 6\ntopics: {t: {count: 4, partitions: 4}}\n\
         groups:\n  c: {count: 10, members: 2, topics: 1 of t}\n  q: {count: 10, members: 2, topics: 1 of t, protocol: share}\n  \
         a: {count: 10, members: 2, topics: 1 of t, protocol: streams, internal: [s-changelog]}\n\
         history: [roll: {at: 10m, to: kafka-4.2, as: saturday}]\nstrategies: [as-deployed]\n",
    );
    let lane = lane(&run, "as-deployed");
    for (name, group) in run.groups.iter().zip(lane.groups.iter()) {
        let wanted = u64::from(name.starts_with("a-"));
        assert_eq!(
            (group.counts.rebalances(), group.counts.spurious, group.counts.repeat),
            (wanted, wanted, 0),
            "{name}"
        );
    }
    assert_eq!(lane.causes.len(), 1);
}

#[test]
fn an_empty_share_group_stays_and_an_empty_streams_group_goes_with_its_topology() {
    let run = outcome(
        "duration: 3h\ncluster: {coordinators: apart, offsets_partitions: 1, retention: 1h}\nbrokers: 6\n\
         topics: {t: {partitions: 4}}\n\
         groups:\n  a: {members: 1, topics: [t], protocol: streams}\n  c: {members: 1, topics: [t]}\n  \
         q: {members: 1, topics: [t], protocol: share}\n\
         history: [leave: {at: 1m, group: all, member: all}]\nstrategies: [kafka-4.1]\n",
    );
    let lane = lane(&run, "kafka-4.1");
    assert_eq!((lane.outcome.groups_end, lane.outcome.groups_empty_end), (1, 1));
    let tombstones = |kind| lane.log.appended.of(kind).tombstones;
    assert_eq!([RecordType::StreamsTopology, RecordType::StreamsGroupMetadata].map(tombstones), [1, 1]);
    assert_eq!(tombstones(RecordType::ShareGroupMetadata), 0);
    assert_eq!(lane.log.live.of(RecordType::ShareStatePartitionMetadata).records, 1);
}

#[test]
fn what_a_protocol_does_not_know_is_told_where_it_stands() {
    let with =
        |group: &str| problems(&format!("topics: {{t: {{partitions: 4}}}}\ngroups:\n  g: {{members: 2, {group}}}\n"));
    for (group, told) in [
        ("protocol: streams", "groups.g: this streams group has no source topics"),
        ("protocol: streams, pattern: t", "groups.g.pattern: a streams group subscribes to topics by their names"),
        ("protocol: share, topics: [t], static: true", "groups.g.static: a share group has no static members in Kafka"),
        (
            "protocol: share, topics: [t], assignor: range",
            "groups.g.assignor: a share group has an assignor of its own",
        ),
        ("protocol: share, topics: [t], internal: [x-changelog]", "groups.g.internal: only a streams group has topics"),
        ("topics: [t], internal: [x-changelog]", "and this is a consumer group"),
        ("protocol: streams, topics: [t], internal: [counts]", "groups.g.internal[0]: `counts` is no name"),
        ("protocol: classic, topics: [t]", "groups.g.protocol: a coordinator looks after no topics of classic groups"),
        ("protocol: queue, topics: [t]", "groups.g.protocol: protocol cannot be `queue`"),
    ] {
        let found = with(group);
        assert!(found.contains(told), "{group}\n{found}");
    }
}

#[test]
fn what_kafka_refuses_is_left_out_and_counted() {
    let run = outcome(
        "topics: {t: {partitions: 4}, u: {partitions: 4}}\n\
         groups:\n  a: {members: 2, topics: [t], protocol: streams}\n  q: {members: 2, topics: [t], protocol: share}\n\
         history:\n  - subscribe: {at: 1m, group: a, member: all, topics: [u]}\n  - join: {at: 2m, group: q, static: true, as: fixed}\n  \
         - join: {at: 3m, group: all, pattern: t, as: by-pattern}\nstrategies: [kafka-4.1]\n",
    );
    assert_eq!(lane(&run, "kafka-4.1").outcome.counts.rebalances(), 0);
    let told = run.notes.join("\n");
    for why in ["topology does not change", "has no static members", "knows no patterns"] {
        assert!(told.contains(why), "{told}");
    }
}

#[test]
fn a_streams_group_of_4_1_forgets_its_hash_when_a_member_leaves() {
    let run = outcome(
        "duration: 5m\ntopics: {t: {partitions: 4}}\n\
         groups: {a: {members: 2, topics: [t], protocol: streams, phase: [0s, 1s]}}\n\
         history:\n  - leave: {at: 62s, group: a, member: m-1}\n  - touch: {at: 102s, topic: t}\n\
         strategies: [kafka-4.1, kafka-4.2]\n",
    );
    assert_eq!(bumps(&run, "kafka-4.1", "a"), ["62000 membership", "106000 repeat"]);
    assert_eq!(bumps(&run, "kafka-4.2", "a"), ["62000 membership"]);
}
