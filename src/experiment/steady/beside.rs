//! The second way through groups: those that can have the moment at which most is held within a look.

use super::super::lane::GoOn;
use super::calendar::EventNo;
use super::fills::look_key;
use super::kin::Kin;
use super::lane::Ground;
use super::path::{Look, Path, Visitor};
use super::peaks::Peaks;
use super::{Lanes, Run};

impl Run<'_> {
    /// Looks again at the groups that may have the moment at which most is held.
    pub(super) fn beside(&mut self, peaks: &mut [Peaks], go_on: GoOn<'_>) -> Option<()> {
        let likely: Vec<Vec<usize>> = peaks.iter().map(Peaks::likely).collect();
        let kins = &self.lanes.kins;
        let of_lane =
            (0..).zip(kins).flat_map(|(kin, of)| of.lanes.iter().zip(0..).map(move |(l, no)| (l.place, kin, no)));
        let mut at: Vec<(usize, usize, usize)> = of_lane.collect();
        at.sort_unstable();
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
                if lanes.iter().any(|lane| self.lanes.kins[at[*lane].1].caches) {
                    self.fill_again(shard);
                }
                for place in 0..self.shards[shard].groups.len() {
                    let group = self.shards[shard].groups[place];
                    let lanes = lanes.iter().copied();
                    let lanes = lanes.filter(|lane| wanted(*lane, group.index(), peaks)).map(|lane| at[lane]);
                    let chosen: Vec<(usize, usize, usize)> = lanes.collect();
                    if !chosen.is_empty() {
                        walker.stand(&mut path, group);
                        let mut beside = Beside { ground: self.ground, lanes: &mut self.lanes, chosen, peaks };
                        beside.stand(&path);
                        walker.walk(&mut path, &mut beside);
                    }
                }
            }
        }
        Some(())
    }
}

/// Walks a group again for what stands beside what is held.
struct Beside<'w, 'a> {
    ground: Ground<'a>,
    lanes: &'w mut Lanes<'a>,
    /// Lanes: their places among all, their kin, and their places in it.
    chosen: Vec<(usize, usize, usize)>,
    peaks: &'w mut [Peaks],
}

impl<'a> Beside<'_, 'a> {
    fn stand(&mut self, path: &Path) {
        for no in 0..self.lanes.kins.len() {
            let Kin { stand, tariffs, lanes, .. } = &mut self.lanes.kins[no];
            stand.start(path, tariffs);
            for &(_, _, lane) in self.chosen.iter().filter(|(_, kin, _)| *kin == no) {
                lanes[lane].restand(self.ground, path, stand);
            }
        }
    }
}

impl Visitor for Beside<'_, '_> {
    fn loaded(&mut self, _path: &Path, _event: EventNo) {
        for &(_, kin, lane) in &self.chosen {
            self.lanes.kins[kin].lanes[lane].loads();
        }
    }

    fn look(&mut self, path: &Path, marking: usize, look: &Look<'_>) {
        for no in 0..self.lanes.kins.len() {
            let chosen = self.chosen.iter().filter(|(_, kin, _)| *kin == no);
            if self.lanes.kins[no].marking != marking || chosen.clone().next().is_none() {
                continue;
            }
            let Kin { stand, tariffs, lanes, caches, .. } = &mut self.lanes.kins[no];
            let fills = self.lanes.fills[marking].as_ref().filter(|_| *caches);
            let differs = stand.look(path, look, tariffs, fills);
            if differs {
                stand.store(path);
            }
            let key = look_key(look.at, path.group);
            for &(place, _, lane) in chosen {
                let lane = &mut lanes[lane];
                self.peaks[place].look(key, look.event, &lane.built());
                lane.reprice(path, stand, 0);
                if differs {
                    lane.store(self.ground, path, stand);
                    self.peaks[place].look(key, look.event, &lane.holds());
                }
            }
        }
    }
}
