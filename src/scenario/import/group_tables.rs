//! What kafka-consumer-groups.sh, kafka-groups.sh, kafka-share-groups.sh and kafka-streams-groups.sh print of groups:
//! their members, states, offsets, or a list of them. The columns say which.

use super::super::diagnostics::Problems;
use super::assignment::{Assigned, assignment};
use super::seen::{GroupKind, Seen, add_topic};
use super::sift::{Line, bad_row};
use super::table::{Row, Table};

/// What a table of groups is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum About {
    Members,
    /// Members of a streams group, whose assignment names no topics.
    Tasks,
    State,
    Offsets,
    List,
}

fn about(table: &Table) -> Option<About> {
    if !table.has("GROUP") {
        return None;
    }
    let by: [(&str, About); 7] = [
        ("#PARTITIONS", About::Members),
        ("TOPIC", About::Offsets),
        ("MEMBER", About::Tasks),
        ("COORDINATOR (ID)", About::State),
        ("TYPE", About::List),
        ("STATE", About::List),
        ("PROTOCOL", About::List),
    ];
    by.into_iter().find(|(column, _)| table.has(column)).map(|(_, about)| about)
}

/// Is it such a table?
pub(super) fn is_known(table: &Table) -> bool {
    about(table).is_some()
}

/// Reads a row.
pub(super) fn row(table: &Table, line: Line<'_>, seen: &mut Seen, p: &mut Problems) {
    let row = table.row(line.text);
    let Some((row, about)) = row.as_ref().zip(about(table)) else {
        bad_row(table, line.at, "this row's cells do not stand under the columns of its table", "", p);
        return;
    };
    let Some(group) = row.cell("GROUP") else {
        bad_row(table, line.at, "this row names no group", "", p);
        return;
    };
    match about {
        About::Members => members(group, row, table, line, seen, p),
        About::Tasks => tasks(group, row, table, line, seen, p),
        About::State => state(group, row, table, line, seen, p),
        About::Offsets => offsets(group, row, table, line, seen, p),
        About::List => list(group, row, table, line, seen, p),
    }
}

fn members(group: &str, row: &Row<'_>, table: &Table, line: Line<'_>, seen: &mut Seen, p: &mut Problems) {
    let count = row.cell("#PARTITIONS").and_then(|cell| cell.parse::<usize>().ok());
    let Some((member, count)) = row.cell("CONSUMER-ID").zip(count) else {
        bad_row(table, line.at, "this member has no id or no number of partitions", "", p);
        return;
    };
    let mut columns = ["ASSIGNMENT", "CURRENT-ASSIGNMENT", "TARGET-ASSIGNMENT"].into_iter().filter(|c| table.has(c));
    let Some(column) = columns.next() else {
        // without --verbose only the members can be counted
        let instance = row.cell("GROUP-INSTANCE-ID").is_some();
        let seen = seen.group(group).members.get_or_insert_default().entry(member.to_owned()).or_default();
        seen.is_static |= instance;
        return;
    };
    let cells: Vec<&str> = [column].into_iter().chain(columns).map(|column| row.raw(column).unwrap_or("")).collect();
    let read: Option<Vec<Assigned<'_>>> = cells.iter().map(|cell| assignment(cell)).collect();
    let Some(read) = read else {
        let label = "expected `TOPIC:0,1;TOPIC:2`, `TOPIC(0,1), TOPIC(2)` or `-`; is the line cut short?";
        bad_row(table, line.at, "an assignment that cannot be read", label, p);
        return;
    };
    let listed: usize = read[0].iter().map(|(_, partitions)| partitions.len()).sum();
    if listed != count {
        let message = format!("this member has {count} partitions by its number and {listed} in its assignment");
        bad_row(table, line.at, &message, "", p);
        return;
    }
    let shown = shown_kind(row, table);
    let seen = seen.group(group);
    seen.shown_kind = seen.shown_kind.max_of(shown);
    let member = seen.members.get_or_insert_default().entry(member.to_owned()).or_default();
    member.is_static |= row.cell("GROUP-INSTANCE-ID").is_some();
    for (topic, partitions) in read.into_iter().flatten() {
        if topic.is_empty() {
            seen.nameless = true;
            continue;
        }
        for partition in partitions {
            add_topic(&mut member.topics, topic, partition);
        }
    }
}

