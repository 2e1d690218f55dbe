//! Who has what over time, in groups with an assignor: how much is read in the reader's own rack, and how unequal
//! members of a group are.

use std::collections::BTreeMap;

use crate::report::files::OwnershipRow;
use crate::report::words::thousands;
use crate::sim::Ms;

use super::canvas::{Canvas, Drawing};
use super::data::Data;
use super::legend::Legend;
use super::panel::{PANEL, Steps, panel};

const WIDTH: i32 = 960;
const LEFT: i32 = 76;
const RIGHT: i32 = 24;

/// A strategy's figure in each bucket, all runs taken together.
type Series<'a> = Vec<(&'a str, Vec<(u64, Option<u64>)>)>;

/// How much of the time partitions were read in the reader's own rack; nothing to draw where no member has one.
pub(super) fn local_share(data: &Data) -> Result<Drawing, String> {
    let series = series(data, |rows| {
        let sum = |of: fn(&OwnershipRow<'_>) -> u64| rows.iter().map(|row| u128::from(of(row))).sum::<u128>();
        let (local, remote) = (sum(|row| row.local_partition_ms), sum(|row| row.remote_partition_ms));
        let tenths = (local * 1000).checked_div(local + remote)?;
        u64::try_from(tenths).ok()
    });
    if series.iter().all(|(_, buckets)| buckets.iter().all(|(_, share)| share.is_none())) {
        return Err("no member with a rack owns anything".to_owned());
    }
    let ends = |buckets: &[(u64, Option<u64>)]| {
        let mut there = buckets.iter().filter_map(|(_, share)| *share);
        let first = there.next()?;
        Some((first, there.next_back().unwrap_or(first)))
    };
    // the strategy whose share falls most, the first of equal ones
    let fall = |(first, last): (u64, u64)| first.saturating_sub(last);
    let all: Vec<(&str, (u64, u64))> = series.iter().filter_map(|(s, b)| Some((*s, ends(b)?))).collect();
    let worst = all.iter().rev().max_by_key(|(_, ends)| fall(*ends));
    let title = match worst {
        Some((strategy, ends)) if fall(*ends) > 0 => {
            let alike = all.iter().all(|(_, other)| other == ends) && all.len() > 1;
            let who = if alike { "whatever the strategy".to_owned() } else { (*strategy).to_owned() };
            format!("Reads within a rack fall from {} to {} %: {who}", tenths(ends.0), tenths(ends.1))
        }
        Some((_, (_, last))) => format!("At the end {} % is read in the reader's own rack", tenths(*last)),
        None => "Reads within a rack".to_owned(),
    };
    // tenths are for the title; the axis has whole per cents
    let whole: Series<'_> = series.into_iter().map(|(s, b)| (s, b.into_iter().map(per_cent).collect())).collect();
    Ok(drawn(
        data,
        &title,
        &whole,
        100,
        ("of the time that members with a rack own partitions: how much with a replica in that rack", " %"),
    ))
}

/// The greatest difference between members of one group in partitions.
pub(super) fn imbalance(data: &Data) -> Result<Drawing, String> {
    let series = series(data, |rows| rows.iter().map(|row| row.imbalance_max).max());
    let peaks = series.iter().flat_map(|(s, b)| b.iter().filter_map(move |(at, n)| Some(((*n)?, *at, *s))));
    // of equal ones the first strategy's first
    let peak = peaks.fold(None, |best: Option<(u64, u64, &str)>, next| match best {
        Some(best) if best.0 >= next.0 => Some(best),
        _ => Some(next),
    });
    let Some((most, at, strategy)) = peak.filter(|(most, ..)| *most > 0) else {
        return Err("every member of a group always owns as much as any other".to_owned());
    };
    let title = if most == 1 {
        "No member ever owns more than one partition more than another of its group".to_owned()
    } else {
        let at = Ms(at / 1000 * 1000).clock();
        format!("A member owns up to {} partitions more than another: {strategy}, from {at}", thousands(most))
    };
    Ok(drawn(
        data,
        &title,
        &series,
        most,
        ("most minus fewest partitions of a group's members, in the most uneven group", ""),
    ))
}

fn per_cent((at, tenths): (u64, Option<u64>)) -> (u64, Option<u64>) {
    (at, tenths.map(|tenths| (tenths + 5) / 10))
}

fn tenths(n: u64) -> String {
    format!("{}.{}", n / 10, n % 10)
}

fn series<'a>(data: &'a Data, figure: impl Fn(&[&OwnershipRow<'_>]) -> Option<u64>) -> Series<'a> {
    let of = |strategy: &str| {
        let mut buckets: BTreeMap<u64, Vec<&OwnershipRow<'_>>> = BTreeMap::new();
        for row in data.ownership.iter().filter(|row| row.strategy == strategy) {
            buckets.entry(row.bucket_start_ms).or_default().push(row);
        }
        buckets.into_iter().map(|(at, rows)| (at, figure(&rows))).collect()
    };
    data.strategies.iter().map(|(strategy, _)| (strategy.as_str(), of(strategy))).collect()
}

fn drawn(data: &Data, title: &str, series: &Series<'_>, most: u64, label: (&str, &str)) -> Drawing {
    // a strategy without a coordinator has no targets either
    let there = |strategy: &str| series.iter().any(|(s, b)| *s == strategy && !b.is_empty());
    let strategies = data.strategies.iter().filter(|(s, _)| there(s));
    let legend = Legend::new(strategies.map(|(s, colour)| (s.as_str(), *colour)).collect(), WIDTH);
    let top = legend.bottom() + 14;
    let mut canvas = Canvas::titled(WIDTH, top + PANEL + 74, title, &data.subtitle);
    legend.paint(&mut canvas, false);
    let time = data.time_axis(LEFT, WIDTH - LEFT - RIGHT);
    let lines: Vec<Steps> = data
        .strategies
        .iter()
        .zip(series)
        .map(|((_, colour), (_, buckets))| Steps { colour: *colour, buckets: buckets.clone() })
        .collect();
    panel(&mut canvas, &time, top, most, label, &lines);
    time.marks(&mut canvas, &data.marks, top + PANEL, WIDTH);
    time.hours(&mut canvas, top + PANEL + 56);
    canvas.drawing()
}
