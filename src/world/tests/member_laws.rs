//! What becomes of each member, told again by walking its heartbeats one by one, in random histories.

use std::collections::BTreeMap;

use super::cluster_laws::every;
use crate::kafka::{GroupId, MemberId};
use crate::scenario::Scenario;
use crate::sim::Ms;
use crate::world::history::{Event, GroupHistory, Happening, History, Presence, Step};

/// A member as the walk sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Seen {
    inside: bool,
    silent: bool,
    /// Its last heartbeat that was accepted.
    heard: Ms,
}

fn group_of(history: &History, member: MemberId) -> &GroupHistory {
    &history.groups[history.members[member.index()].group.index()]
}

/// Does its shard answer at this instant (after loads and failovers)?
fn answers(history: &History, member: MemberId, at: Ms) -> bool {
    let line = &history.shards[group_of(history, member).shard.index()];
    !line.down.iter().any(|(from, to)| *from <= at && at < *to)
}

/// The last end of a load at or before an instant.
fn loaded(history: &History, member: MemberId, at: Ms) -> Ms {
    let line = &history.shards[group_of(history, member).shard.index()];
    line.down.iter().map(|(_, to)| *to).filter(|to| *to <= at).max().unwrap_or(Ms::ZERO)
}

/// Accepted plain heartbeats of a member before an instant, one by one.
fn last_plain(history: &History, member: MemberId, before: Ms) -> Ms {
    let interval = group_of(history, member).heartbeat;
    let mut last = Ms::ZERO;
    for presence in history.presences.iter().filter(|p| p.member == member) {
        let mut at = presence.first;
        while at < presence.until && at < before {
            if answers(history, member, at) {
                last = last.max(at);
            }
            at += interval;
        }
    }
    last
}

fn member_of(what: Happening) -> Option<MemberId> {
    match what {
        Happening::Join(m)
        | Happening::Leave(m)
        | Happening::Expire(m)
        | Happening::Silent(m)
        | Happening::Away(m)
        | Happening::Back(m)
        | Happening::Subscribe(m, _) => Some(m),
        Happening::Delta(_) | Happening::ShardDown(_) | Happening::ShardUp { .. } | Happening::GroupGone(_) => None,
    }
}

fn step_is_right(event: &Event) -> bool {
    match event.what {
        Happening::Expire(_) => event.step == Step::Expiry,
        Happening::Join(_) | Happening::Back(_) | Happening::Subscribe(..) => {
            matches!(event.step, Step::Member | Step::Heartbeat)
        }
        _ => event.step == Step::Member,
    }
}

/// Walks a member's life and gives how it stands at the end.
fn walk(history: &History, member: MemberId) -> Seen {
    let spec = &history.members[member.index()];
    let mut seen = Seen { inside: spec.standing, ..Seen::default() };
    for event in history.events.iter().filter(|e| member_of(e.what) == Some(member)) {
        let context = || format!("{member:?} {event:?} {seen:?}");
        assert!(step_is_right(event), "{}", context());
        let accepted = !matches!(event.what, Happening::Silent(_));
        assert!(!accepted || answers(history, member, event.at), "{}", context());
        match event.what {
            Happening::Join(_) => {
                assert!(!seen.inside && !spec.standing, "{}", context());
                seen = Seen { inside: true, silent: false, heard: event.at };
            }
            Happening::Leave(_) => {
                assert!(seen.inside && !seen.silent, "{}", context());
                seen.inside = false;
            }
            Happening::Silent(_) | Happening::Away(_) => {
                assert!(seen.inside && !seen.silent, "{}", context());
                assert!(spec.is_static || !matches!(event.what, Happening::Away(_)), "{}", context());
                (seen.silent, seen.heard) = (true, seen.heard.max(last_plain(history, member, event.at)));
            }
            Happening::Back(_) => {
                assert!(seen.inside && seen.silent && spec.is_static, "{}", context());
                (seen.silent, seen.heard) = (false, event.at);
            }
            Happening::Subscribe(..) => {
                assert!(seen.inside && !seen.silent, "{}", context());
                seen.heard = event.at;
            }
            Happening::Expire(_) => {
                assert!(seen.inside && seen.silent, "{}", context());
                let since = seen.heard.max(loaded(history, member, event.at));
                assert_eq!(event.at, since.after(group_of(history, member).session), "{}", context());
                seen.inside = false;
            }
            _ => {}
        }
    }
    seen
}

