//! How fast topics are read, written out and hashed: `cargo bench --bench hash`. Medians of one process on
//! one core; compare the ratios of one run, not the figures of two.
#![expect(clippy::disallowed_methods, reason = "a benchmark reads the machine's clock")]

use std::hint::black_box;
use std::time::Instant;

use rebalance_sim::kafka::GroupId;
use rebalance_sim::kafka::hash::{RackLists, Stream, TopicContent, kip_draft, murmur3, xxh3};
use rebalance_sim::kafka::{BrokerId, MetadataImage, NameTable, RackId, Registration, TopicId, TopicImage, Uuid};
use rebalance_sim::scenario::{StrategyKind, StrategySpec};
use rebalance_sim::strategy::{GroupView, Stored, View, Why, Work, registry};

const PARTITIONS: u32 = 1000;
const ROUNDS: usize = 301;

/// Median nanoseconds of a call.
fn median<T>(mut call: impl FnMut() -> T) -> u128 {
    let mut times: Vec<u128> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            black_box(call());
            start.elapsed().as_nanos()
        })
        .collect();
    times.sort_unstable();
    times[ROUNDS / 2]
}

fn main() {
    let racks = ["us-east-1a", "us-east-1b", "us-east-1c"].map(String::from);
    let names = NameTable::new(&["big".to_owned()], &racks);
    let mut lists = RackLists::default();
    (0..PARTITIONS).for_each(|_| lists.push([RackId(0), RackId(1), RackId(2)]));
    let id = Uuid { msb: 1, lsb: 2 };
    let content = TopicContent { id: Some(id), name: names.topic(TopicId(0)), racks: &lists };
    let mut stream = Stream::default();
    let ready = stream.topic(&content, &names).to_vec();
    println!("one topic of {PARTITIONS} partitions and 3 racks, {} bytes; ns, median of {ROUNDS}", ready.len());
    let say = |what: &str, ns: u128| println!("{what:<44}{ns:>9}");
    let of_ready = median(|| xxhash_rust::xxh3::xxh3_64(black_box(&ready)));
    say("a ready buffer, xxh3", of_ready);
    say("the encoder alone", median(|| stream.topic(black_box(&content), &names).len()));
    // nothing is kept between two hashes but the buffer's memory
    let whole = median(|| xxh3::topic(black_box(&content), &names, &mut stream));
    say("xxh3", whole);
    let share = of_ready * 100 / whole.max(1);
    println!(
        "{:<44}{share:>8} %   target ≥ 50 %{}",
        "  so fast as a ready buffer",
        if share < 50 { ", not met" } else { "" }
    );
    say("murmur3", median(|| murmur3::topic(black_box(&content), &names, &mut stream)));
    say("kip-draft", median(|| kip_draft::topic(black_box(&content), &names)));
    strategies(&names, id, say);
}

/// A whole recomputation of a group with this one topic, reading the image included, against an equal stored value.
fn strategies(names: &NameTable, id: Uuid, say: impl Fn(&str, u128)) {
    let partitions = (0..PARTITIONS).map(|p| (0..3).map(|i| BrokerId((p + i) % 6)).collect()).collect();
    let image = MetadataImage {
        topics: vec![Some(TopicImage { id, partitions })],
        brokers: (0..6).map(|b| Some(Registration { rack: Some(RackId(b % 3)) })).collect(),
    };
    let view = View { image: &image, image_no: 0, names, values: None };
    let group = GroupView { group: GroupId(0), topics: &[TopicId(0)] };
    for kind in StrategyKind::ALL {
        let mut strategy = registry::make(&StrategySpec::bare(kind));
        let mut work = Work::default();
        let stored: Stored = strategy.fresh(&group, &view);
        let ns = median(|| strategy.recompute(&group, &view, &stored, Why::Heartbeat, &mut work));
        say(&format!("recompute, {}", kind.name()), ns);
    }
}
