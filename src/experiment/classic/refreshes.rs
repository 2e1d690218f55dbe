//! When a client's metadata is refreshed: every `metadata.max.age.ms`, and anew from where it was refreshed out of turn.

use crate::kafka::{GroupId, MemberId};
use crate::sim::Ms;
use crate::world::History;

/// One client's refreshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Refreshes {
    /// The last one out of turn (or time 0).
    fresh: Ms,
    /// The first one in turn after it; then one every age.
    first: Ms,
}

impl Refreshes {
    /// Of a member that stands at time 0: its first refresh has that place within the age that its first heartbeat
    /// has within the heartbeat interval. So nothing more is drawn, and `phase:` places both.
    pub(super) fn standing(phase: Ms, heartbeat: Ms, age: Ms) -> Refreshes {
        let first = u128::from(phase.0) * u128::from(age.0) / u128::from(heartbeat.0.max(1));
        Refreshes { fresh: Ms::ZERO, first: Ms(u64::try_from(first).unwrap_or(u64::MAX)) }
    }

    /// Of a client whose metadata is fresh at `at`.
    pub(super) fn from(at: Ms, age: Ms) -> Refreshes {
        Refreshes { fresh: at, first: at.after(age) }
    }

    /// The first refresh in turn at or after `from`.
    pub(super) fn next(&self, from: Ms, age: Ms) -> Ms {
        if from <= self.first {
            return self.first;
        }
        self.first.after(Ms((from.0 - self.first.0).div_ceil(age.0) * age.0))
    }

    /// The last refresh at or before `at`.
    pub(super) fn last(&self, at: Ms, age: Ms) -> Ms {
        if at < self.first {
            return self.fresh;
        }
        self.first.after(Ms((at.0 - self.first.0) / age.0 * age.0))
    }
}

/// The refreshes of every member at time 0, those that come later included (they are set when they join).
pub(super) fn at_start(history: &History, age: Ms) -> Vec<Refreshes> {
    let mut all = vec![Refreshes { fresh: Ms::ZERO, first: Ms::ZERO }; history.members.len()];
    let mut given: Option<MemberId> = None;
    for presence in history.presences.iter() {
        let member = presence.member;
        let of: GroupId = history.members[member.index()].group;
        if given != Some(member) && history.members[member.index()].standing {
            let heartbeat = history.groups[of.index()].heartbeat;
            all[member.index()] = Refreshes::standing(presence.first, heartbeat, age);
            given = Some(member);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_refreshes_in_turn_and_anew_from_where_it_did_out_of_turn() {
        let age = Ms::secs(300);
        let standing = Refreshes::standing(Ms(2_500), Ms::secs(5), age);
        assert_eq!(standing.next(Ms::ZERO, age), Ms::secs(150));
        assert_eq!(standing.next(Ms::secs(150), age), Ms::secs(150));
        assert_eq!(standing.next(Ms(150_001), age), Ms::secs(450));
        assert_eq!((standing.last(Ms(149_999), age), standing.last(Ms::secs(449), age)), (Ms::ZERO, Ms::secs(150)));
        let joined = Refreshes::from(Ms::secs(7), age);
        assert_eq!((joined.last(Ms::secs(7), age), joined.next(Ms::secs(7), age)), (Ms::secs(7), Ms::secs(307)));
        assert_eq!(joined.last(Ms::secs(907), age), Ms::secs(907));
    }
}
