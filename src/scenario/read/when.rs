//! *When* an entry happens: at instants, in a rhythm, or by chance.

use super::super::When;
use super::super::diagnostics::Problems;
use super::super::similar::hint;
use super::super::yaml::{Kind, Node};
use super::Fields;
use super::picks::Noun;
use super::scalars::{some_time, time, whole, word};
use crate::sim::Ms;

/// Instants of one entry.
const MAX_INSTANTS: usize = 100_000;

/// Reads the keys of *when*. `noun` is what `per` may count, `None` for verbs without a target.
pub(crate) fn when(fields: &mut Fields<'_>, noun: Option<Noun>, problems: &mut Problems) -> Option<When> {
    let given: Vec<&'static str> = ["at", "every", "rate"].into_iter().filter(|key| fields.has(key)).collect();
    match given.as_slice() {
        [] => {
            let label = "give one of `at: 10m`, `every: 6h`, `rate: 2/day`";
            problems.add(fields.at(), "this entry does not say when", label);
        }
        [_] => {}
        [first, second, ..] => {
            let also = fields.key_at(first);
            let at = fields.key_at(second).unwrap_or(fields.at());
            let message = format!("an entry has one *when*, and this has `{first}` and `{second}`");
            problems.add(at, message, "take one of them away").also.extend(also.map(|at| (at, String::new())));
        }
    }
    let at = fields.opt("at").map(|node| instants(node, problems));
    let every = fields.opt("every").map(|node| some_time(node, "every", problems));
    let rate = fields.opt("rate").map(|node| rate(node, noun, problems));
    if at.is_some() {
        for key in ["from", "until", "times"] {
            if let Some(place) = fields.key_at(key) {
                problems.add(place, format!("`{key}` belongs to `every` or `rate`"), "take it away");
            }
            fields.opt(key);
        }
        return at.flatten().map(When::At);
    }
    let first = every.flatten().unwrap_or(Ms::ZERO);
    let from = if every.is_some() || rate.is_some() {
        time(fields.or("from", &first.to_string()), "from", problems)
    } else {
        fields.opt("from").and_then(|node| time(node, "from", problems))
    };
    let until = fields.opt("until").map(|node| (node.at, time(node, "until", problems)));
    let times = fields.opt("times").map(|node| whole(node, "times", 1, u64::from(u32::MAX), problems));
    if let (Some(from), Some((at, Some(until)))) = (from, until)
        && until <= from
    {
        let message = format!("nothing happens from {from} until {until}");
        problems.add(at, message, "`until` is later than `from`");
    }
    let (until, times) = (until.and_then(|(_, until)| until), times.flatten());
    match (every, rate) {
        (Some(every), None) => Some(When::Every { every: every?, from: from?, until, times }),
        (None, Some(rate)) => {
            let (count, per, each) = rate?;
            Some(When::Rate { count, per, each, from: from?, until, times })
        }
        _ => None,
    }
}

fn instants(node: &Node, problems: &mut Problems) -> Option<Vec<Ms>> {
    let Kind::List(items) = &node.kind else { return time(node, "at", problems).map(|at| vec![at]) };
    if items.is_empty() || items.len() > MAX_INSTANTS {
        problems.add(node.at, format!("`at` lists 1 to {MAX_INSTANTS} instants"), "as in `at: [1h, 2h]`");
        return None;
    }
    let times: Vec<Option<Ms>> = items.iter().map(|item| time(item, "at", problems)).collect();
    times.into_iter().collect()
}

/// `N/TIME`, and `per broker`: how many, in how long, one process for each target?
fn rate(node: &Node, noun: Option<Noun>, problems: &mut Problems) -> Option<(u64, Ms, bool)> {
    let text = word(node, "a rate such as `2/day`", problems)?;
    let (number, each) = match text.split_once(" per ") {
        Some((number, of)) => (number, Some(of.trim())),
        None => (text, None),
    };
    let Some((count, time_text)) = number.split_once('/') else {
        problems.add(node.at, format!("`{text}` is no rate"), "write `2/day` or `1/14d per broker`");
        return None;
    };
    let count = whole(&Node::quoted(node.at, count.trim()), "how often", 1, 1_000_000_000, problems);
    let per = match time_text.trim() {
        "second" => Some(Ms::secs(1)),
        "minute" => Some(Ms::secs(60)),
        "hour" => Some(Ms::secs(3_600)),
        "day" => Some(Ms::secs(86_400)),
        "week" => Some(Ms::secs(7 * 86_400)),
        "" => {
            problems.add(node.at, format!("`{text}` is no rate"), "write `2/day` or `1/14d per broker`");
            None
        }
        other if other.starts_with(|c: char| c.is_ascii_digit()) => {
            some_time(&Node::quoted(node.at, other), "a rate's time", problems)
        }
        other => {
            let words = ["second", "minute", "hour", "day", "week"];
            problems.add(node.at, format!("`{other}` is no time of a rate"), hint(other, &words));
            return None;
        }
    };
    if let Some(of) = each {
        let fits = noun.is_some_and(|noun| noun.keys().contains(&of)) && !of.ends_with("members");
        if !fits {
            let label = match noun {
                Some(noun) => format!("write `per {}`", noun.word()),
                None => "leave `per` out".to_owned(),
            };
            problems.add(node.at, format!("there cannot be one such process per {of}"), label);
            return None;
        }
    }
    Some((count?, per?, each.is_some()))
}
