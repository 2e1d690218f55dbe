//! `group-hash-uncached`, draft 000's third strategy: one hash per group as in [`GroupHash`], but every
//! subscribed topic is hashed again at every refresh. Dearest in CPU, and never stale.

use crate::scenario::{Cache, Switches};

use super::group_hash::GroupHash;

/// The same strategy without its cache, whatever `cache:` says.
pub(super) fn group_hash_uncached(switches: &Switches) -> GroupHash {
    GroupHash::new(&Switches { cache: Cache::None, ..*switches })
}
