//! *What*: whom an entry happens to, and which topics a member subscribes to.

use std::sync::Arc;

use super::super::diagnostics::Problems;
use super::super::similar::nearest;
use super::super::words::{is_glob, reads_as};
use super::super::yaml::{Kind, Node};
use super::super::{Pick, Span, TopicPick, Word};
use super::Fields;
use super::census::{Census, Names, did_you_mean, family_names};
use super::scalars::{is_plain, name, rack, whole, whole_span, word};
use crate::sim::natural_cmp;

/// Kafka's own topic, which only ISR changes may name.
pub(crate) const OFFSETS_TOPIC: &str = "__consumer_offsets";

/// What kind of thing a target is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Noun {
    Broker,
    Topic,
    Group,
    Member,
}

impl Noun {
    pub(crate) fn keys(self) -> &'static [&'static str] {
        match self {
            Noun::Broker => &["broker", "brokers"],
            Noun::Topic => &["topic", "topics"],
            Noun::Group => &["group", "groups"],
            Noun::Member => &["member", "members"],
        }
    }

    pub(crate) fn word(self) -> &'static str {
        self.keys()[0]
    }

    /// Can there be others than those that are known? Then what is not there is not told.
    fn doubtful(self, census: &Census) -> bool {
        match self {
            Noun::Broker => false,
            Noun::Topic => census.topics_wrong,
            Noun::Group => census.groups_wrong,
            Noun::Member => census.groups_wrong || census.joins,
        }
    }

    fn a(self) -> String {
        format!("a {}", self.word())
    }
}

/// How many a word stands for at most.
fn size(word: &Word, noun: Noun, census: &Census) -> u64 {
    match word {
        Word::Name(_) => 1,
        Word::Family(family) => lists(noun, census).iter().filter_map(|n| n.family_size(family)).map(u64::from).sum(),
        Word::Glob(glob) => lists(noun, census).iter().map(|names| names.matching(glob)).sum(),
    }
}

fn lists(noun: Noun, census: &Census) -> Vec<&Names> {
    match noun {
        Noun::Broker => Vec::new(),
        Noun::Topic => vec![&census.topics, &census.created],
        Noun::Group => vec![&census.groups],
        Noun::Member => vec![&census.members],
    }
}

/// How many there are at most.
pub(crate) fn total(noun: Noun, census: &Census) -> u64 {
    match noun {
        Noun::Broker => census.broker_ids().len() as u64,
        Noun::Topic | Noun::Group | Noun::Member => lists(noun, census).iter().map(|names| names.len()).sum(),
    }
}

/// How many a pick stands for at most; the upper end where it is drawn.
pub(crate) fn most(pick: &Pick, noun: Noun, census: &Census) -> u64 {
    match pick {
        Pick::All | Pick::Rack(_) => total(noun, census),
        Pick::These(words) => words.iter().map(|w| size(w, noun, census)).sum::<u64>().min(total(noun, census).max(1)),
        Pick::Any(count) | Pick::Draw { count, .. } => u64::from(count.hi),
    }
}

/// Reads a target.
pub(crate) fn pick(node: &mut Node, noun: Noun, census: &Census, problems: &mut Problems) -> Option<Pick> {
    match &node.kind {
        Kind::List(items) => {
            let words: Vec<Option<Word>> = items.iter().map(|item| one_word(item, noun, census, problems)).collect();
            if words.is_empty() {
                problems.add(node.at, "this list is empty", format!("name {} or leave the key out", noun.a()));
                return None;
            }
            words.into_iter().collect::<Option<_>>().map(Pick::These)
        }
        Kind::Map(_) if noun == Noun::Broker => by_rack(node, census, problems),
        Kind::Map(_) => {
            problems.add(node.at, format!("{} is named here, not described", noun.a()), "");
            None
        }
        Kind::Scalar { text, .. } => match text.split_once(' ') {
            _ if node.is_null() => {
                problems.add(node.at, format!("{} is meant here, not nothing", noun.a()), "");
                None
            }
            None if text == "all" => Some(Pick::All),
            None if text == "any" => Some(Pick::Any(Span::just(1))),
            Some(("any", count)) => {
                let count = drawn(count, total(noun, census), noun, census, node, problems)?;
                Some(Pick::Any(count))
            }
            Some((count, rest)) if rest.starts_with("of ") => {
                let of = alternatives(&rest[3..], noun, census, node, problems)?;
                let there = of.iter().map(|w| size(w, noun, census)).sum();
                let count = drawn(count, there, noun, census, node, problems)?;
                Some(Pick::Draw { count, of })
            }
            Some(_) => {
                let label = format!("write `all`, {}, a list, `any 3` or `5 of NAME|NAME`", noun.a());
                problems.add(node.at, format!("`{text}` picks nothing"), label);
                None
            }
            None => one_word(node, noun, census, problems).map(|word| Pick::These(vec![word])),
        },
    }
}

