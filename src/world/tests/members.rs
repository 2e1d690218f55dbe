//! What members do, and what becomes of it where nobody answers (model: K.4, K.7).

use super::told;
use crate::kafka::SubscriptionId;
use crate::scenario::{Group, Member, Members, Phase, Pick, ShardPick, Span, TopicPick, Verb, When};
use crate::sim::Ms;
use crate::world::history::{Happening, History, Presence, RefusedOperation, Step};
use crate::world::testing::{Build, cluster, named};

/// One group of so many members whose first heartbeats are at 1 s, 2 s, …; one shard, apart.
fn group(members: u32) -> Build {
    let phases = (1..=u64::from(members)).map(Ms::secs).collect();
    let one_shard = |s: &mut crate::scenario::Scenario| {
        s.cluster.offsets_partitions = 1;
        s.duration = Ms::secs(1000);
    };
    cluster()
        .apart()
        .topic("t", 1, 1)
        .group("g", members, &["t"])
        .with_group("g", |g| g.phase = Phase::Each(phases))
        .with(one_shard)
}

/// The shard does not answer from a second on, for so long.
fn outage(build: Build, second: u64, seconds: u64) -> Build {
    let verb = Verb::MoveCoordinator { shards: ShardPick::All, to: None, load: Some(Ms::secs(seconds)) };
    build.at(second, &format!("outage-{second}"), verb)
}

fn leave(member: &str) -> Verb {
    Verb::Leave { groups: named("g"), members: named(member) }
}

fn kill(member: &str) -> Verb {
    Verb::Kill { groups: named("g"), members: named(member) }
}

fn join(count: u32, leave_after: Option<u64>) -> Verb {
    Verb::Join {
        groups: named("g"),
        members: Span::just(count),
        topics: None,
        pattern: None,
        rack: None,
        is_static: None,
        leave_after: leave_after.map(|s| Span::just(Ms::secs(s))),
    }
}

fn restart(member: &str, away: u64) -> Verb {
    Verb::RestartMember { groups: named("g"), members: named(member), away: Span::just(Ms::secs(away)) }
}

fn subscribe(member: &str, topics: &[&str]) -> Verb {
    let topics = TopicPick::These(topics.iter().map(|t| (*t).to_owned()).collect());
    Verb::Subscribe { groups: named("g"), members: named(member), topics: Some(topics), pattern: None }
}

fn members_only(history: &History) -> Vec<(u64, String)> {
    told(history).into_iter().filter(|(_, text)| !text.starts_with("Shard")).collect()
}

fn plain(history: &History) -> Vec<(u32, u64, u64)> {
    history.presences.iter().map(|Presence { member, first, until }| (member.0, first.0, until.0)).collect()
}

#[test]
fn standing_members_heartbeat_from_their_phase_to_the_end() {
    let history = group(2).make();
    assert_eq!(plain(&history), [(0, 1000, 1_000_000), (1, 2000, 1_000_000)]);
    assert!(history.events.is_empty());
    assert!(history.groups[0].stands && history.members.iter().all(|m| m.standing));
    let drawn = cluster().group("g", 100, &["t"]).make();
    assert!(drawn.presences.iter().all(|p| p.first < Ms::secs(5)));
}

#[test]
fn a_leave_ends_the_heartbeats_of_a_member_at_its_instant() {
    let history = group(2).at(11, "bye", leave("m-1")).make();
    assert_eq!(members_only(&history), [(11_000, "Leave((0))".into())]);
    assert_eq!(plain(&history)[0], (0, 1000, 11_000), "none at the leave, which comes before heartbeats");
}

#[test]
fn a_dead_member_expires_a_session_after_its_last_heartbeat() {
    // heartbeats at 1, 6, 11, …; killed at 13
    let history = group(2).at(13, "death", kill("m-1")).make();
    assert_eq!(members_only(&history), [(13_000, "Silent((0))".into()), (56_000, "Expire((0))".into())]);
    assert!(history.events.iter().all(|e| e.entry == Some(0)));
    let at_a_heartbeat = group(2).at(11, "death", kill("m-1")).make();
    assert_eq!(members_only(&at_a_heartbeat)[1].0, 51_000, "the one at 11 is not sent");
    let before_any =
        group(2).with(|s| s.groups[0].phase = Phase::Each(vec![Ms::secs(30)])).at(13, "death", kill("m-1"));
    assert_eq!(members_only(&before_any.make())[1].0, 45_000, "it joined at 0 and was never heard again");
}

