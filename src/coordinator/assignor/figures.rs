//! What an assignment comes to: the figures by which assignors stand side by side.

use std::collections::BTreeSet;

use super::{Input, Owner};

/// Figures of an assignment. An owner is a member, or a thread where the assignor deals to threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Owners there are.
    pub owners: u64,
    /// Owners that got nothing.
    pub idle: u64,
    /// Partitions that somebody owns.
    pub partitions: u64,
    /// Partitions of subscribed topics that nobody owns.
    pub unassigned: u64,
    /// Partitions of the owner with the fewest, and of that with the most.
    pub least: u64,
    /// See `least`.
    pub most: u64,
    /// The same difference within one topic among those who read it, the greatest of all topics.
    pub imbalance_per_topic_max: u64,
    /// Owned partitions with a replica in the rack of their owner.
    pub local: u64,
    /// Owned partitions whose owner has a rack; 0: nobody can be local.
    pub racked: u64,
    /// Brokers that the owner with the fewest and that with the most read from, by leaders; the idle left out.
    pub brokers_least: u64,
    /// See `brokers_least`.
    pub brokers_most: u64,
    /// Did anybody own anything before? Else nothing moves.
    pub owned_before: bool,
    /// Partitions that came to a member that did not have them.
    pub moves: u64,
    /// Those of them that another member had and could have kept.
    pub between_members: u64,
}

impl Figures {
    /// `most` less `least`.
    #[must_use]
    pub const fn imbalance_total(&self) -> u64 {
        self.most - self.least
    }
}

/// The figures of what an assignor made of a group.
#[must_use]
pub fn figures(input: &Input, owners: &[Owner]) -> Figures {
    let count = |n: usize| n as u64;
    let sizes = || owners.iter().map(|o| count(o.partitions.len()));
    let mut all = Figures {
        owners: count(owners.len()),
        idle: count(owners.iter().filter(|o| o.partitions.is_empty()).count()),
        partitions: sizes().sum(),
        least: sizes().min().unwrap_or(0),
        most: sizes().max().unwrap_or(0),
        owned_before: (0..input.members().len()).any(|m| !input.owned(m).is_empty()),
        brokers_least: u64::MAX,
        ..Figures::default()
    };
    all.unassigned = count(input.partitions().count()) - all.partitions;
    let mut owned: BTreeSet<_> = BTreeSet::new();
    (0..input.members().len()).for_each(|m| owned.extend(input.owned(m).iter().copied()));
    for owner in owners {
        let racked = input.members()[owner.member].rack.is_some();
        let mut brokers: BTreeSet<u32> = BTreeSet::new();
        for &tp in &owner.partitions {
            brokers.insert(input.place(tp).leader);
            all.racked += u64::from(racked);
            all.local += u64::from(input.local(owner.member, tp));
            if input.owned(owner.member).binary_search(&tp).is_err() {
                all.moves += 1;
                all.between_members += u64::from(owned.contains(&tp));
            }
        }
        if !brokers.is_empty() {
            all.brokers_least = all.brokers_least.min(count(brokers.len()));
            all.brokers_most = all.brokers_most.max(count(brokers.len()));
        }
    }
    all.brokers_least = all.brokers_least.min(all.brokers_most);
    all.imbalance_per_topic_max = per_topic(input, owners);
    all
}

fn per_topic(input: &Input, owners: &[Owner]) -> u64 {
    // of each topic: the fewest, the most, and how many of those who read it have some
    let mut of: Vec<(usize, usize, usize)> = vec![(usize::MAX, 0, 0); input.topics().len()];
    for owner in owners {
        for own in owner.partitions.chunk_by(|a, b| a.topic == b.topic) {
            let (least, most, having) = &mut of[own[0].topic];
            (*least, *most, *having) = ((*least).min(own.len()), (*most).max(own.len()), *having + 1);
        }
    }
    let spread = |(topic, (least, most, having)): (usize, (usize, usize, usize))| {
        let readers: u64 = match owners.first().and_then(|o| o.thread) {
            None => input.subscribers(topic).len() as u64,
            Some(_) => input.subscribers(topic).iter().map(|&m| u64::from(input.threads(m, topic))).sum(),
        };
        if most == 0 {
            0
        } else if readers > having as u64 {
            most as u64
        } else {
            (most - least) as u64
        }
    };
    of.into_iter().enumerate().map(spread).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::super::{Assignor, Member, Place, Topic};
    use super::*;

    fn topic(name: &str, leaders: &[u32]) -> Topic {
        let place = |&leader: &u32| Place { leader, racks: vec![format!("r{leader}")] };
        Topic {
            name: name.to_owned(),
            id: crate::kafka::Uuid::default(),
            partitions: leaders.iter().map(place).collect(),
        }
    }

    #[test]
    fn figures_of_a_small_group_counted_by_hand() {
        let member = |id: &str, rack: &str, owned: &[usize]| Member {
            id: id.to_owned(),
            rack: Some(rack.to_owned()),
            topics: ["t".to_owned(), "u".to_owned()].into(),
            threads: 1,
            owned: owned.iter().map(|&p| ("t".to_owned(), p)).collect(),
            ..Member::default()
        };
        let members = vec![member("a", "r0", &[1]), member("b", "r1", &[]), member("c", "none", &[2])];
        let input = Input::new(members, vec![topic("t", &[0, 1, 1, 2]), topic("u", &[0])]).unwrap();
        let owners = Assignor::ServerRange.assign(&input).unwrap();
        // a: t0 t1 u0 · b: t2 · c: t3
        let got = figures(&input, &owners);
        let expected = Figures {
            owners: 3,
            idle: 0,
            partitions: 5,
            unassigned: 0,
            least: 1,
            most: 3,
            imbalance_per_topic_max: 1,
            local: 3,
            racked: 5,
            brokers_least: 1,
            brokers_most: 2,
            owned_before: true,
            moves: 4,
            between_members: 1,
        };
        assert_eq!(got, expected);
        assert_eq!(got.imbalance_total(), 2);
    }

    #[test]
    fn a_group_without_members_or_topics_has_no_figures() {
        let none = Input::new(Vec::new(), Vec::new()).unwrap();
        assert_eq!(figures(&none, &[]), Figures::default());
        let idle = Input::new(vec![Member { id: "a".into(), threads: 1, ..Member::default() }], Vec::new()).unwrap();
        let owners = Assignor::Uniform.assign(&idle).unwrap();
        assert_eq!(figures(&idle, &owners), Figures { owners: 1, idle: 1, ..Figures::default() });
    }
}
