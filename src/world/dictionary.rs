//! Every name of a run, and the dense id that it has: dealt in natural order, so that neither the order of a
//! file nor what is added to it moves more than it must.

use regex::Regex;
use rustc_hash::FxHashMap;

use crate::kafka::{BrokerId, RackId, ShardId, TopicId};
use crate::scenario::{Entry, Members, Scenario, StartHow, TopicPick, Verb};
use crate::sim::natural_cmp;

use super::error::WorldError;
use super::picks::Entity;

/// The offsets topic: no topic of a scenario, but its partitions are led like any other's.
pub(super) const OFFSETS: &str = "__consumer_offsets";

/// Names and ids of a run.
pub(super) struct Dictionary {
    /// Topic names, by id.
    pub(super) topics: Vec<String>,
    /// Rack names, by id.
    pub(super) racks: Vec<String>,
    /// Topics as targets of entries, by id.
    pub(super) topic_entities: Vec<Entity>,
    /// Groups as targets of entries, by id.
    pub(super) group_entities: Vec<Entity>,
    topic_ids: FxHashMap<String, TopicId>,
    rack_ids: FxHashMap<String, RackId>,
}

impl Dictionary {
    /// All names that a scenario can bring about.
    pub(super) fn new(scenario: &Scenario) -> Dictionary {
        let mut topics: Vec<String> = scenario.topics.iter().map(|t| t.name.clone()).collect();
        let mut racks: Vec<String> = scenario.brokers.iter().filter_map(|b| b.rack.clone()).collect();
        for group in &scenario.groups {
            add_pick(&mut topics, &group.topics);
            racks.extend(group.racks.iter().flatten().cloned());
            if let Members::Named(members) = &group.members {
                members.iter().filter_map(|m| m.topics.as_ref()).for_each(|pick| add_pick(&mut topics, pick));
                racks.extend(members.iter().filter_map(|m| m.rack.clone()));
            }
        }
        scenario.history.iter().for_each(|entry| add_entry(&mut topics, &mut racks, entry));
        for names in [&mut topics, &mut racks] {
            names.sort_by(|a, b| natural_cmp(a, b));
            names.dedup();
        }
        let family_of: FxHashMap<&str, &String> =
            scenario.topics.iter().filter_map(|t| Some((t.name.as_str(), t.family.as_ref()?))).collect();
        let topic_entities = topics
            .iter()
            .map(|name| Entity {
                name: name.clone(),
                family: family_of.get(name.as_str()).copied().cloned(),
                rack: None,
            })
            .collect();
        let group_entities = scenario
            .groups
            .iter()
            .map(|g| Entity { name: g.name.clone(), family: g.family.clone(), rack: None })
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

fn add_pick(topics: &mut Vec<String>, pick: &TopicPick) {
    match pick {
        TopicPick::These(names) => topics.extend(names.iter().cloned()),
        TopicPick::Draw { of, .. } => topics.extend(of.iter().cloned()),
    }
}

fn add_how(racks: &mut Vec<String>, how: &StartHow) {
    racks.extend(how.rack.iter().flatten().cloned());
    racks.extend(how.racks.iter().filter_map(|(_, new)| new.clone()));
}

fn add_entry(topics: &mut Vec<String>, racks: &mut Vec<String>, entry: &Entry) {
    match &entry.verb {
        Verb::Roll { how, .. } | Verb::Restart { how, .. } | Verb::Start { how, .. } | Verb::AddBroker { how, .. } => {
            add_how(racks, how);
        }
        Verb::CreateTopic { names, .. } => topics.extend(names.iter().cloned()),
        Verb::Join { topics: pick, rack, .. } => {
            pick.iter().for_each(|pick| add_pick(topics, pick));
            racks.extend(rack.iter().flatten().cloned());
        }
        Verb::Subscribe { topics: pick, .. } => pick.iter().for_each(|pick| add_pick(topics, pick)),
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
