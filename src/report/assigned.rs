//! Who gets which partition: assignors side by side, and the owners of one, as rows and as tables.

use serde::Serialize;

use crate::coordinator::assignor::{Assignor, Figures, Input, Member, Owner};
use crate::metrics::per_cent;

use super::table::{Cell, Column, Grid, Screen};
use super::words::{plural, thousands};

/// An assignor and what it made of the group, or why it made nothing.
#[derive(Clone, Debug)]
pub struct Assigned {
    /// Which.
    pub assignor: Assignor,
    /// Who owns what, and its figures; else why not.
    pub result: Result<(Vec<Owner>, Figures), String>,
}

/// A row of the comparison: an assignor.
#[derive(Clone, Debug, Default, Serialize)]
#[allow(missing_docs, reason = "docs/assign.md says what each column is")]
pub struct ComparedRow {
    pub group: String,
    pub assignor: &'static str,
    pub owners: Option<u64>,
    pub idle: Option<u64>,
    pub partitions: Option<u64>,
    pub unassigned: Option<u64>,
    pub least: Option<u64>,
    pub most: Option<u64>,
    pub imbalance_total: Option<u64>,
    pub imbalance_per_topic_max: Option<u64>,
    pub local_pct: Option<String>,
    pub brokers_least: Option<u64>,
    pub brokers_most: Option<u64>,
    pub moves: Option<u64>,
    pub moves_between_members: Option<u64>,
    pub refused: String,
}

/// A row of the assignment: a partition and its owner.
#[derive(Clone, Debug, Default, Serialize)]
#[allow(missing_docs, reason = "docs/assign.md says what each column is")]
pub struct PartitionRow<'a> {
    pub group: &'a str,
    pub assignor: &'static str,
    pub topic: &'a str,
    pub partition: u64,
    pub member: &'a str,
    pub thread: Option<u32>,
    pub broker: Option<u32>,
    pub local: Option<bool>,
    pub moved: Option<bool>,
}

impl ComparedRow {
    /// Of an assignor; `group` is the file's name.
    #[must_use]
    pub fn new(group: &str, assigned: &Assigned) -> ComparedRow {
        let (group, assignor) = (group.to_owned(), assigned.assignor.name());
        let f = match &assigned.result {
            Ok((_, figures)) => figures,
            Err(why) => return ComparedRow { group, assignor, refused: why.clone(), ..ComparedRow::default() },
        };
        let brokers = |n: u64| (f.partitions > 0).then_some(n);
        ComparedRow {
            group,
            assignor,
            owners: Some(f.owners),
            idle: Some(f.idle),
            partitions: Some(f.partitions),
            unassigned: Some(f.unassigned),
            least: Some(f.least),
            most: Some(f.most),
            imbalance_total: Some(f.imbalance_total()),
            imbalance_per_topic_max: Some(f.imbalance_per_topic_max),
            local_pct: per_cent(f.local, f.racked),
            brokers_least: brokers(f.brokers_least),
            brokers_most: brokers(f.brokers_most),
            moves: f.owned_before.then_some(f.moves),
            moves_between_members: f.owned_before.then_some(f.between_members),
            refused: String::new(),
        }
    }
}

/// The partitions of an assignment, topic by topic; one that nobody owns has no member.
pub fn partition_rows<'a>(
    group: &'a str,
    input: &'a Input,
    assignor: Assignor,
    owners: &'a [Owner],
) -> Vec<PartitionRow<'a>> {
    let before = (0..input.members().len()).any(|m| !input.owned(m).is_empty());
    let mut by_partition: Vec<_> =
        owners.iter().flat_map(|owner| owner.partitions.iter().map(move |tp| (*tp, owner))).collect();
    by_partition.sort_by_key(|(tp, _)| *tp);
    let mut next = by_partition.into_iter().peekable();
    let row = |tp| {
        let owner = next.next_if(|(other, _)| *other == tp).map(|(_, owner)| owner);
        let member = owner.map(|owner| &input.members()[owner.member]);
        PartitionRow {
            group,
            assignor: assignor.name(),
            topic: &input.topics()[tp.topic].name,
            partition: tp.partition as u64,
            member: member.map_or("", |m| &m.id),
            thread: owner.and_then(|owner| owner.thread),
            broker: Some(input.place(tp).leader),
            local: owner.filter(|_| member.is_some_and(|m| m.rack.is_some())).map(|o| input.local(o.member, tp)),
            moved: owner.filter(|_| before).map(|o| input.owned(o.member).binary_search(&tp).is_err()),
        }
    };
    input.partitions().map(row).collect()
}

