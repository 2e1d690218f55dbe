//! Is there room and time for a scenario? Asked before the run, so that nobody waits for the system to kill
//! it, and answered with the figure and what to reduce.

use std::fs;
use std::str::FromStr;

use crate::experiment::Way;
use crate::experiment::estimate::{Estimate, estimate};
use crate::experiment::sweep::{Part, Plan};
use crate::report::words::{about, bytes};
use crate::scenario::Scenario;
use crate::sim::Ms;

use super::Failure;

/// A given limit of memory: `2G`, `500M`, `80%` of what is available.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Memory {
    /// So many bytes.
    Bytes(u64),
    /// So many hundredths of what is available.
    Percent(u64),
}

impl FromStr for Memory {
    type Err = String;

    fn from_str(text: &str) -> Result<Memory, String> {
        let wrong = || format!("`{text}` is no size: write 500M, 2G or 80%");
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let number: u64 = text[..digits].parse().map_err(|_| wrong())?;
        let shift = match text[digits..].to_ascii_uppercase().as_str() {
            "%" if (1..=100).contains(&number) => return Ok(Memory::Percent(number)),
            "K" | "KIB" => 10,
            "M" | "MIB" => 20,
            "G" | "GIB" => 30,
            "T" | "TIB" => 40,
            _ => return Err(wrong()),
        };
        number.checked_mul(1 << shift).map(Memory::Bytes).ok_or_else(wrong)
    }
}

impl Memory {
    /// In bytes; `None`: the system does not say what is available.
    fn limit(self) -> Option<u64> {
        match self {
            Memory::Bytes(n) => Some(n),
            Memory::Percent(n) => available().map(|all| all / 100 * n),
        }
    }
}

/// What the system can give without swapping.
fn available() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    kib.checked_mul(1024)
}

/// What a verb that simulates may take, as arguments.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct Budget {
    /// Refuse what would need more memory: 2G, 500M, or a share of what is available
    #[arg(long = "max-memory", value_name = "SIZE", default_value = "80%")]
    memory: Memory,
    /// Refuse what would take more processor time
    #[arg(long = "max-time", value_name = "TIME", default_value = "12h")]
    time: Ms,
}

/// Refuses a scenario that would not fit.
pub(super) fn check(
    scenario: &Scenario,
    way: Way,
    keep_bumps: u64,
    side_by_side: u64,
    budget: Budget,
) -> Result<(), Failure> {
    let limit = budget.memory.limit();
    let refused = refuse(scenario, &estimate(scenario, way, keep_bumps), side_by_side, limit, budget.time);
    let counted = || refuse(scenario, &estimate(scenario, Way::Counted, keep_bumps), side_by_side, limit, budget.time);
    match refused {
        Err(Failure::Machine(why)) if way != Way::Counted && counted().is_ok() => {
            Err(Failure::Machine(format!("{why}; or only count (--counted): that fits")))
        }
        refused => refused,
    }
}

/// Refuses a sweep whose largest runs would not fit side by side, or that would take too long.
pub(super) fn check_sweep(plan: &Plan, side_by_side: usize, part: Option<Part>, budget: Budget) -> Result<(), Failure> {
    let mut sizes: Vec<(u64, usize)> = plan.points.iter().enumerate().map(|(at, p)| (p.bytes, at)).collect();
    sizes.sort_unstable_by_key(|(bytes, _)| std::cmp::Reverse(*bytes));
    let largest = sizes.first().map_or(0, |(bytes, _)| *bytes);
    let needed = largest.saturating_mul(side_by_side as u64);
    if let (Some(limit), Some((_, at))) = (budget.memory.limit().filter(|limit| needed > *limit), sizes.first()) {
        return Err(Failure::Machine(format!(
            "{} would need about {} of memory, {side_by_side} side by side {}, and may take {}. Reduce it, or allow more with --max-memory, or fewer with --threads",
            plan.called(*at),
            bytes(largest),
            bytes(needed),
            bytes(limit)
        )));
    }
    let all: u64 = plan.points.iter().fold(0, |sum, p| sum.saturating_add(p.cpu_ns));
    let ms = all / 1_000_000 / part.map_or(1, |part| u64::from(part.of)) / side_by_side.max(1) as u64;
    if ms > budget.time.0 {
        return Err(Failure::Machine(format!(
            "this sweep would take about {} and may take {}. Make it in parts (--part), or allow more with --max-time",
            about(ms),
            about(budget.time.0)
        )));
    }
    Ok(())
}

fn refuse(
    scenario: &Scenario,
    estimate: &Estimate,
    side_by_side: u64,
    memory: Option<u64>,
    time: Ms,
) -> Result<(), Failure> {
    let needed = estimate.bytes(side_by_side.min(u64::from(scenario.runs.max(1))));
    if let Some(limit) = memory.filter(|limit| needed > *limit) {
        return Err(Failure::Machine(format!(
            "{} would need about {} of memory and may take {}; dominant: {}. Reduce that, or allow more with --max-memory",
            scenario.name,
            bytes(needed),
            bytes(limit),
            estimate.memory_by()
        )));
    }
    let ms = estimate.cpu_ns() / 1_000_000;
    if ms > time.0 {
        return Err(Failure::Machine(format!(
            "{} would take about {} of processor time and may take {}; dominant: {}. Reduce that, or allow more with --max-time",
            scenario.name,
            about(ms),
            about(time.0),
            estimate.time_by()
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::load_text;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        let read = |text: &str| text.parse::<Memory>().ok();
        assert_eq!(read("2G"), Some(Memory::Bytes(2 << 30)));
        assert_eq!(read("500m"), Some(Memory::Bytes(500 << 20)));
        assert_eq!(read("80%"), Some(Memory::Percent(80)));
        for wrong in ["", "G", "2", "2X", "0%", "101%", "-1G", "99999999999999999999G"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn too_much_is_refused_with_the_figure_and_what_dominates() {
        let text = "
topics: {t: {count: 1000, partitions: 100}}
groups: {g: {count: 100000, topics: all}}
history: [{touch: {at: 1m, topic: t-7}}]
strategies: [full-metadata]
";
        let scenario = load_text("s", text, &[]).unwrap().scenario;
        let budget = |memory: &str, time| Budget { memory: memory.parse().unwrap(), time };
        let refused = |b: Budget| check(&scenario, Way::Measured, 100_000, 1, b).unwrap_err();
        let failure = refused(budget("2G", Ms::NEVER));
        assert_eq!(failure.code(), 3);
        assert_eq!(
            failure.text(false).unwrap(),
            "error: s would need about 322 GB of memory and may take 2.1 GB; dominant: groups × topics × partitions (100,000 × 1,000 × 100). Reduce that, or allow more with --max-memory"
        );
        // one list of racks for all groups
        let failure = refused(budget("40G", Ms::NEVER)).text(false).unwrap();
        assert!(failure.ends_with("--max-memory; or only count (--counted): that fits"), "{failure}");
        assert!(check(&scenario, Way::Counted, 100_000, 1, budget("40G", Ms::NEVER)).is_ok());
        let failure = refused(budget("9999G", Ms::secs(30)));
        assert!(failure.text(false).unwrap().contains("; dominant: refreshes × topics × partitions ("), "{failure:?}");
    }
}
