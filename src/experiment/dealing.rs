//! The target of a group with an assignor: its members and topics as the lane has them, dealt.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::coordinator::assignor::{Input, Member, Place as Replicas, Topic};
use crate::coordinator::{Coordinator, OwnedPartition, Target};
use crate::kafka::{GroupId, MemberId, TopicId};

use super::assigning::Assigning;
use super::timer::Timer;

impl Assigning<'_> {
    /// The members that are in the group, in this lane.
    pub(super) fn members(&self, id: GroupId, coordinator: &Coordinator<'_>) -> Vec<MemberId> {
        let spec = &self.stage.history.groups[id.index()];
        let first = spec.first_member.index();
        let all = (first..first + spec.members as usize).map(MemberId::at);
        all.filter(|member| coordinator.has_member(*member)).collect()
    }

    /// The target of the group as it is now. Only the assignor itself is timed, not making its input.
    pub(super) fn deal(&self, id: GroupId, coordinator: &Coordinator<'_>, timer: &mut dyn Timer) -> Target {
        let history = self.stage.history;
        let group = &self.groups[&id];
        let state = coordinator.group(id);
        let image = &coordinator.image;
        let name = |topic: TopicId| &history.names.topics[topic.index()];
        let rack_names = |brokers: &crate::kafka::Replicas| -> Vec<String> {
            let racks = brokers.iter().filter_map(|b| image.registration(*b)?.rack);
            racks.map(|rack| history.names.racks[rack.index()].clone()).collect()
        };
        let racks = group.assignor.reads_racks();
        let mut there: Vec<(&String, TopicId)> = Vec::new();
        let mut topics = Vec::new();
        for &topic in &state.topics {
            let Some(found) = image.topic(topic) else { continue };
            there.push((name(topic), topic));
            let place = |brokers| Replicas { leader: 0, racks: if racks { rack_names(brokers) } else { Vec::new() } };
            let partitions = found.partitions.iter().map(place).collect();
            topics.push(Topic { name: name(topic).clone(), id: found.id, partitions });
        }
        there.sort_unstable();
        let ids = self.members(id, coordinator);
        let (mut named, mut seen): (Vec<(String, MemberId)>, BTreeSet<Cow<'_, str>>) = (Vec::new(), BTreeSet::new());
        let mut members = Vec::new();
        for &member in &ids {
            let spec = &history.members[member.index()];
            let own = history.names.members.get(member.index());
            // of two incarnations of one name the second gets another
            let twice = !seen.insert(own.clone());
            let text = if twice { format!("{own}~{}", member.0) } else { own.to_string() };
            named.push((text.clone(), member));
            let subscription = coordinator.subscription(member).expect("it is in the group");
            let subscription = &history.subscriptions[subscription.index()];
            let by_pattern = subscription.pattern.zip(state.patterns.as_ref());
            let by_pattern = by_pattern.map_or(&[][..], |(pattern, patterns)| patterns.topics(pattern));
            let subscribed = subscription.names.iter().chain(by_pattern).filter(|t| image.topic(**t).is_some());
            let before = group.reconciliation.target().get(&member).into_iter().flatten();
            let same = |p: &&OwnedPartition| image.topic(p.topic).is_some_and(|topic| topic.id == p.id);
            members.push(Member {
                id: text,
                instance: spec.is_static.then(|| own.to_string()),
                rack: spec.rack.filter(|_| racks).map(|rack| history.names.racks[rack.index()].clone()),
                topics: subscribed.map(|t| name(*t).clone()).collect(),
                threads: 1,
                owned: before.filter(same).map(|p| (name(p.topic).clone(), p.partition as usize)).collect(),
                ..Member::default()
            });
        }
        named.sort_unstable();
        let input = Input::new(members, topics).expect("names are unique, and topics that are not there left out");
        timer.start_dealing();
        let owners = group.assignor.assign(&input);
        timer.stop_dealing();
        let owners = owners.expect("a group's assignor takes every group");
        let owned = |tp: &crate::coordinator::assignor::TopicPartition| OwnedPartition {
            topic: there[tp.topic].1,
            id: input.topics()[tp.topic].id,
            partition: u32::try_from(tp.partition).expect("partitions fit 32 bits"),
        };
        let mut target = Target::new();
        for owner in &owners {
            let list: &mut Vec<OwnedPartition> = target.entry(named[owner.member].1).or_default();
            list.extend(owner.partitions.iter().map(owned));
            list.sort_unstable();
        }
        target
    }
}
