//! Every topic's part of refreshes and stored values, worked out once for each value of a strategy's reading.

use crate::kafka::{MetadataImage, NameTable, TopicId, TopicImage};
use crate::metrics::Reading;
use crate::scenario::{RackReading, StrategySpec, Unregistered};
use crate::strategy::{Pricer, TopicPrice, View, Work};

use super::super::lane::Stage;
use super::courses::{Courses, GONE, Row, ValueId, Values};

/// One strategy's prices.
pub(super) struct Prices<'a> {
    /// Its own values; `None`: it stores none.
    pub(super) values: Option<&'a Values>,
    by_value: Vec<TopicPrice>,
    known: Vec<bool>,
    pub(super) pricer: Pricer,
    /// By how many topics exist.
    group_work: Vec<Work>,
    /// Does it fail where a replica's broker is not registered?
    fails: bool,
}

impl<'a> Prices<'a> {
    /// Prices of all these strategies; `None` if one of them would fail somewhere.
    pub(super) fn all(stage: Stage<'_>, courses: &'a Courses, specs: &[&StrategySpec]) -> Option<Vec<Prices<'a>>> {
        let mut all: Vec<Prices<'a>> = specs.iter().map(|spec| Prices::new(spec, courses)).collect();
        let mut image = stage.history.start.clone();
        let topics = stage.history.names.topics.len();
        let mut next: Vec<Row> = (0..topics).map(|topic| courses.of(TopicId::at(topic)).0).collect();
        for topic in (0..topics).map(TopicId::at) {
            all.iter_mut().try_for_each(|prices| prices.price(topic, next[topic.index()], &image, 0, stage.names))?;
        }
        for (number, (arrival, facts)) in (1..).zip(stage.history.deltas.iter().zip(&stage.readings.deltas)) {
            image.apply(&arrival.delta);
            for topic in facts.changed.iter().map(|changed| changed.topic) {
                let row = &mut next[topic.index()];
                *row += 1;
                all.iter_mut().try_for_each(|prices| prices.price(topic, *row, &image, number, stage.names))?;
            }
        }
        Some(all)
    }

    fn new(spec: &StrategySpec, courses: &'a Courses) -> Prices<'a> {
        let values = Reading::of(spec).map(|reading| courses.values(reading));
        let count = values.map_or(1, |values| values.count);
        let reads = Reading::of(spec).is_some_and(|reading| reading.racks != RackReading::Ignored);
        Prices {
            values,
            by_value: vec![TopicPrice::default(); count],
            known: vec![false; count],
            pricer: Pricer::new(spec),
            group_work: Vec::new(),
            fails: reads && spec.switches.unregistered == Unregistered::Fail,
        }
    }

    /// A topic's price at a row, if its value has none yet.
    fn price(&mut self, topic: TopicId, row: Row, image: &MetadataImage, number: u32, names: &NameTable) -> Option<()> {
        let Some(values) = self.values else { return Some(()) };
        if self.fails && image.topic(topic).is_some_and(|content| meets_unregistered(content, image)) {
            return None;
        }
        let value = values.at(row) as usize;
        if !self.known[value] {
            let view = View { image, image_no: number, names, values: None };
            self.by_value[value] = self.pricer.topic(topic, &view).ok()?.unwrap_or_default();
            self.known[value] = true;
        }
        Some(())
    }

    /// A value's price; nothing for a topic that does not exist.
    pub(super) fn of(&self, value: ValueId) -> &TopicPrice {
        debug_assert!(value == GONE || self.known[value as usize], "every row has been priced");
        &self.by_value[value as usize]
    }

    /// What a refresh of a group does besides, by how many of its topics exist.
    pub(super) fn group_work(&mut self, topics: usize) -> &Work {
        while self.group_work.len() <= topics {
            let work = self.pricer.group_work(self.group_work.len());
            self.group_work.push(work);
        }
        &self.group_work[topics]
    }
}

fn meets_unregistered(content: &TopicImage, image: &MetadataImage) -> bool {
    content.partitions.iter().any(|replicas| replicas.iter().any(|broker| image.registration(*broker).is_none()))
}
