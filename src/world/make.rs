//! A history, made from a scenario and a run's number: first what happens to the cluster, then when coordinators
//! hear of it, then what members do; at the end everything gets its dense id.

use crate::kafka::{EntryIndex, GroupId, MemberId, Pattern, SubscriptionId};
use crate::scenario::{LogWindow, Scenario};
use crate::sim::{Chance, natural_cmp};

use super::arrivals::{Arrivals, arrive};
use super::cluster::{self, ClusterHistory};
use super::dictionary::Dictionary;
use super::draws::count32;
use super::error::WorldError;
use super::fingerprint;
use super::groups::Groups;
use super::history::{Event, GroupHistory, Happening, History, MemberHistory, Names, Step};
use super::notes::Notes;
use super::recorded::{self, Played, Recorded, RecordedError};
use super::roster::Roster;
use super::sharding::Shards;

/// Makes the history of one run of a scenario. Runs are numbered from 1.
///
/// # Errors
/// Where an entry names something that cannot take part at its instant, and the scenario alone decides that.
pub fn make(scenario: &Scenario, run: u32) -> Result<History, WorldError> {
    let chance = Chance::new(scenario.seed, run);
    let dictionary = Dictionary::new(scenario);
    let (cluster, notes) = cluster::run(scenario, chance, &dictionary)?;
    with_members(scenario, chance, &dictionary, cluster, notes, &[])
}

/// Makes the history of one run (from 1) of which a metadata log says what happened to the cluster. `also:` entries of the
/// scenario and its groups are the members' part.
///
/// # Errors
/// Where the log contradicts itself or the scenario, or an entry names something that cannot take part at its instant.
pub fn make_recorded(
    scenario: &Scenario,
    run: u32,
    recorded: &Recorded,
    window: LogWindow,
) -> Result<History, MakeError> {
    let chance = Chance::new(scenario.seed, run);
    let (topics, racks) = (recorded.topics(), recorded.racks());
    let dictionary = Dictionary::beside(scenario, topics.into_iter(), racks.into_iter());
    let Played { cluster, entries } = recorded::play(recorded, scenario, window, &dictionary)?;
    let mut history = with_members(scenario, chance, &dictionary, cluster, Notes::default(), &entries)?;
    history.notes.extend(recorded.notes());
    Ok(history)
}

/// Why a history over a log cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum MakeError {
    /// The log's own fault.
    #[error(transparent)]
    Log(#[from] RecordedError),
    /// The scenario's.
    #[error(transparent)]
    World(#[from] WorldError),
}

/// Once it is known what happens to the cluster: when coordinators hear of it, and what members do. `more` are names of
/// entries that the scenario does not have.
fn with_members(
    scenario: &Scenario,
    chance: Chance,
    dictionary: &Dictionary,
    cluster: ClusterHistory,
    mut notes: Notes,
    more: &[String],
) -> Result<History, WorldError> {
    let exists = cluster.start.topics.iter().map(Option::is_some).collect();
    let lag = scenario.cluster.metadata_lag;
    let Arrivals { deltas, mut moves } = arrive(cluster.published, lag, &chance, scenario.duration, exists);
    moves.extend(cluster.apart);
    moves.sort_by_key(|(at, _)| *at);

    let roster = Roster::new(scenario, &chance, dictionary)?;
    let settings = &scenario.cluster;
    let shards = Shards::new(settings.offsets_partitions, &cluster.leaders, settings.load_time);
    let mut groups = Groups::new(scenario, chance, dictionary, roster, shards);
    groups.run(&cluster.silences, &moves)?;
    notes.absorb(std::mem::take(&mut groups.notes));

    for (index, arrival) in (0u32..).zip(&deltas) {
        let brokers = arrival.delta.brokers.iter().map(|change| change.entry);
        let entry = arrival.delta.topics.iter().map(|change| change.entry).chain(brokers).min();
        groups.tell(arrival.at, Step::Delta, entry, Happening::Delta(index));
    }
    let mut history = Finish::of(groups).history(scenario, dictionary)?;
    history.names.entries.extend_from_slice(more);
    history.start = cluster.start;
    history.releases = cluster.releases;
    history.deltas = deltas;
    history.notes = notes.lines();
    history.id = fingerprint::of(&history);
    Ok(history)
}

/// What is left to do when all has happened: dense ids, in order.
struct Finish<'a> {
    groups: Groups<'a>,
    /// By provisional id: the final one.
    members: Vec<MemberId>,
    /// By final id: the provisional one.
    order: Vec<u32>,
}

