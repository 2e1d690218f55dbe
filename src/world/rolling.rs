//! A roll: one broker after another is stopped and started, with a gap from each start to the next stop.

use std::rc::Rc;

use crate::kafka::BrokerId;
use crate::scenario::{Pick, RollOrder, StartHow, Verb};
use crate::sim::Ms;

use super::cluster::{Act, Cluster, One, Rank};
use super::draws;
use super::error::WorldError;
use super::notes::Occurrence;
use super::targets::Need;

/// A roll under way.
#[derive(Clone, Debug)]
pub(super) struct Rolling {
    occurrence: Rc<Occurrence>,
    /// Brokers still to come, the next one last, and whether each was named.
    rest: Vec<(BrokerId, bool)>,
    down: Ms,
    gap: Ms,
    how: StartHow,
}

impl Cluster<'_> {
    /// A roll begins.
    pub(super) fn roll(&mut self, occurrence: &Rc<Occurrence>) -> Result<(), WorldError> {
        let scenario = self.scenario;
        let Verb::Roll { brokers, down, gap, order, how } = &scenario.history[occurrence.entry as usize].verb else {
            return Ok(());
        };
        // one that is down now may be up when its turn comes
        let need = if matches!(brokers, Pick::Any(_) | Pick::Draw { .. }) { Need::Running } else { Need::There };
        let targets = self.brokers(brokers, need, occurrence)?;
        let mut rest: Vec<(BrokerId, bool)> = targets
            .into_iter()
            .filter_map(|(one, named)| if let One::Broker(id) = one { Some((id, named)) } else { None })
            .collect();
        match order {
            RollOrder::Id => {}
            RollOrder::ByRack => {
                rest.sort_by_key(|(id, _)| {
                    let rack = self.controller.brokers.get(id).and_then(|b| b.rack);
                    (rack.is_none(), rack)
                });
            }
            RollOrder::Drawn => occurrence.stream(&self.chance, &["order"]).shuffle(&mut rest),
        }
        rest.reverse();
        let gap = draws::time(&mut occurrence.stream(&self.chance, &["gap"]), *gap);
        let down = self.outage(*down, occurrence);
        self.roll_on(occurrence.at, Rolling { occurrence: Rc::clone(occurrence), rest, down, gap, how: how.clone() })
    }

    /// The next step of a roll. One that cannot be made is skipped without a pause.
    pub(super) fn roll_on(&mut self, at: Ms, mut rolling: Rolling) -> Result<(), WorldError> {
        let occurrence = Rc::clone(&rolling.occurrence);
        while let Some((broker, named)) = rolling.rest.pop() {
            if !self.can(broker, Need::Running, &occurrence, named)? {
                continue;
            }
            let life = self.shutdown(broker, &occurrence);
            let start = at.after(rolling.down);
            self.plan_start(start, broker, life, &rolling.how, &occurrence);
            if !rolling.rest.is_empty() {
                self.plan(start.after(rolling.gap), Rank::Entry(occurrence.entry), Act::Roll(rolling));
            }
            return Ok(());
        }
        Ok(())
    }
}
