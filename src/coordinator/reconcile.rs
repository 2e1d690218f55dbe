//! Reconciliation of one group (model: A.4, step 7, and F): each member goes from what it has to its target at its own
//! heartbeats. First it gives back what is no longer its own, then it gets what others have given back.
//!
//! Two promises of KIP-848 are held here, in debug builds at every step: no two members have a partition at a time, and
//! no epoch goes back.

use std::collections::BTreeMap;

use crate::kafka::{MemberId, TopicId, Uuid};

/// A partition of one incarnation of a topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OwnedPartition {
    /// Its topic's name.
    pub topic: TopicId,
    /// Its topic's id.
    pub id: Uuid,
    /// Its number.
    pub partition: u32,
}

/// Partitions by member, each list in order.
pub type Target = BTreeMap<MemberId, Vec<OwnedPartition>>;

/// How far a member is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It has its target.
    Stable,
    /// It has been told to give partitions back, and has not said yet that it did.
    Unrevoked,
    /// It waits for partitions that others still have.
    Unreleased,
}

/// A member as the coordinator has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberAssignment {
    /// The member epoch; 0: it has just joined.
    pub epoch: u32,
    /// The one before its last step; it is the same where a step moved none, and that is a change of its record.
    pub previous: u32,
    /// How far it is.
    pub progress: Progress,
    /// What it may read, in order.
    pub assigned: Vec<OwnedPartition>,
    /// What it has been told to give back, in order.
    pub revoking: Vec<OwnedPartition>,
}

impl MemberAssignment {
    /// One that has just joined.
    fn new() -> MemberAssignment {
        let (assigned, revoking) = (Vec::new(), Vec::new());
        MemberAssignment { epoch: 0, previous: 0, progress: Progress::Stable, assigned, revoking }
    }
}

/// One group's target and how far its members are.
#[derive(Clone, Debug, Default)]
pub struct Reconciliation {
    epoch: u32,
    target: Target,
    members: BTreeMap<MemberId, MemberAssignment>,
    owners: BTreeMap<OwnedPartition, MemberId>,
    /// Members that are stable at `epoch`.
    stable: usize,
}

/// A debug build looks through all partitions at every step where there are no more than these.
const MOST_CHECKED: usize = 500;

impl Reconciliation {
    /// Everybody has its target already.
    #[must_use]
    pub fn standing(epoch: u32, target: Target, members: impl Iterator<Item = MemberId>) -> Reconciliation {
        let mut all = Reconciliation { epoch, target, ..Reconciliation::default() };
        for member in members {
            let assigned = all.target.get(&member).cloned().unwrap_or_default();
            all.owners.extend(assigned.iter().map(|p| (*p, member)));
            let stable = MemberAssignment { epoch, previous: epoch, assigned, ..MemberAssignment::new() };
            all.members.insert(member, stable);
        }
        all.stable = all.members.len();
        all.check();
        all
    }

    /// The epoch of the target.
    #[must_use]
    pub fn epoch(&self) -> u32 {
        self.epoch
    }

    /// The target; of members that have left since it was made, too.
    #[must_use]
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Its members.
    #[must_use]
    pub fn members(&self) -> &BTreeMap<MemberId, MemberAssignment> {
        &self.members
    }

    /// Has everybody what the target of the group's `epoch` gives it?
    #[must_use]
    pub fn is_settled(&self, epoch: u32) -> bool {
        self.members.is_empty() || (self.epoch == epoch && self.stable == self.members.len())
    }

    /// A member is there, with nothing.
    pub fn join(&mut self, member: MemberId) {
        self.leave(member);
        self.target.remove(&member);
        self.members.insert(member, MemberAssignment::new());
        // before the first target there is nothing that it could lack
        self.stable += usize::from(self.epoch == 0);
    }

    /// A member is gone, and what it had is free.
    pub fn leave(&mut self, member: MemberId) {
        let Some(gone) = self.members.remove(&member) else { return };
        self.stable -= usize::from(gone.progress == Progress::Stable && gone.epoch == self.epoch);
        for partition in gone.assigned.iter().chain(&gone.revoking) {
            self.owners.remove(partition);
        }
    }

    /// A static member says that it will be back: what it was to give back is free. True if that was anything.
    pub fn away(&mut self, member: MemberId) -> bool {
        let Some(away) = self.members.get_mut(&member) else { return false };
        let revoking = std::mem::take(&mut away.revoking);
        revoking.iter().for_each(|partition| {
            self.owners.remove(partition);
        });
        !revoking.is_empty()
    }

    /// A static member is back under a new id, with what the old one had; its epochs begin anew.
    pub fn back(&mut self, member: MemberId) {
        let Some(own) = self.members.get_mut(&member) else { return };
        self.stable -= usize::from(own.progress == Progress::Stable && own.epoch == self.epoch && self.epoch > 0);
        (own.epoch, own.previous, own.progress) = (0, 0, Progress::Stable);
    }

    /// A new target, of the group's epoch.
    pub fn set_target(&mut self, epoch: u32, target: Target) {
        debug_assert!(epoch > self.epoch, "the target's epoch never goes back: {} to {epoch}", self.epoch);
        (self.epoch, self.target, self.stable) = (epoch, target, 0);
    }

