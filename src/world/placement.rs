//! Where replicas go: racks in turn from a drawn start, as Kafka's `StripedReplicaPlacer` balances them. The
//! first replica is always on a broker that serves; fenced ones take others only where a rack has no better.

use std::collections::BTreeMap;

use crate::kafka::{BrokerId, RackId, Replicas};
use crate::sim::Stream;

/// Brokers of one kind in one rack, taken in turn; each at most once for a partition.
#[derive(Clone, Debug, Default)]
struct Turn {
    brokers: Vec<BrokerId>,
    epoch: usize,
    index: usize,
    offset: usize,
}

impl Turn {
    fn start(&mut self, stream: &mut Stream) {
        if !self.brokers.is_empty() {
            self.offset = stream.index(self.brokers.len());
        }
    }

    fn next(&mut self, epoch: usize) -> Option<BrokerId> {
        let n = self.brokers.len();
        if n == 0 {
            return None;
        }
        if self.epoch != epoch {
            (self.epoch, self.index, self.offset) = (epoch, 0, (self.offset + 1) % n);
        }
        if self.index >= n {
            return None;
        }
        self.index += 1;
        Some(self.brokers[(self.index - 1 + self.offset) % n])
    }
}

/// The brokers of one rack.
#[derive(Clone, Debug, Default)]
struct RackTurns {
    serving: Turn,
    fenced: Turn,
}

/// Places partition after partition.
pub(super) struct Placer {
    racks: Vec<RackTurns>,
    serving: usize,
    registered: usize,
    epoch: usize,
    offset: usize,
    stream: Stream,
}

/// A broker that may hold replicas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Site {
    pub(super) broker: BrokerId,
    pub(super) rack: Option<RackId>,
    pub(super) serving: bool,
}

impl Placer {
    /// Over these brokers, in order of id. Those without a rack make up one of their own.
    pub(super) fn new(sites: impl IntoIterator<Item = Site>, mut stream: Stream) -> Placer {
        let mut by_rack: BTreeMap<(bool, Option<RackId>), RackTurns> = BTreeMap::new();
        let (mut serving, mut registered) = (0, 0);
        for site in sites {
            let rack = by_rack.entry((site.rack.is_none(), site.rack)).or_default();
            let turn = if site.serving { &mut rack.serving } else { &mut rack.fenced };
            turn.brokers.push(site.broker);
            registered += 1;
            serving += usize::from(site.serving);
        }
        let mut racks: Vec<RackTurns> = by_rack.into_values().collect();
        for rack in &mut racks {
            rack.serving.start(&mut stream);
            rack.fenced.start(&mut stream);
        }
        let offset = if racks.is_empty() { 0 } else { stream.index(racks.len()) };
        Placer { racks, serving, registered, epoch: 0, offset, stream }
    }

    /// Why so many replicas cannot be placed.
    pub(super) fn objection(&self, rf: u32) -> Option<String> {
        if rf == 0 {
            Some("needs at least one replica".to_owned())
        } else if self.serving == 0 {
            Some("finds no broker that serves".to_owned())
        } else if (rf as usize) > self.registered {
            Some(format!("needs {rf} replicas, and only {} brokers are registered", self.registered))
        } else {
            None
        }
    }

    /// Replicas of the next partition. There must be no [`Placer::objection`].
    pub(super) fn place(&mut self, rf: u32) -> Replicas {
        assert!(self.objection(rf).is_none(), "asked to place {rf} replicas on {} brokers", self.registered);
        self.turn_over();
        let racks = self.racks.len();
        let mut replicas = Replicas::new();
        let mut first = self.offset;
        loop {
            replicas.extend(self.racks[first % racks].serving.next(self.epoch));
            if !replicas.is_empty() {
                break;
            }
            first += 1;
        }
        // racks that were passed by since nobody serves there can take the others
        for at in (self.offset..).filter(|at| *at != first) {
            if replicas.len() == rf as usize {
                break;
            }
            let rack = &mut self.racks[at % racks];
            replicas.extend(rack.serving.next(self.epoch).or_else(|| rack.fenced.next(self.epoch)));
        }
        self.epoch += 1;
        self.offset += 1;
        replicas
    }

