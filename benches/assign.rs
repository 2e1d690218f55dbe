//! How long each assignor takes for a large group: `cargo bench --bench assign [-- NAME…]`. 10,000 members on 100
//! topics of 1,000 partitions, on brokers in three racks. *first*: nobody has anything. *joins*: they have what the
//! same assignor gave them, and one more comes. *no racks*: nobody has one. *unequal*: every second member reads only every
//! second topic. Processor time of the best of three calls; making the input is not counted.
use std::collections::BTreeSet;
use std::hint::black_box;
use std::time::Duration;

use rebalance_sim::coordinator::assignor::{Assignor, Input, Member, Owner, Place, Topic};
use rebalance_sim::kafka::Uuid;

const MEMBERS: usize = 10_000;
const TOPICS: usize = 100;
const PARTITIONS: usize = 1_000;
const BROKERS: usize = 30;
const RACKS: [&str; 3] = ["a", "b", "c"];
/// A second call is made only where the first took less.
const AGAIN: Duration = Duration::from_secs(5);

fn topic(number: usize) -> Topic {
    let place = |p: usize| {
        let brokers = (0..2).map(|i| (number * 7 + p + i) % BROKERS);
        Place {
            leader: u32::try_from((number * 7 + p) % BROKERS).unwrap_or(0),
            racks: brokers.map(|b| RACKS[b % RACKS.len()].to_owned()).collect(),
        }
    };
    let partitions = (0..PARTITIONS).map(place).collect();
    Topic { name: format!("t-{number:03}"), id: Uuid { msb: 1, lsb: number as u64 }, partitions }
}

/// Members of which every second one reads only every second topic, if not all are to read the same.
fn members(count: usize, racks: bool, same: bool) -> Vec<Member> {
    let topics = |m: usize| -> BTreeSet<String> {
        (0..TOPICS)
            .filter(|t| same || m.is_multiple_of(2) || t.is_multiple_of(2))
            .map(|t| format!("t-{t:03}"))
            .collect()
    };
    let member = |m: usize| Member {
        id: format!("m-{m:05}"),
        rack: racks.then(|| RACKS[m % RACKS.len()].to_owned()),
        topics: topics(m),
        threads: 1,
        ..Member::default()
    };
    (0..count).map(member).collect()
}

fn owning(mut members: Vec<Member>, input: &Input, owners: &[Owner]) -> Vec<Member> {
    for owner in owners {
        let name = |t: usize| input.topics()[t].name.clone();
        members[owner.member].owned.extend(owner.partitions.iter().map(|tp| (name(tp.topic), tp.partition)));
    }
    members
}

/// Of this thread: others on the machine do not count.
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let nanos = u32::try_from(time.tv_nsec).unwrap_or(0);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), nanos)
}

fn timed(assignor: Assignor, input: &Input) -> Option<(Duration, Vec<Owner>)> {
    let mut best: Option<(Duration, Vec<Owner>)> = None;
    for _ in 0..3 {
        let start = processor_time();
        let owners = black_box(assignor.assign(black_box(input)).ok()?);
        let took = processor_time().saturating_sub(start);
        if best.as_ref().is_none_or(|(least, _)| took < *least) {
            best = Some((took, owners));
        }
        if took > AGAIN {
            break;
        }
    }
    best
}

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let all = Assignor::ALL.into_iter().filter(|a| asked.is_empty() || asked.iter().any(|name| name == a.name()));
    println!("{MEMBERS} members, {TOPICS} topics × {PARTITIONS} partitions; ms of processor time, the best of three");
    println!("{:<20}{:>12}{:>12}{:>12}{:>12}", "", "first", "joins", "no racks", "unequal");
    let topics: Vec<Topic> = (0..TOPICS).map(topic).collect();
    let input = |members: Vec<Member>| Input::new(members, topics.clone()).ok();
    for assignor in all {
        let mut cells: Vec<Option<Duration>> = Vec::new();
        let first = input(members(MEMBERS, true, true)).and_then(|i| timed(assignor, &i).map(|(took, o)| (took, i, o)));
        cells.push(first.as_ref().map(|(took, ..)| *took));
        let joins = first.and_then(|(_, i, owners)| {
            let more = owning(members(MEMBERS + 1, true, true), &i, &owners);
            timed(assignor, &input(more)?)
        });
        cells.push(joins.map(|(took, _)| took));
        for (racks, same) in [(false, true), (true, false)] {
            let result = input(members(MEMBERS, racks, same)).and_then(|i| timed(assignor, &i));
            cells.push(result.map(|(took, _)| took));
        }
        let text = |cell: &Option<Duration>| cell.map_or("–".to_owned(), |took| took.as_millis().to_string());
        let cells: Vec<String> = cells.iter().map(|c| format!("{:>12}", text(c))).collect();
        println!("{:<20}{}", assignor.name(), cells.concat());
    }
}
