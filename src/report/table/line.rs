//! Lines of text on a screen: how wide it is, which tones it has, how words are set in it.

/// How a cell looks on a terminal that has colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// As it is.
    #[default]
    Plain,
    /// Heads.
    Strong,
    /// Nothing to see: a zero, a dash.
    Faint,
    /// Something wrong: late, spurious, repeat, missed.
    Warn,
}

/// Where a table is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Screen {
    /// Columns of text.
    pub width: usize,
    /// Has it colours?
    pub colour: bool,
}

impl Screen {
    /// What is not a terminal: wide, without colours.
    pub const PAPER: Screen = Screen { width: 200, colour: false };
}

/// Text in a tone.
#[must_use]
pub fn toned(text: &str, tone: Tone, colour: bool) -> String {
    let code = match tone {
        Tone::Plain => None,
        Tone::Strong => Some("1"),
        Tone::Faint => Some("2"),
        Tone::Warn => Some("33"),
    };
    match code {
        Some(code) if colour && !text.is_empty() => format!("\x1b[{code}m{text}\x1b[0m"),
        Some(_) | None => text.to_owned(),
    }
}

/// A line in the making; blanks at its end are dropped.
#[derive(Default)]
pub(super) struct Line {
    text: String,
    blanks: usize,
}

impl Line {
    pub(super) fn gap(&mut self, text: &str) {
        if text.trim().is_empty() {
            self.blanks += text.chars().count();
        } else {
            self.push(text);
        }
    }

    pub(super) fn cell(&mut self, text: &str, tone: Tone, width: usize, left: bool, colour: bool) {
        let pad = width.saturating_sub(text.chars().count());
        if !left {
            self.blanks += pad;
        }
        if !text.is_empty() {
            self.push(&toned(text, tone, colour));
        }
        if left {
            self.blanks += pad;
        }
    }

    fn push(&mut self, text: &str) {
        self.text.extend(std::iter::repeat_n(' ', self.blanks));
        self.blanks = 0;
        self.text.push_str(text);
    }

    pub(super) fn end(self, out: &mut String) {
        out.push_str(&self.text);
        out.push('\n');
    }
}

/// Sets words in lines no wider than `width`, breaking at `separator` only.
#[must_use]
pub fn folded(pieces: &[String], separator: &str, width: usize) -> String {
    let mut out = String::new();
    let mut used = 0;
    for piece in pieces {
        let more = piece.chars().count();
        if used == 0 {
            used = more;
        } else if used + separator.chars().count() + more > width {
            out.push('\n');
            used = more;
        } else {
            out.push_str(separator);
            used += separator.chars().count() + more;
        }
        out.push_str(piece);
    }
    out.push('\n');
    out
}