    /// `replicas` with more of them, until there are `rf`: each on the rack that has fewest of this partition,
    /// racks in turn among equals; `None` if the brokers do not suffice.
    pub(super) fn extend(&mut self, replicas: &Replicas, rf: u32) -> Option<Replicas> {
        let racks = self.racks.len();
        let mut list = replicas.clone();
        while list.len() < rf as usize {
            let choice = (0..racks).map(|i| (i + self.offset) % racks).filter_map(|rack| {
                let turns = &self.racks[rack];
                let all = || turns.serving.brokers.iter().chain(&turns.fenced.brokers);
                let used = all().filter(|b| list.contains(b)).count();
                let n = turns.serving.brokers.len();
                let serving = (0..n).map(|i| turns.serving.brokers[(i + turns.serving.offset + self.epoch) % n]);
                let new = serving.chain(turns.fenced.brokers.iter().copied()).find(|b| !list.contains(b))?;
                Some((used, new))
            });
            // the first of several equals, since they come in turn
            let (_, broker) = choice.min_by_key(|(used, _)| *used)?;
            list.push(broker);
        }
        self.epoch += 1;
        self.offset = (self.offset + 1) % racks.max(1);
        Some(list)
    }

    /// After as many partitions as brokers serve the turns would repeat: everything is put into a new order.
    fn turn_over(&mut self) {
        if self.epoch > 0 && self.epoch.is_multiple_of(self.serving) {
            self.stream.shuffle(&mut self.racks);
            for rack in &mut self.racks {
                self.stream.shuffle(&mut rack.serving.brokers);
                self.stream.shuffle(&mut rack.fenced.brokers);
            }
        }
        if self.offset >= self.racks.len() {
            self.offset = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::sim::Chance;

    fn sites(racks: &[Option<u32>]) -> Vec<Site> {
        let site = |(i, r): (usize, &Option<u32>)| Site { broker: BrokerId::at(i), rack: r.map(RackId), serving: true };
        racks.iter().enumerate().map(site).collect()
    }

    fn placer(sites: &[Site], topic: &str) -> Placer {
        Placer::new(sites.iter().copied(), Chance::new(1, 1).stream("placement", topic))
    }

    #[test]
    fn replicas_are_distinct_and_cover_as_many_racks_as_there_are() {
        let all = [vec![0, 1, 2, 0, 1, 2], vec![0, 0, 9, 1], vec![0], vec![0, 1], vec![0, 1, 2, 3, 4], vec![9, 9, 9]];
        for racks in all.map(|r| r.into_iter().map(|r| (r != 9).then_some(r)).collect::<Vec<Option<u32>>>()) {
            let sites = sites(&racks);
            let rack_of = |b: &BrokerId| sites[b.index()].rack;
            let there: BTreeSet<_> = racks.iter().collect();
            for rf in 1..=u32::try_from(sites.len()).unwrap() {
                let mut placer = placer(&sites, "t");
                for _ in 0..100 {
                    let list = placer.place(rf);
                    assert_eq!(BTreeSet::from_iter(&list).len(), rf as usize);
                    let covered: BTreeSet<_> = list.iter().map(rack_of).collect();
                    assert_eq!(covered.len(), there.len().min(rf as usize), "{list:?}");
                }
            }
        }
    }

    #[test]
    fn leaders_and_replicas_of_many_topics_spread_evenly() {
        let sites = sites(&[0, 1, 2, 0, 1, 2, 0, 1, 2].map(Some));
        let (mut leads, mut holds) = ([0u32; 9], [0u32; 9]);
        for topic in 0..600 {
            let mut placer = placer(&sites, &format!("t-{topic}"));
            for _ in 0..12 {
                let list = placer.place(3);
                leads[list[0].index()] += 1;
                list.iter().for_each(|b| holds[b.index()] += 1);
            }
        }
        // the turns of racks and of brokers in a rack go together, so a topic leans on some brokers: deviation 35
        assert!(leads.iter().all(|n| n.abs_diff(800) < 180), "{leads:?}");
        assert!(holds.iter().all(|n| n.abs_diff(2400) < 60), "{holds:?}");
    }

    #[test]
    fn a_fenced_broker_never_comes_first() {
        let mut sites = sites(&[Some(0), Some(1), Some(2)]);
        sites[1].serving = false;
        let mut placer = placer(&sites, "t");
        for _ in 0..50 {
            let list = placer.place(3);
            assert_ne!(list[0], BrokerId(1));
            assert!(list.contains(&BrokerId(1)));
        }
        assert!(placer.objection(4).is_some());
    }

    #[test]
    fn a_replica_more_goes_to_a_rack_that_has_none_yet() {
        let sites = sites(&[0, 1, 2, 0, 1, 2].map(Some));
        let mut placer = placer(&sites, "t");
        let mut added = BTreeSet::new();
        for _ in 0..6 {
            let list = placer.extend(&Replicas::from_slice(&[BrokerId(0), BrokerId(4)]), 3).unwrap();
            added.insert(list[2]);
        }
        assert_eq!(Vec::from_iter(added), [BrokerId(2), BrokerId(5)]);
        assert_eq!(placer.extend(&Replicas::from_slice(&[BrokerId(0)]), 7), None);
    }
}
