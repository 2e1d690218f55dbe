//! Bump by bump: our lane beside Kafka's own coordinator.

use std::collections::{BTreeMap, BTreeSet};

use crate::kafka::{GroupId, GroupKind};
use crate::sim::Ms;
use crate::world::{GroupHistory, Happening, History};

use super::{Answer, KafkaBump, OurBump, Ours, Release};

/// Record types whose records count as `offsets_log_bytes`; of every other type only tombstones do.
const COUNTED: [u16; 12] = [3, 4, 5, 9, 10, 11, 15, 16, 17, 18, 19, 23];

/// One line of the comparison: what both did for a group at an instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// When.
    pub at: Ms,
    /// Whose.
    pub group: String,
    /// Ours: epoch and hash.
    pub ours: Option<(u64, Option<u64>)>,
    /// Kafka's.
    pub kafka: Option<(u64, Option<u64>)>,
    /// The judge's word for ours.
    pub verdict: &'static str,
}

impl Row {
    /// Do both say the same?
    #[must_use]
    pub fn same(&self) -> bool {
        self.ours == self.kafka
    }
}

/// Where the two part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// A bump that only one has, or with another epoch or hash; the first of its group.
    Bump(Row),
    /// Another number of records or bytes appended: what, ours, Kafka's.
    Log(&'static str, u64, u64),
    /// Another number of heartbeats: the driver walked another history.
    Heartbeats(u64, u64),
    /// Another number of operations failed: ours, Kafka's, and its exceptions.
    Failures(u64, u64, String),
}

/// The comparison of one history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// All bumps of both, in order of time.
    pub rows: Vec<Row>,
    /// Where they part; empty if they do not.
    pub differences: Vec<Difference>,
    /// Groups that the release cannot have (patterns before 4.0), left out.
    pub left_out: usize,
}

/// Compares. Groups that the release cannot express are left out, and with them the log's bytes.
#[must_use]
pub fn compare(history: &History, release: Release, ours: &Ours, kafka: &Answer) -> Compared {
    let left_out = if release.has_patterns() { BTreeSet::new() } else { with_patterns(history) };
    let theirs = counted_from_one(history, release, &kafka.bumps);
    let rows: Vec<Row> =
        side_by_side(&ours.bumps, &theirs).into_iter().filter(|row| !left_out.contains(row.group.as_str())).collect();
    let mut differences = Vec::new();
    let mut parted = BTreeSet::new();
    for row in rows.iter().filter(|row| !row.same()) {
        if parted.insert(row.group.as_str()) {
            differences.push(Difference::Bump(row.clone()));
        }
    }
    if left_out.is_empty() {
        if ours.heartbeats != kafka.heartbeats {
            differences.push(Difference::Heartbeats(ours.heartbeats, kafka.heartbeats));
        }
        let (records, bytes) = counted(kafka);
        if differences.is_empty() && ours.log_records != records {
            differences.push(Difference::Log("records", ours.log_records, records));
        }
        if differences.is_empty() && ours.log_bytes != bytes {
            differences.push(Difference::Log("bytes", ours.log_bytes, bytes));
        }
        let theirs = assigned(kafka);
        if let Some(ours) = ours.assign_log_bytes.filter(|ours| differences.is_empty() && *ours != theirs) {
            differences.push(Difference::Log("bytes of targets and assignments", ours, theirs));
        }
        let failed: u64 = kafka.failures.iter().map(|(_, times)| times).sum();
        if differences.is_empty() && ours.failures != failed {
            differences.push(Difference::Failures(ours.failures, failed, kafka.first_failures.join("; ")));
        }
    }
    Compared { rows, differences, left_out: left_out.len() }
}

/// Epochs of groups that were made during the run, counted as if the first were 1 in every release.
fn counted_from_one(history: &History, release: Release, bumps: &[KafkaBump]) -> Vec<KafkaBump> {
    let by_name: BTreeMap<&str, &GroupHistory> =
        history.names.groups.iter().map(String::as_str).zip(&history.groups).collect();
    let spec = |group: &str| by_name.get(group).copied();
    let mut gone_at: BTreeMap<&str, Ms> = BTreeMap::new();
    for event in &history.events {
        if let Happening::GroupGone(id) = event.what {
            gone_at.entry(history.names.groups[id.index()].as_str()).or_insert(event.at);
        }
    }
    let gone = |group: &str, at: Ms| gone_at.get(group).is_some_and(|first| *first <= at);
    let counted = |bump: &KafkaBump| {
        let made = spec(&bump.group).is_none_or(|spec| !spec.stands) || gone(&bump.group, bump.at);
        let kind = spec(&bump.group).map_or(GroupKind::Consumer, |spec| spec.kind);
        let above = if made { release.first_epoch(kind) - 1 } else { 0 };
        KafkaBump { epoch: bump.epoch.saturating_sub(above), ..bump.clone() }
    };
    bumps.iter().map(counted).collect()
}

