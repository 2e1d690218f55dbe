//! `explain` in words: a group's rebalances one by one, or where two strategies first part.

use std::fmt::Write as _;

use crate::experiment::{Dealt, Explained, Narrator, Sight, all_bumps, explain_group, first_parting, sights_of};
use crate::kafka::{GroupId, GroupKind, TopicId};
use crate::metrics::{Bump, BumpVerdict, Counts};
use crate::scenario::{Scenario, StrategyKind, StrategySpec};
use crate::sim::Ms;
use crate::world::History;

use super::table::{Cell, Column, Grid, Screen};
use super::words::{plural, thousands};

/// A text in paragraphs and at most one table, for a screen or for a ticket.
pub struct Told {
    head: Vec<String>,
    columns: Vec<&'static str>,
    rows: Vec<Vec<String>>,
    tail: Vec<String>,
    screen: Screen,
}

impl Told {
    /// For a terminal.
    #[must_use]
    pub fn screen(&self) -> String {
        let mut text = String::new();
        for line in &self.head {
            let _ = writeln!(text, "{line}");
        }
        if !self.rows.is_empty() {
            let columns = self.columns.iter().map(|c| if *c == "#" { Column::figure(*c) } else { Column::text(*c) });
            let mut grid = Grid::new(columns.collect());
            self.rows.iter().for_each(|row| grid.row(row.iter().map(Cell::plain).collect()));
            text += &grid.render(self.screen);
        }
        for line in &self.tail {
            let _ = writeln!(text, "{line}");
        }
        text
    }

    /// For a ticket.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = String::new();
        for line in &self.head {
            let _ = writeln!(text, "{}\n", escaped(line));
        }
        if !self.rows.is_empty() {
            let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
            text += &line(&self.columns.iter().map(|c| (*c).to_owned()).collect::<Vec<_>>());
            text += &format!("|{}\n", "---|".repeat(self.columns.len()));
            for row in &self.rows {
                text += &line(&row.iter().map(|cell| escaped(cell)).collect::<Vec<_>>());
            }
            text.push('\n');
        }
        for line in &self.tail {
            let _ = writeln!(text, "{}\n", escaped(line));
        }
        text
    }
}

/// Names may hold what Markdown reads as something else.
pub(super) fn escaped(text: &str) -> String {
    text.chars().flat_map(|c| ("|*_<`\\".contains(c)).then_some('\\').into_iter().chain([c])).collect()
}

/// A group's rebalances. Without a strategy: that with most rebalances; without a group: its worst.
///
/// # Errors
/// If there is no such group.
pub fn group(
    scenario: &Scenario,
    history: &History,
    spec: Option<&StrategySpec>,
    group: Option<&str>,
    screen: Screen,
) -> Result<Told, String> {
    let asked = group.map(|name| find_group(history, name)).transpose()?;
    let counts = |spec: &StrategySpec| all_bumps(scenario, history, spec, &|_| true).unwrap_or_default();
    let of = |bumps: &[Bump], id: GroupId| bumps.iter().filter(|b| b.group == id).count();
    let mut all: Vec<(&StrategySpec, Vec<Bump>)> = scenario.strategies.iter().map(|s| (s, counts(s))).collect();
    let most = |bumps: &[Bump]| asked.map_or(bumps.len(), |id| of(bumps, id));
    // the first of the equal ones
    all.sort_by_key(|(_, bumps)| std::cmp::Reverse(most(bumps)));
    let chosen = spec.map_or(0, |spec| all.iter().position(|(s, _)| *s == spec).unwrap_or(0));
    let (spec, bumps) = &all[chosen];
    let Some(id) = asked.or_else(|| worst_group(bumps)) else {
        let line = format!("{} has no rebalances: nothing to explain", spec.name);
        return Ok(Told { head: vec![line], columns: vec![], rows: vec![], tail: vec![], screen });
    };
    let Some(told) = explain_group(scenario, history, spec, id, &|_| true) else { return Err("interrupted".into()) };
    let mut own = Counts::default();
    told.bumps.iter().for_each(|b| own.add(b.bump.verdict));
    let row = &told.lane.groups[id.index()];
    let head = [
        history.names.groups[id.index()].clone(),
        shard(history, row.shard),
        members(row.members, row.kind),
        some(&told.topics, 8),
        format!("{}: {}", spec.name, equation(&own)),
    ];
    let assignment = told.dealt.is_some().then_some("assignment");
    let rows = told.bumps.iter().zip(1..).map(|(b, number)| {
        let cells = [format!("{number}"), b.bump.at.clock(), b.bump.verdict.name().to_owned()];
        let target = told.dealt.is_some().then(|| target(history, &told, number - 1));
        cells.into_iter().chain([b.cause.clone(), b.seen.clone()]).chain(target).collect()
    });
    let others: Vec<String> = scenario
        .strategies
        .iter()
        .filter(|s| *s != *spec)
        .filter_map(|s| all.iter().find(|(o, _)| *o == s))
        .map(|(s, bumps)| format!("{} {}", s.name, thousands(of(bumps, id) as u64)))
        .collect();
    let mut tail: Vec<String> = told.why_not_once.iter().map(|why| format!("Why not once: {why}")).collect();
    tail.extend(told.dealt.as_ref().map(|dealt| targets(&told, dealt)));
    if !others.is_empty() {
        tail.push(format!("This group elsewhere: {}.", others.join(", ")));
    }
    Ok(Told {
        head: vec![head.join(" · ")],
        columns: ["#", "time", "verdict", "cause", "seen through"].into_iter().chain(assignment).collect(),
        rows: rows.collect(),
        tail,
        screen,
    })
}

