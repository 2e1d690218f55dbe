//! Did you mean: the nearest of the words that may stand in a place.

/// The one that is most like `word`, if any is like enough.
pub(crate) fn nearest<'a>(word: &str, among: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let low = word.to_lowercase();
    let best = among
        .into_iter()
        .map(|other| (distance(&low, &other.to_lowercase()), other))
        .min_by_key(|(distance, _)| *distance)?;
    let shorter = low.chars().count().min(best.1.chars().count());
    let close = best.0 <= 1 + shorter / 4 && best.0 < shorter;
    close.then_some(best.1)
}

/// As [`nearest`], also by a common beginning: `heartbeat_intervall_ms` is near `heartbeat`.
pub(crate) fn nearest_key<'a>(word: &str, among: &[&'a str]) -> Option<&'a str> {
    let starts =
        |other: &&&str| other.len() >= 4 && word.starts_with(**other) || word.len() >= 4 && other.starts_with(word);
    nearest(word, among.iter().copied()).or_else(|| among.iter().find(starts).copied())
}

/// `; did you mean ...?` as a label, or what may stand there if there are few.
pub(crate) fn hint(word: &str, among: &[&str]) -> String {
    match nearest_key(word, among) {
        Some(other) => format!("did you mean `{other}`?"),
        None if among.is_empty() => String::new(),
        None if among.len() <= 24 => format!("one of: {}", among.join(", ")),
        None => String::new(),
    }
}

/// Edits from one word to another: a letter put in, left out, changed, or two swapped.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > 12 || a.len() > 64 {
        return usize::MAX;
    }
    let mut older: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let changed = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = changed.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(older[j - 2] + 1);
            }
            row.push(best);
        }
        older = above;
        above = row;
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_edits_and_swaps_of_neighbours() {
        for (a, b, edits) in [("partions", "partitions", 2), ("form", "from", 1), ("", "abc", 3), ("a", "a", 0)] {
            assert_eq!(distance(a, b), edits, "{a} {b}");
            assert_eq!(distance(b, a), edits, "{b} {a}");
        }
    }

    #[test]
    fn only_words_that_are_like_it_are_offered() {
        assert_eq!(nearest("partions", ["partitions", "rf"]), Some("partitions"));
        assert_eq!(nearest("colour", ["partitions", "rf"]), None);
        assert_eq!(nearest("x", ["y"]), None);
        assert_eq!(nearest_key("heartbeat_intervall_ms", &["members", "heartbeat"]), Some("heartbeat"));
    }
}
