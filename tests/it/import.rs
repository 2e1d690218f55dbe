//! `import`: what Kafka's tools print becomes the cluster that they were asked about. The files in `data/import` are what
//! the tools of those releases printed of a running cluster of three brokers.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rebalance_sim::kafka::GroupKind;
use rebalance_sim::kafka::java::shard_of;
use rebalance_sim::scenario::{ImportOptions, Imported, Members, Place, Scenario, Source, TopicPick};
use rebalance_sim::scenario::{import, load_text};
use rebalance_sim::world::{History, make};

use super::cli::{refused, sim, text};

#[path = "../../examples/made-cluster.rs"]
#[allow(dead_code, reason = "an example has a main of its own")]
mod made_cluster;

fn data(release: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/data/import").join(release)
}

fn read(release: &str, files: &[&str]) -> Vec<Source> {
    let one =
        |name: &&str| Source { name: (*name).to_owned(), text: fs::read_to_string(data(release).join(name)).unwrap() };
    files.iter().map(one).collect()
}

fn given(files: &[(&str, &str)]) -> Vec<Source> {
    files.iter().map(|(name, text)| Source { name: (*name).to_owned(), text: (*text).to_owned() }).collect()
}

fn imported(files: Vec<Source>) -> Imported {
    import(files, &ImportOptions::default()).unwrap_or_else(|problems| panic!("{problems}"))
}

fn meant(imported: &Imported) -> Scenario {
    let loaded = load_text("prod.yaml", &imported.yaml, &[]).unwrap_or_else(|e| panic!("{e}\n{}", imported.yaml));
    let odd: Vec<&String> = loaded.warnings.iter().filter(|w| !w.contains("there are no groups")).collect();
    assert!(odd.is_empty(), "{odd:?} {}", imported.yaml);
    loaded.scenario
}

fn wrong(files: &[(&str, &str)]) -> String {
    import(given(files), &ImportOptions::default()).unwrap_err().short()
}

/// Groups as `name: members topics`.
fn groups(scenario: &Scenario) -> Vec<String> {
    let one = |group: &rebalance_sim::scenario::Group| {
        let members = match &group.members {
            Members::Count(count) => format!("{}{}", count.lo, if group.is_static { " static" } else { "" }),
            Members::Named(list) => format!("{} named", list.len()),
        };
        let TopicPick::These(topics) = &group.topics else { panic!() };
        format!("{}: {members} {}", group.name, topics.join(" "))
    };
    scenario.groups.iter().map(one).collect()
}

const FILES: [&str; 7] =
    ["topics.txt", "members.txt", "state.txt", "offsets.txt", "list-state-type.txt", "brokers.txt", "features.txt"];

#[test]
fn what_every_release_prints_is_the_cluster_that_was_asked() {
    for release in ["kafka-3.9", "kafka-4.0", "kafka-4.1", "kafka-4.3"] {
        let imported = imported(read(release, &FILES));
        let scenario = meant(&imported);
        assert_eq!(scenario.cluster.version.name(), release);
        let brokers: Vec<(u32, Option<&str>)> = scenario.brokers.iter().map(|b| (b.id.0, b.rack.as_deref())).collect();
        assert_eq!(brokers, [(1, Some("a")), (2, Some("b")), (3, Some("c"))], "{release}");
        let groups = groups(&scenario);
        let usual = ["billing: 2 orders payments.v1", "etl-static: 2 static clicks", "gone: 0 audit_log"];
        assert_eq!(groups, [&usual[..], &["shop-classic: 2 orders"]].concat(), "{release}");
        assert!(imported.sizes.contains("(1 consumer, 3 classic; 1 without members)"), "{}", imported.sizes);
        assert_eq!(scenario.groups[0].assignor.as_deref(), Some("uniform"));
        let size = |name: &str| {
            let topic = scenario.topics.iter().find(|t| t.name == name).unwrap();
            let Place::Exact(lists) = &topic.place else { panic!() };
            (lists.len(), lists[0].len())
        };
        let sizes = ["orders", "payments.v1", "audit_log", "clicks"].map(size);
        assert_eq!(sizes, [(6, 3), (4, 2), (1, 1), (3, 3)]);
        assert_eq!(scenario.cluster.offsets_replicas.as_ref().map(Vec::len), Some(10));
    }
}

