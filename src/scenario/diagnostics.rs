//! What is wrong with a file, all of it at once: each problem with its place, the underlined text and
//! what to write instead. Rendered in rustc's look, or one line a problem.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

/// At most so many problems of one file are kept; the rest is counted.
const MAX_PROBLEMS: usize = 100;

/// A text that problems point into: a file, or a `--set` argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// As it is shown.
    pub name: String,
    /// All of it.
    pub text: String,
}

/// A place in one of the sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct At {
    pub(crate) source: u32,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl At {
    pub(crate) fn new(source: u32, range: Range<usize>) -> At {
        let fit = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        At { source, start: fit(range.start), end: fit(range.end) }
    }

    pub(crate) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Does `other` lie in here?
    pub(crate) fn holds(self, other: At) -> bool {
        self.source == other.source && self.start <= other.start && other.end <= self.end
    }

    /// A piece of it, by bytes from its start.
    pub(crate) fn part(self, piece: Range<usize>) -> At {
        let start = self.range().start;
        let part = At::new(self.source, start + piece.start..start + piece.end);
        if self.holds(part) { part } else { self }
    }
}

/// One problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub(crate) at: Option<At>,
    /// Where in the document: `topics.t.partions`.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// Written under the underlined text: what to write instead.
    pub label: String,
    /// Other places that matter, with what they are.
    pub(crate) also: Vec<(At, String)>,
    /// More help, a line each.
    pub help: Vec<String>,
}

impl Problem {
    fn title(&self) -> String {
        if self.path.is_empty() { self.message.clone() } else { format!("{}: {}", self.path, self.message) }
    }
}

/// Problems, at least one, in the order of their places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostics {
    problems: Vec<Problem>,
    sources: Arc<Vec<Source>>,
    hidden: usize,
}

impl Diagnostics {
    pub(crate) fn new(mut problems: Vec<Problem>, sources: Arc<Vec<Source>>) -> Diagnostics {
        problems.sort_by_key(|p| p.at);
        problems.dedup();
        let hidden = problems.len().saturating_sub(MAX_PROBLEMS);
        problems.truncate(MAX_PROBLEMS);
        Diagnostics { problems, sources, hidden }
    }

    /// A problem without a place, such as a file that cannot be read.
    pub(crate) fn plain(message: String, help: Vec<String>) -> Diagnostics {
        let problem = Problem { at: None, path: String::new(), message, label: String::new(), also: Vec::new(), help };
        Diagnostics::new(vec![problem], Arc::default())
    }

    /// Where the problems are, those that have a place.
    pub(crate) fn places(&self) -> Vec<At> {
        self.problems.iter().filter_map(|problem| problem.at).collect()
    }

    /// Says of each problem with a place where in the document it is.
    pub(crate) fn located(mut self, paths: Vec<Option<String>>) -> Diagnostics {
        let placed = self.problems.iter_mut().filter(|problem| problem.at.is_some());
        for (problem, path) in placed.zip(paths) {
            problem.path = path.unwrap_or_default();
        }
        self
    }

