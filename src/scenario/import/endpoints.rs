//! `kafka-cluster.sh list-endpoints`: brokers with their racks, on request also those that are fenced.

use super::super::diagnostics::Problems;
use super::seen::Seen;
use super::sift::{Line, bad_row};
use super::table::Table;

/// Is it such a table?
pub(super) fn is_known(table: &Table) -> bool {
    table.has("ID") && table.has("HOST") && table.has("RACK")
}

/// Reads a row.
pub(super) fn row(table: &Table, line: Line<'_>, seen: &mut Seen, p: &mut Problems) {
    let words: Vec<&str> = line.text.split_whitespace().collect();
    // controllers have no rack to speak of
    if words.last() == Some(&"controller") {
        return;
    }
    let (id, rack, state) = match (table.row(line.text), &words[..]) {
        (Some(row), _) => (row.raw("ID"), row.raw("RACK"), row.raw("STATE")),
        // nothing stands where a rack would
        (None, [id, _, _, state, _]) => (Some(*id), None, Some(*state)),
        (None, _) => (None, None, None),
    };
    let Some(id) = id.and_then(|text| text.parse::<u32>().ok()) else {
        bad_row(table, line.at, "this row has no broker's id where the table has it", "", p);
        return;
    };
    if !matches!(state, None | Some("fenced" | "unfenced")) {
        let message = format!("broker {id} is {}, which is no state of a broker", state.unwrap_or("nothing"));
        bad_row(table, line.at, &message, "expected `fenced` or `unfenced`", p);
        return;
    }
    let rack = rack.filter(|rack| !rack.is_empty() && *rack != "null").map(str::to_owned);
    seen.broker(id, line.at, Some(rack), p).fenced |= state == Some("fenced");
}
