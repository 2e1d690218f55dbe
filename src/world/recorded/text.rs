//! The lines that `kafka-dump-log.sh` prints: a line for each batch, then one for each of its records.

use serde_json::Value;

use super::record::{Meaning, meaning};
use super::{Batch, Record, Recorded, RecordedError};

/// A batch that is being read.
struct Open {
    line: usize,
    at: u64,
    /// Records still to come.
    missing: u64,
    /// Of the next one.
    offset: u64,
    control: bool,
    records: Vec<(usize, Record)>,
}

#[derive(Default)]
struct Reader {
    recorded: Recorded,
    open: Option<Open>,
    /// Of the next batch; `None` where any may come.
    next_offset: Option<u64>,
    /// Is this file the log's snapshot?
    in_snapshot: bool,
    /// The snapshot's records stand for all before this offset.
    stands_for: u64,
    /// Records of a metadata transaction that has not ended; they count at its end.
    transaction: Option<Vec<(usize, Record)>>,
}

type Told = Result<(), String>;

pub(super) fn read(text: &str) -> Result<Recorded, RecordedError> {
    let mut reader = Reader::default();
    let mut last = 0;
    for (index, line) in text.lines().enumerate() {
        last = index + 1;
        reader.take(last, line).map_err(|message| RecordedError { line: last, message })?;
    }
    reader.finish().map_err(|message| RecordedError { line: last.max(1), message })
}

impl Reader {
    fn take(&mut self, number: usize, line: &str) -> Told {
        if let Some(rest) = line.strip_prefix('|') {
            return self.record(number, rest.trim_start());
        }
        if line.starts_with("baseOffset: ") {
            self.close()?;
            return self.batch(number, line);
        }
        if line.starts_with("Dumping ") {
            return self.file(line.trim_end().ends_with(".checkpoint"));
        }
        if let Some(rest) = line.strip_prefix("Snapshot end offset: ") {
            let digits = rest.split(',').next().unwrap_or_default();
            self.stands_for = digits.parse().map_err(|_| "this is no offset; is the line cut short?".to_owned())?;
            return Ok(());
        }
        // a logger may have said something before the tool did
        if line.starts_with("Log starting offset: ") || line.trim().is_empty() || self.recorded.span.is_none() {
            return Ok(());
        }
        Err(format!("`{}` is no line of kafka-dump-log.sh", shortened(line)))
    }

    /// Another file begins.
    fn file(&mut self, snapshot: bool) -> Told {
        self.close()?;
        if snapshot && self.recorded.span.is_some() {
            return Err("a snapshot stands for all that came before it: give it first".to_owned());
        }
        if self.in_snapshot {
            self.next_offset = None;
        }
        self.in_snapshot = snapshot;
        Ok(())
    }

    fn batch(&mut self, number: usize, line: &str) -> Told {
        let field = |name: &str| word_after(line, name);
        let count = |name: &str| {
            field(name)
                .and_then(|word| word.parse::<u64>().ok())
                .ok_or_else(|| format!("this batch has no `{name}`; is the line cut short?"))
        };
        let (first, records) = (count("baseOffset:")?, count("count:")?);
        let at = count("CreateTime:")
            .or_else(|_| count("LogAppendTime:"))
            .map_err(|_| "this batch has no `CreateTime:`; is the line cut short?".to_owned())?;
        match field("isvalid:") {
            Some("true") => {}
            Some("false") => return Err("Kafka says that this batch is damaged (`isvalid: false`)".to_owned()),
            Some(_) | None => return Err("this batch has no `isvalid:`; is the line cut short?".to_owned()),
        }
        match self.next_offset {
            Some(next) if next != first => {
                return Err(format!(
                    "this batch begins at offset {first}, and {next} comes next: give all segments, in order"
                ));
            }
            None if !self.in_snapshot && first > self.stands_for => {
                return Err(format!(
                    "the log begins at offset {first}, and what came before is in a snapshot: dump that `.checkpoint` first"
                ));
            }
            Some(_) | None => {}
        }
        let before = self.recorded.span.map_or(0, |(_, last)| last);
        let at = at.max(before);
        self.recorded.span = Some((self.recorded.span.map_or(at, |(first, _)| first), at));
        let control = field("isControl:") == Some("true");
        self.next_offset = Some(first + records);
        self.open = Some(Open { line: number, at, missing: records, offset: first, control, records: Vec::new() });
        Ok(())
    }

    fn record(&mut self, number: usize, rest: &str) -> Told {
        let Some(open) = self.open.as_mut().filter(|open| open.missing > 0) else {
            return Err("a record without its batch: is a line missing?".to_owned());
        };
        if let Some(offset) = word_after(rest, "offset:").filter(|offset| offset.parse() != Ok(open.offset)) {
            return Err(format!("offset {offset} comes where {} should: is a line missing?", open.offset));
        }
        open.missing -= 1;
        open.offset += 1;
        let Some((_, payload)) = rest.split_once("payload: ") else {
            return if open.control {
                Ok(())
            } else {
                Err("this record was not decoded: dump the log with --cluster-metadata-decoder".to_owned())
            };
        };
        let value: Value = serde_json::from_str(payload)
            .map_err(|_| "this record is cut short or damaged: what is behind `payload:` is no JSON".to_owned())?;
        match meaning(&value)? {
            Meaning::Matters(record) => match &mut self.transaction {
                Some(records) => records.push((number, record)),
                None => open.records.push((number, record)),
            },
            Meaning::Begins => self.transaction = Some(Vec::new()),
            Meaning::Ends => open.records.extend(self.transaction.take().unwrap_or_default()),
            Meaning::Aborts => self.transaction = None,
            Meaning::DoesNotMatter => {}
            Meaning::Unknown(name) => *self.recorded.unknown.entry(name).or_default() += 1,
        }
        Ok(())
    }

