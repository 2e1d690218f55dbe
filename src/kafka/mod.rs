//! Kafka's nouns: ids, the metadata image and its deltas, groups' subscriptions. Knows only [`crate::sim`].

mod delta;
mod group;
pub mod hash;
pub mod heap;
mod ids;
mod image;
pub mod java;
mod kind;
mod names;
pub mod record;

pub use delta::{BrokerChange, BrokerEvent, EntryIndex, MetadataDelta, PartitionChange, TopicChange, TopicEvent};
pub use group::{Pattern, Subscription};
pub use ids::{BrokerId, GroupId, MemberId, PatternId, RackId, ShardId, SubscriptionId, TopicId, Uuid, Version};
pub use image::{MetadataImage, Registration, Replicas, TopicImage};
pub use kind::GroupKind;
pub use names::{JavaName, NameTable};
