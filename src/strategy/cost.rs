//! `cpu_model_ns`: what a strategy's work would cost a coordinator's thread, by model (K.6). A *model*: a sum
//! of counted work times constants, each taken from a published or measured figure named beside it. They are
//! of one machine and one afternoon, an order of magnitude, and compare strategies with each other; measured
//! CPU time is in costs.csv. Integers throughout, in picoseconds, so that it is the same everywhere.

use super::Work;

// Figures of a crude JDK 17 loop on a two-core EPYC (model: C.6), for 1,000 partitions of three racks with
// names of ten characters: building full metadata; building and comparing it; Kafka 4.1's topic hash; draft
// 000's. And a group hash over ten topics that are all in the cache.
const FULL_BUILD_PS: u64 = 30_000_000;
const FULL_BUILD_AND_COMPARE_PS: u64 = 56_000_000;
const KAFKA_4_1_HASH_PS: u64 = 136_000_000;
const DRAFT_000_HASH_PS: u64 = 192_000_000;
const TEN_HITS_PS: u64 = 500_000;

/// Reading a partition's racks from the image.
const PARTITION_READ_PS: u64 = FULL_BUILD_PS / 1000;
/// Comparing a topic or partition with its stored one.
const ENTRY_COMPARED_PS: u64 = (FULL_BUILD_AND_COMPARE_PS - FULL_BUILD_PS) / 1000;
/// A byte given to a hash function: what Kafka 4.1's topic hash takes beyond reading, over its 88,031 bytes
/// (model: C.3).
const BYTE_HASHED_PS: u64 = (KAFKA_4_1_HASH_PS - FULL_BUILD_PS) / 88_031;
/// A call of a hash function: what draft 000 takes beyond reading and its bytes; it makes four calls a partition,
/// for its number and three racks, over 34 bytes.
const HASH_CALL_PS: u64 = (DRAFT_000_HASH_PS - FULL_BUILD_PS - 34_000 * BYTE_HASHED_PS) / 4_000;
/// Asking the cache for a topic: what ten hits take beyond one call over 80 bytes.
const CACHE_ASKED_PS: u64 = (TEN_HITS_PS - HASH_CALL_PS - 80 * BYTE_HASHED_PS) / 10;
/// Finding the group that is due: a look-up by a string of 14 characters among a million, in a hash map with a
/// fast hasher (measured in Rust on the same machine; Java's was not).
const GROUP_FOUND_PS: u64 = 141_000;

/// The model's time for this work and so many refreshes, in nanoseconds, rounded down.
#[must_use]
pub fn cpu_model_ns(work: &Work, refreshes: u64) -> u64 {
    let table = [
        (work.partitions_read, PARTITION_READ_PS),
        (work.entries_compared, ENTRY_COMPARED_PS),
        (work.bytes_hashed, BYTE_HASHED_PS),
        (work.hash_calls, HASH_CALL_PS),
        (work.cache_hits + work.cache_misses, CACHE_ASKED_PS),
        (refreshes, GROUP_FOUND_PS),
    ];
    let picoseconds: u128 = table.iter().map(|&(count, each)| u128::from(count) * u128::from(each)).sum();
    u64::try_from(picoseconds / 1000).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figures_that_the_constants_come_from_come_out_again() {
        let read = Work { partitions_read: 1000, ..Work::default() };
        let full = Work { entries_compared: 1000, ..read };
        let kafka = Work { bytes_hashed: 88_031, hash_calls: 1, ..read };
        let draft = Work { bytes_hashed: 34_000, hash_calls: 4000, ..read };
        let hits = Work { cache_hits: 10, bytes_hashed: 80, hash_calls: 1, ..Work::default() };
        for (work, ns) in [(read, 30_000), (full, 56_000), (kafka, 136_000), (draft, 192_000), (hits, 500)] {
            let model = cpu_model_ns(&work, 0);
            assert!(model.abs_diff(ns) <= 1 + ns / 1000, "{model} is not {ns}");
        }
        assert_eq!(cpu_model_ns(&Work::default(), 1000), 141_000);
    }

    #[test]
    fn no_amount_of_work_overflows() {
        let most = Work { bytes_hashed: u64::MAX, ..Work::default() };
        assert_eq!(cpu_model_ns(&most, u64::MAX), u64::MAX);
    }
}