fn by_rack(node: &mut Node, census: &Census, problems: &mut Problems) -> Option<Pick> {
    let mut fields = Fields::open(node, "this selector", problems)?;
    let found = fields.must("rack", "as in `{rack: a}`", problems).and_then(|node| rack(node, problems));
    let at = fields.opt("rack").map(|n| n.at);
    fields.close(problems);
    let rack = found?;
    if let (Some(name), Some(at)) = (&rack, at)
        && !census.racks.contains(name)
    {
        let near = nearest(name, census.racks.iter().map(String::as_str));
        let label = near.map_or(String::new(), |other| format!("did you mean `{other}`?"));
        problems.add(at, format!("no broker ever has the rack `{name}`"), label);
        return None;
    }
    Some(Pick::Rack(rack))
}

/// `3` or `3..8`, at most as many as there are.
fn drawn(
    text: &str,
    there: u64,
    noun: Noun,
    census: &Census,
    node: &Node,
    problems: &mut Problems,
) -> Option<Span<u32>> {
    let mut inner = Problems::default();
    let what = format!("how many {}s", noun.word());
    let count = whole_span(&Node::quoted(node.at, text.trim()), &what, 0, u32::MAX, &mut inner);
    problems.list.append(&mut inner.list);
    let count = count?;
    if count.hi == 0 || (u64::from(count.hi) > there && !noun.doubtful(census)) {
        let label = if count.hi == 0 { "draw at least one".to_owned() } else { format!("there are {there}") };
        problems.add(node.at, format!("{} {}s cannot be drawn", count.hi, noun.word()), label);
        return None;
    }
    Some(count)
}

fn alternatives(text: &str, noun: Noun, census: &Census, node: &Node, problems: &mut Problems) -> Option<Vec<Word>> {
    let words = text.split('|').map(|part| resolve(part.trim(), noun, census, node, problems));
    words.collect::<Vec<_>>().into_iter().collect()
}

fn one_word(node: &Node, noun: Noun, census: &Census, problems: &mut Problems) -> Option<Word> {
    let text = word(node, &noun.a(), problems)?;
    if noun != Noun::Broker && !is_glob(text) && is_plain(node) && reads_as(text).is_some() {
        name(node, &noun.a(), problems)?;
    }
    resolve(text, noun, census, node, problems)
}

/// A name, a family or a glob that stands for something.
fn resolve(text: &str, noun: Noun, census: &Census, node: &Node, problems: &mut Problems) -> Option<Word> {
    if noun == Noun::Broker {
        return broker_id(text, census, node, problems).map(|id| Word::Name(id.to_string()));
    }
    let lists = lists(noun, census);
    if is_glob(text) {
        let matched = lists.iter().any(|names| names.matching(text) > 0);
        if !matched && !noun.doubtful(census) {
            problems.add(node.at, format!("no {} matches `{text}`", noun.word()), "");
            return None;
        }
        return Some(Word::Glob(text.to_owned()));
    }
    if lists.iter().any(|names| names.is_family(text)) {
        return Some(Word::Family(text.to_owned()));
    }
    let offsets = noun == Noun::Topic && text == OFFSETS_TOPIC;
    if offsets || noun.doubtful(census) || lists.iter().any(|names| names.has(text)) {
        return Some(Word::Name(text.to_owned()));
    }
    problems.add(node.at, format!("there is no {} `{text}`", noun.word()), did_you_mean(text, &lists));
    None
}

