//! Random small scenarios, as text: 2 to 8 brokers, 1 to 12 topics, 1 to 20 groups, and every event that the release
//! can express. What cannot apply at its instant is left out by its selectors.

use std::fmt::Write as _;

use crate::sim::{Chance, Stream};

use super::Release;

/// Scenario number `number` of a release, written for people.
#[must_use]
pub fn random_scenario(release: Release, number: u32) -> String {
    // the same numbers for every release that has patterns; where they are left out, what follows differs, too
    let mut s = Chance::new(0, number).stream("random scenario", "");
    let patterns = release.has_patterns();
    let mut text = format!("# random scenario {number} for {}\nseed: {number}\nduration: 30m\n", release.name());
    cluster(&mut s, &mut text);
    let brokers = s.between(2, 8);
    let _ = writeln!(text, "brokers: {brokers}");
    topics(&mut s, &mut text, brokers);
    groups(&mut s, &mut text, patterns);
    text.push_str("history:\n");
    for entry in 0..s.between(1, 10) {
        let line = event(&mut s, entry, brokers, patterns);
        let _ = writeln!(text, "  - {line}, as: e{entry}}}");
    }
    let _ = writeln!(text, "strategies: [{}]", release.strategy().name);
    text
}

/// The same scenario with share and streams groups beside the others.
#[must_use]
pub fn random_scenario_of_all_kinds(release: Release, number: u32) -> String {
    let mut s = Chance::new(0, number).stream("random kinds", "");
    let mut own = String::new();
    let heartbeat = |s: &mut Stream| one(s, &["5s", "5s", "3s", "7s"]);
    let (count, most) = (s.between(1, 4), s.between(1, 5));
    let every = heartbeat(&mut s);
    let _ = writeln!(
        own,
        "  q: {{count: {count}, members: 1..{most}, topics: 1..2 of t|other, protocol: share, heartbeat: {every}}}"
    );
    let (count, most) = (s.between(1, 4), s.between(1, 4));
    let every = heartbeat(&mut s);
    let internal = one(&mut s, &["", ", internal: [s-changelog]", ", internal: [by-x-repartition, s-changelog]"]);
    let _ = writeln!(
        own,
        "  a: {{count: {count}, members: 1..{most}, topics: 1..2 of t|other, protocol: streams, heartbeat: {every}{internal}}}"
    );
    if s.below(3) == 0 {
        let _ = writeln!(own, "  late: {{members: 2, topics: [t-1], protocol: share, start: empty}}");
    }
    if s.below(3) == 0 {
        let _ = writeln!(own, "  fresh: {{members: 1..3, topics: [t-1], protocol: streams, start: empty}}");
    }
    random_scenario(release, number).replacen("history:\n", &format!("{own}history:\n"), 1)
}

fn one<'a>(s: &mut Stream, of: &[&'a str]) -> &'a str {
    of[s.index(of.len())]
}

fn cluster(s: &mut Stream, text: &mut String) {
    let coordinators = one(s, &["apart", "brokers", "brokers"]);
    let shards = s.between(1, 4);
    let load = one(s, &["0s", "1s", "1s", "7s"]);
    let lag = one(s, &["0s", "0s", "0s", "700ms", "50ms..4s"]);
    let retention = one(s, &["7d", "7d", "11m"]);
    let deltas = one(s, &["per-leader", "per-leader", "1", "3"]);
    let catch_up = one(s, &["30s", "30s", "0s", "7s"]);
    let racks = one(s, &["[a, b, c]", "[a, b, c]", "[a, b]", "[eu-west-1a, eu-west-1b, eu-west-1c, eu-west-1d]"]);
    let _ = writeln!(
        text,
        "cluster: {{coordinators: {coordinators}, offsets_partitions: {shards}, load_time: {load}, metadata_lag: {lag}, \
         retention: {retention}, racks: {racks}, start: {{unfence: 2s, catch_up: {catch_up}, isr_deltas: {deltas}}}}}"
    );
}

fn topics(s: &mut Stream, text: &mut String, brokers: u64) {
    let (count, rf) = (s.between(1, 9), s.between(1, brokers.min(3)));
    let _ = writeln!(text, "topics:\n  t: {{count: {count}, partitions: 1..6, rf: {rf}}}");
    let (count, rf) = (s.between(1, 3), s.between(1, brokers.min(4)));
    let _ = writeln!(text, "  other: {{count: {count}, partitions: 1..3, rf: {rf}}}");
}

fn groups(s: &mut Stream, text: &mut String, patterns: bool) {
    text.push_str("groups:\n");
    let timing = |s: &mut Stream| {
        let heartbeat = one(s, &["5s", "5s", "3s", "7s"]);
        let session = one(s, &["45s", "45s", "30s"]);
        format!("heartbeat: {heartbeat}, session: {session}")
    };
    let stored = |s: &mut Stream| if s.below(6) == 0 { ", stored: absent" } else { "" };
    let (count, most) = (s.between(1, 14), s.between(1, 4));
    let (timing_g, stored_g) = (timing(s), stored(s));
    let _ =
        writeln!(text, "  g: {{count: {count}, members: 1..{most}, topics: 1..2 of t|other, {timing_g}{stored_g}}}");
    if s.below(2) == 0 {
        let (timing, stored) = (timing(s), stored(s));
        let _ = writeln!(text, "  s: {{count: 2, members: 2, topics: all, static: true, {timing}{stored}}}");
    }
    if s.below(3) == 0 {
        let _ = writeln!(text, "  e: {{members: 2, topics: [t-1], start: empty, {}}}", timing(s));
    }
    if patterns && s.below(2) == 0 {
        let pattern = one(s, &["(t|new).*", "t-.*", "other-.*|new-1", ".*-1"]);
        let (timing, stored) = (timing(s), stored(s));
        let _ = writeln!(text, "  p: {{members: 1..3, pattern: \"{pattern}\", {timing}{stored}}}");
    }
    if patterns && s.below(3) == 0 {
        let _ = writeln!(
            text,
            "  m: {{members: {{a: {{topics: [t-1]}}, b: {{pattern: \"new-.*\"}}, c: {{topics: [other-1], pattern: \"t-[12]\"}}}}, {}}}",
            timing(s)
        );
    }
}

