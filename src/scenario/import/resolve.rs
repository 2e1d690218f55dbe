//! From what was seen to what a scenario says: each thing from the tool that knows it best, the language's default where
//! none does, and a note where a reader of results has to know.

use std::collections::{BTreeMap, BTreeSet};

use super::ImportOptions;
use super::checks::partitions;
use super::seen::{GroupKind, Seen, SeenGroup, Topics, add_topic};
use crate::kafka::{Version, java};

/// Kafka's own topic, whose partitions are the coordinators.
pub(super) const OFFSETS: &str = "__consumer_offsets";

/// What the scenario says.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) version: Version,
    /// In order of id; empty: nothing is known of them.
    pub(super) brokers: Vec<FoundBroker>,
    /// Replicas of the offsets topic.
    pub(super) offsets: Option<Vec<Vec<u32>>>,
    pub(super) topics: BTreeMap<String, FoundTopic>,
    pub(super) groups: BTreeMap<String, FoundGroup>,
    /// Groups that are not wanted, by type.
    pub(super) left_out: BTreeMap<Option<GroupKind>, usize>,
    /// Names that something else has now, since the language cannot have them.
    pub(super) renamed: usize,
    /// What no file says, with what is taken instead, a line each.
    pub(super) assumed: Vec<String>,
    /// What a reader of results has to know, a line each.
    pub(super) notes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FoundBroker {
    pub(super) id: u32,
    pub(super) rack: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FoundTopic {
    pub(super) id: Option<String>,
    pub(super) place: FoundPlace,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FoundPlace {
    /// As described.
    Exact(Vec<Vec<u32>>),
    /// So many partitions were seen assigned, and nothing more.
    AtLeast(u32),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FoundGroup {
    pub(super) kind: Option<GroupKind>,
    pub(super) members: u32,
    /// How many of them are static.
    pub(super) statics: u32,
    pub(super) topics: BTreeSet<String>,
    /// Its server-side assignor, as the language calls it.
    pub(super) assignor: Option<&'static str>,
    /// Stands behind its line.
    pub(super) remark: Option<&'static str>,
}

impl Found {
    /// How many shards there are.
    pub(super) fn shards(&self) -> u32 {
        let described = self.offsets.as_ref().and_then(|lists| u32::try_from(lists.len()).ok());
        described.filter(|n| *n > 0).unwrap_or(50)
    }

    fn note_some(&mut self, count: usize, one: &str, many: &str, rest: &str) {
        if count > 0 {
            let what = if count == 1 { one } else { many };
            self.notes.push(format!("{count} {what} {rest}"));
        }
    }
}

/// Puts everything together.
pub(super) fn resolve(seen: &Seen, options: &ImportOptions) -> Found {
    let mut found = Found::default();
    version(seen, &mut found);
    brokers(seen, &mut found);
    topics(seen, options, &mut found);
    groups(seen, options, &mut found);
    state_of_the_cluster(seen, &mut found);
    coordinators(seen, &mut found);
    found
}

/// The release of the software that answered.
fn version(seen: &Seen, found: &mut Found) {
    found.version = Version::default();
    let Some(supported) = &seen.supported else {
        let name = found.version.name();
        found.assumed.push(format!("the brokers' release: {name} (kafka-features.sh describe says it)"));
        found.notes.push(format!("no file says the brokers' release: {name} is taken"));
        return;
    };
    let release = supported.split('-').next().unwrap_or("");
    let number = |text: &str| {
        let (major, minor) = text.split_once('.')?;
        Some((major.parse::<u32>().ok()?, minor.parse::<u32>().ok()?))
    };
    let of = |version: &Version| number(version.name().trim_start_matches("kafka-"));
    let wanted = number(release);
    if let Some(version) = Version::ALL.into_iter().find(|version| wanted.is_some() && of(version) == wanted) {
        found.version = version;
        return;
    }
    let (oldest, newest) = (Version::ALL[0], Version::ALL[Version::ALL.len() - 1]);
    found.version = if wanted.is_some() && wanted < of(&oldest) { oldest } else { newest };
    let name = found.version.name();
    found.notes.push(format!("the brokers' software is of {release}, which is not modelled: {name} stands for it"));
}

fn brokers(seen: &Seen, found: &mut Found) {
    let holders: BTreeSet<u32> = partitions(seen).flat_map(|(_, p)| p.replicas.iter().copied()).collect();
    let unlisted: Vec<u32> = holders.iter().copied().filter(|id| !seen.brokers.contains_key(id)).collect();
    let ids: BTreeSet<u32> = seen.brokers.keys().copied().chain(holders).collect();
    let rack = |id: &u32| seen.brokers.get(id).and_then(|broker| broker.rack.clone());
    found.brokers = ids.iter().map(|id| FoundBroker { id: *id, rack: rack(id).flatten() }).collect();
    if ids.is_empty() {
        found.assumed.push("the brokers: 6, in racks a, b, c in turn (no file speaks of any)".to_owned());
        found.notes.push("no file speaks of brokers: the default of 6 is taken".to_owned());
        return;
    }
    if !seen.brokers.is_empty() && !unlisted.is_empty() {
        let text = "in no list of brokers, though with replicas (down?), and taken as up";
        found.notes.push(format!("{text}: {}", listed(&unlisted)));
    }
    let unknown: Vec<u32> = ids.iter().copied().filter(|id| rack(id).is_none()).collect();
    if unknown.len() == ids.len() {
        found.assumed.push("racks: none (kafka-broker-api-versions.sh says them)".to_owned());
        let text = "no file says the brokers' racks, so they have none, and nothing that comes of racks will show";
        found.notes.push(text.to_owned());
    } else if !unknown.is_empty() {
        found.assumed.push(format!("the racks of {}: none", listed(&unknown)));
        found.notes.push(format!("of a rack that no file says, so without one here: {}", listed(&unknown)));
    }
    let some = |is: fn(&super::seen::SeenBroker) -> bool| -> Vec<u32> {
        seen.brokers.iter().filter(|(_, broker)| is(broker)).map(|(id, _)| *id).collect()
    };
    let fenced = some(|broker| broker.fenced);
    if !fenced.is_empty() {
        found.notes.push(format!("fenced, and taken as up: {}", listed(&fenced)));
    }
    let silent = some(|broker| broker.silent);
    if !silent.is_empty() {
        found.notes.push(format!("without an answer, and taken as up: {}", listed(&silent)));
    }
    other_apis(seen, found);
}

/// Brokers that offer other APIs than most are of another release, and the tools do not say which.
fn other_apis(seen: &Seen, found: &mut Found) {
    let mut by_apis: BTreeMap<&[String], Vec<u32>> = BTreeMap::new();
    for (id, broker) in &seen.brokers {
        if let Some(apis) = &broker.apis {
            by_apis.entry(apis).or_default().push(*id);
        }
    }
    let usual = by_apis.values().map(Vec::len).max().unwrap_or(0);
    let mut sets: Vec<&Vec<u32>> = by_apis.values().collect();
    sets.sort_by_key(|ids| (ids.len() != usual, ids[0]));
    let others: Vec<u32> = sets.iter().skip(1).flat_map(|ids| ids.iter().copied()).collect();
    if !others.is_empty() {
        let text = "of another release than the others, by the APIs offered (write `version:` under the id)";
        found.notes.push(format!("{text}: {}", listed(&others)));
    }
}

fn topics(seen: &Seen, options: &ImportOptions, found: &mut Found) {
    for (name, topic) in &seen.topics {
        let replicas: Vec<Vec<u32>> = topic.partitions.values().map(|p| p.replicas.clone()).collect();
        if replicas.is_empty() {
            continue;
        }
        if name == OFFSETS {
            found.offsets = Some(replicas);
            continue;
        }
        let id = topic.id.clone().filter(|_| options.topic_ids && !options.anonymise);
        found.topics.insert(name.clone(), FoundTopic { id, place: FoundPlace::Exact(replicas) });
    }
    if found.offsets.is_none() {
        let text = "where the 50 partitions of __consumer_offsets are: drawn (kafka-topics.sh --describe says it)";
        found.assumed.push(text.to_owned());
        found.notes.push(format!("no file describes {OFFSETS}, so at which step of a roll a group is hit is drawn"));
    }
}

fn groups(seen: &Seen, options: &ImportOptions, found: &mut Found) {
    let mut tally = Tally::default();
    for (name, group) in &seen.groups {
        let kind = group.kind.or(group.shown_kind);
        if !options.only.is_empty() && !kind.is_some_and(|kind| options.only.contains(&kind)) {
            *found.left_out.entry(kind).or_default() += 1;
            continue;
        }
        let mut one = one_group(group, kind, seen, found, &mut tally);
        if kind == Some(GroupKind::Streams) {
            let own = |topic: &&String| own_topic(name, topic).is_some();
            one.topics.extend(found.topics.keys().filter(own).cloned());
        }
        found.groups.insert(name.clone(), one);
    }
    tally.tell(found);
    let count = |kind: GroupKind| found.groups.values().filter(|g| g.kind == Some(kind) && g.members > 0).count();
    let [classic, streams] = [GroupKind::Classic, GroupKind::Streams].map(count);
    let text =
        "taken as on the consumer protocol by every strategy but `classic-client`: `--only consumer` leaves such out";
    found.note_some(classic, "classic group is", "classic groups are", text);
    let text = "given the repartition and changelog topics that are named after it: no tool says its topology";
    found.note_some(streams, "streams group is", "streams groups are each", text);
    let typeless = found.groups.values().filter(|g| g.kind.is_none() && g.members > 0).count();
    let text = "of no known type (--list --state --type says it): taken as on the consumer protocol";
    found.note_some(typeless, "group is", "groups are", text);
}

/// A topic that the streams application `group` made for itself: its name without the group's.
pub(super) fn own_topic<'t>(group: &str, topic: &'t str) -> Option<&'t str> {
    let rest = topic.strip_prefix(group)?.strip_prefix('-')?;
    ["-repartition", "-changelog"]
        .iter()
        .any(|ending| rest.len() > ending.len() && rest.ends_with(ending))
        .then_some(rest)
}

/// What is to be told of all groups together.
#[derive(Default)]
struct Tally {
    /// Other numbers of members in two tables.
    differ: usize,
    rebalancing: usize,
    nameless: usize,
    without_topics: usize,
    memberless: usize,
    from_offsets: usize,
    own_topic: usize,
    gone: BTreeSet<String>,
}

fn one_group(
    group: &SeenGroup,
    kind: Option<GroupKind>,
    seen: &Seen,
    found: &mut Found,
    tally: &mut Tally,
) -> FoundGroup {
    let (members, statics) = members(group, tally);
    tally.rebalancing += usize::from(group.state.as_deref().is_some_and(|state| {
        ["PreparingRebalance", "CompletingRebalance", "Assigning", "Reconciling"].contains(&state)
    }));
    let mut assigned: Topics = group.consumed.clone();
    for member in group.members.iter().flat_map(BTreeMap::values) {
        member.topics.iter().for_each(|(topic, partition)| add_topic(&mut assigned, topic, *partition));
    }
    let guessed = assigned.is_empty() && !group.committed.is_empty();
    tally.from_offsets += usize::from(guessed && members > 0);
    let mut topics = BTreeSet::new();
    for (topic, partition) in if guessed { &group.committed } else { &assigned } {
        if topic == OFFSETS {
            tally.own_topic += 1;
        } else if found.topics.contains_key(topic) {
            if let Some(FoundTopic { place: FoundPlace::AtLeast(count), .. }) = found.topics.get_mut(topic) {
                *count = (*count).max(partition + 1);
            }
            topics.insert(topic.clone());
        } else if guessed && seen.any_topics {
            // somebody consumed it once, and it is not there any more
            tally.gone.insert(topic.clone());
        } else {
            let place = FoundPlace::AtLeast(partition + 1);
            found.topics.insert(topic.clone(), FoundTopic { id: None, place });
            topics.insert(topic.clone());
        }
    }
    let no_topics = members > 0 && topics.is_empty();
    tally.nameless += usize::from(no_topics && group.nameless);
    tally.without_topics += usize::from(no_topics && !group.nameless);
    let says_members = group.members.is_some() || !group.consumers.is_empty() || group.counted.is_some();
    let unknown = !says_members && group.state.as_deref() != Some("Empty");
    tally.memberless += usize::from(unknown);
    let remark = if unknown {
        Some("its members are not known")
    } else if no_topics {
        Some("its subscription is not known")
    } else if guessed {
        Some("topics of its committed offsets")
    } else {
        None
    };
    let assignor = group.strategy.as_deref().and_then(|name| ["range", "uniform"].into_iter().find(|n| *n == name));
    FoundGroup {
        kind,
        members,
        statics,
        topics,
        assignor: assignor.filter(|_| kind == Some(GroupKind::Consumer)),
        remark,
    }
}

/// How many members a group has, and how many of them are static.
fn members(group: &SeenGroup, tally: &mut Tally) -> (u32, u32) {
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let Some(listed) = &group.members else {
        let counted = if group.consumers.is_empty() { group.counted } else { Some(count(group.consumers.len())) };
        return (counted.unwrap_or(0), 0);
    };
    if group.counted.is_some_and(|counted| counted != count(listed.len())) {
        tally.differ += 1;
    }
    (count(listed.len()), count(listed.values().filter(|member| member.is_static).count()))
}

impl Tally {
    fn tell(&self, found: &mut Found) {
        let text =
            "left without topics, since --members --verbose of 3.9 does not print them: add --describe --all-groups";
        found.note_some(self.nameless, "group with members is", "groups with members are", text);
        let text = "without any assigned topic, and subscribed to nothing here";
        found.note_some(self.without_topics, "group with members is", "groups with members are", text);
        let text = "known by name only, and without members here";
        found.note_some(self.memberless, "group is", "groups are", text);
        let text = "the topics of committed offsets, since none is assigned";
        found.note_some(self.from_offsets, "group with members has", "groups with members have", text);
        let text = "rebalancing when this was taken: members and topics may be incomplete";
        found.note_some(self.rebalancing, "group was", "groups were", text);
        let text = "other numbers of members in two of the files: --members is taken";
        found.note_some(self.differ, "group has", "groups have", text);
        let text = "assigned, but described by no file: as many partitions as were assigned, placed by chance";
        let undescribed = found.topics.values().filter(|t| matches!(t.place, FoundPlace::AtLeast(_))).count();
        found.note_some(undescribed, "topic is", "topics are", text);
        let text = "committed offsets but no description (deleted?), and left out";
        found.note_some(self.gone.len(), "topic has", "topics have", text);
        let text = "to __consumer_offsets, which is left out";
        found.note_some(self.own_topic, "group subscribes", "groups subscribe", text);
    }
}

/// What is not as it would be in a cluster at rest; a scenario begins at rest.
fn state_of_the_cluster(seen: &Seen, found: &mut Found) {
    let count = |is: fn(&super::seen::SeenPartition) -> bool| partitions(seen).filter(|(_, p)| is(p)).count();
    let text = "short of in-sync replicas: all are in sync at the start here";
    found.note_some(count(|p| p.isr.len() < p.replicas.len()), "partition is", "partitions are", text);
    let text = "led by another than their first replica: the first leads here";
    let other = count(|p| p.leader.is_some_and(|leader| p.replicas.first() != Some(&leader)));
    found.note_some(other, "partition is", "partitions are", text);
    let text = "being reassigned: as listed here, the adding replicas among the others";
    found.note_some(count(|p| p.moving), "partition is", "partitions are", text);
}

/// Do coordinators sit where `__consumer_offsets` is led? If not, the files are of different times, or clusters.
fn coordinators(seen: &Seen, found: &mut Found) {
    let Some(topic) = seen.topics.get(OFFSETS) else { return };
    let shards = found.shards();
    let told = seen.groups.iter().filter_map(|(name, group)| Some((name, group.coordinator?)));
    let (mut all, mut elsewhere) = (0usize, 0usize);
    for (name, coordinator) in told {
        let shard = java::shard_of(name, shards).0;
        if let Some(leader) = topic.partitions.get(&shard).and_then(|p| p.leader) {
            all += 1;
            elsewhere += usize::from(leader != coordinator);
        }
    }
    if elsewhere > 0 {
        let text = format!("of {all} groups have another coordinator than leads their partition of {OFFSETS}");
        found.notes.push(format!("{elsewhere} {text}: were the files taken at different times?"));
    }
}

/// `brokers 1, 2, 3`, and how many more.
fn listed(ids: &[u32]) -> String {
    let noun = if ids.len() == 1 { "broker" } else { "brokers" };
    let shown: Vec<String> = ids.iter().take(8).map(u32::to_string).collect();
    let more = ids.len() - shown.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{noun} {}{more}", shown.join(", "))
}