    /// The problems.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// The first problem on one line, without the place in a file; for rows of results, which know no paths.
    #[must_use]
    pub fn reason(&self) -> String {
        let first = self.problems.first().map_or(String::new(), |problem| {
            let title = problem.title();
            if problem.label.is_empty() { title } else { format!("{title}; {}", problem.label) }
        });
        let more = self.problems.len() + self.hidden;
        let text = if more > 1 { format!("{first} (and {} more)", more - 1) } else { first };
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// `file:line:col: message`, a line per problem.
    #[must_use]
    pub fn short(&self) -> String {
        let mut out = String::new();
        for problem in &self.problems {
            if let Some(at) = problem.at {
                let (line, column) = self.line_and_column(at);
                out.push_str(&format!("{}:{line}:{column}: ", self.source(at).name));
            }
            out.push_str(&problem.title());
            if !problem.label.is_empty() {
                out.push_str("; ");
                out.push_str(&problem.label);
            }
            out.push('\n');
        }
        if self.hidden > 0 {
            out.push_str(&format!("and {} more\n", self.hidden));
        }
        out
    }

    /// Everything, in rustc's look.
    #[must_use]
    pub fn render(&self, colour: bool) -> String {
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        let renderer = renderer.decor_style(DecorStyle::Ascii);
        let mut out = String::new();
        for problem in &self.problems {
            if !out.is_empty() {
                out.push_str("\n\n");
            }
            out.push_str(&self.render_one(&renderer, problem));
        }
        if self.hidden > 0 {
            out.push_str(&format!("\n\nand {} more problems", self.hidden));
        }
        out
    }

    fn render_one(&self, renderer: &Renderer, problem: &Problem) -> String {
        let title = problem.title();
        let mut group = Group::with_title(Level::ERROR.primary_title(title.as_str()));
        let mut marks: Vec<(At, AnnotationKind, &str)> = Vec::new();
        marks.extend(problem.at.map(|at| (at, AnnotationKind::Primary, problem.label.as_str())));
        marks.extend(problem.also.iter().map(|(at, what)| (*at, AnnotationKind::Context, what.as_str())));
        while let Some((first, ..)) = marks.first().copied() {
            let (here, rest): (Vec<_>, Vec<_>) = marks.into_iter().partition(|(at, ..)| at.source == first.source);
            marks = rest;
            group = group.element(self.snippet(&here));
        }
        for help in &problem.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        renderer.render(&[group])
    }

    /// The lines that the marks are on, cut out, so that a large file costs nothing.
    fn snippet<'a>(
        &'a self,
        marks: &[(At, AnnotationKind, &'a str)],
    ) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
        let source = self.source(marks[0].0);
        let spans: Vec<Range<usize>> = marks.iter().map(|(at, ..)| on_one_line(&source.text, at.range())).collect();
        let low = spans.iter().map(|s| s.start).min().unwrap_or(0);
        let high = spans.iter().map(|s| s.end).max().unwrap_or(0);
        let from = line_start(&source.text, low);
        let to = source.text[high..].find('\n').map_or(source.text.len(), |n| high + n);
        let before = source.text[..from].bytes().filter(|b| *b == b'\n').count();
        let mut snippet = Snippet::source(&source.text[from..to]).path(source.name.as_str()).line_start(before + 1);
        for ((_, kind, label), span) in marks.iter().zip(spans) {
            let mark = kind.span(span.start - from..span.end - from);
            snippet = snippet.annotation(if label.is_empty() { mark } else { mark.label(*label) });
        }
        snippet
    }

    fn source(&self, at: At) -> &Source {
        &self.sources[at.source as usize]
    }

    /// Line and column of a place, both from 1, columns in characters.
    fn line_and_column(&self, at: At) -> (usize, usize) {
        let text = &self.source(at).text;
        let start = boundary(text, at.range().start);
        let from = line_start(text, start);
        let line = text[..from].bytes().filter(|b| *b == b'\n').count() + 1;
        (line, text[from..start].chars().filter(|c| *c != '\u{feff}').count() + 1)
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for Diagnostics {}

/// Within the text, on character boundaries, ending with its first line.
fn on_one_line(text: &str, range: Range<usize>) -> Range<usize> {
    let start = boundary(text, range.start);
    let end = boundary(text, range.end).max(start);
    let line_end = text[start..end].find(['\n', '\r']).map_or(end, |n| start + n);
    start..start + text[start..line_end].trim_end().len()
}

fn boundary(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |n| n + 1)
}

/// Where readers put what they find.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    pub(crate) list: Vec<Problem>,
    pub(crate) warnings: Vec<(At, String)>,
    settled: Vec<At>,
}

impl Problems {
    /// Something is wrong here; `label` says what to write instead (or nothing).
    pub(crate) fn add(&mut self, at: At, message: impl Into<String>, label: impl Into<String>) -> &mut Problem {
        self.list.push(Problem {
            at: Some(at),
            path: String::new(),
            message: message.into(),
            label: label.into(),
            also: Vec::new(),
            help: Vec::new(),
        });
        self.list.last_mut().expect("one was just put in")
    }

    /// As [`Problems::add`]; whatever else is found wrong in this very place follows from it and is not told.
    pub(crate) fn settle(&mut self, at: At, message: impl Into<String>, label: impl Into<String>) {
        if !self.is_full() {
            self.settled.push(at);
        }
        self.add(at, message, label);
    }

    /// All of them, without those that follow from another.
    pub(crate) fn told(self) -> Vec<Problem> {
        let mut list = self.list;
        let mut first = self.settled.clone();
        list.retain(|problem| match problem.at.filter(|at| self.settled.contains(at)) {
            None => true,
            Some(at) => first.iter().position(|other| *other == at).map(|place| first.swap_remove(place)).is_some(),
        });
        list
    }

    /// Enough to show; reading on would only cost time.
    pub(crate) fn is_full(&self) -> bool {
        self.list.len() > 10 * MAX_PROBLEMS
    }

    /// Something is odd here, but may be meant.
    pub(crate) fn warn_at(&mut self, at: At, text: impl FnOnce() -> String) {
        if self.warnings.len() < MAX_PROBLEMS && !self.warnings.iter().any(|(other, _)| *other == at) {
            self.warnings.push((at, text()));
        }
    }
}
