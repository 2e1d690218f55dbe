//! Counted mode: a topic's value is worked out once for each version of its content and shared by every group and
//! shard that comes upon it, instead of being built or hashed again each time. What is counted stays the same.

use std::cell::RefCell;
use std::ops::Deref;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::kafka::TopicId;
use crate::kafka::hash::{Hashed, RackLists};

use super::{UnregisteredReplica, Work};

/// Numbers of what topics hold, in a lane's own reading: equal ones for what it cannot tell apart.
pub trait Versions {
    /// The number of what a topic holds in an image ([`super::View::image_no`]).
    fn version(&self, topic: TopicId, image: u32) -> u32;
}

/// The values that one strategy has worked out so far.
pub struct Values<'a> {
    versions: &'a dyn Versions,
    racks: ByVersion<Rc<RackLists>>,
    hashes: ByVersion<Hashed>,
}

/// What is known of a topic's version.
type ByVersion<T> = RefCell<FxHashMap<(TopicId, u32), Known<T>>>;

/// The racks of a topic's partitions: built by one group for itself, or one list for all whose topic holds the same.
#[derive(Clone, Debug)]
pub enum SharedRacks {
    /// The group's own.
    Own(RackLists),
    /// Everybody's.
    Shared(Rc<RackLists>),
}

impl Deref for SharedRacks {
    type Target = RackLists;

    fn deref(&self) -> &RackLists {
        match self {
            SharedRacks::Own(racks) => racks,
            SharedRacks::Shared(racks) => racks,
        }
    }
}

impl PartialEq for SharedRacks {
    fn eq(&self, other: &SharedRacks) -> bool {
        match (self, other) {
            (SharedRacks::Shared(a), SharedRacks::Shared(b)) if Rc::ptr_eq(a, b) => true,
            _ => **self == **other,
        }
    }
}

impl Eq for SharedRacks {}

/// A value, and how many partitions' racks are read to make it.
#[derive(Clone, Copy)]
struct Known<T> {
    value: T,
    partitions_read: u64,
}

/// What works a value out, counting the racks that it reads.
type Make<'m, T> = &'m mut dyn FnMut(&mut Work) -> Result<T, UnregisteredReplica>;

impl<'a> Values<'a> {
    /// Nothing is known yet.
    #[must_use]
    pub fn new(versions: &'a dyn Versions) -> Values<'a> {
        Values { versions, racks: RefCell::default(), hashes: RefCell::default() }
    }

    /// The racks of a topic's partitions in an image; `make` is called where this version has none yet.
    pub(super) fn racks(
        &self,
        topic: TopicId,
        image: u32,
        work: &mut Work,
        make: Make<'_, Rc<RackLists>>,
    ) -> Result<Rc<RackLists>, UnregisteredReplica> {
        known(&self.racks, (topic, self.versions.version(topic, image)), work, make)
    }

    /// A topic's hash in an image, likewise.
    pub(super) fn hash(
        &self,
        topic: TopicId,
        image: u32,
        work: &mut Work,
        make: Make<'_, Hashed>,
    ) -> Result<Hashed, UnregisteredReplica> {
        known(&self.hashes, (topic, self.versions.version(topic, image)), work, make)
    }
}

fn known<T: Clone>(
    all: &ByVersion<T>,
    key: (TopicId, u32),
    work: &mut Work,
    make: Make<'_, T>,
) -> Result<T, UnregisteredReplica> {
    if let Some(known) = all.borrow().get(&key) {
        work.partitions_read += known.partitions_read;
        return Ok(known.value.clone());
    }
    let before = work.partitions_read;
    let value = make(work)?;
    let partitions_read = work.partitions_read - before;
    all.borrow_mut().insert(key, Known { value: value.clone(), partitions_read });
    Ok(value)
}
