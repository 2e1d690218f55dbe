//! `rack-aware-uniform`, our own: balance first (max − min ≤ 1), then as many partitions as can be local, then as
//! few moves as can be. Exact: it starts from a balanced assignment and cancels negative cycles, as for a flow of
//! least cost, until there are none. Each lowers the cost, so it ends; it takes long for more than some hundred
//! members.

use super::{AssignError, Input, TopicPartition, uniform};

/// What a partition costs at a member: not being local weighs more than all moves together.
type Cost = i64;

pub(super) fn assign(input: &Input) -> Result<Vec<Vec<TopicPartition>>, AssignError> {
    input.demand_equal("rack-aware-uniform")?;
    let mut out = uniform::assign(input);
    let members = out.len();
    if members == 0 {
        return Ok(out);
    }
    let total: usize = out.iter().map(Vec::len).sum();
    let least = total / members;
    let remote = Cost::try_from(total).unwrap_or(Cost::MAX / 2) + 1;
    let cost = |member: usize, tp: TopicPartition| -> Cost {
        let moved = input.owned(member).binary_search(&tp).is_err();
        Cost::from(moved) + if input.local(member, tp) { 0 } else { remote }
    };
    // each cycle makes it cheaper by one at least
    let price = |out: &[Vec<TopicPartition>]| -> Cost {
        out.iter().enumerate().flat_map(|(m, own)| own.iter().map(move |&tp| (m, tp))).map(|(m, tp)| cost(m, tp)).sum()
    };
    let mut left = price(&out);
    while let Some(cycle) = negative_cycle(&out, least, &cost) {
        debug_assert!(left > 0, "every cycle makes it cheaper");
        left -= 1;
        for (from, to, tp) in cycle {
            out[from].retain(|other| *other != tp);
            out[to].push(tp);
        }
    }
    Ok(out)
}

/// Partitions that move around a circle of members, or from one with one more to one with one less, and make it
/// cheaper. By Bellman and Ford; the node after the members stands for such an exchange of loads.
fn negative_cycle(
    out: &[Vec<TopicPartition>],
    least: usize,
    cost: &dyn Fn(usize, TopicPartition) -> Cost,
) -> Option<Vec<(usize, usize, TopicPartition)>> {
    let hub = out.len();
    let mut edges: Vec<(usize, usize, Cost, Option<TopicPartition>)> = Vec::new();
    for (from, own) in out.iter().enumerate() {
        for to in (0..hub).filter(|&to| to != from) {
            let best = own.iter().map(|&tp| (cost(to, tp) - cost(from, tp), tp)).min();
            edges.extend(best.map(|(cost, tp)| (from, to, cost, Some(tp))));
        }
        edges.push(if own.len() > least { (hub, from, 0, None) } else { (from, hub, 0, None) });
    }
    let mut distance: Vec<Cost> = vec![0; hub + 1];
    let mut before: Vec<Option<usize>> = vec![None; hub + 1];
    let mut last = None;
    for _ in 0..=hub {
        last = None;
        for (index, &(from, to, cost, _)) in edges.iter().enumerate() {
            if distance[from] + cost < distance[to] {
                distance[to] = distance[from] + cost;
                before[to] = Some(index);
                last = Some(to);
            }
        }
        last?;
    }
    // far enough back to stand on the circle itself
    let mut node = last?;
    for _ in 0..=hub {
        node = edges[before[node]?].0;
    }
    let (start, mut moves) = (node, Vec::new());
    loop {
        let (from, to, _, tp) = edges[before[node]?];
        moves.extend(tp.map(|tp| (from, to, tp)));
        node = from;
        if node == start {
            return Some(moves);
        }
    }
}