/// Records of the counted types and tombstones of every type, and their bytes.
pub(super) fn counted(kafka: &Answer) -> (u64, u64) {
    kafka.records.iter().fold((0, 0), |(records, bytes), sum| {
        let of_type = if COUNTED.contains(&sum.kind) { (sum.records, sum.bytes) } else { (0, 0) };
        (records + of_type.0 + sum.tombstones, bytes + of_type.1 + sum.tombstone_bytes)
    })
}

/// Bytes of the records that targets and reconciliation make; tombstones are among the others'.
fn assigned(kafka: &Answer) -> u64 {
    kafka.records.iter().filter(|sum| (6..=8).contains(&sum.kind)).map(|sum| sum.bytes).sum()
}

/// Groups that ever have a member with a pattern.
fn with_patterns(history: &History) -> BTreeSet<&str> {
    let patterned =
        |subscription: crate::kafka::SubscriptionId| history.subscriptions[subscription.index()].pattern.is_some();
    let first = history.members.iter().filter(|m| patterned(m.subscription)).map(|m| m.group);
    let later = history.events.iter().filter_map(|event| match event.what {
        Happening::Subscribe(member, to) if patterned(to) => Some(history.members[member.index()].group),
        _ => None,
    });
    first.chain(later).map(|group: GroupId| history.names.groups[group.index()].as_str()).collect()
}

fn side_by_side(ours: &[OurBump], kafka: &[KafkaBump]) -> Vec<Row> {
    let mut ours: Vec<&OurBump> = ours.iter().collect();
    let mut kafka: Vec<&KafkaBump> = kafka.iter().collect();
    ours.sort_by(|a, b| (a.at, &a.group, a.epoch).cmp(&(b.at, &b.group, b.epoch)));
    kafka.sort_by(|a, b| (a.at, &a.group, a.epoch).cmp(&(b.at, &b.group, b.epoch)));
    let (mut rows, mut x, mut y) = (Vec::new(), ours.into_iter().peekable(), kafka.into_iter().peekable());
    loop {
        let first = match (x.peek(), y.peek()) {
            (None, None) => return rows,
            (Some(a), Some(b)) => (a.at, &a.group, a.epoch).cmp(&(b.at, &b.group, b.epoch)),
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
        };
        let a = if first.is_le() { x.next() } else { None };
        let b = if first.is_ge() { y.next() } else { None };
        let (at, group) =
            a.map_or_else(|| b.map(|b| (b.at, &b.group)), |a| Some((a.at, &a.group))).expect("one is there");
        rows.push(Row {
            at,
            group: group.clone(),
            ours: a.map(|a| (a.epoch, a.hash)),
            kafka: b.map(|b| (b.epoch, b.hash.or_else(|| no_hash(a)))),
            verdict: a.map_or("", |a| a.verdict),
        });
    }
}

/// A hash of 0 is left out of Kafka's record; it reads as 0 again.
fn no_hash(ours: Option<&OurBump>) -> Option<u64> {
    ours.and_then(|ours| ours.hash).map(|_| 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn our(at: u64, group: &str, epoch: u64, hash: Option<u64>) -> OurBump {
        OurBump { at: Ms(at), group: group.into(), epoch, hash, verdict: "needed" }
    }

    fn their(at: u64, group: &str, epoch: u64, hash: Option<u64>) -> KafkaBump {
        KafkaBump { at: Ms(at), group: group.into(), epoch, hash }
    }

    fn compared(ours: Vec<OurBump>, kafka: Vec<KafkaBump>) -> Compared {
        let history = crate::world::testing::cluster().topic("t", 1, 1).group("g", 1, &["t"]).make();
        let ours = Ours { bumps: ours, ..Ours::default() };
        compare(&history, Release::V4_1, &ours, &Answer { bumps: kafka, ..Answer::default() })
    }

    #[test]
    fn equal_bumps_leave_no_difference() {
        let both = compared(vec![our(5, "g", 2, Some(0))], vec![their(5, "g", 2, None)]);
        assert_eq!((both.rows.len(), both.differences.len()), (1, 0));
    }

    #[test]
    fn a_bump_more_another_time_and_another_hash_are_differences() {
        let one = || vec![our(5, "g", 2, Some(7)), our(9, "g", 3, Some(8))];
        for kafka in [
            vec![their(5, "g", 2, Some(7))],
            vec![their(6, "g", 2, Some(7)), their(9, "g", 3, Some(8))],
            vec![their(5, "g", 2, Some(1)), their(9, "g", 3, Some(8))],
            vec![their(5, "h", 2, Some(7)), their(9, "g", 3, Some(8))],
        ] {
            let Compared { differences, .. } = compared(one(), kafka);
            assert!(matches!(differences.first(), Some(Difference::Bump(_))), "{differences:?}");
        }
    }
}
