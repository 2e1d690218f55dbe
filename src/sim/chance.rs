//! Chance by address: a stream of random numbers for each purpose and entity, made on demand from the seed and
//! the run. No stream is shared or split off another, so an entity or a purpose that is added moves no draw but
//! its own. The samplers are our own few lines, since those of libraries change with their versions.

use std::collections::BTreeSet;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use xxhash_rust::xxh3::xxh3_64;

/// All the chance of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chance {
    seed: u64,
    run: u32,
}

impl Chance {
    /// That of this seed and run.
    #[must_use]
    pub const fn new(seed: u64, run: u32) -> Chance {
        Chance { seed, run }
    }

    /// The stream of an entity (a name, or several joined by [`address`]) for a purpose (a fixed word, or the
    /// name of what happens). The same address always gives the same numbers, from the first on.
    #[must_use]
    pub fn stream(&self, purpose: &str, entity: &str) -> Stream {
        self.purpose(purpose).stream(entity)
    }

    /// The streams of many entities for one purpose.
    #[must_use]
    pub fn purpose(&self, purpose: &str) -> Purpose {
        let mut label = purpose.as_bytes();
        let purpose = murmur3::murmur3_x64_128(&mut label, 0).expect("a slice can always be read");
        let mut key = [0u8; 32];
        key[..8].copy_from_slice(&self.seed.to_le_bytes());
        key[8..16].copy_from_slice(&u64::from(self.run).to_le_bytes());
        key[16..].copy_from_slice(&purpose.to_le_bytes());
        Purpose { key }
    }
}

/// All the chance of one run for one purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Purpose {
    key: [u8; 32],
}

impl Purpose {
    /// The stream of an entity.
    #[must_use]
    pub fn stream(&self, entity: &str) -> Stream {
        let mut generator = ChaCha8Rng::from_seed(self.key);
        generator.set_stream(xxh3_64(entity.as_bytes()));
        Stream(generator)
    }
}

/// One address out of several names. Names hold no line breaks, so different lists give different addresses.
#[must_use]
pub fn address(parts: &[&str]) -> String {
    parts.join("\n")
}

/// Random numbers, one after another.
#[derive(Clone, Debug)]
pub struct Stream(ChaCha8Rng);

impl Stream {
    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number in `[0, n)`; 0 where `n` is 0. Lemire's multiplication with rejection: exactly uniform.
    pub fn below(&mut self, n: u64) -> u64 {
        if n == 0 {
            return 0;
        }
        let reject_below = n.wrapping_neg() % n;
        loop {
            let product = u128::from(self.bits()) * u128::from(n);
            let low = product & u128::from(u64::MAX);
            if low >= u128::from(reject_below) {
                return u64::try_from(product >> 64).expect("the high half of a product of 64-bit numbers");
            }
        }
    }

    /// A number in `[lo, hi]`; `lo` where `hi` is smaller.
    pub fn between(&mut self, lo: u64, hi: u64) -> u64 {
        match hi.saturating_sub(lo).checked_add(1) {
            Some(width) => lo + self.below(width),
            None => self.bits(),
        }
    }

    /// An index into a slice of this length, which must not be 0.
    pub fn index(&mut self, len: usize) -> usize {
        assert!(len > 0, "no index into nothing");
        usize::try_from(self.below(len as u64)).expect("smaller than a usize")
    }

