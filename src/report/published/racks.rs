//! KAFKA-17578: how much of a group's memory are its racks? The issue gives two figures, the KIP one percentage;
//! here are the racks by the model, in the layouts that fit, and each reading with its numerator and denominator.

use crate::kafka::heap::{RackSets, partition_racks};
use crate::report::words::thousands;

use super::Sheet;

/// The rest of the group, as the commit message has it.
const PUBLISHED_REST: u64 = 822_860;
/// The same measured on the class before the change, 500 members of one topic of 2,000 partitions each.
const MEASURED_REST: u64 = 942_608;

/// The whole page.
#[must_use]
pub fn rack_table() -> Sheet {
    let racks = |topics: u64, partitions: usize, racks: u64, sets: RackSets| {
        topics * partition_racks(std::iter::repeat_n(racks, partitions), sets)
    };
    let both = |n: u64, sets: RackSets| [racks(1, 2000, n, sets), racks(20, 100, n, sets)];
    let (retained, bare) = (both(3, RackSets::Retained), both(4, RackSets::Bare));
    let row = |what: &str, cells: [String; 2]| {
        let [one, twenty] = cells;
        vec![what.to_owned(), one, twenty]
    };
    let share = |of: fn(u64) -> u64| retained.map(|n| reading(n, of(n)));
    Sheet {
        title: "KAFKA-17578: racks of a group of 500 members on 2,000 partitions".to_owned(),
        heads: ["", "1 topic × 2,000", "20 topics × 100"].map(str::to_owned).to_vec(),
        rows: vec![
            row(
                "racks, 3 a partition, sets wrapped and compared once",
                retained.map(|n| format!("{} B", thousands(n))),
            ),
            row("racks, 4 a partition, bare sets", bare.map(|n| format!("{} B", thousands(n)))),
            row("racks ÷ the rest as published", share(|_| PUBLISHED_REST)),
            row("racks ÷ racks and the rest", share(|n| n + PUBLISHED_REST)),
            row(
                "racks ÷ racks and the rest as measured",
                [reading(retained[0], retained[0] + MEASURED_REST), "–".to_owned()],
            ),
        ],
        notes: vec![
            "The published 654,400 B come out to the byte in both layouts of 1 × 2,000.".to_owned(),
            format!(
                "The KIP's 79 % is the third line: a ratio to the rest ({} B as the commit message has it). As a share of \
                 the whole it is the fourth.",
                thousands(PUBLISHED_REST)
            ),
            format!(
                "Measured with Kafka's own class before the change, the rest of the group of 1 × 2,000 takes {} B. With 20 \
                 topics it grows with the topics that each member names, so the share of the racks is smaller still.",
                thousands(MEASURED_REST)
            ),
        ],
    }
}

/// `654,400 / 822,860 = 79.5 %`.
fn reading(part: u64, whole: u64) -> String {
    let tenths = (part * 2000 + whole) / (2 * whole);
    format!("{} / {} = {}.{} %", thousands(part), thousands(whole), tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_readings_of_79_percent_stand_there_with_what_was_divided() {
        let text = rack_table().markdown();
        for words in [
            "654,400 B | 629,760 B",
            "654,400 / 822,860 = 79.5 % | 629,760 / 822,860 = 76.5 %",
            "654,400 / 1,477,260 = 44.3 % | 629,760 / 1,452,620 = 43.4 %",
            "654,400 / 1,597,008 = 41.0 %",
        ] {
            assert!(text.contains(words), "{words}: {text}");
        }
        let bare = partition_racks([4; 2000], RackSets::Bare);
        assert_eq!(bare, 654_400);
    }
}
