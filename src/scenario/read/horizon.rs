//! How long a run has to be: the end of the last entry's last effect, as an upper bound from what is
//! written, and ten minutes; and whether what is written fits a given duration.

use super::super::diagnostics::{At, Problems};
use super::super::{Cluster, Entry, Group, LoadTime, Members, Moves, Phase, StartHow, Verb, When};
use super::census::Census;
use super::picks::{Noun, most};
use super::scalars::LONGEST;
use crate::sim::Ms;

/// After the last effect.
const REST: Ms = Ms::secs(600);

/// Occurrences of one entry in a run.
const MAX_OCCURRENCES: u128 = 50_000_000;

/// The default duration. A process with no end is a problem here, since it has none to offer.
pub(crate) fn default_duration(
    entries: &[Entry],
    places: &[At],
    groups: &[Group],
    cluster: &Cluster,
    census: &Census,
    at: At,
    problems: &mut Problems,
) -> Ms {
    let mut end = Ms::ZERO;
    for (entry, place) in entries.iter().zip(places) {
        match last_start(&entry.when) {
            Some(start) => {
                let effect = effect(&entry.verb, cluster, census, groups);
                end = end.max(start.after(entry.over).after(effect));
            }
            None => {
                let message = format!("`{}` goes on for ever", entry.name);
                problems.add(*place, message, "give it `until` or `times`, or the scenario a `duration`");
            }
        }
    }
    let duration = end.max(last_join(groups)).after(REST);
    if duration > LONGEST {
        problems.add(at, "the last entry ends more than a hundred years from now", "give a `duration`");
        return LONGEST;
    }
    duration
}

/// When the last occurrence begins, at most; of chance with `times` alone twice the mean.
fn last_start(when: &When) -> Option<Ms> {
    let times_over = |from: Ms, step: Ms, times: u64| from.after(Ms(step.0.saturating_mul(times)));
    let earlier = |a: Option<Ms>, b: Option<Ms>| a.map_or(b, |a| Some(b.map_or(a, |b| a.min(b))));
    match when {
        When::At(instants) => Some(instants.iter().copied().max().unwrap_or(Ms::ZERO)),
        When::Every { every, from, until, times } => {
            earlier(*until, times.map(|times| times_over(*from, *every, times - 1)))
        }
        When::Rate { count, per, from, until, times, .. } => {
            let mean = Ms(per.0.div_ceil((*count).max(1)));
            earlier(*until, times.map(|times| times_over(*from, mean, times.saturating_mul(2))))
        }
    }
}

/// How long after its start an occurrence has its last effect, at most.
fn effect(verb: &Verb, cluster: &Cluster, census: &Census, groups: &[Group]) -> Ms {
    let times = |n: u64, each: Ms| Ms(n.saturating_mul(each.0));
    let back = |how: Option<&StartHow>| {
        let unfence = how.and_then(|h| h.unfence).unwrap_or(cluster.start.unfence);
        let catch_up = how.and_then(|h| h.catch_up).unwrap_or(cluster.start.catch_up);
        unfence.hi.after(catch_up.hi)
    };
    match verb {
        Verb::Roll { brokers, down, gap, how, .. } => {
            let n = most(brokers, Noun::Broker, census);
            times(n, down.hi).after(times(n.saturating_sub(1), gap.hi)).after(back(Some(how)))
        }
        Verb::Restart { down, how, .. } => down.hi.after(back(Some(how))),
        Verb::Shutdown { back_after, .. } => back_after.map_or(Ms::ZERO, |away| away.hi.after(back(None))),
        Verb::Crash { back_after, .. } => {
            back_after.map_or(cluster.session, |away| away.hi.max(cluster.session).after(back(None)))
        }
        Verb::Start { how, .. } | Verb::AddBroker { how, .. } => cluster.session.after(back(Some(how))),
        Verb::RecreateTopic { gap, .. } => *gap,
        Verb::Reassign { moves, wave, pause, takes } => {
            let waves = match (moves, wave) {
                (Moves::Drawn { moves, .. }, Some(wave)) => u64::from(moves.hi.div_ceil((*wave).max(1))),
                (Moves::Drawn { .. }, None) | (Moves::Exact { .. }, _) => 1,
            };
            times(waves, takes.hi).after(times(waves.saturating_sub(1), *pause))
        }
        Verb::SetRf { takes, .. } => takes.hi,
        Verb::Join { leave_after, .. } => leave_after.map_or(Ms::ZERO, |stay| stay.hi),
        Verb::Kill { .. } => groups.iter().map(|g| g.session.hi).max().unwrap_or(Ms::ZERO),
        Verb::RestartMember { away, .. } => away.hi,
        Verb::MoveCoordinator { load, .. } => load.unwrap_or(match cluster.load_time {
            LoadTime::Fixed(time) => time,
            LoadTime::Auto => Ms::ZERO,
        }),
        Verb::Unregister { .. }
        | Verb::AddPartitions { .. }
        | Verb::CreateTopic { .. }
        | Verb::DeleteTopic { .. }
        | Verb::ElectLeaders { .. }
        | Verb::Touch { .. }
        | Verb::IsrShrink { .. }
        | Verb::IsrExpand { .. }
        | Verb::SnapshotReload
        | Verb::Leave { .. }
        | Verb::Subscribe { .. } => Ms::ZERO,
    }
}

