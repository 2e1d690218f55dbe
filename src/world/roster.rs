//! Groups and members as they stand while a history is made: what a scenario says of them, with the draws made.

use crate::kafka::{EntryIndex, GroupId, RackId, ShardId, TopicId};
use crate::scenario::{Group, Member, Members, Phase, Scenario, Span, TopicPick};
use crate::sim::{Chance, Ms, Stream, address, natural_cmp};

use super::dictionary::{Dictionary, shard_of};
use super::draws;
use super::error::WorldError;
use super::members::counted;
use super::subscriptions::Subscriptions;

/// A group.
#[derive(Clone, Debug)]
pub(super) struct GroupState {
    pub(super) shard: ShardId,
    pub(super) heartbeat: Ms,
    pub(super) session: Ms,
    pub(super) patience: Ms,
    /// What members without a subscription of their own subscribe to.
    pub(super) subscription: u32,
    /// How many members are in it.
    pub(super) members: u32,
    /// Since when it is empty, if it exists without members.
    pub(super) empty_since: Option<Ms>,
    /// Members `m-1`, `m-2`, … that have stood in it since time 0 and that nobody has looked at yet: they have no slots.
    pub(super) unseen: u32,
    /// All other members, past and present, in natural order of names.
    pub(super) slots: Vec<u32>,
}

/// What a member does, seen from its application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doing {
    /// Nothing: it has not joined, has left, or is dead.
    Nothing,
    /// It tries to join.
    Joining,
    /// It heartbeats.
    Heartbeating,
    /// It is away, to come back under its instance id.
    Away,
    /// It tries to come back.
    Returning,
}

/// A member by its name within the group, whatever ids it has had.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) group: GroupId,
    pub(super) name: String,
    /// How much of its name is its family's: what stands before the last `-`.
    pub(super) family: Option<usize>,
    pub(super) rack: Option<RackId>,
    pub(super) is_static: bool,
    /// What its application subscribes to.
    pub(super) subscription: u32,
    /// A change of subscription that its next heartbeat carries.
    pub(super) pending: Option<u32>,
    /// Counts such changes.
    pub(super) carried: u32,
    pub(super) doing: Doing,
    /// Counts what it has begun to do: what was planned before is void.
    pub(super) turn: u32,
    /// How many ids it has had.
    pub(super) ids: u32,
    /// Its present id's record, or its last one.
    pub(super) record: Option<u32>,
    pub(super) by_chance: bool,
}

/// A member id: a member of the history.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) slot: u32,
    pub(super) name: String,
    pub(super) standing: bool,
    /// What it joins with.
    pub(super) subscription: u32,
    /// Is it in its group?
    pub(super) inside: bool,
    /// In the group, but no heartbeats come: since when its session counts down, and the entry behind that.
    pub(super) silent: bool,
    pub(super) silenced_by: Option<EntryIndex>,
    /// Its first plain heartbeat since it last joined, came back, or carried something.
    pub(super) first: Ms,
    /// Its last accepted heartbeat that was no plain one.
    pub(super) heard: Ms,
    /// When it expires, if nothing happens to its shard.
    pub(super) deadline: Ms,
}

/// A member's joining that stands in `groups:`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FirstJoin {
    pub(super) at: Ms,
    pub(super) slot: u32,
}

/// Everybody at time 0.
#[derive(Debug, Default)]
pub(super) struct Roster {
    pub(super) groups: Vec<GroupState>,
    pub(super) slots: Vec<Slot>,
    pub(super) records: Vec<Record>,
    pub(super) joins: Vec<FirstJoin>,
    pub(super) subscriptions: Subscriptions,
}

impl Roster {
    /// Everybody that a scenario puts into its groups.
    pub(super) fn new(scenario: &Scenario, chance: &Chance, dictionary: &Dictionary) -> Result<Roster, WorldError> {
        let mut roster = Roster::default();
        for (id, group) in scenario.groups.iter().enumerate() {
            let name = group.name.as_str();
            let drawn = |what: &str, span: Span<Ms>| draws::time(&mut chance.stream(what, name), span);
            let heartbeat = drawn("heartbeat", group.heartbeat);
            if heartbeat == Ms::ZERO {
                return Err(WorldError::at_start(format!("group {name} needs a heartbeat interval above 0")));
            }
            let mut names = topic_names(&group.topics, dictionary, chance.stream("subscription", name), name)?;
            if !group.internal.is_empty() {
                // a streams group requires its own topics as well
                names.extend(group.internal_topics().map(|name| dictionary.topic(&name)));
                names.sort_unstable();
                names.dedup();
            }
            roster.groups.push(GroupState {
                shard: shard_of(name, scenario.cluster.offsets_partitions),
                heartbeat,
                session: drawn("session", group.session),
                patience: group.patience.unwrap_or(heartbeat),
                subscription: roster.subscriptions.number(names, group.pattern.as_deref()),
                members: 0,
                empty_since: None,
                unseen: 0,
                slots: Vec::new(),
            });
            roster.add_members(GroupId::at(id), group, chance, dictionary)?;
        }
        Ok(roster)
    }

    fn add_members(
        &mut self,
        id: GroupId,
        group: &Group,
        chance: &Chance,
        dictionary: &Dictionary,
    ) -> Result<(), WorldError> {
        match &group.members {
            Members::Count(span) => {
                let count = draws::number(&mut chance.stream("members", &group.name), *span);
                let state = &mut self.groups[id.index()];
                (state.unseen, state.members) = (count, count);
                if !group.standing {
                    self.see(id, group, chance, dictionary);
                }
            }
            Members::Named(members) => {
                for (i, member) in members.iter().enumerate() {
                    let own = self.own_subscription(group, member, chance, dictionary)?;
                    let rack = dictionary.rack(member.rack.as_deref());
                    let slot = self.add_slot(id, member.name.clone(), rack, member.is_static, own);
                    self.stand(group, slot, &member.phase, i, member.join, chance);
                }
            }
        }
        Ok(())
    }

