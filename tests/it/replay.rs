//! What happened to a real cluster, replayed: the live check's own files (docs/live.md) in `data/live`. Three brokers, twelve
//! groups, four minutes; every epoch that the groups really had was read from `__consumer_offsets`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use rebalance_sim::conformance::{Release, ours};
use rebalance_sim::scenario::{ImportOptions, Loaded, LogWindow, Since, Source, import, load_over, strategy_by_word};
use rebalance_sim::sim::Ms;
use rebalance_sim::world::{History, Recorded, jsonl, make_recorded};

use super::cli::{refused, sim, text};

/// The rebalances of a group: each epoch with the hash that was stored with it, if there is one.
type Bumps = BTreeMap<String, Vec<(u64, Option<u64>)>>;

fn data(release: &str, file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/data/live").join(release).join(file)
}

fn dump(release: &str) -> String {
    fs::read_to_string(data(release, "metadata.txt")).unwrap()
}

/// Time 0 of the live check, which its groups' comment says.
fn settled(release: &str) -> u64 {
    let groups = fs::read_to_string(data(release, "groups.yaml")).unwrap();
    let digits = groups.split("settled at ").nth(1).unwrap().split(' ').next().unwrap();
    digits.parse().unwrap()
}

fn window(release: &str, gap: Ms) -> LogWindow {
    LogWindow { since: Since::At(settled(release)), gap }
}

/// The groups of a file over a log.
fn over(log: &Recorded, window: LogWindow, groups: &Path) -> Loaded {
    let length = log.length(window.since).unwrap().after(Ms::secs(60));
    let head = log.scenario("metadata.txt", window, length).unwrap();
    load_over(groups, "metadata.yaml", &head, &[]).unwrap_or_else(|problems| panic!("{problems}"))
}

/// Histories that differ in when members heartbeat: the log does not know that.
fn histories(release: &str, seeds: u64) -> (Loaded, Vec<History>) {
    let log = Recorded::read(&dump(release)).unwrap();
    let window = window(release, Ms::ZERO);
    let mut loaded = over(&log, window, &data(release, "groups.yaml"));
    let one = |seed| {
        loaded.scenario.seed = seed;
        make_recorded(&loaded.scenario, 1, &log, window).unwrap()
    };
    let all = (1..=seeds).map(one).collect();
    (loaded, all)
}

/// What the groups really did after time 0.
fn real(release: &str) -> Bumps {
    let mut bumps = Bumps::new();
    let start = settled(release);
    for row in csv::Reader::from_path(data(release, "epochs.csv")).unwrap().into_records() {
        let row = row.unwrap();
        let (at, epoch): (u64, u64) = (row[0].parse().unwrap(), row[2].parse().unwrap());
        let hash = (!row[3].is_empty()).then(|| u64::from_str_radix(&row[3], 16).unwrap());
        let own = bumps.entry(row[1].to_owned()).or_default();
        if at >= start {
            own.push((epoch, hash));
        }
    }
    bumps
}

fn replayed(loaded: &Loaded, history: &History, strategy: &str) -> Bumps {
    let lane = ours(&loaded.scenario, history, &strategy_by_word(strategy).unwrap(), &|| true).unwrap();
    let mut bumps: Bumps = history.names.groups.iter().map(|group| (group.clone(), Vec::new())).collect();
    for bump in lane.bumps {
        bumps.get_mut(&bump.group).unwrap().push((bump.epoch, bump.hash));
    }
    bumps
}

/// Every epoch of every group, with the metadata hash that the real coordinator stored with it (from 4.1 on), from the
/// cluster's own log. Where two images reach the coordinator within a second, it hangs on the members' heartbeats whether
/// that is one rebalance or two: then one of the histories that differ in nothing else must be the real one.
#[test]
fn groups_of_the_live_check_have_the_epochs_and_hashes_that_they_really_had() {
    for (release, least) in [("kafka-4.0", 12), ("kafka-4.1", 30), ("kafka-4.2", 30), ("kafka-4.3", 30)] {
        let (loaded, histories) = histories(release, 60);
        let real = real(release);
        assert_eq!(real.len(), 12);
        let all: Vec<Bumps> = histories.iter().map(|h| replayed(&loaded, h, release)).collect();
        let mut certain = 0;
        for (group, bumps) in &real {
            let ways: BTreeSet<_> = all.iter().map(|one| one[group].clone()).collect();
            assert!(ways.contains(bumps), "{release} {group}: really {bumps:x?}, and here {ways:x?}");
            certain += usize::from(ways.len() == 1);
        }
        let rebalances: usize = real.values().map(Vec::len).sum();
        assert!(
            certain >= 6 && rebalances >= least,
            "{release}: {certain} groups go one way only, {rebalances} rebalances"
        );
    }
}

