//! `check --twice`: the same run made again has to be the same. A running fingerprint of everything that a lane does
//! is taken at every rebalance and at the end of every bucket; where two runs part, the simulated time is known.

use crate::metrics::{LaneOutcome, RunOutcome};
use crate::report::files::{Keys, OutcomeRow, lines, origin_text};
use crate::sim::{Digest, Ms};

/// The running fingerprints of one run: for each lane, times and the digest of all up to them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoints {
    history: String,
    lanes: Vec<Walked>,
}

/// One lane's.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Walked {
    strategy: String,
    points: Vec<(Ms, u64)>,
    /// Its line of outcomes.csv.
    totals: String,
}

/// Takes the fingerprints of a run.
#[must_use]
pub fn checkpoints(run: &RunOutcome) -> Checkpoints {
    let lanes = run.lanes.iter().map(|lane| {
        let keys = Keys { scenario: "", point: "", run: run.run, strategy: &lane.strategy };
        let totals = lines(&[OutcomeRow::new(keys, lane, &run.history_id)]);
        Walked { strategy: lane.strategy.clone(), points: walk(run, lane), totals }
    });
    Checkpoints { history: run.history_id.clone(), lanes: lanes.collect() }
}

fn walk(run: &RunOutcome, lane: &LaneOutcome) -> Vec<(Ms, u64)> {
    let mut digest = Digest::new();
    let mut points = Vec::new();
    for bump in &lane.bumps {
        digest.time(bump.at);
        digest.text(&run.groups[bump.group.index()]);
        digest.number(bump.epoch);
        digest.text(bump.verdict.name());
        digest.text(origin_text(run, bump.cause));
        digest.text(origin_text(run, bump.trigger));
        digest.long(bump.delay.map_or(u64::MAX, |delay| delay.0));
        points.push((bump.at, digest.finish()));
    }
    for (i, bucket) in lane.buckets.iter().enumerate() {
        let mut own = Digest::new();
        for value in [
            bucket.heartbeats,
            bucket.refreshes,
            bucket.rebalances,
            bucket.spurious,
            bucket.stale_groups,
            bucket.bytes_hashed,
            bucket.offsets_log_bytes,
        ] {
            own.long(value);
        }
        let end = lane.buckets.get(i + 1).map_or(bucket.start, |next| next.start);
        points.push((end, own.finish()));
    }
    points
}

/// Where two runs part: what, and from which simulated time on.
#[must_use]
pub fn first_difference(a: &Checkpoints, b: &Checkpoints) -> Option<String> {
    if a.history != b.history {
        return Some(format!("the histories differ: {} and {}", a.history, b.history));
    }
    let mut first: Option<(Ms, &str)> = None;
    for (one, other) in a.lanes.iter().zip(&b.lanes) {
        let (x, y) = (&one.points, &other.points);
        let parted = x.iter().zip(y).find(|(p, q)| p != q).map(|(p, q)| p.0.min(q.0));
        let longer = if x.len() > y.len() { x.get(y.len()) } else { y.get(x.len()) };
        if let Some(at) = parted.or(longer.map(|(at, _)| *at))
            && first.is_none_or(|(earlier, _)| at < earlier)
        {
            first = Some((at, &one.strategy));
        }
    }
    if let Some((at, strategy)) = first {
        return Some(format!("{strategy} differs from {} on", at.clock()));
    }
    let totals = a.lanes.iter().zip(&b.lanes).find(|(one, other)| one.totals != other.totals);
    totals.map(|(one, _)| format!("{} differs in its totals, at no time that is known", one.strategy))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::BumpVerdict;
    use crate::report::sample;

    #[test]
    fn the_first_simulated_time_that_differs_is_named() {
        let run = sample::run(1);
        let told = |change: &dyn Fn(&mut RunOutcome)| {
            let mut other = run.clone();
            change(&mut other);
            first_difference(&checkpoints(&run), &checkpoints(&other))
        };
        assert_eq!(told(&|_| {}), None);
        let bump = &run.lanes[1].bumps[5];
        let at = bump.at.clock();
        let strategy = &run.lanes[1].strategy;
        let expected = Some(format!("{strategy} differs from {at} on"));
        let other = if bump.verdict == BumpVerdict::Needed { BumpVerdict::Late } else { BumpVerdict::Needed };
        assert_eq!(told(&|o| o.lanes[1].bumps[5].verdict = other), expected);
        assert_eq!(told(&|o| o.lanes[1].bumps[5].epoch += 1), expected);
        assert!(told(&|o| o.lanes[0].buckets[0].bytes_hashed += 1).is_some());
        assert_eq!(
            told(&|o| o.lanes[0].outcome.cache_hits += 1),
            Some(format!("{} differs in its totals, at no time that is known", run.lanes[0].strategy))
        );
        assert!(told(&|o| o.history_id.push('x')).unwrap().starts_with("the histories differ"));
    }
}
