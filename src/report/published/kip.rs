//! The drafts of KIP-1101 argue from a table of words: full metadata Low CPU and High memory, a hash per topic Mid and
//! Mid, a single hash High and Low. Here each cell has its figure, for few groups and for many, and the word that the
//! figure deserves.

use crate::report::words::{bytes, plural, thousands, work};

use super::Sheet;

/// What one strategy cost with so many groups.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KipCell {
    /// Its own name.
    pub strategy: String,
    /// Measured processor time of the change, the median of the rounds; absent where nobody measured.
    pub cpu_ns: Option<u64>,
    /// The same by the cost model.
    pub cpu_model_ns: u64,
    /// Heap at its peak, by the model, without `groupsByTopics`, which all have alike.
    pub heap_bytes: u64,
    /// Appended bytes.
    pub log_bytes: u64,
    /// Rebalances.
    pub rebalances: u64,
}

/// One size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Point {
    /// How many groups.
    pub groups: u64,
    /// Topics that each stands on.
    pub topics: u64,
    /// In the scenario's order.
    pub cells: Vec<KipCell>,
}

/// The drafts' words for CPU and memory.
fn published(strategy: &str) -> Option<(&'static str, &'static str)> {
    match strategy {
        "full-metadata" => Some(("Low", "High")),
        "topic-hash" => Some(("Mid", "Mid")),
        "group-hash-uncached" => Some(("High", "Low")),
        _ => None,
    }
}

/// The table: a row for each strategy and size.
#[must_use]
pub fn kip_table(name: &str, points: &[Point]) -> Sheet {
    let heads = [
        "strategy",
        "groups × topics",
        "CPU per group",
        "here",
        "KIP",
        "CPU by model",
        "heap per group",
        "here",
        "KIP",
        "log per rebalance",
        "here",
    ];
    let mut rows = Vec::new();
    let mut wrong = Vec::new();
    for point in points {
        let measured = point.cells.iter().all(|c| c.cpu_ns.is_some_and(|ns| ns > 0));
        let cpu = |c: &KipCell| if measured { c.cpu_ns.unwrap_or(0) } else { c.cpu_model_ns };
        let all = |of: &dyn Fn(&KipCell) -> u64| point.cells.iter().map(of).collect::<Vec<u64>>();
        let (cpus, heaps) = (all(&cpu), all(&|c| c.heap_bytes));
        let logs = all(&|c| c.log_bytes / c.rebalances.max(1));
        for (i, cell) in point.cells.iter().enumerate() {
            let per_group = |n: u64| n / point.groups.max(1);
            let (is_cpu, is_heap, is_log) = (word(cpus[i], &cpus), word(heaps[i], &heaps), word(logs[i], &logs));
            let words = published(&cell.strategy);
            let held = |kip: Option<&str>, is: &str| match kip {
                None => "–".to_owned(),
                Some(kip) if kip == is => kip.to_owned(),
                Some(kip) => format!("{kip} ≠"),
            };
            for (what, kip, is) in [("CPU", words.map(|w| w.0), is_cpu), ("memory", words.map(|w| w.1), is_heap)] {
                if let Some(kip) = kip.filter(|kip| *kip != is) {
                    wrong.push(format!(
                        "{} {what} with {} on {}: {is}, not {kip}",
                        cell.strategy,
                        plural(point.groups, "group"),
                        plural(point.topics, "topic")
                    ));
                }
            }
            rows.push(vec![
                cell.strategy.clone(),
                format!("{} × {}", thousands(point.groups), thousands(point.topics)),
                if measured { work(per_group(cpus[i])) } else { "–".to_owned() },
                is_cpu.to_owned(),
                held(words.map(|w| w.0), is_cpu),
                work(per_group(cell.cpu_model_ns)),
                bytes(per_group(cell.heap_bytes)),
                is_heap.to_owned(),
                held(words.map(|w| w.1), is_heap),
                bytes(logs[i]),
                is_log.to_owned(),
            ]);
        }
    }
    let mut notes = vec![
        "Low, Mid, High: the lowest, middle and highest third between the least and the most of that size, by ratio; \
         all are Low where none is twice another. KIP: the drafts' word; ≠ where the figure says another. Shared parts \
         (a shard's cache) are divided by the groups; groupsByTopics is left out."
            .to_owned(),
    ];
    if wrong.is_empty() {
        notes.push("Every word of the drafts holds here.".to_owned());
    } else {
        notes.push(format!("Where the drafts' words do not hold: {}.", wrong.join("; ")));
    }
    Sheet {
        title: format!(
            "KIP-1101's table in figures ({name}: one topic of 10 partitions changes, and every group stands on it)"
        ),
        heads: heads.map(str::to_owned).to_vec(),
        rows,
        notes,
    }
}

/// The third of the way from the least to the most, by ratio, in which a figure lies.
fn word(n: u64, all: &[u64]) -> &'static str {
    let least = all.iter().copied().min().unwrap_or(0).max(1);
    let most = all.iter().copied().max().unwrap_or(0).max(1);
    let n = n.max(1);
    if most < 2 * least {
        return "Low";
    }
    // (n / least)³ against most / least and its square, in whole numbers
    let cube = |x: u64| u128::from(x).saturating_pow(3);
    let below = |times: u32| {
        // n³ · least^(times) < least³ · most^(times), shifted down where it would not fit
        let bits = 64 - most.leading_zeros();
        let shift = bits.saturating_sub(24);
        let (n, least, most) = ((n >> shift).max(1), (least >> shift).max(1), (most >> shift).max(1));
        cube(n) * u128::from(least).pow(times) <= cube(least) * u128::from(most).pow(times)
    };
    if below(1) {
        "Low"
    } else if below(2) {
        "Mid"
    } else {
        "High"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_thirds_by_ratio() {
        let all = [1, 10, 100, 1_000];
        assert_eq!(all.map(|n| word(n, &all)), ["Low", "Low", "Mid", "High"]);
        assert_eq!([5, 6, 7].map(|n| word(n, &[5, 6, 7])), ["Low"; 3]);
        assert_eq!(word(0, &[0, 8]), "Low");
        assert_eq!(word(8, &[0, 8]), "High");
        let huge = [1_000_000_000_000, 900_000_000_000_000];
        assert_eq!(huge.map(|n| word(n, &huge)), ["Low", "High"]);
    }

    #[test]
    fn a_word_that_does_not_hold_is_named() {
        let cell = |strategy: &str, cpu, heap| KipCell {
            strategy: strategy.into(),
            cpu_ns: Some(cpu),
            heap_bytes: heap,
            rebalances: 1,
            ..KipCell::default()
        };
        let cells = vec![
            cell("full-metadata", 900, 1_000),
            cell("topic-hash", 100, 30),
            cell("group-hash-uncached", 100_000, 1),
        ];
        let text = kip_table("x", &[Point { groups: 2, topics: 1, cells }]).markdown();
        assert!(text.contains("full-metadata | 2 × 1 | 450 ns | Low | Low |"), "{text}");
        assert!(text.contains("topic-hash CPU with 2 groups on 1 topic: Low, not Mid."), "{text}");
    }
}