/// What the columns show: an epoch that a member of the old protocol has not, or one that only share groups have.
fn shown_kind(row: &Row<'_>, table: &Table) -> Option<GroupKind> {
    if table.has("MEMBER-EPOCH") {
        return Some(GroupKind::Share);
    }
    if !table.has("CURRENT-EPOCH") {
        return None;
    }
    Some(if row.cell("CURRENT-EPOCH").is_some() { GroupKind::Consumer } else { GroupKind::Classic })
}

/// One member of the new protocol is enough: the group is of it, and the others are on their way.
trait MaxOf {
    fn max_of(self, other: Self) -> Self;
}

impl MaxOf for Option<GroupKind> {
    fn max_of(self, other: Self) -> Self {
        match (self, other) {
            (Some(GroupKind::Classic) | None, other) => other.or(self),
            (Some(_), _) => self,
        }
    }
}

fn tasks(group: &str, row: &Row<'_>, table: &Table, line: Line<'_>, seen: &mut Seen, p: &mut Problems) {
    let Some(member) = row.cell("MEMBER") else {
        bad_row(table, line.at, "this member has no id", "", p);
        return;
    };
    let group = seen.group(group);
    group.shown_kind = Some(GroupKind::Streams);
    group.members.get_or_insert_default().entry(member.to_owned()).or_default();
}

fn state(group: &str, row: &Row<'_>, table: &Table, line: Line<'_>, seen: &mut Seen, p: &mut Problems) {
    let count = row.cell("#MEMBERS").map(str::parse::<u32>);
    let coordinator = row.cell("COORDINATOR (ID)").and_then(|cell| cell.rsplit_once('(')?.1.strip_suffix(')'));
    let (Some(Ok(count)), Some(coordinator)) = (count, coordinator) else {
        bad_row(table, line.at, "this group has no coordinator or no number of members", "", p);
        return;
    };
    let group = seen.group(group);
    group.counted = Some(count);
    group.coordinator = coordinator.parse().ok();
    group.state = row.cell("STATE").map(str::to_owned).or(group.state.take());
    group.strategy = row.cell("ASSIGNMENT-STRATEGY").map(str::to_owned).or(group.strategy.take());
}

fn offsets(group: &str, row: &Row<'_>, table: &Table, line: Line<'_>, seen: &mut Seen, p: &mut Problems) {
    let topic = row.cell("TOPIC");
    let partition = row.cell("PARTITION").map(str::parse::<u32>);
    let member = row.cell("CONSUMER-ID");
    if !matches!((topic, &partition), (None, None) | (Some(_), Some(Ok(_)))) {
        bad_row(table, line.at, "this row has a topic without a partition, or the other way round", "", p);
        return;
    }
    let group = seen.group(group);
    if let Some(member) = member {
        group.consumers.insert(member.to_owned());
    }
    if let (Some(topic), Some(Ok(partition))) = (topic, partition) {
        let topics = if member.is_some() { &mut group.consumed } else { &mut group.committed };
        add_topic(topics, topic, partition);
    }
}

fn list(group: &str, row: &Row<'_>, table: &Table, line: Line<'_>, seen: &mut Seen, p: &mut Problems) {
    let kind = row.cell("TYPE");
    let known = kind.and_then(GroupKind::by_name);
    if let Some(word) = kind.filter(|word| known.is_none() && *word != "Unknown") {
        let message = format!("`{word}` is no type of a group");
        bad_row(table, line.at, &message, "expected Classic, Consumer, Share or Streams", p);
        return;
    }
    let group = seen.group(group);
    group.kind = known.or(group.kind);
    group.state = row.cell("STATE").map(str::to_owned).or(group.state.take());
}
