//! Time, addressed chance, natural order and digests: what any simulation needs. Knows no Kafka.

mod natural;
mod time;

pub use natural::natural_cmp;
pub use time::{Ms, TimeError};
