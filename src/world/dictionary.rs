//! Every name of a run, and the dense id that it has: dealt in natural order, so that neither the order of a
//! file nor what is added to it moves more than it must.

use regex::Regex;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;

use crate::kafka::{BrokerId, RackId, ShardId, TopicId};
use crate::scenario::{Entry, Group, Members, Scenario, StartHow, TopicPick, Verb};
use crate::sim::natural_cmp;

use super::error::WorldError;
use super::picks::Entity;

/// The offsets topic: no topic of a scenario, but its partitions are led like any other's.
pub(super) const OFFSETS: &str = "__consumer_offsets";

/// Names and ids of a run.
pub(super) struct Dictionary<'s> {
    /// Topic names, by id.
    pub(super) topics: Vec<String>,
    /// Rack names, by id.
    pub(super) racks: Vec<String>,
    /// Topics as targets of entries, by id.
    pub(super) topic_entities: Vec<Entity<'static>>,
    /// Groups as targets of entries, by id.
    pub(super) group_entities: Vec<Entity<'s>>,
    topic_ids: FxHashMap<String, TopicId>,
    rack_ids: FxHashMap<String, RackId>,
}

impl<'s> Dictionary<'s> {
    /// All names that a scenario can bring about.
    pub(super) fn new(scenario: &'s Scenario) -> Dictionary<'s> {
        Dictionary::with(scenario, Seen::default())
    }

    /// The same, with topics and racks that come from elsewhere.
    pub(super) fn beside<'n>(
        scenario: &'s Scenario,
        topics: impl Iterator<Item = &'n str>,
        racks: impl Iterator<Item = &'n str>,
    ) -> Dictionary<'s>
    where
        's: 'n,
    {
        let mut seen = Seen::default();
        topics.filter(|name| *name != OFFSETS).for_each(|name| seen.topic(name));
        racks.for_each(|name| seen.rack(name));
        Dictionary::with(scenario, seen)
    }

    fn with<'n>(scenario: &'s Scenario, seen: Seen<'n>) -> Dictionary<'s>
    where
        's: 'n,
    {
        let internal: Vec<String> = scenario.groups.iter().flat_map(Group::internal_topics).collect();
        let mut seen = seen;
        internal.iter().for_each(|name| seen.topic(name));
        scenario.topics.iter().for_each(|t| seen.topic(&t.name));
        scenario.brokers.iter().filter_map(|b| b.rack.as_deref()).for_each(|rack| seen.rack(rack));
        for group in &scenario.groups {
            seen.pick(&group.topics);
            group.racks.iter().flatten().for_each(|rack| seen.rack(rack));
            if let Members::Named(members) = &group.members {
                members.iter().filter_map(|m| m.topics.as_ref()).for_each(|pick| seen.pick(pick));
                members.iter().filter_map(|m| m.rack.as_deref()).for_each(|rack| seen.rack(rack));
            }
        }
        scenario.history.iter().for_each(|entry| seen.entry(entry));
        let [topics, racks] = [seen.topics, seen.racks].map(|names| {
            let mut names: Vec<String> = names.into_iter().map(str::to_owned).collect();
            names.sort_by(|a, b| natural_cmp(a, b));
            names
        });
        let family_of: FxHashMap<&str, &String> =
            scenario.topics.iter().filter_map(|t| Some((t.name.as_str(), t.family.as_ref()?))).collect();
        let topic_entities = topics
            .iter()
            .map(|name| Entity {
                name: Cow::Owned(name.clone()),
                family: family_of.get(name.as_str()).map(|family| Cow::Owned((*family).clone())),
                rack: None,
            })
            .collect();
        let group_entities = scenario
            .groups
            .iter()
            .map(|g| Entity {
                name: Cow::Borrowed(&*g.name),
                family: g.family.as_deref().map(Cow::Borrowed),
                rack: None,
            })
            .collect();
        let topic_ids = topics.iter().enumerate().map(|(i, name)| (name.clone(), TopicId::at(i))).collect();
        let rack_ids = racks.iter().enumerate().map(|(i, name)| (name.clone(), RackId::at(i))).collect();
        Dictionary { topics, racks, topic_entities, group_entities, topic_ids, rack_ids }
    }

    /// A topic's id. Every name that can come up is there.
    pub(super) fn topic(&self, name: &str) -> TopicId {
        self.topic_ids[name]
    }

    /// A topic's name.
    pub(super) fn topic_name(&self, topic: TopicId) -> &str {
        self.topics.get(topic.index()).map_or(OFFSETS, String::as_str)
    }

