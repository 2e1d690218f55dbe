//! `differ A B`: random small histories until two strategies part (or a strategy and a release's own classes), then
//! the smallest scenario that still shows it.

use std::fmt::Write as _;
use std::path::PathBuf;

use crate::conformance::{Compared, Draft, Ours, Release, Shrunk, compare, ours, random_scenario, shrink};
use crate::report::words::{plural, thousands};
use crate::report::{explained, side_by_side};
use crate::scenario::{Loaded, StrategyKind, load_text};
use crate::world::{self, History};

use super::jars::{self, Jars};
use super::{Console, Failure, interrupt};

/// Histories handed to one process of Java at a time.
const BATCH: usize = 100;

#[derive(Debug, clap::Args)]
pub(super) struct DifferArgs {
    /// A strategy or label, or `{as: NAME, like: LABEL, switch: value}`
    a: String,
    /// Another, or `jars:RELEASE` for that release's own classes (needs Java and Maven)
    b: String,
    /// Random scenarios to look at
    #[arg(long, value_name = "N", default_value_t = 1000)]
    tries: u32,
    /// The number of the first
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    from: u32,
    /// Go on until so many kinds are found: other verbs in the smallest history
    #[arg(long, value_name = "N", default_value_t = 1)]
    kinds: usize,
    /// Print ticket text instead of scenarios
    #[arg(long)]
    markdown: bool,
    /// Where the driver's Maven project is
    #[arg(long, value_name = "FOLDER")]
    driver: Option<PathBuf>,
}

/// The two that are held against each other.
enum Sides {
    Strategies,
    Jars { release: Release, jars: Jars },
}

struct Hunt {
    /// As they are written in a scenario.
    strategies: Vec<String>,
    /// What they are called.
    names: [String; 2],
    /// Whose events the random scenarios have.
    release: Release,
    sides: Sides,
}

pub(super) fn run(args: &DifferArgs, console: &mut Console<'_>) -> Result<(), Failure> {
    let hunt = Hunt::new(args)?;
    let mut kinds: Vec<Vec<String>> = Vec::new();
    let mut next = args.from;
    let end = args.from.saturating_add(args.tries);
    while let Some(number) = hunt.first_between(next, end, console)? {
        next = number + 1;
        let found = shrink(hunt.draft(number), |texts| hunt.first_that_parts(texts, console))?;
        let kind: Vec<String> = found.draft.verbs().into_iter().map(str::to_owned).collect();
        if kinds.contains(&kind) {
            continue;
        }
        kinds.push(kind);
        console.progress("")?;
        hunt.show(number, &found, args.markdown, console)?;
        if kinds.len() >= args.kinds.max(1) {
            break;
        }
    }
    console.progress("")?;
    let [a, b] = &hunt.names;
    let looked = thousands(u64::from(next.min(end) - args.from));
    match kinds.len() {
        0 => console.say(&format!("{a} and {b} do not part on {} random scenarios", thousands(args.tries.into()))),
        n if n < args.kinds => {
            console.say(&format!("{}, and no other in {looked} random scenarios", plural(n as u64, "kind")))
        }
        _ => Ok(()),
    }
}

impl Hunt {
    fn new(args: &DifferArgs) -> Result<Hunt, Failure> {
        let jars = args.b.strip_prefix("jars:").map(jars::release).transpose()?;
        let strategies: Vec<String> =
            if jars.is_some() { vec![args.a.clone()] } else { vec![args.a.clone(), args.b.clone()] };
        let text = format!(
            "brokers: 3\ntopics: {{t: {{}}}}\ngroups: {{g: {{topics: all}}}}\nstrategies: [{}]\n",
            strategies.join(", ")
        );
        let read = load_text("strategies", &text, &[]).map_err(|problems| Failure::Diagnosed(Box::new(problems)))?;
        let specs = &read.scenario.strategies;
        let second = jars.map_or_else(|| specs[specs.len() - 1].name.clone(), |r| format!("Apache {}", r.name()));
        // a release that resolves no patterns is asked about none
        let without = specs.iter().any(|spec| spec.kind == StrategyKind::FullMetadata) && jars.is_none();
        let release = jars.unwrap_or(if without { Release::V3_9 } else { Release::V4_1 });
        let sides = match jars {
            Some(release) => Sides::Jars { release, jars: Jars::build(args.driver.as_deref(), release)? },
            None => Sides::Strategies,
        };
        Ok(Hunt { names: [specs[0].name.clone(), second], strategies, release, sides })
    }

    fn draft(&self, number: u32) -> Draft {
        let strategies: Vec<&str> = self.strategies.iter().map(String::as_str).collect();
        Draft::read(&random_scenario(self.release, number)).with_strategies(&strategies)
    }

    /// The first random scenario from `from` and before `end` that shows a difference.
    fn first_between(&self, from: u32, end: u32, console: &mut Console<'_>) -> Result<Option<u32>, Failure> {
        let numbers: Vec<u32> = (from..end).collect();
        for batch in numbers.chunks(BATCH) {
            let texts: Vec<String> = batch.iter().map(|number| self.draft(*number).text()).collect();
            if let (Some(place), _) = self.first_that_parts(&texts, console)? {
                return Ok(Some(batch[place]));
            }
        }
        Ok(None)
    }

