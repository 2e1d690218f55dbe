//! `hash`: a topic's or a group's hash in all three algorithms, to be compared with the MetadataHash found in
//! `__consumer_offsets`.

use std::fs;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::kafka::Uuid;
use crate::kafka::hash::{RackLists, Stream, TopicContent, kip_draft, murmur3, xxh3};
use crate::kafka::{NameTable, RackId, TopicId};
use crate::report::table::{Cell, Column, Grid};

use super::topic_id::topic_id;
use super::{Console, Failure, Format};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
A group's file:
  - {topic: orders, id: AAAAAAAAAAEAAAAAAAAAAg, partitions: [[a, b], [b, c]]}
  - {topic: audit, id: 00000000000000010000000000000002, partitions: [[a], [a]]}
Partitions in order of number, each with the racks of its replicas: in any order, a rack as often as replicas have it.")]
pub(super) struct HashArgs {
    /// A topic's name
    #[arg(long, required_unless_present = "group", conflicts_with = "group", requires = "id")]
    topic: Option<String>,
    /// Its id: 22 characters as Kafka prints it, or 32 hexadecimal digits
    #[arg(long, requires = "topic")]
    id: Option<String>,
    /// The racks of a partition's replicas, once for each partition in order; `''` where none has one
    #[arg(long = "partition", value_name = "RACK,RACK", requires = "topic", allow_hyphen_values = true)]
    partitions: Vec<String>,
    /// A YAML file with a list of topics
    #[arg(long, value_name = "FILE")]
    group: Option<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// A topic as given.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct TopicGiven {
    topic: String,
    id: String,
    #[serde(default)]
    partitions: Vec<Vec<String>>,
}

/// One hash.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
struct HashRow {
    /// The topic, or `(group)`.
    of: String,
    algorithm: String,
    reads: String,
    decimal: i64,
    hex: String,
}

pub(super) fn run(args: &HashArgs, console: &mut Console<'_>) -> Result<(), Failure> {
    let topics = match (&args.group, &args.topic) {
        (Some(file), _) => read_group(file)?,
        (None, topic) => {
            let racks =
                |text: &String| text.split(',').map(str::trim).filter(|r| !r.is_empty()).map(str::to_owned).collect();
            vec![TopicGiven {
                topic: topic.clone().unwrap_or_default(),
                id: args.id.clone().unwrap_or_default(),
                partitions: args.partitions.iter().map(racks).collect(),
            }]
        }
    };
    let rows = hashes(&topics, args.group.is_some())?;
    match args.format {
        Format::Table => console.data(&table(&rows, console)),
        Format::Csv | Format::Json => console.rows(&rows, args.format, &crate::report::files::header::<HashRow>()),
    }
}

fn read_group(file: &PathBuf) -> Result<Vec<TopicGiven>, Failure> {
    let text = fs::read_to_string(file).map_err(|e| Failure::Input(format!("cannot read {}: {e}", file.display())))?;
    serde_yaml::from_str(&text).map_err(|e| {
        Failure::Input(format!(
            "{}: {}; `hash --help` shows how such a file looks",
            file.display(),
            e.without_snippet()
        ))
    })
}

