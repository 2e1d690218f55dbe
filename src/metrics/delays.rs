//! Delays in bins that are narrow where delays are short: each bin is at most a sixteenth of its upper end wide,
//! so a distribution takes a few hundred rows, whatever a run's length.

use std::collections::BTreeMap;

/// Values with five significant binary digits are upper ends.
const DIGITS: u32 = 5;

/// The upper end of the bin that a delay falls into, itself included; delays of up to 32 ms are exact.
#[must_use]
pub const fn upper_end(delay_ms: u64) -> u64 {
    let bits = 64 - delay_ms.leading_zeros();
    if bits <= DIGITS {
        return delay_ms;
    }
    let width = 1u64 << (bits - DIGITS);
    match delay_ms.checked_next_multiple_of(width) {
        Some(end) => end,
        None => u64::MAX,
    }
}

/// Exact delays and their numbers, put into bins.
#[must_use]
pub fn binned(delays: &BTreeMap<u64, u64>) -> Vec<(u64, u64)> {
    let mut bins: Vec<(u64, u64)> = Vec::new();
    for (delay, count) in delays {
        let end = upper_end(*delay);
        match bins.last_mut() {
            Some(last) if last.0 == end => last.1 += count,
            _ => bins.push((end, *count)),
        }
    }
    bins
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_narrow_ordered_and_hold_what_falls_into_them() {
        let mut last = 0;
        for delay in (0..200_000).chain([u64::MAX - 1, u64::MAX]) {
            let end = upper_end(delay);
            assert!(end >= delay && end >= last, "{delay}");
            assert!(end - delay <= delay / 16, "{delay} in the bin to {end}");
            assert_eq!(upper_end(end), end, "an upper end is in its own bin");
            last = end;
        }
        assert!((0..=32).all(|d| upper_end(d) == d));
    }

    #[test]
    fn nothing_is_lost_in_binning() {
        let delays: BTreeMap<u64, u64> = (0..5_000).map(|d| (d * 7, d % 3)).collect();
        let bins = binned(&delays);
        assert_eq!(bins.iter().map(|b| b.1).sum::<u64>(), delays.values().sum::<u64>());
        assert!(bins.is_sorted_by(|a, b| a.0 < b.0) && bins.len() < 200, "{}", bins.len());
    }
}
