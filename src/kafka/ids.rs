//! Ids as newtypes over `u32`. Within a run they are dense, dealt in natural order of names (brokers
//! keep their own numbers), so that a vector indexed by one is a map in the order people expect.

use std::fmt;

macro_rules! dense_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// As an index into a vector by this id.
            #[must_use]
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// The id at an index.
            ///
            /// # Panics
            /// If there are more than 2^32 of them.
            #[must_use]
            pub fn at(index: usize) -> $name {
                $name(u32::try_from(index).expect("ids fit 32 bits"))
            }
        }
    };
}

dense_id!(
    /// A broker, by its own `node.id` (0 ..); a vector by it may have holes.
    BrokerId
);
dense_id!(
    /// A topic *name* of the run: all that ever exist and all that somebody subscribes to. A deleted and
    /// recreated topic keeps it; its [`Uuid`] changes.
    TopicId
);
dense_id!(
    /// A rack's name.
    RackId
);
dense_id!(
    /// A consumer group.
    GroupId
);
dense_id!(
    /// A member, dense over the whole run: ordered by group, then by the member's name in natural order.
    MemberId
);
dense_id!(
    /// A coordinator shard: one partition of `__consumer_offsets`.
    ShardId
);
dense_id!(
    /// A distinct subscription (names and pattern) that some member of the run has.
    SubscriptionId
);
dense_id!(
    /// A distinct pattern that some member of the run subscribes with.
    PatternId
);

/// A topic's id as Kafka draws it: 128 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Uuid {
    /// Most significant bits.
    pub msb: u64,
    /// Least significant bits.
    pub lsb: u64,
}

impl Uuid {
    /// An id as people have it: 22 letters of base64 as Kafka prints them, or 32 hexadecimal digits with or without
    /// dashes.
    #[must_use]
    pub fn read(text: &str) -> Option<Uuid> {
        let digits: String = text.chars().filter(|c| *c != '-').collect();
        let bits = if digits.len() == 32 && digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            u128::from_str_radix(&digits, 16).ok()?
        } else {
            base64(text.trim_end_matches('='))?
        };
        let half = |bits: u128| u64::try_from(bits & u128::from(u64::MAX)).expect("masked to 64 bits");
        Some(Uuid { msb: half(bits >> 64), lsb: half(bits) })
    }

    /// As one unsigned number.
    #[must_use]
    pub const fn as_u128(self) -> u128 {
        ((self.msb as u128) << 64) | self.lsb as u128
    }
}

/// 22 digits of six bits; the last four of them must be zero.
fn base64(text: &str) -> Option<u128> {
    if text.len() != 22 {
        return None;
    }
    let mut bits: u128 = 0;
    for (i, byte) in text.bytes().enumerate() {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'-' | b'+' => 62,
            b'_' | b'/' => 63,
            _ => return None,
        };
        if i < 21 {
            bits = (bits << 6) | u128::from(digit);
        } else if digit & 15 == 0 {
            bits = (bits << 2) | u128::from(digit >> 4);
        } else {
            return None;
        }
    }
    Some(bits)
}

/// Thirty-two hexadecimal digits.
impl fmt::Display for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.as_u128())
    }
}

/// A broker's release, as far as the coordinator's behaviour differs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Version {
    Kafka3_9,
    Kafka4_0,
    #[default]
    Kafka4_1,
    Kafka4_2,
    Kafka4_3,
}

impl Version {
    /// All, oldest first.
    pub const ALL: [Version; 5] =
        [Version::Kafka3_9, Version::Kafka4_0, Version::Kafka4_1, Version::Kafka4_2, Version::Kafka4_3];

    /// As it is written: `kafka-4.1`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Version::Kafka3_9 => "kafka-3.9",
            Version::Kafka4_0 => "kafka-4.0",
            Version::Kafka4_1 => "kafka-4.1",
            Version::Kafka4_2 => "kafka-4.2",
            Version::Kafka4_3 => "kafka-4.3",
        }
    }
}
