//! How many heartbeats are accepted in each bucket of a run, without a loop over members and buckets: a member that
//! heartbeats all through a bucket whose width is a multiple of its interval always does so as often.

use crate::kafka::GroupId;
use crate::sim::Ms;

use super::group_beats::{count_of, count_steady};
use super::heartbeats::Heartbeats;

/// Buckets `[i · width, (i + 1) · width)`, the last one cut at the run's end.
struct Buckets {
    width: u64,
    duration: u64,
    /// Heartbeats that are known to be in one bucket.
    own: Vec<i64>,
    /// Where the number of heartbeats a bucket grows, or shrinks, from here on.
    steps: Vec<i64>,
}

impl Buckets {
    fn new(width: Ms, duration: Ms) -> Buckets {
        let count = usize::try_from(duration.0.div_ceil(width.0)).expect("a run's buckets fit memory");
        Buckets { width: width.0, duration: duration.0, own: vec![0; count], steps: vec![0; count + 1] }
    }

    fn bounds(&self, bucket: usize) -> (Ms, Ms) {
        let from = bucket as u64 * self.width;
        (Ms(from), Ms((from + self.width).min(self.duration)))
    }

    fn of(&self, at: Ms) -> usize {
        usize::try_from(at.0 / self.width).expect("a bucket's number fits memory")
    }

    fn is_whole(&self, bucket: usize, from: Ms, until: Ms) -> bool {
        let (start, end) = self.bounds(bucket);
        start >= from && end <= until && end.0 - start.0 == self.width
    }

    /// Adds (or takes, with a `sign` of −1) what `count` counts of `[from, until)` to each bucket; `each`: what it counts
    /// in a whole one, where that is the same everywhere.
    fn add(&mut self, (from, until): (Ms, Ms), sign: i64, each: Option<u64>, count: impl Fn(Ms, Ms) -> u64) {
        let until = until.min(Ms(self.duration));
        if from >= until {
            return;
        }
        let number = |n: u64| sign * i64::try_from(n).expect("heartbeats fit 63 bits");
        let (first, last) = (self.of(from), self.of(Ms(until.0 - 1)));
        let part = |buckets: &Buckets, bucket: usize| {
            let (start, end) = buckets.bounds(bucket);
            number(count(start.max(from), end.min(until)))
        };
        let Some(each) = each else {
            for bucket in first..=last {
                let part = part(self, bucket);
                self.own[bucket] += part;
            }
            return;
        };
        let (mut whole_from, mut whole_until) = (first, last + 1);
        if !self.is_whole(first, from, until) {
            let part = part(self, first);
            self.own[first] += part;
            whole_from += 1;
        }
        if last != first && !self.is_whole(last, from, until) {
            let part = part(self, last);
            self.own[last] += part;
            whole_until -= 1;
        }
        if whole_from < whole_until {
            self.steps[whole_from] += number(each);
            self.steps[whole_until] -= number(each);
        }
    }

    fn sums(self) -> Vec<u64> {
        let mut running = 0;
        let step = |(own, step): (&i64, &i64)| {
            running += step;
            u64::try_from(own + running).expect("no more are refused than come")
        };
        self.own.iter().zip(&self.steps).map(step).collect()
    }
}

impl Heartbeats<'_> {
    /// Accepted heartbeats, operations included, in each bucket of this width; those before `warmup` are left out.
    #[must_use]
    pub fn by_bucket(&self, width: Ms, warmup: Ms) -> Vec<u64> {
        let history = self.history;
        let end = history.duration;
        let mut buckets = Buckets::new(width, end);
        for (place, spec) in history.groups.iter().enumerate() {
            let (steady, beats) = self.beats(GroupId::at(place));
            let interval = spec.heartbeat;
            let each = width.0.is_multiple_of(interval.0).then(|| width.0 / interval.0);
            if !steady.is_empty() {
                let whole = each.map(|each| each * steady.len() as u64);
                buckets.add((warmup, end), 1, whole, |from, to| count_steady(steady, interval, from, to));
            }
            for presence in &beats.others {
                let there = (presence.first.max(warmup), presence.until);
                buckets.add(there, 1, each, |from, to| count_of(presence, interval, from, to));
            }
            for window in &history.shards[spec.shard.index()].down {
                let refused = (window.0.max(warmup), window.1);
                buckets.add(refused, -1, None, |from, to| beats.count(steady, interval, from, to));
            }
            for operation in beats.operations.iter().filter(|operation| operation.at >= warmup && operation.at < end) {
                let bucket = buckets.of(operation.at);
                buckets.own[bucket] += 1;
            }
        }
        buckets.sums()
    }
}

#[cfg(test)]
mod tests {
    use super::super::heartbeats::tests::history;
    use super::*;

    #[test]
    fn every_bucket_has_what_counting_it_alone_gives() {
        let history = history(
            vec![(0, 0, 9999), (1, 49, 9999), (2, 0, 9999), (3, 120, 600), (3, 720, 9999), (4, 7, 300), (4, 301, 302)],
            5,
            vec![(100, 151), (300, 300), (550, 700), (900, 905)],
        );
        let beats = Heartbeats::new(&history);
        for width in [1, 7, 50, 100, 150, 333, 1000, 4000] {
            for warmup in [0, 1, 50, 199, 650] {
                let all = beats.by_bucket(Ms(width), Ms(warmup));
                assert_eq!(all.len() as u64, 1000u64.div_ceil(width));
                for (bucket, found) in (0..).zip(all) {
                    let (from, to) = (bucket * width, (bucket + 1) * width);
                    let want = beats.count(Ms(from.max(warmup)), Ms(to)).0;
                    assert_eq!(found, want, "width {width} warmup {warmup} bucket {bucket}");
                }
            }
        }
    }
}
