//! What a spurious rebalance caught up with. A stored value can be a mix: most topics as they were at the
//! group's last rebalance, some as a cache still had them from before. This remembers, per group, when it
//! last rebalanced and which topics were taken from an older image then; so it can say whether a bump
//! repeats a change that an earlier one had seen, and which `history:` entry is behind the value.

use rustc_hash::FxHashMap;

use crate::coordinator::Renewal;
use crate::kafka::{EntryIndex, GroupId, TopicId};
use crate::world::History;

use super::{ImageNo, Origin, Readings, Span, ValueLines};

/// The memory of one lane.
pub struct CatchUp<'a> {
    readings: &'a Readings,
    /// In the lane's own reading, by what a shard runs; `None`: it stores no value.
    lines: Vec<Option<&'a ValueLines>>,
    /// In the same reading, each topic's value in the newest image: a rebalance asks for those of all its topics.
    newest: Vec<Vec<Span>>,
    /// The image of each group's last rebalance (0: none yet).
    last: Vec<ImageNo>,
    /// Topics of a stored value that were read from an older image.
    mixed: FxHashMap<GroupId, Vec<(TopicId, ImageNo)>>,
}

impl<'a> CatchUp<'a> {
    /// Everybody's stored value is that of time 0.
    #[must_use]
    pub fn new(history: &History, readings: &'a Readings, lines: Vec<Option<&'a ValueLines>>) -> CatchUp<'a> {
        let topics = history.names.topics.len();
        let at_start = |lines: &ValueLines| (0..topics).map(|topic| lines.span(TopicId::at(topic), 0)).collect();
        let newest = lines.iter().map(|lines| lines.map_or_else(Vec::new, at_start)).collect();
        CatchUp { readings, lines, newest, last: vec![0; history.groups.len()], mixed: FxHashMap::default() }
    }

    /// The next image is here. Every other question is asked of the newest one.
    pub fn on_image(&mut self, image: ImageNo) {
        let facts = &self.readings.deltas[image as usize - 1];
        for (lines, newest) in self.lines.iter().zip(&mut self.newest) {
            let Some(lines) = lines else { continue };
            facts.changed.iter().for_each(|fact| newest[fact.topic.index()] = lines.span(fact.topic, image));
        }
    }

    /// A group that nothing is open for rebalances in image `now`: is it a repeat, and who is behind the value? (The
    /// first value of another version is no repeat; who brought that version is behind it.)
    /// To be asked before [`CatchUp::on_bump`]. `read_from` tells the image that a topic's value was taken from.
    #[must_use]
    pub fn why(
        &self,
        group: GroupId,
        runs: usize,
        topics: &[TopicId],
        now: ImageNo,
        read_from: impl Fn(TopicId) -> ImageNo,
        renewal: &Renewal,
    ) -> (bool, Origin) {
        if let Some(brought) = renewal.brought {
            return (false, brought);
        }
        let Some(lines) = self.lines[runs] else { return (false, renewal.trigger) };
        let last = self.last[group.index()];
        let old = self.mixed.get(&group).map_or(&[][..], Vec::as_slice);
        let mut unchanged = true;
        let mut caught: Option<(ImageNo, EntryIndex)> = None;
        for &topic in topics {
            let span = self.newest[runs][topic.index()];
            debug_assert_eq!(span, lines.span(topic, now));
            let at_last = lines.at_or_before(topic, last, span);
            unchanged &= at_last == span.value;
            let from = read_from(topic);
            let read = lines.at_or_before(topic, from, span);
            let before = match old.iter().find(|(t, _)| *t == topic) {
                Some((_, image)) => lines.at_or_before(topic, *image, span),
                None => at_last,
            };
            if before != read {
                let since = lines.span(topic, from).from;
                let behind = self.entry_behind(topic, since).map(|entry| (since, entry));
                caught = match (caught, behind) {
                    (Some(a), Some(b)) => Some(a.min(b)),
                    (a, b) => a.or(b),
                };
            }
        }
        let repeat = unchanged && renewal.differs && !renewal.from_absent && !renewal.topics_changed;
        (repeat, caught.map_or(renewal.trigger, |(_, entry)| Origin::Entry(entry)))
    }

    /// A group has rebalanced in image `now`: remembers what it stands on. `cached`: does the lane read topics from
    /// anything but the image?
    pub fn on_bump(
        &mut self,
        group: GroupId,
        runs: usize,
        topics: &[TopicId],
        now: ImageNo,
        cached: bool,
        read_from: impl Fn(TopicId) -> ImageNo,
    ) {
        self.last[group.index()] = now;
        let Some(lines) = self.lines[runs].filter(|_| cached) else {
            self.mixed.remove(&group);
            return;
        };
        let stale = |topic: TopicId| {
            let from = read_from(topic);
            let span = self.newest[runs][topic.index()];
            (lines.at_or_before(topic, from, span) != span.value).then_some((topic, from))
        };
        let mixed: Vec<(TopicId, ImageNo)> = topics.iter().filter_map(|t| stale(*t)).collect();
        if mixed.is_empty() {
            self.mixed.remove(&group);
        } else {
            self.mixed.insert(group, mixed);
        }
    }

    /// A group has rebalanced in image `now` and stored again what it had, unread: it stands on what it stood on.
    pub fn on_unread(&mut self, group: GroupId, runs: usize, topics: &[TopicId], now: ImageNo) {
        let last = std::mem::replace(&mut self.last[group.index()], now);
        let Some(lines) = self.lines[runs] else { return };
        let old = self.mixed.remove(&group).unwrap_or_default();
        let stale = |topic: TopicId| {
            let from = old.iter().find(|(t, _)| *t == topic).map_or(last, |(_, image)| *image);
            let span = self.newest[runs][topic.index()];
            (lines.at_or_before(topic, from, span) != span.value).then_some((topic, from))
        };
        let mixed: Vec<(TopicId, ImageNo)> = topics.iter().filter_map(|t| stale(*t)).collect();
        if !mixed.is_empty() {
            self.mixed.insert(group, mixed);
        }
    }

    /// The entry behind what an image changed of a topic.
    fn entry_behind(&self, topic: TopicId, image: ImageNo) -> Option<EntryIndex> {
        let facts = &self.readings.deltas[(image as usize).checked_sub(1)?];
        let place = facts.changed.binary_search_by_key(&topic, |c| c.topic).ok()?;
        Some(facts.entries[place])
    }
}