    /// A heartbeat of a member, in which it says that it has given back what it was told to. True if what the
    /// coordinator keeps of it changes.
    pub fn heartbeat(&mut self, member: MemberId) -> bool {
        let Some(own) = self.members.get_mut(&member) else { return false };
        if own.progress == Progress::Stable && own.epoch == self.epoch {
            return false;
        }
        let before = own.clone();
        for partition in std::mem::take(&mut own.revoking) {
            self.owners.remove(&partition);
        }
        let target = self.target.get(&member).map_or(&[][..], Vec::as_slice);
        let (mut kept, revoked): (Vec<_>, Vec<_>) =
            own.assigned.iter().partition(|partition| target.binary_search(partition).is_ok());
        if revoked.is_empty() {
            let mut waits = false;
            for partition in target.iter().filter(|partition| own.assigned.binary_search(partition).is_err()) {
                if self.owners.contains_key(partition) {
                    waits = true;
                } else {
                    self.owners.insert(*partition, member);
                    kept.push(*partition);
                }
            }
            kept.sort_unstable();
            own.epoch = self.epoch;
            own.progress = if waits { Progress::Unreleased } else { Progress::Stable };
            self.stable += usize::from(!waits);
        } else {
            own.revoking = revoked;
            own.progress = Progress::Unrevoked;
        }
        own.assigned = kept;
        own.previous = before.epoch;
        debug_assert!(own.epoch >= before.epoch, "a member's epoch never goes back");
        let changes = *own != before;
        if changes {
            self.check();
        }
        changes
    }

    /// No two members have a partition, and the owners say the same as the members.
    fn check(&self) {
        if cfg!(debug_assertions) && self.owners.len() <= MOST_CHECKED {
            let mut owners = BTreeMap::new();
            for (member, own) in &self.members {
                for partition in own.assigned.iter().chain(&own.revoking) {
                    let other = owners.insert(*partition, *member);
                    assert!(other.is_none(), "{partition:?} is {member:?}'s and {other:?}'s");
                }
            }
            assert_eq!(owners, self.owners, "the owners say the same as the members");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partitions(numbers: &[u32]) -> Vec<OwnedPartition> {
        let one = |&partition: &u32| OwnedPartition { topic: TopicId(0), id: Uuid::default(), partition };
        numbers.iter().map(one).collect()
    }

    fn target(lists: &[&[u32]]) -> Target {
        (0..).map(MemberId).zip(lists.iter().map(|list| partitions(list))).collect()
    }

    fn has(group: &Reconciliation, member: u32) -> (u32, Progress, Vec<u32>, Vec<u32>) {
        let m = &group.members()[&MemberId(member)];
        let numbers = |list: &[OwnedPartition]| list.iter().map(|p| p.partition).collect();
        (m.epoch, m.progress, numbers(&m.assigned), numbers(&m.revoking))
    }

    #[test]
    fn a_partition_goes_over_in_three_heartbeats() {
        let mut group = Reconciliation::standing(1, target(&[&[0, 1, 2, 3]]), [MemberId(0)].into_iter());
        assert!(group.is_settled(1));
        group.join(MemberId(1));
        group.set_target(2, target(&[&[0, 1], &[2, 3]]));
        // the new one waits at the new epoch
        assert!(group.heartbeat(MemberId(1)));
        assert_eq!(has(&group, 1), (2, Progress::Unreleased, vec![], vec![]));
        // the old one is told, and keeps its epoch until it has given back
        assert!(group.heartbeat(MemberId(0)));
        assert_eq!(has(&group, 0), (1, Progress::Unrevoked, vec![0, 1], vec![2, 3]));
        // it waits on: its previous epoch moves up once, then nothing does
        assert!(group.heartbeat(MemberId(1)) && !group.heartbeat(MemberId(1)));
        assert!(group.heartbeat(MemberId(0)));
        assert_eq!(has(&group, 0), (2, Progress::Stable, vec![0, 1], vec![]));
        assert!(!group.is_settled(2));
        assert!(group.heartbeat(MemberId(1)));
        assert_eq!(has(&group, 1), (2, Progress::Stable, vec![2, 3], vec![]));
        assert!(group.is_settled(2));
        assert!(!group.heartbeat(MemberId(0)) && !group.heartbeat(MemberId(1)));
    }

    #[test]
    fn an_epoch_that_moves_is_a_change_and_who_leaves_or_goes_away_gives_all_back() {
        let mut group = Reconciliation::standing(1, target(&[&[0], &[1]]), (0..2).map(MemberId));
        group.set_target(2, target(&[&[0], &[1]]));
        assert!(group.heartbeat(MemberId(0)) && group.heartbeat(MemberId(1)) && group.is_settled(2));
        group.set_target(3, target(&[&[0, 1], &[]]));
        assert!(group.heartbeat(MemberId(1)));
        assert_eq!(has(&group, 1), (2, Progress::Unrevoked, vec![], vec![1]));
        assert!(group.away(MemberId(1)) && !group.away(MemberId(1)));
        assert!(group.heartbeat(MemberId(0)));
        assert_eq!(has(&group, 0), (3, Progress::Stable, vec![0, 1], vec![]));
        group.back(MemberId(1));
        assert_eq!(has(&group, 1), (0, Progress::Stable, vec![], vec![]));
        assert!(!group.is_settled(3) && group.heartbeat(MemberId(1)) && group.is_settled(3));
        group.leave(MemberId(0));
        group.set_target(4, target(&[&[], &[0, 1]]));
        assert!(group.heartbeat(MemberId(1)) && group.is_settled(4));
        assert_eq!(has(&group, 1), (4, Progress::Stable, vec![0, 1], vec![]));
    }

    #[test]
    #[should_panic(expected = "never goes back")]
    #[cfg(debug_assertions)]
    fn a_target_that_goes_back_is_refused() {
        let mut group = Reconciliation::standing(5, target(&[&[0]]), [MemberId(0)].into_iter());
        group.set_target(4, target(&[&[0]]));
    }
}
