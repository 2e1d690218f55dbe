//! provenance.yaml: what made the files beside it and on which machine; enough to make them again. All of
//! it is machine-bound or repeats the input; no reproducible file refers to it.

use std::fmt::Write as _;

use serde::Deserialize;
use xxhash_rust::xxh3::xxh3_128;

/// The machine that runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// Operating system and architecture.
    pub os: String,
    /// Name of its processor.
    pub cpu: String,
    /// Now, in UTC, as RFC 3339 has it.
    pub date: String,
}

/// A file that the scenario was read from.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Source {
    /// Its path as given, or as `base:` names it.
    pub file: String,
    /// XXH3-128 of its bytes, in hexadecimal.
    pub xxh3_128: String,
    /// All of it.
    pub text: String,
}

impl Source {
    /// A file with its digest.
    #[must_use]
    pub fn new(file: &str, text: &str) -> Source {
        let xxh3_128 = format!("{:032x}", xxh3_128(text.as_bytes()));
        Source { file: file.to_owned(), xxh3_128, text: text.to_owned() }
    }
}

/// All of provenance.yaml.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Provenance {
    /// The command line.
    pub command: String,
    /// Program and version.
    pub version: String,
    /// When it was made.
    pub date: String,
    /// Operating system and architecture.
    pub os: String,
    /// Name of the processor.
    pub cpu: String,
    /// The scenario's name.
    pub scenario: String,
    /// The seed used.
    pub seed: u64,
    /// Runs made.
    pub runs: u32,
    /// `path=value` of every `--set`, and what other options changed.
    pub set: Vec<String>,
    /// The id of each run's history.
    pub histories: Vec<String>,
    /// CSV files and their rows.
    pub files: Vec<FileRows>,
    /// The scenario's files as they were, the one given first.
    pub sources: Vec<Source>,
    /// The scenario with every default filled in, `base:` and `--set` applied.
    pub resolved: String,
}

/// A CSV file and how many rows it has.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct FileRows {
    /// Its name.
    pub name: String,
    /// Rows without the header.
    pub rows: u64,
}

impl Provenance {
    /// As it is written.
    #[must_use]
    pub fn to_yaml(&self) -> String {
        let mut out = String::from("# What made the files beside this one, and where; enough to make them again.\n");
        for (key, value) in [
            ("command", &self.command),
            ("version", &self.version),
            ("date", &self.date),
            ("os", &self.os),
            ("cpu", &self.cpu),
            ("scenario", &self.scenario),
        ] {
            put(&mut out, key, &quoted(value));
        }
        put(&mut out, "seed", &self.seed.to_string());
        put(&mut out, "runs", &self.runs.to_string());
        put(&mut out, "set", &list(self.set.iter().map(|s| quoted(s))));
        put(&mut out, "histories", &list(self.histories.iter().map(|s| quoted(s))));
        out.push_str(if self.files.is_empty() { "files: []\n" } else { "files:\n" });
        for file in &self.files {
            let _ = writeln!(out, "  - {{name: {}, rows: {}}}", quoted(&file.name), file.rows);
        }
        out.push_str(if self.sources.is_empty() { "sources: []\n" } else { "sources:\n" });
        for source in &self.sources {
            let _ = writeln!(out, "  - file: {}", quoted(&source.file));
            let _ = writeln!(out, "    xxh3_128: {}", quoted(&source.xxh3_128));
            let _ = writeln!(out, "    text: {}", block(&source.text, "      "));
        }
        put(&mut out, "resolved", &block(&self.resolved, "  "));
        out
    }
}

fn put(out: &mut String, key: &str, value: &str) {
    let _ = writeln!(out, "{key}: {value}");
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

/// A double-quoted scalar on one line.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            '\n' => out.push_str("\\n"),
            c if unprintable(c) => {
                let _ = write!(out, "\\U{:08x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A literal block where the text allows it, so that it can be read and copied; quoted otherwise.
fn block(text: &str, indent: &str) -> String {
    let plain = text.chars().all(|c| c == '\n' || !unprintable(c)) && text.lines().any(|line| !line.trim().is_empty());
    if !plain {
        return quoted(text);
    }
    let mut out = String::from(if text.ends_with('\n') { "|2+" } else { "|2-" });
    for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
        out.push('\n');
        if !line.is_empty() {
            out.push_str(indent);
            out.push_str(line);
        }
    }
    out
}

fn unprintable(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_text(text: &str) -> Provenance {
        Provenance {
            command: "rebalance-sim run 'a \"b\".yaml' --set x=\\".into(),
            version: "rebalance-sim 0.1.0".into(),
            scenario: "a".into(),
            seed: u64::MAX,
            runs: 2,
            set: vec!["brokers=3".into(), "history.a.gap=5m".into()],
            histories: vec!["0123456789abcdef".into()],
            files: vec![FileRows { name: "outcomes.csv".into(), rows: 8 }],
            sources: vec![Source::new("a.yaml", text), Source::new("base.yaml", "x: 1\n")],
            resolved: text.to_owned(),
            ..Provenance::default()
        }
    }

    #[test]
    fn any_text_comes_back_as_it_was() {
        for text in [
            "",
            "\n",
            "a: 1\n",
            "a: 1",
            "  a: 1\n  b: 2\n\n\n",
            "# é …\nname: \"x\"\t# tab\n",
            "a: 1\r\nb: 2\r\n",
            "\u{feff}a: 1\n",
            "- |\n  text\n---\n...\n",
            "a\u{85}b\u{1}\u{7f}\u{2028}\n",
            "trailing  \n  \nx\n",
        ] {
            let written = with_text(text);
            let read: Provenance = serde_yaml::from_str(&written.to_yaml()).unwrap_or_else(|e| panic!("{text:?}: {e}"));
            assert_eq!(read, written, "{text:?}\n{}", written.to_yaml());
        }
    }

    #[test]
    fn nothing_at_all_comes_back_too() {
        let read: Provenance = serde_yaml::from_str(&Provenance::default().to_yaml()).unwrap();
        assert_eq!(read, Provenance::default());
    }

    #[test]
    fn a_scenario_can_be_read_in_place() {
        assert!(with_text("a: 1\nb: 2\n").to_yaml().contains("    text: |2+\n      a: 1\n      b: 2\n"));
    }
}