/// An algorithm, how it reads racks, and its two functions.
type Algorithm = (
    &'static str,
    &'static str,
    bool,
    fn(&TopicContent<'_>, &NameTable, &mut Stream) -> u64,
    fn(&[u64], &mut Stream) -> u64,
);

const ALGORITHMS: [Algorithm; 3] = [
    (
        "xxh3",
        "Kafka 4.1: racks as often as replicas have them",
        true,
        |c, n, s| xxh3::topic(c, n, s).hash,
        |h, s| xxh3::group(h, s).hash,
    ),
    (
        "murmur3",
        "KIP-1101 v3: each rack once",
        false,
        |c, n, s| murmur3::topic(c, n, s).hash,
        |h, s| murmur3::group(h, s).hash,
    ),
    (
        "kip-draft",
        "KIP-1101 v2: each rack once",
        false,
        |c, n, _| kip_draft::topic(c, n).hash,
        |h, s| kip_draft::group(h, s).hash,
    ),
];

fn hashes(given: &[TopicGiven], group: bool) -> Result<Vec<HashRow>, Failure> {
    let mut topics: Vec<(&TopicGiven, Uuid)> = Vec::new();
    for topic in given {
        if topic.topic.is_empty() {
            return Err(Failure::Input("a topic has no name".to_owned()));
        }
        if topic.partitions.is_empty() {
            return Err(Failure::Input(format!(
                "topic {} has no partitions: give the racks of each, or `''` where there are none",
                topic.topic
            )));
        }
        if topics.iter().any(|(t, _)| t.topic == topic.topic) {
            return Err(Failure::Input(format!("topic {} stands twice", topic.topic)));
        }
        topics.push((topic, topic_id(&topic.id).map_err(Failure::Input)?));
    }
    let topic_names: Vec<String> = topics.iter().map(|(t, _)| t.topic.clone()).collect();
    let mut racks: Vec<String> = topics.iter().flat_map(|(t, _)| t.partitions.iter().flatten().cloned()).collect();
    racks.sort_unstable();
    racks.dedup();
    let names = NameTable::new(&topic_names, &racks);
    let mut order: Vec<usize> = (0..topics.len()).collect();
    order.sort_by_key(|&i| names.topic(TopicId::at(i)).rank);
    let mut rows = Vec::new();
    for (name, reads, multiset, topic_hash, group_hash) in ALGORITHMS {
        let mut stream = Stream::default();
        let mut parts = Vec::new();
        for &i in &order {
            let (topic, id) = topics[i];
            let lists = rack_lists(topic, &racks, &names, multiset);
            let content = TopicContent { name: names.topic(TopicId::at(i)), id: Some(id), racks: &lists };
            let hash = topic_hash(&content, &names, &mut stream);
            parts.push(hash);
            rows.push(row(&topic.topic, name, reads, hash));
        }
        if group {
            rows.push(row("(group)", name, reads, group_hash(&parts, &mut stream)));
        }
    }
    Ok(rows)
}

fn row(of: &str, algorithm: &str, reads: &str, hash: u64) -> HashRow {
    let (of, algorithm, reads) = (of.to_owned(), algorithm.to_owned(), reads.to_owned());
    HashRow { of, algorithm, reads, decimal: hash.cast_signed(), hex: format!("{hash:016x}") }
}

fn rack_lists(topic: &TopicGiven, racks: &[String], names: &NameTable, multiset: bool) -> RackLists {
    let mut lists = RackLists::default();
    for partition in &topic.partitions {
        let mut ids: Vec<RackId> =
            partition.iter().filter_map(|rack| racks.binary_search(rack).ok().map(RackId::at)).collect();
        ids.sort_by_key(|&rack| names.rack(rack).rank);
        if !multiset {
            ids.dedup();
        }
        lists.push(ids);
    }
    lists
}

fn table(rows: &[HashRow], console: &Console<'_>) -> String {
    let mut grid = Grid::new(vec![
        Column::text("of"),
        Column::text("algorithm"),
        Column::figure("decimal"),
        Column::text("hex"),
        Column::text("reads"),
    ]);
    for row in rows {
        grid.row(vec![
            Cell::plain(row.of.as_str()),
            Cell::plain(row.algorithm.as_str()),
            Cell::plain(row.decimal.to_string()),
            Cell::plain(row.hex.as_str()),
            Cell::plain(row.reads.as_str()),
        ]);
    }
    grid.render(console.screen())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn topic(name: &str, id: &str, partitions: &[&[&str]]) -> TopicGiven {
        let partitions = partitions.iter().map(|p| p.iter().map(|&r| r.to_owned()).collect()).collect();
        TopicGiven { topic: name.to_owned(), id: id.to_owned(), partitions }
    }

    fn values(topics: &[TopicGiven], group: bool) -> Vec<i64> {
        hashes(topics, group).unwrap().into_iter().map(|r| r.decimal).collect()
    }

    const T1: &str = "00000000000000010000000000000002";

    #[test]
    fn the_vectors_of_kafka_come_out() {
        let t1 = topic("foo", T1, &[&["rack0", "rack1"], &["rack1", "rack2"]]);
        let got = values(&[t1], true);
        assert_eq!(got[0], 4_353_889_350_917_689_232);
        assert_eq!(got[1], -4_362_481_169_458_002_491);
        assert_eq!(got[2], 4_572_801_973_770_425_818);
        assert_eq!(got[3], 1_116_153_573_773_234_873);
        assert_eq!(got[4], -5_663_832_403_181_018_381);
        let bare = values(&[topic("foo", T1, &[&[], &[]])], false);
        assert_eq!(bare, [-5_159_372_484_819_424_185, -216_937_846_778_777_600, 6_724_080_264_520_880_531]);
    }

    #[test]
    fn the_order_of_racks_does_not_matter_and_duplicates_only_to_kafka() {
        let plain = values(&[topic("foo", T1, &[&["rack0", "rack1"], &["rack1", "rack2"]])], false);
        let turned = values(&[topic("foo", T1, &[&["rack1", "rack0"], &["rack2", "rack1"]])], false);
        assert_eq!(plain, turned);
        let twice = values(&[topic("foo", T1, &[&["rack1", "rack0", "rack1"], &["rack2", "rack1"]])], false);
        assert_eq!(twice[0], 7_883_487_377_592_168_261);
        assert_eq!(twice[1..], plain[1..]);
    }

    #[test]
    fn the_order_of_topics_in_the_file_does_not_matter() {
        let (a, b) = (topic("a", T1, &[&["r"]]), topic("b", T1, &[&["r"], &["s"]]));
        assert_eq!(values(&[a.clone(), b.clone()], true), values(&[b, a], true));
    }

    #[test]
    fn a_topic_that_stands_twice_or_has_no_name_or_no_partitions_is_refused() {
        let message = |topics: &[TopicGiven]| hashes(topics, true).unwrap_err().text(false).unwrap();
        assert_eq!(message(&[topic("a", T1, &[&[]]), topic("a", T1, &[&[]])]), "error: topic a stands twice");
        assert_eq!(message(&[topic("", T1, &[&[]])]), "error: a topic has no name");
        assert!(message(&[topic("a", T1, &[])]).starts_with("error: topic a has no partitions"));
    }
}