impl<'a> Finish<'a> {
    fn of(groups: Groups<'a>) -> Finish<'a> {
        let roster = &groups.roster;
        let mut order: Vec<u32> = (0..count32(roster.records.len())).collect();
        let group = |r: &super::roster::Record| roster.slots[r.slot as usize].group;
        order.sort_by(|a, b| {
            let (a, b) = (&roster.records[*a as usize], &roster.records[*b as usize]);
            group(a).cmp(&group(b)).then_with(|| natural_cmp(&a.name, &b.name))
        });
        let mut members = vec![MemberId(0); order.len()];
        for (new, old) in order.iter().enumerate() {
            members[*old as usize] = MemberId::at(new);
        }
        Finish { groups, members, order }
    }

    fn history(self, scenario: &Scenario, dictionary: &Dictionary) -> Result<History, WorldError> {
        let Finish { mut groups, members, order } = self;
        let roster = groups.roster;
        let mut used = vec![false; roster.subscriptions.len()];
        for record in &roster.records {
            used[record.subscription as usize] = true;
        }
        for event in &groups.events {
            if let Happening::Subscribe(_, subscription) = event.what {
                used[subscription.index()] = true;
            }
        }
        let (subscriptions, texts, numbers) = roster.subscriptions.settle(&used);
        let subscription = |old: u32| SubscriptionId(numbers[old as usize]);
        let pattern = |text: String| Ok(Pattern { matches: dictionary.matches(&text)?, text });
        let patterns = texts.into_iter().map(pattern).collect::<Result<Vec<_>, WorldError>>()?;

        let records: Vec<_> = order.iter().map(|old| &roster.records[*old as usize]).collect();
        let member_histories: Vec<MemberHistory> = records
            .iter()
            .map(|record| {
                let slot = &roster.slots[record.slot as usize];
                MemberHistory {
                    group: slot.group,
                    standing: record.standing,
                    is_static: slot.is_static,
                    rack: slot.rack,
                    subscription: subscription(record.subscription),
                }
            })
            .collect();
        let mut group_histories = Vec::new();
        let mut next = 0;
        for (id, (spec, state)) in scenario.groups.iter().zip(&roster.groups).enumerate() {
            let own = member_histories[next..].iter().take_while(|m| m.group == GroupId::at(id)).count();
            group_histories.push(GroupHistory {
                shard: state.shard,
                first_member: MemberId::at(next),
                members: count32(own),
                heartbeat: state.heartbeat,
                session: state.session,
                rack_aware: spec.rack_aware,
                patience: state.patience,
                // nobody in it: it comes to be with its first member
                stands: member_histories[next..next + own].iter().any(|m| m.standing),
                stored: spec.stored,
                epoch: spec.epoch,
                kind: spec.kind,
            });
            next += own;
        }
        let renumber = |id: MemberId| members[id.index()];
        let of = |id: MemberId| (member_histories[id.index()].group.0, id.0);
        for event in &mut groups.events {
            event.what = with_ids(event.what, renumber, subscription);
        }
        groups.events.sort_by_key(|event| place(event, of));
        groups.presences.iter_mut().for_each(|p| p.member = renumber(p.member));
        groups.presences.sort_by_key(|p| (p.member, p.first));
        groups.refused.iter_mut().for_each(|r| r.member = renumber(r.member));
        groups.refused.sort_by_key(|r| (r.at, r.member, r.heartbeat));
        let names = Names {
            topics: dictionary.topics.clone(),
            racks: dictionary.racks.clone(),
            groups: scenario.groups.iter().map(|g| g.name.clone()).collect(),
            members: records.iter().map(|record| record.name.clone()).collect(),
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
            members: member_histories,
            presences: groups.presences,
            deltas: Vec::new(),
            events: groups.events,
            shards: groups.shards.into_lines(),
            refused: groups.refused,
            notes: Vec::new(),
            id: String::new(),
        })
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
