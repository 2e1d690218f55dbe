//! From a random scenario that shows something to the smallest one that still does.

use super::Draft;

/// What a search for something smaller came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shrunk {
    /// The smallest found.
    pub draft: Draft,
    /// How many scenarios were looked at.
    pub tries: u64,
}

/// Takes away and makes plainer for as long as `first_that_shows` finds one that still shows it; every single step
/// from the result has been tried then. It is given scenarios, simplest first, and says which is the first that does,
/// and how many it looked at.
///
/// # Errors
/// What `first_that_shows` gives.
pub fn shrink<E>(
    draft: Draft,
    mut first_that_shows: impl FnMut(&[String]) -> Result<(Option<usize>, u64), E>,
) -> Result<Shrunk, E> {
    let mut shrunk = Shrunk { draft, tries: 0 };
    // where in the list of steps to go on: what did not work mostly does not work after another step, either
    let mut from = 0;
    let mut found_in_this_round = false;
    loop {
        let mut steps = shrunk.draft.simpler();
        let from_here: Vec<String> = steps.iter().skip(from).map(Draft::text).collect();
        let (found, tries) = if from_here.is_empty() { (None, 0) } else { first_that_shows(&from_here)? };
        shrunk.tries += tries;
        match found {
            Some(place) => {
                shrunk.draft = steps.swap_remove(from + place);
                from += place;
                found_in_this_round = true;
            }
            None if found_in_this_round => (from, found_in_this_round) = (0, false),
            None => return Ok(shrunk),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::{Release, random_scenario};

    #[test]
    fn what_matters_stays_and_everything_else_goes() {
        // "shows it" stands for: it has a topic that grows
        let grows = |text: &str| text.contains("add-partitions");
        let number = (1..).find(|n| grows(&random_scenario(Release::V4_1, *n))).unwrap();
        let draft = Draft::read(&random_scenario(Release::V4_1, number));
        let shows =
            |texts: &[String]| -> Result<_, ()> { Ok((texts.iter().position(|text| grows(text)), texts.len() as u64)) };
        let shrunk = shrink(draft, shows).unwrap();
        assert_eq!((shrunk.draft.verbs(), shrunk.draft.entries()), (vec!["add-partitions"], 1));
        assert!(shrunk.draft.simpler().iter().all(|d| !grows(&d.text())), "{}", shrunk.draft.text());
    }

    #[test]
    fn what_can_go_only_after_something_later_in_the_list_goes_in_another_round() {
        // the seed is tried first and matters for as long as there is a cluster
        let shows = |text: &str| text.contains("seed:") || !text.contains("cluster:");
        let all =
            |texts: &[String]| -> Result<_, ()> { Ok((texts.iter().position(|text| shows(text)), texts.len() as u64)) };
        let text = shrink(Draft::read(&random_scenario(Release::V4_1, 1)), all).unwrap().draft.text();
        assert!(!text.contains("cluster:") && !text.contains("seed:"), "{text}");
    }
}
