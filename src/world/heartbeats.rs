//! Heartbeats as arithmetic. Members heartbeat at `first + k · interval`; billions of heartbeats a day find
//! nothing to do, so nobody walks them: this answers "which is the first accepted one of this group from
//! here on?" and "how many are there?" in closed form. The plain walk of `--exhaustive` must agree.

use crate::kafka::{GroupId, MemberId, ShardId};
use crate::sim::Ms;

use super::group_beats::{GroupBeats, Steady, count_of, next_of};
use super::{Happening, History, Presence};

/// A heartbeat: who, when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Beat {
    /// When.
    pub at: Ms,
    /// Who.
    pub member: MemberId,
}

/// Every heartbeat of a history, ready to be asked.
pub struct Heartbeats<'h> {
    /// Whose they are.
    pub history: &'h History,
    /// Members that heartbeat from their phase to the end, group by group, sorted.
    steady: Vec<Steady>,
    pub(super) groups: Vec<GroupBeats>,
}

impl<'h> Heartbeats<'h> {
    /// Sorts a history's presences by group.
    #[must_use]
    pub fn new(history: &'h History) -> Heartbeats<'h> {
        let mut groups: Vec<GroupBeats> = Vec::new();
        groups.resize_with(history.groups.len(), GroupBeats::default);
        let mut steady: Vec<(GroupId, Steady)> = Vec::new();
        for presence in &history.presences {
            let group = history.members[presence.member.index()].group;
            let interval = history.groups[group.index()].heartbeat;
            match u32::try_from(presence.first.0) {
                Ok(phase) if presence.first < interval && presence.until >= history.duration => {
                    steady.push((group, Steady { phase, member: presence.member }));
                }
                _ => groups[group.index()].others.push(*presence),
            }
        }
        steady.sort_unstable();
        let mut start = 0;
        for of_group in steady.chunk_by(|a, b| a.0 == b.0) {
            let end = start + u32::try_from(of_group.len()).expect("members fit 32 bits");
            groups[of_group[0].0.index()].steady = start..end;
            start = end;
        }
        let steady = steady.into_iter().map(|(_, steady)| steady).collect();
        for event in &history.events {
            if let Happening::Join(member) | Happening::Back(member) | Happening::Subscribe(member, _) = event.what {
                let group = history.members[member.index()].group;
                groups[group.index()].operations.push(Beat { at: event.at, member });
            }
        }
        Heartbeats { history, steady, groups }
    }

    pub(super) fn steady(&self, beats: &GroupBeats) -> &[Steady] {
        &self.steady[beats.steady.start as usize..beats.steady.end as usize]
    }

    /// The first accepted plain heartbeat of a group at or after `from`; with `after`, of those at `from` itself
    /// only members behind that one. `None`: none within the run.
    #[must_use]
    pub fn next_plain(&self, group: GroupId, from: Ms, after: Option<MemberId>) -> Option<Beat> {
        let spec = &self.history.groups[group.index()];
        let beats = &self.groups[group.index()];
        let (mut from, mut after) = (from, after);
        loop {
            let beat = beats.next(self.steady(beats), spec.heartbeat, from, after)?;
            if beat.at >= self.history.duration {
                return None;
            }
            match self.down_until(spec.shard, beat.at) {
                None => return Some(beat),
                Some(Ms::NEVER) => return None,
                Some(up) => (from, after) = (up, None),
            }
        }
    }

    /// The first accepted heartbeat of a group at or after `from`, operations included.
    #[must_use]
    pub fn first_accepted(&self, group: GroupId, from: Ms) -> Option<Ms> {
        let operations = &self.groups[group.index()].operations;
        let operation = operations.get(operations.partition_point(|b| b.at < from)).map(|b| b.at);
        let plain = self.next_plain(group, from, None).map(|b| b.at);
        match (operation, plain) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    /// The first plain heartbeat of one member after `from` that is accepted.
    #[must_use]
    pub fn next_of_member(&self, member: MemberId, from: Ms) -> Option<Ms> {
        let group = self.history.members[member.index()].group;
        let spec = &self.history.groups[group.index()];
        let mut best: Option<Ms> = None;
        for presence in self.presences_of(member) {
            let mut from = from.after(Ms(1));
            while let Some(at) = next_of(presence, spec.heartbeat, from) {
                match self.down_until(spec.shard, at) {
                    None => {
                        best = Some(best.map_or(at, |b| b.min(at)));
                        break;
                    }
                    Some(up) => from = up,
                }
                if from >= self.history.duration {
                    break;
                }
            }
        }
        best.filter(|at| *at < self.history.duration)
    }

    /// Accepted and refused plain heartbeats of a group in `[from, to)`.
    #[must_use]
    pub fn count_plain(&self, group: GroupId, from: Ms, to: Ms) -> (u64, u64) {
        let spec = &self.history.groups[group.index()];
        let beats = &self.groups[group.index()];
        let to = to.min(self.history.duration);
        let steady = self.steady(beats);
        let all = beats.count(steady, spec.heartbeat, from, to);
        let down = &self.history.shards[spec.shard.index()].down;
        let start = down.partition_point(|window| window.1 <= from);
        let refused = down[start..]
            .iter()
            .take_while(|window| window.0 < to)
            .map(|window| beats.count(steady, spec.heartbeat, window.0.max(from), window.1.min(to)))
            .sum();
        (all - refused, refused)
    }

    /// Accepted plain heartbeats of one member in `[from, to)`.
    #[must_use]
    pub fn count_member(&self, member: MemberId, from: Ms, to: Ms) -> u64 {
        let group = self.history.members[member.index()].group;
        let spec = &self.history.groups[group.index()];
        let to = to.min(self.history.duration);
        let count = |a: Ms, b: Ms| -> u64 {
            if b <= a { 0 } else { self.presences_of(member).map(|p| count_of(p, spec.heartbeat, a, b)).sum() }
        };
        let down = &self.history.shards[spec.shard.index()].down;
        let start = down.partition_point(|window| window.1 <= from);
        let windows = down[start..].iter().take_while(|window| window.0 < to);
        let refused: u64 = windows.map(|window| count(window.0.max(from), window.1.min(to))).sum();
        count(from, to) - refused
    }

    fn presences_of(&self, member: MemberId) -> impl Iterator<Item = &Presence> {
        let low = self.history.presences.partition_point(|p| p.member < member);
        self.history.presences[low..].iter().take_while(move |p| p.member == member)
    }

    /// Accepted and refused heartbeats of all groups in `[from, to)`, operations included.
    #[must_use]
    pub fn count(&self, from: Ms, to: Ms) -> (u64, u64) {
        let (mut accepted, mut refused) = self.operations(from, to);
        for group in (0..self.groups.len()).map(GroupId::at) {
            let plain = self.count_plain(group, from, to);
            accepted += plain.0;
            refused += plain.1;
        }
        (accepted, refused)
    }

    /// Accepted and refused operations in `[from, to)` that are heartbeats of their own.
    #[must_use]
    pub fn operations(&self, from: Ms, to: Ms) -> (u64, u64) {
        let before = |beats: &GroupBeats, t: Ms| beats.operations.partition_point(|b| b.at < t);
        let count = |beats: &GroupBeats| before(beats, to).saturating_sub(before(beats, from)) as u64;
        let accepted = self.groups.iter().map(count).sum();
        let refused = self.history.refused.iter().filter(|r| r.heartbeat && r.at >= from && r.at < to).count();
        (accepted, refused as u64)
    }

    /// If the shard does not answer heartbeats of this instant: until when (`Ms::NEVER` where no load ends).
    #[must_use]
    pub fn down_until(&self, shard: ShardId, at: Ms) -> Option<Ms> {
        let down = &self.history.shards[shard.index()].down;
        let window = down.get(down.partition_point(|window| window.1 <= at))?;
        (window.0 <= at).then_some(window.1)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::kafka::{MetadataImage, SubscriptionId};
    use crate::world::{GroupHistory, MemberHistory, Names, ShardLine};

    pub(in crate::world) fn history(presences: Vec<(u32, u64, u64)>, members: u32, down: Vec<(u64, u64)>) -> History {
        let member = MemberHistory {
            group: GroupId(0),
            standing: true,
            is_static: false,
            rack: None,
            subscription: SubscriptionId(0),
        };
        let group = GroupHistory {
            shard: ShardId(0),
            first_member: MemberId(0),
            members,
            heartbeat: Ms(50),
            session: Ms(450),
            rack_aware: true,
            patience: Ms(50),
            stands: true,
            stored: true,
            epoch: 1,
            kind: crate::kafka::GroupKind::Consumer,
        };
        History {
            names: Names::default(),
            duration: Ms(1000),
            start: MetadataImage::default(),
            releases: vec![],
            subscriptions: vec![],
            patterns: vec![],
            groups: vec![group],
            members: vec![member; members as usize],
            presences: presences
                .into_iter()
                .map(|(m, a, b)| Presence { member: MemberId(m), first: Ms(a), until: Ms(b) })
                .collect(),
            deltas: vec![],
            events: vec![],
            shards: vec![ShardLine { down: down.into_iter().map(|(a, b)| (Ms(a), Ms(b))).collect(), leaders: vec![] }],
            refused: vec![],
            notes: vec![],
            id: String::new(),
        }
    }

    /// The plain walk: every heartbeat, one after the other.
    fn walk(history: &History) -> Vec<(Beat, bool)> {
        let mut all = Vec::new();
        for p in &history.presences {
            let mut at = p.first;
            while at < p.until && at < history.duration {
                let up = !history.shards[0].down.iter().any(|w| w.0 <= at && at < w.1);
                all.push((Beat { at, member: p.member }, up));
                at += Ms(50);
            }
        }
        all.sort();
        all
    }

    #[test]
    fn arithmetic_agrees_with_the_plain_walk() {
        let history = history(
            vec![(0, 0, 9999), (1, 49, 9999), (2, 0, 9999), (3, 120, 600), (3, 720, 9999), (4, 7, 300)],
            5,
            vec![(100, 151), (300, 300), (550, 700), (900, 905)],
        );
        let beats = Heartbeats::new(&history);
        let all = walk(&history);
        for from in 0..1000 {
            let want = all.iter().find(|(b, up)| *up && b.at >= Ms(from)).map(|(b, _)| *b);
            assert_eq!(beats.next_plain(GroupId(0), Ms(from), None), want, "from {from}");
            for member in 0..5 {
                let here = Beat { at: Ms(from), member: MemberId(member) };
                let want = all.iter().find(|(b, up)| *up && *b > here).map(|(b, _)| *b);
                assert_eq!(beats.next_plain(GroupId(0), Ms(from), Some(MemberId(member))), want);
                let want = all.iter().find(|(b, up)| *up && b.member == here.member && b.at > here.at);
                assert_eq!(beats.next_of_member(MemberId(member), Ms(from)), want.map(|(b, _)| b.at));
            }
            for to in [from, from + 1, from + 37, from + 333, 1000] {
                let inside = |b: &Beat| b.at >= Ms(from) && b.at < Ms(to);
                let up = all.iter().filter(|(b, up)| inside(b) && *up).count() as u64;
                let down = all.iter().filter(|(b, up)| inside(b) && !*up).count() as u64;
                assert_eq!(beats.count_plain(GroupId(0), Ms(from), Ms(to)), (up, down), "{from}..{to}");
                let members: u64 = (0..5).map(|m| beats.count_member(MemberId(m), Ms(from), Ms(to))).sum();
                assert_eq!(members, up, "{from}..{to}");
            }
        }
    }
}
