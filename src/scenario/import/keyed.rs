//! Lines of `Key: value`, one after another with tabs or blanks between, as kafka-topics.sh and kafka-features.sh print
//! them. Whoever pasted such a line may have turned its tabs into blanks, so blanks are all that is relied on.

/// Keys that are two words.
const TWO_WORDS: [&str; 2] = ["Adding", "Removing"];

/// The pairs of a line, in order. A value may be empty; what stands before the first key is `None`'s.
pub(super) fn pairs(line: &str) -> Option<Vec<(String, String)>> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut before: Option<&str> = None;
    for word in line.split_whitespace() {
        let is_key = word.len() > 1 && word.ends_with(':') && word.starts_with(|c: char| c.is_ascii_uppercase());
        match (before.take(), is_key) {
            (Some(first), true) => found.push((format!("{first} {}", &word[..word.len() - 1]), String::new())),
            (Some(_), false) => return None,
            (None, true) => found.push((word[..word.len() - 1].to_owned(), String::new())),
            (None, false) if TWO_WORDS.contains(&word) => before = Some(word),
            (None, false) => {
                let (_, value) = found.last_mut()?;
                if !value.is_empty() {
                    value.push(' ');
                }
                value.push_str(word);
            }
        }
    }
    before.is_none().then_some(found)
}

/// The value of a key.
pub(super) fn value<'p>(pairs: &'p [(String, String)], key: &str) -> Option<&'p str> {
    pairs.iter().find(|(k, _)| k == key).map(|(_, value)| value.as_str())
}

/// `1,2,3`; nothing is an empty list.
pub(super) fn ids(text: &str) -> Option<Vec<u32>> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    parts.map(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &str) -> Option<Vec<String>> {
        Some(pairs(line)?.into_iter().map(|(key, value)| format!("{key}={value}")).collect())
    }

    #[test]
    fn values_may_be_empty_and_keys_two_words() {
        let line =
            "\tTopic: t\tPartition: 0\tReplicas: 1,2\tAdding Replicas: \tRemoving Replicas: 2\tElr: \tOther: N/A";
        let pairs =
            ["Topic=t", "Partition=0", "Replicas=1,2", "Adding Replicas=", "Removing Replicas=2", "Elr=", "Other=N/A"];
        assert_eq!(shown(line).unwrap(), pairs);
        assert_eq!(shown(&line.replace('\t', "  ")).unwrap(), pairs);
        assert_eq!(shown("x: 1"), None);
        assert_eq!(shown("Topic: t Adding"), None);
    }

    #[test]
    fn a_list_of_ids_may_be_empty_but_not_of_words() {
        assert_eq!(ids("1,22, 3"), Some(vec![1, 22, 3]));
        assert_eq!(ids(""), Some(vec![]));
        assert_eq!(ids("1,x"), None);
    }
}
