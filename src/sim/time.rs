//! Simulated time: an integer count of milliseconds, as in Kafka. Instants count from the start of the
//! run; spans use the same type, since every sum in the model mixes the two.

use std::fmt;
use std::ops::{Add, AddAssign, Sub};
use std::str::FromStr;

/// Milliseconds: an instant since the start of a run, or a span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ms(pub u64);

impl Ms {
    /// The start of a run; the empty span.
    pub const ZERO: Ms = Ms(0);
    /// Later than anything that happens.
    pub const NEVER: Ms = Ms(u64::MAX);

    /// One second's worth of milliseconds, `n` times.
    pub const fn secs(n: u64) -> Ms {
        Ms(n * 1000)
    }

    /// `self - other`, or zero where `other` is later.
    #[must_use]
    pub const fn since(self, other: Ms) -> Ms {
        Ms(self.0.saturating_sub(other.0))
    }

    /// `self + other`, staying at [`Ms::NEVER`] instead of overflowing.
    #[must_use]
    pub const fn after(self, other: Ms) -> Ms {
        Ms(self.0.saturating_add(other.0))
    }

    /// The instant on a simulated clock, `h:mm:ss` and a fraction only where there is one: `10:01:04.2`.
    #[must_use]
    pub fn clock(self) -> String {
        let (s, ms) = (self.0 / 1000, self.0 % 1000);
        let text = format!("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
        if ms == 0 { text } else { format!("{text}.{}", format!("{ms:03}").trim_end_matches('0')) }
    }
}

impl Add for Ms {
    type Output = Ms;
    fn add(self, other: Ms) -> Ms {
        Ms(self.0 + other.0)
    }
}

impl AddAssign for Ms {
    fn add_assign(&mut self, other: Ms) {
        self.0 += other.0;
    }
}

impl Sub for Ms {
    type Output = Ms;
    fn sub(self, other: Ms) -> Ms {
        Ms(self.0 - other.0)
    }
}

const UNITS: [(&str, u64); 6] =
    [("w", 604_800_000), ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

/// As it is written in a scenario: the shortest exact form, `90s` as `1m30s`, zero as `0s`.
impl fmt::Display for Ms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Ms::NEVER {
            return f.write_str("never");
        }
        if self.0 == 0 {
            return f.write_str("0s");
        }
        let mut rest = self.0;
        for (unit, size) in UNITS.into_iter().skip(1) {
            if rest >= size {
                write!(f, "{}{unit}", rest / size)?;
                rest %= size;
            }
        }
        Ok(())
    }
}

/// Why a text is no time; the message says what to write instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimeError {
    /// A bare number.
    #[error("a time needs its unit: write `{0}ms`, `{0}s`, `{0}m`, `{0}h` or `{0}d`")]
    NoUnit(String),
    /// Something else.
    #[error("`{0}` is no time: write a whole number and a unit, as in 500ms, 90s, 5m, 24h, 7d or 1h30m")]
    NotATime(String),
    /// More than fits.
    #[error("`{0}` is too long a time")]
    TooLong(String),
}

/// Reads `500ms`, `90s`, `5m`, `24h`, `7d`, `2w` and sums such as `1h30m`. Units are always written.
impl FromStr for Ms {
    type Err = TimeError;

    fn from_str(text: &str) -> Result<Ms, TimeError> {
        let trimmed = text.trim();
        if !trimmed.is_empty() && trimmed.bytes().all(|b| b.is_ascii_digit()) {
            return Err(TimeError::NoUnit(trimmed.to_owned()));
        }
        let bad = || TimeError::NotATime(text.to_owned());
        let mut rest = trimmed;
        let mut total: u64 = 0;
        if rest.is_empty() {
            return Err(bad());
        }
        while !rest.is_empty() {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let letters = rest[digits..].bytes().take_while(u8::is_ascii_alphabetic).count();
            let unit = &rest[digits..digits + letters];
            let size = UNITS.iter().find(|(name, _)| *name == unit).map(|(_, size)| *size);
            let (Some(size), true) = (size, digits > 0) else {
                return Err(bad());
            };
            let long = || TimeError::TooLong(text.to_owned());
            let count: u64 = rest[..digits].parse().map_err(|_| long())?;
            total = count.checked_mul(size).and_then(|t| total.checked_add(t)).ok_or_else(long)?;
            rest = rest[digits + letters..].trim_start();
        }
        Ok(Ms(total))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_their_units_and_written_back() {
        for (text, ms) in
            [("500ms", 500), ("90s", 90_000), ("5m", 300_000), ("1h30m", 5_400_000), ("2w", 1_209_600_000)]
        {
            let read: Ms = text.parse().unwrap();
            assert_eq!(read, Ms(ms));
            assert_eq!(read.to_string().parse::<Ms>().unwrap(), read);
        }
        assert_eq!(Ms(0).to_string(), "0s");
        assert_eq!(Ms(90_000).to_string(), "1m30s");
    }

    #[test]
    fn a_bare_number_is_told_to_take_a_unit() {
        assert_eq!("30".parse::<Ms>(), Err(TimeError::NoUnit("30".into())));
        for bad in ["", "s", "5 parsecs", "1.5s", "-3s", "3S", "1e3s"] {
            assert!(matches!(bad.parse::<Ms>(), Err(TimeError::NotATime(_))), "{bad}");
        }
        assert!(matches!("99999999999999999999d".parse::<Ms>(), Err(TimeError::TooLong(_))));
    }

    #[test]
    fn the_clock_shows_a_fraction_only_where_there_is_one() {
        assert_eq!(Ms(36_064_200).clock(), "10:01:04.2");
        assert_eq!(Ms(61_000).clock(), "0:01:01");
    }
}