#[test]
fn nobody_expires_before_a_full_session_after_a_load() {
    let at = |build: Build| members_only(&build.make()).last().unwrap().clone();
    // a load during the countdown, one over its end, and one between the last heartbeat and the death
    assert_eq!(at(outage(group(2).at(13, "death", kill("m-1")), 20, 10)), (75_000, "Expire((0))".into()));
    assert_eq!(at(outage(group(2).at(13, "death", kill("m-1")), 50, 100)), (195_000, "Expire((0))".into()));
    assert_eq!(at(outage(group(2).at(13, "death", kill("m-1")), 12, 0)), (57_000, "Expire((0))".into()));
    // a failover at the instant at which it would have expired
    assert_eq!(at(outage(group(2).at(13, "death", kill("m-1")), 56, 0)), (101_000, "Expire((0))".into()));
}

#[test]
fn a_leave_that_nobody_answers_is_lost_and_the_member_expires() {
    let history = outage(group(2), 20, 10).at(25, "bye", leave("m-1")).make();
    assert_eq!(members_only(&history), [(25_000, "Silent((0))".into()), (75_000, "Expire((0))".into())]);
    let member = crate::kafka::MemberId(0);
    assert_eq!(history.refused, [RefusedOperation { at: Ms(25_000), member, heartbeat: false }]);
}

#[test]
fn a_join_that_nobody_answers_is_carried_by_the_next_heartbeat_that_is_answered() {
    let history = outage(group(1), 20, 12).at(25, "more", join(1, None)).make();
    // refused at 25 and 30; accepted at 35, and from there every 5 s
    assert_eq!(members_only(&history), [(35_000, "Join((1))".into())]);
    let join = history.events.iter().find(|e| matches!(e.what, Happening::Join(_))).unwrap();
    assert_eq!((join.step, join.entry), (Step::Heartbeat, Some(1)));
    assert!(history.names.members.iter().eq(["m-1", "more-1-1"]));
    assert_eq!(
        history.refused.iter().map(|r| (r.at.0, r.heartbeat)).collect::<Vec<_>>(),
        [(25_000, true), (30_000, true)]
    );
    assert_eq!(plain(&history)[1], (1, 40_000, 1_000_000));
}

#[test]
fn joiners_heartbeat_from_their_join_and_leave_when_their_time_is_up() {
    let history = group(1).at(20, "more", join(2, Some(60))).make();
    assert!(history.names.members.iter().eq(["m-1", "more-1-1", "more-1-2"]));
    let expected = [(20_000, "Join((1))"), (20_000, "Join((2))"), (80_000, "Leave((1))"), (80_000, "Leave((2))")];
    assert_eq!(members_only(&history), expected.map(|(at, what)| (at, what.to_owned())));
    assert_eq!(plain(&history)[1], (1, 25_000, 80_000));
    assert!(!history.members[1].standing);
}

#[test]
fn a_static_member_comes_back_as_itself_and_a_dynamic_one_as_another() {
    let dynamic = group(1).at(20, "bounce", restart("m-1", 30)).make();
    assert!(dynamic.names.members.iter().eq(["m-1", "m-1~2"]));
    assert_eq!(members_only(&dynamic), [(20_000, "Leave((0))".into()), (50_000, "Join((1))".into())]);
    let fixed = group(1).with_group("g", |g| g.is_static = true).at(20, "bounce", restart("m-1", 30)).make();
    assert_eq!(members_only(&fixed), [(20_000, "Away((0))".into()), (50_000, "Back((0))".into())]);
    assert_eq!(plain(&fixed), [(0, 1000, 20_000), (0, 55_000, 1_000_000)]);
}

#[test]
fn a_return_after_the_expiry_is_a_join() {
    // the last heartbeat before 20 is at 16, and being away does not restart the session
    let late = group(1).with_group("g", |g| g.is_static = true).at(20, "bounce", restart("m-1", 60)).make();
    let expected = [(20_000, "Away((0))"), (61_000, "Expire((0))"), (80_000, "Join((1))")];
    assert_eq!(members_only(&late), expected.map(|(at, what)| (at, what.to_owned())));
    assert!(late.members[1].is_static);
    // at the very instant of its return it has expired already: sessions come before members
    let just = group(1).with_group("g", |g| g.is_static = true).at(20, "bounce", restart("m-1", 41)).make();
    assert_eq!(members_only(&just)[2], (61_000, "Join((1))".into()));
}

#[test]
fn a_changed_subscription_moves_no_phase_unless_a_heartbeat_carries_it() {
    let open = group(1).at(13, "change", subscribe("m-1", &["t", "u"])).make();
    assert_eq!(plain(&open), [(0, 1000, 1_000_000)]);
    assert_eq!((open.events[0].at, open.events[0].step), (Ms(13_000), Step::Member));
    let carried = outage(group(1), 12, 10).at(13, "change", subscribe("m-1", &["t", "u"])).make();
    let change = carried.events.iter().find(|e| matches!(e.what, Happening::Subscribe(..))).unwrap();
    // refused at 13, 16 and 21; accepted at 26
    assert_eq!((change.at, change.step), (Ms(26_000), Step::Heartbeat));
    assert_eq!(plain(&carried), [(0, 1000, 26_000), (0, 31_000, 1_000_000)]);
    assert_eq!(carried.refused.len(), 1);
    assert_eq!(change.what, Happening::Subscribe(crate::kafka::MemberId(0), SubscriptionId(1)));
    assert_eq!(carried.subscriptions.len(), 2);
}

