//! When all has happened: everything gets its dense id, in natural order of names.

use crate::kafka::{EntryIndex, GroupId, MemberId, Pattern, SubscriptionId};
use crate::scenario::{Group, Scenario};
use crate::sim::{Ms, Purpose, address, natural_cmp};

use super::dictionary::Dictionary;
use super::draws::count32;
use super::error::WorldError;
use super::groups::Groups;
use super::history::{Event, GroupHistory, Happening, History, MemberHistory, Names, Presence, Step};
use super::members::{MemberNames, Members, counted};
use super::presences::Presences;
use super::roster::{GroupState, Roster, first_beat, rack_of};

/// What is left to do when all has happened.
pub(super) struct Finish<'a> {
    groups: Groups<'a>,
    /// Records in order of their final ids, which members nobody has looked at have none of.
    order: Vec<u32>,
}

/// Members with their final ids.
struct People {
    members: Members,
    names: MemberNames,
    presences: Presences,
    groups: Vec<GroupHistory>,
    /// By record: its final id.
    ids: Vec<MemberId>,
}

impl<'a> Finish<'a> {
    pub(super) fn of(groups: Groups<'a>) -> Finish<'a> {
        let roster = &groups.roster;
        let mut order: Vec<u32> = (0..count32(roster.records.len())).collect();
        let group = |r: &super::roster::Record| roster.slots[r.slot as usize].group;
        order.sort_by(|a, b| {
            let (a, b) = (&roster.records[*a as usize], &roster.records[*b as usize]);
            group(a).cmp(&group(b)).then_with(|| natural_cmp(&a.name, &b.name))
        });
        Finish { groups, order }
    }

    /// What of the history is the members' part.
    pub(super) fn history(self, dictionary: &Dictionary<'_>) -> Result<History, WorldError> {
        let Finish { mut groups, order } = self;
        let scenario = groups.scenario;
        let used = used(&groups);
        let (subscriptions, texts, numbers) = std::mem::take(&mut groups.roster.subscriptions).settle(&used);
        let subscription = |old: u32| SubscriptionId(numbers[old as usize]);
        let pattern = |text: String| Ok(Pattern { matches: dictionary.matches(&text)?, text });
        let patterns = texts.into_iter().map(pattern).collect::<Result<Vec<_>, WorldError>>()?;

        let mut lasting = std::mem::take(&mut groups.presences);
        let people = people(&groups, &order, &mut lasting, &subscription);
        let People { members, names, presences, groups: group_histories, ids } = people;
        let renumber = |id: MemberId| ids[id.index()];
        let of = |id: MemberId| (members[id.index()].group.0, id.0);
        for event in &mut groups.events {
            event.what = with_ids(event.what, renumber, subscription);
        }
        groups.events.sort_by_key(|event| place(event, of));
        groups.refused.iter_mut().for_each(|r| r.member = renumber(r.member));
        groups.refused.sort_by_key(|r| (r.at, r.member, r.heartbeat));
        let names = Names {
            topics: dictionary.topics.clone(),
            racks: dictionary.racks.clone(),
            groups: scenario.groups.iter().map(|g| g.name.clone()).collect(),
            members: names,
            entries: scenario.history.iter().map(|entry| entry.name.clone()).collect(),
        };
        Ok(History {
            names,
            duration: scenario.duration,
            start: crate::kafka::MetadataImage::default(),
            releases: Vec::new(),
            subscriptions,
            patterns,
            groups: group_histories,
            members,
            presences,
            deltas: Vec::new(),
            events: groups.events,
            shards: groups.shards.into_lines(),
            refused: groups.refused,
            notes: Vec::new(),
            id: String::new(),
        })
    }
}

/// Which subscriptions anybody ever has.
fn used(groups: &Groups<'_>) -> Vec<bool> {
    let roster = &groups.roster;
    let mut used = vec![false; roster.subscriptions.len()];
    for record in &roster.records {
        used[record.subscription as usize] = true;
    }
    for state in roster.groups.iter().filter(|state| state.unseen > 0) {
        used[state.subscription as usize] = true;
    }
    for event in &groups.events {
        if let Happening::Subscribe(_, subscription) = event.what {
            used[subscription.index()] = true;
        }
    }
    used
}

/// Everybody, group by group; `lasting`: the presences of all records, by their numbers.
fn people(
    groups: &Groups<'_>,
    order: &[u32],
    lasting: &mut [Presence],
    subscription: &impl Fn(u32) -> SubscriptionId,
) -> People {
    let (scenario, roster) = (groups.scenario, &groups.roster);
    let mut people = People {
        members: Members::default(),
        names: MemberNames::default(),
        presences: Presences::new(scenario.duration),
        groups: Vec::with_capacity(scenario.groups.len()),
        ids: vec![MemberId(0); order.len()],
    };
    let mut place_of = vec![0u32; order.len()];
    order.iter().zip(0..).for_each(|(old, place)| place_of[*old as usize] = place);
    lasting.sort_by_key(|p| (place_of[p.member.index()], p.first));
    let mut lasting = lasting.iter().peekable();
    let mut records = order.iter().copied().peekable();
    let unseen = Unseen { scenario, phases: groups.chance.purpose("phase"), dictionary: groups.dictionary };
    for (id, (spec, state)) in scenario.groups.iter().zip(&roster.groups).enumerate() {
        let id = GroupId::at(id);
        let first = people.members.len();
        let mut stands = state.unseen > 0;
        unseen.join(id, spec, state, subscription(state.subscription), &mut people);
        let of_group = |old: &u32| roster.slots[roster.records[*old as usize].slot as usize].group == id;
        while let Some(old) = records.next_if(of_group) {
            let member = MemberId::at(people.members.len());
            people.ids[old as usize] = member;
            stands |= roster.records[old as usize].standing;
            seen(roster, old, subscription, &mut people);
            while let Some(presence) = lasting.next_if(|p| p.member.0 == old) {
                people.presences.push(Presence { member, ..*presence });
            }
        }
        people.groups.push(GroupHistory {
            shard: state.shard,
            first_member: MemberId::at(first),
            members: count32(people.members.len() - first),
            heartbeat: state.heartbeat,
            session: state.session,
            rack_aware: spec.rack_aware,
            patience: state.patience,
            // nobody in it: it comes to be with its first member
            stands,
            stored: spec.stored,
            epoch: spec.epoch,
            kind: spec.kind,
        });
    }
    // ten million of them are held for the whole run
    people.members.shrink_to_fit();
    people.names.shrink_to_fit();
    people.presences.shrink_to_fit();
    people
}

/// A member with a record of its own.
fn seen(roster: &Roster, old: u32, subscription: &impl Fn(u32) -> SubscriptionId, people: &mut People) {
    let record = &roster.records[old as usize];
    let slot = &roster.slots[record.slot as usize];
    people.names.push(&record.name);
    people.members.push(MemberHistory {
        group: slot.group,
        standing: record.standing,
        is_static: slot.is_static,
        rack: slot.rack,
        subscription: subscription(record.subscription),
    });
}

/// Members that nobody has looked at: they stand, and heartbeat from their phase to the end.
struct Unseen<'a> {
    scenario: &'a Scenario,
    phases: Purpose,
    dictionary: &'a Dictionary<'a>,
}

