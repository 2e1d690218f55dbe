//! What the lanes come to when all groups are over.

use std::sync::Arc;

use crate::coordinator::{ByType, Holders, RecordType, member_record};
use crate::kafka::{MemberId, TopicId, heap as java_heap};
use crate::metrics::{Books, GroupOutcome, HeapMoment, LaneLog, LaneOutcome, Outcome, Reading};
use crate::strategy::cpu_model_ns;
use crate::world::Happening;

use super::super::finish::{SNAPSHOT_INTERVAL, close};
use super::super::lane::Stage;
use super::Run;
use super::courses::GONE;
use super::lane::{Ground, SteadyLane};
use super::peaks::Peaks;
use super::shards::Shard;

/// What all lanes have alike.
pub(super) struct Alike {
    outcome: Outcome,
    /// Members' records, all live; and how many there are by shard.
    members: (ByType, Vec<u64>),
}

impl Run<'_> {
    /// What all lanes have alike.
    pub(super) fn alike(&self) -> Alike {
        Alike { outcome: self.shared(), members: self.members() }
    }

    fn shared(&self) -> Outcome {
        let Ground { stage: Stage { history, heartbeats, readings, .. }, options, .. } = self.ground;
        let (accepted, refused) = heartbeats.count(options.warmup, history.duration);
        let mut watched = vec![false; history.names.topics.len()];
        self.shards.iter().flat_map(|shard| &shard.watched).for_each(|topic| watched[topic.index()] = true);
        let counted = history.deltas.iter().zip(&readings.deltas).filter(|(arrival, _)| arrival.at >= options.warmup);
        let changed = counted.flat_map(|(_, facts)| &facts.changed);
        let loads =
            history.events.iter().filter(|event| event.at >= options.warmup).filter_map(|event| match event.what {
                Happening::ShardUp { load, .. } => Some(load.0),
                _ => None,
            });
        Outcome {
            groups: history.groups.len() as u64,
            members: history.members.len() as u64,
            heartbeats: accepted,
            heartbeats_refused: refused,
            invalidations: changed.filter(|c| !c.cluster_only && watched[c.topic.index()]).count() as u64,
            load_ms_max: loads.max().unwrap_or(0),
            groups_end: history.groups.len() as u64,
            groups_empty_end: history.groups.iter().filter(|group| group.members == 0).count() as u64,
            ..Outcome::default()
        }
    }

    fn members(&self) -> (ByType, Vec<u64>) {
        let history = self.ground.stage.history;
        let (mut live, mut by_shard) = (ByType::default(), vec![0; history.shards.len()]);
        for (place, member) in history.members.iter().enumerate().filter(|(_, member)| member.standing) {
            by_shard[history.groups[member.group.index()].shard.index()] += 1;
            live.put(RecordType::MemberMetadata, member_record(history, MemberId::at(place), member.subscription), 0);
        }
        (live, by_shard)
    }

    /// Of one lane of a kin, whose books it has.
    pub(super) fn outcome(
        &self,
        marking: usize,
        mut books: Books,
        groups: &Arc<Vec<GroupOutcome>>,
        lane: SteadyLane,
        peaks: &Peaks,
        alike: &Alike,
    ) -> LaneOutcome {
        let (members, members_by_shard) = &alike.members;
        books.add_costs(&lane.costs);
        books.add_refreshes(&self.lanes.refreshes[marking]);
        let steps = if lane.caches { self.cache_steps[marking].as_slice() } else { &[] };
        let mut outcome = Outcome {
            heap_bytes_final: peaks.last.total(),
            heap_bytes_peak: peaks.peak.total(),
            ..alike.outcome.clone()
        };
        books.fill(&mut outcome);
        outcome.cpu_model_ns = cpu_model_ns(books.work(), outcome.refreshes);
        let after_failover = Holders {
            index: peaks.last.index,
            cache: if lane.caches { self.caches_after_failover() } else { 0 },
            ..lane.after_failover
        };
        let during_load = |interval: u64| {
            let records = lane.records.iter().zip(members_by_shard).map(|(own, members)| (own + members).min(interval));
            let snapshot = java_heap::TIMELINE_ENTRY * records.sum::<u64>();
            Holders { cache: 0, snapshot, ..after_failover }
        };
        let heap = vec![
            (HeapMoment::Start, *lane.heap.start()),
            (HeapMoment::Final, peaks.last),
            (HeapMoment::Peak, peaks.peak),
            (HeapMoment::Transient, peaks.transient(&lane.heap, steps)),
            (HeapMoment::AfterFailover, after_failover),
            (HeapMoment::Load, during_load(SNAPSHOT_INTERVAL)),
            (HeapMoment::LoadWithoutSnapshots, during_load(u64::MAX)),
        ];
        let mut live = lane.live;
        live.add(members);
        let log = LaneLog { appended: books.log().by_type, live };
        let own = LaneOutcome { outcome, groups: Arc::clone(groups), heap, log, ..LaneOutcome::default() };
        let mut outcome = close(books, self.ground.stage.history.duration, own);
        for (bump, hash) in outcome.bumps.iter_mut().zip(lane.hashes.into_list().0) {
            bump.hash = Some(hash);
        }
        outcome
    }

    /// What the caches hold once every group has looked after a load.
    fn caches_after_failover(&self) -> u64 {
        let courses = self.ground.courses;
        let truth = courses.values(Reading::TRUTH);
        let exists = |topic: &&TopicId| truth.at(courses.of(**topic).1 - 1) != GONE;
        let of_shard = |shard: &Shard| java_heap::hash_cache(shard.watched.iter().filter(exists).count() as u64);
        self.shards.iter().map(of_shard).sum()
    }
}