    /// Puts a slice into random order, every order equally likely.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.index(i + 1));
        }
    }

    /// `k` different numbers in `[0, n)` (all of them where `k` is larger), in ascending order.
    pub fn distinct(&mut self, n: u64, k: u64) -> Vec<u64> {
        let mut chosen = BTreeSet::new();
        for last in n - k.min(n)..n {
            let draw = self.below(last + 1);
            if !chosen.insert(draw) {
                chosen.insert(last);
            }
        }
        chosen.into_iter().collect()
    }

    /// An exponentially distributed gap with mean `numerator / denominator`, rounded to a whole number.
    pub fn exponential(&mut self, numerator: u64, denominator: u64) -> u64 {
        // half-way between multiples of 2^-52: never 0, never 1, and exact
        #[expect(clippy::cast_precision_loss, reason = "52 bits fit a double exactly")]
        let open01 = ((self.bits() >> 12) as f64 + 0.5) / (1u64 << 52) as f64;
        #[expect(clippy::cast_precision_loss, reason = "a mean needs no more than 53 bits")]
        let mean = numerator as f64 / denominator as f64;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "rounded, not negative, and a conversion stays at the largest number"
        )]
        let gap = libm::round(-libm::log(open01) * mean) as u64;
        gap
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(purpose: &str, entity: &str) -> Stream {
        Chance::new(7, 1).stream(purpose, entity)
    }

    #[test]
    fn the_first_numbers_of_an_address_never_change() {
        let mut s = stream("phase", "g-1");
        assert_eq!([s.bits(), s.bits()], GOLDEN_BITS);
        assert_eq!(stream("phase", "g-1").below(1000), GOLDEN_BELOW);
        assert_eq!(stream("phase", "g-1").between(10, 20), GOLDEN_BETWEEN);
        assert_eq!(stream("phase", "g-1").distinct(100, 5), GOLDEN_DISTINCT);
        assert_eq!(stream("phase", "g-1").exponential(3_000_000, 1), GOLDEN_EXPONENTIAL);
        let mut order = [0, 1, 2, 3, 4, 5, 6, 7];
        stream("phase", "g-1").shuffle(&mut order);
        assert_eq!(order, GOLDEN_ORDER);
    }

    // worked out apart from this code, from the definitions of ChaCha8, MurmurHash3 and XXH3
    const GOLDEN_BITS: [u64; 2] = [9_101_928_513_657_675_137, 7_681_273_095_617_419_769];
    const GOLDEN_BELOW: u64 = 493;
    const GOLDEN_BETWEEN: u64 = 15;
    const GOLDEN_DISTINCT: [u64; 5] = [26, 38, 40, 47, 78];
    const GOLDEN_EXPONENTIAL: u64 = 2_119_205;
    const GOLDEN_ORDER: [u8; 8] = [7, 0, 6, 5, 1, 4, 2, 3];

    #[test]
    fn seed_run_purpose_and_entity_each_make_another_stream() {
        let first = |c: Chance, p: &str, e: &str| c.stream(p, e).bits();
        let here = Chance::new(7, 1);
        let all = [
            first(here, "a", "b"),
            first(Chance::new(8, 1), "a", "b"),
            first(Chance::new(7, 2), "a", "b"),
            first(here, "b", "b"),
            first(here, "a", "a"),
        ];
        assert_eq!(BTreeSet::from(all).len(), all.len());
        assert_eq!(first(here, "a", "b"), all[0], "and the same address the same one");
    }

    #[test]
    fn small_ranges_are_hit_evenly() {
        let mut s = stream("even", "");
        let mut hits = [0u32; 6];
        (0..60_000).for_each(|_| hits[s.index(6)] += 1);
        // five standard deviations of a binomial with n = 60,000 and p = 1/6 are 456
        assert!(hits.iter().all(|h| h.abs_diff(10_000) < 460), "{hits:?}");
    }

    #[test]
    fn every_set_of_distinct_numbers_is_equally_likely() {
        let mut s = stream("sets", "");
        let mut hits = std::collections::BTreeMap::new();
        (0..60_000).for_each(|_| *hits.entry(s.distinct(4, 2)).or_insert(0u32) += 1);
        assert_eq!(hits.len(), 6);
        assert!(hits.iter().all(|(set, h)| set.len() == 2 && h.abs_diff(10_000) < 460), "{hits:?}");
        assert_eq!(s.distinct(3, 9), [0, 1, 2]);
        assert_eq!(s.distinct(0, 1), [0; 0]);
    }

    #[test]
    fn exponential_gaps_have_the_mean_asked_for_and_the_right_median() {
        let mut s = stream("gaps", "");
        let gaps: Vec<u64> = (0..100_000).map(|_| s.exponential(2_000_000, 2)).collect();
        let mean = gaps.iter().sum::<u64>() / 100_000;
        assert!(mean.abs_diff(1_000_000) < 16_000, "{mean}");
        let below = gaps.iter().filter(|g| **g < 693_147).count();
        assert!(below.abs_diff(50_000) < 800, "{below}");
    }

    #[test]
    fn a_range_includes_both_ends() {
        let mut s = stream("range", "");
        let seen: BTreeSet<u64> = (0..200).map(|_| s.between(3, 5)).collect();
        assert_eq!(Vec::from_iter(seen), [3, 4, 5]);
        assert_eq!(s.between(9, 9), 9);
        let _ = s.between(0, u64::MAX);
    }
}
