//! Every topic's part of refreshes and stored values, worked out once for each value and all strategies that read it.

use rustc_hash::FxHashMap;

use crate::kafka::{MetadataImage, NameTable, TopicId};
use crate::scenario::StrategySpec;
use crate::strategy::{Pricer, TopicPrice, View, Work};

use super::super::lane::Stage;
use super::courses::{Courses, Row, ValueId, Values};

/// A price by number: values of one number cost as much as each other, in every strategy that shares them.
pub(super) type Tariff = u32;

/// That of a topic that does not exist: nothing.
const FREE: Tariff = 0;

/// Not worked out yet.
const UNKNOWN: Tariff = Tariff::MAX;

/// Which price each value has, for some strategies that read the same values.
pub(super) struct Tariffs<'a> {
    /// `None`: they store none.
    pub(super) values: Option<&'a Values>,
    by_value: Vec<Tariff>,
}

/// One strategy's prices.
pub(super) struct Prices {
    pricer: Pricer,
    /// By tariff, hashes left out.
    by_tariff: Vec<TopicPrice>,
    /// By value, if it stores a hash of them.
    hashes: Vec<u64>,
    /// By how many topics exist.
    group_work: Vec<Work>,
}

/// What strategies that read the same values pay, while it is worked out.
pub(super) struct Pricing<'a> {
    pub(super) tariffs: Tariffs<'a>,
    /// By strategy.
    pub(super) prices: Vec<Prices>,
    known: FxHashMap<Vec<TopicPrice>, Tariff>,
}

impl<'a> Pricing<'a> {
    /// Of these strategies, which read these values.
    pub(super) fn new(specs: &[&StrategySpec], values: Option<&'a Values>) -> Pricing<'a> {
        let count = values.map_or(1, |values| values.count);
        let by_value = std::iter::once(FREE).chain(vec![UNKNOWN; count - 1]).collect();
        let prices = specs.iter().map(|spec| Prices::new(spec, count)).collect();
        Pricing { tariffs: Tariffs { values, by_value }, prices, known: FxHashMap::default() }
    }

    /// Works all of them out over a history.
    pub(super) fn work_out(all: &mut [Pricing<'a>], stage: Stage<'_>, courses: &Courses) {
        let mut image = stage.history.start.clone();
        let topics = stage.history.names.topics.len();
        let mut next: Vec<Row> = (0..topics).map(|topic| courses.of(TopicId::at(topic)).0).collect();
        for topic in (0..topics).map(TopicId::at) {
            all.iter_mut().for_each(|pricing| pricing.price(topic, next[topic.index()], &image, 0, stage.names));
        }
        for (number, (arrival, facts)) in (1..).zip(stage.history.deltas.iter().zip(&stage.readings.deltas)) {
            image.apply(&arrival.delta);
            for topic in facts.changed.iter().map(|changed| changed.topic) {
                let row = &mut next[topic.index()];
                *row += 1;
                all.iter_mut().for_each(|pricing| pricing.price(topic, *row, &image, number, stage.names));
            }
        }
    }

    /// A topic's price at a row, if its value has none yet.
    fn price(&mut self, topic: TopicId, row: Row, image: &MetadataImage, number: u32, names: &NameTable) {
        let Some(values) = self.tariffs.values else { return };
        let value = values.at(row);
        let tariff = &mut self.tariffs.by_value[value as usize];
        if *tariff != UNKNOWN {
            return;
        }
        let view = View { image, image_no: number, names, values: None };
        let all: Vec<TopicPrice> = self.prices.iter_mut().map(|prices| prices.topic(topic, value, &view)).collect();
        let next = Tariff::try_from(self.known.len() + 1).expect("values fit 32 bits");
        *tariff = *self.known.entry(all).or_insert_with_key(|all| {
            self.prices.iter_mut().zip(all).for_each(|(prices, price)| prices.by_tariff.push(*price));
            next
        });
    }
}

impl Tariffs<'_> {
    /// A value's: mostly the same as its topic had before.
    pub(super) fn of(&self, value: ValueId) -> Tariff {
        let tariff = self.by_value[value as usize];
        debug_assert!(tariff != UNKNOWN, "every row has been priced");
        tariff
    }
}

impl Prices {
    fn new(spec: &StrategySpec, values: usize) -> Prices {
        let mut pricer = Pricer::new(spec);
        let hashes = if pricer.group_hash(&[]).is_some() { vec![0; values] } else { Vec::new() };
        Prices { pricer, by_tariff: vec![TopicPrice::default()], hashes, group_work: Vec::new() }
    }

    fn topic(&mut self, topic: TopicId, value: ValueId, view: &View<'_>) -> TopicPrice {
        let price = self.pricer.topic(topic, view).expect("where a strategy fails it is not here").unwrap_or_default();
        if let Some(hash) = self.hashes.get_mut(value as usize) {
            *hash = price.hash;
        }
        TopicPrice { hash: 0, ..price }
    }

    /// A price, its hash left out.
    pub(super) fn of(&self, tariff: Tariff) -> &TopicPrice {
        &self.by_tariff[tariff as usize]
    }

    /// What a refresh of a group does besides, by how many of its topics exist.
    pub(super) fn group_work(&mut self, topics: usize) -> &Work {
        while self.group_work.len() <= topics {
            let work = self.pricer.group_work(self.group_work.len());
            self.group_work.push(work);
        }
        &self.group_work[topics]
    }

    /// What a group holds besides, by the hash codes of the names of its topics that exist.
    pub(super) fn group_held(&self, codes: &[i32]) -> crate::strategy::Footprint {
        self.pricer.group_held(codes.iter().copied())
    }

    /// The hash that is stored for a group that reads these, by a strategy that stores one.
    pub(super) fn group_hash(&mut self, read: impl Iterator<Item = ValueId>) -> Option<u64> {
        if self.hashes.is_empty() {
            return None;
        }
        let hashes: Vec<u64> = read.map(|value| self.hashes[value as usize]).collect();
        self.pricer.group_hash(&hashes)
    }
}
