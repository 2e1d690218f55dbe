//! Charts as SVG, each with one thing to see at a glance, which its title says. No machine, path or time of
//! day is in them: the same data give the same bytes.

mod canvas;
mod palette;
mod timeline;
mod verdicts;

use std::fs;
use std::path::Path;

use crate::metrics::RunOutcome;
use crate::scenario::Scenario;
use crate::sim::Ms;

use super::files::FolderError;
use super::table::sums;

pub use canvas::DrawError;

/// Something of the history to mark on a time axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// When.
    pub at: Ms,
    /// The entry's name.
    pub label: String,
}

/// A chart and the name of its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chart {
    /// Without ending.
    pub name: &'static str,
    /// What there is to see.
    pub picture: Picture,
}

/// What there is to see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Picture {
    /// SVG.
    Svg(String),
    /// Nothing, and why.
    Nothing(String),
}

/// All charts of a run.
///
/// # Errors
/// If a drawing fails.
pub fn charts(scenario: &Scenario, runs: &[RunOutcome], marks: &[Mark]) -> Result<Vec<Chart>, DrawError> {
    let subtitle = subtitle(scenario, runs);
    Ok(vec![verdicts::chart(&sums(runs), &subtitle)?, timeline::chart(scenario, runs, marks, &subtitle)?])
}

fn subtitle(scenario: &Scenario, runs: &[RunOutcome]) -> String {
    let many = if runs.len() > 1 { format!(", {} runs summed", runs.len()) } else { String::new() };
    let history = runs.first().map_or(String::new(), |run| format!(", history {}", run.history_id));
    format!("{}, seed {}{many}{history}", scenario.name, scenario.seed)
}

/// Writes charts into `folder/charts/`; where there is nothing to draw, a text says so.
///
/// # Errors
/// If the system refuses.
pub fn write_charts(folder: &Path, charts: &[Chart]) -> Result<(), FolderError> {
    let folder = folder.join("charts");
    fs::create_dir(&folder).map_err(|e| FolderError::new(&folder, &e))?;
    for chart in charts {
        let (ending, text) = match &chart.picture {
            Picture::Svg(svg) => ("svg", svg.clone()),
            Picture::Nothing(why) => ("txt", format!("nothing to draw: {why}\n")),
        };
        let path = folder.join(format!("{}.{ending}", chart.name));
        fs::write(&path, text).map_err(|e| FolderError::new(&path, &e))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    fn marks() -> Vec<Mark> {
        [(600, "saturday"), (601, "a-close-one"), (602, "a-third"), (7_190, "at-the-very-end")]
            .map(|(s, label)| Mark { at: Ms::secs(s), label: label.to_owned() })
            .to_vec()
    }

    fn svgs(runs: &[RunOutcome]) -> Vec<String> {
        let charts = charts(&sample::scenario(), runs, &marks()).unwrap();
        let svg = |chart: Chart| match chart.picture {
            Picture::Svg(svg) => svg,
            Picture::Nothing(why) => panic!("{why}"),
        };
        charts.into_iter().map(svg).collect()
    }

    #[test]
    fn the_same_data_give_the_same_bytes() {
        assert_eq!(svgs(&[sample::run(1)]), svgs(&[sample::run(1)]));
    }

    #[test]
    fn a_chart_says_in_its_title_what_is_seen() {
        let svgs = svgs(&[sample::run(1)]);
        assert!(svgs[0].contains("6 of group-hash&apos;s 18 rebalances are needless"), "{}", svgs[0]);
        assert!(svgs[1].contains("At most 12 rebalances in 12 min: full-metadata, from 0:00:00"), "{}", svgs[1]);
        assert!(svgs[1].contains("saturday"));
        assert!(svgs.iter().all(|svg| svg.ends_with("</svg>\n")), "{}", svgs[0]);
    }

    #[test]
    fn names_from_a_scenario_are_text_and_no_markup() {
        let run = sample::run_with(&["<b>&\"", "group-hash"]);
        for svg in svgs(&[run]) {
            assert!(!svg.contains("<b>") && svg.contains("&lt;b&gt;&amp;"), "{svg}");
        }
    }

    #[test]
    fn nothing_to_draw_is_a_text_that_says_why() {
        let mut run = sample::run(1);
        for lane in &mut run.lanes {
            lane.outcome = crate::metrics::Outcome::default();
            lane.buckets.iter_mut().for_each(|b| (b.rebalances, b.stale_groups) = (0, 0));
        }
        let home = tempfile::tempdir().unwrap();
        write_charts(home.path(), &charts(&sample::scenario(), &[run], &marks()).unwrap()).unwrap();
        let text = fs::read_to_string(home.path().join("charts/verdicts.txt")).unwrap();
        assert_eq!(text, "nothing to draw: no rebalance, and no change missed\n");
        assert!(home.path().join("charts/timeline.txt").exists());
    }
}
