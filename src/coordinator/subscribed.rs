//! Which members are in their groups in one lane, and with which subscription. Most stand from time 0 on and stay, so only
//! what has become otherwise is kept.

use rustc_hash::FxHashMap;

use crate::kafka::{MemberId, SubscriptionId};
use crate::world::History;

/// By member: its subscription, if it is in its group.
pub(super) struct Subscribed<'a> {
    history: &'a History,
    /// Of whom time 0 does not hold any more. Looked up only, never walked: its order reaches nothing.
    changed: FxHashMap<MemberId, Option<SubscriptionId>>,
}

impl<'a> Subscribed<'a> {
    /// Whoever stands.
    pub(super) fn new(history: &'a History) -> Subscribed<'a> {
        Subscribed { history, changed: FxHashMap::default() }
    }

    /// A member's subscription, if it is in its group.
    pub(super) fn of(&self, member: MemberId) -> Option<SubscriptionId> {
        if let Some(changed) = self.changed.get(&member) {
            return *changed;
        }
        let spec = &self.history.members[member.index()];
        let stands = spec.standing && self.history.groups[spec.group.index()].stands;
        stands.then_some(spec.subscription)
    }

    /// From here on it is this; `None`: it is not in its group.
    pub(super) fn set(&mut self, member: MemberId, subscription: Option<SubscriptionId>) {
        self.changed.insert(member, subscription);
    }

    /// All who are in their groups, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (MemberId, SubscriptionId)> {
        let all = (0..self.history.members.len()).map(MemberId::at);
        all.filter_map(|member| Some((member, self.of(member)?)))
    }
}