fn event(s: &mut Stream, entry: u64, brokers: u64, patterns: bool) -> String {
    let ms = 1000 + s.below(1_500_000);
    let at = format!("at: {ms}ms");
    let rack = one(s, &["", "", ", rack: d", ", rack: null", ", racks: {a: b}"]);
    let takes = one(s, &["0s", "8s", "20s", "60s"]);
    let down = one(s, &["2s", "20s", "60s"]);
    match s.below(36) {
        0 | 1 => format!("restart: {{{at}, broker: any, down: {down}{rack}"),
        2 => format!("crash: {{{at}, broker: any, for: {}", one(s, &["4s", "100s"])),
        3 => format!("shutdown: {{{at}, broker: any{}", one(s, &["", ", for: 90s"])),
        4 => format!("start: {{{at}, broker: all{}", one(s, &["", ", rack: d", ", rack: null"])),
        // a broker that is gone for good; what is down later is unregistered with it
        5 | 33 => {
            let (later, down) = (ms + 1000 * s.between(10, 200), one(s, &["shutdown", "crash"]));
            format!("{down}: {{{at}, broker: any, as: d{entry}}}\n  - unregister: {{at: {later}ms, broker: all")
        }
        6 => format!("roll: {{{at}, gap: {}, down: {down}{rack}", one(s, &["40s", "90s"])),
        7 => format!("add-broker: {{{at}, broker: {}{}", 20 + entry, one(s, &["", ", rack: d"])),
        8 | 9 => format!("add-partitions: {{{at}, topic: any, by: {}", s.between(1, 3)),
        10 => format!("create-topic: {{{at}, topic: new-{entry}, partitions: 2, rf: 2"),
        11 => format!("delete-topic: {{{at}, topic: any"),
        12 => format!("recreate-topic: {{{at}, topic: any, gap: {}", one(s, &["0s", "7s"])),
        13 | 14 => {
            let within = one(s, &["any", "rack"]);
            format!("reassign: {{{at}, moves: {}, within: {within}, takes: {takes}", s.between(1, 4))
        }
        15 => format!("set-rf: {{{at}, topic: any, rf: {}, takes: {takes}", s.between(1, brokers.min(3))),
        16 => format!("elect-leaders: {{{at}, topic: any"),
        17 => format!("touch: {{{at}, topic: {}", one(s, &["any", "all"])),
        18 => format!("isr-shrink: {{{at}, topic: any, broker: any"),
        19 => format!("isr-expand: {{{at}, topic: any, broker: any"),
        20 => format!("snapshot-reload: {{{at}"),
        21 | 22 => {
            let shard = one(s, &["all", "any"]);
            format!("move-coordinator: {{{at}, shard: {shard}, load: {}s", s.below(30))
        }
        23 => {
            let what = one(s, &["", ", topics: [t-1, other-1]", ", static: true"]);
            format!("join: {{{at}, group: any, members: {}{what}, for: {}s", s.between(1, 2), s.between(1, 400))
        }
        24 => format!("join: {{{at}, group: any, members: 1{}", one(s, &["", ", topics: [nowhere]", ", rack: z"])),
        25 => format!("leave: {{{at}, group: any, member: {}", one(s, &["any", "all"])),
        26 => format!("kill: {{{at}, group: any, member: any"),
        27 | 28 => {
            let group = one(s, &["any", "all"]);
            format!("restart-member: {{{at}, group: {group}, member: any, for: {}s", s.between(1, 80))
        }
        29 | 30 => {
            let topics = one(s, &["[t-1]", "[t-1, other-1]", "[nowhere, t-1]", "all"]);
            format!("subscribe: {{{at}, group: any, member: any, topics: {topics}")
        }
        31 if patterns => {
            let pattern = one(s, &["t-.*", "new-.*", "other.*", "(t|new).*"]);
            format!("subscribe: {{{at}, group: any, member: any, pattern: \"{pattern}\"")
        }
        32 if patterns => format!("join: {{{at}, group: any, members: 1, pattern: \"t-.*\", for: 200s"),
        _ => format!("touch: {{{at}, topic: any"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::load_text;

    #[test]
    fn every_random_scenario_is_read_and_nearly_all_can_happen() {
        for release in Release::ALL {
            let mut made = 0;
            for number in 1..=60 {
                let text = random_scenario(release, number);
                let loaded = load_text("random", &text, &[]).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
                made += u32::from(crate::world::make(&loaded.scenario, 1).is_ok());
            }
            assert!(made > 50, "{made} of 60 for {}", release.name());
        }
    }

    #[test]
    fn a_number_gives_the_same_text_again_and_another_one_another() {
        let text = random_scenario(Release::V4_1, 7);
        assert_eq!(text, random_scenario(Release::V4_1, 7));
        assert_ne!(text, random_scenario(Release::V4_1, 8));
    }
}
