//! What comes to a lane's coordinator from outside: deltas of the metadata, and shards that stop answering and come
//! back.

use crate::kafka::{GroupId, MetadataDelta, ShardId};
use crate::sim::Ms;
use crate::strategy::ChangedTopic;
use crate::world::Origin;

use super::Due;
use super::core::Coordinator;

impl Coordinator<'_> {
    /// A delta arrives; `due` gets the groups that it marked or whose patterns must be resolved again.
    /// `entry_of` tells the entry behind each of `changed`.
    pub fn on_delta(
        &mut self,
        delta: &MetadataDelta,
        changed: &[ChangedTopic],
        entries: &[u32],
        creates: Option<u32>,
        due: &mut Vec<GroupId>,
    ) {
        self.image.apply(delta);
        self.image_no += 1;
        self.releases.on_delta(delta);
        for shard in &mut self.shards {
            let Some(strategy) = &mut shard.strategy else { continue };
            strategy.on_new_image(changed, &shard.index, &mut self.marked);
            for place in self.marked.drain(..) {
                let new = Due { by: Origin::Entry(entries[place]), image: self.image_no, load: false, seen: false };
                for group in shard.index.watchers(changed[place].topic) {
                    let noted = &mut self.dues[group.index()];
                    if note(noted, new) {
                        due.push(*group);
                    }
                }
            }
            if let Some(entry) = creates {
                shard.new_topics = (self.image_no, Origin::Entry(entry));
                due.extend(shard.groups.iter().filter(|g| self.groups[g.index()].patterns.is_some()));
            }
        }
        (0..self.shards.len()).for_each(|shard| self.reprice_cache(shard));
        if !self.share_groups.is_empty() {
            self.share_delta(changed, entries, due);
        }
    }

    /// A shard stops answering; what it did not log is lost.
    pub fn on_shard_down(&mut self, shard: ShardId) {
        let place = shard.index();
        let shard = &mut self.shards[place];
        shard.strategy = None;
        shard.compares = false;
        for group in &shard.groups {
            self.dues[group.index()] = None;
            let group = &mut self.groups[group.index()];
            group.share.iter_mut().for_each(|share| share.lose_requests());
            if let Some(patterns) = &mut group.patterns {
                patterns.in_flight = false;
            }
        }
        self.reprice_cache(place);
    }

    /// A shard is active again: its groups look again at their first heartbeat (if the strategy compares).
    pub fn on_shard_up(&mut self, shard: ShardId, by: Origin, at: Ms, due: &mut Vec<GroupId>) {
        let first = due.len();
        let place = shard.index();
        self.deploy(shard, at);
        let shard = &mut self.shards[place];
        let compares = shard.compares;
        shard.new_topics = (self.image_no, by);
        for id in &shard.groups {
            let group = &mut self.groups[id.index()];
            if group.exists {
                group.loaded = true;
                self.dues[id.index()] = compares.then_some(Due { by, image: self.image_no, load: true, seen: false });
                group.share.iter_mut().for_each(|share| share.loaded(by, at));
                due.push(*id);
            }
        }
        due[first..].iter().for_each(|id| self.reprice_group(*id));
        self.reprice_cache(place);
    }
}

/// A delta makes a group due that may be so already: of several topics in one delta the first entry has done it.
/// True if it was not.
fn note(due: &mut Option<Due>, new: Due) -> bool {
    match due {
        Some(old) if !old.seen => {
            if old.image == new.image && !old.load {
                old.by = old.by.min(new.by);
            }
            false
        }
        None | Some(_) => {
            *due = Some(new);
            true
        }
    }
}