/// What the target after a rebalance moved: `4 of its partitions move › m-1, m-3`.
fn target(history: &History, told: &Explained, place: usize) -> String {
    let epoch = |place: usize| told.bumps.get(place).map(|b| b.bump.epoch);
    let after = |place: usize| told.target_after(epoch(place)?);
    let Some(dealt) = after(place) else { return "none any more".into() };
    // several rebalances before one target: the last of them tells
    if after(place + 1).is_some_and(|next| next.epoch == dealt.epoch) {
        return format!("with #{}", place + 2);
    }
    if dealt.same {
        return "unchanged".into();
    }
    let names: Vec<String> =
        dealt.disturbed.iter().map(|m| history.names.members.get(m.index()).into_owned()).collect();
    let moves = match dealt.moves {
        0 => "nobody loses any to another".to_owned(),
        n => format!("{} {}", plural(n, "partition"), if n == 1 { "moves" } else { "move" }),
    };
    if names.is_empty() { moves } else { format!("{moves} › {}", some(&names, 3)) }
}

/// All targets of the rebalances told of, in one line.
fn targets(told: &Explained, dealt: &[Dealt]) -> String {
    let first = told.bumps.first().map_or(u32::MAX, |b| b.bump.epoch);
    let own: Vec<&Dealt> = dealt.iter().filter(|d| d.epoch >= first).collect();
    let same = own.iter().filter(|d| d.same).count() as u64;
    let moves: u64 = own.iter().map(|d| d.moves).sum();
    let disturbed: u64 = own.iter().map(|d| d.disturbed.len() as u64).sum();
    let targets = plural(own.len() as u64, "target assignment");
    let moved = plural(moves, "partition");
    format!(
        "Its assignor: {targets}, {} of them unchanged; {moved} moved; members disturbed, in all: {disturbed}.",
        thousands(same)
    )
}

/// Where two strategies first part.
#[must_use]
pub fn parting(scenario: &Scenario, history: &History, a: &StrategySpec, b: &StrategySpec, screen: Screen) -> Told {
    let bumps = |spec| all_bumps(scenario, history, spec, &|_| true).unwrap_or_default();
    let (x, y) = (bumps(a), bumps(b));
    let mut told = Told { head: vec![], columns: vec![], rows: vec![], tail: vec![], screen };
    let Some((at, group)) = first_parting(&x, &y) else {
        let count = thousands(x.len() as u64);
        told.head.push(format!("{} and {} never part: {count} rebalances, the same ones", a.name, b.name));
        return told;
    };
    let name = &history.names.groups[group.index()];
    let before = x.iter().take_while(|bump| (bump.at, bump.group) < (at, group)).count();
    let same = match before {
        0 => "Before, neither has rebalanced anybody.".to_owned(),
        n => format!("The {} before are the same.", plural(n as u64, "rebalance")),
    };
    told.head.push(format!("{} and {} first part at {}, group {name}. {same}", a.name, b.name, at.clock()));
    told.columns = vec!["strategy", "looked", "because of", "took its topics from", "decision"];
    let narrator = Narrator::new(history);
    for (spec, bumps) in [(a, &x), (b, &y)] {
        if spec.kind == StrategyKind::ClassicClient {
            told.rows.push(side_of_clients(spec, bumps.iter().find(|b| (b.at, b.group) == (at, group))));
            continue;
        }
        let sights = sights_of(scenario, history, spec, group, &|_| true).unwrap_or_default();
        let sight = sights.iter().rev().find(|s| s.at <= at);
        told.rows.push(side(history, &narrator, spec, at, sight));
    }
    told.tail.push(format!(
        "In all: {} {}, {} {}.",
        a.name,
        thousands(x.len() as u64),
        b.name,
        thousands(y.len() as u64)
    ));
    told
}

