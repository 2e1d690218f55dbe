//! What Kafka's own coordinator did with a history, as the driver wrote it.

use std::io::BufRead;

use serde::Deserialize;

use crate::sim::Ms;

/// A bump of a group's epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KafkaBump {
    /// When.
    pub at: Ms,
    /// Whose.
    pub group: String,
    /// The epoch it made, counted from the history's own at time 0.
    pub epoch: u64,
    /// The hash written with it; `None` where the record has none.
    pub hash: Option<u64>,
}

/// Records of one type that were written for a group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[allow(missing_docs, reason = "the fields of the driver's line")]
pub struct RecordSum {
    pub group: String,
    #[serde(rename = "type")]
    pub kind: u16,
    pub records: u64,
    /// Key and value.
    pub bytes: u64,
    pub tombstones: u64,
    pub tombstone_bytes: u64,
}

/// All of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The history's id.
    pub history: String,
    /// In the order in which they came.
    pub bumps: Vec<KafkaBump>,
    /// By group and type.
    pub records: Vec<RecordSum>,
    /// Exceptions by their class, and how often.
    pub failures: Vec<(String, u64)>,
    /// The first exception of each class, told in one line.
    pub first_failures: Vec<String>,
    /// Heartbeats that reached an active coordinator.
    pub heartbeats: u64,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// The driver gave up on this history.
    #[error("the driver could not play the history: {0}")]
    Broken(String),
    /// What came is none.
    #[error("`{line}` is no answer: {message}")]
    Unreadable {
        /// What came.
        line: String,
        /// What is wrong with it.
        message: String,
    },
    /// It stopped in the middle.
    #[error("the driver stopped in the middle of an answer")]
    Cut,
}

#[derive(Deserialize)]
#[serde(tag = "line", rename_all = "kebab-case")]
enum Line {
    Answer { history: Option<String> },
    Bump { at_ms: u64, group: String, epoch: u64, hash: Option<String> },
    Records(RecordSum),
    Failed { at_ms: i64, group: Option<String>, member: Option<String>, error: String, message: String },
    Failures { error: String, times: u64 },
    Broken { why: String },
    End { heartbeats: u64 },
}

/// Reads the next answer; `None` at the end of the input.
///
/// # Errors
/// Where the driver gave up, or what it wrote cannot be read.
pub fn read_answer(input: &mut dyn BufRead) -> Result<Option<Answer>, AnswerError> {
    let mut answer = Answer::default();
    let mut begun = false;
    loop {
        let mut text = String::new();
        let unreadable = |line: &str, message: String| AnswerError::Unreadable { line: line.trim().into(), message };
        let length = input.read_line(&mut text).map_err(|e| unreadable("", e.to_string()))?;
        if length == 0 {
            return if begun { Err(AnswerError::Cut) } else { Ok(None) };
        }
        match serde_json::from_str(&text).map_err(|e| unreadable(&text, e.to_string()))? {
            Line::Answer { history } => (begun, answer.history) = (true, history.unwrap_or_default()),
            Line::Bump { at_ms, group, epoch, hash } => {
                let hash = hash.map(|h| u64::from_str_radix(&h, 16)).transpose();
                let hash = hash.map_err(|e| unreadable(&text, e.to_string()))?;
                answer.bumps.push(KafkaBump { at: Ms(at_ms), group, epoch, hash });
            }
            Line::Records(sum) => answer.records.push(sum),
            Line::Failed { at_ms, group, member, error, message } => {
                let who = [group, member].into_iter().flatten().collect::<Vec<_>>().join(" ");
                answer.first_failures.push(format!("{at_ms} ms {who}: {error}: {message}"));
            }
            Line::Failures { error, times } => answer.failures.push((error, times)),
            Line::Broken { why } => return Err(AnswerError::Broken(why)),
            Line::End { heartbeats } => {
                answer.heartbeats = heartbeats;
                return Ok(Some(answer));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{"line":"answer","history":"00ff"}
{"line":"bump","at_ms":5,"group":"g","epoch":2,"hash":"000000000000000a"}
{"line":"failed","at_ms":5,"group":"g","member":null,"error":"NullPointerException","message":"null"}
{"line":"records","group":"g","type":3,"records":1,"bytes":22,"tombstones":0,"tombstone_bytes":0}
{"line":"failures","error":"NullPointerException","times":3}
{"line":"end","heartbeats":7}
"#;

    #[test]
    fn an_answer_is_read_line_by_line() {
        let mut input = TEXT.as_bytes();
        let answer = read_answer(&mut input).unwrap().unwrap();
        assert_eq!(answer.history, "00ff");
        assert_eq!(answer.bumps, [KafkaBump { at: Ms(5), group: "g".into(), epoch: 2, hash: Some(10) }]);
        assert_eq!((answer.records[0].kind, answer.records[0].bytes, answer.heartbeats), (3, 22, 7));
        assert_eq!(answer.failures, [("NullPointerException".to_owned(), 3)]);
        assert_eq!(read_answer(&mut input).unwrap(), None);
    }

    #[test]
    fn what_is_no_answer_is_named() {
        let cut = TEXT.split("{\"line\":\"end\"").next().unwrap();
        assert_eq!(read_answer(&mut cut.as_bytes()), Err(AnswerError::Cut));
        let broken = "{\"line\":\"answer\",\"history\":null}\n{\"line\":\"broken\",\"why\":\"boom\"}\n";
        assert_eq!(read_answer(&mut broken.as_bytes()), Err(AnswerError::Broken("boom".into())));
        assert!(matches!(read_answer(&mut &b"hello\n"[..]), Err(AnswerError::Unreadable { .. })));
    }
}
