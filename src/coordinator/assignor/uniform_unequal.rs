//! The server's `uniform` where members subscribe to different topics: everybody keeps what he had, what is left goes
//! topic by topic to those with the least, then each topic is evened out, round after round, until no move helps.
//! Choice by choice as Kafka makes them.

use std::collections::VecDeque;

use super::uniform::java_order;
use super::{Input, TopicPartition};

/// At most so many rounds over all topics.
const MAX_ROUNDS: usize = 16;

pub(super) fn assign(input: &Input) -> Vec<Vec<TopicPartition>> {
    let mut group = Group::of(input);
    let order = group.topic_order(|_| true);
    order.iter().for_each(|&topic| group.fill(topic));
    group.even_out();
    group.by_member()
}

/// Members go by their rank in the coordinator's hash map, which decides wherever they have as many.
struct Group<'a> {
    input: &'a Input,
    /// Member by rank.
    members: Vec<usize>,
    /// Ranks by topic, ascending.
    subscribers: Vec<Vec<usize>>,
    /// Partitions by rank.
    loads: Vec<usize>,
    /// Rank by topic and partition.
    owners: Vec<Vec<Option<usize>>>,
}

impl<'a> Group<'a> {
    fn of(input: &'a Input) -> Group<'a> {
        let members = java_order(input);
        let mut subscribers = vec![Vec::new(); input.topics().len()];
        let mut owners: Vec<Vec<Option<usize>>> =
            input.topics().iter().map(|topic| vec![None; topic.partitions.len()]).collect();
        let mut loads = vec![0; members.len()];
        for (rank, &member) in members.iter().enumerate() {
            input.subscribed(member).iter().for_each(|&topic| subscribers[topic].push(rank));
            input.owned(member).iter().for_each(|tp| owners[tp.topic][tp.partition] = Some(rank));
            loads[rank] = input.owned(member).len();
        }
        Group { input, members, subscribers, loads, owners }
    }

    /// Topics with enough subscribers, by partitions per subscriber, most first; fewer subscribers first; then by id.
    fn topic_order(&self, enough: impl Fn(usize) -> bool) -> Vec<usize> {
        let subscribers = |t: usize| self.subscribers[t].len();
        let mut order: Vec<usize> =
            (0..self.owners.len()).filter(|&t| subscribers(t) > 0 && enough(subscribers(t))).collect();
        order.sort_by(|&a, &b| {
            // Java compares the halves of an id with their signs
            let id = |t: usize| {
                let id = self.input.topics()[t].id;
                (id.msb.cast_signed(), id.lsb.cast_signed())
            };
            let per_subscriber = |t: usize, other: usize| self.owners[t].len() * subscribers(other);
            per_subscriber(b, a)
                .cmp(&per_subscriber(a, b))
                .then(subscribers(a).cmp(&subscribers(b)))
                .then(id(a).cmp(&id(b)))
                .then(a.cmp(&b))
        });
        order
    }

    /// Gives what nobody has of a topic to its least loaded subscribers.
    fn fill(&mut self, topic: usize) {
        if self.owners[topic].iter().all(Option::is_some) {
            return;
        }
        let mut ends = Ends::of(self.subscribers[topic].clone(), &self.loads);
        for owner in self.owners[topic].iter_mut().filter(|owner| owner.is_none()) {
            let taker = ends.lightest(&self.loads);
            self.loads[taker] += 1;
            *owner = Some(taker);
        }
    }

    fn even_out(&mut self) {
        let order = self.topic_order(|subscribers| subscribers > 1);
        let mut spans = vec![(0, 0); self.members.len()];
        // so many topics in a row are even: the last one in which something moved and those after it
        let mut quiet = 0;
        for &topic in order.iter().cycle().take(order.len() * MAX_ROUNDS) {
            quiet = if self.even(topic, &mut spans) { 1 } else { quiet + 1 };
            if quiet == order.len() {
                break;
            }
        }
    }

    /// Moves partitions of a topic from its most to its least loaded subscribers. Did any move?
    fn even(&mut self, topic: usize, spans: &mut [(usize, usize)]) -> bool {
        let loads = || self.subscribers[topic].iter().map(|&rank| self.loads[rank]);
        if loads().max() <= loads().min().map(|least| least + 1) {
            return false;
        }
        // what each has of the topic, in a row; its last one goes first
        let owners = &mut self.owners[topic];
        let mut rows: Vec<usize> = (0..owners.len()).collect();
        rows.sort_by_key(|&partition| owners[partition]);
        self.subscribers[topic].iter().for_each(|&rank| spans[rank] = (0, 0));
        for (place, &partition) in rows.iter().enumerate() {
            if let Some(rank) = owners[partition] {
                let (start, end) = &mut spans[rank];
                if *start == *end {
                    *start = place;
                }
                *end = place + 1;
            }
        }
        let mut ends = Ends::of(self.subscribers[topic].clone(), &self.loads);
        let mut moved = false;
        // a member gives only what it had before this topic's turn, so this ends
        while let Some(giver) = ends.heaviest(&self.loads, |rank| spans[rank].0 < spans[rank].1) {
            spans[giver].1 -= 1;
            let partition = rows[spans[giver].1];
            let taker = ends.lightest(&self.loads);
            if ends.are_level() {
                break;
            }
            owners[partition] = Some(taker);
            self.loads[giver] -= 1;
            self.loads[taker] += 1;
            moved = true;
        }
        moved
    }

    fn by_member(&self) -> Vec<Vec<TopicPartition>> {
        let mut out: Vec<Vec<TopicPartition>> = vec![Vec::new(); self.members.len()];
        for (topic, owners) in self.owners.iter().enumerate() {
            for (partition, owner) in owners.iter().enumerate() {
                if let Some(rank) = owner {
                    out[self.members[*rank]].push(TopicPartition { topic, partition });
                }
            }
        }
        out
    }
}

/// The subscribers of a topic from the least to the most loaded, taken from both ends at once: a *tier* at either end
/// takes turns; when all in it have had theirs it has moved by one partition, and whoever stands level with it joins.
struct Ends {
    sorted: Vec<usize>,
    /// So many at the start take partitions in turn, who is next, and what those have who have not had their turn.
    light: usize,
    light_turn: usize,
    light_level: usize,
    /// Those at the end that give, how many of them are still to be asked in this turn, and what those have.
    heavy: VecDeque<usize>,
    heavy_turn: usize,
    heavy_level: usize,
    /// So many at the start have not been asked to give.
    unasked: usize,
}

impl Ends {
    fn of(mut sorted: Vec<usize>, loads: &[usize]) -> Ends {
        sorted.sort_unstable_by_key(|&rank| (loads[rank], rank));
        let unasked = sorted.len();
        Ends {
            sorted,
            light: 0,
            light_turn: 0,
            light_level: 0,
            heavy: VecDeque::new(),
            heavy_turn: 0,
            heavy_level: 0,
            unasked,
        }
    }