#[test]
fn another_release_does_not_fit_the_live_check() {
    let (loaded, histories) = histories("kafka-4.1", 20);
    let real = real("kafka-4.1");
    for (strategy, least) in [("kafka-4.0", 9), ("partition-count", 9), ("kip-1101-v3", 9)] {
        let all: Vec<Bumps> = histories.iter().map(|h| replayed(&loaded, h, strategy)).collect();
        let apart = real.iter().filter(|(group, bumps)| all.iter().all(|one| one[*group].len() != bumps.len())).count();
        let hashes = real.iter().filter(|(group, bumps)| all.iter().all(|one| one[*group] != **bumps)).count();
        assert!(hashes >= least, "{strategy}: {hashes} groups differ, {apart} in their number of rebalances");
    }
}

#[test]
fn groups_that_import_makes_of_the_describe_output_rebalance_as_often() {
    let release = "kafka-4.1";
    let read = |name: &&str| {
        let path = data(release, "describe").join(name);
        Source { name: (*name).to_owned(), text: fs::read_to_string(path).unwrap() }
    };
    let sources = ["topics.txt", "members.txt", "state.txt", "types.txt", "brokers.txt"].iter().map(read).collect();
    let imported = import(sources, &ImportOptions::default()).unwrap_or_else(|problems| panic!("{problems}"));
    let home = tempfile::tempdir().unwrap();
    let groups = home.path().join("prod.yaml");
    fs::write(&groups, &imported.yaml).unwrap();
    let log = Recorded::read(&dump(release)).unwrap();
    let window = window(release, Ms::ZERO);
    let mut loaded = over(&log, window, &groups);
    assert_eq!(loaded.scenario.groups.len(), 12);
    let real = real(release);
    // g-2 and g-3: members came and went; g-11 and g-12: topics that were not there yet, and a pattern
    let as_asked = |group: &str| !["g-2", "g-3", "g-11", "g-12"].contains(&group);
    let counts = |seed| {
        loaded.scenario.seed = seed;
        // the clients of the live check heartbeat every second, which no tool prints
        loaded.scenario.groups.iter_mut().for_each(|g| g.heartbeat.lo = Ms::secs(1));
        loaded.scenario.groups.iter_mut().for_each(|g| g.heartbeat.hi = Ms::secs(1));
        let history = make_recorded(&loaded.scenario, 1, &log, window).unwrap();
        replayed(&loaded, &history, "kafka-4.1")
    };
    let all: Vec<Bumps> = (1..=40).map(counts).collect();
    for (group, bumps) in real.iter().filter(|(group, _)| as_asked(group)) {
        let ways: BTreeSet<usize> = all.iter().map(|one| one[group].len()).collect();
        assert!(ways.contains(&bumps.len()), "{group}: {} and {ways:?}", bumps.len());
    }
}

#[test]
fn a_gap_puts_batches_into_one_image_and_changes_nothing_in_the_end() {
    let log = Recorded::read(&dump("kafka-4.1")).unwrap();
    let mut last = None;
    let mut deltas = usize::MAX;
    for gap in [0, 20, 300, 3_000] {
        let window = window("kafka-4.1", Ms(gap));
        let loaded = over(&log, window, &data("kafka-4.1", "groups.yaml"));
        let history = make_recorded(&loaded.scenario, 1, &log, window).unwrap();
        assert!(history.deltas.len() <= deltas, "{gap} ms: {} after {deltas}", history.deltas.len());
        deltas = history.deltas.len();
        let mut image = history.start.clone();
        history.deltas.iter().for_each(|arrival| image.apply(&arrival.delta));
        assert_eq!(*last.get_or_insert(image.clone()), image, "{gap} ms");
    }
    assert!(deltas < 30, "{deltas}");
}

#[test]
fn a_replayed_history_can_be_written_and_read_like_any_other() {
    let (_, histories) = histories("kafka-4.1", 1);
    let mut written = Vec::new();
    jsonl::write(&histories[0], &mut written).unwrap();
    let back = jsonl::read(&String::from_utf8(written).unwrap()).unwrap();
    assert_eq!(back.id, histories[0].id);
    assert!(back.names.entries.iter().any(|name| name == "unregister-2"), "{:?}", back.names.entries);
}

/// A folder with the live check's log and groups.
fn home() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    for file in ["metadata.txt", "groups.yaml"] {
        fs::copy(data("kafka-4.1", file), home.path().join(file)).unwrap();
    }
    home
}