    /// A rack's id. Every rack that a broker or member can have is there.
    pub(super) fn rack(&self, name: Option<&str>) -> Option<RackId> {
        name.map(|name| self.rack_ids[name])
    }

    /// The id of a rack that an entry asks for, which nobody may have.
    pub(super) fn known_rack(&self, name: &str) -> Option<RackId> {
        self.rack_ids.get(name).copied()
    }

    /// Every topic name that a pattern matches as a whole.
    pub(super) fn matches(&self, pattern: &str) -> Result<Vec<TopicId>, WorldError> {
        let whole = Regex::new(&format!("^(?:{pattern})$"))
            .map_err(|e| WorldError::at_start(format!("pattern `{pattern}` cannot be read: {e}")))?;
        let hit = |(_, name): &(usize, &String)| whole.is_match(name);
        Ok(self.topics.iter().enumerate().filter(hit).map(|(i, _)| TopicId::at(i)).collect())
    }
}

/// The shard of a group: `abs(groupId.hashCode()) mod offsets.topic.num.partitions`, in Java's arithmetic.
pub(super) fn shard_of(group: &str, shards: u32) -> ShardId {
    let hash = group.encode_utf16().fold(0i32, |h, unit| h.wrapping_mul(31).wrapping_add(i32::from(unit)));
    ShardId(hash.checked_abs().unwrap_or(0).unsigned_abs() % shards.max(1))
}

/// A broker's id, from the text of a target.
pub(super) fn broker_id(text: &str) -> Option<BrokerId> {
    text.parse().ok().map(BrokerId)
}

/// Names as they come up.
#[derive(Default)]
struct Seen<'s> {
    topics: FxHashSet<&'s str>,
    racks: FxHashSet<&'s str>,
    /// Lists that have been read: a family of groups shares one.
    lists: FxHashSet<*const String>,
}

impl<'s> Seen<'s> {
    fn topic(&mut self, name: &'s str) {
        self.topics.insert(name);
    }

    fn rack(&mut self, name: &'s str) {
        self.racks.insert(name);
    }

    fn pick(&mut self, pick: &'s TopicPick) {
        let (TopicPick::These(names) | TopicPick::Draw { of: names, .. }) = pick;
        if self.lists.insert(names.as_ptr()) {
            names.iter().for_each(|name| self.topic(name));
        }
    }

    fn how(&mut self, how: &'s StartHow) {
        how.rack.iter().flatten().for_each(|rack| self.rack(rack));
        how.racks.iter().filter_map(|(_, new)| new.as_deref()).for_each(|rack| self.rack(rack));
    }

    fn entry(&mut self, entry: &'s Entry) {
        match &entry.verb {
            Verb::Roll { how, .. }
            | Verb::Restart { how, .. }
            | Verb::Start { how, .. }
            | Verb::AddBroker { how, .. } => self.how(how),
            Verb::CreateTopic { names, .. } => names.iter().for_each(|name| self.topic(name)),
            Verb::Join { topics, rack, .. } => {
                topics.iter().for_each(|pick| self.pick(pick));
                rack.iter().flatten().for_each(|rack| self.rack(rack));
            }
            Verb::Subscribe { topics, .. } => topics.iter().for_each(|pick| self.pick(pick)),
            Verb::Shutdown { .. }
            | Verb::Crash { .. }
            | Verb::Unregister { .. }
            | Verb::AddPartitions { .. }
            | Verb::DeleteTopic { .. }
            | Verb::RecreateTopic { .. }
            | Verb::Reassign { .. }
            | Verb::SetRf { .. }
            | Verb::ElectLeaders { .. }
            | Verb::Touch { .. }
            | Verb::IsrShrink { .. }
            | Verb::IsrExpand { .. }
            | Verb::SnapshotReload
            | Verb::Leave { .. }
            | Verb::Kill { .. }
            | Verb::RestartMember { .. }
            | Verb::MoveCoordinator { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_hash_to_shards_as_java_strings_do() {
        // "hello".hashCode() = 99162322; "polygenelubricants".hashCode() = Integer.MIN_VALUE; "" is 0
        assert_eq!(shard_of("hello", 50), ShardId(22));
        assert_eq!(shard_of("polygenelubricants", 50), ShardId(0));
        assert_eq!(shard_of("", 50), ShardId(0));
        let by_hand = "group-7".bytes().fold(0i64, |h, b| (h * 31 + i64::from(b)) & 0xffff_ffff);
        let signed = if by_hand > i64::from(i32::MAX) { by_hand - (1 << 32) } else { by_hand };
        assert_eq!(i64::from(shard_of("group-7", 50).0), signed.abs() % 50);
    }
}
