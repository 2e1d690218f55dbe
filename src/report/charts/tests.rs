//! The charts as a whole: what they say, and that the same data give the same bytes.

use std::path::Path;

use super::*;
use crate::metrics::RunOutcome;
use crate::report::files::{FileRows, Files, Machine, PROVENANCE, Provenance};
use crate::report::sample;
use crate::scenario::{StrategyKind, StrategySpec};

fn folder(runs: &[RunOutcome]) -> (tempfile::TempDir, Provenance) {
    let home = tempfile::tempdir().unwrap();
    let machine = Machine::default();
    let mut files = Files::begin(home.path(), "sample", &machine, false).unwrap();
    for run in runs {
        files.append(run).unwrap();
        let marks = [(600, 0), (601, 1), (602, 0), (7_190, 1)].map(|(s, entry)| (Ms::secs(s), entry));
        files.mark(run, &marks).unwrap();
    }
    let written = files.finish().unwrap();
    let provenance = Provenance {
        scenario: "sample".into(),
        seed: 1,
        runs: u32::try_from(runs.len()).unwrap(),
        histories: runs.iter().map(|run| run.history_id.clone()).collect(),
        files: written.files.iter().map(|(name, rows)| FileRows { name: (*name).into(), rows: *rows }).collect(),
        ..Provenance::default()
    };
    fs::write(home.path().join(PROVENANCE), provenance.to_yaml()).unwrap();
    (home, provenance)
}

fn read(folder: &Path, provenance: &Provenance) -> Data {
    let mut scenario = sample::scenario();
    scenario.strategies.push(StrategySpec { name: "<b>&\"".into(), ..StrategySpec::bare(StrategyKind::TopicHash) });
    Data::read(folder, provenance, &scenario)
}

fn data(runs: &[RunOutcome]) -> Data {
    let (home, provenance) = folder(runs);
    let data = read(home.path(), &provenance);
    assert_eq!(data.problems, []);
    data
}

fn svgs(runs: &[RunOutcome]) -> Vec<(String, String)> {
    let svg = |chart: Chart| match chart.picture {
        Picture::Drawn(drawing) => (chart.name, drawing.svg().unwrap()),
        Picture::Nothing(why) => panic!("{}: {why}", chart.name),
    };
    charts(&data(runs), SWEEP_METRIC).into_iter().map(svg).collect()
}

#[test]
fn the_same_data_give_the_same_bytes() {
    assert_eq!(svgs(&[sample::run(1)]), svgs(&[sample::run(1)]));
}

#[test]
fn a_chart_says_in_its_title_what_is_seen() {
    let svgs = svgs(&[sample::run(1)]);
    let named = |name: &str| &svgs.iter().find(|(n, _)| n == name).unwrap().1;
    for (name, words) in [
        ("verdicts", "6 of group-hash&apos;s 18 rebalances are needless"),
        ("timeline", "At most 12 rebalances in 12 min: full-metadata, from 0:00:00"),
        ("timeline", "saturday"),
        ("strips", "Under group-hash 12 of 12 groups rebalance, one of them 2 times"),
        ("delays", "rebalances come within 8.5 min of the change, the last after 8.5 min"),
        ("delays", "heartbeat 5 s"),
        ("heap", "full-metadata holds 33 kB, most of it maps (87 %), 4.00× the least"),
        ("plane", "full-metadata takes most time (4.00× the least) and most memory (4.00× the least)"),
    ] {
        assert!(named(name).contains(words), "{words}: {}", named(name));
    }
    assert!(svgs.iter().all(|(_, svg)| svg.ends_with("</svg>\n")));
}

#[test]
fn a_run_with_assignors_has_three_charts_more() {
    let svgs = svgs(&[sample::assigned_run(1)]);
    let named = |name: &str| &svgs.iter().find(|(n, _)| n == name).unwrap().1;
    for (name, words) in [
        ("moves", "6 of 46 partitions that group-hash moves are moved for nothing"),
        ("moves", ">\nghost"),
        ("local-share", "Reads within a rack fall from 100.0 to 66.6 %: whatever the strategy"),
        ("local-share", "100 %"),
        ("imbalance", "A member owns up to 2 partitions more than another: group-hash, from 0:00:00"),
    ] {
        assert!(named(name).contains(words), "{words}: {}", named(name));
    }
    assert_eq!(charts(&data(&[sample::run(1)]), SWEEP_METRIC).len() + 3, svgs.len());
    let two = data(&[sample::assigned_run(1), sample::assigned_run(2)]);
    let Picture::Drawn(both) = &charts(&two, SWEEP_METRIC).into_iter().find(|c| c.name == "moves").unwrap().picture
    else {
        panic!("no chart")
    };
    assert!(both.svg().unwrap().contains("12 of 92 partitions"), "of several runs the sum");
}

#[test]
fn names_from_a_scenario_are_text_and_no_markup() {
    for (name, svg) in svgs(&[sample::run_with(&["<b>&\"", "group-hash"])]) {
        assert!(!svg.contains("<b>") && svg.contains("&lt;b&gt;&amp;"), "{name}: {svg}");
    }
}