#[test]
fn replay_shows_the_table_and_other_verbs_go_on_from_there() {
    let (home, since) = (home(), settled("kafka-4.1").to_string());
    let line = ["replay", "metadata.txt", "--groups", "groups.yaml", "--since", &since];
    let strategies = ["--strategies", "kafka-4.0,kafka-4.1"];
    let output = sim(home.path(), &[&line[..], &strategies[..]].concat());
    let (said, table) = (text(&output.stderr), text(&output.stdout));
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(table.contains("3 brokers 3 racks · 7 topics · 12 groups 19 members"), "{table}");
    assert!(said.contains("metadata.txt: 4 m 25 s 399 ms of log, time 0 after 47 s 100 ms; 43 changes"), "{said}");
    assert!(!said.contains("nothing ever creates it"), "{said}");
    let folder = home.path().join("results/metadata");
    for file in ["outcomes.csv", "causes.csv", "provenance.yaml", "charts/timeline.svg"] {
        assert!(folder.join(file).exists(), "{file}");
    }
    let explained =
        text(&sim(home.path(), &["explain", "metadata", "--group", "g-5", "--strategy", "kafka-4.1"]).stdout);
    assert!(explained.contains("register-2") && explained.contains("unregister-2"), "{explained}");
    // the scenario that it stands for is one like any other
    let printed = sim(home.path(), &[&line[..], &["--print-scenario"]].concat());
    fs::write(home.path().join("mine.yaml"), &printed.stdout).unwrap();
    let again = sim(home.path(), &["run", "mine.yaml", "--format", "csv"]);
    assert_eq!(again.status.code(), Some(0), "{}", text(&again.stderr));
    let history = |table: &str| table.split("history ").nth(1).unwrap()[..8].to_owned();
    assert!(text(&again.stdout).contains(&history(&table)), "{}", text(&again.stdout));
}

#[test]
fn a_cut_or_damaged_log_says_in_which_line() {
    let home = home();
    let whole = dump("kafka-4.1");
    let lines: Vec<&str> = whole.lines().collect();
    let try_it = |name: &str, log: String, words: &str| {
        fs::write(home.path().join(name), log).unwrap();
        refused(home.path(), &["replay", name, "--groups", "groups.yaml"], 2, words);
    };
    let place = |what: &str| lines.iter().position(|line| line.contains(what)).unwrap();
    let record = place("\"REGISTER_BROKER_RECORD\"");
    let half = [&lines[..record], &[&lines[record][..lines[record].len() / 2]]].concat().join("\n");
    try_it("half-a-line.txt", half, &format!("half-a-line.txt:{}: this record is cut short or damaged", record + 1));
    let topic = place("\"TOPIC_RECORD\"");
    try_it(
        "no-end.txt",
        lines[..=topic].join("\n"),
        &format!("no-end.txt:{}: the batch of line {topic} has 3 more records", topic + 1),
    );
    let missing = [&lines[..topic], &lines[topic + 1..]].concat().join("\n");
    try_it("line-lost.txt", missing, &format!("line-lost.txt:{}: offset", topic + 1));
    let bad = whole.replacen("isvalid: true", "isvalid: false", 9).replacen("isvalid: false", "isvalid: true", 8);
    try_it("damaged.txt", bad, "Kafka says that this batch is damaged");
    try_it("raw.txt", whole.replace("payload: ", "load: "), "dump the log with --cluster-metadata-decoder");
    try_it("other.txt", "GROUP TOPIC\ng t\n".to_owned(), "it is not what kafka-dump-log.sh prints");
    let middle = place("baseOffset: 8 ");
    let late = [&lines[..2], &lines[middle..]].concat().join("\n");
    try_it("late.txt", late, "the log begins at offset 8");
    refused(
        home.path(),
        &["replay", "metadata.txt", "--groups", "groups.yaml", "--since", "2h"],
        2,
        "--since is after the end",
    );
}

#[test]
fn records_of_unknown_type_are_counted_and_named() {
    let home = home();
    let strange = dump("kafka-4.1").replace("\"NO_OP_RECORD\"", "\"DIRIGIBLE_RECORD\"");
    let times = strange.matches("DIRIGIBLE_RECORD").count();
    assert!(times > 3);
    fs::write(home.path().join("metadata.txt"), strange).unwrap();
    let output = sim(home.path(), &["replay", "metadata.txt", "--groups", "groups.yaml", "--since", "48s"]);
    let note = format!("left out {times} times: DIRIGIBLE_RECORD, a record of unknown type");
    assert!(text(&output.stderr).contains(&note), "{}", text(&output.stderr));
}

#[test]
fn the_release_of_a_broker_is_read_off_what_it_supports() {
    let (loaded, histories) = histories("kafka-4.1", 1);
    assert!(histories[0].releases.iter().all(|release| release.name() == Release::V4_1.name()));
    assert_eq!(loaded.scenario.cluster.offsets_partitions, 4);
}
