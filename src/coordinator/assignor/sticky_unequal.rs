//! The client's `sticky` where members subscribe to different topics: what is owned stays, the rest goes to the least
//! loaded, and then single partitions move for as long as that evens out. Choice by choice as Kafka's general algorithm
//! makes them, but for one thing: a partition never goes back to a former owner who does not read its topic any more.

use std::collections::{BTreeMap, BTreeSet};

use super::trips::Trips;
use super::uniform::java_order;
use super::{Input, TopicPartition, claims};

/// Members by load, least first; by id among those with as many.
type ByLoad = BTreeSet<(usize, usize)>;

/// Partitions of a topic.
type Part = (usize, Vec<usize>);

pub(super) fn assign(input: &Input) -> Vec<Vec<TopicPartition>> {
    let mut group = Group::of(input);
    let nobody_had_any = group.loads.iter().all(|load| *load == 0);
    let (new, all) = (group.open(), group.all());
    group.fill(&new);
    let filled = group.owners.clone();
    let before = group.unevenness();
    if !group.something_was_taken {
        group.even_out(&new);
    }
    let moved = group.even_out(&all);
    if moved && !nobody_had_any && group.unevenness() >= before {
        group.owners = filled;
    }
    group.by_member()
}

struct Group<'a> {
    input: &'a Input,
    /// Are racks looked at?
    racks: bool,
    /// Topics that somebody reads: fewest readers first, then by name.
    order: Vec<usize>,
    /// Member by topic and partition.
    owners: Vec<Vec<Option<usize>>>,
    /// Partitions by member.
    loads: Vec<usize>,
    /// Who had a partition in an older generation than the newest there is, and still reads its topic.
    former: BTreeMap<TopicPartition, usize>,
    /// Somebody lost a partition since he does not read its topic any more or is not near it.
    something_was_taken: bool,
    trips: Trips,
}

