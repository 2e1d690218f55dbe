//! One group's heartbeats, whatever its shard does: the next from an instant on, and how many there are.

use crate::kafka::MemberId;
use crate::sim::Ms;

use super::Presence;
use super::heartbeats::Beat;

/// A member that heartbeats at phase + k · interval all the time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Steady {
    /// In milliseconds.
    pub(super) phase: u32,
    pub(super) member: MemberId,
}

/// One group's heartbeats, those of its steady members apart.
#[derive(Default)]
pub(super) struct GroupBeats {
    /// All presences of members that are not steady.
    pub(super) others: Vec<Presence>,
    /// Accepted operations that are heartbeats of their own, in order.
    pub(super) operations: Vec<Beat>,
}

impl GroupBeats {
    /// The first heartbeat at or after `from` (behind `after` where it is at `from`), whatever the shard does.
    pub(super) fn next(&self, steady: &[Steady], interval: Ms, from: Ms, after: Option<MemberId>) -> Option<Beat> {
        let mut best = next_steady(steady, interval.0, from, after);
        for presence in &self.others {
            // a member that comes before `after` has had its turn at `from`
            let start = if after.is_some_and(|a| presence.member <= a) { from.after(Ms(1)) } else { from };
            if let Some(at) = next_of(presence, interval, start) {
                let beat = Beat { at, member: presence.member };
                best = Some(best.map_or(beat, |b| b.min(beat)));
            }
        }
        best
    }

    /// Heartbeats in `[from, to)`, whatever the shard does.
    pub(super) fn count(&self, steady: &[Steady], interval: Ms, from: Ms, to: Ms) -> u64 {
        if to <= from {
            return 0;
        }
        let others: u64 = self.others.iter().map(|p| count_of(p, interval, from, to)).sum();
        count_steady(steady, interval, from, to) + others
    }
}

/// Heartbeats of steady members in `[from, to)`, not empty.
pub(super) fn count_steady(steady: &[Steady], interval: Ms, from: Ms, to: Ms) -> u64 {
    let before = |t: Ms| {
        let (round, phase) = (t.0 / interval.0, t.0 % interval.0);
        round * steady.len() as u64 + steady.partition_point(|s| u64::from(s.phase) < phase) as u64
    };
    before(to) - before(from)
}

/// The first heartbeat of steady members at or after `from`.
fn next_steady(steady: &[Steady], interval: u64, from: Ms, after: Option<MemberId>) -> Option<Beat> {
    let first = steady.first()?;
    let (round, phase) = (from.0 / interval, from.0 % interval);
    let place = match after {
        None => steady.partition_point(|s| u64::from(s.phase) < phase),
        Some(member) => steady.partition_point(|s| (u64::from(s.phase), s.member) <= (phase, member)),
    };
    let (base, found) = match steady.get(place) {
        Some(found) => (round * interval, found),
        None => ((round + 1) * interval, first),
    };
    Some(Beat { at: Ms(base + u64::from(found.phase)), member: found.member })
}

/// The first heartbeat of a presence at or after `from`.
pub(super) fn next_of(presence: &Presence, interval: Ms, from: Ms) -> Option<Ms> {
    let gone = from.since(presence.first).0;
    let at = presence.first.after(Ms(gone.div_ceil(interval.0) * interval.0));
    (at < presence.until).then_some(at)
}

/// Heartbeats of a presence in `[from, to)`.
pub(super) fn count_of(presence: &Presence, interval: Ms, from: Ms, to: Ms) -> u64 {
    let before = |t: Ms| t.since(presence.first).0.div_ceil(interval.0);
    let (from, to) = (from.min(presence.until), to.min(presence.until));
    before(to).saturating_sub(before(from))
}
