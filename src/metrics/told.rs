//! Truth and told (model: K.5). The truth of a group is what its coordinator's image holds of the topics
//! that its members subscribe to; told is the truth at its last rebalance. Both are points in the history:
//! a group remembers *when* it was told, and the values of then and now are looked up where needed.

use crate::coordinator::Subscribers;
use crate::kafka::{EntryIndex, GroupId, MemberId, ShardId, SubscriptionId, TopicId};
use crate::sim::Ms;
use crate::world::History;

use super::{ImageNo, Reading, Readings, ValueLines};

/// The pattern resolution's own delay at most (Kafka's minimum between two refreshes of a group's patterns).
const PATTERN_DELAY: Ms = Ms::secs(10);

/// What every group's truth is, and which groups are stale.
pub struct Told<'a> {
    history: &'a History,
    readings: &'a Readings,
    with_racks: &'a ValueLines,
    without_racks: &'a ValueLines,
    /// The newest image.
    image: ImageNo,
    /// By shard: the image that its groups see (frozen while it does not answer).
    held: Vec<ImageNo>,
    is_down: Vec<bool>,
    /// By topic: groups whose truth it is in, in order of id.
    watchers: Vec<Vec<GroupId>>,
    /// Groups of each shard, in order of id.
    of_shard: Vec<Vec<GroupId>>,
    groups: Vec<GroupTruth>,
    subscription_of: Vec<SubscriptionId>,
}

#[derive(Default)]
struct GroupTruth {
    subscribers: Subscribers,
    /// Topics of its members' names and patterns (existing or not), in order of id.
    topics: Vec<TopicId>,
    told: ImageNo,
    /// Topics that came in by a member's own operation since the last rebalance: told as they were then.
    told_later: Vec<(TopicId, ImageNo)>,
    /// How many of its topics differ from told.
    differing: u32,
}

/// A group whose truth has just become another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touched {
    /// Which.
    pub group: GroupId,
    /// The first entry, in the scenario's order, behind what changed.
    pub entry: EntryIndex,
    /// What its patience grows by.
    pub extension: Ms,
}

