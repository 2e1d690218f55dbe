//! The end of a lane: what its books, its coordinator and the arithmetic of heartbeats come to.

use std::sync::Arc;

use crate::kafka::{GroupId, TopicId};
use crate::metrics::{Books, Counts, GroupOutcome, HeapMoment, LaneLog, LaneOutcome, Outcome};
use crate::sim::Ms;

use crate::strategy::cpu_model_ns;

use super::lane::Lane;

/// Records between two snapshots of a load (KAFKA-19716).
pub(super) const SNAPSHOT_INTERVAL: u64 = 16_384;

impl Lane<'_> {
    pub(super) fn outcome(self) -> LaneOutcome {
        let Lane { stage, options, coordinator, judge, tally, assigned, .. } = self;
        let history = stage.history;
        let books = judge.books;
        let (accepted, refused) = stage.heartbeats.count(options.warmup, history.duration);
        if options.exhaustive {
            let operations = stage.heartbeats.operations(options.warmup, history.duration);
            assert_eq!(
                (tally.walked + operations.0, tally.refused + operations.1),
                (accepted, refused),
                "the walk and the arithmetic must count the same heartbeats"
            );
        }
        let (groups_end, groups_empty_end) = coordinator.known_groups();
        let mut outcome = Outcome {
            groups: history.groups.len() as u64,
            members: history.members.len() as u64,
            heartbeats: accepted,
            heartbeats_refused: refused,
            invalidations: tally.invalidations,
            pattern_refreshes: tally.pattern_refreshes,
            pattern_matches: tally.pattern_matches,
            load_ms_max: tally.load_ms_max,
            groups_end,
            groups_empty_end,
            assigned: assigned.as_ref().map(|assigned| assigned.totals),
            heap_bytes_final: coordinator.heap().now.total(),
            heap_bytes_peak: coordinator.heap().peak.total(),
            ..Outcome::default()
        };
        books.fill(&mut outcome);
        outcome.cpu_model_ns = cpu_model_ns(books.work(), outcome.refreshes);
        let groups = (0..history.groups.len()).map(GroupId::at).map(|id| {
            let group = coordinator.group(id);
            let exists = |t: &&TopicId| coordinator.image.topic(**t).is_some();
            let mut row = GroupOutcome {
                group: id,
                shard: coordinator.shard_of(id).0,
                members: group.subscribers.members(),
                topics: u32::try_from(group.topics.iter().filter(exists).count()).expect("topics fit 32 bits"),
                epoch: group.epoch,
                counts: Counts::default(),
                first: None,
                last: None,
                main_cause: None,
                kind: coordinator.kind(id),
            };
            books.fill_group(&mut row);
            row
        });
        let groups = Arc::new(groups.collect());
        let held = *coordinator.heap();
        let heap = vec![
            (HeapMoment::Start, held.start),
            (HeapMoment::Final, held.now),
            (HeapMoment::Peak, held.peak),
            (HeapMoment::Transient, held.transient),
            (HeapMoment::AfterFailover, coordinator.after_failover()),
            (HeapMoment::Load, coordinator.during_load(SNAPSHOT_INTERVAL)),
            (HeapMoment::LoadWithoutSnapshots, coordinator.during_load(u64::MAX)),
        ];
        let log = LaneLog { appended: books.log().by_type, live: coordinator.live_log() };
        let own =
            LaneOutcome { outcome, groups, heap, log, too_large: coordinator.too_large, ..LaneOutcome::default() };
        let own = LaneOutcome { assigned: assigned.unwrap_or_default(), ..own };
        close(books, history.duration, own)
    }
}

/// A lane's outcome, of which it knows its `own` side, with what its books hold. (Heartbeats by bucket are the same in
/// all lanes: the run fills them in.)
pub(super) fn close(mut books: Books, end: Ms, own: LaneOutcome) -> LaneOutcome {
    let delays = books.delays().binned();
    let causes = books.causes();
    let steps = std::mem::take(&mut books.steps).finish();
    let (buckets, bumps, missed, bumps_complete, strips) = books.into_lists(end);
    LaneOutcome { causes, buckets, bumps, bumps_complete, missed, delays, strips, steps, ..own }
}
