//! Who subscribes to what in a group: how many members have which subscription. Most groups have one.

use smallvec::SmallVec;

use crate::kafka::{Pattern, PatternId, Subscription, SubscriptionId, TopicId};

/// The subscriptions of a group's members, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subscribers {
    /// In order of id, none with count 0.
    counts: SmallVec<[(SubscriptionId, u32); 1]>,
}

impl Subscribers {
    /// A member with this subscription more.
    pub fn add(&mut self, subscription: SubscriptionId) {
        match self.counts.binary_search_by_key(&subscription, |(id, _)| *id) {
            Ok(place) => self.counts[place].1 += 1,
            Err(place) => self.counts.insert(place, (subscription, 1)),
        }
    }

    /// A member with this subscription less.
    ///
    /// # Panics
    /// If there is none.
    pub fn remove(&mut self, subscription: SubscriptionId) {
        let found = self.counts.binary_search_by_key(&subscription, |(id, _)| *id);
        let place = found.expect("a member is removed once");
        self.counts[place].1 -= 1;
        if self.counts[place].1 == 0 {
            self.counts.remove(place);
        }
    }

    /// How many members there are.
    #[must_use]
    pub fn members(&self) -> u32 {
        self.counts.iter().map(|(_, count)| count).sum()
    }

    /// How many members name this topic.
    #[must_use]
    pub fn readers(&self, topic: TopicId, all: &[Subscription]) -> u32 {
        let names = |id: &SubscriptionId| all[id.index()].names.contains(&topic);
        self.counts.iter().filter(|(id, _)| names(id)).map(|(_, count)| count).sum()
    }

    /// The distinct subscriptions.
    pub fn subscriptions<'a>(&'a self, all: &'a [Subscription]) -> impl Iterator<Item = &'a Subscription> {
        self.counts.iter().map(|(id, _)| &all[id.index()])
    }

    /// The distinct patterns, in order of id.
    #[must_use]
    pub fn patterns(&self, all: &[Subscription]) -> SmallVec<[PatternId; 1]> {
        let mut patterns: SmallVec<[PatternId; 1]> = self.subscriptions(all).filter_map(|s| s.pattern).collect();
        patterns.sort_unstable();
        patterns.dedup();
        patterns
    }

    /// The topics that some member names or has a pattern for, existing or not, in order of id, each once.
    #[must_use]
    pub fn topics(&self, all: &[Subscription], patterns: &[Pattern]) -> Vec<TopicId> {
        let mut topics = self.names(all);
        let wanted = self.patterns(all);
        if !wanted.is_empty() {
            topics.extend(wanted.iter().flat_map(|p| &patterns[p.index()].matches));
            topics.sort_unstable();
            topics.dedup();
        }
        topics
    }

    /// The topics that some member names, in order of id, each once.
    #[must_use]
    pub fn names(&self, all: &[Subscription]) -> Vec<TopicId> {
        if let [(only, _)] = self.counts[..] {
            return all[only.index()].names.clone();
        }
        let mut names: Vec<TopicId> = self.subscriptions(all).flat_map(|s| &s.names).copied().collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}
