//! `chart RESULT…`: draws the charts of results again, as SVG or PNG, or several results together.

use std::fs;
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use crate::report::charts::{Chart, Data, Kinds, SWEEP_METRIC, charts, charts_together, figures, write_charts};
use crate::report::files::FolderError;
use crate::sim::Ms;

use super::results::{self, Read};
use super::{Console, Failure};

#[derive(Debug, clap::Args)]
pub(super) struct ChartArgs {
    /// Results folders, or names of scenarios in results/
    #[arg(required = true, value_name = "RESULT")]
    results: Vec<String>,
    /// Write into DIR (default: the result's charts/; for several results charts/ here)
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// As what to draw
    #[arg(long, value_enum, default_value_t)]
    format: Kind,
    /// The figure of outcomes.csv that a sweep's chart shows
    #[arg(long, value_name = "COLUMN", default_value = SWEEP_METRIC)]
    metric: String,
    /// In charts with time on their axis from here on, as `90s` or `25h`
    #[arg(long, value_name = "TIME")]
    from: Option<Ms>,
    /// And until here
    #[arg(long, value_name = "TIME")]
    until: Option<Ms>,
    /// No words on standard error
    #[arg(long, short)]
    quiet: bool,
}

/// As what to draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// For a browser, sharp at any size
    #[default]
    Svg,
    /// For everything else; the font comes with the program
    Png,
    /// Both
    Both,
}

impl Kind {
    const fn kinds(self) -> Kinds {
        match self {
            Kind::Svg => Kinds { svg: true, png: false },
            Kind::Png => Kinds { svg: false, png: true },
            Kind::Both => Kinds { svg: true, png: true },
        }
    }
}

pub(super) fn run(args: &ChartArgs, console: &mut Console<'_>) -> Result<(), Failure> {
    let figures = figures();
    if !figures.contains(&args.metric) {
        let known = figures.join(", ");
        return Err(Failure::Input(format!("outcomes.csv has no figure {}; --metric may be {known}", args.metric)));
    }
    let (mut read, mut wrong) = (Vec::new(), Vec::new());
    for result in &args.results {
        match results::read(result) {
            Ok(one) => read.push(one),
            Err(failure) => wrong.push(failure.text(false).unwrap_or_default().replacen("error: ", "", 1)),
        }
    }
    let mut data: Vec<Data> = read.iter().map(|one| Data::read(&one.folder, &one.provenance, &one.scenario)).collect();
    if args.from.is_some() || args.until.is_some() {
        for one in &mut data {
            one.between(args.from, args.until).map_err(Failure::Input)?;
        }
    }
    wrong.extend(data.iter().flat_map(|d| &d.problems).map(ToString::to_string));
    if let Some(target) = target(args, &read) {
        let drawn = match data.as_slice() {
            [one] if args.results.len() == 1 => charts(one, &args.metric),
            many => charts_together(&with_own_names(many, &read), &args.metric),
        };
        publish(&target, &drawn, args.format.kinds())?;
        if !args.quiet {
            console.say(&format!("Written to {}/", target.display()))?;
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(Failure::Input(wrong.join("\nerror: "))) }
}

/// Where to write; nowhere if nothing could be read.
fn target(args: &ChartArgs, read: &[Read]) -> Option<PathBuf> {
    let first = read.first()?;
    Some(match (&args.out, args.results.len()) {
        (Some(out), _) => out.clone(),
        (None, 1) => first.folder.join("charts"),
        (None, _) => PathBuf::from("charts"),
    })
}

/// Results are told apart by their folders, and two of one name by a number.
fn with_own_names(data: &[Data], read: &[Read]) -> Vec<Data> {
    let mut named: Vec<Data> = Vec::new();
    for (data, read) in data.iter().zip(read) {
        let folder = read.folder.file_name().map_or_else(|| data.name.clone(), |n| n.to_string_lossy().into_owned());
        let taken = |name: &str| named.iter().any(|d| d.name == name);
        let numbered = (2u32..).map(|n| format!("{folder}-{n}"));
        let name = std::iter::once(folder.clone()).chain(numbered).find(|name| !taken(name)).unwrap_or(folder.clone());
        let mut own = data.clone();
        own.name = name;
        named.push(own);
    }
    named
}

/// Draws beside, then renames: a chart that cannot be drawn leaves the old ones. What the same chart was before, in
/// another form, goes.
pub(super) fn publish(target: &Path, charts: &[Chart], kinds: Kinds) -> Result<(), FolderError> {
    fs::create_dir_all(target).map_err(|e| FolderError::new(target, &e))?;
    let beside = tempfile::Builder::new().prefix(".unfinished-").tempdir_in(target);
    let beside = beside.map_err(|e| FolderError::new(target, &e))?;
    write_charts(beside.path(), charts, kinds)?;
    for chart in charts {
        for ending in ["svg", "png", "txt"] {
            let name = format!("{}.{ending}", chart.name);
            let (from, to) = (beside.path().join(&name), target.join(&name));
            let done = if from.exists() {
                fs::rename(&from, &to)
            } else if to.exists() {
                fs::remove_file(&to)
            } else {
                Ok(())
            };
            done.map_err(|e| FolderError::new(&to, &e))?;
        }
    }
    Ok(())
}
