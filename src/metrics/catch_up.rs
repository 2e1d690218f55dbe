//! What a spurious rebalance caught up with. A stored value can be a mix: most topics as they were at the
//! group's last rebalance, some as a cache still had them from before. This remembers, per group, when it
//! last rebalanced and which topics were taken from an older image then; so it can say whether a bump
//! repeats a change that an earlier one had seen, and which `history:` entry is behind the value.

use rustc_hash::FxHashMap;

use crate::coordinator::Renewal;
use crate::kafka::{GroupId, TopicId};
use crate::world::History;

use super::{ImageNo, Origin, Readings, ValueLines};

/// The memory of one lane.
pub struct CatchUp<'a> {
    readings: &'a Readings,
    /// In the lane's own reading; `None`: it stores no value.
    lines: Option<&'a ValueLines>,
    /// The image of each group's last rebalance (0: none yet).
    last: Vec<ImageNo>,
    /// Topics of a stored value that were read from an older image.
    mixed: FxHashMap<GroupId, Vec<(TopicId, ImageNo)>>,
}

impl<'a> CatchUp<'a> {
    /// Everybody's stored value is that of time 0.
    #[must_use]
    pub fn new(history: &History, readings: &'a Readings, lines: Option<&'a ValueLines>) -> CatchUp<'a> {
        CatchUp { readings, lines, last: vec![0; history.groups.len()], mixed: FxHashMap::default() }
    }

    /// A group rebalances in image `now`: is it a repeat if nothing is open, and who is behind the value then?
    /// `read_from` tells the image that a topic's value was taken from.
    pub fn on_bump(
        &mut self,
        group: GroupId,
        topics: &[TopicId],
        now: ImageNo,
        read_from: impl Fn(TopicId) -> ImageNo,
        renewal: &Renewal,
    ) -> (bool, Origin) {
        let Some(lines) = self.lines else { return (false, renewal.trigger) };
        let last = std::mem::replace(&mut self.last[group.index()], now);
        let old = self.mixed.remove(&group).unwrap_or_default();
        let mut mixed = Vec::new();
        let mut unchanged = true;
        let mut caught: Option<ImageNo> = None;
        for &topic in topics {
            unchanged &= lines.at(topic, last) == lines.at(topic, now);
            let from = read_from(topic);
            if lines.at(topic, from) != lines.at(topic, now) {
                mixed.push((topic, from));
            }
            let before = old.iter().find(|(t, _)| *t == topic).map_or(last, |(_, image)| *image);
            if lines.at(topic, before) != lines.at(topic, from) {
                let since = lines.since(topic, from);
                caught = Some(caught.map_or(since, |c| c.min(since)));
            }
        }
        if !mixed.is_empty() {
            self.mixed.insert(group, mixed);
        }
        let repeat = unchanged && renewal.differs && !renewal.from_absent && !renewal.topics_changed;
        let cause = caught.and_then(|image| self.entry_of(image, topics)).unwrap_or(renewal.trigger);
        (repeat, cause)
    }

    /// The first entry behind what an image changed of these topics.
    fn entry_of(&self, image: ImageNo, topics: &[TopicId]) -> Option<Origin> {
        let facts = &self.readings.deltas[(image as usize).checked_sub(1)?];
        let lines = self.lines?;
        let behind = facts.changed.iter().zip(&facts.entries);
        let ours = behind.filter(|(c, _)| topics.contains(&c.topic) && lines.changes_at(c.topic, image));
        ours.map(|(_, entry)| *entry).min().map(Origin::Entry)
    }
}