#[test]
fn a_heartbeat_at_the_instant_of_a_failover_is_refused_and_one_at_the_end_of_a_load_is_not() {
    let at_failover = outage(group(1), 13, 10).at(13, "change", subscribe("m-1", &["u"])).make();
    assert_eq!(at_failover.refused[0].at, Ms(13_000));
    let at_load_end = outage(group(1), 13, 10).at(23, "change", subscribe("m-1", &["u"])).make();
    assert!(at_load_end.refused.is_empty());
}

#[test]
fn an_empty_group_is_kept_for_its_retention_and_goes_at_the_next_look() {
    let gone = |retention: u64, more: bool| {
        let build = group(1).at(50, "bye", leave("m-1")).with(|s| {
            s.duration = Ms::secs(10_000);
            s.cluster.retention = Ms::secs(retention);
        });
        let build = if more { build.at(700, "more", join(1, None)) } else { build };
        let history = build.make();
        let gone = history.events.iter().filter(|e| matches!(e.what, Happening::GroupGone(_))).map(|e| e.at.0);
        gone.collect::<Vec<_>>()
    };
    assert_eq!(gone(1000, false), [1_200_000]);
    assert_eq!(gone(1150, false), [1_200_000], "empty since 50");
    assert_eq!(gone(1151, false), [1_800_000]);
    assert_eq!(gone(1000, true), [0; 0]);
    assert_eq!(gone(100, true), [600_000], "and the join at 700 makes it anew");
}

#[test]
fn members_that_do_not_stand_join_at_their_phase_or_when_they_are_told() {
    let empty = group(2).with_group("g", |g| g.standing = false).make();
    assert_eq!(members_only(&empty), [(1000, "Join((0))".into()), (2000, "Join((1))".into())]);
    assert!(!empty.groups[0].stands && empty.events.iter().all(|e| e.entry.is_none()));
    let member = |name: &str, join| Member {
        name: name.into(),
        topics: None,
        pattern: None,
        rack: None,
        is_static: false,
        phase: Phase::Each(vec![Ms::secs(3)]),
        join,
    };
    let named = vec![member("a", None), member("b", Some(Ms::secs(77)))];
    let change = |g: &mut Group| g.members = Members::Named(named);
    let late = group(0).with_group("g", change).make();
    assert_eq!(members_only(&late), [(77_000, "Join((1))".into())]);
    assert!(late.groups[0].stands);
}

#[test]
fn joins_of_a_wave_are_spread_over_its_span() {
    let mut build = group(0).at(100, "wave", join(4, None));
    build.0.history[0].over = Ms::secs(10);
    let at: Vec<u64> = members_only(&build.make()).iter().map(|(at, _)| *at).collect();
    assert_eq!(at, [100_000, 102_500, 105_000, 107_500]);
}

#[test]
fn drawn_members_are_as_many_as_asked_for_and_others_in_other_groups() {
    let rate = When::Rate { count: 6, per: Ms::secs(3600), each: true, from: Ms::ZERO, until: None, times: None };
    let any = || Pick::Any(Span::just(1));
    let bounce = Verb::RestartMember { groups: Pick::All, members: any(), away: Span::just(Ms::secs(40)) };
    let build = cluster().apart().group("g-1", 5, &["t"]).group("g-2", 5, &["t"]).entry("bounce", rate, bounce);
    let history = build.with(|s| s.duration = Ms::secs(36_000)).make();
    let leaves = |group: u32| {
        let of = |e: &&crate::world::history::Event| matches!(e.what, Happening::Leave(m) if history.members[m.index()].group.0 == group);
        history.events.iter().filter(of).map(|e| e.at).collect::<Vec<_>>()
    };
    // mean 60, deviation 7.7
    assert!(leaves(0).len().abs_diff(60) < 40 && leaves(1).len().abs_diff(60) < 40);
    assert_ne!(leaves(0), leaves(1), "a process for each");
}

#[test]
fn an_unknown_member_is_an_error_and_one_that_is_gone_too() {
    let unknown = crate::world::make(&group(1).at(5, "bye", leave("m-7")).0, 1).unwrap_err();
    assert!(unknown.message.contains("no member `m-7`"), "{}", unknown.message);
    let twice = group(1).at(5, "bye", leave("m-1")).at(6, "again", leave("m-1"));
    let error = crate::world::make(&twice.0, 1).unwrap_err();
    assert!(error.message.contains("member m-1 of group g is not in the group"), "{}", error.message);
}
