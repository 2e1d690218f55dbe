//! What a lane cost the machine in one measured round, and the median of several.

/// One row of costs.csv, less its keys and the machine's name: a lane measured once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "named as the columns; docs/files.md says what each is")]
pub struct CostRound {
    pub round: u32,
    pub cpu_ns: u64,
    pub calls: u64,
    pub alloc_bytes: u64,
    pub alloc_count: u64,
    pub heap_bytes_real: u64,
    pub build_ns: u64,
    pub replay_ns: u64,
    pub assign_cpu_ns: u64,
    pub assign_calls: u64,
    pub assign_alloc_bytes: u64,
}

impl CostRound {
    /// The median of each column; of an even number of rounds the mean of the middle two, rounded down.
    #[must_use]
    pub fn median(rounds: &[CostRound]) -> CostRound {
        let of = |column: fn(&CostRound) -> u64| {
            let mut all: Vec<u64> = rounds.iter().map(column).collect();
            all.sort_unstable();
            let (low, high) = (all.len().saturating_sub(1) / 2, all.len() / 2);
            match (all.get(low), all.get(high)) {
                (Some(low), Some(high)) => low.midpoint(*high),
                _ => 0,
            }
        };
        CostRound {
            round: 0,
            cpu_ns: of(|r| r.cpu_ns),
            calls: of(|r| r.calls),
            alloc_bytes: of(|r| r.alloc_bytes),
            alloc_count: of(|r| r.alloc_count),
            heap_bytes_real: of(|r| r.heap_bytes_real),
            build_ns: of(|r| r.build_ns),
            replay_ns: of(|r| r.replay_ns),
            assign_cpu_ns: of(|r| r.assign_cpu_ns),
            assign_calls: of(|r| r.assign_calls),
            assign_alloc_bytes: of(|r| r.assign_alloc_bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_is_taken_column_by_column() {
        let round = |cpu_ns, alloc_bytes| CostRound { cpu_ns, alloc_bytes, ..CostRound::default() };
        let odd = CostRound::median(&[round(9, 1), round(2, 3), round(5, 2)]);
        assert_eq!((odd.cpu_ns, odd.alloc_bytes), (5, 2));
        let even = CostRound::median(&[round(9, 1), round(2, 3), round(5, 2), round(100, 2)]);
        assert_eq!((even.cpu_ns, even.alloc_bytes), (7, 2));
        assert_eq!(CostRound::median(&[]), CostRound::default());
        assert_eq!(CostRound::median(&[round(u64::MAX, 0), round(u64::MAX, 0)]).cpu_ns, u64::MAX);
    }
}
