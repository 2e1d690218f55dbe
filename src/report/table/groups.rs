//! `groups RESULT`: the groups that suffered most, worst first.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::report::files::{GroupRow, Text};
use crate::report::words::thousands;
use crate::sim::{Ms, natural_cmp};

use super::grid::{Cell, Column, Grid};
use super::line::Screen;

/// Worst first: most rebalances, then most spurious, then most missed, then natural order of names. Runs are
/// summed: first is the earliest of all, the rest of a row is the last run's.
#[must_use]
pub fn worst_groups(rows: Vec<GroupRow<'static>>) -> Vec<GroupRow<'static>> {
    let mut places: BTreeMap<(Text<'static>, Text<'static>, Text<'static>), usize> = BTreeMap::new();
    let mut sums: Vec<GroupRow<'static>> = Vec::new();
    for row in rows {
        let key = (row.point.clone(), row.strategy.clone(), row.group.clone());
        let place = *places.entry(key).or_insert(sums.len());
        match sums.get_mut(place) {
            Some(sum) => add(sum, row),
            None => sums.push(row),
        }
    }
    sums.sort_by(|a, b| {
        let rank = |r: &GroupRow<'_>| Reverse((r.rebalances, r.spurious, r.missed));
        rank(a).cmp(&rank(b)).then_with(|| natural_cmp(&a.group, &b.group))
    });
    sums
}

fn add(sum: &mut GroupRow<'static>, row: GroupRow<'static>) {
    let earlier = GroupRow {
        rebalances: sum.rebalances + row.rebalances,
        membership: sum.membership + row.membership,
        needed: sum.needed + row.needed,
        late: sum.late + row.late,
        spurious: sum.spurious + row.spurious,
        repeat: sum.repeat + row.repeat,
        missed: sum.missed + row.missed,
        first_ms: sum.first_ms.into_iter().chain(row.first_ms).min(),
        last_ms: sum.last_ms.into_iter().chain(row.last_ms).max(),
        main_cause: if sum.rebalances >= row.rebalances { sum.main_cause.take() } else { row.main_cause.clone() },
        ..row
    };
    *sum = earlier;
}

/// The table.
#[must_use]
pub fn groups_screen(rows: &[GroupRow<'_>], screen: Screen) -> String {
    let others = rows.iter().any(|row| !["", "consumer"].contains(&row.protocol.as_ref()));
    let mut columns = vec![
        Column::text("group"),
        Column::text("strategy"),
        Column::figure("shard"),
        Column::figure("members"),
        Column::figure("topics"),
        Column::figure("rebalances"),
        Column::figure("spurious"),
        Column::figure("missed"),
        Column::figure("first"),
        Column::figure("last"),
        Column::text("main cause"),
    ];
    if others {
        columns.insert(1, Column::text("protocol"));
    }
    let mut grid = Grid::new(columns);
    let clock = |ms: Option<u64>| Cell::faint_if(ms.is_none(), ms.map_or("–".to_owned(), |ms| Ms(ms).clock()));
    for row in rows {
        let mut cells = vec![
            Cell::plain(row.group.as_ref()),
            Cell::plain(row.strategy.as_ref()),
            Cell::plain(row.shard.to_string()),
            Cell::plain(thousands(row.members.into())),
            Cell::plain(thousands(row.topics.into())),
            Cell::faint_if(row.rebalances == 0, thousands(row.rebalances)),
            Cell::warn_unless(row.spurious == 0, thousands(row.spurious)),
            Cell::warn_unless(row.missed == 0, thousands(row.missed)),
            clock(row.first_ms),
            clock(row.last_ms),
            Cell::plain(row.main_cause.as_deref().unwrap_or("–")),
        ];
        if others {
            cells.insert(1, Cell::plain(row.protocol.as_ref()));
        }
        grid.row(cells);
    }
    grid.render(screen)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(run: u32, group: &str, rebalances: u64, spurious: u64) -> GroupRow<'static> {
        GroupRow {
            run,
            strategy: "kafka-4.1".into(),
            group: group.to_owned().into(),
            rebalances,
            spurious,
            first_ms: (rebalances > 0).then_some(u64::from(run) * 1000),
            last_ms: (rebalances > 0).then_some(u64::from(run) * 2000),
            main_cause: (rebalances > 0).then(|| format!("cause-{run}").into()),
            ..GroupRow::default()
        }
    }

    #[test]
    fn the_worst_comes_first_and_equal_ones_in_natural_order() {
        let rows = vec![row(1, "g-10", 3, 1), row(1, "g-2", 3, 1), row(1, "g-1", 3, 2), row(1, "g-3", 9, 0)];
        let names: Vec<String> = worst_groups(rows).into_iter().map(|r| r.group.into_owned()).collect();
        assert_eq!(names, ["g-3", "g-1", "g-2", "g-10"]);
    }

    #[test]
    fn runs_are_summed_by_group() {
        let sums = worst_groups(vec![row(1, "g-1", 0, 0), row(2, "g-1", 3, 1), row(3, "g-1", 2, 2)]);
        assert_eq!(sums.len(), 1);
        assert_eq!((sums[0].rebalances, sums[0].spurious), (5, 3));
        assert_eq!((sums[0].first_ms, sums[0].last_ms), (Some(2000), Some(6000)));
        assert_eq!(sums[0].main_cause.as_deref(), Some("cause-2"));
    }

    #[test]
    fn the_protocol_is_shown_where_there_are_several() {
        let share = GroupRow { protocol: "share".into(), ..row(1, "q", 1, 0) };
        let text =
            groups_screen(&[share, GroupRow { protocol: "consumer".into(), ..row(1, "g", 1, 0) }], Screen::PAPER);
        let words: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().take(2).collect()).collect();
        assert_eq!(words, [["group", "protocol"], ["q", "share"], ["g", "consumer"]]);
        assert!(!groups_screen(&[row(1, "g", 1, 0)], Screen::PAPER).contains("protocol"));
    }

    #[test]
    fn a_group_that_never_rebalanced_has_dashes() {
        let text = groups_screen(&[row(1, "g-1", 0, 0)], Screen::PAPER);
        assert!(text.lines().nth(1).unwrap().ends_with("–     –  –"), "{text}");
    }
}