/// The last join that `groups:` itself makes.
fn last_join(groups: &[Group]) -> Ms {
    let of_phase = |phase: &Phase, heartbeat: Ms| match phase {
        Phase::Drawn => heartbeat,
        Phase::Between(span) => span.hi,
        Phase::Each(list) => list.iter().copied().max().unwrap_or(Ms::ZERO),
    };
    let of_group = |group: &Group| {
        let whole = if group.standing { Ms::ZERO } else { of_phase(&group.phase, group.heartbeat.hi) };
        match &group.members {
            Members::Count(_) => whole,
            Members::Named(list) => list.iter().filter_map(|m| m.join).fold(whole, Ms::max),
        }
    };
    groups.iter().map(of_group).max().unwrap_or(Ms::ZERO)
}

/// Holds what is written against a duration that the file gives.
pub(crate) fn check(entries: &[Entry], places: &[At], groups: &[Group], duration: Ms, at: At, problems: &mut Problems) {
    for (entry, place) in entries.iter().zip(places) {
        match &entry.when {
            When::At(instants) => {
                let last = instants.iter().copied().max().unwrap_or(Ms::ZERO);
                if last >= duration {
                    let message = format!("`{}` is at {last}, and the run ends at {duration}", entry.name);
                    let problem = problems.add(*place, message, "nothing at or after the end happens");
                    problem.also.push((at, "the end".to_owned()));
                }
            }
            When::Every { from, .. } | When::Rate { from, .. } => {
                if *from >= duration {
                    let message = || format!("`{}` begins at {from}, and the run ends at {duration}", entry.name);
                    problems.warn_at(*place, message);
                }
            }
        }
    }
    let late = groups.iter().find(|group| match &group.members {
        Members::Count(_) => false,
        Members::Named(list) => list.iter().any(|m| m.join.is_some_and(|join| join >= duration)),
    });
    if let Some(group) = late {
        problems.add(at, format!("a member of `{}` joins at or after the end of the run", group.name), "");
    }
}

/// No entry may happen more often than a run can hold.
pub(crate) fn limit(entries: &[Entry], places: &[At], duration: Ms, census: &Census, problems: &mut Problems) {
    for (entry, place) in entries.iter().zip(places) {
        let end = |until: &Option<Ms>| u128::from(until.unwrap_or(duration).min(duration).0);
        let often = match &entry.when {
            When::At(instants) => instants.len() as u128,
            When::Every { every, until, times, .. } => {
                (end(until) / u128::from(every.0.max(1))).min(times.map_or(u128::MAX, u128::from))
            }
            When::Rate { count, per, until, times, each, .. } => {
                let targets = if *each { (census.groups.len() + census.topics.len()).max(1) } else { 1 };
                let one = end(until) * u128::from(*count) / u128::from(per.0.max(1));
                one.min(times.map_or(u128::MAX, u128::from)).saturating_mul(u128::from(targets))
            }
        };
        if often > MAX_OCCURRENCES {
            let message = format!("`{}` would happen about {often} times", entry.name);
            problems.add(*place, message, format!("at most {MAX_OCCURRENCES} in a run"));
        }
    }
}
