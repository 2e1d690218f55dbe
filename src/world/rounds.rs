//! One group's heartbeats, asked about in order of time. Members that heartbeat all the time come round in the same order
//! every interval, so there is no round to be looked for from one instant to the next.

use crate::kafka::GroupId;
use crate::sim::Ms;

use super::Heartbeats;
use super::group_beats::Steady;

/// Where a group stands in its round.
pub struct Rounds<'h> {
    beats: &'h Heartbeats<'h>,
    group: GroupId,
    /// Its members, if there are no others.
    steady: &'h [Steady],
    interval: u64,
    /// When this round began.
    begin: u64,
    /// Does its shard ever stop answering?
    stops: bool,
}

impl<'h> Rounds<'h> {
    /// A group's, from time 0 on.
    #[must_use]
    pub fn of(beats: &'h Heartbeats<'h>, group: GroupId) -> Rounds<'h> {
        let spec = &beats.history.groups[group.index()];
        let (steady, changing) = beats.beats(group);
        let steady = if changing.others.is_empty() { steady } else { &[] };
        let stops = !beats.history.shards[spec.shard.index()].down.is_empty();
        Rounds { beats, group, steady, interval: spec.heartbeat.0, begin: 0, stops }
    }

    /// The first accepted plain heartbeat at or after `from`, which is never before the `from` of an earlier question.
    /// (The same as [`Heartbeats::next_plain`].)
    pub fn next(&mut self, from: Ms) -> Option<Ms> {
        let Some(first) = self.steady.first() else { return self.anywhere(from) };
        if from.0 - self.begin >= self.interval {
            self.begin = from.0 - from.0 % self.interval;
        }
        let phase = from.0 - self.begin;
        let at = match self.steady.get(self.steady.partition_point(|member| u64::from(member.phase) < phase)) {
            Some(member) => self.begin + u64::from(member.phase),
            None => self.begin + self.interval + u64::from(first.phase),
        };
        let shard = || self.beats.history.groups[self.group.index()].shard;
        if self.stops && self.beats.down_until(shard(), Ms(at)).is_some() {
            return self.anywhere(from);
        }
        (at < self.beats.history.duration.0).then_some(Ms(at))
    }

    fn anywhere(&self, from: Ms) -> Option<Ms> {
        self.beats.next_plain(self.group, from, None).map(|beat| beat.at)
    }
}

#[cfg(test)]
mod tests {
    use super::super::heartbeats::tests::history;
    use super::*;

    #[test]
    fn the_next_heartbeat_is_the_one_that_is_looked_for_anew() {
        let steady = vec![(0, 0, 9999), (1, 49, 9999), (2, 0, 9999), (3, 31, 9999)];
        let mut comes = steady.clone();
        comes.push((4, 120, 600));
        for (presences, members) in [(steady, 4), (comes, 5), (Vec::new(), 0)] {
            for down in [Vec::new(), vec![(100, 151), (300, 300), (550, 700), (900, 2000)]] {
                let history = history(presences.clone(), members, down);
                let beats = Heartbeats::new(&history);
                for step in [1, 7, 49, 50, 51, 333] {
                    let mut rounds = Rounds::of(&beats, GroupId(0));
                    for from in (0..1100).step_by(step).map(Ms) {
                        let want = beats.next_plain(GroupId(0), from, None).map(|beat| beat.at);
                        assert_eq!(rounds.next(from), want, "{from:?}, every {step}");
                    }
                }
            }
        }
    }
}
