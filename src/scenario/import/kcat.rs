//! `kcat -L -J`: brokers without racks, topics with their replicas, as one JSON object.

use serde::Deserialize;

use super::super::diagnostics::{At, Problems};
use super::seen::{Seen, SeenPartition};

#[derive(Deserialize)]
struct Listing {
    brokers: Vec<Broker>,
    topics: Vec<Topic>,
}

#[derive(Deserialize)]
struct Broker {
    id: i64,
}

#[derive(Deserialize)]
struct Topic {
    topic: String,
    error: Option<String>,
    partitions: Vec<Partition>,
}

#[derive(Deserialize)]
struct Partition {
    partition: u32,
    leader: i64,
    replicas: Vec<Broker>,
    isrs: Vec<Broker>,
}

/// Reads a file that is such an object from byte `start` on.
pub(super) fn read(text: &str, start: usize, source: u32, seen: &mut Seen, p: &mut Problems) {
    let listing: Listing = match serde_json::from_str(&text[start..]) {
        Ok(listing) => listing,
        Err(error) => {
            let at = At::new(source, place(text, start, error.line(), error.column()));
            let why = error.to_string();
            let why = why.split(" at line ").next().unwrap_or("").to_owned();
            p.add(at, format!("this is not what `kcat -L -J` prints: {why}"), "is the file cut short?");
            return;
        }
    };
    // the object is often one line, so a name is the best place there is; names come in the text's order
    let mut from = start;
    let mut at_name = |name: &str| {
        let quoted = format!("\"topic\":\"{name}\"");
        let Some(found) = text[from..].find(&quoted) else { return At::new(source, start..start) };
        from += found + quoted.len();
        At::new(source, from - 1 - name.len()..from - 1)
    };
    for broker in &listing.brokers {
        match u32::try_from(broker.id) {
            Ok(id) => {
                seen.broker(id, At::new(source, start..start), None, p);
            }
            Err(_) => {
                p.add(At::new(source, start..start), format!("{} is no broker's id", broker.id), "");
            }
        }
    }
    seen.any_topics = true;
    for topic in listing.topics {
        let at = at_name(&topic.topic);
        if let Some(error) = topic.error {
            p.add(at, format!("kcat could not list this topic: {error}"), "run kcat again");
            continue;
        }
        let promised = u32::try_from(topic.partitions.len()).unwrap_or(u32::MAX);
        seen.topic(&topic.topic, at).promised.get_or_insert(promised);
        for one in topic.partitions {
            let ids = |list: &[Broker]| list.iter().map(|b| u32::try_from(b.id).ok()).collect::<Option<Vec<_>>>();
            let (Some(replicas), Some(isr)) = (ids(&one.replicas).filter(|list| !list.is_empty()), ids(&one.isrs))
            else {
                let message = format!("partition {} of `{}` has no list of replicas", one.partition, topic.topic);
                p.add(at, message, "run kcat again");
                continue;
            };
            let leader = u32::try_from(one.leader).ok();
            let partition = SeenPartition { at, leader, replicas, isr, moving: false };
            seen.topic(&topic.topic, at).partition(one.partition, partition, p);
        }
    }
}

/// The byte of a line and column, both from 1.
fn place(text: &str, start: usize, line: usize, column: usize) -> std::ops::Range<usize> {
    let body = &text[start..];
    let before: usize = body.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let at = (start + before + column.saturating_sub(1)).min(text.len());
    at..(at + 1).min(text.len())
}