/// What the clients of a classic group did at that instant.
fn side_of_clients(spec: &StrategySpec, bump: Option<&Bump>) -> Vec<String> {
    let looked = if bump.is_some() { "then" } else { "at its clients' refreshes" };
    let because = match bump.map(|b| b.verdict) {
        Some(BumpVerdict::Membership) => "an operation of its members",
        Some(_) => "a client's metadata refresh",
        None => "–",
    };
    let decision = bump.map_or("no rebalance".to_owned(), |b| format!("rebalance, generation {}", b.epoch));
    vec![spec.name.clone(), looked.into(), because.into(), "its clients' metadata".into(), decision]
}

/// What one strategy did with the group at that instant.
fn side(history: &History, narrator: &Narrator<'_>, spec: &StrategySpec, at: Ms, sight: Option<&Sight>) -> Vec<String> {
    let Some(sight) = sight else {
        let nothing = "never asked to look until then".to_owned();
        return vec![spec.name.clone(), "no".into(), nothing, "–".into(), "no rebalance".into()];
    };
    let topics: Vec<TopicId> = sight.read.iter().map(|(t, _)| *t).collect();
    let because = match sight.due {
        Some(due) if due.load => "load of its shard".to_owned(),
        Some(due) => narrator.visible(due.image, &topics),
        None => "an operation of its members".to_owned(),
    };
    let old: Vec<String> = sight
        .read
        .iter()
        .filter(|(_, from)| *from < sight.image)
        .map(|(t, from)| format!("{} as of {}", history.names.topics[t.index()], narrator.arrived(*from).clock()))
        .collect();
    let from = if old.is_empty() { "the image of then".to_owned() } else { format!("a cache: {}", some(&old, 3)) };
    let decision = match (sight.renewal, sight.recomputed) {
        (Some(renewal), _) if sight.at == at => format!("rebalance, epoch {}", renewal.epoch),
        (_, Some(recomputed)) if recomputed.failed => "failed: an unregistered replica".to_owned(),
        _ => "no rebalance".to_owned(),
    };
    let looked = if sight.at == at { "then".to_owned() } else { format!("last at {}", sight.at.clock()) };
    vec![spec.name.clone(), looked, because, from, decision]
}

fn find_group(history: &History, name: &str) -> Result<GroupId, String> {
    let found = history.names.groups.iter().position(|n| n == name).map(GroupId::at);
    found.ok_or_else(|| {
        let some = some(&history.names.groups, 5);
        format!("no group {name} in these results; there are {some}")
    })
}

/// The group with most rebalances, the first of equal ones.
fn worst_group(bumps: &[Bump]) -> Option<GroupId> {
    let mut counts = std::collections::BTreeMap::<GroupId, u64>::new();
    bumps.iter().for_each(|b| *counts.entry(b.group).or_default() += 1);
    counts.into_iter().max_by_key(|(group, count)| (*count, std::cmp::Reverse(*group))).map(|(group, _)| group)
}

/// `78 rebalances = 30 needed + 48 repeat`.
fn equation(counts: &Counts) -> String {
    let parts = [
        (counts.membership, "membership"),
        (counts.needed, "needed"),
        (counts.late, "late"),
        (counts.spurious - counts.repeat, "spurious"),
        (counts.repeat, "repeat"),
    ];
    let parts: Vec<String> =
        parts.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{} {word}", thousands(*n))).collect();
    let all = plural(counts.rebalances(), "rebalance");
    if parts.is_empty() { all } else { format!("{all} = {}", parts.join(" + ")) }
}

/// `3 members`, and of what if of no consumer group.
fn members(count: u32, kind: GroupKind) -> String {
    let members = plural(u64::from(count), "member");
    match kind {
        GroupKind::Consumer => members,
        GroupKind::Classic | GroupKind::Share | GroupKind::Streams => format!("{members} of a {} group", kind.name()),
    }
}

fn shard(history: &History, shard: u32) -> String {
    let leader = history.shards[shard as usize].leaders.first().and_then(|(_, broker)| *broker);
    leader.map_or(format!("shard {shard}"), |broker| format!("shard {shard}, at first on broker {}", broker.0))
}

/// The first few of a list.
fn some(list: &[String], most: usize) -> String {
    let shown = list.iter().take(most).cloned().collect::<Vec<_>>().join(", ");
    match list.len().saturating_sub(most) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
