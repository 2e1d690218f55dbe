//! A random scenario in parts that can be taken away or made plainer, for the search of the fewest events that still
//! show something. It reads what [`super::random_scenario`] writes: one line a family, an entry or a setting.

/// A scenario as text in parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    sections: Vec<Section>,
}

/// A key and its value, as written.
type Pair = (String, String);
type Keys = Vec<Pair>;

#[derive(Clone, Debug, PartialEq, Eq)]
struct Section {
    name: String,
    body: Body,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Body {
    /// `brokers: 6`
    Value(String),
    /// `cluster: {…}`
    Keys(Keys),
    /// Families below `topics:` and `groups:`, entries below `history:`.
    Lines(Vec<Line>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    name: String,
    keys: Keys,
}

const MINUTE: u64 = 60_000;

impl Draft {
    /// Reads a scenario of [`super::random_scenario`].
    #[must_use]
    pub fn read(text: &str) -> Draft {
        let mut sections: Vec<Section> = Vec::new();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let inner = line.trim_start_matches([' ', '-']);
            let (name, value) = inner.split_once(':').unwrap_or((inner, ""));
            let (name, value) = (name.to_owned(), value.trim());
            let keys = value.strip_prefix('{').and_then(|v| v.strip_suffix('}')).map(pairs);
            if line.starts_with(' ') {
                let Some(Section { body: Body::Lines(lines), .. }) = sections.last_mut() else { continue };
                lines.push(Line { name, keys: keys.unwrap_or_default() });
                continue;
            }
            let body = match keys {
                Some(keys) => Body::Keys(keys),
                None if value.is_empty() => Body::Lines(Vec::new()),
                None => Body::Value(value.to_owned()),
            };
            sections.push(Section { name, body });
        }
        Draft { sections }
    }

    /// The same with these strategies.
    #[must_use]
    pub fn with_strategies(mut self, strategies: &[&str]) -> Draft {
        self.sections.retain(|section| section.name != "strategies");
        let body = Body::Value(format!("[{}]", strategies.join(", ")));
        self.sections.push(Section { name: "strategies".into(), body });
        self
    }

    /// As a scenario file.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        for Section { name, body } in &self.sections {
            match body {
                Body::Value(value) => text += &format!("{name}: {value}\n"),
                Body::Keys(keys) => text += &format!("{name}: {}\n", flow(keys)),
                Body::Lines(lines) => {
                    text += &format!("{name}:\n");
                    let dash = if name == "history" { "- " } else { "" };
                    lines.iter().for_each(|line| text += &format!("  {dash}{}: {}\n", line.name, flow(&line.keys)));
                }
            }
        }
        text
    }

    /// The verbs of its history, each once, in order of the alphabet: what kind of thing happens in it.
    #[must_use]
    pub fn verbs(&self) -> Vec<&str> {
        let mut verbs: Vec<&str> = self.lines("history").iter().map(|line| line.name.as_str()).collect();
        verbs.sort_unstable();
        verbs.dedup();
        verbs
    }

    /// How many entries its history has.
    #[must_use]
    pub fn entries(&self) -> usize {
        self.lines("history").len()
    }

    fn lines(&self, name: &str) -> &[Line] {
        match self.sections.iter().find(|s| s.name == name).map(|s| &s.body) {
            Some(Body::Lines(lines)) => lines,
            _ => &[],
        }
    }

    /// Everything that is one step simpler, what takes most away first. Whoever takes such steps for as long as there
    /// are any comes to an end: each takes something away, makes a number smaller, or says plainly what was drawn.
    #[must_use]
    pub fn simpler(&self) -> Vec<Draft> {
        let mut all = Vec::new();
        for (at, section) in self.sections.iter().enumerate() {
            if let Body::Lines(lines) = &section.body {
                let least = usize::from(section.name != "history");
                for line in (0..lines.len()).rev().filter(|_| lines.len() > least) {
                    all.push(self.changed(at, |body| {
                        let Body::Lines(lines) = body else { return };
                        lines.remove(line);
                    }));
                }
            }
        }
        for (at, section) in self.sections.iter().enumerate() {
            match &section.body {
                Body::Value(_) | Body::Keys(_) if ["cluster", "seed", "duration"].contains(&section.name.as_str()) => {
                    let mut without = self.clone();
                    without.sections.remove(at);
                    all.push(without);
                }
                Body::Value(_) | Body::Keys(_) | Body::Lines(_) => {}
            }
        }
        for (at, section) in self.sections.iter().enumerate() {
            match &section.body {
                Body::Value(value) if section.name == "brokers" => {
                    for fewer in plainer("brokers", value, 0) {
                        all.push(self.changed(at, |body| *body = Body::Value(fewer)));
                    }
                }
                Body::Value(_) => {}
                Body::Keys(keys) => self.plainer_keys(at, None, keys, &mut all),
                Body::Lines(lines) => {
                    for (line, Line { keys, .. }) in lines.iter().enumerate() {
                        self.plainer_keys(at, Some(line), keys, &mut all);
                    }
                }
            }
        }
        all
    }

    fn changed(&self, section: usize, change: impl FnOnce(&mut Body)) -> Draft {
        let mut draft = self.clone();
        change(&mut draft.sections[section].body);
        draft
    }

    /// Without a key, and with a plainer value of it.
    fn plainer_keys(&self, section: usize, line: Option<usize>, keys: &[Pair], all: &mut Vec<Draft>) {
        let change = |edit: &dyn Fn(&mut Keys)| {
            self.changed(section, |body| match (body, line) {
                (Body::Keys(keys), None) => edit(keys),
                (Body::Lines(lines), Some(line)) => edit(&mut lines[line].keys),
                _ => {}
            })
        };
        for place in 0..keys.len() {
            // what an entry is called does no harm, and without names two of a verb are an error
            if keys[place].0 != "as" {
                all.push(change(&|keys| drop(keys.remove(place))));
            }
            for value in plainer(&keys[place].0, &keys[place].1, line.unwrap_or(0)) {
                all.push(change(&|keys| keys[place].1.clone_from(&value)));
            }
        }
    }
}

