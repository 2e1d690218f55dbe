//! What members subscribe to, while a history is made.

use std::collections::BTreeMap;

use crate::kafka::{Subscription, TopicId};
use crate::sim::natural_cmp;

use super::draws;

/// Topics and the text of a pattern.
type Written = (Vec<TopicId>, Option<String>);

/// Distinct subscriptions and patterns, numbered as they come up.
#[derive(Debug, Default)]
pub(super) struct Subscriptions {
    numbers: BTreeMap<Written, u32>,
}

impl Subscriptions {
    /// The number of a subscription.
    pub(super) fn number(&mut self, names: Vec<TopicId>, pattern: Option<&str>) -> u32 {
        let next = draws::count32(self.numbers.len());
        *self.numbers.entry((names, pattern.map(str::to_owned))).or_insert(next)
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Those that are used, in order, with their patterns in order; and what each number has become.
    pub(super) fn settle(self, used: &[bool]) -> (Vec<Subscription>, Vec<String>, Vec<u32>) {
        let mut renumbered = vec![u32::MAX; used.len()];
        let kept = self.numbers.into_iter().filter(|(_, number)| used[*number as usize]);
        let kept: Vec<(Written, u32)> = kept.collect();
        let mut patterns: Vec<String> = kept.iter().filter_map(|((_, pattern), _)| pattern.clone()).collect();
        patterns.sort_by(|a, b| natural_cmp(a, b));
        patterns.dedup();
        let pattern_id = |text: &String| {
            let at = patterns.iter().position(|p| p == text).expect("it was put in");
            crate::kafka::PatternId::at(at)
        };
        let subscription = |((mut names, pattern), number): (Written, u32)| {
            names.shrink_to_fit();
            (Subscription { names, pattern: pattern.as_ref().map(pattern_id) }, number)
        };
        let mut all: Vec<(Subscription, u32)> = kept.into_iter().map(subscription).collect();
        all.sort();
        for (new, (_, number)) in (0u32..).zip(&all) {
            renumbered[*number as usize] = new;
        }
        let mut all: Vec<Subscription> = all.into_iter().map(|(subscription, _)| subscription).collect();
        // they stand in the room of what they were made of
        all.shrink_to_fit();
        (all, patterns, renumbered)
    }
}
