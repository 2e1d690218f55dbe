//! Tests of the language as a whole: its examples, its rules, its messages, and that no text makes it panic.

mod examples;
mod layers;
mod rendered;
mod robust;
mod rules;
mod rules_of_runs;
mod schema;

use super::*;

/// A scenario on which the examples that have a `base:` stand.
pub(super) const PROD: &str = "brokers: 6\ntopics: {t: 3}\ngroups: {g: {count: 4, topics: 2}}\n";

/// The scenario without the places of its entries, which differ between two spellings of one scenario.
pub(super) fn placeless(scenario: &Scenario) -> Scenario {
    let mut scenario = scenario.clone();
    scenario.history.iter_mut().for_each(|entry| entry.at = 0..0);
    scenario
}

/// Loads, or panics with all that is wrong.
pub(super) fn loaded(text: &str) -> Loaded {
    load_text("test.yaml", text, &[]).unwrap_or_else(|error| panic!("{error}\n\n{text}"))
}

/// What is wrong, a line per problem.
pub(super) fn wrong(text: &str) -> String {
    match load_text("test.yaml", text, &[]) {
        Ok(_) => panic!("this should be wrong:\n{text}"),
        Err(error) => error.short(),
    }
}

/// Two topics, two groups, and what the test adds.
pub(super) fn with(more: &str) -> String {
    format!(
        "topics: {{orders: 3, t: {{}}}}\ngroups: {{shop: {{count: 2, topics: orders}}, g: {{topics: [t]}}}}\n{more}"
    )
}

pub(super) fn names<'a>(items: impl IntoIterator<Item = &'a String>) -> Vec<&'a str> {
    items.into_iter().map(String::as_str).collect()
}

#[track_caller]
pub(super) fn says(text: &str, lines: &[&str]) {
    let short = wrong(text);
    let got: Vec<&str> = short.lines().map(|line| line.strip_prefix("test.yaml:").unwrap_or(line)).collect();
    assert_eq!(got, lines, "{text}");
}
