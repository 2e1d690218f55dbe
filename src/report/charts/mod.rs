//! Charts, each with one thing to see at a glance, which its title says. They are drawn from the files of a results
//! folder, so that they can be drawn again. No machine, path or time of day is in them: the same data give the same
//! bytes.

mod axis;
mod canvas;
mod data;
mod delays;
mod heap;
mod legend;
mod moves;
mod ownership;
mod palette;
mod panel;
mod plane;
mod points;
mod strips;
mod sweep;
#[cfg(test)]
mod tests;
mod timeline;
mod verdicts;

use std::fs;
use std::path::Path;

use crate::sim::Ms;

use super::files::FolderError;

pub use canvas::{DrawError, Drawing};
pub use data::Data;
pub use sweep::figures;

/// Something of the history to mark on a time axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// When.
    pub at: Ms,
    /// The entry's name.
    pub label: String,
}

/// A chart and the name of its file.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Without ending.
    pub name: String,
    /// What there is to see.
    pub picture: Picture,
}

/// What there is to see.
#[derive(Clone, Debug, PartialEq)]
pub enum Picture {
    /// A drawing.
    Drawn(Drawing),
    /// Nothing, and why.
    Nothing(String),
}

/// How charts are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kinds {
    /// As SVG.
    pub svg: bool,
    /// As PNG.
    pub png: bool,
}

/// The figure that a sweep's chart shows if nobody asks for another.
pub const SWEEP_METRIC: &str = "rebalances";

/// Charts that several results cannot share.
const OF_EACH: [&str; 7] = ["timeline", "strips", "delays", "sweep", "moves", "local-share", "imbalance"];

/// All charts of one results folder.
#[must_use]
pub fn charts(data: &Data, metric: &str) -> Vec<Chart> {
    let mut charts = Vec::new();
    let mut put = |name: &str, file: &str, drawn: &dyn Fn() -> Result<Drawing, String>| {
        let drawn = data.lacks("outcomes.csv").or_else(|| data.lacks(file)).map_or_else(drawn, Err);
        charts.push(Chart { name: name.to_owned(), picture: drawn.map_or_else(Picture::Nothing, Picture::Drawn) });
    };
    put("verdicts", "outcomes.csv", &|| verdicts::chart(data));
    if data.sweep.is_none() {
        put("timeline", "timeline.csv", &|| timeline::chart(data));
        put("strips", "strips.csv", &|| strips::chart(data));
        put("delays", "delays.csv", &|| delays::chart(data));
        put("heap", "heap.csv", &|| heap::chart(data));
        if data.assigns() {
            put("moves", "moves.csv", &|| moves::chart(data));
            put("local-share", "ownership.csv", &|| ownership::local_share(data));
            put("imbalance", "ownership.csv", &|| ownership::imbalance(data));
        }
    } else {
        put("sweep", "points.csv", &|| sweep::chart(data, metric));
    }
    put("plane", "outcomes.csv", &|| plane::chart(std::slice::from_ref(data)));
    charts
}

/// Charts of several results: what can stand together does, the rest is drawn of each.
#[must_use]
pub fn charts_together(all: &[Data], metric: &str) -> Vec<Chart> {
    let whole = Data::together(all);
    let mut charts = Vec::new();
    for (name, drawn) in
        [("verdicts", verdicts::chart(&whole)), ("heap", heap::chart(&whole)), ("plane", plane::chart(all))]
    {
        charts.push(Chart { name: name.to_owned(), picture: drawn.map_or_else(Picture::Nothing, Picture::Drawn) });
    }
    for data in all {
        let own = self::charts(data, metric).into_iter();
        let own = own.filter(|c| OF_EACH.contains(&c.name.as_str()));
        charts.extend(own.map(|c| Chart { name: format!("{}-{}", c.name, data.name), ..c }));
    }
    charts
}

/// Writes charts into a folder, which must be there; where there is nothing to draw, a text says so.
///
/// # Errors
/// If a drawing fails or the system refuses.
pub fn write_charts(folder: &Path, charts: &[Chart], kinds: Kinds) -> Result<(), FolderError> {
    for chart in charts {
        let path = |ending: &str| folder.join(format!("{}.{ending}", chart.name));
        let failed = |path: &Path, e: DrawError| FolderError { path: path.to_owned(), why: e.to_string() };
        let write = |path: &Path, text: &str| fs::write(path, text).map_err(|e| FolderError::new(path, &e));
        match &chart.picture {
            Picture::Drawn(drawing) => {
                if kinds.svg {
                    let path = path("svg");
                    write(&path, &drawing.svg().map_err(|e| failed(&path, e))?)?;
                }
                if kinds.png {
                    let path = path("png");
                    drawing.write_png(&path).map_err(|e| failed(&path, e))?;
                }
            }
            Picture::Nothing(why) => write(&path("txt"), &format!("nothing to draw: {why}\n"))?,
        }
    }
    Ok(())
}