    /// Somebody looks at a group's members: those that had no slots get them.
    pub(super) fn see(&mut self, id: GroupId, group: &Group, chance: &Chance, dictionary: &Dictionary) {
        let state = &mut self.groups[id.index()];
        let count = std::mem::take(&mut state.unseen);
        state.members -= count;
        for i in 0..count as usize {
            let rack = dictionary.rack(rack_of(group, i));
            let slot = self.add_slot(id, counted(draws::count32(i + 1)), rack, group.is_static, None);
            self.stand(group, slot, &group.phase, i, None, chance);
        }
    }

    fn own_subscription(
        &mut self,
        group: &Group,
        member: &Member,
        chance: &Chance,
        dictionary: &Dictionary,
    ) -> Result<Option<u32>, WorldError> {
        if member.topics.is_none() && member.pattern.is_none() {
            return Ok(None);
        }
        let stream = chance.stream("subscription", &address(&[&group.name, &member.name]));
        let names = match &member.topics {
            Some(pick) => topic_names(pick, dictionary, stream, &group.name)?,
            None => Vec::new(),
        };
        Ok(Some(self.subscriptions.number(names, member.pattern.as_deref())))
    }

    /// A member by name, in the group's order of names. `subscription`: its own, if it has one.
    pub(super) fn add_slot(
        &mut self,
        group: GroupId,
        name: String,
        rack: Option<RackId>,
        is_static: bool,
        subscription: Option<u32>,
    ) -> u32 {
        let number = draws::count32(self.slots.len());
        let state = &mut self.groups[group.index()];
        let subscription = subscription.unwrap_or(state.subscription);
        let place = state.slots.partition_point(|s| natural_cmp(&self.slots[*s as usize].name, &name).is_lt());
        state.slots.insert(place, number);
        self.slots.push(Slot {
            group,
            family: name.rfind('-'),
            name,
            rack,
            is_static,
            subscription,
            pending: None,
            carried: 0,
            doing: Doing::Nothing,
            turn: 0,
            ids: 0,
            record: None,
            by_chance: false,
        });
        number
    }

    /// A new member id for a slot: the first has its name, later ones a number behind it.
    pub(super) fn new_record(&mut self, slot: u32) -> u32 {
        let number = draws::count32(self.records.len());
        let state = &mut self.slots[slot as usize];
        state.ids += 1;
        let name = if state.ids == 1 { state.name.clone() } else { format!("{}~{}", state.name, state.ids) };
        state.record = Some(number);
        self.records.push(Record {
            slot,
            name,
            standing: false,
            subscription: state.subscription,
            inside: false,
            silent: false,
            silenced_by: None,
            first: Ms::ZERO,
            heard: Ms::ZERO,
            deadline: Ms::NEVER,
        });
        number
    }

    fn stand(&mut self, group: &Group, slot: u32, phase: &Phase, i: usize, join: Option<Ms>, chance: &Chance) {
        let state = &self.slots[slot as usize];
        let heartbeat = self.groups[state.group.index()].heartbeat;
        let phases = chance.purpose("phase");
        let first = first_beat(phase, i, heartbeat, || phases.stream(&address(&[&group.name, &state.name])));
        let stands = group.standing && join.is_none();
        if !stands {
            self.joins.push(FirstJoin { at: join.unwrap_or(first), slot });
            return;
        }
        let record = self.new_record(slot);
        self.slots[slot as usize].doing = Doing::Heartbeating;
        self.groups[self.slots[slot as usize].group.index()].members += 1;
        let record = &mut self.records[record as usize];
        (record.standing, record.inside, record.first) = (true, true, first);
    }
}

/// The first heartbeat of member `i` (from 0) of a group.
pub(super) fn first_beat(phase: &Phase, i: usize, heartbeat: Ms, stream: impl FnOnce() -> Stream) -> Ms {
    match phase {
        Phase::Drawn => Ms(stream().below(heartbeat.0)),
        Phase::Between(span) => draws::time(&mut stream(), *span),
        Phase::Each(phases) => phases.get(i % phases.len().max(1)).copied().unwrap_or_default(),
    }
}

/// The rack of counted member `i` (from 0) of a group: they have them in turn.
pub(super) fn rack_of(group: &Group, i: usize) -> Option<&str> {
    group.racks.get(i % group.racks.len().max(1)).and_then(Option::as_deref)
}

/// Topic names of a pick, in order of id, each once.
pub(super) fn topic_names(
    pick: &TopicPick,
    dictionary: &Dictionary,
    mut stream: Stream,
    group: &str,
) -> Result<Vec<TopicId>, WorldError> {
    let mut ids: Vec<TopicId> = match pick {
        TopicPick::These(names) => names.iter().map(|name| dictionary.topic(name)).collect(),
        TopicPick::Draw { count, of } => {
            let count = draws::number(&mut stream, *count);
            if count as usize > of.len() {
                let message = format!("group {group} is to have {count} topics out of {}", of.len());
                return Err(WorldError::at_start(message));
            }
            let chosen = stream.distinct(of.len() as u64, count.into());
            let name = |i: u64| Some(dictionary.topic(of.get(usize::try_from(i).ok()?)?));
            chosen.into_iter().filter_map(name).collect()
        }
    };
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}
