//! Our lane and Kafka's own coordinator, two columns side by side.

use std::fmt::Write as _;

use crate::conformance::{Compared, Difference, Release, Row};

use super::words::{plural, thousands};

/// For a terminal or a file of text.
#[must_use]
pub fn screen(name: &str, release: Release, compared: &Compared) -> String {
    let mut text = format!("{name} · {}\n", said(compared));
    if !compared.rows.is_empty() {
        let group = compared.rows.iter().map(|row| row.group.chars().count()).max().unwrap_or(0).max(5);
        let _ = writeln!(text, "{:>11}  {:group$}  {:26}  {}", "ms", "group", "rebalance-sim", release.name());
        for row in &compared.rows {
            let (ours, kafka) = (cell(row.ours), cell(row.kafka));
            let mark = if row.same() { "" } else { "  ◀ differs" };
            let line = format!("{:>11}  {:group$}  {ours:26}  {kafka}{mark}", thousands(row.at.0), row.group);
            let _ = writeln!(text, "{}", line.trim_end());
        }
    }
    for difference in &compared.differences {
        if let Some(words) = words(difference, release) {
            let _ = writeln!(text, "  {words}");
        }
    }
    text
}

/// For a ticket.
#[must_use]
pub fn markdown(name: &str, release: Release, compared: &Compared) -> String {
    let mut text = format!("**{name}** — {}\n\n", said(compared));
    if !compared.rows.is_empty() {
        let _ = writeln!(text, "| ms | group | rebalance-sim | Apache {} | |\n|---:|---|---|---|---|", release.name());
        for row in &compared.rows {
            let mark = if row.same() { "" } else { "differs" };
            let (at, group) = (thousands(row.at.0), &row.group);
            let _ = writeln!(text, "| {at} | {group} | {} | {} | {mark} |", cell(row.ours), cell(row.kafka));
        }
        text.push('\n');
    }
    for difference in &compared.differences {
        if let Some(words) = words(difference, release) {
            let _ = writeln!(text, "- {words}");
        }
    }
    text
}

fn said(compared: &Compared) -> String {
    let differ = compared.rows.iter().filter(|row| !row.same()).count();
    let rebalances = plural(compared.rows.len() as u64, "rebalance");
    let mut text = match (differ, compared.differences.len()) {
        (0, 0) => format!("{rebalances}, the same in both, hashes and bytes too"),
        (0, _) => format!("{rebalances}, the same in both, and yet"),
        (n, _) => format!("{rebalances}, {n} of them not in both"),
    };
    if compared.left_out > 0 {
        let _ = write!(text, " ({} with patterns left out)", plural(compared.left_out as u64, "group"));
    }
    text
}

fn cell(bump: Option<(u64, Option<u64>)>) -> String {
    match bump {
        None => "–".to_owned(),
        Some((epoch, None)) => format!("epoch {epoch}"),
        Some((epoch, Some(hash))) => format!("epoch {epoch} {hash:016x}"),
    }
}

/// What the table does not show.
fn words(difference: &Difference, release: Release) -> Option<String> {
    let name = release.name();
    match difference {
        Difference::Bump(Row { .. }) => None,
        Difference::Log(what, ours, kafka) => {
            Some(format!("{what} appended: {} here, {} by {name}", thousands(*ours), thousands(*kafka)))
        }
        Difference::Heartbeats(ours, kafka) => {
            Some(format!("heartbeats accepted: {} here, {} by {name}", thousands(*ours), thousands(*kafka)))
        }
        Difference::Failures(ours, kafka, what) => {
            let (ours, kafka) = (thousands(*ours), thousands(*kafka));
            Some(
                format!("operations failed: {ours} here, {kafka} by {name}: {what}")
                    .trim_end_matches([':', ' '])
                    .to_owned(),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::Ms;

    fn compared() -> Compared {
        let row = |at, ours, kafka| Row { at: Ms(at), group: "g-1".into(), ours, kafka, verdict: "needed" };
        let rows = vec![row(5_000, Some((2, Some(7))), Some((2, Some(7)))), row(9_000, Some((3, None)), None)];
        let differences = vec![Difference::Bump(rows[1].clone()), Difference::Log("bytes", 1234, 12)];
        Compared { rows, differences, left_out: 0 }
    }

    #[test]
    fn what_differs_is_marked_on_a_screen_and_in_a_ticket() {
        let text = screen("quickstart", Release::V4_1, &compared());
        let lines = [
            "quickstart · 2 rebalances, 1 of them not in both",
            "         ms  group  rebalance-sim               kafka-4.1",
            "      5,000  g-1    epoch 2 0000000000000007    epoch 2 0000000000000007",
            "      9,000  g-1    epoch 3                     –  ◀ differs",
            "  bytes appended: 1,234 here, 12 by kafka-4.1",
        ];
        assert_eq!(text.lines().collect::<Vec<_>>(), lines);
        let text = markdown("quickstart", Release::V4_1, &compared());
        let lines = [
            "**quickstart** — 2 rebalances, 1 of them not in both",
            "",
            "| ms | group | rebalance-sim | Apache kafka-4.1 | |",
            "|---:|---|---|---|---|",
            "| 5,000 | g-1 | epoch 2 0000000000000007 | epoch 2 0000000000000007 |  |",
            "| 9,000 | g-1 | epoch 3 | – | differs |",
            "",
            "- bytes appended: 1,234 here, 12 by kafka-4.1",
        ];
        assert_eq!(text.lines().collect::<Vec<_>>(), lines);
    }
}