    /// The first of these scenarios on which the two part, and how many were looked at.
    fn first_that_parts(&self, texts: &[String], console: &mut Console<'_>) -> Result<(Option<usize>, u64), Failure> {
        console.progress(&format!("{} random scenarios and simpler ones …", texts.len()))?;
        match &self.sides {
            Sides::Strategies => {
                for (place, text) in texts.iter().enumerate() {
                    let Some((loaded, history)) = possible(text) else { continue };
                    if Self::strategies_part(&loaded, &history)? {
                        return Ok((Some(place), place as u64 + 1));
                    }
                }
                Ok((None, texts.len() as u64))
            }
            Sides::Jars { release, jars } => {
                for (batch, texts) in texts.chunks(BATCH).enumerate() {
                    if let Some(place) = first_unlike_jars(*release, jars, texts)? {
                        let place = batch * BATCH + place;
                        return Ok((Some(place), place as u64 + 1));
                    }
                }
                Ok((None, texts.len() as u64))
            }
        }
    }

    /// Do the two rebalance other groups, or at other times?
    fn strategies_part(loaded: &Loaded, history: &History) -> Result<bool, Failure> {
        let [a, b] = [0, 1].map(|lane| lane_of(loaded, history, lane));
        let when = |lane: &Ours| lane.bumps.iter().map(|bump| (bump.at, bump.group.clone())).collect::<Vec<_>>();
        Ok(when(&a?) != when(&b?))
    }

    fn show(&self, number: u32, found: &Shrunk, markdown: bool, console: &mut Console<'_>) -> Result<(), Failure> {
        let yaml = found.draft.text();
        let (loaded, history) = possible(&yaml).expect("it has been looked at");
        let [a, b] = &self.names;
        let shown = match &self.sides {
            Sides::Strategies => {
                let [a, b] = [0, 1].map(|lane| &loaded.scenario.strategies[lane]);
                let told = explained::parting(&loaded.scenario, &history, a, b, console.screen());
                if markdown { told.markdown() } else { told.screen() }
            }
            Sides::Jars { release, jars } => {
                let (name, compared) = ("here", jars_compared(*release, jars, &loaded, history)?);
                let write = if markdown { side_by_side::markdown } else { side_by_side::screen };
                write(name, *release, &compared)
            }
        };
        let entries = match found.draft.entries() {
            1 => "one entry".to_owned(),
            n => format!("{n} entries"),
        };
        let head = format!(
            "{a} and {b} part: {entries}, found as random scenario {number}, made smaller in {} tries",
            thousands(found.tries)
        );
        let mut text = String::new();
        if markdown {
            let _ = write!(text, "### {head}\n\n```yaml\n{yaml}```\n\n{shown}\n");
        } else {
            let _ = writeln!(text, "# {head}");
            text += &yaml;
            for line in shown.lines() {
                let _ = writeln!(text, "{}", format!("# {line}").trim_end());
            }
        }
        console.data(&text)
    }
}

/// A scenario that can be read and can happen, with its history.
fn possible(text: &str) -> Option<(Loaded, History)> {
    let loaded = load_text("differ", text, &[]).ok()?;
    let history = world::make(&loaded.scenario, 1).ok()?;
    Some((loaded, history))
}

fn lane_of(loaded: &Loaded, history: &History, lane: usize) -> Result<Ours, Failure> {
    let spec = &loaded.scenario.strategies[lane];
    ours(&loaded.scenario, history, spec, &|| !interrupt::asked()).map_err(|_| Failure::Interrupted)
}

fn first_unlike_jars(release: Release, jars: &Jars, texts: &[String]) -> Result<Option<usize>, Failure> {
    let mut cases: Vec<(usize, Loaded)> = Vec::new();
    let mut histories: Vec<History> = Vec::new();
    for (place, text) in texts.iter().enumerate() {
        if let Some((loaded, history)) = possible(text) {
            cases.push((place, loaded));
            histories.push(history);
        }
    }
    let mut first = None;
    jars.ask(&histories, &mut |index, answer| {
        let (place, loaded) = &cases[index];
        let kafka = answer.map_err(|e| Failure::Machine(e.to_string()))?;
        let lane = lane_of(loaded, &histories[index], 0)?;
        if first.is_none() && !compare(&histories[index], release, &lane, &kafka).differences.is_empty() {
            first = Some(*place);
        }
        Ok(())
    })?;
    Ok(first)
}

fn jars_compared(release: Release, jars: &Jars, loaded: &Loaded, history: History) -> Result<Compared, Failure> {
    let lane = lane_of(loaded, &history, 0)?;
    let histories = [history];
    let mut compared = None;
    jars.ask(&histories, &mut |_, answer| {
        let kafka = answer.map_err(|e| Failure::Machine(e.to_string()))?;
        compared = Some(compare(&histories[0], release, &lane, &kafka));
        Ok(())
    })?;
    compared.ok_or_else(|| Failure::Machine("the driver gave no answer".into()))
}
