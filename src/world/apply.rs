//! The verb of an entry, carried out on one target of the cluster.

use std::rc::Rc;

use crate::kafka::{BrokerId, TopicId};
use crate::scenario::{StartHow, Verb};
use crate::sim::Ms;

use super::cluster::{Cluster, One};
use super::error::WorldError;
use super::notes::Occurrence;
use super::targets::Need;

impl Cluster<'_> {
    /// Does what an entry does to one of its targets.
    pub(super) fn apply(
        &mut self,
        at: Ms,
        occurrence: &Rc<Occurrence>,
        one: &One,
        named: bool,
    ) -> Result<(), WorldError> {
        let scenario = self.scenario;
        let verb = &scenario.history[occurrence.entry as usize].verb;
        match one {
            One::Broker(broker) => self.apply_to_broker(at, verb, occurrence, *broker, named),
            One::Topic(topic) => self.apply_to_topic(at, verb, occurrence, *topic, named),
            One::Shard(shard) => self.move_shard(at, verb, occurrence, *shard, named),
            One::Whole => self.apply_whole(at, verb, occurrence),
        }
    }

    fn apply_to_broker(
        &mut self,
        at: Ms,
        verb: &Verb,
        occurrence: &Occurrence,
        broker: BrokerId,
        named: bool,
    ) -> Result<(), WorldError> {
        let need = match verb {
            Verb::AddBroker { how, .. } => return self.add_broker(at, broker, how, occurrence),
            Verb::Start { .. } => Need::Stopped,
            Verb::Unregister { .. } => Need::Fenced,
            _ => Need::Running,
        };
        if !self.can(broker, need, occurrence, named)? {
            return Ok(());
        }
        let default = StartHow::default();
        let (life, back, how) = match verb {
            Verb::Start { how, .. } => {
                let start = self.starting(broker, how, occurrence);
                self.start(at, broker, start, occurrence.by_chance);
                return Ok(());
            }
            Verb::Unregister { .. } => {
                self.controller.unregister(broker, occurrence.entry);
                return Ok(());
            }
            Verb::Crash { back_after, .. } => (self.crash(at, broker, occurrence), *back_after, &default),
            Verb::Shutdown { back_after, .. } => (self.shutdown(broker, occurrence), *back_after, &default),
            Verb::Restart { down, how, .. } => (self.shutdown(broker, occurrence), Some(*down), how),
            _ => return Ok(()),
        };
        if let Some(back) = back {
            let when = at.after(self.outage(back, occurrence));
            self.plan_start(when, broker, life, how, occurrence);
        }
        Ok(())
    }

    fn apply_to_topic(
        &mut self,
        at: Ms,
        verb: &Verb,
        occurrence: &Rc<Occurrence>,
        topic: TopicId,
        named: bool,
    ) -> Result<(), WorldError> {
        if let Verb::CreateTopic { place, .. } = verb {
            return self.create_topic(topic, place, occurrence, named);
        }
        if !self.topic_is_there(topic, occurrence, named)? {
            return Ok(());
        }
        match verb {
            Verb::AddPartitions { grow, replicas, .. } => {
                self.add_partitions(topic, grow, replicas.as_deref(), occurrence, named)
            }
            Verb::DeleteTopic { .. } => {
                self.delete_topic(topic, occurrence);
                Ok(())
            }
            Verb::RecreateTopic { gap, partitions, rf, replicas, .. } => {
                let place = self.place_anew(topic, partitions.as_ref(), *rf, replicas.as_deref(), occurrence);
                self.recreate_topic(at, topic, *gap, &place, occurrence, named)
            }
            Verb::SetRf { partitions, rf, takes, .. } => {
                self.set_rf(at, topic, partitions.as_deref(), *rf, *takes, occurrence, named)
            }
            Verb::ElectLeaders { partitions, .. } => {
                self.elect_leaders(topic, partitions.as_deref(), occurrence, named)
            }
            Verb::Touch { partitions, .. } => self.touch(topic, partitions.as_deref(), occurrence, named),
            Verb::IsrShrink { partitions, brokers, .. } => {
                self.isr_shrink(topic, partitions.as_deref(), brokers, occurrence, named)
            }
            Verb::IsrExpand { partitions, brokers, .. } => {
                self.isr_expand(topic, partitions.as_deref(), brokers, occurrence, named)
            }
            _ => Ok(()),
        }
    }

    fn apply_whole(&mut self, at: Ms, verb: &Verb, occurrence: &Rc<Occurrence>) -> Result<(), WorldError> {
        match verb {
            Verb::SnapshotReload => {
                self.snapshot_reload(occurrence);
                Ok(())
            }
            Verb::Reassign { moves, wave, pause, takes } => self.reassign(at, moves, *wave, *pause, *takes, occurrence),
            _ => Ok(()),
        }
    }
}
