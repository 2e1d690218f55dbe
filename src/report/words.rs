//! Figures as people read them: thousands separators, units that fit, ratios. Rounded half up, in
//! integers, so that a figure looks the same on every machine.

/// `28800` as `28,800`.
#[must_use]
pub fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// A large count in short: `28.8 M`; in full below a million.
#[must_use]
pub fn count(n: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1_000_000_000_000, "T"), (1_000_000_000, "G"), (1_000_000, "M")];
    match UNITS.into_iter().find(|(size, _)| n >= *size) {
        Some((size, unit)) => format!("{} {unit}", tenths(n, size)),
        None => thousands(n),
    }
}

/// Bytes in decimal units: `0 B`, `814 kB`, `3.9 MB`, `32 MB`.
#[must_use]
pub fn bytes(n: u64) -> String {
    const UNITS: [(u64, &str); 4] =
        [(1_000_000_000_000, "TB"), (1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
    match UNITS.into_iter().find(|(size, _)| n >= *size) {
        Some((size, unit)) => format!("{} {unit}", short(n, size)),
        None => format!("{n} B"),
    }
}

/// About how long: one unit, `0 s`, `850 ms`, `9 s`, `1.2 h`, `24 d`.
#[must_use]
pub fn about(ms: u64) -> String {
    const UNITS: [(u64, &str); 4] = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1_000, "s")];
    if ms == 0 {
        return "0 s".to_owned();
    }
    // a day reads better as 24 h, an hour as 60 min: take the larger unit from one and a half of it
    match UNITS.into_iter().find(|(size, unit)| *unit == "s" && ms >= *size || ms * 2 >= *size * 3) {
        Some((size, unit)) => format!("{} {unit}", short(ms, size)),
        None => format!("{ms} ms"),
    }
}

/// Exactly how long, in the units of a scenario: `4 h 15 m`.
#[must_use]
pub fn exactly(ms: u64) -> String {
    const UNITS: [(u64, &str); 5] = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1_000, "s"), (1, "ms")];
    let mut rest = ms;
    let mut parts = Vec::new();
    for (size, unit) in UNITS {
        if rest >= size {
            parts.push(format!("{} {unit}", thousands(rest / size)));
            rest %= size;
        }
    }
    if parts.is_empty() { "0 s".to_owned() } else { parts.join(" ") }
}

/// Nanoseconds of work: `0 ns`, `12 µs`, `3.4 ms`, `2.1 s`.
#[must_use]
pub fn work(ns: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs")];
    match UNITS.into_iter().find(|(size, _)| ns >= *size) {
        Some((size, unit)) => format!("{} {unit}", short(ns, size)),
        None => format!("{ns} ns"),
    }
}

/// `a` as a multiple of `b`: `0.74×`; absent where `b` is nothing.
#[must_use]
pub fn ratio(a: u64, b: u64) -> Option<String> {
    if b == 0 {
        return None;
    }
    let hundredths = (u128::from(a) * 200 + u128::from(b)) / (u128::from(b) * 2);
    let whole = u64::try_from(hundredths / 100).unwrap_or(u64::MAX);
    Some(if whole >= 100 {
        format!("{}×", thousands(u64::try_from((hundredths + 50) / 100).unwrap_or(u64::MAX)))
    } else {
        format!("{whole}.{:02}×", hundredths % 100)
    })
}

/// `1 group`, `2 groups`.
#[must_use]
pub fn plural(n: u64, noun: &str) -> String {
    format!("{} {noun}{}", thousands(n), if n == 1 { "" } else { "s" })
}

/// Two figures below ten, whole ones above.
fn short(n: u64, size: u64) -> String {
    if rounded(n, size, 10) < 100 { tenths(n, size) } else { thousands(rounded(n, size, 1)) }
}

/// One digit after the point, left out where it is zero and the number is exact.
fn tenths(n: u64, size: u64) -> String {
    let t = rounded(n, size, 10);
    if n.is_multiple_of(size) || t >= 1000 { thousands(rounded(n, size, 1)) } else { format!("{}.{}", t / 10, t % 10) }
}

fn rounded(n: u64, size: u64, times: u64) -> u64 {
    let value = (u128::from(n) * u128::from(times) * 2 + u128::from(size)) / (u128::from(size) * 2);
    u64::try_from(value).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_get_separators_and_units_that_fit() {
        assert_eq!([0, 999, 1000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([999_999, 1_000_000, 28_800_000, 2_500_000_000].map(count), ["999,999", "1 M", "28.8 M", "2.5 G"]);
        assert_eq!([0, 999, 3_900_000, 32_400_000, 814_499].map(bytes), ["0 B", "999 B", "3.9 MB", "32 MB", "814 kB"]);
        assert_eq!(
            [0, 850, 9_000, 4_320_000, 86_400_000, 432_000_000].map(about),
            ["0 s", "850 ms", "9 s", "72 min", "24 h", "5 d"]
        );
        assert_eq!([0, 15_300_000, 86_400_000, 1_500].map(exactly), ["0 s", "4 h 15 m", "1 d", "1 s 500 ms"]);
        assert_eq!([12, 3_400_000, 2_100_000_000].map(work), ["12 ns", "3.4 ms", "2.1 s"]);
        assert_eq!(plural(1, "group"), "1 group");
        assert_eq!(u64::MAX, rounded(u64::MAX, 1, 10));
    }

    #[test]
    fn a_ratio_to_nothing_is_absent() {
        assert_eq!(ratio(5, 0), None);
        assert_eq!(ratio(74, 100).as_deref(), Some("0.74×"));
        assert_eq!(ratio(1, 1).as_deref(), Some("1.00×"));
        assert_eq!(ratio(123_456, 10).as_deref(), Some("12,346×"));
    }

    #[test]
    fn a_figure_that_rounds_up_to_ten_is_written_whole() {
        assert_eq!(bytes(9_960), "10 kB");
        assert_eq!(bytes(9_940), "9.9 kB");
    }
}
