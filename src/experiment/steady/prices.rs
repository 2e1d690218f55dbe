//! Every topic's part of refreshes and stored values, worked out once for each value of a strategy's reading.

use rustc_hash::FxHashMap;

use crate::kafka::{MetadataImage, NameTable, TopicId, TopicImage};
use crate::metrics::Reading;
use crate::scenario::{RackReading, StrategySpec, Unregistered};
use crate::strategy::{Pricer, TopicPrice, View, Work};

use super::super::lane::Stage;
use super::courses::{Courses, Row, ValueId, Values};

/// The price of a topic that does not exist: nothing.
const FREE: u32 = 0;

/// Not worked out yet.
const UNKNOWN: u32 = u32::MAX;

/// One strategy's prices.
pub(super) struct Prices<'a> {
    /// Its own values; `None`: it stores none.
    pub(super) values: Option<&'a Values>,
    /// By value: its price, among the few different ones ([`UNKNOWN`] before it is worked out), and its hash.
    price_of: Vec<u32>,
    hashes: Vec<u64>,
    different: Vec<TopicPrice>,
    known: FxHashMap<TopicPrice, u32>,
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
            all.iter_mut()
                .try_for_each(|prices| prices.work_out(topic, next[topic.index()], &image, 0, stage.names))?;
        }
        for (number, (arrival, facts)) in (1..).zip(stage.history.deltas.iter().zip(&stage.readings.deltas)) {
            image.apply(&arrival.delta);
            for topic in facts.changed.iter().map(|changed| changed.topic) {
                let row = &mut next[topic.index()];
                *row += 1;
                all.iter_mut().try_for_each(|prices| prices.work_out(topic, *row, &image, number, stage.names))?;
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
            price_of: std::iter::once(FREE).chain(vec![UNKNOWN; count - 1]).collect(),
            hashes: vec![0; count],
            different: vec![TopicPrice::default()],
            known: FxHashMap::default(),
            pricer: Pricer::new(spec),
            group_work: Vec::new(),
            fails: reads && spec.switches.unregistered == Unregistered::Fail,
        }
    }

    /// A topic's price at a row, if its value has none yet.
    fn work_out(
        &mut self,
        topic: TopicId,
        row: Row,
        image: &MetadataImage,
        number: u32,
        names: &NameTable,
    ) -> Option<()> {
        let Some(values) = self.values else { return Some(()) };
        if self.fails && image.topic(topic).is_some_and(|content| meets_unregistered(content, image)) {
            return None;
        }
        let value = values.at(row) as usize;
        if self.price_of[value] == UNKNOWN {
            let view = View { image, image_no: number, names, values: None };
            let price = self.pricer.topic(topic, &view).ok()?.unwrap_or_default();
            let price_of = self.known.entry(TopicPrice { hash: 0, ..price }).or_insert_with(|| {
                self.different.push(TopicPrice { hash: 0, ..price });
                u32::try_from(self.different.len() - 1).expect("values fit 32 bits")
            });
            self.price_of[value] = *price_of;
            self.hashes[value] = price.hash;
        }
        Some(())
    }

    /// Which price a value has: mostly the same as its topic had before. That of a topic that does not exist is [`FREE`].
    pub(super) fn price_of(&self, value: ValueId) -> u32 {
        debug_assert!(self.price_of[value as usize] != UNKNOWN, "every row has been priced");
        self.price_of[value as usize]
    }

    /// A price, its hash left out.
    pub(super) fn price(&self, price: u32) -> &TopicPrice {
        &self.different[price as usize]
    }

    /// A value's hash.
    pub(super) fn hash(&self, value: ValueId) -> u64 {
        self.hashes[value as usize]
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