/// Kafka itself said which broker coordinates a group; we say it from the group's name and the offsets topic.
#[test]
fn the_coordinators_are_those_that_kafka_named() {
    for release in ["kafka-3.9", "kafka-4.0", "kafka-4.1", "kafka-4.3"] {
        let scenario = meant(&imported(read(release, &FILES)));
        let history = make(&scenario, 1).unwrap();
        let mut seen = 0;
        for line in fs::read_to_string(data(release).join("state.txt")).unwrap().lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let Some(id) = words.get(2).and_then(|word| word.strip_prefix('(')?.strip_suffix(')')) else { continue };
            let Ok(id) = id.parse::<u32>() else { continue };
            let group = history.names.groups.iter().position(|name| name == words[0]).unwrap();
            let leader = history.shards[history.groups[group].shard.index()].leaders[0].1;
            assert_eq!(leader.map(|b| b.0), Some(id), "{release} {line}");
            seen += 1;
        }
        assert_eq!(seen, 4);
    }
}

/// The text without its comment on top, which names the files in their order.
fn body(yaml: &str) -> &str {
    &yaml[yaml.find("\ncluster:").unwrap()..]
}

#[test]
fn files_come_in_any_order_twice_or_as_one() {
    let files = read("kafka-4.1", &FILES);
    let whole = imported(files.clone());
    let backwards: Vec<Source> = files.iter().rev().cloned().collect();
    assert_eq!(body(&imported(backwards).yaml), body(&whole.yaml));
    let twice: Vec<Source> = files.iter().chain(&files).cloned().collect();
    assert_eq!(body(&imported(twice).yaml), body(&whole.yaml));
    let all: String = files.iter().map(|file| file.text.as_str()).collect();
    assert_eq!(body(&imported(given(&[("all.txt", &all)])).yaml), body(&whole.yaml));
    let crlf = format!("\u{feff}{}", all.replace('\n', "\r\n"));
    assert_eq!(body(&imported(given(&[("all.txt", &crlf)])).yaml), body(&whole.yaml));
    let pasted: Vec<String> = all.lines().map(|l| l.replace('\t', "        ")).collect();
    assert_eq!(body(&imported(given(&[("all.txt", &pasted.join("\n"))])).yaml), body(&whole.yaml));
}

#[test]
fn other_tools_say_the_same() {
    let whole = meant(&imported(read("kafka-4.1", &FILES)));
    let other = ["kcat.json", "endpoints.txt", "members.txt", "state-verbose.txt", "groups.txt", "features.txt"];
    let imported = imported(read("kafka-4.1", &other));
    let scenario = meant(&imported);
    assert_eq!(scenario.brokers, whole.brokers);
    assert_eq!(scenario.topics, whole.topics);
    assert_eq!(scenario.cluster, whole.cluster);
    // a list of all groups has the share group too, of which nothing else tells here
    let names: Vec<String> = scenario.groups.iter().map(|g| g.name.clone()).collect();
    assert_eq!(names, ["billing", "etl-static", "gone", "share-it", "shop-classic"]);
    assert!(
        imported.notes.iter().any(|note| note.starts_with("1 group is known by name only")),
        "{:?}",
        imported.notes
    );
    let with_share = [&other[..], &["share.txt"]].concat();
    let scenario = meant(&super::import::imported(read("kafka-4.1", &with_share)));
    assert_eq!(groups(&scenario)[3], "share-it: 1 clicks");
    assert_eq!(scenario.groups[3].kind, GroupKind::Share);
}

