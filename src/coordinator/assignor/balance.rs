//! Filling and evening out where members subscribe to different topics: the last two steps of the server's
//! `uniform`, and what general `sticky` comes to.

use std::collections::{BTreeMap, BTreeSet};

use super::{Input, TopicPartition};

/// At most so many rounds over all topics, as in Kafka.
const MAX_ROUNDS: usize = 16;

/// Gives every partition without an owner to the least loaded subscriber, then evens out topic by topic.
pub(super) fn fill_and_even(input: &Input, out: &mut [Vec<TopicPartition>]) {
    let mut taken: Vec<Vec<bool>> = input.topics().iter().map(|t| vec![false; t.partitions.len()]).collect();
    out.iter().flatten().for_each(|tp| taken[tp.topic][tp.partition] = true);
    let order = order(input);
    for &topic in &order {
        let mut by_load: BTreeSet<(usize, usize)> =
            input.subscribers(topic).iter().map(|&m| (out[m].len(), m)).collect();
        for partition in (0..taken[topic].len()).filter(|&p| !taken[topic][p]) {
            let Some((load, member)) = by_load.pop_first() else { break };
            out[member].push(TopicPartition { topic, partition });
            by_load.insert((load + 1, member));
        }
    }
    even(input, out, &order);
}

/// Topics by partitions per subscriber, most first; fewer subscribers first; then by id.
fn order(input: &Input) -> Vec<usize> {
    let mut order: Vec<usize> = (0..input.topics().len()).filter(|&t| !input.subscribers(t).is_empty()).collect();
    let size = |t: usize| (input.topics()[t].partitions.len(), input.subscribers(t).len());
    order.sort_by(|&a, &b| {
        let ((pa, sa), (pb, sb)) = (size(a), size(b));
        (pb * sa)
            .cmp(&(pa * sb))
            .then(sa.cmp(&sb))
            .then(input.topics()[a].id.cmp(&input.topics()[b].id))
            .then(a.cmp(&b))
    });
    order
}

fn even(input: &Input, out: &mut [Vec<TopicPartition>], order: &[usize]) {
    let mut loads: Vec<usize> = out.iter().map(Vec::len).collect();
    // per topic: who has which of its partitions
    let mut held: Vec<BTreeMap<usize, Vec<usize>>> = vec![BTreeMap::new(); input.topics().len()];
    for (member, own) in out.iter().enumerate() {
        own.iter().for_each(|tp| held[tp.topic].entry(member).or_default().push(tp.partition));
    }
    held.iter_mut().flat_map(BTreeMap::values_mut).for_each(|list| list.sort_unstable());
    // a move from m to l, two or more apart, takes at least two from the sum of squares: there are no more than half of it
    let mut left: usize = loads.iter().map(|load| load * load).sum::<usize>() / 2;
    for _ in 0..MAX_ROUNDS {
        let mut moved = false;
        for &topic in order.iter().filter(|&&t| input.subscribers(t).len() > 1) {
            let mut owners: BTreeSet<(usize, usize)> = held[topic].keys().map(|&m| (loads[m], m)).collect();
            let mut takers: BTreeSet<(usize, usize)> =
                input.subscribers(topic).iter().map(|&m| (loads[m], m)).collect();
            // every move narrows the gap of two loads that are two or more apart, so this ends
            while let (Some(&(most, from)), Some(&(least, to))) = (owners.last(), takers.first()) {
                if most <= least + 1 {
                    break;
                }
                let list = held[topic].get_mut(&from);
                let Some(partition) = list.and_then(Vec::pop) else {
                    owners.remove(&(most, from));
                    continue;
                };
                debug_assert!(left > 0, "every move evens out");
                left = left.saturating_sub(1);
                let kept = held[topic].get(&from).is_some_and(|list| !list.is_empty());
                let target = held[topic].entry(to).or_default();
                let place = target.partition_point(|&p| p < partition);
                target.insert(place, partition);
                owners.remove(&(most, from));
                owners.remove(&(least, to));
                takers.remove(&(most, from));
                takers.remove(&(least, to));
                loads[from] -= 1;
                loads[to] += 1;
                takers.insert((loads[from], from));
                takers.insert((loads[to], to));
                owners.insert((loads[to], to));
                if kept {
                    owners.insert((loads[from], from));
                }
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
    out.iter_mut().for_each(Vec::clear);
    for (topic, by_member) in held.iter().enumerate() {
        for (&member, list) in by_member {
            out[member].extend(list.iter().map(|&partition| TopicPartition { topic, partition }));
        }
    }
}