/// A broker's id that some list or entry has.
fn broker_id(text: &str, census: &Census, node: &Node, problems: &mut Problems) -> Option<u32> {
    let ids = census.broker_ids();
    let id: u32 = whole(&Node::quoted(node.at, text), "a broker's id", 0, u32::MAX, problems)?;
    if !ids.contains(&id) {
        let last = ids.last().copied().unwrap_or(0);
        let contiguous = ids.len() as u64 == u64::from(last) + 1;
        let label =
            if contiguous { format!("ids are 0 to {last}") } else { "no list and no add-broker has it".to_owned() };
        problems.add(node.at, format!("there is no broker {id}"), label);
        return None;
    }
    Some(id)
}

/// A broker's id, one.
pub(crate) fn one_broker(node: &Node, census: &Census, problems: &mut Problems) -> Option<u32> {
    let text = word(node, "a broker's id", problems)?;
    broker_id(text, census, node, problems)
}

/// Reads which topics a member subscribes to by name.
pub(crate) fn subscription(node: &Node, census: &Census, problems: &mut Problems) -> Option<TopicPick> {
    let these = |mut names: Vec<String>| {
        names.sort_by(|a, b| natural_cmp(a, b));
        names.dedup();
        Some(TopicPick::These(names.into()))
    };
    let text = match &node.kind {
        Kind::List(items) => {
            let mut names = Vec::new();
            for item in items {
                let text = word(item, "a topic", problems)?;
                if !is_glob(text) {
                    name(item, "a topic", problems)?;
                }
                names.extend(topic_names(text, item, census, problems)?);
            }
            return these(names);
        }
        Kind::Scalar { text, .. } if !node.is_null() => text.as_str(),
        Kind::Map(_) | Kind::Scalar { .. } => {
            let label = "write `all`, a name, a list, a number, or `5 of NAME|NAME`";
            problems.add(node.at, format!("topics are meant here, not {}", node.what()), label);
            return None;
        }
    };
    let draw = |count: &str, of: Arc<[String]>, problems: &mut Problems| {
        let count = drawn(count, of.len() as u64, Noun::Topic, census, node, problems)?;
        Some(TopicPick::Draw { count, of })
    };
    match text.split_once(' ') {
        Some(("any", count)) => draw(count, census.all_topics.clone(), problems),
        Some((count, rest)) if rest.starts_with("of ") => {
            let of = census.drawn_from(&rest[3..], || {
                let mut names = Vec::new();
                for part in rest[3..].split('|') {
                    names.extend(topic_names(part.trim(), node, census, problems)?);
                }
                Some(names)
            });
            draw(count, of?, problems)
        }
        Some(_) => {
            let label = "write `all`, a name, a list, a number, or `5 of NAME|NAME`";
            problems.add(node.at, format!("`{text}` picks no topics"), label);
            None
        }
        None if text == "all" => Some(TopicPick::These(census.all_topics.clone())),
        None if text == "any" => draw("1", census.all_topics.clone(), problems),
        None if text.starts_with(|c: char| c.is_ascii_digit()) && is_plain(node) && is_count(text) => {
            draw(text, census.all_topics.clone(), problems)
        }
        None => {
            if !is_glob(text) {
                name(node, "a topic", problems)?;
            }
            census.drawn_from(text, || topic_names(text, node, census, problems)).map(TopicPick::These)
        }
    }
}

fn is_count(text: &str) -> bool {
    text.split("..").all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
}

/// What a word in a subscription stands for; a name that is not there (yet) is one all the same.
fn topic_names(text: &str, node: &Node, census: &Census, problems: &mut Problems) -> Option<Vec<String>> {
    if is_glob(text) {
        let all = census.all_topics.clone();
        let names: Vec<String> = all.iter().filter(|n| super::super::words::glob_matches(text, n)).cloned().collect();
        if names.is_empty() && !census.topics_wrong {
            problems.add(node.at, format!("no topic of `topics:` matches `{text}`"), "");
            return None;
        }
        return Some(names);
    }
    for names in [&census.topics, &census.created] {
        if let Some(count) = names.family_size(text) {
            return Some(family_names(text, count).collect());
        }
    }
    if !census.topics.has(text) && !census.created.has(text) && !census.happened {
        problems.warn_at(node.at, || {
            let near = did_you_mean(text, &[&census.topics, &census.created]);
            let near = if near.is_empty() { near } else { format!("; {near}") };
            format!("topic `{text}` is subscribed to, and nothing ever creates it{near}")
        });
    }
    Some(vec![text.to_owned()])
}
