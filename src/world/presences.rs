//! When members heartbeat. Nearly all do so from their phase to the end of the run: of those only the phase is kept.

use super::history::Presence;
use crate::kafka::MemberId;
use crate::sim::Ms;

/// The phase of a member that does not heartbeat from its phase to the end.
const NONE: u32 = u32::MAX;

/// All presences of a history, ordered by member, then by `first`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Presences {
    /// The end of the run.
    end: Ms,
    /// By member: the `first` of the one presence that it has, if that lasts to the end. It may be shorter than there are
    /// members.
    phases: Vec<u32>,
    /// All others, in order.
    others: Vec<Presence>,
}

impl Presences {
    /// None yet, of a run that ends then.
    #[must_use]
    pub fn new(end: Ms) -> Presences {
        Presences { end, phases: Vec::new(), others: Vec::new() }
    }

    /// The next, in order.
    pub fn push(&mut self, presence: Presence) {
        let place = presence.member.index();
        let phase = u32::try_from(presence.first.0).ok().filter(|phase| *phase != NONE && presence.until == self.end);
        // of a member that has several all are kept
        let first = self.others.last().is_none_or(|last| last.member != presence.member);
        match phase.filter(|_| first && self.phases.len() <= place) {
            Some(phase) => {
                self.phases.resize(place, NONE);
                self.phases.push(phase);
            }
            None => self.others.push(presence),
        }
    }

    /// No presence comes any more.
    pub(super) fn shrink_to_fit(&mut self) {
        self.phases.shrink_to_fit();
        self.others.shrink_to_fit();
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.phases.iter().filter(|phase| **phase != NONE).count() + self.others.len()
    }

    /// Are there none?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Those of one member.
    pub fn of(&self, member: MemberId) -> impl Iterator<Item = Presence> {
        let low = self.others.partition_point(|p| p.member < member);
        let others = self.others[low..].iter().take_while(move |p| p.member == member).copied();
        self.lasting(member.index()).into_iter().chain(others)
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = Presence> {
        let mut others = self.others.iter().copied().peekable();
        let mut member = 0;
        std::iter::from_fn(move || {
            while member < self.phases.len() && others.peek().is_none_or(|next| next.member.index() >= member) {
                member += 1;
                if let Some(found) = self.lasting(member - 1) {
                    return Some(found);
                }
            }
            others.next()
        })
    }

    fn lasting(&self, member: usize) -> Option<Presence> {
        let phase = self.phases.get(member).filter(|phase| **phase != NONE)?;
        Some(Presence { member: MemberId::at(member), first: Ms(u64::from(*phase)), until: self.end })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presences_come_back_in_order_as_they_were_given() {
        let end = Ms(1000);
        let given: Vec<Presence> = [
            (0, 3, 1000),
            (2, 5, 20),
            (2, 30, 1000),
            (3, 0, 1000),
            (5, 9, 10),
            (6, u64::from(NONE), 1000),
            (7, 1 << 40, 1000),
            (8, 7, u64::MAX),
            (9, 1, 1000),
            (9, 1500, 1000),
            (12, 4, 1000),
        ]
        .map(|(member, first, until)| Presence { member: MemberId(member), first: Ms(first), until: Ms(until) })
        .to_vec();
        for from in 0..given.len() {
            let given = &given[from..];
            let mut all = Presences::new(end);
            given.iter().for_each(|p| all.push(*p));
            assert_eq!(all.iter().collect::<Vec<_>>(), given);
            assert_eq!(all.len(), given.len());
            for member in (0..20).map(MemberId) {
                assert!(all.of(member).eq(given.iter().copied().filter(|p| p.member == member)));
            }
        }
        assert!(Presences::default().is_empty());
    }
}
