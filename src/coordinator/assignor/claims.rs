//! What members say they owned, and whose word counts.

use std::collections::{BTreeMap, BTreeSet};

use super::{Input, Member, Topic, TopicPartition};

/// The newest claim on each partition: its generation, and whose it is; `None` where two of one generation claim it.
pub(super) type Newest = BTreeMap<TopicPartition, (i32, Option<usize>)>;

/// Of the claims that count: a partition that is there, of a topic that `counts` for the member.
pub(super) fn newest(members: &[Member], topics: &[Topic], counts: impl Fn(usize, usize) -> bool) -> Newest {
    let mut newest = Newest::new();
    for (index, tp) in claims(members, topics) {
        if !counts(index, tp.topic) {
            continue;
        }
        let generation = members[index].generation;
        let claim = newest.entry(tp).or_insert((i32::MIN, None));
        match generation.cmp(&claim.0) {
            std::cmp::Ordering::Greater => *claim = (generation, Some(index)),
            std::cmp::Ordering::Equal if claim.1.is_none() && claim.0 == i32::MIN => claim.1 = Some(index),
            std::cmp::Ordering::Equal => claim.1 = None,
            std::cmp::Ordering::Less => {}
        }
    }
    newest
}

/// What each member owned, and what nobody did since two claim it.
pub(super) fn valid_owned(
    members: &[Member],
    topics: &[Topic],
    subscribed: &[Vec<usize>],
) -> (Vec<Vec<TopicPartition>>, BTreeSet<TopicPartition>) {
    let mut owned = vec![Vec::new(); members.len()];
    let mut disputed = BTreeSet::new();
    let reads = |member: usize, topic: usize| subscribed[member].binary_search(&topic).is_ok();
    for (tp, (_, owner)) in newest(members, topics, reads) {
        match owner {
            Some(owner) => owned[owner].push(tp),
            None => {
                disputed.insert(tp);
            }
        }
    }
    (owned, disputed)
}

/// Every claim on a partition that is there, whether or not the member reads its topic any more: by member, then by
/// topic and number.
fn claims<'a>(members: &'a [Member], topics: &'a [Topic]) -> impl Iterator<Item = (usize, TopicPartition)> + 'a {
    let find = |name: &str| topics.binary_search_by(|topic| topic.name.as_str().cmp(name)).ok();
    let whole = move |(name, partition): &(String, usize)| {
        let topic = find(name)?;
        (*partition < topics[topic].partitions.len()).then_some(TopicPartition { topic, partition: *partition })
    };
    let own =
        move |(index, member): (usize, &'a Member)| member.owned.iter().filter_map(whole).map(move |tp| (index, tp));
    members.iter().enumerate().flat_map(own)
}

impl Input {
    /// Every claim on a partition that is there, stale ones too.
    pub(super) fn claims(&self) -> impl Iterator<Item = (usize, TopicPartition)> + '_ {
        claims(self.members(), self.topics())
    }
}