/// Plainer values of a key, the plainest first. `place`: of its line among its neighbours.
fn plainer(key: &str, value: &str, place: usize) -> Vec<String> {
    if key == "at" {
        return rounder(value, place);
    }
    if let Some((least, _)) = value.split_once("..") {
        return vec![least.to_owned()];
    }
    if ["count", "members", "partitions", "brokers", "by", "moves", "rf", "offsets_partitions"].contains(&key)
        && let Ok(number) = value.parse::<u64>()
    {
        let mut fewer: Vec<u64> = [1, 2, 3, number / 2, number.saturating_sub(1)].into();
        fewer.retain(|n| *n > 0 && *n < number);
        fewer.sort_unstable();
        fewer.dedup();
        return fewer.iter().map(u64::to_string).collect();
    }
    let named: &[&str] = match (key, value) {
        ("topic", "any" | "all") => &["t-1", "t-2", "other-1"],
        ("group", "any" | "all") => &["g-1", "g-2", "s-1", "e", "p", "m"],
        ("broker", "any" | "all") => &["0", "1", "2", "3"],
        ("topics", "1..2 of t|other" | "all") => &["[t-1]", "[t-1, t-2]", "[t-1, other-1]"],
        ("topics", "1 of t|other" | "2 of t|other") => &["[t-1]", "[other-1]", "[t-1, t-2]", "[t-1, other-1]"],
        ("member", "any" | "all") => &["1"],
        _ => &[],
    };
    named.iter().map(|name| (*name).to_owned()).collect()
}

/// Times in whole minutes: the entry's own minute, else the nearest one before.
fn rounder(value: &str, place: usize) -> Vec<String> {
    let ms = match (value.strip_suffix("ms"), value.strip_suffix('m')) {
        (Some(ms), _) => ms.parse().ok(),
        (None, Some(minutes)) => minutes.parse::<u64>().ok().map(|m| m * MINUTE),
        (None, None) => None,
    };
    let Some(ms) = ms else { return Vec::new() };
    let own = place as u64 + 1;
    let mut minutes = vec![own, ms / MINUTE];
    minutes.retain(|m| *m > 0 && m * MINUTE < ms);
    minutes.dedup();
    minutes.iter().map(|m| format!("{m}m")).collect()
}

/// The pairs inside a flow map.
fn pairs(inner: &str) -> Keys {
    let mut found = Vec::new();
    let (mut depth, mut quoted, mut start) = (0, false, 0);
    for (at, c) in inner.char_indices().chain([(inner.len(), ',')]) {
        match c {
            '"' => quoted = !quoted,
            '{' | '[' if !quoted => depth += 1,
            '}' | ']' if !quoted => depth -= 1,
            ',' if depth == 0 && !quoted => {
                if let Some((key, value)) = inner[start..at].split_once(':') {
                    found.push((key.trim().to_owned(), value.trim().to_owned()));
                }
                start = at + 1;
            }
            _ => {}
        }
    }
    found
}

fn flow(keys: &[Pair]) -> String {
    let inner: Vec<String> = keys.iter().map(|(key, value)| format!("{key}: {value}")).collect();
    format!("{{{}}}", inner.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::{Release, random_scenario};
    use crate::scenario::load_text;

    #[test]
    fn a_draft_means_what_the_text_meant() {
        for number in 1..=200 {
            let text = random_scenario(Release::V4_1, number);
            let again = Draft::read(&text).text();
            let meant = |text: &str| load_text("random", text, &[]).unwrap_or_else(|e| panic!("{e}\n{text}")).resolved;
            assert_eq!(meant(&again), meant(&text), "{text}\n{again}");
        }
    }

    #[test]
    fn simpler_steps_come_to_an_end_whichever_are_taken() {
        for number in 1..=20 {
            let mut draft = Draft::read(&random_scenario(Release::V4_1, number));
            let mut steps = 0;
            // always the last one: the smallest cut
            while let Some(next) = draft.simpler().pop() {
                assert_ne!(next, draft);
                draft = next;
                steps += 1;
                assert!(steps < 1000, "{}", draft.text());
            }
            assert_eq!(draft.entries(), 0);
        }
    }
}