impl Unseen<'_> {
    fn join(&self, id: GroupId, spec: &Group, state: &GroupState, subscription: SubscriptionId, people: &mut People) {
        for i in 0..state.unseen {
            let member = MemberId::at(people.members.len());
            let place = i as usize;
            people.names.push_counted(i + 1);
            people.members.push(MemberHistory {
                group: id,
                standing: true,
                is_static: spec.is_static,
                rack: self.dictionary.rack(rack_of(spec, place)),
                subscription,
            });
            let stream = || self.phases.stream(&address(&[&spec.name, &counted(i + 1)]));
            let first: Ms = first_beat(&spec.phase, place, state.heartbeat, stream);
            if first < self.scenario.duration {
                people.presences.push(Presence { member, first, until: self.scenario.duration });
            }
        }
    }
}

fn with_ids(
    what: Happening,
    member: impl Fn(MemberId) -> MemberId,
    subscription: impl Fn(u32) -> SubscriptionId,
) -> Happening {
    match what {
        Happening::Join(id) => Happening::Join(member(id)),
        Happening::Leave(id) => Happening::Leave(member(id)),
        Happening::Expire(id) => Happening::Expire(member(id)),
        Happening::Silent(id) => Happening::Silent(member(id)),
        Happening::Away(id) => Happening::Away(member(id)),
        Happening::Back(id) => Happening::Back(member(id)),
        Happening::Subscribe(id, s) => Happening::Subscribe(member(id), subscription(s.0)),
        what
        @ (Happening::Delta(_) | Happening::ShardDown(_) | Happening::ShardUp { .. } | Happening::GroupGone(_)) => what,
    }
}

/// An event's place: by time and step, inside a step by shard, or by group and member; what one member does in
/// one step stays in the order in which it did it.
fn place(event: &Event, of: impl Fn(MemberId) -> (u32, u32)) -> (crate::sim::Ms, Step, (u32, u32)) {
    let within = match event.what {
        Happening::Delta(index) => (index, 0),
        Happening::ShardDown(shard) | Happening::ShardUp { shard, .. } => (shard.0, 0),
        Happening::GroupGone(group) => (group.0, EntryIndex::MAX),
        Happening::Join(id)
        | Happening::Leave(id)
        | Happening::Expire(id)
        | Happening::Silent(id)
        | Happening::Away(id)
        | Happening::Back(id)
        | Happening::Subscribe(id, _) => of(id),
    };
    (event.at, event.step, within)
}
