//! The end of the clients' lane.

use std::sync::Arc;

use crate::coordinator::Holders;
use crate::kafka::{GroupId, TopicId};
use crate::metrics::{Counts, GroupOutcome, HeapMoment, LaneOutcome, Outcome};

use super::super::finish::close;
use super::lane::ClassicLane;
use super::views::GONE;

impl ClassicLane<'_> {
    pub(super) fn outcome(self) -> LaneOutcome {
        let history = self.stage.history;
        let here = |group: GroupId| self.members(group).filter(|m| self.client(*m).here).count();
        let known: Vec<GroupId> =
            (0..history.groups.len()).map(GroupId::at).filter(|g| self.rooms[g.index()].exists).collect();
        let (accepted, refused) = self.stage.heartbeats.count(self.options.warmup, history.duration);
        let mut outcome = Outcome {
            groups: history.groups.len() as u64,
            members: history.members.len() as u64,
            heartbeats: accepted,
            heartbeats_refused: refused,
            load_ms_max: self.load_ms_max,
            groups_end: known.len() as u64,
            groups_empty_end: known.iter().filter(|g| here(**g) == 0).count() as u64,
            ..Outcome::default()
        };
        self.judge.books.fill(&mut outcome);
        let groups = (0..history.groups.len()).map(GroupId::at).map(|group| {
            let there = |t: &&TopicId| self.views.at(**t, self.image, false) != GONE;
            let mut row = GroupOutcome {
                group,
                shard: history.groups[group.index()].shard.0,
                members: u32::try_from(here(group)).expect("members fit 32 bits"),
                topics: u32::try_from(self.union(group).iter().filter(there).count()).expect("topics fit 32 bits"),
                epoch: self.rooms[group.index()].epoch,
                counts: Counts::default(),
                first: None,
                last: None,
                main_cause: None,
                kind: history.groups[group.index()].kind,
            };
            self.judge.books.fill_group(&mut row);
            row
        });
        let groups = Arc::new(groups.collect());
        // its coordinator keeps nothing of topics, and writes no subscription metadata
        let heap = HeapMoment::ALL.map(|moment| (moment, Holders::default())).to_vec();
        close(
            self.judge.books,
            self.stage.history.duration,
            LaneOutcome { outcome, groups, heap, ..LaneOutcome::default() },
        )
    }
}
