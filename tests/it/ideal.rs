//! The ideal counted group by group beside the ideal counted in order of time, on random histories.

use rebalance_sim::conformance::{Release, random_scenario, random_scenario_of_all_kinds};
use rebalance_sim::metrics::{Readings, ideal, ideal_in_order};
use rebalance_sim::scenario::load_text;
use rebalance_sim::sim::Ms;
use rebalance_sim::world::{self, Heartbeats};

/// Group by group and in order of time, of run 1; nothing where the scenario cannot happen.
fn both(text: &str, warmup: Ms) -> Option<(u64, u64)> {
    let loaded = load_text("random", text, &[]).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
    let history = world::make(&loaded.scenario, 1).ok()?;
    let heartbeats = Heartbeats::new(&history);
    let readings = Readings::new(&history, Vec::new());
    let count = |count: fn(&_, &_, &_, _) -> u64| count(&history, &heartbeats, &readings, warmup);
    Some((count(ideal), count(ideal_in_order)))
}

#[test]
fn groups_one_after_the_other_come_to_what_groups_in_order_of_time_come_to() {
    let (mut made, mut counted) = (0, 0);
    for number in 0..150 {
        let (all, consumers) =
            (random_scenario_of_all_kinds(Release::V4_2, number), random_scenario(Release::V4_0, number));
        for text in [all, consumers] {
            for warmup in [Ms::ZERO, Ms::secs(600)] {
                let Some((alone, in_order)) = both(&text, warmup) else { continue };
                assert_eq!(alone, in_order, "{text}");
                made += 1;
                counted += alone;
            }
        }
    }
    assert!(made > 400 && counted > 1000, "{made} {counted}");
}
