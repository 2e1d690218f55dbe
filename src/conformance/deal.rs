//! Random small groups whose partitions are to be dealt: 1 to 12 members, 1 to 6 topics, racks or none, and what members
//! owned before. What Kafka's assignor made of one, and how ours stands beside it.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::coordinator::assignor::{Assignor, Input, Member, Owner, Place, Topic, TopicPartition};
use crate::kafka::Uuid;
use crate::sim::{Chance, Stream};

use super::{Held, Standing};

/// A row of the comparison: an assignor, and whether all members subscribe to the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DealKind {
    /// Which.
    pub assignor: Assignor,
    /// `None`: some groups do, some do not.
    pub equal: Option<bool>,
}

impl DealKind {
    /// All that the releases have.
    pub const ALL: [DealKind; 9] = [
        DealKind { assignor: Assignor::Uniform, equal: Some(true) },
        DealKind { assignor: Assignor::Uniform, equal: Some(false) },
        DealKind { assignor: Assignor::ServerRange, equal: None },
        DealKind { assignor: Assignor::Range, equal: None },
        DealKind { assignor: Assignor::RoundRobin, equal: None },
        DealKind { assignor: Assignor::Sticky, equal: Some(true) },
        DealKind { assignor: Assignor::Sticky, equal: Some(false) },
        DealKind { assignor: Assignor::CooperativeSticky, equal: Some(true) },
        DealKind { assignor: Assignor::CooperativeSticky, equal: Some(false) },
    ];

    /// `uniform, equal`: as a table and a kept answer name it.
    #[must_use]
    pub fn name(self) -> String {
        let equal = match self.equal {
            None => "",
            Some(true) => ", equal subscriptions",
            Some(false) => ", unequal subscriptions",
        };
        format!("{}{equal}", self.assignor.name())
    }

    /// The one of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<DealKind> {
        DealKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    fn is_server(self) -> bool {
        matches!(self.assignor, Assignor::Uniform | Assignor::ServerRange)
    }

    fn is_sticky(self) -> bool {
        matches!(self.assignor, Assignor::Uniform | Assignor::Sticky | Assignor::CooperativeSticky)
    }
}

/// By member, by topic: partitions.
pub type Dealt = BTreeMap<String, BTreeMap<String, BTreeSet<usize>>>;

/// What Kafka made of a random group, kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DealFact {
    /// [`DealKind::name`].
    pub kind: String,
    /// The group's number.
    pub number: u32,
    /// Who got what.
    pub dealt: Dealt,
}

/// A random group.
#[derive(Clone, Debug)]
pub struct Deal {
    kind: DealKind,
    /// By broker.
    racks: Vec<Option<String>>,
    /// By topic and partition, brokers; the first leads.
    replicas: Vec<Vec<Vec<usize>>>,
    topics: Vec<(String, Uuid)>,
    members: Vec<Member>,
}

#[derive(Serialize)]
struct Line<'a> {
    assignor: &'static str,
    racks: &'a [Option<String>],
    topics: Vec<TopicLine<'a>>,
    members: Vec<MemberLine<'a>>,
}

#[derive(Serialize)]
struct TopicLine<'a> {
    name: &'a str,
    id: String,
    replicas: &'a [Vec<usize>],
}

#[derive(Serialize)]
struct MemberLine<'a> {
    id: &'a str,
    instance: Option<&'a str>,
    rack: Option<&'a str>,
    topics: &'a BTreeSet<String>,
    owned: &'a BTreeSet<(String, usize)>,
    generation: i32,
}

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

fn some(s: &mut Stream, of: u64) -> bool {
    s.below(of) == 0
}

fn count(s: &mut Stream, low: u64, high: u64) -> usize {
    usize::try_from(s.between(low, high)).unwrap_or(usize::MAX)
}

impl Deal {
    /// Group number `number` of a kind.
    #[must_use]
    pub fn random(kind: DealKind, number: u32) -> Deal {
        let mut s = Chance::new(0, number).stream("random deal", &kind.name());
        let brokers = count(&mut s, 1, 6);
        let with_racks = some(&mut s, 2);
        let rack = |i: usize| with_racks.then(|| ["a", "b", "c"][i % 3].to_owned());
        let racks: Vec<Option<String>> = (0..brokers).map(rack).collect();
        let (mut topics, mut replicas) = (Vec::new(), Vec::new());
        for t in 0..count(&mut s, 1, 6) {
            topics.push((format!("t{t}"), Uuid { msb: s.bits(), lsb: s.bits() }));
            let rf = count(&mut s, 1, brokers.min(3) as u64);
            let lists = (0..count(&mut s, 1, 12)).map(|_| {
                let drawn = s.distinct(brokers as u64, rf as u64).into_iter();
                let mut list: Vec<usize> = drawn.map(|b| usize::try_from(b).unwrap_or(0)).collect();
                s.shuffle(&mut list);
                list
            });
            replicas.push(lists.collect());
        }
        let mut deal = Deal { kind, racks, replicas, topics, members: Vec::new() };
        deal.members(&mut s, with_racks);
        if kind.is_sticky() {
            deal.own(&mut s);
        }
        // in the order in which ours has them: what shares a bucket of Java's stands as it came
        deal.members.sort_by(|a, b| a.id.cmp(&b.id));
        deal
    }

