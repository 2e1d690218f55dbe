//! Time, addressed chance, natural order and digests: what any simulation needs. Knows no Kafka.

mod calendar;
mod chance;
mod digest;
mod natural;
mod time;

pub use calendar::Calendar;
pub use chance::{Chance, Purpose, Stream, address};
pub use digest::Digest;
pub use natural::natural_cmp;
pub use time::{Ms, TimeError};
