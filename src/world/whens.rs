//! When an entry happens: the occurrences of `at`, `every` and `rate`, one after another.

use crate::scenario::{Entry, Moves, Pick, Place, RollOrder, ShardPick, TopicPick, Verb, When};
use crate::sim::{Chance, Ms, Stream, address};

use super::draws::is_drawn;

/// The occurrences of an entry, or with `rate: … per TARGET` those of one target.
pub(super) struct Process {
    /// The target, if it has one of its own.
    pub(super) target: Option<String>,
    number: u64,
    last: Option<Ms>,
    gaps: Option<Stream>,
}

impl Process {
    /// At its beginning.
    pub(super) fn new(entry: &Entry, chance: &Chance, target: Option<String>) -> Process {
        let gaps = match &entry.when {
            When::Rate { .. } => Some(chance.stream(&entry.name, &address(&[target.as_deref().unwrap_or(""), "gaps"]))),
            When::At(_) | When::Every { .. } => None,
        };
        Process { target, number: 0, last: None, gaps }
    }

    /// The next occurrence: when, and its number from 1. `None`: none any more before the end.
    pub(super) fn next(&mut self, when: &When, end: Ms) -> Option<(Ms, u64)> {
        let (at, until, times) = match when {
            When::At(instants) => {
                let at = *instants.get(usize::try_from(self.number).ok()?)?;
                // an instant that is never reached does not hide those after it
                if at >= end {
                    self.number += 1;
                    return self.next(when, end);
                }
                (at, None, None)
            }
            When::Every { every, from, until, times } => {
                (self.last.map_or(*from, |last| last.after(*every)), *until, *times)
            }
            When::Rate { count, per, each: _, from, until, times } => {
                let gap = Ms(self.gaps.as_mut()?.exponential(per.0, *count));
                (self.last.unwrap_or(*from).after(gap), *until, *times)
            }
        };
        if at >= end || until.is_some_and(|until| at >= until) || times.is_some_and(|times| self.number >= times) {
            return None;
        }
        self.last = Some(at);
        self.number += 1;
        Some((at, self.number))
    }
}

/// Does chance decide when an entry happens, to whom, how often, or for how long?
pub(super) fn is_by_chance(entry: &Entry) -> bool {
    if matches!(entry.when, When::Rate { .. }) {
        return true;
    }
    let picked = |pick: &Pick| matches!(pick, Pick::Any(_) | Pick::Draw { .. });
    let named = |pick: &Option<TopicPick>| matches!(pick, Some(TopicPick::Draw { .. }));
    match &entry.verb {
        Verb::Roll { brokers, down, gap, order, how } => {
            picked(brokers) || is_drawn(down) || is_drawn(gap) || *order == RollOrder::Drawn || start_is_drawn(how)
        }
        Verb::Restart { brokers, down, how } => picked(brokers) || is_drawn(down) || start_is_drawn(how),
        Verb::Shutdown { brokers, back_after } | Verb::Crash { brokers, back_after } => {
            picked(brokers) || back_after.as_ref().is_some_and(is_drawn)
        }
        Verb::Start { brokers, how } => picked(brokers) || start_is_drawn(how),
        Verb::AddBroker { how, .. } => start_is_drawn(how),
        Verb::Unregister { brokers } => picked(brokers),
        Verb::AddPartitions { topics, grow, .. } => {
            let (crate::scenario::Grow::By(span) | crate::scenario::Grow::To(span)) = grow;
            picked(topics) || is_drawn(span)
        }
        Verb::CreateTopic { place, .. } => matches!(place, Place::Drawn { partitions, .. } if is_drawn(partitions)),
        Verb::DeleteTopic { topics }
        | Verb::ElectLeaders { topics, .. }
        | Verb::Touch { topics, .. }
        | Verb::RecreateTopic { topics, partitions: None, .. } => picked(topics),
        Verb::RecreateTopic { topics, partitions: Some(span), .. } => picked(topics) || is_drawn(span),
        Verb::Reassign { moves, takes, .. } => matches!(moves, Moves::Drawn { .. }) || is_drawn(takes),
        Verb::SetRf { topics, takes, .. } => picked(topics) || is_drawn(takes),
        Verb::IsrShrink { topics, brokers, .. } | Verb::IsrExpand { topics, brokers, .. } => {
            picked(topics) || picked(brokers)
        }
        Verb::SnapshotReload => false,
        Verb::Join { groups, members, topics, leave_after, .. } => {
            picked(groups) || is_drawn(members) || named(topics) || leave_after.as_ref().is_some_and(is_drawn)
        }
        Verb::Leave { groups, members } | Verb::Kill { groups, members } => picked(groups) || picked(members),
        Verb::RestartMember { groups, members, away } => picked(groups) || picked(members) || is_drawn(away),
        Verb::Subscribe { groups, members, topics, .. } => picked(groups) || picked(members) || named(topics),
        Verb::MoveCoordinator { shards, .. } => match shards {
            ShardPick::Any(_) => true,
            ShardPick::Groups(pick) | ShardPick::Brokers(pick) => picked(pick),
            ShardPick::These(_) | ShardPick::All => false,
        },
    }
}

fn start_is_drawn(how: &crate::scenario::StartHow) -> bool {
    how.unfence.as_ref().is_some_and(is_drawn) || how.catch_up.as_ref().is_some_and(is_drawn)
}

/// Target `index` of `count` of an occurrence with `over`.
pub(super) fn spread(at: Ms, over: Ms, index: usize, count: usize) -> Ms {
    let part = u128::from(over.0) * index as u128 / count.max(1) as u128;
    at.after(Ms(u64::try_from(part).expect("a part of a span")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(when: When) -> Entry {
        Entry { name: "e".into(), when, over: Ms::ZERO, verb: Verb::SnapshotReload, at: 0..0 }
    }

    fn all(when: When, end: Ms) -> Vec<u64> {
        let entry = entry(when);
        let mut process = Process::new(&entry, &Chance::new(1, 1), None);
        std::iter::from_fn(|| process.next(&entry.when, end)).map(|(at, _)| at.0).collect()
    }

    #[test]
    fn at_and_every_happen_when_they_say_and_never_at_the_end() {
        assert_eq!(all(When::At(vec![Ms(5), Ms(20), Ms(9)]), Ms(20)), [5, 9]);
        let every = |until, times| When::Every { every: Ms(10), from: Ms(5), until, times };
        assert_eq!(all(every(None, None), Ms(35)), [5, 15, 25]);
        assert_eq!(all(every(Some(Ms(25)), None), Ms(100)), [5, 15]);
        assert_eq!(all(every(None, Some(1)), Ms(100)), [5]);
    }

    #[test]
    fn a_rate_happens_as_often_as_it_says() {
        let rate = When::Rate { count: 2, per: Ms(1000), each: false, from: Ms(500), until: None, times: None };
        let times = all(rate, Ms(10_000_500));
        // a Poisson count of mean 20,000 has a deviation of 141
        assert!(times.len().abs_diff(20_000) < 700, "{}", times.len());
        assert!(times[0] >= 500 && times.is_sorted());
    }

    #[test]
    fn targets_are_spread_evenly_over_their_span() {
        let at: Vec<u64> = (0..4).map(|i| spread(Ms(100), Ms(10), i, 4).0).collect();
        assert_eq!(at, [100, 102, 105, 107]);
    }
}