/// Side by side: a row for each assignor.
#[must_use]
pub fn compared_screen(rows: &[ComparedRow], screen: Screen) -> String {
    let some = |of: fn(&ComparedRow) -> bool| rows.iter().any(of);
    let (local, moves) = (some(|r| r.local_pct.is_some()), some(|r| r.moves.is_some()));
    let unassigned = some(|r| r.unassigned.is_some_and(|n| n > 0));
    let mut columns = vec![
        Column::text("assignor"),
        Column::figure("owners"),
        Column::figure("idle"),
        Column::figure("partitions"),
        Column::figure("each"),
        Column::figure("imbalance"),
        Column::figure("in a topic"),
        Column::figure("brokers each"),
    ];
    if unassigned {
        columns.push(Column::figure("nobody's"));
    }
    if local {
        columns.push(Column::figure("local"));
    }
    if moves {
        columns.push(Column::figure("moves"));
        columns.push(Column::figure("between members"));
    }
    let mut grid = Grid::new(columns);
    for row in rows {
        let number = |n: Option<u64>| Cell::faint_if(n.is_none(), n.map_or("–".to_owned(), thousands));
        let span = |low: Option<u64>, high: Option<u64>| match (low, high) {
            (Some(low), Some(high)) if low == high => Cell::plain(thousands(low)),
            (Some(low), Some(high)) => Cell::plain(format!("{}–{}", thousands(low), thousands(high))),
            _ => Cell::faint_if(true, "–"),
        };
        let mut cells = vec![
            Cell::plain(row.assignor),
            number(row.owners),
            Cell::faint_if(row.idle.unwrap_or(0) == 0, row.idle.map_or("–".to_owned(), thousands)),
            number(row.partitions),
            span(row.least, row.most),
            number(row.imbalance_total),
            number(row.imbalance_per_topic_max),
            span(row.brokers_least, row.brokers_most),
        ];
        if unassigned {
            let none = row.unassigned.unwrap_or(0) == 0;
            cells.push(Cell::warn_unless(none, row.unassigned.map_or("–".to_owned(), thousands)));
        }
        if local {
            let text = row.local_pct.as_ref().map_or("–".to_owned(), |pct| format!("{pct} %"));
            cells.push(Cell::faint_if(row.local_pct.is_none(), text));
        }
        if moves {
            cells.push(number(row.moves));
            cells.push(number(row.moves_between_members));
        }
        grid.row(cells);
    }
    grid.render(screen)
}

/// The owners of an assignment, `top` of them; 0: all.
#[must_use]
pub fn owners_screen(input: &Input, assigned: &Assigned, top: usize, screen: Screen) -> String {
    let Ok((owners, figures)) = &assigned.result else { return String::new() };
    let mut columns = vec![Column::text(assigned.assignor.name()), Column::figure("partitions")];
    if figures.racked > 0 {
        columns.push(Column::figure("local"));
    }
    if figures.owned_before {
        columns.push(Column::figure("moves"));
    }
    columns.push(Column::text("which"));
    let mut grid = Grid::new(columns);
    let shown = if top == 0 { owners.len() } else { owners.len().min(top) };
    for owner in &owners[..shown] {
        let member = &input.members()[owner.member];
        let name = owner.thread.map_or_else(|| member.id.clone(), |thread| format!("{}-{thread}", member.id));
        let own = &owner.partitions;
        let mut cells = vec![Cell::plain(name), Cell::faint_if(own.is_empty(), thousands(own.len() as u64))];
        if figures.racked > 0 {
            let local = own.iter().filter(|&&tp| input.local(owner.member, tp)).count() as u64;
            let text = if member.rack.is_some() { thousands(local) } else { "–".to_owned() };
            cells.push(Cell::faint_if(member.rack.is_none(), text));
        }
        if figures.owned_before {
            let moved = own.iter().filter(|tp| input.owned(owner.member).binary_search(tp).is_err()).count() as u64;
            cells.push(Cell::faint_if(moved == 0, thousands(moved)));
        }
        let text = if own.is_empty() { nothing(member, figures).to_owned() } else { listed(input, owner) };
        cells.push(Cell::faint_if(own.is_empty(), text));
        grid.row(cells);
    }
    let mut text = grid.render(screen);
    if shown < owners.len() {
        let noun = if owners[0].thread.is_some() { "thread" } else { "member" };
        text.push_str(&format!("… {}: --top 0\n", more((owners.len() - shown) as u64, noun)));
    }
    text
}