    fn members(&mut self, s: &mut Stream, with_racks: bool) {
        let equal = self.kind.equal.unwrap_or_else(|| some(s, 2));
        let everything: BTreeSet<String> = self.topics.iter().map(|(name, _)| name.clone()).collect();
        // a group may read less than there is
        let all: BTreeSet<String> = everything.iter().filter(|_| !some(s, 5)).cloned().collect();
        let all = if all.is_empty() { everything } else { all };
        let statics = some(s, 4);
        for m in 0..count(s, 1, 12) {
            let id: String = (0..22).map(|_| char::from(LETTERS[s.index(64)])).collect();
            let own: BTreeSet<String> = all.iter().filter(|_| !some(s, 3)).cloned().collect();
            self.members.push(Member {
                id,
                instance: (statics && !some(s, 3)).then(|| format!("i{m}")),
                rack: (with_racks && !some(s, 6)).then(|| ["a", "b", "c", "d"][s.index(4)].to_owned()),
                topics: if equal || own.is_empty() { all.clone() } else { own },
                threads: 1,
                generation: -1,
                ..Member::default()
            });
        }
    }

    /// What members owned: most of what there is, mostly of what they read, at one clients' group in four with members
    /// that missed the last rebalance.
    fn own(&mut self, s: &mut Stream) {
        if some(s, 4) {
            return;
        }
        let lazy = !self.kind.is_server() && some(s, 4);
        for member in &mut self.members {
            member.generation = if lazy && some(s, 3) { 4 } else { 5 };
        }
        for (t, (name, _)) in self.topics.iter().enumerate() {
            for partition in 0..self.replicas[t].len() {
                if some(s, 4) {
                    continue;
                }
                let times = if lazy && some(s, 3) { 2 } else { 1 };
                for _ in 0..times {
                    let place = s.index(self.members.len());
                    // some groups were lopsided
                    let place = if some(s, 3) { place / 2 } else { place };
                    let member = &mut self.members[place];
                    if member.topics.contains(name) || some(s, 5) {
                        member.owned.insert((name.clone(), partition));
                    }
                }
            }
        }
    }

    /// Its line for the driver.
    ///
    /// # Panics
    /// Never: it has only strings and numbers.
    #[must_use]
    pub fn line(&self) -> String {
        let topics = self.topics.iter().zip(&self.replicas);
        let topics = topics.map(|((name, id), lists)| TopicLine { name, id: id.to_string(), replicas: lists });
        let members = self.members.iter().map(|m| MemberLine {
            id: &m.id,
            instance: m.instance.as_deref(),
            rack: m.rack.as_deref(),
            topics: &m.topics,
            owned: &m.owned,
            generation: m.generation,
        });
        let line = Line {
            assignor: self.kind.assignor.name(),
            racks: &self.racks,
            topics: topics.collect(),
            members: members.collect(),
        };
        serde_json::to_string(&line).expect("strings and numbers") + "\n"
    }

    fn input(&self) -> Input {
        let place = |list: &Vec<usize>| Place {
            leader: u32::try_from(list[0]).unwrap_or(0),
            racks: list.iter().filter_map(|&b| self.racks[b].clone()).collect(),
        };
        let topics = self.topics.iter().zip(&self.replicas).map(|((name, id), lists)| Topic {
            name: name.clone(),
            id: *id,
            partitions: lists.iter().map(place).collect(),
        });
        Input::new(self.members.clone(), topics.collect()).expect("members read topics that there are")
    }

    /// Ours beside Kafka's.
    ///
    /// # Errors
    /// If Kafka's answer speaks of members or topics that the group does not have.
    pub fn held(&self, kafka: &Dealt) -> Result<Held, String> {
        let input = self.input();
        let ours = self.kind.assignor.assign(&input).map_err(|error| error.to_string())?;
        let theirs = owners(&input, kafka)?;
        let (own, other) = (Standing::of(&input, &ours, self.kind), Standing::of(&input, &theirs, self.kind));
        Ok(Held { same: ours == theirs, same_counts: sizes(&ours) == sizes(&theirs), ours: own, kafka: other })
    }
}

fn sizes(owners: &[Owner]) -> Vec<usize> {
    owners.iter().map(|o| o.partitions.len()).collect()
}

fn owners(input: &Input, dealt: &Dealt) -> Result<Vec<Owner>, String> {
    let mut all: Vec<Owner> =
        (0..input.members().len()).map(|member| Owner { member, thread: None, partitions: Vec::new() }).collect();
    for (id, topics) in dealt {
        let place =
            input.members().iter().position(|m| m.id == *id).ok_or_else(|| format!("there is no member {id}"))?;
        for (name, partitions) in topics {
            let topic = input.topics().iter().position(|t| t.name == *name);
            let topic = topic.ok_or_else(|| format!("there is no topic {name}"))?;
            all[place].partitions.extend(partitions.iter().map(|&partition| TopicPartition { topic, partition }));
        }
    }
    all.iter_mut().for_each(|owner| owner.partitions.sort_unstable());
    Ok(all)
}
