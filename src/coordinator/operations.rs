//! What members do: join, leave, expire, change their subscription, go away and come back (model: A.4).
//! An operation that fails (`unregistered: fail`) leaves the group as it was.

use crate::kafka::record::{self, RecordSize};
use crate::kafka::{GroupId, GroupKind, MemberId, PatternId, SubscriptionId, TopicId};
use crate::sim::Ms;
use crate::strategy::{Stored, Why, Work};
use crate::world::Origin;

use super::RecordType;
use super::core::Coordinator;
use super::log::Batch;
use super::member_record::{MEMBER_ID, member_record};
use super::{Recomputed, Renewal};

/// A member's operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// It joins with this subscription.
    Join(SubscriptionId),
    /// It changes to this subscription.
    Subscribe(SubscriptionId),
    /// It leaves or expires.
    Leave,
    /// A static member is back under its instance id.
    Back,
}

/// What an operation did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The recomputation, if there was one.
    pub recomputed: Option<Recomputed>,
    /// The rebalance, if there was one.
    pub renewal: Option<Renewal>,
}

impl Outcome {
    /// Did it fail, so that it must be tried again?
    #[must_use]
    pub fn failed(&self) -> bool {
        self.recomputed.is_some_and(|r| r.failed)
    }
}

impl Coordinator<'_> {
    /// Carries an operation out.
    pub fn operate(&mut self, member: MemberId, operation: Operation, by: Origin, at: Ms) -> Outcome {
        match operation {
            Operation::Join(to) => self.change(member, None, to, by, at),
            Operation::Subscribe(to) => self.change(member, self.members.of(member), to, by, at),
            Operation::Leave => self.leave(member, by),
            Operation::Back => self.back(member, at),
        }
    }

    /// A join (`from` is none) or a changed subscription.
    fn change(
        &mut self,
        member: MemberId,
        from: Option<SubscriptionId>,
        to: SubscriptionId,
        by: Origin,
        at: Ms,
    ) -> Outcome {
        if from == Some(to) {
            return Outcome::default();
        }
        let history = self.setting.history;
        let id = history.members[member.index()].group;
        let [streams, share] = [GroupKind::Streams, GroupKind::Share].map(|kind| self.kind(id) == kind);
        let before = self.groups[id.index()].before();
        let created = !self.groups[id.index()].exists;
        if created {
            let shard = self.shard_of(id).index();
            let strategy = self.shards[shard].strategy.as_ref().expect("only an active shard creates a group");
            let empty = strategy.empty();
            let kind = self.deployed(id).kind;
            let group = &mut self.groups[id.index()];
            (group.exists, group.stored, group.stored_by) = (true, empty, Some(kind));
            if share {
                group.share = Some(Box::default());
            }
        }
        let group = &mut self.groups[id.index()];
        if let Some(from) = from {
            group.subscribers.remove(from);
        }
        group.subscribers.add(to);
        let new = &history.subscriptions[to.index()];
        let old = from.map(|from| &history.subscriptions[from.index()]);
        let (old_names, old_pattern) = old.map_or((&[][..], None), |s| (s.names.as_slice(), s.pattern));
        let dropped = self.drop_pattern(id, old_pattern.filter(|p| Some(*p) != new.pattern));
        let group = &mut self.groups[id.index()];
        if new.pattern.is_some() {
            group.patterns.get_or_insert_default();
        }
        let resolved = new.pattern.is_some_and(|p| group.patterns.as_ref().is_some_and(|all| all.is_resolved(p)));
        let bumps = group.epoch == 0
            || new.names != old_names
            || (new.pattern != old_pattern && (resolved || new.pattern.is_none()))
            // whatever changes of a member of a streams group
            || (streams && from.is_none());
        let topics = self.topics_of(&self.groups[id.index()]);
        let mut batch = Batch::new();
        batch.push((RecordType::MemberMetadata, self.member_record(member, to)));
        batch.extend(dropped.map(|p| self.pattern_tombstone(id, p)));
        if created && streams {
            batch.push(self.topology_record(id, &topics));
        }
        let due = created || self.is_metadata_due(id, at);
        let mut outcome = Outcome::default();
        if bumps && streams && !due {
            outcome.renewal = Some(self.renew_unread(id, Self::as_stored(), by, &mut batch));
            self.looked(id, at);
        } else if bumps || due {
            let mut work = Work::default();
            let found = self.recompute(id, &topics, Why::MemberChange, &mut work);
            outcome.recomputed = Some(Recomputed { due, failed: found.is_err(), work });
            let Ok(mut verdict) = found else {
                self.groups[id.index()].roll_back(before);
                return outcome;
            };
            self.note_built(id);
            self.set_topics(id, topics);
            if bumps || verdict.differs {
                let trigger = if bumps { by } else { self.due_by(id) };
                outcome.renewal = Some(self.renew(id, verdict, trigger, bumps, &mut batch));
            } else {
                self.keep(id, &mut verdict, &mut batch);
            }
            self.looked(id, at);
        } else {
            self.set_topics(id, topics);
        }
        self.members.set(member, Some(to));
        self.share_heartbeat_ends(id, at, by, &mut batch);
        self.append(id, &batch);
        outcome
    }

    fn leave(&mut self, member: MemberId, by: Origin) -> Outcome {
        let Some(from) = self.members.of(member) else { return Outcome::default() };
        let history = self.setting.history;
        let id = history.members[member.index()].group;
        if self.kind(id) == GroupKind::Streams {
            return self.leave_unread(member, id, from, by);
        }
        let before = self.groups[id.index()].before();
        self.groups[id.index()].subscribers.remove(from);
        let dropped = self.drop_pattern(id, history.subscriptions[from.index()].pattern);
        let topics = self.topics_of(&self.groups[id.index()]);
        let mut work = Work::default();
        let found = self.recompute(id, &topics, Why::MemberGone, &mut work);
        let recomputed = Some(Recomputed { due: false, failed: found.is_err(), work });
        let Ok(verdict) = found else {
            self.groups[id.index()].roll_back(before);
            return Outcome { recomputed, renewal: None };
        };
        self.note_built(id);
        let mut batch = self.member_tombstones(id);
        batch.extend(dropped.map(|p| self.pattern_tombstone(id, p)));
        self.set_topics(id, topics);
        let renewal = Some(self.renew(id, verdict, by, true, &mut batch));
        self.members.set(member, None);
        self.share_left(id, from, by);
        self.append(id, &batch);
        Outcome { recomputed, renewal }
    }

    /// A streams group that loses a member stores what it had: its topology is the same, and nobody looks at it.
    fn leave_unread(&mut self, member: MemberId, id: GroupId, from: SubscriptionId, by: Origin) -> Outcome {
        self.groups[id.index()].subscribers.remove(from);
        let mut batch = self.member_tombstones(id);
        let mut stored = Self::as_stored();
        if self.deployed(id).streams_forgets {
            stored.value = Some(Stored::Hash(0));
        }
        let renewal = self.renew_unread(id, stored, by, &mut batch);
        self.members.set(member, None);
        self.append(id, &batch);
        Outcome { recomputed: None, renewal: Some(renewal) }
    }

    /// The new incarnation replaces the old under the same subscription: a heartbeat like any other.
    fn back(&mut self, member: MemberId, at: Ms) -> Outcome {
        let Some(subscription) = self.members.of(member) else { return Outcome::default() };
        let id = self.setting.history.members[member.index()].group;
        let mut outcome = Outcome::default();
        if self.is_due(id, at) {
            let mut look = self.look(id, member, at);
            let (recomputed, renewal) = self.settle(&mut look);
            outcome = Outcome { recomputed: Some(recomputed), renewal };
        }
        if !outcome.failed() {
            let mut batch = self.member_tombstones(id);
            batch.push((RecordType::MemberMetadata, self.member_record(member, subscription)));
            self.append(id, &batch);
        }
        outcome
    }

    /// A pattern that the member had: gone if nobody has it any more.
    fn drop_pattern(&mut self, id: GroupId, pattern: Option<PatternId>) -> Option<PatternId> {
        let pattern = pattern?;
        let group = &mut self.groups[id.index()];
        if group.subscribers.patterns(&self.setting.history.subscriptions).contains(&pattern) {
            return None;
        }
        let patterns = group.patterns.as_mut()?;
        let was_resolved = patterns.is_resolved(pattern);
        patterns.drop_pattern(pattern);
        was_resolved.then_some(pattern)
    }

    /// The group is subscribed to these topics from here on; topics that nobody watches any more leave the cache.
    pub(super) fn set_topics(&mut self, id: GroupId, topics: Vec<TopicId>) {
        let shard = self.shard_of(id).index();
        if self.groups[id.index()].topics == topics {
            return;
        }
        let old = std::mem::replace(&mut self.groups[id.index()].topics, topics);
        self.groups[id.index()].topics_changed = true;
        let new = self.groups[id.index()].topics.clone();
        let watched = self.shards[shard].watched;
        for topic in new.iter().filter(|t| !old.contains(t)) {
            let before = self.watchers_bytes(shard, *topic);
            self.shards[shard].watched += u32::from(before == 0);
            self.shards[shard].index.watch(*topic, id);
            self.heap.now.index = self.heap.now.index - before + self.watchers_bytes(shard, *topic);
        }
        for topic in old.iter().filter(|t| !new.contains(t)) {
            let before = self.watchers_bytes(shard, *topic);
            let room = &mut self.shards[shard];
            if room.index.unwatch(*topic, id) {
                room.watched -= 1;
                let strategy = room.strategy.as_mut().expect("only an active shard changes a subscription");
                strategy.on_topic_unwatched(*topic, room.watched > 0);
            }
            self.heap.now.index = self.heap.now.index - before + self.watchers_bytes(shard, *topic);
        }
        self.reprice_cache(shard);
        if self.shards[shard].watched != watched {
            self.reprice_index_map(shard);
        }
    }

    /// Three tombstones: current assignment, target assignment, member metadata.
    fn member_tombstones(&self, id: GroupId) -> Batch {
        let size = RecordSize { key: self.member_key(id), value: None };
        [RecordType::CurrentMemberAssignment, RecordType::TargetAssignmentMember, RecordType::MemberMetadata]
            .map(|kind| (kind, size))
            .into_iter()
            .collect()
    }

    fn pattern_tombstone(&self, id: GroupId, pattern: PatternId) -> (RecordType, RecordSize) {
        (RecordType::RegularExpression, RecordSize { value: None, ..self.pattern_record(id, pattern) })
    }

    fn member_key(&self, id: GroupId) -> u64 {
        record::named_key(u64::from(self.name_bytes(id)), MEMBER_ID)
    }

    /// A member's own record, with what it subscribes to in this lane.
    pub(super) fn member_record(&self, member: MemberId, subscription: SubscriptionId) -> RecordSize {
        member_record(self.setting.history, member, subscription)
    }

    /// RegularExpression, with what the pattern resolved to.
    pub(super) fn pattern_record(&self, id: GroupId, pattern: PatternId) -> RecordSize {
        let history = self.setting.history;
        let text = history.patterns[pattern.index()].text.len() as u64;
        let topics = self.groups[id.index()].patterns.as_ref().map_or(&[][..], |p| p.topics(pattern));
        let names: Vec<u64> = topics.iter().map(|t| history.names.topics[t.index()].len() as u64).collect();
        let key = record::named_key(u64::from(self.name_bytes(id)), text);
        RecordSize { key, value: Some(record::regular_expression(&names)) }
    }
}