#[test]
fn a_streams_group_stands_on_what_it_reads_and_on_the_topics_that_are_named_after_it() {
    let topic = |name: &str| {
        format!(
            "Topic: {name}\tTopicId: ZfO-y-k8TpWT4Xb7ccr5hg\tPartitionCount: 1\tReplicationFactor: 1\tConfigs: \n\
             \tTopic: {name}\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\n"
        )
    };
    let topics =
        ["orders", "app-by-user-repartition", "app-totals-changelog", "apple-totals-changelog"].map(topic).concat();
    let members = "GROUP           MEMBER                 PROCESS   CLIENT-ID  ASSIGNMENT\n\
                   app             9Q5n3YeUQGSY1adwkDTJDg p-1       c-1        ACTIVE: 0_0\n";
    let offsets = "GROUP           TOPIC                    PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG\n\
                   app             orders                   0          5               5               0\n\
                   app             app-by-user-repartition  0          5               5               0\n";
    let list = "GROUP                TYPE                 PROTOCOL            \n\
                app                  Streams              streams             \n";
    let found = imported(given(&[("t", &topics), ("m", members), ("o", offsets), ("l", list)]));
    let scenario = meant(&found);
    assert_eq!(groups(&scenario), ["app: 1 orders"]);
    assert_eq!(scenario.groups[0].kind, GroupKind::Streams);
    assert_eq!(*scenario.groups[0].internal, ["by-user-repartition".to_owned(), "totals-changelog".to_owned()]);
    assert!(
        found.notes.iter().any(|note| note.starts_with("1 streams group is given the repartition")),
        "{:?}",
        found.notes
    );
    // new names keep nobody's topics from being its own
    let hidden = import(
        given(&[("t", &topics), ("m", members), ("o", offsets), ("l", list)]),
        &ImportOptions { anonymise: true, ..ImportOptions::default() },
    );
    let scenario = meant(&hidden.unwrap());
    let TopicPick::These(topics) = &scenario.groups[0].topics else { panic!() };
    assert_eq!(topics.len() + scenario.groups[0].internal.len(), 3);
}

#[test]
fn a_cluster_with_a_broker_down_is_taken_and_told() {
    let files = ["topics-down.txt", "endpoints-down.txt", "members.txt", "features.txt"];
    let down = imported(read("kafka-4.1", &files));
    assert!(down.notes.contains(&"fenced, and taken as up: broker 3".to_owned()), "{:?}", down.notes);
    assert!(down.notes.iter().any(|note| note.contains("short of in-sync replicas")), "{:?}", down.notes);
    assert_eq!(meant(&down).topics, meant(&imported(read("kafka-4.1", &FILES))).topics);
    let unlisted = imported(read("kafka-4.1", &["kcat-down.json", "features.txt", "members.txt"]));
    let text = "in no list of brokers, though with replicas (down?), and taken as up: broker 3";
    assert!(unlisted.notes.contains(&text.to_owned()), "{:?}", unlisted.notes);
}

#[test]
fn members_of_3_9_are_said_to_lack_their_topics() {
    let bare = imported(read("kafka-3.9", &["topics.txt", "members.txt", "features.txt", "brokers.txt"]));
    assert!(bare.notes.iter().any(|note| note.contains("add --describe --all-groups")), "{:?}", bare.notes);
    assert_eq!(groups(&meant(&bare))[0], "billing: 2 ");
}

const FLEET: &str = "
cluster: {version: kafka-4.0, offsets_partitions: 6}
brokers: 9
topics:
  __consumer_offsets: {replicas: [[0,1,2], [3,4,5], [6,7,8], [1,5,6], [2,3,7], [4,8,0]]}
  t: {count: 30, partitions: 3..12}
  same: {count: 4, replicas: [[0,4,8], [1,5,6]]}
  lone: {partitions: 4, rf: 2}
groups:
  g: {count: 60, members: 1..6, topics: 3 of t}
  like: {count: 8, members: 3, topics: [lone, same-2]}
  fixed: {count: 3, members: 4, static: true, topics: [t-1]}
  solo: {members: 1, topics: [lone]}
