//! `cpu_model_ns`: what a strategy's work would cost a coordinator's thread, by model (K.6). A *model*: a sum
//! of counted work times constants, each measured on Kafka's own classes. They are
//! of one machine and one afternoon, an order of magnitude, and compare strategies with each other; measured
//! CPU time is in costs.csv. Integers throughout, in picoseconds, so that it is the same everywhere.

use super::Work;

// Processor time of Kafka's own classes (`conformance/measure.sh`, docs/costs.md): JDK 17 on a quiet two-core EPYC, medians
// of nine virtual machines a release, for 1,000 partitions of three racks with names of ten characters. Kafka 3.9 builds full
// metadata, and builds and compares it; Kafka 4.1 hashes a topic. And a group hash over one topic and over ten, all of them
// in the cache (4.1 to 4.3, whose code is the same: the median of three).
const FULL_BUILD_PS: u64 = 118_000_000;
const FULL_BUILD_AND_COMPARE_PS: u64 = 198_000_000;
const KAFKA_4_1_HASH_PS: u64 = 262_000_000;
const ONE_HIT_PS: u64 = 105_000;
const TEN_HITS_PS: u64 = 616_000;

/// Reading a partition's racks from the image.
const PARTITION_READ_PS: u64 = FULL_BUILD_PS / 1000;
/// Comparing a topic or partition with its stored one.
const ENTRY_COMPARED_PS: u64 = (FULL_BUILD_AND_COMPARE_PS - FULL_BUILD_PS) / 1000;
/// A byte given to a hash function: what Kafka 4.1's topic hash takes beyond reading, over its 88,031 bytes
/// (model: C.3).
const BYTE_HASHED_PS: u64 = (KAFKA_4_1_HASH_PS - FULL_BUILD_PS) / 88_031;
/// Asking the cache for a topic: what nine hits more take, less their hashes' eight bytes each.
const CACHE_ASKED_PS: u64 = (TEN_HITS_PS - ONE_HIT_PS) / 9 - 8 * BYTE_HASHED_PS;
/// A call of a hash function: what is left of a group hash over one topic.
const HASH_CALL_PS: u64 = ONE_HIT_PS - CACHE_ASKED_PS - 8 * BYTE_HASHED_PS;
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
        let hits = |topics| Work { cache_hits: topics, bytes_hashed: 8 * topics, hash_calls: 1, ..Work::default() };
        let (one, ten) = (hits(1), hits(10));
        for (work, ns) in [(read, 118_000), (full, 198_000), (kafka, 262_000), (one, 105), (ten, 616)] {
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