impl<'a> Group<'a> {
    fn of(input: &'a Input) -> Group<'a> {
        let members = input.members();
        let read = |t: &usize| !input.subscribers(*t).is_empty();
        let mut order: Vec<usize> = (0..input.topics().len()).filter(read).collect();
        let everybody: Vec<usize> = (0..members.len()).collect();
        let racks = input.racks_matter(&order, &input.racks_of(&everybody));
        order.sort_by_key(|&t| (input.subscribers(t).len(), t));
        let mut group = Group {
            input,
            racks,
            order,
            owners: input.topics().iter().map(|topic| vec![None; topic.partitions.len()]).collect(),
            loads: vec![0; members.len()],
            former: former(input),
            something_was_taken: false,
            trips: Trips::of(input.topics()),
        };
        // a claim on a topic that others read counts against theirs, though it keeps nothing
        let newest = claims::newest(members, input.topics(), |_, topic| read(&topic));
        for (tp, owner) in newest.into_iter().filter_map(|(tp, (_, owner))| Some((tp, owner?))) {
            if group.reads(owner, tp.topic) && !group.is_far(owner, tp) {
                group.owners[tp.topic][tp.partition] = Some(owner);
                group.loads[owner] += 1;
            } else {
                group.something_was_taken = true;
            }
        }
        group
    }

    fn reads(&self, member: usize, topic: usize) -> bool {
        self.input.subscribed(member).binary_search(&topic).is_ok()
    }

    fn is_far(&self, member: usize, tp: TopicPartition) -> bool {
        self.racks && self.input.members()[member].rack.is_some() && !self.input.local(member, tp)
    }

    fn by_load(&self, topic: usize) -> ByLoad {
        self.input.subscribers(topic).iter().map(|&member| (self.loads[member], member)).collect()
    }

    /// What nobody has.
    fn open(&self) -> Vec<Part> {
        let open = |&topic: &usize| {
            let numbers = self.owners[topic].iter().enumerate().filter(|(_, owner)| owner.is_none());
            (topic, numbers.map(|(partition, _)| partition).collect())
        };
        self.order.iter().map(open).collect()
    }

    fn all(&self) -> Vec<Part> {
        self.order.iter().map(|&topic| (topic, (0..self.owners[topic].len()).collect())).collect()
    }

    /// Gives each to the least loaded that it is near to; what is near to nobody comes last.
    fn fill(&mut self, open: &[Part]) {
        if self.racks {
            self.fill_each(open, |group, member, tp| !group.is_far(member, tp));
        }
        self.fill_each(open, |_, _, _| true);
    }

    fn fill_each(&mut self, open: &[Part], fits: impl Fn(&Group<'_>, usize, TopicPartition) -> bool) {
        for (topic, partitions) in open {
            let mut by_load = self.by_load(*topic);
            for &partition in partitions.iter().filter(|p| self.owners[*topic][**p].is_none()).collect::<Vec<_>>() {
                let tp = TopicPartition { topic: *topic, partition };
                let Some(&(load, member)) = by_load.iter().find(|(_, member)| fits(self, *member, tp)) else {
                    continue;
                };
                self.owners[*topic][partition] = Some(member);
                self.loads[member] += 1;
                by_load.remove(&(load, member));
                by_load.insert((load + 1, member));
            }
        }
    }

    /// Goes over these again and again until nothing moves any more. Did anything?
    fn even_out(&mut self, parts: &[Part]) -> bool {
        let mut moved = false;
        // Kafka knows no end but a pass without a move; more passes than partitions have never been needed
        for _ in 0..=self.input.partitions().count() {
            if !self.pass(parts) {
                break;
            }
            moved = true;
        }
        moved
    }

    fn pass(&mut self, parts: &[Part]) -> bool {
        let mut moved = false;
        for (topic, partitions) in parts {
            let loads = || self.input.subscribers(*topic).iter().map(|&member| self.loads[member]);
            if loads().max() <= loads().min().map(|least| least + 1) {
                continue;
            }
            let mut by_load = self.by_load(*topic);
            for &partition in partitions {
                let tp = TopicPartition { topic: *topic, partition };
                let Some(owner) = self.owners[*topic][partition] else { continue };
                let least = by_load.first().map(|(_, member)| *member);
                let takers = [self.former.get(&tp).copied(), least];
                let helps = |member: &usize| self.loads[owner] > self.loads[*member] + 1;
                if let Some(taker) = takers.into_iter().flatten().find(helps) {
                    self.send(tp, owner, taker, &mut by_load);
                    moved = true;
                }
            }
        }
        moved
    }

    /// Sends a partition to another member, or one of its topic in its stead that came from there.
    fn send(&mut self, tp: TopicPartition, owner: usize, taker: usize, by_load: &mut ByLoad) {
        let home = self.trips.origin(tp).unwrap_or(owner);
        let tp = self.trips.back(tp.topic, taker, home).unwrap_or(tp);
        let Some(giver) = self.owners[tp.topic][tp.partition].replace(taker) else { return };
        self.trips.go(tp, giver, taker);
        for member in [giver, taker] {
            by_load.remove(&(self.loads[member], member));
        }
        self.loads[giver] -= 1;
        self.loads[taker] += 1;
        for member in [giver, taker] {
            by_load.insert((self.loads[member], member));
        }
    }

    /// The gaps of every two members that have a choice, added up.
    fn unevenness(&self) -> usize {
        let shared = |topic: &usize| self.input.subscribers(*topic).len() > 1 && !self.owners[*topic].is_empty();
        let has_choice = |member: &usize| self.input.subscribed(*member).iter().any(shared);
        let mut loads: Vec<usize> = (0..self.loads.len()).filter(has_choice).map(|member| self.loads[member]).collect();
        loads.sort_unstable();
        let mut below = 0;
        let mut sum = 0;
        for (count, load) in loads.into_iter().enumerate() {
            sum += load * count - below;
            below += load;
        }
        sum
    }

    fn by_member(&self) -> Vec<Vec<TopicPartition>> {
        let mut out = vec![Vec::new(); self.loads.len()];
        for (topic, owners) in self.owners.iter().enumerate() {
            for (partition, owner) in owners.iter().enumerate() {
                if let Some(member) = owner {
                    out[*member].push(TopicPartition { topic, partition });
                }
            }
        }
        out
    }
}

/// Of members that missed the last rebalance, what each had last.
fn former(input: &Input) -> BTreeMap<TopicPartition, usize> {
    let generation = |member: usize| input.members()[member].generation;
    let newest = input.members().iter().map(|member| member.generation).max().unwrap_or(-1);
    let mut rank = vec![0; input.members().len()];
    java_order(input).into_iter().enumerate().for_each(|(place, member)| rank[member] = place);
    let mut former: BTreeMap<TopicPartition, usize> = BTreeMap::new();
    let before = |one: usize, other: usize| (-generation(one), rank[one]) < (-generation(other), rank[other]);
    for (member, tp) in input.claims().filter(|(member, _)| generation(*member) < newest) {
        let known = former.entry(tp).or_insert(member);
        if before(member, *known) {
            *known = member;
        }
    }
    former.retain(|tp, member| input.subscribed(*member).binary_search(&tp.topic).is_ok());
    former
}