    /// The batch that was being read is over.
    fn close(&mut self) -> Told {
        let Some(open) = self.open.take() else { return Ok(()) };
        if open.missing > 0 {
            let records =
                if open.missing == 1 { "1 more record".to_owned() } else { format!("{} more records", open.missing) };
            return Err(format!("the batch of line {} has {records}: is the file cut short?", open.line));
        }
        let stood_for = !self.in_snapshot && open.offset <= self.stands_for;
        if !open.records.is_empty() && !stood_for {
            self.recorded.batches.push(Batch { at: open.at, records: open.records });
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Recorded, String> {
        self.close()?;
        if self.recorded.span.is_none() {
            return Err("there is no batch in this file: it is not what kafka-dump-log.sh prints of a log".to_owned());
        }
        Ok(self.recorded)
    }
}

/// The word behind a key.
fn word_after<'t>(line: &'t str, key: &str) -> Option<&'t str> {
    let mut words = line.split_whitespace();
    words.find(|word| *word == key)?;
    words.next()
}

fn shortened(line: &str) -> String {
    if line.chars().count() > 60 { line.chars().take(60).chain(['…']).collect() } else { line.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kafka::{BrokerId, Uuid};

    const TOPIC: &str = r#"{"type":"TOPIC_RECORD","version":0,"data":{"name":"t","topicId":"AAAAAAAAAAEAAAAAAAAAAg"}}"#;
    const FENCE: &str =
        r#"{"type":"BROKER_REGISTRATION_CHANGE_RECORD","version":0,"data":{"brokerId":7,"brokerEpoch":3,"fenced":1}}"#;

    fn of(kind: &str) -> String {
        format!("{{\"type\":\"{kind}\",\"version\":0,\"data\":{{}}}}")
    }

    /// Batches as the tool prints them: offset, time, payloads.
    fn dump(batches: &[(u64, u64, &[&str])]) -> String {
        let mut text = String::from("Dumping 0.log\nLog starting offset: 0\n");
        for (offset, at, records) in batches {
            let count = records.len() as u64;
            let last = offset + count - 1;
            text += &format!(
                "baseOffset: {offset} lastOffset: {last} count: {count} isControl: false CreateTime: {at} isvalid: true\n"
            );
            for (place, payload) in (*offset..).zip(*records) {
                text += &format!("| offset: {place} CreateTime: {at} keySize: -1 payload: {payload}\n");
            }
        }
        text
    }

    fn records(text: &str) -> Vec<(u64, Record)> {
        let read = read(text).unwrap_or_else(|e| panic!("{e}"));
        let of_batch = |batch: Batch| batch.records.into_iter().map(move |(_, record)| (batch.at, record));
        read.batches.into_iter().flat_map(of_batch).collect()
    }

    #[test]
    fn records_of_a_transaction_count_at_its_end_or_not_at_all() {
        let (begin, end, abort) =
            (of("BEGIN_TRANSACTION_RECORD"), of("END_TRANSACTION_RECORD"), of("ABORT_TRANSACTION_RECORD"));
        let topic = Record::Topic { name: "t".into(), id: Uuid { msb: 1, lsb: 2 } };
        let whole = dump(&[(0, 10, &[&begin, TOPIC]), (2, 20, &[&end])]);
        assert_eq!(records(&whole), [(20, topic.clone())]);
        let taken_back = dump(&[(0, 10, &[&begin, TOPIC]), (2, 20, &[&abort]), (3, 30, &[FENCE])]);
        assert_eq!(records(&taken_back), [(30, Record::Fence { broker: BrokerId(7) })]);
        assert_eq!(records(&dump(&[(0, 10, &[TOPIC])])), [(10, topic)]);
    }

    #[test]
    fn a_snapshot_stands_for_what_came_before_its_end() {
        let snapshot = dump(&[(0, 5, &[TOPIC])])
            .replace("0.log\nLog starting offset: 0", "9-1.checkpoint\nSnapshot end offset: 3, epoch: 1");
        let log = dump(&[(1, 10, &[FENCE, FENCE]), (3, 20, &[FENCE])]);
        let times: Vec<u64> = records(&(snapshot.clone() + &log)).iter().map(|(at, _)| *at).collect();
        assert_eq!(times, [5, 20], "what the snapshot has is not applied again");
        assert!(read(&log).unwrap_err().message.contains("in a snapshot"));
        let late = dump(&[(0, 5, &[FENCE])]) + &snapshot;
        assert!(read(&late).unwrap_err().message.contains("give it first"));
    }

    #[test]
    fn times_do_not_go_back_and_loggers_may_speak_first() {
        let text = dump(&[(0, 30, &[FENCE]), (1, 20, &[FENCE])]);
        let times: Vec<u64> = records(&format!("WARN something\n{text}")).iter().map(|(at, _)| *at).collect();
        assert_eq!(times, [30, 30]);
        let error = read(&format!("{text}WARN something\n")).unwrap_err();
        assert_eq!((error.line, error.message.as_str()), (7, "`WARN something` is no line of kafka-dump-log.sh"));
        let gap = read(&dump(&[(0, 1, &[FENCE]), (5, 2, &[FENCE])])).unwrap_err();
        assert_eq!(gap.message, "this batch begins at offset 5, and 1 comes next: give all segments, in order");
    }
}