";

const ROLL: &str = "
base: prod.yaml
history: [{roll: {at: 10m, to: kafka-4.1, as: saturday}}]
strategies: [as-deployed, kafka-4.1]
";

/// What happens to a cluster in a roll.
fn rolled(base: &str) -> (History, String) {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("prod.yaml"), base).unwrap();
    fs::write(home.path().join("roll.yaml"), ROLL).unwrap();
    let loaded = rebalance_sim::scenario::load(&home.path().join("roll.yaml"), &[]).unwrap();
    let history = make(&loaded.scenario, 1).unwrap();
    let outcomes = sim(home.path(), &["run", "roll.yaml", "-q", "--format", "csv"]);
    assert_eq!(outcomes.status.code(), Some(0), "{}", text(&outcomes.stderr));
    (history, text(&outcomes.stdout))
}

fn printed() -> (Scenario, Vec<Source>) {
    let scenario = load_text("fleet.yaml", FLEET, &[]).unwrap().scenario;
    let history = make(&scenario, 1).unwrap();
    let one = |(name, text): (&'static str, String)| Source { name: name.to_owned(), text };
    let files = made_cluster::printed(&scenario, &history).into_iter().map(one).collect();
    (scenario, files)
}

/// Everything there is to a run is in what the tools print: the imported cluster has the history of the one that was
/// printed, to its fingerprint, and every strategy does the same in it, to the byte.
#[test]
fn an_imported_cluster_has_the_very_history_of_the_printed_one() {
    let (_, files) = printed();
    let imported = imported(files);
    assert!(imported.yaml.contains("  same: {count: 4, replicas: [[0,4,8], [1,5,6]]}"), "{}", imported.yaml);
    assert!(imported.yaml.contains("brokers: 9\n"), "{}", imported.yaml);
    let (history, outcomes) = rolled(FLEET);
    let (again, same) = rolled(&imported.yaml);
    assert_eq!(again.id, history.id);
    // the tools show an assignor, which the printed groups do not have; what it costs stands in ten of the last columns
    let without_assignments =
        |csv: &str| csv.lines().map(|line| line.rsplitn(12, ',').last().unwrap().to_owned()).collect::<Vec<_>>();
    assert_eq!(without_assignments(&same), without_assignments(&outcomes));
    // the fingerprint sees so little as two replicas that change places, of a topic or of a shard
    for (right, wrong) in [("[[0,4,8], [1,5,6]]", "[[4,0,8], [1,5,6]]"), ("[3,4,5]", "[4,3,5]")] {
        assert!(imported.yaml.contains(right));
        assert_ne!(rolled(&imported.yaml.replacen(right, wrong, 1)).0.id, history.id, "{wrong}");
    }
}

#[test]
fn folding_a_family_changes_no_history() {
    let (_, files) = printed();
    let folded = imported(files);
    assert!(folded.yaml.contains("  same: {count: 4, "));
    let lines: Vec<String> = folded
        .yaml
        .lines()
        .map(|line| {
            let Some(rest) = line.strip_prefix("  same: {count: 4, ") else { return line.to_owned() };
            (1..=4).map(|n| format!("  same-{n}: {{{rest}")).collect::<Vec<_>>().join("\n")
        })
        .collect();
    let unfolded = lines.join("\n");
    assert_ne!(unfolded, folded.yaml);
    assert_eq!(rolled(&unfolded).0.id, rolled(&folded.yaml).0.id);
}

#[test]
fn other_names_keep_their_lengths_and_their_coordinators() {
    let (scenario, files) = printed();
    let options = ImportOptions { anonymise: true, ..ImportOptions::default() };
    let hidden = import(files, &options).unwrap();
    let other = meant(&hidden);
    for name in ["lone", "same", "like", "solo", "fixed", "t-1"] {
        assert!(!body(&hidden.yaml).contains(name), "{name}: {}", hidden.yaml);
    }
    for name in ["example", "topics.txt"] {
        assert!(!hidden.yaml.contains(name), "{name}");
    }
    let shards = |s: &Scenario| -> Vec<(usize, u32)> {
        let mut all: Vec<_> = s.groups.iter().map(|g| (g.name.len(), shard_of(&g.name, 6).0)).collect();
        all.sort_unstable();
        all
    };
    assert_eq!(shards(&other), shards(&scenario));
    let lengths = |s: &Scenario| {
        let mut all: Vec<usize> = s.topics.iter().map(|t| t.name.len()).collect();
        all.sort_unstable();
        all
    };
    assert_eq!(lengths(&other), lengths(&scenario));
    let members = |s: &Scenario| make(s, 1).unwrap().members.len();
    assert_eq!(members(&other), members(&scenario));
    // whom a roll to another release hits, it hits at the same steps
    let per_shard = |history: &History| -> BTreeMap<u32, usize> {
        let mut all = BTreeMap::new();
        history.groups.iter().for_each(|g| *all.entry(g.shard.0).or_default() += 1);
        all
    };
    let (old, new) = (rolled(FLEET).0, rolled(&hidden.yaml).0);
    assert_eq!(per_shard(&old), per_shard(&new));
    assert_eq!(old.shards, new.shards);
    let again = import(printed().1, &options).unwrap();
    assert_eq!(again.yaml, hidden.yaml, "names are dealt, not drawn");
}

#[test]
fn groups_of_one_type_can_be_kept() {
    let (_, files) = printed();
    let options = ImportOptions { only: vec![GroupKind::Consumer], ..ImportOptions::default() };
    let kept = import(files, &options).unwrap();
    assert!(kept.yaml.contains("# Left out: 18 groups of type classic."), "{}", kept.yaml);
    assert_eq!(meant(&kept).groups.len(), 54);
}

#[test]
fn names_that_a_scenario_cannot_hold_get_others_that_fall_to_the_same_coordinator() {
    let table = "GROUP           TYPE                 STATE\nall             Consumer             Empty\nmy own group    Classic              Empty\n1.5             Consumer             Empty\n";
    let imported = imported(given(&[("list.txt", table)]));
    assert!(imported.yaml.contains("2 names that a scenario cannot hold"), "{}", imported.yaml);
    let has: BTreeSet<(usize, u32)> =
        meant(&imported).groups.iter().map(|group| (group.name.len(), shard_of(&group.name, 50).0)).collect();
    let had = ["all", "my own group", "1.5"].map(|name| (name.len(), shard_of(name, 50).0));
    assert_eq!(has, BTreeSet::from(had));
}

#[test]
fn what_nothing_says_has_its_default_and_a_note() {
    let table = "GROUP           TYPE                 STATE\ng               Consumer             Empty\n";
    let imported = imported(given(&[("list.txt", table)]));
    let scenario = meant(&imported);
    assert_eq!((scenario.brokers.len(), scenario.topics.len(), scenario.groups.len()), (6, 0, 1));
    for note in
        ["no file speaks of brokers", "no file says the brokers' release", "no file describes __consumer_offsets"]
    {
        assert!(imported.notes.iter().any(|n| n.starts_with(note)), "{note}: {:?}", imported.notes);
    }
    assert!(imported.yaml.contains("# There are no topics.\n"));
}

#[test]
fn a_cluster_without_groups_is_fine_and_said_to_be_one() {
    let home = tempfile::tempdir().unwrap();
    let topics = fs::read_to_string(data("kafka-4.1").join("topics.txt")).unwrap();
    fs::write(home.path().join("topics.txt"), topics).unwrap();
    fs::write(
        home.path().join("members.txt"),
        "\nGROUP           CONSUMER-ID     HOST            CLIENT-ID       #PARTITIONS     \n",
    )
    .unwrap();
    let output = sim(home.path(), &["import", "topics.txt", "members.txt"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("# There are no groups, so nothing can rebalance.\n"));
}

const TOPIC: &str = "Topic: t\tTopicId: x\tPartitionCount: 2\tReplicationFactor: 2\tConfigs: \n\tTopic: t\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\n\tTopic: t\tPartition: 1\tLeader: 2\tReplicas: 2,1\tIsr: 2,1\n";

#[test]
fn damage_is_named_with_its_line() {
    let lines: Vec<&str> = TOPIC.lines().collect();
    for (text, said) in [
        (lines[..2].join("\n"), "f:1:1: topic `t` has 2 partitions by this line; missing: 1; is the file cut short?"),
        (lines[1..].join("\n"), "f:1:1: only single partitions of topic `t` are here; the line `Topic: … PartitionCount: …` above it is missing; was --describe given a filter?"),
        (TOPIC[..TOPIC.len() - 10].to_owned(), "f:3:1: partition 1 of `t` has no in-sync replicas; expected `Isr: 1,2,3`; is the line cut short?"),
        (TOPIC.replace("2,1", "2,x"), "f:3:1: partition 1 of `t` has no list of replicas; expected `Replicas: 1,2,3`; is the line cut short?"),
        (TOPIC.replace("PartitionCount: 2", "PartitionCount: 1"), "f:1:1: topic `t` has 1 partition by this line, and there is a partition 1"),
        ("orders\nclicks\n".to_owned(), "f:1:1: these 2 lines are of no tool known here; expected a line of a tool's output"),
        (" \n\n".to_owned(), "f:1:1: this file is empty; the tool printed nothing here: look at what it said, or leave the file out"),
        ("GROUP  CONSUMER-ID  HOST  CLIENT-ID  #PARTITIONS  ASSIGNMENT\ng      c            /1    c          3            t(0,1)\n".to_owned(), "f:2:1: this member has 3 partitions by its number and 2 in its assignment; is the line cut short?"),
        ("GROUP  COORDINATOR (ID)  STATE  #MEMBERS\ng      h:9092  (1)       Stable \n".to_owned(), "f:2:1: this group has no coordinator or no number of members; is the line cut short?"),
        ("GROUP  COLOUR\ng      red\n".to_owned(), "f:1:1: no table known here has the columns GROUP COLOUR"),
        ("GROUP  TYPE\ng      Purple\n".to_owned(), "f:2:1: `Purple` is no type of a group; expected Classic, Consumer, Share or Streams"),
        ("h:9092 (id: 1 rack: a) -> (\n\tProduce(0): 0 to 11 [usable: 11],\n".to_owned(), "f:1:1: what broker 1 offers breaks off; the list that begins here has no `)` at its end: is the file cut short?"),
        ("h:9092 (id: 1 rack: a) ->\n".to_owned(), "f:1:1: a broker's line that breaks off; expected `HOST:PORT (id: N rack: NAME) -> (`; is the line cut short?"),
        ("Error while executing topic command : Timed out\n".to_owned(), "f:1:1: the tool failed here; this file holds a part at most: run the tool again"),
        ("{\"brokers\":[{\"id\":1,\"name\":\"x\"}],\n\"topics\":[".to_owned(), "f:2:10: this is not what `kcat -L -J` prints: EOF while parsing a list; is the file cut short?"),
        ("Feature: metadata.version\tSupportedMinVersion: 3.0-IV1\n".to_owned(), "f:1:1: this feature has no greatest version; expected `SupportedMaxVersion:`; is the line cut short?"),
    ] {
        assert!(wrong(&[("f", &text)]).starts_with(said), "{said}\n{}", wrong(&[("f", &text)]));
    }
}

#[test]
fn files_that_contradict_each_other_are_named() {
    let other = TOPIC.replace("Replicas: 2,1", "Replicas: 2,3");
    assert_eq!(
        wrong(&[("a", TOPIC), ("b", &other)]),
        "b:3:1: partition 1 has other replicas here than before; are these files of one cluster, and of one time?\n"
    );
    let brokers = "h:9092 (id: 1 rack: a) -> (\n)\nh:9092 (id: 2 rack: b) -> (\n)\n";
    assert_eq!(
        wrong(&[("a", brokers), ("b", &brokers.replace("rack: b", "rack: c"))]),
        "b:3:1: broker 2 has rack `c` here and rack `b` before; are these files of one cluster, and of one time?\n"
    );
    assert_eq!(
        wrong(&[("a", TOPIC), ("b", "h:9092 (id: 7 rack: a) -> (\n)\n")]),
        "b:1:1: no broker of this list holds a replica of any topic; these files are of two clusters\n"
    );
}

/// Cut anywhere, a description of topics is refused, or it was cut between two topics and those before are whole.
#[test]
fn a_cut_description_is_refused_or_has_whole_topics_only() {
    let whole = fs::read_to_string(data("kafka-4.1").join("topics.txt")).unwrap();
    let topics = meant(&imported(given(&[("t", &whole)]))).topics;
    let mut refused = 0;
    for end in (1..whole.len()).filter(|end| whole.is_char_boundary(*end)) {
        match import(given(&[("t", &whole[..end])]), &ImportOptions::default()) {
            Err(problems) => {
                refused += 1;
                assert!(problems.short().starts_with("t:"), "{}", problems.short());
            }
            Ok(cut) => {
                for topic in meant(&cut).topics {
                    assert!(topics.contains(&topic), "{end}: {topic:?}");
                }
            }
        }
    }
    assert!(refused > whole.len() * 9 / 10, "{refused}");
}

#[test]
fn all_problems_of_all_files_come_at_once_and_nothing_else_does() {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("topics.txt"), TOPIC.replace("PartitionCount: 2", "PartitionCount: 3")).unwrap();
    fs::write(home.path().join("list.txt"), "one\ntwo\n").unwrap();
    fs::write(home.path().join("empty.txt"), "").unwrap();
    let args = ["import", "topics.txt", "list.txt", "empty.txt"];
    for words in ["topics.txt:1:1", "list.txt:1:1", "empty.txt:1:1", "known are: kafka-topics.sh --describe"] {
        refused(home.path(), &args, 2, words);
    }
    fs::write(home.path().join("wide.txt"), b"\xff\xfeT\0o\0").unwrap();
    fs::write(home.path().join("latin.txt"), b"Topic: t\nTopic: \xe4\n").unwrap();
    refused(home.path(), &["import", "absent.txt", "wide.txt"], 2, "cannot read absent.txt");
    refused(home.path(), &["import", "absent.txt", "wide.txt"], 2, "it is UTF-16, as PowerShell's `>` writes");
    refused(home.path(), &["import", "latin.txt"], 2, "it is not UTF-8 in line 2");
}

#[test]
fn what_comes_out_can_be_piped_into_validate_and_run() {
    let home = tempfile::tempdir().unwrap();
    let files: Vec<String> = FILES.iter().map(|f| data("kafka-4.1").join(f).display().to_string()).collect();
    let args: Vec<&str> = ["import"].into_iter().chain(files.iter().map(String::as_str)).collect();
    let output = sim(home.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stderr).starts_with("Imported 3 brokers in 3 racks · "), "{}", text(&output.stderr));
    for (verb, said) in
        [("validate", "-: fine; 3 brokers, 5 topics, 4 groups, 10 m"), ("run", "Written to results/stdin/")]
    {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rebalance-sim"));
        let command = command.current_dir(home.path()).args([verb, "-"]).stdin(Stdio::piped());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), &output.stdout).unwrap();
        let done = child.wait_with_output().unwrap();
        assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
        assert!(text(&done.stderr).contains(said), "{}", text(&done.stderr));
    }
    let quiet = sim(home.path(), &[&args[..], &["-q"]].concat());
    assert_eq!(text(&quiet.stderr), "");
    assert_eq!(quiet.stdout, output.stdout);
}