    /// Who takes the next one.
    fn lightest(&mut self, loads: &[usize]) -> usize {
        if self.light_turn == self.light {
            self.light_level = if self.light == 0 { loads[self.sorted[0]] } else { self.light_level + 1 };
            let level = |rank: &&usize| loads[**rank] == self.light_level;
            self.light += self.sorted[self.light..].iter().take_while(level).count();
            self.light_turn = 0;
        }
        self.light_turn += 1;
        self.sorted[self.light_turn - 1]
    }

    /// Who gives one; whoever has none to give is asked no more.
    fn heaviest(&mut self, loads: &[usize], can_give: impl Fn(usize) -> bool) -> Option<usize> {
        loop {
            if self.heavy_turn == 0 {
                self.heavy_level = if self.heavy.is_empty() {
                    loads[self.sorted[self.unasked.checked_sub(1)?]]
                } else {
                    self.heavy_level.saturating_sub(1)
                };
                while self.unasked > 0 && loads[self.sorted[self.unasked - 1]] == self.heavy_level {
                    self.unasked -= 1;
                    self.heavy.push_front(self.sorted[self.unasked]);
                }
                self.heavy_turn = self.heavy.len();
            }
            self.heavy_turn -= 1;
            let rank = self.heavy[self.heavy_turn];
            if can_give(rank) {
                return Some(rank);
            }
            // the last one, which had its turn already, takes that place: it is what Kafka does, and shows in later turns
            self.heavy.swap_remove_back(self.heavy_turn);
        }
    }

    /// Are the two who were named last at most one apart?
    const fn are_level(&self) -> bool {
        self.heavy_level <= self.light_level + 1
    }
}
