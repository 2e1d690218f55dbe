//! `replay FILE…`: what really happened to a cluster, as its metadata log has it, with the groups of a scenario; run as
//! `run` runs it. All that is new is made here: a scenario whose history is the log.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::report::words::{exactly, plural};
use crate::scenario::{Loaded, LogWindow, Since, load_over};
use crate::sim::Ms;
use crate::world::{Recorded, RecordedError};

use super::run::{self, RunArgs};
use super::{Console, Failure, Host};

/// The run goes on for so long after the log's last batch, if nobody says how long: late rebalances still come.
const AFTERWARDS: Ms = Ms::secs(60);

#[derive(Debug, clap::Args)]
#[command(after_help = HOW)]
#[command(mut_arg("files", |arg| arg.help("What kafka-dump-log.sh --cluster-metadata-decoder printed, one cluster a file")))]
pub(super) struct ReplayArgs {
    #[command(flatten)]
    run: RunArgs,
    /// A scenario with the groups, as `import` makes it; its `history:` may say what members did
    #[arg(long, value_name = "SCENARIO")]
    groups: PathBuf,
    /// Time 0: so long after the log's first batch (`2h`), or its CreateTime (ms since 1970); what came before stands
    #[arg(long, value_name = "WHEN", value_parser = since)]
    since: Option<Since>,
    /// How long; default: to the log's last batch and a minute more
    #[arg(long, value_name = "TIME", value_parser = time)]
    duration: Option<Ms>,
    /// Batches less than this apart reach coordinators as one image
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = time)]
    gap: Ms,
}

const HOW: &str = "\
As in: kafka-dump-log.sh --cluster-metadata-decoder --files .../__cluster_metadata-0/00000000000000000000.log > metadata.txt
       rebalance-sim import cluster/*.txt > prod.yaml
       rebalance-sim replay metadata.txt --groups prod.yaml --since 2h";

fn time(text: &str) -> Result<Ms, String> {
    text.parse::<Ms>().map_err(|error| error.to_string())
}

fn since(text: &str) -> Result<Since, String> {
    match text.parse::<u64>() {
        Ok(at) if text.len() >= 12 => Ok(Since::At(at)),
        Ok(_) | Err(_) => time(text).map(Since::After),
    }
}

pub(super) fn run(
    args: &ReplayArgs,
    line: &[OsString],
    host: &Host<'_>,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    let read = |files: &[PathBuf], set: &[String], console: &mut Console<'_>| {
        files.iter().map(|file| scenario(args, file, set, console)).collect::<Result<Vec<_>, _>>()
    };
    run::go(&args.run, run::load(&args.run, &read, console)?, line, host, console)
}

/// The scenario that a log is the history of.
fn scenario(args: &ReplayArgs, file: &Path, set: &[String], console: &mut Console<'_>) -> Result<Loaded, Failure> {
    let shown = file.display().to_string();
    let text = fs::read_to_string(file).map_err(|e| Failure::Input(format!("cannot read {shown}: {e}")))?;
    if !Recorded::is_dump(&text) {
        let message = format!("{shown} is a history already; `run` takes it, with `history: {{from: {shown}}}`");
        return Err(Failure::Input(message));
    }
    let wrong = |e: RecordedError| Failure::Input(format!("{shown}:{}: {}", e.line, e.message));
    let recorded = Recorded::read(&text).map_err(wrong)?;
    let window = LogWindow { since: args.since.unwrap_or_default(), gap: args.gap };
    let (first, last) = recorded.span().unwrap_or_default();
    let length = recorded.length(window.since).ok_or_else(|| {
        Failure::Input(format!(
            "--since is after the end of {shown}, which goes from {first} to {last} (ms since 1970)"
        ))
    })?;
    if recorded.start(window.since) < first {
        let message =
            format!("--since is before the begin of {shown}, which goes from {first} to {last} (ms since 1970)");
        return Err(Failure::Input(message));
    }
    let duration = args.duration.unwrap_or(length.after(AFTERWARDS));
    let over = recorded.scenario(&shown, window, duration).map_err(wrong)?;
    let stem = file.file_stem().map_or_else(|| "replay".to_owned(), |stem| stem.to_string_lossy().into_owned());
    let loaded = load_over(&args.groups, &format!("{stem}.yaml"), &over, set);
    let loaded = loaded.map_err(|problems| Failure::Diagnosed(Box::new(problems)))?;
    if !args.run.quiet {
        let before = recorded.start(window.since) - first;
        let before = if before == 0 { String::new() } else { format!(", time 0 after {}", exactly(before)) };
        let changes = plural(recorded.batches_from(window.since) as u64, "change");
        console.say(&format!("{shown}: {} of log{before}; {changes} from there on", exactly(last - first)))?;
    }
    Ok(loaded)
}
