//! One partition as the controller sees it: who holds it, who is in sync, who leads (model: K.3, who leads).

use crate::kafka::{BrokerId, PartitionChange, Replicas};

/// Which brokers are live, that is, registered and not fenced.
#[derive(Clone, Debug, Default)]
pub(super) struct Live(Vec<bool>);

impl Live {
    /// Is it?
    pub(super) fn has(&self, broker: BrokerId) -> bool {
        self.0.get(broker.index()).copied().unwrap_or(false)
    }

    /// From now on it is, or not.
    pub(super) fn set(&mut self, broker: BrokerId, live: bool) {
        if self.0.len() <= broker.index() {
            self.0.resize(broker.index() + 1, false);
        }
        self.0[broker.index()] = live;
    }
}

/// A partition's state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Partition {
    /// Replica list, adding ones included.
    pub(super) replicas: Replicas,
    /// In-sync replicas, in the order of the list.
    pub(super) isr: Replicas,
    /// The leader.
    pub(super) leader: Option<BrokerId>,
    /// Being added.
    pub(super) adding: Replicas,
    /// Being removed.
    pub(super) removing: Replicas,
    /// Which reassignment is under way; a later one makes an earlier one void.
    pub(super) move_number: u32,
}

impl Partition {
    /// A new partition: whoever of its replicas is live is in sync, and the first of them leads.
    pub(super) fn new(replicas: Replicas, live: &Live) -> Partition {
        let isr: Replicas = replicas.iter().copied().filter(|b| live.has(*b)).collect();
        let leader = isr.first().copied();
        Partition { replicas, isr, leader, ..Partition::default() }
    }

    /// Takes a broker out of the ISR because it stops; the ISR of one stays as it is, without a leader. Did
    /// anything change?
    pub(super) fn stop(&mut self, broker: BrokerId, live: &Live) -> bool {
        if !self.isr.contains(&broker) {
            return false;
        }
        if self.isr.len() == 1 {
            return self.leader.take().is_some();
        }
        self.isr.retain(|b| *b != broker);
        if self.leader == Some(broker) {
            self.elect(live);
        }
        true
    }

    /// The first of the list that is live and in sync leads. Did that change the leader?
    pub(super) fn elect(&mut self, live: &Live) -> bool {
        let first = self.replicas.iter().find(|b| live.has(**b) && self.isr.contains(b)).copied();
        let changed = first != self.leader;
        self.leader = first;
        changed
    }

    /// Puts a broker into the ISR.
    pub(super) fn expand(&mut self, broker: BrokerId) {
        let isr = std::mem::take(&mut self.isr);
        self.isr = self.replicas.iter().copied().filter(|b| *b == broker || isr.contains(b)).collect();
    }

    /// Is it a replica outside the ISR?
    pub(super) fn lacks(&self, broker: BrokerId) -> bool {
        self.replicas.contains(&broker) && !self.isr.contains(&broker)
    }

    /// Begins to move to a target list, as Kafka's `PartitionReassignmentReplicas` does.
    pub(super) fn begin_move(&mut self, target: &Replicas) {
        self.adding = target.iter().copied().filter(|b| !self.replicas.contains(b)).collect();
        self.removing = self.replicas.iter().copied().filter(|b| !target.contains(b)).collect();
        self.removing.sort_unstable();
        self.replicas = target.iter().chain(&self.removing).copied().collect();
        self.move_number += 1;
        self.order_isr();
    }

    /// What the ISR would be once the removing ones are gone: target replicas that are in sync or, being added
    /// and live, have caught up by then.
    fn isr_after_move(&self, live: &Live) -> Replicas {
        let stays = |b: &BrokerId| !self.removing.contains(b);
        let in_sync = |b: &BrokerId| self.isr.contains(b) || (self.adding.contains(b) && live.has(*b));
        self.replicas.iter().copied().filter(|b| stays(b) && in_sync(b)).collect()
    }

    /// Can the move be completed: is there somebody to copy from, and a live replica that stays in sync?
    pub(super) fn can_complete_move(&self, live: &Live) -> bool {
        self.leader.is_some() && self.isr_after_move(live).iter().any(|b| live.has(*b))
    }

    /// Completes the move: the target list is all there is. The leader is chosen again if it goes.
    pub(super) fn complete_move(&mut self, live: &Live) {
        self.isr = self.isr_after_move(live);
        let removing = std::mem::take(&mut self.removing);
        self.adding.clear();
        self.replicas.retain(|b| !removing.contains(b));
        if self.leader.is_none_or(|leader| removing.contains(&leader)) {
            self.elect(live);
        }
    }

    /// Is a reassignment under way?
    pub(super) fn is_moving(&self) -> bool {
        !self.adding.is_empty() || !self.removing.is_empty()
    }

    fn order_isr(&mut self) {
        let isr = std::mem::take(&mut self.isr);
        self.isr = self.replicas.iter().copied().filter(|b| isr.contains(b)).collect();
    }

    /// Its full registration, as a delta carries it.
    pub(super) fn registration(&self, partition: u32) -> PartitionChange {
        PartitionChange {
            partition,
            replicas: self.replicas.clone(),
            isr: self.isr.clone(),
            leader: self.leader,
            adding: self.adding.clone(),
            removing: self.removing.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(ids: &[u32]) -> Replicas {
        ids.iter().copied().map(BrokerId).collect()
    }

    fn live(ids: &[u32]) -> Live {
        let mut live = Live::default();
        ids.iter().for_each(|id| live.set(BrokerId(*id), true));
        live
    }

    #[test]
    fn a_leader_that_stops_is_followed_by_the_first_live_in_sync_replica() {
        let mut p = Partition::new(list(&[2, 0, 1]), &live(&[0, 1, 2]));
        assert_eq!(p.leader, Some(BrokerId(2)));
        assert!(p.stop(BrokerId(2), &live(&[0, 1])));
        assert_eq!((p.leader, p.isr.clone()), (Some(BrokerId(0)), list(&[0, 1])));
        assert!(p.stop(BrokerId(1), &live(&[0])));
        assert!(p.stop(BrokerId(0), &live(&[])));
        assert_eq!((p.leader, p.isr.clone()), (None, list(&[0])), "the last one stays in the ISR");
        assert!(!p.stop(BrokerId(1), &live(&[])));
        p.expand(BrokerId(2));
        assert_eq!(p.isr, list(&[2, 0]), "in the order of the list");
    }

    #[test]
    fn a_move_lists_the_target_first_and_then_what_goes() {
        let all = live(&[0, 1, 2, 3, 4]);
        let mut p = Partition::new(list(&[4, 0, 1]), &all);
        p.begin_move(&list(&[1, 2, 3]));
        assert_eq!(p.replicas, list(&[1, 2, 3, 0, 4]));
        assert_eq!((p.adding.clone(), p.removing.clone()), (list(&[2, 3]), list(&[0, 4])));
        assert_eq!((p.isr.clone(), p.leader), (list(&[1, 0, 4]), Some(BrokerId(4))));
        p.complete_move(&all);
        assert_eq!((p.replicas.clone(), p.isr.clone()), (list(&[1, 2, 3]), list(&[1, 2, 3])));
        assert_eq!((p.leader, p.is_moving()), (Some(BrokerId(1)), false));
    }

    #[test]
    fn a_move_to_nobody_live_cannot_be_completed() {
        let mut p = Partition::new(list(&[0]), &live(&[0, 1]));
        p.begin_move(&list(&[1]));
        assert!(p.can_complete_move(&live(&[0, 1])));
        assert!(!p.can_complete_move(&live(&[0])));
    }
}