#[test]
fn every_member_lives_by_the_rules_and_expires_exactly_when_its_session_is_over() {
    every(|_, history| {
        for member in (0..history.members.len()).map(MemberId::at) {
            let seen = walk(history, member);
            if seen.inside && seen.silent {
                let since = seen.heard.max(loaded(history, member, history.duration));
                let due = since.after(group_of(history, member).session);
                assert!(due >= history.duration || !answers(history, member, due), "{member:?} {seen:?}");
            }
        }
    });
}

#[test]
fn presences_are_apart_from_each_other_and_from_heartbeats_that_carry_something() {
    every(|_, history| {
        let presences: Vec<Presence> = history.presences.iter().collect();
        for pair in presences.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            assert!(a.member < b.member || (a.member == b.member && a.until <= b.first), "{a:?} {b:?}");
        }
        let mut carried = history.events.iter().filter(|e| e.step == Step::Heartbeat);
        assert!(carried.all(|e| {
            let member = member_of(e.what).unwrap();
            let interval = group_of(history, member).heartbeat;
            let mut of = presences.iter().filter(|p| p.member == member);
            let coincide =
                |p: &Presence| p.first <= e.at && e.at < p.until && e.at.since(p.first).0.is_multiple_of(interval.0);
            !of.any(coincide)
        }));
        for presence in &presences {
            assert!(presence.first < presence.until && presence.until <= history.duration);
        }
    });
}

#[test]
fn what_was_refused_met_a_shard_that_did_not_answer() {
    every(|_, history| {
        assert!(history.refused.is_sorted_by_key(|r| r.at));
        assert!(history.refused.iter().all(|r| !answers(history, r.member, r.at)));
    });
}

/// Empty groups, told again: at each look, who has been empty for the retention?
#[test]
fn empty_groups_go_at_the_first_look_that_finds_them_so() {
    every(|scenario: &Scenario, history| {
        let mut inside: BTreeMap<GroupId, i64> = BTreeMap::new();
        for member in history.members.iter().filter(|m| m.standing) {
            *inside.entry(member.group).or_default() += 1;
        }
        let mut empty: BTreeMap<GroupId, Ms> = BTreeMap::new();
        let mut gone = Vec::new();
        let mut events = history.events.iter().peekable();
        let look = Ms::secs(600);
        for k in 0..=history.duration.0 / look.0 {
            let at = Ms(k * look.0);
            // what comes before the looks of this instant
            while let Some(event) = events.next_if(|e| (e.at, e.step) < (at, Step::Expiry) || e.at < at) {
                let Some(member) = member_of(event.what) else { continue };
                let group = history.members[member.index()].group;
                let count = inside.entry(group).or_default();
                match event.what {
                    Happening::Join(_) => (*count, _) = (*count + 1, empty.remove(&group)),
                    Happening::Leave(_) | Happening::Expire(_) => *count -= 1,
                    _ => {}
                }
                if *count == 0 && matches!(event.what, Happening::Leave(_) | Happening::Expire(_)) {
                    empty.insert(group, event.at);
                }
            }
            for (group, since) in empty.clone() {
                let up = !history.shards[history.groups[group.index()].shard.index()]
                    .down
                    .iter()
                    .any(|(from, to)| *from <= at && at < *to);
                if up && at < history.duration && at.since(since) >= scenario.cluster.retention && at > since {
                    empty.remove(&group);
                    gone.push((at, group));
                }
            }
        }
        let told = history.events.iter().filter_map(|e| match e.what {
            Happening::GroupGone(group) => Some((e.at, group)),
            _ => None,
        });
        assert_eq!(told.collect::<Vec<_>>(), gone);
    });
}
