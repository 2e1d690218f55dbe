//! The second way through groups: those that can have the moment at which most is held within a look.

use super::super::lane::GoOn;
use super::calendar::EventNo;
use super::fills::look_key;
use super::path::{Look, Path, Visitor};
use super::peaks::Peaks;
use super::{Lanes, Run};

impl Run<'_> {
    /// Looks again at the groups that may have the moment at which most is held.
    pub(super) fn beside(&mut self, peaks: &mut [Peaks], go_on: GoOn<'_>) -> Option<()> {
        let likely: Vec<Vec<usize>> = peaks.iter().map(Peaks::likely).collect();
        let (mut walker, mut path) = (self.walker(), Path::default());
        for first in [true, false] {
            for shard in 0..self.shards.len() {
                if !go_on(self.ground.stage.history.duration) {
                    return None;
                }
                let wanted = |lane: usize, group: usize, peaks: &[Peaks]| {
                    peaks[lane].is_candidate(group) && likely[lane].contains(&group) == first
                };
                let groups = &self.shards[shard].groups;
                let any = |lane: usize| groups.iter().any(|group| wanted(lane, group.index(), peaks));
                let lanes: Vec<usize> = (0..peaks.len()).filter(|lane| any(*lane)).collect();
                if lanes.iter().any(|lane| self.lanes.lanes[*lane].caches) {
                    self.fill(shard, &mut walker, &mut path);
                }
                for place in 0..self.shards[shard].groups.len() {
                    let group = self.shards[shard].groups[place];
                    let lanes = lanes.iter().copied();
                    let lanes: Vec<usize> = lanes.filter(|lane| wanted(*lane, group.index(), peaks)).collect();
                    if !lanes.is_empty() {
                        walker.stand(&mut path, group);
                        let names = self.ground.stage.names;
                        for &lane in &lanes {
                            let lane = &mut self.lanes.lanes[lane];
                            lane.stand.start(&path, &lane.prices, names);
                        }
                        walker.walk(&mut path, &mut Beside { lanes: &mut self.lanes, chosen: &lanes, peaks, names });
                    }
                }
            }
        }
        Some(())
    }
}

/// Walks a group again for what stands beside what is held.
struct Beside<'w, 'a> {
    lanes: &'w mut Lanes<'a>,
    chosen: &'w [usize],
    peaks: &'w mut [Peaks],
    names: &'w crate::kafka::NameTable,
}

impl Visitor for Beside<'_, '_> {
    fn loaded(&mut self, _path: &Path, _event: EventNo) {
        self.chosen.iter().for_each(|lane| self.lanes.lanes[*lane].stand.loaded = true);
    }

    fn look(&mut self, path: &Path, marking: usize, look: &Look<'_>) {
        for &place in self.chosen {
            let lane = &mut self.lanes.lanes[place];
            if lane.marking != marking {
                continue;
            }
            let fills = self.lanes.fills[marking].as_ref().filter(|_| lane.caches);
            let built = lane.stand.built();
            let key = look_key(look.at, path.group);
            let found = lane.stand.look(path, look, &mut lane.prices, fills);
            self.peaks[place].look(key, look.event, &built);
            if found.differs {
                lane.stand.store(path, &lane.prices, self.names);
                self.peaks[place].look(key, look.event, &lane.stand.holds());
            }
        }
    }
}
