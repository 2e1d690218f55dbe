//! The machine that runs: its meters and clock come from the binary, its name from the system.

use std::fs;
use std::time::{Duration, UNIX_EPOCH};

use crate::metrics::Meter;
use crate::report::files::Machine;

/// What the binary knows and the library must not find out by itself.
#[derive(Clone, Copy)]
pub struct Host<'a> {
    /// Processor time, wall time, allocations.
    pub meter: &'a dyn Meter,
    /// Seconds since 1970.
    pub unix_s: u64,
}

impl Host<'_> {
    /// For costs.csv and provenance.yaml.
    pub(crate) fn describe(&self) -> Machine {
        let date = humantime::format_rfc3339_seconds(UNIX_EPOCH + Duration::from_secs(self.unix_s)).to_string();
        Machine { os: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH), cpu: cpu(), date }
    }
}

fn cpu() -> String {
    fs::read_to_string("/proc/cpuinfo")
        .ok()
        .and_then(|text| {
            let line = text.lines().find(|line| line.starts_with("model name"))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        })
        .unwrap_or_else(|| "unknown".to_owned())
}
