//! No text makes the reader panic, and none takes long.

use super::*;

/// Everything in it: the rich example, and what it lacks.
const SEEDS: [&str; 4] = [
    include_str!("rich.yaml"),
    include_str!("trigger.yaml"),
    include_str!("mishaps.yaml"),
    "\
brokers: {0: {rack: a}, 1: null, 2: {count: 3, version: kafka-4.2}}
topics: {t: {id: \"0123456789abcdef0123456789abcdef\"}, '010': 3}
groups: {g: &g {members: {a: 2, b: {rack: ~, phase: 1s..2s}}, topics: any 1}, h: {<<: *g, count: 2}}
history:
  - reassign: {at: [1m, 2m], topic: t, replicas: {0: [0, 1]}}
  - move-coordinator: {every: 1h, times: 3, shard: any 2}
expect:
  - (rebalances[group=h, 1h..2h] + 2.5) * -3 / missed[full-metadata] >= heap_bytes_peak - 5s
sweep: {runs: 1..9 step 2}
",
];

/// A generator of its own, so that the test is the same everywhere.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % n.max(1)
    }
}

const PIECES: [&str; 28] = [
    "{",
    "}",
    "[",
    "]",
    ":",
    ": ",
    ", ",
    "\n",
    "  ",
    "- ",
    "*",
    "&a ",
    "*a",
    "<<: *g",
    "!t ",
    "|",
    ">",
    "'",
    "\"",
    "\\",
    "null",
    "99999999999999999999",
    "é",
    "\u{feff}",
    "..",
    " of ",
    "1e999d",
    "-",
];

fn mutated(dice: &mut Dice, text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..1 + dice.below(4) {
        let at = dice.below(bytes.len());
        match dice.below(5) {
            0 => bytes[at] = u8::try_from(dice.below(256)).unwrap(),
            1 => drop(bytes.drain(at..(at + dice.below(40)).min(text.len()).max(at).min(bytes.len()))),
            2 => {
                let from = dice.below(bytes.len());
                let piece = bytes[from..(from + dice.below(60)).min(bytes.len())].to_vec();
                bytes.splice(at..at, piece);
            }
            3 => bytes.truncate(at.max(1)),
            _ => drop(bytes.splice(at..at, PIECES[dice.below(PIECES.len())].bytes())),
        }
        if bytes.is_empty() {
            break;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn no_text_makes_the_reader_panic() {
    let mut dice = Dice(7);
    let small = |text: &&str| text.replace("000,", ",").replace("900,", "9,");
    let seeds: Vec<String> = SEEDS.iter().map(small).map(|text| text.replace("base: ", "# ")).collect();
    for seed in &seeds {
        loaded(seed);
    }
    let (mut fine, mut wrong) = (0, 0);
    for round in 0..2_400 {
        let text = mutated(&mut dice, &seeds[round % seeds.len()]);
        match load_text("fuzz.yaml", &text, &[]) {
            Ok(loaded) => {
                fine += 1;
                let again = load_text("fuzz.yaml", &loaded.resolved, &[]);
                let again = again.unwrap_or_else(|error| panic!("{error}\n{text}\n--\n{}", loaded.resolved));
                assert_eq!(placeless(&again.scenario), placeless(&loaded.scenario), "{text}\n--\n{}", loaded.resolved);
            }
            Err(error) => {
                wrong += 1;
                assert!(!error.problems().is_empty());
                assert!(!error.render(false).is_empty() && !error.render(true).is_empty());
                assert!(error.short().ends_with('\n'));
            }
        }
    }
    assert!(fine > 50 && wrong > 1000, "{fine} {wrong}");
}

#[test]
fn no_set_makes_the_reader_panic() {
    let mut dice = Dice(8);
    let sets = [
        "groups.shop.count=5",
        "history.saturday.gap=[1, {a: b}]",
        "topics.\"a.b\".rf=null",
        "a=b=c",
        "strategies.kafka-4.1.racks=set",
    ];
    for round in 0..1_000 {
        let set = mutated(&mut dice, sets[round % sets.len()]);
        if let Err(error) = load_text("fuzz.yaml", include_str!("mishaps.yaml"), &[set]) {
            assert!(!error.render(false).is_empty());
        }
    }
}