/// Why an owner has nothing.
fn nothing(member: &Member, figures: &Figures) -> &'static str {
    if member.topics.is_empty() {
        "subscribes to nothing"
    } else if figures.unassigned > 0 {
        "nothing before others have given up theirs"
    } else if figures.partitions < figures.owners {
        "idle: there are fewer partitions than owners"
    } else {
        "idle"
    }
}

fn more(n: u64, noun: &str) -> String {
    plural(n, &format!("more {noun}"))
}

/// No more runs of partitions than these in one line.
const MAX_RUNS: usize = 16;

/// `t 0–3, 7 · u 1`.
fn listed(input: &Input, owner: &Owner) -> String {
    let (mut text, mut runs) = (String::new(), 0);
    for own in owner.partitions.chunk_by(|a, b| a.topic == b.topic) {
        for (i, run) in own.chunk_by(|a, b| a.partition + 1 == b.partition).enumerate() {
            if runs == MAX_RUNS {
                return text + " …";
            }
            runs += 1;
            if i > 0 {
                text.push_str(", ");
            } else {
                let between = if text.is_empty() { "" } else { " · " };
                text.push_str(&format!("{between}{} ", input.topics()[own[0].topic].name));
            }
            let (first, last) = (run[0].partition, run[run.len() - 1].partition);
            let pair = if last == first + 1 { ", " } else { "–" };
            text.push_str(&if first == last { first.to_string() } else { format!("{first}{pair}{last}") });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coordinator::assignor::figures;
    use crate::scenario::load_assign_text;

    const FILE: &str = "
topics: {t: {partitions: 10}, u: {partitions: 3}}
members:
  a: {rack: a, owns: {t: [0, 1, 2, 9]}}
  b: {rack: b}
  c: {topics: []}
";

    fn assigned(input: &Input, assignor: Assignor) -> Assigned {
        let owners = assignor.assign(input).map_err(|e| e.to_string());
        Assigned { assignor, result: owners.map(|owners| (owners.clone(), figures(input, &owners))) }
    }

    #[test]
    fn what_a_person_sees() {
        let names = Assignor::ALL.map(Assignor::name);
        let input = Input::of(&load_assign_text("x", FILE, &names).unwrap()).unwrap();
        let one = assigned(&input, Assignor::Range);
        let refused = assigned(&input, Assignor::LegacyRoundRobin);
        let rows = [ComparedRow::new("x", &one), ComparedRow::new("x", &refused)];
        assert_eq!(
            compared_screen(&rows, Screen::PAPER),
            "\
assignor            owners  idle  partitions  each  imbalance  in a topic  brokers each    local  moves  between members
range                    3     1          13   0–7          7           1             5  100.0 %     10                1
legacy-round-robin       –     –           –     –          –           –             –        –      –                –
"
        );
        let owners = owners_screen(&input, &one, 0, Screen::PAPER);
        let expected = "\
range  partitions  local  moves  which
a               7      7      4  t 0–4 · u 0, 1
b               6      6      6  t 5–9 · u 2
c               0      –      0  subscribes to nothing
";
        assert_eq!(owners, expected);
        let first: String = expected.lines().take(2).map(|line| format!("{line}\n")).collect();
        assert_eq!(owners_screen(&input, &one, 1, Screen::PAPER), format!("{first}… 2 more members: --top 0\n"));
        let owners = one.result.unwrap().0;
        let all = partition_rows("x", &input, one.assignor, &owners);
        assert_eq!(all.len(), 13);
        assert!(all.iter().all(|row| !row.member.is_empty()));
        assert_eq!(all.iter().filter(|row| row.moved == Some(true)).count(), 10);
    }

    #[test]
    fn shares_are_rounded_half_up() {
        let got = [(0, 3), (1, 3), (2, 3), (3, 3), (1, 2_000), (1, 2_001)].map(|(a, b)| per_cent(a, b).unwrap());
        assert_eq!(got, ["0.0", "33.3", "66.7", "100.0", "0.1", "0.0"]);
        assert_eq!(per_cent(0, 0), None);
    }
}
