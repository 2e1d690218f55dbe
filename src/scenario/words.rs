//! Names and globs. A plain scalar that some YAML reads as something other than text is no name, since
//! the next tool that reads the file would see a number, a truth value or a date.

/// What YAML 1.1 or 1.2 reads a plain scalar as, where that is not text.
pub(crate) fn reads_as(text: &str) -> Option<&'static str> {
    let low = text.to_ascii_lowercase();
    match low.as_str() {
        "" | "~" | "null" => return Some("nothing"),
        "y" | "yes" | "n" | "no" | "true" | "false" | "on" | "off" => return Some("a truth value"),
        ".inf" | "-.inf" | "+.inf" | ".nan" => return Some("a number"),
        "=" | "<<" => return Some("a key of its own"),
        _ => {}
    }
    let unsigned = low.strip_prefix(['-', '+']).unwrap_or(&low);
    if is_number(unsigned) {
        return Some("a number");
    }
    is_date(&low).then_some("a date")
}

/// Decimal, octal, hexadecimal, binary and base 60; whole or not, with an exponent or not.
fn is_number(text: &str) -> bool {
    let all = |rest: &str, digit: fn(char) -> bool| !rest.is_empty() && rest.chars().all(|c| c == '_' || digit(c));
    if let Some(rest) = text.strip_prefix("0x") {
        return all(rest, |c| c.is_ascii_hexdigit());
    }
    if let Some(rest) = text.strip_prefix("0o").or_else(|| text.strip_prefix("0b")) {
        return all(rest, |c| c.is_ascii_digit());
    }
    let (mantissa, exponent) = text.split_once('e').map_or((text, None), |(m, e)| (m, Some(e)));
    let exponent = exponent.is_none_or(|e| all(e.strip_prefix(['-', '+']).unwrap_or(e), |c| c.is_ascii_digit()));
    let starts = mantissa.starts_with(|c: char| c.is_ascii_digit())
        || mantissa.strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let one_point = mantissa.matches('.').count() <= 1;
    exponent && starts && one_point && all(mantissa, |c| c.is_ascii_digit() || c == '.' || c == ':')
}

/// `2026-11-29`, with or without a time of day.
fn is_date(text: &str) -> bool {
    let mut parts = text.splitn(3, '-');
    let digits = |part: &str, low: usize, high: usize| {
        (low..=high).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit())
    };
    let (Some(year), Some(month), Some(rest)) = (parts.next(), parts.next(), parts.next()) else { return false };
    let day = rest.split([' ', 't']).next().unwrap_or("");
    digits(year, 4, 4) && digits(month, 1, 2) && digits(day, 1, 2)
}

/// Words that mean something where a name may stand.
pub(crate) const RESERVED: [&str; 2] = ["all", "any"];

/// Why a text cannot be a name at all, quoted or not.
pub(crate) fn no_name(text: &str) -> Option<String> {
    if text.is_empty() {
        return Some("a name has at least one letter".to_owned());
    }
    if let Some(c) = text.chars().find(|c| c.is_whitespace() || c.is_control()) {
        let what = if c.is_control() { "control characters" } else { "blanks" };
        return Some(format!("a name has no {what} in it"));
    }
    if let Some(c) = text.chars().find(|c| ",[]={}*?|".contains(*c)) {
        return Some(format!("a name has no `{c}` in it"));
    }
    if RESERVED.contains(&text) {
        return Some(format!("`{text}` has a meaning of its own, so nothing can be called that"));
    }
    (text.len() > 249).then(|| "a name has at most 249 bytes".to_owned())
}

/// Is it a glob rather than a name?
pub(crate) fn is_glob(text: &str) -> bool {
    text.contains(['*', '?'])
}

/// Does the glob match the whole name? `*` is any text, `?` any one character.
#[must_use]
pub fn glob_matches(glob: &str, name: &str) -> bool {
    let (glob, name): (Vec<char>, Vec<char>) = (glob.chars().collect(), name.chars().collect());
    let (mut g, mut n) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while n < name.len() {
        if glob.get(g) == Some(&'*') {
            retry = Some((g, n));
            g += 1;
        } else if glob.get(g).is_some_and(|c| *c == '?' || *c == name[n]) {
            (g, n) = (g + 1, n + 1);
        } else if let Some((star, from)) = retry {
            retry = Some((star, from + 1));
            (g, n) = (star + 1, from + 1);
        } else {
            return false;
        }
    }
    glob[g..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_some_yaml_reads_as_other_than_text_is_known() {
        for text in ["no", "Yes", "ON", "off", "y", "1e3", "010", "1:30", "null", "~", "", "0x1F", "1_000", "3.", ".5"]
        {
            assert!(reads_as(text).is_some(), "{text}");
        }
        for text in
            ["-7", "+1", "190:20:30.15", ".inf", "-.INF", ".NaN", "2026-11-29", "2001-1-2 10:00:00", "0b10", "="]
        {
            assert!(reads_as(text).is_some(), "{text}");
        }
        for text in
            ["t", "orders", "kafka-4.1", "1a", "e3", "a1:b", "eu-1a", "none", "nope", "1.2.3", "0xg", "-", "2026-11"]
        {
            assert_eq!(reads_as(text), None, "{text}");
        }
    }

    /// By recursion, to hold the loop against.
    fn slow(glob: &[u8], name: &[u8]) -> bool {
        match (glob.first(), name.first()) {
            (None, None) => true,
            (Some(b'*'), _) => slow(&glob[1..], name) || (!name.is_empty() && slow(glob, &name[1..])),
            (Some(b'?'), Some(_)) => slow(&glob[1..], &name[1..]),
            (Some(a), Some(b)) if a == b => slow(&glob[1..], &name[1..]),
            _ => false,
        }
    }

    #[test]
    fn globs_match_as_the_definition_says() {
        let words = |letters: &[char], length: u32| {
            let count = letters.len();
            let mut all = vec![String::new()];
            let mut last = all.clone();
            for _ in 0..length {
                last = last.iter().flat_map(|w| letters.iter().map(move |c| format!("{w}{c}"))).collect();
                all.extend(last.clone());
            }
            assert!(all.len() > count);
            all
        };
        for glob in words(&['a', 'b', '*', '?'], 4) {
            for name in words(&['a', 'b'], 5) {
                assert_eq!(glob_matches(&glob, &name), slow(glob.as_bytes(), name.as_bytes()), "{glob} {name}");
            }
        }
    }
}
