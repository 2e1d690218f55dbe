//! What operations of groups did, on its way from the coordinator to the judge and into the books.

use crate::coordinator::{Due, Recomputed, Renewal};
use crate::kafka::{GroupId, GroupKind, MemberId};
use crate::metrics::Rebalance;
use crate::sim::Ms;

use super::lane::Lane;
use super::sight::Sight;

/// What an operation of a group did.
pub(super) struct Deed {
    pub(super) group: GroupId,
    pub(super) at: Ms,
    pub(super) member: Option<MemberId>,
    pub(super) due: Option<Due>,
    pub(super) recomputed: Option<Recomputed>,
    pub(super) renewal: Option<Renewal>,
}

impl Lane<'_> {
    /// What an operation did goes into the books.
    pub(super) fn book(&mut self, deed: Deed) {
        let Deed { group, at, member, due, recomputed, renewal } = deed;
        if let Some(Recomputed { due, failed, work }) = recomputed {
            self.judge.books.recomputed(at, 1, due, failed, &work);
        }
        self.note_appended(at);
        self.coordinator.note_peak();
        let coordinator = &self.coordinator;
        let image = coordinator.image_no;
        let runs = coordinator.runs(group);
        let topics = &coordinator.group(group).topics;
        let read_from = coordinator.read_from(group);
        if self.watch.group == Some(group) {
            let read = topics.iter().map(|t| (*t, read_from(*t))).collect();
            self.watch.sights.push(Sight { at, member, due, image, read, recomputed, renewal });
        }
        let Some(renewal) = renewal else { return };
        let Renewal { epoch, membership, trigger, hash, .. } = renewal;
        // a share group rebalances for reasons of its own, too
        let own = coordinator.kind(group) == GroupKind::Share && !renewal.differs && !renewal.from_absent;
        let spurious = if membership || own || self.judge.is_open(group) {
            (false, trigger)
        } else {
            self.catch_up.why(group, runs, topics, image, read_from, &renewal)
        };
        if renewal.unread {
            self.catch_up.on_unread(group, runs, topics, image);
        } else {
            self.catch_up.on_bump(group, runs, topics, image, self.caches[runs], read_from);
        }
        let for_nothing = !membership && !self.judge.is_open(group);
        let bump = self.judge.on_bump(&Rebalance { at, group, epoch, membership, trigger, spurious, hash, told: None });
        if renewal.initialised {
            self.judge.books.initialised(at);
        }
        self.assign_bump(&bump, for_nothing);
    }

    /// What has been appended at `at` goes into the books. Where there is no warm-up, its bytes do, and the long list
    /// by type of record is told at the end, all at once.
    pub(super) fn note_appended(&mut self, at: Ms) {
        let bytes = self.coordinator.appended.bytes;
        if bytes == self.appended_bytes {
            return;
        }
        if self.options.warmup == Ms::ZERO {
            self.judge.books.appended_bytes(at, bytes - self.appended_bytes);
            self.appended_bytes = bytes;
        } else {
            let appended = std::mem::take(&mut self.coordinator.appended);
            self.judge.books.appended(at, &appended);
        }
    }
}