#[test]
fn nothing_to_draw_is_a_text_that_says_why() {
    let mut run = sample::run(1);
    for lane in &mut run.lanes {
        lane.outcome = crate::metrics::Outcome::default();
        lane.buckets.iter_mut().for_each(|b| (b.rebalances, b.stale_groups) = (0, 0));
        (lane.delays, lane.heap, lane.strips) = (Vec::new(), Vec::new(), crate::metrics::Strips::default());
    }
    let home = tempfile::tempdir().unwrap();
    write_charts(home.path(), &charts(&data(&[run]), SWEEP_METRIC), Kinds { svg: true, png: true }).unwrap();
    let text = |name: &str| fs::read_to_string(home.path().join(name)).unwrap();
    assert_eq!(text("verdicts.txt"), "nothing to draw: no rebalance, and no change missed\n");
    for name in ["timeline", "strips", "delays", "heap", "plane"] {
        assert!(text(&format!("{name}.txt")).starts_with("nothing to draw: "), "{name}");
    }
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 6);
}

#[test]
fn a_strategy_has_one_colour_in_all_charts_and_beside_others() {
    let all = data(&[sample::run(1)]);
    let one = data(&[{
        let mut run = sample::run(1);
        run.lanes.remove(0);
        run
    }]);
    let colour = |data: &Data, name: &str| data.strategies.iter().find(|s| s.0 == name).unwrap().1;
    assert_eq!(colour(&all, "group-hash"), colour(&one, "group-hash"));
    assert_ne!(colour(&all, "group-hash"), colour(&all, "full-metadata"));
    let together = Data::together(&[all.clone(), one]);
    assert_eq!(colour(&together, "sample · group-hash"), colour(&all, "group-hash"));
}

#[test]
fn a_file_that_cannot_be_read_takes_only_its_own_charts_away() {
    let (home, provenance) = folder(&[sample::run(1)]);
    fs::write(home.path().join("heap.csv"), "a,b\n1,2\n").unwrap();
    fs::remove_file(home.path().join("strips.csv")).unwrap();
    let data = read(home.path(), &provenance);
    assert_eq!(data.problems.len(), 2);
    let drawn = charts(&data, SWEEP_METRIC);
    let nothing: Vec<&str> =
        drawn.iter().filter(|c| matches!(c.picture, Picture::Nothing(_))).map(|c| c.name.as_str()).collect();
    assert_eq!(nothing, ["strips", "heap"]);
}

/// The folder of a sweep over two axes, as its files promise it.
fn sweep(points: u64, runs: u64) -> Data {
    let (home, provenance) = folder(&[sample::run(1)]);
    let outcomes = fs::read_to_string(home.path().join("outcomes.csv")).unwrap();
    let mut lines = outcomes.lines();
    let mut text = format!("{}\n", lines.next().unwrap());
    let mut table = String::from("point,run,seed,status,reason,groups.g.count,history.saturday.gap\n");
    let rows: Vec<&str> = lines.collect();
    for point in 0..points {
        for run in 1..=runs {
            use std::fmt::Write as _;
            let gap = if point.is_multiple_of(2) { "90s" } else { "15m" };
            writeln!(table, "p{point},{run},1,ok,,{},{gap}", 1 + (point / 2) * (point / 2)).unwrap();
            for row in &rows {
                let mut cells: Vec<String> = row.split(',').map(str::to_owned).collect();
                (cells[1], cells[2]) = (format!("p{point}"), run.to_string());
                cells[4] = (1 + (point / 2) * (point / 2)).to_string();
                cells[8] = (12 + point * run).to_string();
                cells[28] = (30_000 * (1 + point)).to_string();
                writeln!(text, "{}", cells.join(",")).unwrap();
            }
        }
    }
    fs::write(home.path().join("points.csv"), table).unwrap();
    fs::write(home.path().join("outcomes.csv"), text).unwrap();
    let provenance = Provenance { files: vec![], ..provenance };
    fs::write(home.path().join(PROVENANCE), provenance.to_yaml()).unwrap();
    read(home.path(), &provenance)
}

#[test]
fn a_sweep_is_drawn_against_its_first_axis_with_a_panel_for_each_of_the_others() {
    let data = sweep(10, 3);
    let drawn = charts(&data, SWEEP_METRIC);
    let Some(Chart { picture: Picture::Drawn(drawing), .. }) = drawn.iter().find(|c| c.name == "sweep") else {
        panic!("{drawn:?} {:?}", data.problems)
    };
    let svg = drawing.svg().unwrap();
    for words in [
        "as groups.g.count goes from 1 to 17 (history.saturday.gap = 90s)",
        "history.saturday.gap = 90s",
        "history.saturday.gap = 15m",
        "band from the least",
    ] {
        assert!(svg.contains(words), "{words}: {svg}");
    }
    let error = sweep::chart(&data, "no-such").unwrap_err();
    assert_eq!(error, "outcomes.csv has no figure no-such");
}