impl<'a> Told<'a> {
    /// Everybody has been told of the image at time 0.
    #[must_use]
    pub fn new(history: &'a History, readings: &'a Readings) -> Told<'a> {
        let mut told = Told {
            history,
            readings,
            with_racks: readings.lines(Reading::TRUTH),
            without_racks: readings.lines(Reading::TRUTH_WITHOUT_RACKS),
            image: 0,
            held: vec![0; history.shards.len()],
            is_down: vec![false; history.shards.len()],
            watchers: vec![Vec::new(); history.names.topics.len()],
            of_shard: vec![Vec::new(); history.shards.len()],
            groups: Vec::new(),
            subscription_of: history.members.iter().map(|m| m.subscription).collect(),
        };
        told.groups.resize_with(history.groups.len(), GroupTruth::default);
        for (index, group) in history.groups.iter().enumerate() {
            told.of_shard[group.shard.index()].push(GroupId::at(index));
        }
        for member in history.members.iter().filter(|m| m.standing) {
            told.groups[member.group.index()].subscribers.add(member.subscription);
        }
        for group in (0..history.groups.len()).map(GroupId::at) {
            let topics = told.domain(group);
            topics.iter().for_each(|t| told.watchers[t.index()].push(group));
            told.groups[group.index()].topics = topics;
        }
        told
    }

    /// Is the group's truth another than the one it was told?
    #[must_use]
    pub fn is_stale(&self, group: GroupId) -> bool {
        self.groups[group.index()].differing > 0
    }

    /// The image that the group's coordinator holds.
    #[must_use]
    pub fn held(&self, group: GroupId) -> ImageNo {
        self.held[self.history.groups[group.index()].shard.index()]
    }

    /// How many members the group has.
    #[must_use]
    pub fn members(&self, group: GroupId) -> u32 {
        self.groups[group.index()].subscribers.members()
    }

    /// Was the group's truth the same in two images?
    #[must_use]
    pub fn same(&self, group: GroupId, a: ImageNo, b: ImageNo) -> bool {
        let lines = self.lines(group);
        self.groups[group.index()].topics.iter().all(|t| lines.at(*t, a) == lines.at(*t, b))
    }

    /// The next image is here; `touched` gets the groups whose truth it changes, in order of id.
    pub fn on_image(&mut self, touched: &mut Vec<Touched>) {
        self.image += 1;
        for (held, down) in self.held.iter_mut().zip(&self.is_down) {
            if !down {
                *held = self.image;
            }
        }
        let readings = self.readings;
        let facts = &readings.deltas[self.image as usize - 1];
        for (fact, entry) in facts.changed.iter().zip(&facts.entries) {
            let topic = fact.topic;
            let (rack_change, plain_change) =
                (self.with_racks.changes_at(topic, self.image), self.without_racks.changes_at(topic, self.image));
            if !rack_change && !plain_change {
                continue;
            }
            for place in 0..self.watchers[topic.index()].len() {
                let group = self.watchers[topic.index()][place];
                let spec = &self.history.groups[group.index()];
                let changes = if spec.rack_aware { rack_change } else { plain_change };
                if changes && !self.is_down[spec.shard.index()] {
                    self.recount(group, topic);
                    touched.push(Touched { group, entry: *entry, extension: Ms::ZERO });
                }
            }
        }
        self.settle(touched, self.image - 1);
    }

    /// The shard stops answering: its groups keep the truth that they have.
    pub fn on_shard_down(&mut self, shard: ShardId) {
        self.is_down[shard.index()] = true;
    }

    /// The shard is active again; `touched` gets the groups whose truth changed meanwhile.
    pub fn on_shard_up(&mut self, shard: ShardId, touched: &mut Vec<Touched>) {
        let since = self.held[shard.index()];
        self.is_down[shard.index()] = false;
        self.held[shard.index()] = self.image;
        for image in since + 1..=self.image {
            let facts = &self.readings.deltas[image as usize - 1];
            for (fact, entry) in facts.changed.iter().zip(&facts.entries) {
                for &group in &self.watchers[fact.topic.index()] {
                    if self.history.groups[group.index()].shard == shard
                        && self.lines(group).changes_at(fact.topic, image)
                    {
                        touched.push(Touched { group, entry: *entry, extension: Ms::ZERO });
                    }
                }
            }
        }
        self.settle(touched, since);
        touched.retain(|t| !self.same(t.group, since, self.image));
        for t in touched.iter() {
            let differing = self.count_differing(t.group);
            self.groups[t.group.index()].differing = differing;
        }
    }

    /// The group rebalances: it is told what its coordinator holds now.
    pub fn tell(&mut self, group: GroupId) {
        let held = self.held(group);
        let truth = &mut self.groups[group.index()];
        truth.told = held;
        truth.told_later.clear();
        truth.differing = 0;
    }

    /// The group rebalances, and is told what an image says that its coordinator held at some time.
    pub fn tell_of(&mut self, group: GroupId, image: ImageNo) {
        let truth = &mut self.groups[group.index()];
        truth.told = image;
        truth.told_later.clear();
        let differing = self.count_differing(group);
        self.groups[group.index()].differing = differing;
    }

    /// A member is in the group from here on. What that changes was known to it.
    pub fn member_in(&mut self, member: MemberId) {
        let group = self.history.members[member.index()].group;
        let subscription = self.subscription_of[member.index()];
        self.groups[group.index()].subscribers.add(subscription);
        self.update_domain(group);
    }

    /// A member is not in the group any more.
    pub fn member_out(&mut self, member: MemberId) {
        let group = self.history.members[member.index()].group;
        self.groups[group.index()].subscribers.remove(self.subscription_of[member.index()]);
        self.update_domain(group);
    }

    /// A member subscribes to something else.
    pub fn resubscribe(&mut self, member: MemberId, to: SubscriptionId) {
        let group = self.history.members[member.index()].group;
        let subscribers = &mut self.groups[group.index()].subscribers;
        subscribers.remove(self.subscription_of[member.index()]);
        subscribers.add(to);
        self.subscription_of[member.index()] = to;
        self.update_domain(group);
    }

    fn lines(&self, group: GroupId) -> &'a ValueLines {
        if self.history.groups[group.index()].rack_aware { self.with_racks } else { self.without_racks }
    }

    /// One touch a group, in order of id: the first entry, and the extension of all that settles since `since`.
    fn settle(&self, touched: &mut Vec<Touched>, since: ImageNo) {
        touched.sort_unstable_by_key(|t| (t.group, t.entry));
        touched.dedup_by_key(|t| t.group);
        for t in touched.iter_mut() {
            t.extension = self.extension(t.group, since);
        }
    }

    /// How much longer a change may take that opens now (model: K.5, patience): a broker of the group's topics is
    /// on its way into sync, or a changed topic is known by a pattern alone.
    fn extension(&self, group: GroupId, since: ImageNo) -> Ms {
        let truth = &self.groups[group.index()];
        let (mut settling, mut by_pattern) = (Ms::ZERO, false);
        let has_pattern = !truth.subscribers.patterns(&self.history.subscriptions).is_empty();
        let named = if has_pattern { truth.subscribers.names(&self.history.subscriptions) } else { Vec::new() };
        let held = self.held(group);
        for image in since + 1..=held {
            let facts = &self.readings.deltas[image as usize - 1];
            if !facts.settling.is_empty() {
                for topic in &truth.topics {
                    if let Ok(place) = facts.settling.binary_search_by_key(topic, |(t, _)| *t) {
                        settling = settling.max(facts.settling[place].1);
                    }
                }
            }
            if has_pattern {
                let lines = self.lines(group);
                by_pattern |= facts.changed.iter().any(|fact| {
                    truth.topics.binary_search(&fact.topic).is_ok()
                        && lines.changes_at(fact.topic, image)
                        && named.binary_search(&fact.topic).is_err()
                });
            }
        }
        if by_pattern { settling + PATTERN_DELAY } else { settling }
    }

    /// `topic` took another value with the newest image: one more or one less that differs.
    fn recount(&mut self, group: GroupId, topic: TopicId) {
        let lines = self.lines(group);
        let told = self.told_value(group, topic);
        let (before, now) = (lines.at(topic, self.image - 1), lines.at(topic, self.image));
        let differing = &mut self.groups[group.index()].differing;
        match (before == told, now == told) {
            (true, false) => *differing += 1,
            (false, true) => *differing -= 1,
            (true, true) | (false, false) => {}
        }
    }

    fn told_value(&self, group: GroupId, topic: TopicId) -> u32 {
        let truth = &self.groups[group.index()];
        let later = truth.told_later.iter().find(|(t, _)| *t == topic);
        self.lines(group).at(topic, later.map_or(truth.told, |(_, image)| *image))
    }

    fn count_differing(&self, group: GroupId) -> u32 {
        let (lines, held) = (self.lines(group), self.held(group));
        let topics = &self.groups[group.index()].topics;
        let differing = topics.iter().filter(|t| lines.at(**t, held) != self.told_value(group, **t)).count();
        u32::try_from(differing).expect("topics fit 32 bits")
    }

    fn domain(&self, group: GroupId) -> Vec<TopicId> {
        self.groups[group.index()].subscribers.topics(&self.history.subscriptions, &self.history.patterns)
    }

    fn update_domain(&mut self, group: GroupId) {
        let topics = self.domain(group);
        let old = std::mem::take(&mut self.groups[group.index()].topics);
        if topics == old {
            self.groups[group.index()].topics = topics;
            return;
        }
        let held = self.held(group);
        for topic in old.iter().filter(|t| topics.binary_search(t).is_err()) {
            let watchers = &mut self.watchers[topic.index()];
            watchers.retain(|g| *g != group);
            self.groups[group.index()].told_later.retain(|(t, _)| t != topic);
        }
        for topic in topics.iter().filter(|t| old.binary_search(t).is_err()) {
            let watchers = &mut self.watchers[topic.index()];
            if let Err(place) = watchers.binary_search(&group) {
                watchers.insert(place, group);
            }
            self.groups[group.index()].told_later.push((*topic, held));
        }
        self.groups[group.index()].topics = topics;
        let differing = self.count_differing(group);
        self.groups[group.index()].differing = differing;
    }
}
