//! `check --github`: annotations at the scenario's file, the worst ten of them since GitHub shows no more, and a
//! summary of the job, which it takes up to 1 MiB of.

use std::fmt::Write as _;

use super::finding::Finding;
use super::hold::Checked;

/// Annotations of one kind that GitHub shows for a step.
const SHOWN: usize = 10;

/// Bytes of a summary that we write at most, well below what GitHub refuses.
const SUMMARY: usize = 1_000_000;

/// Workflow commands, a line each.
#[must_use]
pub fn annotations(all: &[Checked]) -> String {
    let mut findings: Vec<&Finding> = all.iter().flat_map(|checked| &checked.findings).collect();
    findings.sort_by_key(|f| (f.state.code(), f.state, std::cmp::Reverse(f.weight())));
    let shown = if findings.len() > SHOWN { SHOWN - 1 } else { SHOWN };
    let mut out = String::new();
    for finding in findings.iter().take(shown) {
        let title = format!("{} {}", finding.state.word().trim(), finding.scenario);
        let _ = writeln!(
            out,
            "::error file={},title={}::{}",
            property(&finding.file),
            property(&title),
            data(&finding.told())
        );
    }
    if findings.len() > shown {
        let _ =
            writeln!(out, "::error title=rebalance-sim check::{} more: see the job's summary", findings.len() - shown);
    }
    out
}

/// The job's summary in Markdown.
#[must_use]
pub fn step_summary(all: &[Checked]) -> String {
    let found: usize = all.iter().map(|checked| checked.findings.len()).sum();
    let mut out = format!(
        "## rebalance-sim check: {}\n\n",
        if found == 0 { "as it was".to_owned() } else { format!("{found} not as it was") }
    );
    out.push_str("| scenario | | not as it was | equal cells |\n|---|---|---|---:|\n");
    let mut left = 0;
    for checked in all {
        let mut rows = String::new();
        for finding in &checked.findings {
            let _ = writeln!(
                rows,
                "| {} | {} | {} | |",
                cell(&checked.scenario),
                finding.state.word().trim(),
                cell(&finding.told())
            );
        }
        if checked.findings.is_empty() {
            let notes = cell(&checked.notes.join("; "));
            let _ = writeln!(rows, "| {} | ok | {notes} | {} |", cell(&checked.scenario), checked.equal);
        }
        for row in rows.split_inclusive('\n') {
            if left > 0 || out.len() + row.len() > SUMMARY {
                left += 1;
            } else {
                out.push_str(row);
            }
        }
    }
    if left > 0 {
        let _ = writeln!(out, "\nand {left} more lines: see the job's log");
    }
    out
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

/// What stands behind `::` of a workflow command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// What stands before it.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::super::finding::State;
    use super::*;

    fn many(n: u64) -> Vec<Checked> {
        let finding = |i: u64| Finding {
            scenario: "s".into(),
            file: "scenarios/a,b.yaml".into(),
            state: State::Differs,
            run: None,
            strategy: format!("x{i}"),
            column: "rebalances".into(),
            then: "0".into(),
            now: i.to_string(),
            message: format!("rebalances 0 → {i}: 100 %"),
        };
        vec![Checked { scenario: "s".into(), findings: (1..=n).map(finding).collect(), ..Checked::default() }]
    }

    #[test]
    fn the_worst_come_first_and_the_rest_is_counted() {
        let text = annotations(&many(12));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 10);
        assert_eq!(lines[0], "::error file=scenarios/a%2Cb.yaml,title=FAIL s::x12  rebalances 0 → 12: 100 %25");
        assert_eq!(lines[9], "::error title=rebalance-sim check::3 more: see the job's summary");
        assert_eq!(annotations(&many(10)).lines().count(), 10);
        assert_eq!(annotations(&many(0)), "");
    }

    #[test]
    fn the_summary_stays_below_a_mebibyte_and_counts_what_it_leaves_out() {
        let text = step_summary(&many(40_000));
        assert!(text.len() < 1 << 20, "{}", text.len());
        let rows = text.lines().filter(|l| l.starts_with("| s |")).count();
        assert!(text.ends_with(&format!("and {} more lines: see the job's log\n", 40_000 - rows)));
        assert!(step_summary(&many(0)).contains("| s | ok |"));
    }
}
