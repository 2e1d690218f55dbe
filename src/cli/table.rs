//! `table kip`, `table kafka-17578`: published tables with our own figures.

use clap::ValueEnum;

use crate::experiment::Way;
use crate::metrics::CostRound;
use crate::report::published::{KipCell, Point, Sheet, kip_table, rack_table};
use crate::scenario::load_text;

use super::engine::{self, Options};
use super::{Console, Failure, Host, interrupt};

#[derive(Debug, clap::Args)]
pub(super) struct TableArgs {
    /// Which
    #[arg(value_enum)]
    which: Which,
    /// Sizes of the KIP's table
    #[arg(long, value_name = "N,N", value_delimiter = ',', default_value = "1,10000")]
    groups: Vec<u64>,
    /// Measure processor time so often, and take the median
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// As Markdown
    #[arg(long)]
    markdown: bool,
}

/// A published table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Which {
    /// The drafts' Low, Mid and High (simulates scenarios/kip-table.yaml at each size)
    Kip,
    /// How much of a group's memory its racks are
    #[value(name = "kafka-17578")]
    Kafka17578,
}

/// The scenario comes with the program, so that the table needs nothing else.
const KIP: &str = include_str!("../../scenarios/kip-table.yaml");

pub(super) fn run(args: &TableArgs, host: &Host<'_>, console: &mut Console<'_>) -> Result<(), Failure> {
    let sheet = match args.which {
        Which::Kafka17578 => rack_table(),
        Which::Kip => kip(args, host, console)?,
    };
    let text = if args.markdown { sheet.markdown() } else { sheet.screen(console.screen()) };
    console.data(&text)
}

fn kip(args: &TableArgs, host: &Host<'_>, console: &mut Console<'_>) -> Result<Sheet, Failure> {
    interrupt::listen();
    let mut points = Vec::new();
    if args.groups.contains(&0) {
        return Err(Failure::Input("--groups 0: a table needs at least one group".to_owned()));
    }
    // the drafts think of one group and one topic; the others stand on all
    let sizes = std::iter::once((1, Some("t-7"))).chain(args.groups.iter().map(|groups| (*groups, None)));
    for (groups, topic) in sizes {
        console.progress(&format!("kip-table: {groups} groups"))?;
        let mut set = vec![format!("groups.g.count={groups}")];
        set.extend(topic.map(|topic| format!("groups.g.topics=[{topic}]")));
        let loaded =
            load_text("kip-table.yaml", KIP, &set).map_err(|problems| Failure::Diagnosed(Box::new(problems)))?;
        let options =
            Options { way: Way::Measured, keep_bumps: 0, rounds: args.rounds, meter: host.meter, reached: &|_| () };
        let outcome = engine::simulate(&loaded, 1, options)?.outcome;
        let cell = |lane: &crate::metrics::LaneOutcome| {
            let peak = lane.heap.iter().find(|(moment, _)| *moment == crate::metrics::HeapMoment::Peak);
            KipCell {
                strategy: lane.strategy.clone(),
                cpu_ns: Some(CostRound::median(&lane.costs).cpu_ns),
                cpu_model_ns: lane.outcome.cpu_model_ns,
                heap_bytes: peak.map_or(0, |(_, held)| held.total() - held.index),
                log_bytes: lane.outcome.offsets_log_bytes,
                rebalances: lane.outcome.counts.rebalances(),
            }
        };
        let topics = if topic.is_some() { 1 } else { loaded.scenario.topics.len() as u64 };
        points.push(Point { groups, topics, cells: outcome.lanes.iter().map(cell).collect() });
    }
    console.progress("")?;
    Ok(kip_table("kip-table", &points))
}
