//! Why a share group rebalances whatever its metadata: what has a state is not what its target hands out. Who has which
//! partition is not known here, only whether somebody had some alone.

use std::collections::BTreeMap;

use crate::kafka::{GroupId, Subscription, SubscriptionId, TopicId};
use crate::scenario::ShareRules;
use crate::sim::Ms;
use crate::world::Origin;

use super::Subscribers;
use super::core::Coordinator;
use super::share::{Incarnation, there};

/// A share group's target.
#[derive(Clone, Debug, Default)]
pub(super) struct Dealt {
    /// How many partitions it hands out.
    pub(super) assigned: BTreeMap<Incarnation, u32>,
    /// Among whom.
    pub(super) among: Subscribers,
    /// Its epoch.
    pub(super) epoch: u32,
    /// When it was made, if that is known.
    pub(super) at: Option<Ms>,
    /// Who is behind it.
    pub(super) by: Option<Origin>,
}

/// Why a share group rebalances, whatever its metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ShareReason {
    /// Partitions were initialised.
    Initialised(Origin),
    /// A member left, and the target that it was in was made before.
    Orphaned(Origin),
    /// Something has a state that nobody reads any more (Kafka 4.1).
    Unread(Origin),
}

impl ShareReason {
    pub(super) fn by(self) -> Origin {
        match self {
            ShareReason::Initialised(by) | ShareReason::Orphaned(by) | ShareReason::Unread(by) => by,
        }
    }
}

impl Dealt {
    /// When the next one may be made.
    pub(super) fn next(&self, rules: ShareRules) -> Ms {
        self.at.map_or(Ms::ZERO, |at| at.after(rules.interval))
    }

    /// Did a member with the subscription `from`, who is among them no more, have partitions alone that are still to be
    /// read by those who are `there`? Kafka's assignor (from 4.2 on) gives each partition to one member where there are no
    /// more members than partitions, and to several where there are: over all topics if everybody reads the same,
    /// otherwise topic by topic.
    fn had_alone(&self, from: &Subscription, there: &Subscribers, all: &[Subscription]) -> bool {
        let readers = |topic: TopicId| self.among.readers(topic, all);
        let members = self.among.members();
        let alike = self.among.subscriptions(all).all(|one| one.names.iter().all(|topic| readers(*topic) == members));
        let partitions: u64 = self.assigned.values().map(|count| u64::from(*count)).sum();
        let still_read = self
            .assigned
            .iter()
            .filter(|((topic, _), count)| **count > 0 && from.names.contains(topic) && there.readers(*topic, all) > 0);
        let mut still_read = still_read.map(|((topic, _), count)| (*topic, *count));
        if alike {
            still_read.next().is_some() && u64::from(members) <= partitions
        } else {
            still_read.any(|(topic, count)| readers(topic) <= count)
        }
    }
}

impl Coordinator<'_> {
    /// Does the next heartbeat rebalance this group, whatever its metadata?
    pub(super) fn share_rebalances(&self, id: GroupId) -> Option<ShareReason> {
        let group = &self.groups[id.index()];
        let share = group.share.as_ref()?;
        let rules = self.deployed(id).share;
        if group.subscribers.members() == 0 || (rules.waits && share.dealt.epoch < group.epoch) {
            return None;
        }
        let initialised = |key: &Incarnation| share.initialised.get(key);
        let mut keys = there(&group.topics, &self.image).map(|(key, _)| key);
        if keys.any(|key| initialised(&key).is_some_and(|count| share.dealt.assigned.get(&key) != Some(count))) {
            let by = share.initialised_by.unwrap_or(Origin::Group(id));
            return Some(ShareReason::Initialised(by));
        }
        if rules.waits {
            return None;
        }
        let all = &self.setting.history.subscriptions;
        let alone = |from: SubscriptionId| share.dealt.had_alone(&all[from.index()], &group.subscribers, all);
        if let Some((_, by)) = share.left.iter().find(|(from, _)| alone(*from)) {
            return Some(ShareReason::Orphaned(*by));
        }
        let unread = rules.holds_all
            && share
                .initialised
                .keys()
                .any(|key| !share.dealt.assigned.contains_key(key) || group.subscribers.readers(key.0, all) == 0);
        let by = share.left.last().map(|(_, by)| *by).or(share.dealt.by);
        unread.then(|| ShareReason::Unread(by.unwrap_or(Origin::Group(id))))
    }

    /// A member has left, so that the next heartbeat makes a target; where it alone had partitions, and where nothing
    /// waits for that target, it rebalances as well.
    pub(super) fn share_left(&mut self, id: GroupId, from: SubscriptionId, by: Origin) {
        let group = &mut self.groups[id.index()];
        if let Some(share) = &mut group.share
            && group.subscribers.members() > 0
        {
            share.asks.get_or_insert(by);
            share.left.push((from, by));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kafka::Uuid;

    /// Subscriptions 0 to 2: topic 0; topic 1; both.
    fn subscriptions() -> Vec<Subscription> {
        [&[0][..], &[1], &[0, 1]]
            .map(|topics| Subscription { names: topics.iter().map(|t| TopicId::at(*t)).collect(), pattern: None })
            .to_vec()
    }

    fn among(members: &[usize]) -> Subscribers {
        let mut all = Subscribers::default();
        members.iter().for_each(|subscription| all.add(SubscriptionId::at(*subscription)));
        all
    }

    /// Who reads what before, who of them leaves, and how many partitions the two topics have.
    fn had_alone(before: &[usize], leaves: usize, partitions: [u32; 2]) -> bool {
        let all = subscriptions();
        let assigned = (0..2).map(|topic| ((TopicId::at(topic), Uuid::default()), partitions[topic])).collect();
        let dealt = Dealt { assigned, among: among(before), ..Dealt::default() };
        let mut there = among(before);
        there.remove(SubscriptionId::at(leaves));
        dealt.had_alone(&all[leaves], &there, &all)
    }

    #[test]
    fn where_all_read_the_same_partitions_are_shared_only_if_members_are_more() {
        assert!(had_alone(&[2, 2], 2, [1, 1]));
        assert!(had_alone(&[2, 2, 2], 2, [2, 1]));
        assert!(!had_alone(&[2, 2, 2], 2, [1, 1]));
    }

    #[test]
    fn a_topic_that_leaves_with_its_reader_is_nobodys_loss() {
        // what its one reader had is not read any more
        assert!(!had_alone(&[0, 1], 1, [4, 4]));
        assert!(had_alone(&[0, 2], 2, [4, 4]));
        // topic 0 has more readers than partitions, and topic 1 goes with the one who leaves
        assert!(!had_alone(&[0, 2], 2, [1, 4]));
        assert!(!had_alone(&[0, 2], 0, [1, 4]));
    }
}
