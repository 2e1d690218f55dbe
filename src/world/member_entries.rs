//! Entries about members: whom they mean, and what they do to each.

use std::borrow::Cow;
use std::rc::Rc;

use crate::kafka::{GroupId, GroupKind};
use crate::scenario::{Entry, Pick, TopicPick, Verb, Word};
use crate::sim::{Ms, natural_cmp};

use super::draws;
use super::error::WorldError;
use super::groups::{Groups, Next};
use super::history::Step;
use super::notes::{Notes, Occurrence, Unfit};
use super::picks::{Choice, Entity, Fitness};
use super::roster::{Doing, topic_names};

/// Whom an entry means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whom {
    /// A member that is there.
    Slot { slot: u32, named: bool },
    /// Newcomer number `number` (from 1) of a group.
    Newcomer { group: GroupId, number: u32 },
}

impl Groups<'_> {
    /// With `rate: … per group`: every group that an entry can ever mean, each a process of its own.
    pub(super) fn own_targets(&self, index: u32, entry: &Entry) -> Result<Vec<Option<String>>, WorldError> {
        let Some(groups) = groups_of(&entry.verb) else {
            return Ok(vec![None]);
        };
        let occurrence = Occurrence::new(index, entry, 0, None, Ms::ZERO);
        let entities = &self.dictionary.group_entities;
        let fits = |_: usize| Fitness::Fits;
        let dictionary = self.dictionary;
        let choice = Choice { noun: "group", entities, fitness: &fits, dictionary, own_target: false };
        let all = choice.scope(groups, &occurrence)?;
        Ok(all.iter().map(|t| Some(entities[t.index].name.to_string())).collect())
    }

    /// Targets of an occurrence, by group, then member, in natural order.
    pub(super) fn targets(&mut self, occurrence: &Occurrence) -> Result<Vec<Whom>, WorldError> {
        let scenario = self.scenario;
        let verb = &scenario.history[occurrence.entry as usize].verb;
        let Some(groups) = groups_of(verb) else {
            return Ok(Vec::new());
        };
        let joins = matches!(verb, Verb::Join { .. });
        let entities = &self.dictionary.group_entities;
        let fitness = |i: usize| {
            let state = &self.roster.groups[i];
            let peopled = || state.unseen > 0 || state.slots.iter().any(|s| self.is_heartbeating(*s));
            // a group without members is there for whoever names it, and for joins
            if joins || !matches!(groups, Pick::Any(_) | Pick::Draw { .. }) || peopled() {
                return Fitness::Fits;
            }
            let who = format!("group {}", entities[i].name);
            Fitness::Absent(Unfit { who, why: "has no members".into(), by_chance: true })
        };
        let dictionary = self.dictionary;
        let choice = Choice { noun: "group", entities, fitness: &fitness, dictionary, own_target: true };
        let (targets, notes) = choice.resolve(groups, occurrence, &self.chance)?;
        self.notes.absorb(notes);
        let mut all = Vec::new();
        for target in targets {
            let group = GroupId::at(target.index);
            match verb {
                Verb::Join { members, .. } => {
                    let name = &entities[target.index].name;
                    let count = draws::number(&mut occurrence.stream(&self.chance, &["members", name]), *members);
                    all.extend((1..=count).map(|number| Whom::Newcomer { group, number }));
                }
                Verb::Leave { members, .. }
                | Verb::Kill { members, .. }
                | Verb::RestartMember { members, .. }
                | Verb::Subscribe { members, .. } => {
                    all.extend(self.members(group, target.named, members, occurrence)?);
                }
                _ => {}
            }
        }
        Ok(all)
    }

    /// Members of a group that a pick means.
    fn members(
        &mut self,
        group: GroupId,
        group_named: bool,
        pick: &Pick,
        occurrence: &Occurrence,
    ) -> Result<Vec<Whom>, WorldError> {
        self.see(group);
        let slots = &self.roster.groups[group.index()].slots;
        let entity = |slot: &u32| {
            let state = &self.roster.slots[*slot as usize];
            let family = state.family.map(|length| Cow::Borrowed(&state.name[..length]));
            Entity { name: Cow::Borrowed(&state.name), family, rack: state.rack }
        };
        let entities: Vec<Entity<'_>> = slots.iter().map(entity).collect();
        let fitness = |i: usize| self.fitness(slots[i]);
        let dictionary = self.dictionary;
        let choice = Choice { noun: "member", entities: &entities, fitness: &fitness, dictionary, own_target: false };
        // draws of one group's members are apart from those of another's
        let name = &dictionary.group_entities[group.index()].name;
        let own = Occurrence { target: Some(name.to_string()), ..occurrence.clone() };
        let known = |word: &Word| match word {
            Word::Name(name) => entities.iter().any(|e| e.name == *name),
            Word::Family(_) | Word::Glob(_) => true,
        };
        let kept;
        let mut notes = Notes::default();
        let pick = match pick {
            // a group that came by a selector need not have a member of that name
            Pick::These(words) if !group_named && !words.iter().all(known) => {
                notes.count(occurrence, "the group has no member of that name");
                kept = Pick::These(words.iter().filter(|w| known(w)).cloned().collect());
                &kept
            }
            Pick::All | Pick::These(_) | Pick::Rack(_) | Pick::Any(_) | Pick::Draw { .. } => pick,
        };
        let (targets, left_out) = choice.resolve(pick, &own, &self.chance)?;
        let whom = targets.iter().map(|t| Whom::Slot { slot: slots[t.index], named: t.named && group_named }).collect();
        notes.absorb(left_out);
        self.notes.absorb(notes);
        Ok(whom)
    }

    fn is_heartbeating(&self, slot: u32) -> bool {
        self.roster.slots[slot as usize].doing == Doing::Heartbeating
    }

    /// Can a member be a target now?
    fn fitness(&self, slot: u32) -> Fitness {
        let state = &self.roster.slots[slot as usize];
        let group = &self.dictionary.group_entities[state.group.index()].name;
        let unfit = |why: &str| {
            let who = format!("member {} of group {group}", state.name);
            Unfit { who, why: why.to_owned(), by_chance: state.by_chance }
        };
        match state.doing {
            Doing::Heartbeating => Fitness::Fits,
            Doing::Nothing => Fitness::Absent(unfit("is not in the group")),
            Doing::Joining => Fitness::Unfit(unfit("has not joined yet")),
            Doing::Away | Doing::Returning => Fitness::Unfit(unfit("is away")),
        }
    }

    /// Does what an entry does to one of its targets.
    pub(super) fn apply(&mut self, at: Ms, occurrence: &Rc<Occurrence>, whom: &Whom) -> Result<(), WorldError> {
        let scenario = self.scenario;
        let verb = &scenario.history[occurrence.entry as usize].verb;
        let entry = Some(occurrence.entry);
        let (slot, named) = match *whom {
            Whom::Newcomer { group, number } => return self.newcomer(at, verb, occurrence, group, number),
            Whom::Slot { slot, named } => (slot, named),
        };
        if let Fitness::Absent(unfit) | Fitness::Unfit(unfit) = self.fitness(slot) {
            return self.notes.leave_out(occurrence, named, &unfit);
        }
        self.roster.slots[slot as usize].by_chance |= occurrence.by_chance;
        match verb {
            Verb::Leave { .. } => self.leave(at, slot, entry),
            Verb::Kill { .. } => self.kill(at, slot, entry),
            Verb::RestartMember { away, .. } => {
                let back = at.after(draws::time(&mut occurrence.stream(&self.chance, &["away"]), *away));
                if self.roster.slots[slot as usize].is_static {
                    self.go_away(at, slot, back, entry);
                } else {
                    self.restart_dynamic(at, slot, back, entry);
                }
            }
            Verb::Subscribe { topics, pattern, .. } => {
                let group = self.roster.slots[slot as usize].group;
                let kind = scenario.groups[group.index()].kind;
                if let Some(why) = not_there(kind, topics.is_some(), pattern.is_some(), false) {
                    self.notes.count(occurrence, why);
                    return Ok(());
                }
                let subscription = self.given(topics.as_ref(), pattern.as_deref(), occurrence, group)?;
                let state = &self.roster.slots[slot as usize];
                if state.pending.unwrap_or(state.subscription) == subscription {
                    self.notes.count(occurrence, "the member is subscribed so already");
                } else {
                    self.subscribe(at, slot, subscription, entry);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// A subscription that an entry gives; what is drawn is drawn once for the group.
    fn given(
        &mut self,
        topics: Option<&TopicPick>,
        pattern: Option<&str>,
        occurrence: &Occurrence,
        group: GroupId,
    ) -> Result<u32, WorldError> {
        let name = &self.dictionary.group_entities[group.index()].name;
        let stream = occurrence.stream(&self.chance, &["subscription", name]);
        let names = match topics {
            Some(pick) => topic_names(pick, self.dictionary, stream, name).map_err(|e| occurrence.error(e.message))?,
            None => Vec::new(),
        };
        Ok(self.roster.subscriptions.number(names, pattern))
    }

    fn newcomer(
        &mut self,
        at: Ms,
        verb: &Verb,
        occurrence: &Occurrence,
        group: GroupId,
        number: u32,
    ) -> Result<(), WorldError> {
        let Verb::Join { topics, pattern, rack, is_static, leave_after, .. } = verb else {
            return Ok(());
        };
        let scenario = self.scenario;
        let spec = &scenario.groups[group.index()];
        if let Some(why) = not_there(spec.kind, topics.is_some(), pattern.is_some(), *is_static == Some(true)) {
            self.notes.count(occurrence, why);
            return Ok(());
        }
        let own = match (topics, pattern) {
            (None, None) => None,
            (topics, pattern) => Some(self.given(topics.as_ref(), pattern.as_deref(), occurrence, group)?),
        };
        let rack = match rack {
            Some(rack) => rack.as_deref(),
            None => {
                // racks in turn, from newcomer to newcomer and from occurrence to occurrence
                let turn = occurrence.number - 1 + u64::from(number) - 1;
                let racks = spec.racks.len() as u64;
                let place = usize::try_from(turn % racks.max(1)).expect("fewer racks than that");
                spec.racks.get(place).and_then(Option::as_deref)
            }
        };
        self.see(group);
        let name = self.free_name(group, format!("{}-{}-{number}", occurrence.name, occurrence.number));
        let rack = self.dictionary.rack(rack);
        let slot = self.roster.add_slot(group, name, rack, is_static.unwrap_or(spec.is_static), own);
        self.roster.slots[slot as usize].by_chance = occurrence.by_chance;
        self.join(at, slot, Step::Member, Some(occurrence.entry));
        if let Some(span) = leave_after {
            let stay = draws::time(&mut occurrence.stream(&self.chance, &["stay"]), *span);
            self.plan_next(at.after(stay), slot, Next::Leave, Some(occurrence.entry));
        }
        Ok(())
    }

    /// The name, with as many primes as it takes to be nobody else's in the group.
    fn free_name(&self, group: GroupId, mut name: String) -> String {
        let slots = &self.roster.groups[group.index()].slots;
        let taken =
            |name: &str| slots.binary_search_by(|s| natural_cmp(&self.roster.slots[*s as usize].name, name)).is_ok();
        while taken(&name) {
            name.push('\'');
        }
        name
    }
}

/// Why a group of this kind cannot have a member with topics of its own, a pattern, or an instance id.
fn not_there(kind: GroupKind, topics: bool, pattern: bool, is_static: bool) -> Option<&'static str> {
    match kind {
        GroupKind::Streams if topics || pattern => Some("a streams group's topology does not change"),
        GroupKind::Share if pattern => Some("a share group knows no patterns"),
        GroupKind::Share | GroupKind::Streams if is_static => Some("the group has no static members"),
        GroupKind::Consumer | GroupKind::Classic | GroupKind::Share | GroupKind::Streams => None,
    }
}

/// The groups that an entry about members means.
fn groups_of(verb: &Verb) -> Option<&Pick> {
    match verb {
        Verb::Join { groups, .. }
        | Verb::Leave { groups, .. }
        | Verb::Kill { groups, .. }
        | Verb::RestartMember { groups, .. }
        | Verb::Subscribe { groups, .. } => Some(groups),
        _ => None,
    }
}
