//! The members of a history, by id. Ten million of them differ in little: what is said of a member is said once for all
//! of its group of whom the same holds, and a name `m-7` is the seventh of its group.

use std::borrow::Cow;
use std::ops::Index;

use crate::kafka::SubscriptionId;

use super::history::MemberHistory;

/// What is said of each member, by `MemberId`: four bytes a member, and one description a group and kind of member.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Members {
    /// Group by group.
    kinds: Vec<MemberHistory>,
    /// By member: which of these.
    kind_of: Vec<u32>,
}

impl Members {
    /// How far back a description is looked for: members of one group have few racks and subscriptions.
    const LOOK_BACK: usize = 16;

    /// The next member.
    pub fn push(&mut self, member: MemberHistory) {
        let near = self.kinds.len().saturating_sub(Self::LOOK_BACK);
        let found = self.kinds[near..].iter().rposition(|kind| *kind == member).map(|place| near + place);
        let kind = found.unwrap_or_else(|| {
            self.kinds.push(member);
            self.kinds.len() - 1
        });
        self.kind_of.push(u32::try_from(kind).expect("members fit 32 bits"));
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kind_of.len()
    }

    /// Are there none?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kind_of.is_empty()
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &MemberHistory> {
        self.kind_of.iter().map(|kind| &self.kinds[*kind as usize])
    }

    /// No member comes any more.
    pub(super) fn shrink_to_fit(&mut self) {
        self.kinds.shrink_to_fit();
        self.kind_of.shrink_to_fit();
    }

    /// Their subscriptions get other numbers.
    pub(super) fn renumber(&mut self, subscription: impl Fn(SubscriptionId) -> SubscriptionId) {
        self.kinds.iter_mut().for_each(|kind| kind.subscription = subscription(kind.subscription));
    }
}

impl Index<usize> for Members {
    type Output = MemberHistory;

    fn index(&self, member: usize) -> &MemberHistory {
        &self.kinds[self.kind_of[member] as usize]
    }
}

impl FromIterator<MemberHistory> for Members {
    fn from_iter<I: IntoIterator<Item = MemberHistory>>(all: I) -> Members {
        let mut members = Members::default();
        all.into_iter().for_each(|member| members.push(member));
        members
    }
}

/// The members' names within their groups, by `MemberId`: runs of `m-1`, `m-2`, … and names of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemberNames {
    runs: Vec<Run>,
    own: Vec<Box<str>>,
    len: u32,
}

/// Names from a member on, up to the next run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    first: u32,
    from: Source,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// `m-` and this number, then the next ones.
    Counted(u32),
    /// This place among the names of their own, then the next ones.
    Own(u32),
}

impl MemberNames {
    /// The next member's name.
    pub fn push(&mut self, name: &str) {
        match number_of(name) {
            Some(number) => self.push_counted(number),
            None => {
                let place = u32::try_from(self.own.len()).expect("members fit 32 bits");
                self.own.push(name.into());
                self.extend(Source::Own(place));
            }
        }
    }

    /// The next member is `m-` and this number.
    pub(super) fn push_counted(&mut self, number: u32) {
        self.extend(Source::Counted(number));
    }

    fn extend(&mut self, source: Source) {
        let goes_on = self.runs.last().is_some_and(|run| run.from.after(self.len - run.first) == source);
        if !goes_on {
            self.runs.push(Run { first: self.len, from: source });
        }
        self.len += 1;
    }

    /// A member's name.
    ///
    /// # Panics
    /// If there is no such member.
    #[must_use]
    pub fn get(&self, member: usize) -> Cow<'_, str> {
        let member = u32::try_from(member).expect("members fit 32 bits");
        assert!(member < self.len, "there is no such member");
        let run = self.runs[self.runs.partition_point(|run| run.first <= member) - 1];
        self.name(run.from.after(member - run.first))
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let ends = self.runs.iter().skip(1).map(|next| next.first).chain([self.len]);
        let of_run = |(run, end): (&Run, u32)| (*run, end - run.first);
        let runs = self.runs.iter().zip(ends).map(of_run);
        runs.flat_map(move |(run, len)| (0..len).map(move |i| self.name(run.from.after(i))))
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Are there none?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// No member comes any more.
    pub(super) fn shrink_to_fit(&mut self) {
        self.runs.shrink_to_fit();
        self.own.shrink_to_fit();
    }

    fn name(&self, source: Source) -> Cow<'_, str> {
        match source {
            Source::Counted(number) => Cow::Owned(counted(number)),
            Source::Own(place) => Cow::Borrowed(&self.own[place as usize]),
        }
    }
}

impl Source {
    const fn after(self, members: u32) -> Source {
        match self {
            Source::Counted(number) => Source::Counted(number + members),
            Source::Own(place) => Source::Own(place + members),
        }
    }
}

/// The name of the member of this number (from 1) in a group whose members are counted.
pub(super) fn counted(number: u32) -> String {
    format!("m-{number}")
}

/// The number of such a name.
fn number_of(name: &str) -> Option<u32> {
    let number: u32 = name.strip_prefix("m-")?.parse().ok()?;
    (number < u32::MAX / 2 && counted(number) == name).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kafka::{GroupId, RackId};

    #[test]
    fn every_member_has_what_was_said_of_it() {
        let member = |i: u32| MemberHistory {
            group: GroupId(i / 40),
            standing: !i.is_multiple_of(7),
            is_static: false,
            rack: (i % 3 != 2).then_some(RackId(i % 3)),
            // more kinds than are looked back for
            subscription: SubscriptionId(i * 7 % 31),
        };
        let all: Vec<MemberHistory> = (0..200).map(member).collect();
        let mut members: Members = all.iter().copied().collect();
        assert_eq!(members.len(), all.len());
        assert!(members.iter().eq(&all));
        assert!((0..200).all(|i| members[i] == all[i]));
        members.renumber(|s| SubscriptionId(s.0 + 1));
        assert!(members.iter().zip(&all).all(|(m, old)| m.subscription.0 == old.subscription.0 + 1));
        let alike: Members = (0..30).map(|i| MemberHistory { subscription: SubscriptionId(0), ..member(i) }).collect();
        assert_eq!(alike.kinds.len(), 6, "three racks, standing or not");
    }

    #[test]
    fn names_come_back_as_they_were_given() {
        let all = [
            "m-1",
            "m-2",
            "m-3",
            "m-1",
            "m-2",
            "join-1-1",
            "join-1-2",
            "m-1",
            "m-2~2",
            "m-3",
            "m-07",
            "m-7",
            "m-8",
            "",
            "m-",
            "m-4294967295",
            "m-1",
            "é",
        ];
        let mut names = MemberNames::default();
        all.iter().for_each(|name| names.push(name));
        assert_eq!(names.len(), all.len());
        assert!(names.iter().eq(all));
        assert!((0..all.len()).all(|i| names.get(i) == all[i]));
        let counted = |names: &MemberNames| names.runs.len();
        let mut plain = MemberNames::default();
        (0..1000).for_each(|i| plain.push(&super::counted(i % 10 + 1)));
        assert_eq!((counted(&plain), plain.own.len()), (100, 0), "one run a group");
        assert_eq!(MemberNames::default().iter().count(), 0);
    }
}
