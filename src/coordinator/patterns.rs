//! A group's patterns: what they resolved to, and when they must be resolved again (model: A.6).

use crate::kafka::{MetadataImage, PatternId, TopicId};
use crate::sim::Ms;
use crate::world::History;

/// At least so long between two refreshes of a group's patterns.
const MIN_INTERVAL: Ms = Ms::secs(10);

/// The resolved patterns of one group.
#[derive(Clone, Debug, Default)]
pub struct Patterns {
    /// In order of id; a pattern that is not here is not resolved yet.
    resolved: Vec<(PatternId, Vec<TopicId>)>,
    /// When they were last resolved; `None`: never.
    refreshed: Option<Ms>,
    /// In which image.
    version: u32,
    /// Asked for, the result is on its way.
    pub in_flight: bool,
    /// Patterns that this operation dropped: their tombstones are on their way, Kafka still counts them as resolved.
    dropping: usize,
}

/// Why a refresh is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternReason {
    /// A pattern that nobody has resolved.
    Unresolved,
    /// Topics were created (or the shard was loaded) since.
    NewTopics,
    /// The refresh interval is over.
    Timer,
}

impl Patterns {
    /// Resolved at time 0.
    #[must_use]
    pub fn standing(patterns: &[PatternId], history: &History, image: &MetadataImage) -> Patterns {
        let mut standing = Patterns::default();
        standing.store(resolve(patterns, history, image), Ms::ZERO, 0);
        standing
    }

    /// The first instant, from the last refresh on, at which a heartbeat asks for the next, and why. `wanted` are
    /// the group's patterns now, `new_topics` the last image with new topics.
    #[must_use]
    pub fn next(&self, wanted: &[PatternId], new_topics: u32, interval: Option<Ms>) -> Option<(Ms, PatternReason)> {
        if self.in_flight || wanted.is_empty() {
            return None;
        }
        let soonest = self.refreshed.map_or(Ms::ZERO, |at| at.after(MIN_INTERVAL).after(Ms(1)));
        let resolved = |p: &PatternId| self.resolved.binary_search_by_key(p, |(id, _)| *id).is_ok();
        if !wanted.iter().all(resolved) || wanted.len() != self.resolved.len() + self.dropping {
            return Some((soonest, PatternReason::Unresolved));
        }
        if self.version < new_topics {
            return Some((soonest, PatternReason::NewTopics));
        }
        let timer = interval.map(|i| self.refreshed.unwrap_or(Ms::ZERO).after(i).after(Ms(1)))?;
        Some((timer.max(soonest), PatternReason::Timer))
    }

    /// Is the pattern resolved?
    #[must_use]
    pub fn is_resolved(&self, pattern: PatternId) -> bool {
        self.resolved.binary_search_by_key(&pattern, |(id, _)| *id).is_ok()
    }

    /// The topics that a pattern resolved to (none if it is not resolved).
    #[must_use]
    pub fn topics(&self, pattern: PatternId) -> &[TopicId] {
        match self.resolved.binary_search_by_key(&pattern, |(id, _)| *id) {
            Ok(place) => &self.resolved[place].1,
            Err(_) => &[],
        }
    }

    /// Takes a result.
    pub fn store(&mut self, resolved: Vec<(PatternId, Vec<TopicId>)>, at: Ms, version: u32) {
        self.resolved = resolved;
        self.refreshed = Some(at);
        self.version = version;
        self.in_flight = false;
    }

    /// A result that could not be written: asked again after the shortest interval.
    pub fn failed(&mut self, at: Ms) {
        self.refreshed = Some(at);
        self.in_flight = false;
    }

    /// An operation is over, and what it dropped is gone. Kafka reads when it last refreshed off the patterns that are
    /// resolved. Where none is left nothing holds the next refresh back, whenever the last one was.
    pub fn operation_over(&mut self) {
        self.dropping = 0;
        if self.resolved.is_empty() {
            self.refreshed = None;
        }
    }

    /// Nobody subscribes to it any more. The heartbeat that says so still has the old refresh before it, and one
    /// pattern too many resolved: it asks for those that are left. What comes after it knows neither
    /// ([`Patterns::operation_over`]).
    pub fn drop_pattern(&mut self, pattern: PatternId) {
        let before = self.resolved.len();
        self.resolved.retain(|(id, _)| *id != pattern);
        self.dropping += before - self.resolved.len();
    }
}

/// What the patterns match among the topics that exist, in order of id.
#[must_use]
pub(super) fn resolve(
    patterns: &[PatternId],
    history: &History,
    image: &MetadataImage,
) -> Vec<(PatternId, Vec<TopicId>)> {
    let exists = |topic: &TopicId| image.topic(*topic).is_some();
    let of = |p: &PatternId| history.patterns[p.index()].matches.iter().copied().filter(exists).collect();
    patterns.iter().map(|p| (*p, of(p))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_that_lost_its_last_pattern_need_not_wait_for_the_next() {
        let (old, new) = (PatternId(0), PatternId(1));
        let mut patterns = Patterns::default();
        patterns.store(vec![(old, vec![])], Ms(5_000), 0);
        patterns.drop_pattern(old);
        // the heartbeat that brings the new one waits out the ten seconds, the next one does not
        let unresolved = |at| Some((at, PatternReason::Unresolved));
        assert_eq!(patterns.next(&[new], 0, None), unresolved(Ms(15_001)));
        patterns.operation_over();
        assert_eq!(patterns.next(&[new], 0, None), unresolved(Ms::ZERO));
        patterns.store(vec![(new, vec![])], Ms(6_000), 0);
        patterns.operation_over();
        assert_eq!(patterns.next(&[old, new], 0, None), unresolved(Ms(16_001)));
    }

    #[test]
    fn the_heartbeat_that_drops_one_of_several_patterns_asks_for_the_rest() {
        let (dropped, kept) = (PatternId(0), PatternId(1));
        let mut patterns = Patterns::default();
        patterns.store(vec![(dropped, vec![]), (kept, vec![])], Ms(5_000), 0);
        assert_eq!(patterns.next(&[dropped, kept], 0, None), None);
        patterns.drop_pattern(dropped);
        assert_eq!(patterns.next(&[kept], 0, None), Some((Ms(15_001), PatternReason::Unresolved)));
        patterns.operation_over();
        assert_eq!(patterns.next(&[kept], 0, None), None);
    }
}
