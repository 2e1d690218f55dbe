//! `verify-kafka RELEASE --assignors N`: random groups dealt by the release's own assignors, beside ours.

use std::path::Path;

use crate::conformance::{Deal, DealFact, DealKind, Dealt, Held, Release};
use crate::report::words::thousands;

use super::jars::Jars;
use super::{Console, Failure};

/// Of each kind so many go into a file of kept answers.
const KEPT: u32 = 25;

/// What came of one kind.
#[derive(Default)]
struct Sum {
    same: u64,
    same_counts: u64,
    /// Kafka's, ours.
    invalid: [u64; 2],
    /// Kafka's more even, ours more even; Kafka's with fewer moves, ours with fewer.
    even: [u64; 2],
    moves: [u64; 2],
    /// All moves, ours and Kafka's.
    moved: [u64; 2],
    unexplained: u64,
    first: Option<u32>,
}

impl Sum {
    fn add(&mut self, number: u32, held: &Held) {
        self.same += u64::from(held.same);
        self.same_counts += u64::from(!held.same && held.same_counts);
        let (ours, kafka) = (&held.ours, &held.kafka);
        self.invalid[0] += u64::from(!kafka.valid);
        self.invalid[1] += u64::from(!ours.valid);
        self.even[0] += u64::from(kafka.squares < ours.squares);
        self.even[1] += u64::from(ours.squares < kafka.squares);
        self.moves[0] += u64::from(kafka.moves < ours.moves);
        self.moves[1] += u64::from(ours.moves < kafka.moves);
        self.moved[0] += ours.moves;
        self.moved[1] += kafka.moves;
        self.unexplained += u64::from(!held.fits());
        if !held.same {
            self.first.get_or_insert(number);
        }
    }
}

/// Deals `count` groups of every kind both ways; a table on standard output.
pub(super) fn run(
    release: Release,
    jars: &Jars,
    count: u32,
    record: Option<&Path>,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    let mut kept = String::new();
    let mut rows = Vec::new();
    let mut broken = Vec::new();
    for kind in DealKind::ALL {
        console.progress(&kind.name())?;
        let deals: Vec<Deal> = (1..=count).map(|number| Deal::random(kind, number)).collect();
        let lines: String = deals.iter().map(Deal::line).collect();
        let answers = jars.deal(lines)?;
        if answers.len() != deals.len() {
            let (got, asked) = (answers.len(), deals.len());
            return Err(Failure::Machine(format!("{}: {got} answers to {asked} groups", kind.name())));
        }
        let mut sum = Sum::default();
        for ((number, deal), answer) in (1u32..).zip(&deals).zip(answers) {
            let dealt: Dealt = serde_json::from_str(&answer)
                .map_err(|error| Failure::Machine(format!("`{answer}` is no answer: {error}")))?;
            let held = deal.held(&dealt).map_err(|why| Failure::Machine(format!("{} {number}: {why}", kind.name())))?;
            sum.add(number, &held);
            if number <= KEPT {
                kept.push_str(
                    &serde_json::to_string(&DealFact { kind: kind.name(), number, dealt }).expect("plain data"),
                );
                kept.push('\n');
            }
        }
        // an answer of Kafka's that is invalid is a finding, not a fault of the model
        if sum.unexplained > 0 {
            broken.push(kind.name());
        }
        rows.push((kind, sum));
    }
    console.progress("")?;
    if let Some(path) = record {
        super::verify_kafka::write(path, &kept)?;
    }
    console.data(&table(release, count, &rows))?;
    if broken.is_empty() { Ok(()) } else { Err(Failure::Broken(format!("not as Kafka has it: {}", broken.join(", ")))) }
}

fn table(release: Release, count: u32, rows: &[(DealKind, Sum)]) -> String {
    let mut text = format!(
        "{} · {} random groups of each kind\n{:<43} {:>6} {:>11} {:>9} {:>12} {:>12} {:>14}  first that differs\n",
        release.name(),
        thousands(u64::from(count)),
        "assignor",
        "same",
        "same counts",
        "invalid",
        "more even",
        "fewer moves",
        "moves",
    );
    for (kind, sum) in rows {
        let pair = |pair: [u64; 2]| format!("{} : {}", thousands(pair[1]), thousands(pair[0]));
        let moved = format!("{} : {}", thousands(sum.moved[0]), thousands(sum.moved[1]));
        let first = sum.first.map_or(String::new(), |n| format!("  {n}"));
        text += &format!(
            "{:<43} {:>6} {:>11} {:>9} {:>12} {:>12} {:>14}{first}\n",
            kind.name(),
            thousands(sum.same),
            thousands(sum.same_counts),
            pair(sum.invalid),
            pair(sum.even),
            pair(sum.moves),
            moved,
        );
    }
    text += "a : b is ours and Kafka's. same counts: others have which, everybody has as many; more even: a smaller sum of squares.\n";
    text
}
