//! Heartbeats as arithmetic. Members heartbeat at `first + k · interval`; billions of heartbeats a day find
//! nothing to do, so nobody walks them: this answers "which is the first accepted one of this group from
//! here on?" and "how many are there?" in closed form. The plain walk of `--exhaustive` must agree.

use crate::kafka::{GroupId, MemberId, ShardId};
use crate::sim::Ms;

use super::group_beats::{GroupBeats, Steady, count_of, next_of};
use super::{GroupHistory, Happening, History, Presence};

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
    /// Members that heartbeat from their phase to the end, group by group, by phase.
    steady: Vec<Steady>,
    /// By group, and at last one that says where the steady members of all end.
    rhythms: Vec<Rhythm>,
    changing: Vec<GroupBeats>,
}

/// What of a group says when it heartbeats, in one place: it is asked at every look.
#[derive(Clone, Copy)]
struct Rhythm {
    interval: Ms,
    /// Where its steady members begin.
    start: u32,
    /// Its place among those in which anything else comes, if it has one.
    changing: u32,
    shard: ShardId,
}

/// A group in which nobody comes or goes.
const STEADY: u32 = u32::MAX;

impl<'h> Heartbeats<'h> {
    /// Sorts a history's presences by group.
    #[must_use]
    pub fn new(history: &'h History) -> Heartbeats<'h> {
        let groups = history.groups.len();
        let mut beats = Heartbeats {
            history,
            steady: Vec::with_capacity(history.members.len()),
            rhythms: Vec::with_capacity(groups + 1),
            changing: Vec::new(),
        };
        let rhythm = |g: &GroupHistory| Rhythm { interval: g.heartbeat, start: 0, changing: STEADY, shard: g.shard };
        beats.rhythms.extend(history.groups.iter().map(rhythm));
        beats.rhythms.push(Rhythm { interval: Ms::NEVER, start: 0, changing: STEADY, shard: ShardId(0) });
        let mut begun = 0;
        for presence in history.presences.iter() {
            let group = history.members[presence.member.index()].group;
            let interval = history.groups[group.index()].heartbeat;
            match u32::try_from(presence.first.0) {
                Ok(phase) if presence.first < interval && presence.until >= history.duration => {
                    beats.begin_until(&mut begun, group);
                    beats.steady.push(Steady { phase, member: presence.member });
                }
                _ => beats.changing(group).others.push(presence),
            }
        }
        beats.begin_until(&mut begun, GroupId::at(groups));
        beats.steady.shrink_to_fit();
        for of_group in beats.rhythms.windows(2) {
            beats.steady[of_group[0].start as usize..of_group[1].start as usize].sort_unstable();
        }
        for event in &history.events {
            if let Happening::Join(member) | Happening::Back(member) | Happening::Subscribe(member, _) = event.what {
                let group = history.members[member.index()].group;
                beats.changing(group).operations.push(Beat { at: event.at, member });
            }
        }
        beats
    }

    /// The steady members of all groups before this one are there: the next are its own.
    fn begin_until(&mut self, begun: &mut usize, group: GroupId) {
        let here = u32::try_from(self.steady.len()).expect("members fit 32 bits");
        if *begun <= group.index() {
            self.rhythms[*begun..=group.index()].iter_mut().for_each(|rhythm| rhythm.start = here);
            *begun = group.index() + 1;
        }
    }

    fn changing(&mut self, group: GroupId) -> &mut GroupBeats {
        let place = &mut self.rhythms[group.index()].changing;
        if *place == STEADY {
            *place = u32::try_from(self.changing.len()).expect("groups fit 32 bits");
            self.changing.push(GroupBeats::default());
        }
        &mut self.changing[*place as usize]
    }

    pub(super) fn beats(&self, group: GroupId) -> (&[Steady], &GroupBeats) {
        static NONE: GroupBeats = GroupBeats { others: Vec::new(), operations: Vec::new() };
        let index = group.index();
        let (rhythm, next) = (&self.rhythms[index], &self.rhythms[index + 1]);
        let steady = &self.steady[rhythm.start as usize..next.start as usize];
        (steady, self.changing.get(rhythm.changing as usize).unwrap_or(&NONE))
    }

    /// The first accepted plain heartbeat of a group at or after `from`; with `after`, of those at `from` itself
    /// only members behind that one. `None`: none within the run.
    #[must_use]
    pub fn next_plain(&self, group: GroupId, from: Ms, after: Option<MemberId>) -> Option<Beat> {
        let Rhythm { interval, shard, .. } = self.rhythms[group.index()];
        let (steady, beats) = self.beats(group);
        let (mut from, mut after) = (from, after);
        loop {
            let beat = beats.next(steady, interval, from, after)?;
            if beat.at >= self.history.duration {
                return None;
            }
            match self.down_until(shard, beat.at) {
                None => return Some(beat),
                Some(Ms::NEVER) => return None,
                Some(up) => (from, after) = (up, None),
            }
        }
    }

    /// The first accepted heartbeat of a group at or after `from`, operations included.
    #[must_use]
    pub fn first_accepted(&self, group: GroupId, from: Ms) -> Option<Ms> {
        let operations = &self.beats(group).1.operations;
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
            while let Some(at) = next_of(&presence, spec.heartbeat, from) {
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
        let (steady, beats) = self.beats(group);
        let to = to.min(self.history.duration);
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
            if b <= a { 0 } else { self.presences_of(member).map(|p| count_of(&p, spec.heartbeat, a, b)).sum() }
        };
        let down = &self.history.shards[spec.shard.index()].down;
        let start = down.partition_point(|window| window.1 <= from);
        let windows = down[start..].iter().take_while(|window| window.0 < to);
        let refused: u64 = windows.map(|window| count(window.0.max(from), window.1.min(to))).sum();
        count(from, to) - refused
    }

    fn presences_of(&self, member: MemberId) -> impl Iterator<Item = Presence> {
        self.history.presences.of(member)
    }

    /// Accepted and refused heartbeats of all groups in `[from, to)`, operations included.
    #[must_use]
    pub fn count(&self, from: Ms, to: Ms) -> (u64, u64) {
        let (mut accepted, mut refused) = self.operations(from, to);
        for group in (0..self.history.groups.len()).map(GroupId::at) {
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
        let accepted = self.changing.iter().map(count).sum();
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
    use crate::world::{MemberHistory, Names, Presences, ShardLine};

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
        let mut all = Presences::new(Ms(1000));
        for (m, a, b) in presences {
            all.push(Presence { member: MemberId(m), first: Ms(a), until: Ms(b) });
        }
        History {
            names: Names::default(),
            duration: Ms(1000),
            start: MetadataImage::default(),
            releases: vec![],
            subscriptions: vec![],
            patterns: vec![],
            groups: vec![group],
            members: (0..members).map(|_| member).collect(),
            presences: all,
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
        for p in history.presences.iter() {
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
