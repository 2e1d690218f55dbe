//! Lines that tools print besides what they were asked for: warnings, logs, and the news that they failed.

use std::sync::LazyLock;

use regex::Regex;

/// What such a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Noise<'t> {
    /// Nothing to us.
    Idle,
    /// This group has no members.
    Empty(&'t str),
    /// The tool did not print all that it should have.
    Failed,
}

fn regex(text: &str) -> Regex {
    Regex::new(text).expect("it is one")
}

static EMPTY: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^(?:Consumer|Share|Streams) group '(.*)' has no active members\.$"));

static FAILED: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^(?:Error while executing |Error: |Exception in thread |Command line error: |\[\d{4}-\d\d-\d\d [^\]]*\] (?:ERROR|FATAL) |% ERROR)",
    )
});

static GONE: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"^Error: (?:The )?(?:Consumer|consumer|Share|share|Streams|streams) group '.*' does not exist\.$")
});

static IDLE: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"^(?:SLF4J(?:\([A-Z]\))?: |log4j:[A-Z]+ |Picked up |Note: |WARNING: |Warning: ",
        r"|\[\d{4}-\d\d-\d\d [^\]]*\] (?:TRACE|DEBUG|INFO|WARN) ",
        r"|(?:OpenJDK|Java HotSpot\(TM\)) .*warning: ",
        // of a streams group's member, under its line
        r"|(?:TARGET-)?(?:ACTIVE|STANDBY|WARMUP)-TASKS:)"
    ))
});

/// Remarks and stack traces; in a table a line that begins so may be a group's.
static OUTSIDE: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"^(?:#|\$ |\s+at [\w.$/<>]+\(|Caused by: |\s*\.\.\. \d+ more$|java\.|org\.apache\.kafka\.)")
});

/// Is this line such a one? A table's rows begin with any name there is.
pub(super) fn noise(line: &str, in_table: bool) -> Option<Noise<'_>> {
    if let Some(found) = EMPTY.captures(line) {
        return found.get(1).map(|name| Noise::Empty(name.as_str()));
    }
    if GONE.is_match(line) {
        return Some(Noise::Idle);
    }
    if FAILED.is_match(line) {
        return Some(Noise::Failed);
    }
    (IDLE.is_match(line) || !in_table && OUTSIDE.is_match(line)).then_some(Noise::Idle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tools_print_besides_is_told_from_what_they_were_asked_for() {
        for (line, is) in [
            ("Consumer group 'it's' has no active members.", Some(Noise::Empty("it's"))),
            ("Warning: Consumer group 'g' is rebalancing.", Some(Noise::Idle)),
            ("Error: Consumer group 'g' does not exist.", Some(Noise::Idle)),
            ("Error: Executing consumer group command failed due to timeout", Some(Noise::Failed)),
            ("Error while executing topic command : Timed out", Some(Noise::Failed)),
            ("[2026-11-26 10:00:00,001] WARN [AdminClient clientId=a] x (org.apache.kafka.Y)", Some(Noise::Idle)),
            ("[2026-11-26 10:00:00,001] ERROR x (org.apache.kafka.Y)", Some(Noise::Failed)),
            ("\tat java.base/java.lang.Thread.run(Thread.java:840)", Some(Noise::Idle)),
            ("OpenJDK 64-Bit Server VM warning: x", Some(Noise::Idle)),
            ("ACTIVE-TASKS: 0:[0,1]", Some(Noise::Idle)),
            ("orders", None),
            ("\tTopic: t\tPartition: 0", None),
        ] {
            assert_eq!(noise(line, false), is, "{line}");
        }
    }

    #[test]
    fn a_group_may_be_called_as_a_stack_trace_begins() {
        for line in ["java.consumer  Stable", "#1  Stable", "org.apache.kafka.mirror  Empty"] {
            assert_eq!(noise(line, true), None, "{line}");
            assert_eq!(noise(line, false), Some(Noise::Idle), "{line}");
        }
    }
}
