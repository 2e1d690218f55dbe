//! What Kafka's own coordinator did, in one short line: kept as a sample that tests hold without Java.

use serde::{Deserialize, Serialize};

use crate::sim::Ms;

use super::compare::counted;
use super::{Answer, KafkaBump, RecordSum};

/// An answer, kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fact {
    /// `random 17`, or a shipped scenario's name.
    pub scenario: String,
    /// The history's id.
    pub history: String,
    /// Heartbeats that reached an active coordinator.
    pub heartbeats: u64,
    /// Records of types 3, 4, 5 and 16 and all tombstones, and their bytes.
    pub log: (u64, u64),
    /// Exceptions by their class, and how often.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<(String, u64)>,
    /// Group, time in ms, epoch, hash in hexadecimal (empty: none).
    pub bumps: Vec<(String, u64, u64, String)>,
}

impl Fact {
    /// That of an answer.
    #[must_use]
    pub fn of(scenario: &str, answer: &Answer) -> Fact {
        let hash = |bump: &KafkaBump| bump.hash.map_or(String::new(), |h| format!("{h:016x}"));
        let bumps = answer.bumps.iter().map(|b| (b.group.clone(), b.at.0, b.epoch, hash(b)));
        Fact {
            scenario: scenario.to_owned(),
            history: answer.history.clone(),
            heartbeats: answer.heartbeats,
            log: counted(answer),
            failures: answer.failures.clone(),
            bumps: bumps.collect(),
        }
    }

    /// Its line, with the line's end.
    ///
    /// # Panics
    /// Never: it has only strings and numbers.
    #[must_use]
    pub fn line(&self) -> String {
        serde_json::to_string(self).expect("strings and numbers") + "\n"
    }

    /// The answer again, its records in one sum.
    #[must_use]
    pub fn answer(&self) -> Answer {
        let hash = |hash: &str| u64::from_str_radix(hash, 16).ok();
        let bump = |(group, at, epoch, h): &(String, u64, u64, String)| KafkaBump {
            at: Ms(*at),
            group: group.clone(),
            epoch: *epoch,
            hash: hash(h),
        };
        let sum = RecordSum { kind: 3, records: self.log.0, bytes: self.log.1, ..RecordSum::default() };
        Answer {
            history: self.history.clone(),
            bumps: self.bumps.iter().map(bump).collect(),
            records: vec![sum],
            failures: self.failures.clone(),
            first_failures: self.failures.iter().map(|(what, _)| what.clone()).collect(),
            heartbeats: self.heartbeats,
        }
    }
}

/// Reads lines of facts.
///
/// # Errors
/// At the first line that is none, with its number.
pub fn read_facts(text: &str) -> Result<Vec<Fact>, String> {
    let read = |(number, line)| serde_json::from_str(line).map_err(|e| format!("line {}: {e}", number + 1));
    text.lines().enumerate().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fact_is_the_answer_again() {
        let bump = KafkaBump { at: Ms(5), group: "g".into(), epoch: 2, hash: Some(10) };
        let sum = RecordSum { group: "g".into(), kind: 8, tombstones: 2, tombstone_bytes: 60, ..RecordSum::default() };
        let answer = Answer { bumps: vec![bump], records: vec![sum], heartbeats: 3, ..Answer::default() };
        let fact = Fact::of("random 1", &answer);
        let again = read_facts(&fact.line()).unwrap();
        assert_eq!(again, [fact]);
        assert_eq!(again[0].log, (2, 60));
        assert_eq!(again[0].answer().bumps, answer.bumps);
        assert!(read_facts("{}").unwrap_err().starts_with("line 1"));
    }
}
